#!/usr/bin/env python3
"""Writes jax_convolutions.txt: values by JAX of the convolutions that convolution_test.cc has under the same
names, and the gradients of their weighted sums.

    python3 jax_convolutions.py > jax_convolutions.txt      (needs jax from PyPI)
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)


def numbers(shape, factor, modulus):
    """Element i is (i * factor mod modulus - modulus // 2) / 4: exact in f64."""
    i = np.arange(np.prod(shape), dtype=np.int64)
    return jnp.asarray(((i * factor % modulus - modulus // 2) / 4).reshape(shape))


def conv(strides, padding, layouts, lhs_dilation=None, rhs_dilation=None, features=1, batches=1):
    return lambda x, w: lax.conv_general_dilated(
        x, w, strides, padding, lhs_dilation, rhs_dilation, layouts, features, batches
    )


NHWC = ("NHWC", "HWIO", "NHWC")
CASES = {
    "same": ((2, 5, 4, 3), (3, 2, 3, 2), conv((1, 1), "SAME", NHWC)),
    "valid": ((2, 5, 4, 3), (3, 2, 3, 2), conv((1, 1), "VALID", NHWC)),
    "same_strided": ((1, 7, 6, 2), (3, 3, 2, 2), conv((2, 3), "SAME", NHWC)),
    "nchw": ((2, 3, 5, 4), (2, 3, 3, 2), conv((2, 1), "SAME", ("NCHW", "OIHW", "NCHW"))),
    "mixed": ((3, 5, 2, 4), (2, 3, 2, 3), conv((1, 2), [(1, 2), (0, 1)], ("CHNW", "OIHW", "HNWC"))),
    "negative": ((1, 9, 2), (2, 2, 3), conv((1,), [(-2, -1)], ("NWC", "WIO", "NWC"))),
    "dilated": ((1, 4, 2), (2, 2, 3), conv((2,), [(7, 5)], ("NWC", "WIO", "NWC"), (3,), (6,))),
    "groups": ((2, 5, 4), (3, 2, 6), conv((1,), "SAME", ("NWC", "WIO", "NWC"), features=2)),
    "batch_groups": ((4, 5, 3), (3, 3, 6), conv((1,), "SAME", ("NWC", "WIO", "NWC"), batches=2)),
    "causal_depthwise": ((2, 6, 4), (3, 1, 4), conv((1,), [(2, 0)], ("NWC", "WIO", "NWC"), features=4)),
    "cube": ((1, 3, 4, 3, 2), (2, 2, 2, 2, 1), conv((1, 2, 1), "SAME", ("NDHWC", "DHWIO", "NDHWC"))),
    "transpose_same": (
        (1, 3, 4, 2),
        (3, 2, 2, 2),
        lambda x, w: lax.conv_transpose(x, w, (2, 3), "SAME", dimension_numbers=NHWC),
    ),
    "transpose_valid": (
        (1, 3, 4, 2),
        (3, 2, 2, 2),
        lambda x, w: lax.conv_transpose(x, w, (2, 3), "VALID", dimension_numbers=NHWC),
    ),
}


def text(values):
    return " ".join(repr(float(v)) for v in np.asarray(values).ravel())


def main():
    for name, (lhs, rhs, function) in CASES.items():
        x, w = numbers(lhs, 7, 13), numbers(rhs, 5, 11)
        out = function(x, w)
        weights = numbers(out.shape, 3, 7)
        grads = jax.grad(lambda x, w: jnp.sum(function(x, w) * weights), (0, 1))(x, w)
        print(name)
        print("  shape", " ".join(map(str, out.shape)))
        for label, values in zip(("value", "grad_x", "grad_w"), (out, *grads)):
            print(f"  {label}", text(values))


if __name__ == "__main__":
    main()
