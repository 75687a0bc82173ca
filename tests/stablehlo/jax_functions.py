#!/usr/bin/env python3
"""Functions of JAX, exported as StableHLO text and run by Ingot: the values are to be JAX's own.

    tests/stablehlo/jax_functions.py [--ingot build/bin/ingot] [--keep DIR] [--interpret] [NAME...]

Needs a Python with JAX, so it is no part of the test suite. Prints one line for each function that differs or is
refused, and as its last line `N equal, N different, N refused`. --keep leaves the modules and arguments in a folder.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

FUNCTIONS = {}


def case(*arguments):
    def register(function):
        FUNCTIONS[function.__name__] = (function, arguments)
        return function
    return register


def f32(*shape, seed=0, low=-2.0, high=2.0):
    return np.random.default_rng(seed + 31 * len(shape)).uniform(low, high, shape).astype(np.float32)


def s32(*shape, high=4, seed=0):
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.int32)


A, B, V, W = f32(8, 8), f32(8, 8, seed=1), f32(8), f32(8, seed=2)


# --- control flow

@case(f32(7, 4), f32(4, 4))
def scan_matrix(xs, w):
    return lax.scan(lambda c, x: (jnp.tanh(c @ w + x), c * 2), jnp.zeros(4), xs)


@case(f32(7, 4), f32(4, 4))
def scan_reversed(xs, w):
    return lax.scan(lambda c, x: (c * 0.5 + x @ w, c.sum()), jnp.ones(4), xs, reverse=True)


@case(f32(7, 4), f32(4, 4))
def grad_of_scan(xs, w):
    def loss(w):
        c, ys = lax.scan(lambda c, x: (jnp.tanh(c @ w + x), c), jnp.zeros(4), xs)
        return jnp.sum(c ** 2) + jnp.sum(ys)
    return jax.value_and_grad(loss)(w)


@case(f32(5, 7, 4), f32(4, 4))
def vmap_of_scan(xs, w):
    return jax.vmap(lambda x: lax.scan(lambda c, r: (jnp.sin(c @ w + r), c), jnp.zeros(4), x))(xs)


@case(V)
def fori_loop(x):
    return lax.fori_loop(0, 10, lambda i, c: c * 0.9 + i, x)


@case(V, np.int32(6))
def fori_dynamic(x, n):
    return lax.fori_loop(0, n, lambda i, c: c + jnp.sin(c) * i, x)


@case(V)
def while_newton(x):
    return lax.while_loop(lambda c: jnp.any(jnp.abs(c * c - 2) > 1e-4), lambda c: (c + 2 / c) / 2, jnp.abs(x) + 1)


@case(f32(6, low=1.0, high=9.0))
def vmap_of_while(x):
    return jax.vmap(lambda a: lax.while_loop(lambda c: c[0] > 1.0, lambda c: (c[0] * 0.5, c[1] + 1), (a, 0)))(x)


@case(V, np.bool_(True))
def cond_branches(x, p):
    return lax.cond(p, lambda v: v * 2, lambda v: jnp.cos(v), x)


@case(V, np.int32(2))
def switch_branches(x, i):
    return lax.switch(i, [jnp.sin, jnp.cos, lambda v: v * v, jnp.negative], x)


@case(f32(5, 3), np.array([0, 1, 1, 0, 1], bool))
def vmap_of_cond(x, p):
    return jax.vmap(lambda v, q: lax.cond(q, jnp.exp, lambda u: u * 3, v))(x, p)


@case(V, np.bool_(False))
def grad_of_cond(x, p):
    return jax.grad(lambda v: jnp.sum(lax.cond(p, jnp.sin, lambda u: u ** 3, v)))(x)


@case(f32(6, 3))
def lax_map(x):
    return lax.map(lambda r: jnp.sum(r ** 2) * r, x)


@case(V)
def associative_scan(x):
    return lax.associative_scan(lambda a, b: a * 0.5 + b, x)


@case(V)
def nested_jit(x):
    g = jax.jit(lambda v: jnp.sin(v) * 2)
    return g(g(x)) + jax.jit(jnp.cos)(x)


@case(f32(6))
def fori_with_update(x):
    return lax.fori_loop(1, 6, lambda i, a: a.at[i].set(a[i - 1] * 0.5 + a[i]), x)


@case(f32(6, 6))
def nested_loops(x):
    def inner(i, a):
        return lax.fori_loop(0, 6, lambda j, b: b.at[i, j].add(b[j, i]), a)
    return lax.fori_loop(0, 6, inner, x)


# --- indexing

@case(A, s32(5, high=8))
def take_rows(x, i):
    return jnp.take(x, i, axis=0)


@case(A, s32(5, high=12))
def take_filled(x, i):
    return jnp.take(x, i, axis=1, mode="fill")


@case(A, s32(8, 3, high=8))
def take_along_axis(x, i):
    return jnp.take_along_axis(x, i, axis=1)


@case(A, s32(5, high=8), f32(5, 8))
def scatter_add(x, i, u):
    return x.at[i].add(u)


@case(A, s32(5, high=8), f32(5))
def scatter_set_max(x, i, u):
    return x.at[i, 2].set(7.0), x.at[i, i].max(u), x.at[i].multiply(2.0)


@case(A, np.int32(3), np.int32(7))
def dynamic_slices(x, i, j):
    return lax.dynamic_slice(x, (i, j), (4, 3)), lax.dynamic_update_slice(x, jnp.ones((2, 2)), (j, i))


@case(A)
def slices(x):
    return x[::2, 1:-1], x[::-1], x[..., None, 3], jnp.flip(x, 1), jnp.roll(x, 3, axis=1)


@case(A, np.array([1, 3, 1, 0, 2, 2, 1, 3], np.int32))
def segment_sum(x, ids):
    return jax.ops.segment_sum(x, ids, num_segments=4)


@case(A, s32(4, high=8))
def grad_of_gather(x, i):
    return jax.grad(lambda v: jnp.sum(v[i] ** 2))(x)


@case(f32(64, 8), f32(512, 8, seed=1), f32(512, 8, seed=2))
def attention_to_many(q, k, v):
    return jax.nn.softmax(q @ k.T / np.float32(3), axis=-1) @ v


@case(f32(1, 64, 2, 8), f32(1, 512, 2, 8), f32(1, 512, 2, 8))
def attention_of_heads(q, k, v):
    return jax.nn.dot_product_attention(q, k, v)


@case(f32(1, 64, 4, 8), f32(1, 512, 2, 8), f32(1, 512, 2, 8))
def attention_of_groups(q, k, v):
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)


@case(f32(4, 4))
def permutation_by_index(x):
    p = jnp.array([2, 0, 3, 1])
    return x[p][:, p], jnp.ravel(x)[jnp.array([5, 0, 15])]


@case(f32(100, 4, 4))
def permutation_by_take(x):
    p = jnp.array([0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14])
    take = jax.vmap(lambda m: jnp.take(m, p).reshape(4, 4))
    for _ in range(6):
        x = take(2 * take(x) + jnp.flip(x, 2))
    return x


@case(A)
def boolean_masks(x):
    return jnp.where(x > 0, x, -x), jnp.sum(x > 0), jnp.any(x > 1.9, axis=0), jnp.all(x > -2, axis=1)


@case(V)
def argmax_argmin(x):
    return jnp.argmax(x), jnp.argmin(x), jnp.argmax(x.reshape(2, 4), axis=1)


@case(A)
def triangles(x):
    return jnp.tril(x), jnp.triu(x, 1), jnp.diag(x), jnp.trace(x), jnp.eye(4)


@case(A)
def pad_and_concatenate(x):
    return jnp.pad(x, ((1, 2), (0, 3))), jnp.concatenate([x, x[:2]]), jnp.stack([x, x * 2], 1), jnp.tile(x, (2, 1))


# --- arithmetic

@case(A, B)
def elementwise(x, y):
    return (jnp.sin(x) * jnp.cos(y), jnp.exp(x), jnp.log(jnp.abs(y) + 1), jnp.tanh(x), jax.nn.sigmoid(y), jnp.sqrt(jnp.abs(x)),
            jnp.arctan2(x, y), jnp.power(jnp.abs(x), y), jnp.expm1(x), jnp.log1p(jnp.abs(y)), lax.rsqrt(jnp.abs(x) + 1))


@case(A)
def inverse_functions(x):
    return (jnp.arcsin(x / 2), jnp.arccos(x / 2), jnp.arctan(x), jnp.sinh(x), jnp.cosh(x), jnp.arcsinh(x), jnp.arccosh(jnp.abs(x) + 1),
            jnp.arctanh(x / 2.1), jnp.tan(x), jnp.cbrt(x))


@case(A)
def erf(x):
    return jax.scipy.special.erf(x), jax.nn.gelu(x), jax.nn.gelu(x, approximate=False)


@case(s32(8, high=100), np.array([3, 7, 1, 2, 9, 4, 5, 6], np.int32))
def integers(x, y):
    return x // y, x % y, x << 2, x >> 1, x ^ y, ~x, x & y, jnp.minimum(x, y), lax.population_count(x), lax.clz(y), jnp.abs(x - y)


@case(A)
def rounding(x):
    return jnp.round(x * 3), jnp.floor(x), jnp.ceil(x), jnp.sign(x), jnp.trunc(x), jnp.clip(x, -1, 1), x.astype(jnp.int32), jnp.nan_to_num(x)


@case(A, B)
def complex_numbers(x, y):
    z = x + 1j * y
    return jnp.abs(z), jnp.real(z * z), jnp.exp(z), jnp.conj(z) @ z, jnp.angle(z)


@case(A.astype(np.float16), B)
def narrow_floats(x, y):
    return x * 2 + 1, y.astype(jnp.bfloat16) * 3, x.sum(), jnp.dot(x, x)


# --- reductions and products

@case(A)
def reductions(x):
    return x.sum(), x.mean(0), x.max(1), x.min(), x.prod(1), x.std(), x.var(1), jnp.median(x[:, 0:1].T @ x[:, 0:1])


@case(A)
def cumulative(x):
    return jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 1), lax.cumlogsumexp(x, 0)


@case(f32(300))
def long_cumsum(x):
    return jnp.cumsum(x)


@case(f32(3, 4, 5), f32(3, 5, 6), V)
def products(x, y, v):
    return x @ y, jnp.einsum("bij,bjk->bki", x, y), jnp.tensordot(x, y, ((0, 2), (0, 1))), jnp.outer(v, v), jnp.vdot(v, v)


@case(f32(2, 3, 4), f32(4, 5, 3))
def double_vmap(x, y):
    return jax.vmap(jax.vmap(lambda a, b: a @ b, (None, 1)), (0, None))(x, y)


@case(f32(2, 9, 9, 3), f32(3, 3, 3, 5))
def convolution(x, w):
    dims = ("NHWC", "HWIO", "NHWC")
    return (lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=dims),
            lax.conv_general_dilated(x, w, (2, 2), "VALID", rhs_dilation=(2, 2), dimension_numbers=dims))


@case(f32(2, 8, 8, 3), f32(3, 3, 3, 5))
def grad_of_convolution(x, w):
    f = lambda x, w: jnp.sum(lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2)
    return jax.grad(f, (0, 1))(x, w)


@case(f32(2, 8, 8, 3))
def pooling(x):
    return (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"))


@case(f32(2, 8, 8, 3))
def grad_of_pooling(x):
    return jax.grad(lambda v: jnp.sum(lax.reduce_window(v, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2))(x)


# --- networks

@case(f32(4, 8), V, W)
def layer_norm(x, g, b):
    m, v = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


@case(f32(4, 8), V)
def grad_of_rms_norm(x, g):
    return jax.grad(lambda x, g: jnp.sum(jnp.sin(x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * g)), (0, 1))(x, g)


@case(f32(4, 8))
def softmax(x):
    return jax.nn.softmax(x), jax.nn.log_softmax(x), jax.nn.logsumexp(x, axis=1)


@case(f32(4, 8), s32(4, high=8))
def cross_entropy(x, y):
    return jax.value_and_grad(lambda v: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(v), y[:, None], 1)))(x)


@case(f32(2, 6, 3, 4), f32(2, 6, 3, 4, seed=1), f32(2, 6, 3, 4, seed=2))
def attention(q, k, v):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2.0
    s = jnp.where(jnp.tril(jnp.ones((6, 6), bool)), s, -1e30)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s), v)


@case(f32(2, 6, 3, 4), f32(2, 6, 3, 4, seed=1), f32(2, 6, 3, 4, seed=2))
def grad_of_attention(q, k, v):
    return jax.grad(lambda q, k, v: jnp.sum(jax.nn.dot_product_attention(q, k, v) ** 2), (0, 1, 2))(q, k, v)


@case(f32(5, 8), f32(8, 16), f32(16, 3), f32(5, 3))
def mlp_step(x, w1, w2, y):
    def loss(p):
        return jnp.mean((jax.nn.relu(x @ p[0]) @ p[1] - y) ** 2)
    value, g = jax.value_and_grad(loss)((w1, w2))
    return value, jax.tree.map(lambda p, d: p - 0.1 * d, (w1, w2), g)


@case(f32(5, 6))
def jacobians(x):
    f = lambda v: jnp.stack([v[0] * v[1], jnp.sin(v[2]), v.sum()])
    return jax.vmap(jax.jacfwd(f))(x), jax.vmap(jax.jacrev(f))(x), jax.hessian(lambda v: jnp.sum(v ** 3))(x[0])


@case(f32(12), f32(12), f32(12), f32(12))
def tridiagonal(a, b, c, d):
    b = b + 5

    def forward(carry, row):
        cp, dp = carry
        a, b, c, d = row
        m = b - a * cp
        return (c / m, (d - a * dp) / m), (c / m, (d - a * dp) / m)
    _, (cs, ds) = lax.scan(forward, (0.0, 0.0), (a, b, c, d))
    _, x = lax.scan(lambda x, row: (row[1] - row[0] * x,) * 2, 0.0, (cs, ds), reverse=True)
    return x


@case(f32(12), f32(12), f32(12), f32(12))
def grad_of_tridiagonal(a, b, c, d):
    return jax.grad(lambda *r: jnp.sum(tridiagonal(*r) ** 2), (0, 1, 2, 3))(a, b, c, d)


@case(f32(3, 9), f32(3, 9, seed=1), f32(3, 9, seed=2), f32(3, 9, 2))
def tridiagonal_systems(dl, d, du, b):
    def loss(*system):
        return jnp.sum(jnp.sin(lax.linalg.tridiagonal_solve(*system)))
    return lax.linalg.tridiagonal_solve(dl, d, du, b), jax.grad(loss, (0, 1, 2, 3))(dl, d, du, b)


@case(f32(2, 5, 5))
def forms_by_reflections(a):
    return (lax.linalg.hessenberg(a), lax.linalg.tridiagonal(a), lax.linalg.tridiagonal(a, lower=False),
            lax.linalg.tridiagonal(a[0] + 1j * a[1]), jax.scipy.linalg.hessenberg(a[0], calc_q=True))


@case(A, B)
def orders_of_complex_numbers_and_truth_values(x, y):
    p, q = x + 1j * y, jnp.round(x) + 1j * y
    return p < q, p <= q, p > q, p >= q, lax.clamp(x > 0, y > 0, x > y)


# --- randomness

@case(np.uint32(7))
def random_bits(seed):
    key = jax.random.key(seed)
    return jax.random.uniform(key, (8,)), jax.random.bits(key, (5,)), jax.random.randint(key, (6,), 0, 100)


@case(np.uint32(7))
def random_normal(seed):
    return jax.random.normal(jax.random.key(seed), (16,))


@case(f32(8, 4))
def dropout(x):
    return jnp.where(jax.random.bernoulli(jax.random.key(3), 0.5, x.shape), x * 2, 0)


# --- what needs operations that are still to come

@case(f32(9))
def sort(x):
    return jnp.sort(x), jnp.argsort(x), lax.top_k(x, 3)


@case(A)
def linear_algebra(x):
    return jnp.linalg.cholesky(x @ x.T + 8 * jnp.eye(8)), jnp.linalg.solve(x + 8 * jnp.eye(8), x[0]), jnp.linalg.det(x)


@case(A, B)
def cholesky(x, b):
    a = x @ x.T + jnp.eye(8)
    l = jnp.linalg.cholesky(a)
    return l, jnp.linalg.cholesky(a, upper=True), jax.scipy.linalg.cho_solve((l, True), b), jnp.linalg.cholesky(-a)


@case(f32(3, 4, 4))
def cholesky_complex(x):
    z = x + 1j * x[::-1]
    return jnp.linalg.cholesky(z @ jnp.conj(jnp.swapaxes(z, -1, -2)) + jnp.eye(4))


@case(A, B)
def triangular_solve(a, b):
    a = a / 8 + 2 * jnp.eye(8)
    return [
        lax.linalg.triangular_solve(a, b, left_side=left, lower=lower, transpose_a=transpose, unit_diagonal=unit)
        for left in (True, False) for lower in (True, False) for transpose in (True, False) for unit in (True, False)
    ]


@case(A, B)
def solve(a, b):
    return jnp.linalg.solve(a, b), jnp.linalg.inv(a), jnp.linalg.det(a), jnp.linalg.slogdet(a), lax.linalg.lu(a)


@case(f32(3, 4, 6))
def lu_of_batches(a):
    return lax.linalg.lu(a), lax.linalg.lu(jnp.swapaxes(a, 1, 2))


@case(A)
def grad_of_solve(a):
    return jax.grad(lambda a: jnp.sum(jnp.linalg.solve(a, a * a)) + jnp.linalg.slogdet(a)[1])(a)


@case(A)
def grad_of_cholesky(x):
    return jax.grad(lambda x: jnp.sum(jnp.sin(jnp.linalg.cholesky(x @ x.T + jnp.eye(8)))))(x)


@case(A, B)
def qr(a, b):
    return jnp.linalg.qr(a), jnp.linalg.qr(b), jnp.linalg.qr(b, mode="complete"), jnp.linalg.qr(b + 1j * b[::-1])


@case(f32(3, 4, 4))
def eigh(a):
    return jnp.linalg.eigh(a), jnp.linalg.eigh(a + 1j * a[::-1], UPLO="U"), jnp.linalg.eigvalsh(a)


@case(f32(3, 4, 6))
def svd(a):
    return jnp.linalg.svd(a), jnp.linalg.svd(a + 1j * a[::-1], full_matrices=False), jnp.linalg.svdvals(a)


@case(f32(3, 4, 4))
def eig(a):
    return jnp.linalg.eig(a), jnp.linalg.eigvals(a + 1j * a[::-1]), jax.scipy.linalg.schur(a)


@case(A, B)
def of_decompositions(a, b):
    return jnp.linalg.pinv(b), jnp.linalg.lstsq(a, b), jnp.linalg.cond(a), jnp.linalg.matrix_rank(b), jnp.linalg.norm(a, 2)


@case(A)
def grad_of_decompositions(a):
    def loss(a):
        q, r = jnp.linalg.qr(a)
        u, s, vh = jnp.linalg.svd(a)
        w, v = jnp.linalg.eigh(a)
        return sum(jnp.sum(jnp.sin(x)) for x in (q, r, u, s, vh, w, v)) + jnp.linalg.det(a)

    return jax.grad(loss)(a)


@case(V)
def fft(x):
    return jnp.fft.rfft(x), jnp.fft.ifft(x)


def run(name, folder, ingot, interpret):
    function, arguments = FUNCTIONS[name]
    lowered = jax.jit(function).lower(*arguments)
    module = folder / f"{name}.mlir"
    module.write_text(lowered.as_text(debug_info=True), encoding="utf-8")
    compiled = lowered.compile()
    kept = getattr(lowered._lowering, "compile_args", {}).get("kept_var_idx") or set(range(len(arguments)))  # noqa: SLF001
    given = {f"arg{i}": np.asarray(arguments[k]) for i, k in enumerate(sorted(kept))}
    np.savez(folder / f"{name}.args.npz", **given)
    command = [ingot, "interpret" if interpret else "run", str(module), "--args", str(folder / f"{name}.args.npz"),
               "--out", str(folder / f"{name}.out.npz")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if result.returncode != 0:
        return ("refused" if "see docs/conformance.md" in result.stderr else "different"), result.stderr.strip()[:400]
    want = jax.tree.leaves(compiled(*arguments))
    with np.load(folder / f"{name}.out.npz") as found:
        got = [found[f"out{i}"] for i in range(len(want))]
    for i, (g, w) in enumerate(zip(got, want)):
        w = np.asarray(w)
        narrow = w.dtype.itemsize == 2 and not np.issubdtype(w.dtype, np.integer)
        if w.dtype.name == "bfloat16":
            g, w = g.view(jnp.bfloat16) if g.dtype.itemsize == 2 else g, w
        g, w = (np.asarray(v, np.complex128 if np.iscomplexobj(v) else np.float64) for v in (g, w))
        tolerance = 1e-2 if narrow else 2e-5
        if g.shape != w.shape or not np.allclose(g, w, rtol=tolerance, atol=tolerance, equal_nan=True):
            error = np.max(np.abs(g - w)) if g.shape == w.shape else f"shape {g.shape} instead of {w.shape}"
            return "different", f"result {i}: {error}"
    return "equal", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    parser.add_argument("--ingot", default=str(root / "build/bin/ingot"))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--interpret", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    counts = {"equal": 0, "different": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.names or FUNCTIONS:
            status, message = run(name, folder, options.ingot, options.interpret)
            counts[status] += 1
            if status != "equal":
                print(f"{name}: {status}: {message}", flush=True)
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    return 0 if counts["different"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
