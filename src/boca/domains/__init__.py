"""Markets whose true values we know, for simulation: the four value models, a toy, files."""

from boca.domains.domain import Domain
from boca.domains.efficient import Efficient
from boca.domains.generic import GenericDomain, generic_view
from boca.domains.load import DOMAINS, load_domain

__all__ = ["DOMAINS", "Domain", "Efficient", "GenericDomain", "generic_view", "load_domain"]
