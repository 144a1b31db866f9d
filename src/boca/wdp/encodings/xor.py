"""XOR bids: at most one of them wins."""

import numpy as np

from boca.functions import XorTable
from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.expression import Expression


def encode_xor(table: XorTable, bundle: BundleVariables) -> Expression:
    """
    A binary y for every bid, at most one of them 1, and the bundle holds what that bid asks for.

    ``sum_k y_k <= 1`` and ``sum_k b_kg y_k <= x_g`` for every good g. Valid where the value is
    maximised: the best contained bid is then chosen.
    """
    num_bids = len(table.values)
    if not num_bids:
        return Expression(np.zeros(0, dtype=np.int64), np.zeros(0))
    chosen = bundle.model.add_variables(num_bids, 0, 1, integer=True)
    bundle.model.add_row(chosen, 1.0, upper=1)
    columns = np.concatenate(
        [np.tile(chosen, (bundle.num_goods, 1)), bundle.columns[:, None]], axis=1
    )
    asked = np.concatenate([table.bundles.T, -np.ones((bundle.num_goods, 1))], axis=1)
    bundle.model.add_rows(columns, asked, upper=0)
    return Expression(chosen, np.asarray(table.values))
