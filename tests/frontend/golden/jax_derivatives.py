#!/usr/bin/env python3
"""Writes jax_derivatives.txt: values, gradients and Hessian-vector products by JAX of the functions that
derivatives_golden_test.cc has under the same names.

    python3 jax_derivatives.py > jax_derivatives.txt      (needs jax from PyPI)

Every function takes two vectors of six f64 and returns a scalar.
"""

import jax
import jax.numpy as jnp
import numpy as np
import jax.scipy.linalg as jsl
from jax import lax

jax.config.update("jax_enable_x64", True)

TIES = np.array([0.0, 1.0, -1.0, 1.0, 0.0, 2.0]), np.array([0.0, 1.0, 1.0, -1.0, 0.5, 2.0])
PLAIN = np.array([0.3, -1.2, 0.7, 2.1, -0.4, 1.6]), np.array([1.1, 0.2, -0.8, 0.5, 1.9, -1.3])
POSITIVE = np.array([0.3, 1.2, 0.7, 2.1, 0.4, 1.6]), np.array([1.1, 0.2, 0.8, 0.5, 1.9, 1.3])

EQUAL = np.array([2.0, 2.0, 2.0, 2.0, 2.0, 2.0]), np.array([1.1, 0.2, -0.8, 0.5, 1.9, -1.3])

WEIGHTS = jnp.arange(1.0, 7.0)


def weighted(v):
    return jnp.sum(v * WEIGHTS[: v.shape[0]])


def m23(x):
    return x.reshape(2, 3)


def m33(x):
    return jnp.outer(x[:3], x[3:]) + jnp.diag(x[:3] * x[3:])


def definite(x, y):
    m = m33(x) + m33(y)
    return m @ m.T + jnp.eye(3)


def m44(x, y):
    return jnp.outer(x[:4], y[2:]) + jnp.diag(x[:4] * x[2:]) + jnp.diag(y[:3], 1)


def eig(a):
    return lax.linalg.eig(a, compute_left_eigenvectors=False, enable_eigvec_derivs=True)


def total(*arrays):
    """Of all elements, so that signs and places count."""
    return sum(jnp.sum(jnp.sin(a.ravel() * 2 + 0.3) * jnp.arange(1.0, a.size + 1)) for a in arrays)


def row_of(x):
    return jnp.sum(x * jnp.arange(1.0, 8.0)[:, None], axis=0)


