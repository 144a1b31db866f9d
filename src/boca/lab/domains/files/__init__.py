"""Markets from files, with the values that stand in them."""

from boca.lab.domains.files.additive_values import AdditiveValues
from boca.lab.domains.files.file_domain import FileDomain, load_market_file

__all__ = ["AdditiveValues", "FileDomain", "load_market_file"]
