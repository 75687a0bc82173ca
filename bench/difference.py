"""How far a result is from its reference: of all elements, never of a part."""

import numpy as np

PART = 1 << 16  # elements, so that what is computed of them stays in the second level of caches


def in_parts(array):
    """Its elements in order, narrow ones as f64, a part at a time."""
    flat = np.ravel(array)
    signed = flat.dtype != bool and not np.issubdtype(flat.dtype, np.unsignedinteger)
    for at in range(0, flat.size, PART):
        yield flat[at:at + PART] if signed else flat[at:at + PART].astype(np.float64)


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
    error = scale = 0.0  # of nothing
    for got, want in zip(in_parts(result), in_parts(expected)):
        finite = np.isfinite(want)
        if not np.all(finite):
            if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
                raise ValueError("one is NaN or infinite where the other is not")
            got, want = got[finite], want[finite]
        error = np.maximum(error, np.max(np.abs(got - want), initial=0))
        scale = np.maximum(scale, np.max(np.abs(want), initial=0))
    largest = float(error / scale) if scale > 0 else float(error)
    if not largest <= tolerance:
        raise ValueError(f"off by {largest:.3g}, allowed are {tolerance:.3g}")
    return largest
