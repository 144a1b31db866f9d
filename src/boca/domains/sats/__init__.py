"""The four value models of the Spectrum Auction Test Suite."""

from boca.domains.sats.gsvm import Gsvm
from boca.domains.sats.lsvm import Lsvm
from boca.domains.sats.mrvm import Mrvm
from boca.domains.sats.srvm import Srvm

__all__ = ["Gsvm", "Lsvm", "Mrvm", "Srvm"]
