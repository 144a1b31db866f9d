"""How well predictions fit."""

import numpy as np


def r_squared(predicted: np.ndarray, values: np.ndarray) -> float:
    """Coefficient of determination: 1 is perfect, 0 as good as the average."""
    spread = ((values - values.mean()) ** 2).sum()
    missed = ((values - predicted) ** 2).sum()
    return float(1 - missed / spread) if spread > 0 else float(missed == 0)
