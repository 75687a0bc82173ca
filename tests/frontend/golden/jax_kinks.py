#!/usr/bin/env python3
"""Writes jax_kinks.txt: derivatives by JAX, in f32, of the functions of kinks_golden_test.cc at the points where
they have kinks, ties, poles or saturate.

    python3 jax_kinks.py > jax_kinks.txt      (needs jax from PyPI)

Every function takes two vectors of eight f32 and returns an array. For each of them and each pair of vectors:
forward mode (jvp), reverse mode (vjp) in both arguments, and second derivatives forward over reverse (of x).
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

INF, NAN = np.inf, np.nan


def f32(*values):
    return np.array(values, np.float32)


POINTS = {
    "zeros": (f32(0, -0.0, 0, 0, 1, -1, 2, -2), f32(0, 0, 1, -1, 0, 0, -0.0, 2)),
    "ties": (f32(1, 1, -1, 2, 2, 0, 3, -1), f32(1, -1, -1, 2, 1, 0, 3, 1)),
    "equal": (f32(2, 2, 2, 2, 2, 2, 2, 2), f32(1, 1, 1, 1, 2, 2, 2, 2)),
    "special": (f32(INF, -INF, NAN, 1, 0, INF, -INF, 0.5), f32(1, 1, 1, NAN, INF, -INF, -INF, INF)),
    "large": (f32(100, -100, 1e4, -1e4, 20, -20, 1e-4, -1e-4), f32(3, -2, 0.5, 2, -1e4, 1e4, 2, -3)),
    "all_low": (f32(-INF, -INF, -INF, -INF, -INF, -INF, -INF, -INF), f32(1, 2, 3, 4, 5, 6, 7, 8)),
}

T = f32(1, -0.5, 0.25, 2, -1, 0.5, 1.5, -2)  # tangents; cotangents are the weights
U = f32(0.5, 1, -1, 2, 1, -0.25, 1, 3)


def weights(shape):
    return jnp.asarray((np.arange(int(np.prod(shape)), dtype=np.float32) + 1).reshape(shape))


def gelu(x):
    return jax.nn.gelu(x, approximate=True)


FUNCTIONS = {
    "abs": lambda x, y: jnp.abs(x),
    "sign": lambda x, y: jnp.sign(x),
    "maximum": lambda x, y: jnp.maximum(x, y),
    "minimum": lambda x, y: jnp.minimum(x, y),
    "maximum_zero": lambda x, y: jnp.maximum(x, 0.0),
    "clip": lambda x, y: jnp.clip(x, -1.0, 1.0),
    "relu": lambda x, y: jax.nn.relu(x),
    "relu_of_product": lambda x, y: jax.nn.relu(x * y) * x,
    "sqrt": lambda x, y: jnp.sqrt(x),
    "rsqrt": lambda x, y: lax.rsqrt(x),
    "log": lambda x, y: jnp.log(x),
    "log1p": lambda x, y: jnp.log1p(x),
    "expm1": lambda x, y: jnp.expm1(x),
    "exp": lambda x, y: jnp.exp(x),
    "tanh": lambda x, y: jnp.tanh(x),
    "logistic": lambda x, y: jax.nn.sigmoid(x),
    "erf": lambda x, y: lax.erf(x),
    "silu": lambda x, y: jax.nn.silu(x),
    "gelu": lambda x, y: gelu(x),
    "square": lambda x, y: jnp.square(x),
    "copysign": lambda x, y: jnp.copysign(x, y),
    "entr": lambda x, y: jax.scipy.special.entr(x),
    "floor": lambda x, y: jnp.floor(x),
    "ceil": lambda x, y: jnp.ceil(x),
    "round": lambda x, y: jnp.round(x),
    "pow": lambda x, y: jnp.power(x, y),
    "pow_two": lambda x, y: lax.pow(x, jnp.full(8, 2.0, jnp.float32)),
    "pow_zero": lambda x, y: lax.pow(x, jnp.zeros(8, jnp.float32)),
    "atan2": lambda x, y: jnp.arctan2(x, y),
    "rem": lambda x, y: lax.rem(x, y),
    "div": lambda x, y: x / y,
    "mul": lambda x, y: x * y,
    "where_masked": lambda x, y: jnp.where(x > 0, jnp.log(x), 0.0),
    "where_safe": lambda x, y: jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0),
    "max": lambda x, y: jnp.max(x),
    "min": lambda x, y: jnp.min(x),
    "max_rows": lambda x, y: jnp.max(x.reshape(2, 4), axis=1),
    "prod": lambda x, y: jnp.prod(x),
    "prod_rows": lambda x, y: jnp.prod(x.reshape(2, 4), axis=0),
    "sum": lambda x, y: jnp.sum(x * y),
    "mean": lambda x, y: jnp.mean(x),
    "var": lambda x, y: jnp.var(x),
    "std_": lambda x, y: jnp.std(x),
    "logsumexp": lambda x, y: jax.nn.logsumexp(x),
    "logsumexp_rows": lambda x, y: jax.nn.logsumexp(x.reshape(2, 4), axis=0),
    "softmax": lambda x, y: jax.nn.softmax(x),
    "log_softmax": lambda x, y: jax.nn.log_softmax(x),
    "cumsum": lambda x, y: lax.cumsum(x),
    "cumprod": lambda x, y: lax.cumprod(x),
    "cummax": lambda x, y: lax.cummax(x),
    "cummin": lambda x, y: lax.cummin(x),
    "norm": lambda x, y: jnp.sqrt(jnp.sum(x * x)),
    "tan": lambda x, y: jnp.tan(x),
    "asin": lambda x, y: jnp.arcsin(x),
    "acos": lambda x, y: jnp.arccos(x),
    "atan": lambda x, y: jnp.arctan(x),
    "sinh": lambda x, y: jnp.sinh(x),
    "cosh": lambda x, y: jnp.cosh(x),
    "asinh": lambda x, y: jnp.arcsinh(x),
    "acosh": lambda x, y: jnp.arccosh(x),
    "atanh": lambda x, y: jnp.arctanh(x),
    "exp2": lambda x, y: jnp.exp2(x),
    "log2": lambda x, y: jnp.log2(x),
    "cbrt": lambda x, y: jnp.cbrt(x),
    "erfc": lambda x, y: lax.erfc(x),
    "erf_inv": lambda x, y: lax.erf_inv(x),
    "lgamma": lambda x, y: lax.lgamma(x),
    "digamma": lambda x, y: lax.digamma(x),
    "bessel_i0e": lambda x, y: lax.bessel_i0e(x),
    "bessel_i1e": lambda x, y: lax.bessel_i1e(x),
    "logit": lambda x, y: jax.scipy.special.logit(x),
    "softplus": lambda x, y: jax.nn.softplus(x),
    "hypot": lambda x, y: jnp.hypot(x, y),
    "xlogy": lambda x, y: jax.scipy.special.xlogy(x, y),
    "xlog1py": lambda x, y: jax.scipy.special.xlog1py(x, y),
    "logaddexp": lambda x, y: jnp.logaddexp(x, y),
    "mod": lambda x, y: jnp.mod(x, y),
    "floor_divide": lambda x, y: jnp.floor_divide(x, y),
}


def text(values):
    return " ".join(repr(float(v)) for v in np.asarray(values).reshape(-1))


for name, function in FUNCTIONS.items():
    for point, (x, y) in POINTS.items():
        value, forward = jax.jvp(function, (x, y), (T, U))
        c = weights(value.shape)
        gx, gy = jax.vjp(function, x, y)[1](c)
        second = jax.jvp(lambda v: jax.vjp(lambda w: function(w, y), v)[1](c)[0], (x,), (T,))[1]
        print(f"{name} {point}")
        for label, values in (
            ("x", x), ("y", y), ("value", value), ("jvp", forward), ("vjp_x", gx), ("vjp_y", gy), ("second", second),
        ):
            print(f"  {label} {text(values)}")
