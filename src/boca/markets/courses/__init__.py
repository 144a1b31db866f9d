"""Course markets in folders: tables in, assignments out, and a check of both."""

from boca.markets.courses.check import Finding, check_folder
from boca.markets.courses.read import CourseMarket, read_courses
from boca.markets.courses.write import AssignmentFiles, read_assignment

__all__ = [
    "AssignmentFiles",
    "CourseMarket",
    "Finding",
    "check_folder",
    "read_assignment",
    "read_courses",
]
