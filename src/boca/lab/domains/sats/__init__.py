"""The four value models of the Spectrum Auction Test Suite."""

from boca.lab.domains.sats.gsvm import Gsvm
from boca.lab.domains.sats.lsvm import Lsvm
from boca.lab.domains.sats.mrvm import Mrvm
from boca.lab.domains.sats.srvm import Srvm

__all__ = ["Gsvm", "Lsvm", "Mrvm", "Srvm"]
