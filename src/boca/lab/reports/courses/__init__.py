"""The registrar's page about an assignment of seats."""

from boca.lab.reports.courses.page import CoursePage, RuleRow, SeatChange, course_page

__all__ = ["CoursePage", "RuleRow", "SeatChange", "course_page"]
