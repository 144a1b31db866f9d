"""Which encoding belongs to which kind of function."""

from collections.abc import Callable
from enum import Enum
from typing import Any

from boca.core.errors import InputError
from boca.functions import (
    Envelope,
    FourierSeries,
    Minimum,
    MonotoneNet,
    Quadratic,
    ReluNet,
    Scaled,
    ValueFunction,
    XorTable,
)
from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.envelope import encode_envelope
from boca.wdp.encodings.expression import Expression
from boca.wdp.encodings.fourier import encode_fourier
from boca.wdp.encodings.minimum import encode_minimum
from boca.wdp.encodings.mvnn_one_binary import encode_mvnn_one_binary
from boca.wdp.encodings.mvnn_paper import encode_mvnn_paper
from boca.wdp.encodings.quadratic import encode_quadratic
from boca.wdp.encodings.relu import encode_relu
from boca.wdp.encodings.xor import encode_xor

Encoder = Callable[[Any, BundleVariables], Expression]


class MvnnEncoding(Enum):
    """How monotone networks are encoded: as in the paper, or with one binary per neuron."""

    ONE_BINARY = "one binary"
    PAPER = "paper"


MVNN: dict[MvnnEncoding, Encoder] = {
    MvnnEncoding.ONE_BINARY: encode_mvnn_one_binary,
    MvnnEncoding.PAPER: encode_mvnn_paper,
}

ENCODERS: dict[type, Encoder] = {
    ReluNet: encode_relu,
    FourierSeries: encode_fourier,
    Quadratic: encode_quadratic,
    XorTable: encode_xor,
    Envelope: encode_envelope,
}


def encode(
    function: ValueFunction,
    bundle: BundleVariables,
    mvnn: MvnnEncoding = MvnnEncoding.ONE_BINARY,
) -> Expression:
    """
    Adds a value function to a model.

    At every bundle, the largest value of the expression that the rows allow is the function's
    value. So the model must maximise it, with a factor of at least 0; anything linear in the
    bundle, such as prices, may be added.

    Parameters
    ----------
    function
        What to encode.
    bundle
        The variables of the bidder's bundle; rows go into their model.
    mvnn
        The encoding of monotone networks.
    """
    if isinstance(function, Scaled):
        return encode(function.function, bundle, mvnn) * function.factor
    if isinstance(function, Minimum):
        parts = [encode(part, bundle, mvnn) for part in function.functions]
        return encode_minimum(parts, bundle)
    if isinstance(function, MonotoneNet):
        return MVNN[mvnn](function, bundle)
    if type(function) not in ENCODERS:
        raise InputError(
            f"Functions of type {type(function).__name__} cannot be written as a linear program; "
            "expected a network, Fourier series, quadratic function, XOR table or envelope. "
            "Search in allocation space (proof='none') works with any function."
        )
    return ENCODERS[type(function)](function, bundle)


def can_encode(function: ValueFunction) -> bool:
    """Whether :func:`encode` knows this kind of function."""
    if isinstance(function, Scaled):
        return can_encode(function.function)
    if isinstance(function, Minimum):
        return all(can_encode(part) for part in function.functions)
    return isinstance(function, MonotoneNet) or type(function) in ENCODERS
