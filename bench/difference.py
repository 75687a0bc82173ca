"""How far a result is from its reference: of all elements, never of a part."""

import numpy as np


def difference(result, expected, tolerance):
    """Of all elements; raises ValueError where it is more than the tolerance."""
    if result.shape != expected.shape:
        raise ValueError(f"result has shape {result.shape}, not {expected.shape}")
    if tolerance == 0:
        wrong = int(np.count_nonzero(result != expected))
        if wrong:
            raise ValueError(f"{wrong} of {expected.size} elements are wrong")
        return 0.0
    if tolerance == np.inf:
        return None
    largest = float(np.abs(result - expected).max() / np.abs(expected).max())
    if not largest <= tolerance:
        raise ValueError(f"off by {largest:.3g}, allowed are {tolerance:.3g}")
    return largest
