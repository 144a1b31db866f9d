"""Allocations of courses, checked in whole numbers by other means than they were found."""
