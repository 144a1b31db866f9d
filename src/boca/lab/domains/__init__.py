"""Markets whose true values we know, for simulation: the four value models, a toy, files."""

from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.generic import GenericDomain, generic_view
from boca.lab.domains.load import DOMAINS, load_domain

__all__ = ["DOMAINS", "Domain", "Efficient", "GenericDomain", "generic_view", "load_domain"]
