"""Networks that learn from what bundles are worth and from what was wanted at prices."""

from boca.surrogates.mixed.params import MixedParams

__all__ = ["MixedParams"]
