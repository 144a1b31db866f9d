"""Course markets in folders: tables in, assignments out."""

from boca.markets.courses.published import read_published
from boca.markets.courses.read import CourseMarket, from_plain, read_course_files, read_courses
from boca.markets.courses.result import CourseResult, read_result, write_result
from boca.markets.courses.tables import write_comparisons, write_courses

__all__ = [
    "CourseMarket",
    "CourseResult",
    "from_plain",
    "read_course_files",
    "read_courses",
    "read_published",
    "read_result",
    "write_comparisons",
    "write_courses",
    "write_result",
]
