"""Random numbers that cost a few operations each, for dropout and for artificial points."""

import jax.numpy as jnp
from jax import lax

from boca.surrogates.compiled.programs import Array


def scramble(x: Array) -> Array:
    """
    A number that looks random and depends on every bit of x; both uint32.

    The finaliser of MurmurHash3 (Appleby, public domain). Training needs some 10^8 random numbers,
    and a cryptographic generator would take longer than the networks.
    """
    x = (x ^ (x >> 16)) * jnp.uint32(0x85EBCA6B)
    x = (x ^ (x >> 13)) * jnp.uint32(0xC2B2AE35)
    return x ^ (x >> 16)


def uniform(key: Array, shape: tuple[int, int]) -> Array:
    """
    Numbers between 0 and 1, float32.

    Scrambled twice: with one scrambling, two keys that share their leading bits would give the same
    numbers in another order.
    """
    position = lax.iota(jnp.uint32, shape[0] * shape[1]).reshape(shape)
    bits = scramble(scramble(position ^ key) + key)
    return (bits >> 8).astype(jnp.float32) / 2**24  # as many bits as float32 holds


def keep_factors(key: Array, shape: tuple[int, int], probability: Array) -> Array:
    """
    Inverted dropout: 0 with the given probability, else 1 / (1 - probability).

    Parameters
    ----------
    key
        A uint32 scalar, itself scrambled; another key gives unrelated factors.
    shape
        ``(num_rows, units)``.
    probability
        Of being dropped, below 1.
    """
    position = lax.iota(jnp.uint32, shape[0] * shape[1]).reshape(shape)
    bits = scramble(position ^ key)
    dropped = bits < (probability * 4294967040.0).astype(jnp.uint32)  # below 2^32 in float32
    return jnp.where(dropped, 0.0, 1 / (1 - probability))