def gelu(x):
    return 0.5 * x * (1 + jnp.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def window(x, neutral, combine, size, stride, padding="VALID"):
    return lax.reduce_window(x, neutral, combine, (size,), (stride,), padding)


def cumsum(x):
    return lax.scan(lambda c, v: (c + v, c + v), 0.0, x)[1]


def linear_recurrence(x, y):
    def step(h, ab):
        h = jnp.tanh(ab[0]) * h + ab[1]
        return h, h

    return lax.scan(step, 1.0, (x, y))[1]


def backward_recurrence(x, y):
    def step(h, ab):
        h = jnp.sin(ab[0] * h) + ab[1]
        return h, h * ab[0]

    return lax.scan(step, 0.5, (x, y), reverse=True)[1]


def rnn(x, y):
    w = m23(y)[:, :2]

    def step(h, v):
        h = jnp.tanh(h @ w + v)
        return h, h

    last, hs = lax.scan(step, jnp.zeros(2), x.reshape(3, 2))
    return jnp.sum(last) + jnp.sum(hs * hs)


def layer_norm(x):
    mean = jnp.mean(x)
    return (x - mean) * lax.rsqrt(jnp.mean(jnp.square(x - mean)) + 1e-5)


def attention(x, y):
    q, k = x.reshape(3, 2), y.reshape(3, 2)
    return jax.nn.softmax(q @ k.T, axis=-1) @ k


FUNCTIONS = {
    "add": (PLAIN, lambda x, y: weighted(x + y)),
    "sub": (PLAIN, lambda x, y: weighted(x - y * x)),
    "mul": (PLAIN, lambda x, y: weighted(x * y)),
    "div": (PLAIN, lambda x, y: weighted(x / y)),
    "neg": (PLAIN, lambda x, y: weighted(-x * x)),
    "exp": (PLAIN, lambda x, y: weighted(jnp.exp(x * y))),
    "log": (POSITIVE, lambda x, y: weighted(jnp.log(x * y))),
    "expm1": (PLAIN, lambda x, y: weighted(jnp.expm1(x))),
    "log1p": (POSITIVE, lambda x, y: weighted(jnp.log1p(x * y))),
    "erf": (PLAIN, lambda x, y: weighted(lax.erf(x))),
    "sin": (PLAIN, lambda x, y: weighted(jnp.sin(x * y))),
    "cos": (PLAIN, lambda x, y: weighted(jnp.cos(x * y))),
    "tanh": (PLAIN, lambda x, y: weighted(jnp.tanh(x * y))),
    "logistic": (PLAIN, lambda x, y: weighted(lax.logistic(x * y))),
    "sqrt": (POSITIVE, lambda x, y: weighted(jnp.sqrt(x * y))),
    "rsqrt": (POSITIVE, lambda x, y: weighted(lax.rsqrt(x * y))),
    "floor": (PLAIN, lambda x, y: weighted(jnp.floor(x) * x)),
    "ceil": (PLAIN, lambda x, y: weighted(jnp.ceil(x) * x)),
    "round": (PLAIN, lambda x, y: weighted(jnp.round(x) * x)),
    "sign": (PLAIN, lambda x, y: weighted(jnp.sign(x) * x * x)),
    "abs": (PLAIN, lambda x, y: weighted(jnp.abs(x) * y)),
    "abs_at_zero": (TIES, lambda x, y: weighted(jnp.abs(x))),
    "sign_at_zero": (TIES, lambda x, y: weighted(jnp.sign(x) * x)),
    "rem": (POSITIVE, lambda x, y: weighted(lax.rem(x, y))),
    "rem_negative": (PLAIN, lambda x, y: weighted(lax.rem(x, y))),
    "pow": (POSITIVE, lambda x, y: weighted(jnp.power(x, y))),
    "pow_two": (PLAIN, lambda x, y: weighted(lax.pow(x, jnp.full(6, 2.0)))),
    "maximum": (PLAIN, lambda x, y: weighted(jnp.maximum(x * x, y))),
    "minimum": (PLAIN, lambda x, y: weighted(jnp.minimum(x * x, y))),
    "maximum_ties": (TIES, lambda x, y: weighted(jnp.maximum(x, y))),
    "minimum_ties": (TIES, lambda x, y: weighted(jnp.minimum(x, y))),
    "relu_at_zero": (TIES, lambda x, y: weighted(jax.nn.relu(x))),
    "clip_at_border": (TIES, lambda x, y: weighted(jnp.minimum(jnp.maximum(x, -1.0), 1.0))),
    "where": (PLAIN, lambda x, y: weighted(jnp.where(x > y, jnp.sin(x), y * y))),
    "where_border": (TIES, lambda x, y: weighted(jnp.where(x >= y, x * x, y * 3))),
    "where_safe": (TIES, lambda x, y: weighted(jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0))),
    "sum": (PLAIN, lambda x, y: jnp.sum(x) ** 2),
    "sum_axis": (PLAIN, lambda x, y: weighted(jnp.square(jnp.sum(m23(x), axis=1)))),
    "mean": (PLAIN, lambda x, y: jnp.mean(x) * jnp.mean(y * x)),
    "prod": (PLAIN, lambda x, y: jnp.prod(x)),
    "prod_axis": (PLAIN, lambda x, y: weighted(jnp.prod(m23(x), axis=0))),
    "max": (PLAIN, lambda x, y: jnp.max(x) ** 2),
    "max_axis": (PLAIN, lambda x, y: weighted(jnp.max(m23(x), axis=1) ** 2)),
    "max_ties": (TIES, lambda x, y: jnp.max(y[1:3] * x[1])),
    "max_all_ties": (TIES, lambda x, y: jnp.max(x * 0 + 1 * x[1] + y * 0)),
    "min": (PLAIN, lambda x, y: jnp.min(x) ** 2),
    "min_ties": (TIES, lambda x, y: jnp.min(jnp.stack([x[1], x[3], x[5]]))),
    "variance": (PLAIN, lambda x, y: jnp.mean(jnp.square(x - jnp.mean(x)))),
    "dot": (PLAIN, lambda x, y: jnp.dot(x, y) ** 2),
    "outer": (PLAIN, lambda x, y: jnp.sum(jnp.sin(jnp.outer(x, y)))),
    "matmul": (PLAIN, lambda x, y: jnp.sum(jnp.tanh(m23(x) @ y.reshape(3, 2)))),
    "batched_matmul": (
        PLAIN,
        lambda x, y: jnp.sum(jnp.sin(jnp.matmul(x.reshape(3, 2, 1), y.reshape(3, 1, 2)))),
    ),
    "transpose": (PLAIN, lambda x, y: jnp.sum(jnp.sin(m23(x).T @ m23(y)))),
    "reshape": (PLAIN, lambda x, y: jnp.sum(jnp.sin(m23(x) * y.reshape(2, 3)))),
    "flip": (PLAIN, lambda x, y: weighted(jnp.flip(x) * y)),
    "slice": (PLAIN, lambda x, y: weighted(x[1:6:2] * y[:3] * x[3:])),
    "index": (PLAIN, lambda x, y: x[2] * y[4] * x[-1]),
    "concatenate": (PLAIN, lambda x, y: jnp.sum(jnp.sin(jnp.concatenate([x, y, x]) * jnp.arange(18.0)))),
    "stack": (PLAIN, lambda x, y: jnp.sum(jnp.exp(jnp.stack([x, y], axis=1)[2:, 0]) * y[2:])),
    "pad": (PLAIN, lambda x, y: jnp.sum(jnp.sin(jnp.pad(x, (1, 2)) * jnp.arange(9.0)))),
    "take": (PLAIN, lambda x, y: weighted(jnp.take(x, jnp.array([3, 3, 0, 5, 3, 1])) ** 2)),
    "roll": (PLAIN, lambda x, y: weighted(jnp.roll(x, 2) * x)),
    "broadcast": (PLAIN, lambda x, y: jnp.sum(jnp.sin(x[:, None] * y[None, :3]))),
    "softmax": (PLAIN, lambda x, y: weighted(jax.nn.softmax(x) * y)),
    "log_sum_exp": (PLAIN, lambda x, y: jnp.log(jnp.sum(jnp.exp(x - jnp.max(x)))) + jnp.max(x)),
    "cross_entropy": (PLAIN, lambda x, y: -jnp.sum(jax.nn.softmax(y) * jnp.log(jax.nn.softmax(x)))),
    "silu": (PLAIN, lambda x, y: weighted(jax.nn.silu(x))),
    "gelu": (PLAIN, lambda x, y: weighted(gelu(x))),
    "square": (PLAIN, lambda x, y: weighted(jnp.square(x) * y)),
    "layer_norm": (PLAIN, lambda x, y: weighted(layer_norm(x) * y)),
    "attention": (PLAIN, lambda x, y: jnp.sum(jnp.square(attention(x, y)))),
    "cumsum": (PLAIN, lambda x, y: weighted(cumsum(x) ** 2)),
    "cumprod": (PLAIN, lambda x, y: weighted(lax.cumprod(x) * y)),
    "cumprod_zeros": (TIES, lambda x, y: weighted(lax.cumprod(x) * y)),
    "cumprod_reverse": (PLAIN, lambda x, y: weighted(lax.cumprod(x, reverse=True) * y)),
    "cummax": (PLAIN, lambda x, y: weighted(lax.cummax(x) ** 2 * y)),
    "cummax_ties": (TIES, lambda x, y: weighted(lax.cummax(x[:4]) * y[:4])),
    "cummax_tree": (EQUAL, lambda x, y: weighted(lax.cummax(x) * jnp.sin(x))),
    "cummax_tree_reverse": (EQUAL, lambda x, y: weighted(lax.cummax(x[:5], reverse=True) * y[:5])),
    "cummin_tree": (EQUAL, lambda x, y: weighted(lax.cummin(y * 0 + x) * y)),
    "cummin_tree_mixed": (
        TIES,
        lambda x, y: weighted(row_of(lax.cummin(jnp.stack([x, y, x, x, y, x * y, y]), axis=0))),
    ),
    "cummax_tree_long": (TIES, lambda x, y: weighted(lax.cummax(jnp.concatenate([x, y, x, x]))[7:13] * y)),
    "cummin": (PLAIN, lambda x, y: weighted(lax.cummin(x, reverse=True) ** 2 * y)),
    "cumlogsumexp": (PLAIN, lambda x, y: weighted(lax.cumlogsumexp(x) * y)),
    "cumlogsumexp_rows": (PLAIN, lambda x, y: jnp.sum(lax.cumlogsumexp(m23(x), axis=1, reverse=True) * m23(y))),
    "associative_scan": (
        PLAIN,
        lambda x, y: weighted(
            lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (x, y))[1] ** 2
        ),
    ),
    "prod_zero": (TIES, lambda x, y: jnp.prod(x[:3]) * jnp.prod(y)),
    "prod_zeros": (TIES, lambda x, y: jnp.prod(x[:5]) * jnp.prod(y)),
    "reduce_combiner": (PLAIN, lambda x, y: lax.reduce(jnp.sin(x), 0.0, lambda a, b: a + b + a * b, (0,)) ** 2),
    "max_pool": (PLAIN, lambda x, y: weighted(window(x * y, -jnp.inf, lax.max, 3, 1) ** 2)),
    "max_pool_ties": (TIES, lambda x, y: weighted(window(x, -jnp.inf, lax.max, 2, 2) * x[:3])),
    "min_pool": (PLAIN, lambda x, y: weighted(window(x, jnp.inf, lax.min, 2, 2) ** 2)),
    "sum_pool": (PLAIN, lambda x, y: weighted(window(x * y, 0.0, lax.add, 3, 2) ** 2)),
    "avg_pool_same": (
        PLAIN,
        lambda x, y: weighted(
            (window(x, 0.0, lax.add, 3, 1, "SAME") / window(jnp.ones(6), 0.0, lax.add, 3, 1, "SAME")) ** 2
        ),
    ),
    "linear_recurrence": (PLAIN, lambda x, y: weighted(linear_recurrence(x, y))),
    "backward_recurrence": (PLAIN, lambda x, y: weighted(backward_recurrence(x, y))),
    "rnn": (PLAIN, rnn),
    "astype": (PLAIN, lambda x, y: weighted((x > 0).astype(jnp.float64) * x * x)),
    "stop_gradient": (PLAIN, lambda x, y: weighted(lax.stop_gradient(x * x) * y * x)),
    "cholesky": (PLAIN, lambda x, y: jnp.sum(jnp.linalg.cholesky(definite(x, y)) * lax.cos(m33(x)))),
    "cholesky_upper": (PLAIN, lambda x, y: jnp.sum(lax.sin(jnp.linalg.cholesky(definite(x, y), upper=True)))),
    "triangular_solve": (
        PLAIN,
        lambda x, y: jnp.sum(
            lax.sin(
                lax.linalg.triangular_solve(
                    m33(x) + 3 * jnp.eye(3), m23(y).T, left_side=True, lower=True, transpose_a=True
                )
            )
        ),
    ),
    "triangular_solve_right": (
        PLAIN,
        lambda x, y: jnp.sum(
            lax.linalg.triangular_solve(m33(x), m23(y), left_side=False, lower=False, unit_diagonal=True) ** 2
        ),
    ),
    "solve": (PLAIN, lambda x, y: weighted(jnp.linalg.solve(m33(x) + m33(y), y[:3]) * x[:3])),
    "det": (PLAIN, lambda x, y: jnp.linalg.det(m33(x) * 2 + m33(y))),
    "slogdet": (PLAIN, lambda x, y: jnp.linalg.slogdet(m33(x) * 2 + m33(y))[1]),
    "inv": (PLAIN, lambda x, y: jnp.sum(jnp.sin(jnp.linalg.inv(m33(x) + m33(y))))),
    "lu": (PLAIN, lambda x, y: jnp.sum(jnp.sin(lax.linalg.lu(m33(x) + m33(y))[0]) * jnp.cos(m33(x)))),
    "lu_tall": (PLAIN, lambda x, y: jnp.sum(jnp.sin(lax.linalg.lu(x.reshape(3, 2) * y.reshape(3, 2))[0]))),
    "lu_wide": (PLAIN, lambda x, y: jnp.sum(jnp.sin(lax.linalg.lu(m23(x) * m23(y))[0]))),
    "cho_solve": (PLAIN, lambda x, y: weighted(jsl.cho_solve((jnp.linalg.cholesky(definite(x, y)), True), y[:3]))),
    "fft": (PLAIN, lambda x, y: weighted(jnp.abs(jnp.fft.fft(x + 1j * y, norm="ortho")) ** 2)),
    "ifft": (PLAIN, lambda x, y: weighted(jnp.sin(jnp.fft.ifft(x * y + 1j * y, n=5)).real)),
    "rfft": (PLAIN, lambda x, y: weighted(jnp.abs(jnp.fft.rfft(x * y)) ** 2)),
    "rfft_odd": (PLAIN, lambda x, y: weighted(jnp.imag(jnp.fft.rfft(x * y, n=5) ** 2))),
    "irfft": (PLAIN, lambda x, y: weighted(jnp.sin(jnp.fft.irfft(x[:4] + 1j * y[:4] * x[2:], n=6)))),
    "irfft_odd": (PLAIN, lambda x, y: weighted(jnp.sin(jnp.fft.irfft(x + 1j * y * x, n=5)))),
    "rfft2": (PLAIN, lambda x, y: jnp.sum(jnp.abs(jnp.fft.rfft2(m23(x) * m23(y))) ** 4)),
    "irfft2": (PLAIN, lambda x, y: jnp.sum(jnp.sin(jnp.fft.irfft2(m23(x) + 1j * m23(x * y), s=(2, 5))))),
    "hfft": (PLAIN, lambda x, y: weighted(jnp.sin(jnp.fft.hfft(x[:4] + 1j * y[:4], n=6)))),
    "ihfft": (PLAIN, lambda x, y: weighted(jnp.abs(jnp.fft.ihfft(x * y)) ** 2)),
    "qr": (PLAIN, lambda x, y: total(*jnp.linalg.qr(m44(x, y)))),
    "qr_tall": (PLAIN, lambda x, y: total(*jnp.linalg.qr(m44(x, y)[:, :2]))),
    "qr_complete": (PLAIN, lambda x, y: total(*jnp.linalg.qr(m44(x, y)[:, :2], mode="complete"))),
    "qr_wide": (PLAIN, lambda x, y: total(*jnp.linalg.qr(m23(x) + m23(y) ** 2))),
    "eigh": (PLAIN, lambda x, y: total(*jnp.linalg.eigh(m44(x, y)))),
    "eigh_upper": (
        PLAIN,
        lambda x, y: total(*jnp.linalg.eigh(m44(x, y) + m44(x, y).T, UPLO="U", symmetrize_input=False)),
    ),
    "eigvalsh": (PLAIN, lambda x, y: total(jnp.linalg.eigvalsh(m44(x, y)))),
    "svd": (PLAIN, lambda x, y: total(*jnp.linalg.svd(m44(x, y)))),
    "svd_tall": (PLAIN, lambda x, y: total(*jnp.linalg.svd(m44(x, y)[:, :2], full_matrices=False))),
    "svd_wide": (PLAIN, lambda x, y: total(*jnp.linalg.svd(m44(x, y)[:2], full_matrices=False))),
    "svdvals": (PLAIN, lambda x, y: total(jnp.linalg.svdvals(m44(x, y)[:3]))),
    "eigvals": (PLAIN, lambda x, y: jnp.sum(jnp.abs(eig(m44(x, y))[0]) * jnp.arange(1.0, 5.0))),
    "eig": (PLAIN, lambda x, y: total(*(f(z) for z in eig(m44(x, y)) for f in (jnp.real, jnp.imag)))),
    "det4": (PLAIN, lambda x, y: jnp.sin(jnp.linalg.det(m44(x, y)))),
    "pinv": (PLAIN, lambda x, y: total(jnp.linalg.pinv(m44(x, y)[:, :3]))),
    "pinv_wide": (PLAIN, lambda x, y: total(jnp.linalg.pinv(m23(x) + m23(y)))),
    "norms": (
        PLAIN,
        lambda x, y: sum(
            jnp.linalg.norm(m23(x) * m23(y), ord=p) * (i + 1)
            for i, p in enumerate([None, "fro", "nuc", 1, -1, 2, -2, jnp.inf, -jnp.inf])
        ),
    ),
    "vector_norms": (
        PLAIN,
        lambda x, y: sum(
            weighted(jnp.linalg.norm(m23(x) + m23(y), ord=p, axis=1)) * (i + 1)
            for i, p in enumerate([None, 1, 2, 3, 0.5, jnp.inf, -jnp.inf])
        ),
    ),
    "cond": (
        PLAIN,
        lambda x, y: jnp.linalg.cond(m23(x) + m23(y)) + jnp.linalg.cond(m44(x, y), p=1) * jnp.linalg.cond(m44(x, y), p=-2),
    ),
    "lstsq": (PLAIN, lambda x, y: total(*jnp.linalg.lstsq(m44(x, y)[:, :2], x[2:] + y[:4])[:2])),
    "matrix_power": (PLAIN, lambda x, y: total(jnp.linalg.matrix_power(m33(x), 5), jnp.linalg.matrix_power(m33(y), -2))),
    "multi_dot": (PLAIN, lambda x, y: total(jnp.linalg.multi_dot([x[:4], m44(x, y), m44(y, x), x.reshape(6, 1)[2:]]))),
    "rosenbrock": (PLAIN, lambda x, y: jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)),
}


def text(values):
    return " ".join(repr(float(v)) for v in np.asarray(values).reshape(-1))


for name, ((x, y), function) in FUNCTIONS.items():
    value = function(x, y)
    gx, gy = jax.grad(function, argnums=(0, 1))(x, y)
    direction = np.array([1.0, -0.5, 0.25, 2.0, -1.0, 0.5])
    hx = jax.jvp(lambda v: jax.grad(function)(v, y), (x,), (direction,))[1]
    print(name)
    for label, values in (("x", x), ("y", y), ("value", value), ("grad_x", gx), ("grad_y", gy), ("hvp_x", hx)):
        print(f"  {label} {text(values)}")
