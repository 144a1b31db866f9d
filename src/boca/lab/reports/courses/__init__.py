"""Pages and tables about course assignments."""

from boca.lab.reports.courses.learning import learning_tables, page_with
from boca.lab.reports.courses.page import (
    CoursePage,
    GainRow,
    LearningNote,
    RuleRow,
    SeatChange,
    course_page,
)

__all__ = [
    "CoursePage",
    "GainRow",
    "LearningNote",
    "RuleRow",
    "SeatChange",
    "course_page",
    "learning_tables",
    "page_with",
]
