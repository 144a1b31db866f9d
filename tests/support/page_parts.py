"""What tests look for in the text of a page."""

import html
import re


def fields_of(page: str) -> dict[str, str]:
    """The hidden fields of a page's form."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in found}


def errors_of(page: str) -> list[str]:
    """The mistakes that a page lists at its top."""
    section = re.search(r'id="problems".*?</section>', page, re.DOTALL)
    return re.findall(r"<li>(?:<a[^>]*>)?([^<]*)", section[0]) if section else []


def copies_of(page: str) -> dict[str, str]:
    """Good -> copies in the first column of a page's first table of goods."""
    found = re.findall(r'<td role="cell" class="c1" data-label="([^"]*)">(\d+)', page)
    return {good: copies for good, copies in found if good not in ("Copies in all", "Counts as")}
