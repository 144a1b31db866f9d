"""Networks that learn a bidder's mean only: the surrogates of MVNN-MLCA and NN-MLCA."""

from boca.surrogates.mean_nets.params import MeanNetParams

__all__ = ["MeanNetParams"]
