"""Value functions as rows of a mixed-integer linear program, one file per kind of function."""

from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.dispatch import MvnnEncoding, can_encode, encode
from boca.wdp.encodings.expression import Expression
from boca.wdp.encodings.limits import add_limits
from boca.wdp.encodings.nogood import exclude

__all__ = [
    "BundleVariables",
    "Expression",
    "MvnnEncoding",
    "add_limits",
    "can_encode",
    "encode",
    "exclude",
]
