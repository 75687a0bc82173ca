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
    if result.size == 0:
        return 0.0
    if result.dtype == bool or np.issubdtype(result.dtype, np.unsignedinteger):
        result, expected = result.astype(np.float64), expected.astype(np.float64)
    if not np.array_equal(np.isnan(result), np.isnan(expected)):
        raise ValueError("one is NaN where the other is not")
    error, scale = np.nanmax(np.abs(result - expected)), np.nanmax(np.abs(expected))
    largest = float(error / scale) if scale > 0 else float(error)
    if not largest <= tolerance:
        raise ValueError(f"off by {largest:.3g}, allowed are {tolerance:.3g}")
    return largest
