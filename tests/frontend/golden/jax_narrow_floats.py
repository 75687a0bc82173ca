#!/usr/bin/env python3
"""Writes jax_narrow_floats.txt: which dtypes f16 and bf16 give beside others, and values and gradients of
functions of them, by JAX. narrow_floats_test.cc has the same functions under the same names.

    python3 jax_narrow_floats.py > jax_narrow_floats.txt      (needs jax from PyPI)
"""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

NAMES = {
    "bool": "pred", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64", "uint8": "u8",
    "uint16": "u16", "uint32": "u32", "uint64": "u64", "float16": "f16", "bfloat16": "bf16",
    "float32": "f32", "float64": "f64",
}
DTYPES = [jnp.dtype(name) for name in NAMES]
NARROW = [jnp.dtype("float16"), jnp.dtype("bfloat16")]
X = np.array([0.3, -1.2, 0.7, 2.1, -0.4, 1.6])
Y = np.array([1.1, 0.2, -0.8, 0.5, 1.9, -1.3])


def name(dtype):
    return NAMES[jnp.dtype(dtype).name]


FUNCTIONS = {
    "product": lambda x, y: jnp.sum(x * y),
    "squares": lambda x, y: jnp.sum((x - y) ** 2),
    "tanh": lambda x, y: jnp.sum(jnp.tanh(x * y)),
    "exp": lambda x, y: jnp.sum(jnp.exp(x) * y),
    "mean": lambda x, y: jnp.mean(x * y),
    "dot": lambda x, y: jnp.dot(x, y),
    "wide_dot": lambda x, y: jnp.dot(x, y, preferred_element_type=jnp.float32),
    "matmul": lambda x, y: jnp.sum(x.reshape(2, 3) @ y.reshape(3, 2)),
    "through_f32": lambda x, y: jnp.sum((x.astype(jnp.float32) * y.astype(jnp.float32)) ** 3),
    "max": lambda x, y: jnp.max(x) * y[0],
    "cumsum": lambda x, y: jnp.sum(jnp.cumsum(x) * y),
    "where": lambda x, y: jnp.sum(jnp.where(x > y, x, y * x)),
}

for a in NARROW:
    for b in DTYPES:
        result = (jnp.ones(2, a) + jnp.ones(2, b)).dtype
        print("promote", name(a), name(b), name(result))
    for number, label in ((1, "s32"), (1.5, "f64")):
        print("number", name(a), label, name((jnp.ones(2, a) + number).dtype))
for a in NARROW:
    for label, function in FUNCTIONS.items():
        x, y = jnp.asarray(X, a), jnp.asarray(Y, a)
        value = function(x, y)
        gx, gy = jax.grad(function, argnums=(0, 1))(x, y)
        numbers = [float(value)] + [float(v) for v in gx] + [float(v) for v in gy]
        print("function", label, name(a), name(value.dtype), name(gx.dtype), *(f"{v:.9g}" for v in numbers))
