"""Functions that a user of JAX has, at sizes of daily work: what `make bench ONLY=functions` exports from JAX, loads into
Ingot as StableHLO, and runs in both. The list stands on no operation of Ingot's; values are JAX's own in f64."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jax_cases import ILL_CONDITIONED, LONG, ROWS, ROWS_2, case, f32, s32


# --- control flow

@case(f32(256, 64, 128), f32(128, 128, low=-0.1, high=0.1))
def scan_rnn(xs, w):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, jnp.zeros((64, 128)), xs)


@case(f32(256, 64, 128), f32(128, 128, low=-0.1, high=0.1))
def grad_of_scan_rnn(xs, w):
    def loss(w):
        h, ys = lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, jnp.zeros((64, 128)), xs)
        return jnp.mean(ys ** 2)
    return jax.value_and_grad(loss)(w)


@case(f32(1000, 512))
def scan_of_rows(xs):
    return lax.scan(lambda c, x: (0.9 * c + x, jnp.sin(c)), jnp.zeros(512), xs, reverse=True)


@case(f32(512, 1000))
def vmap_of_scan(xs):
    return jax.vmap(lambda x: lax.scan(lambda c, v: (0.9 * c + v, c), 0.0, x))(xs)


@case(f32(4, 1024, 256, low=0.1, high=0.9), f32(4, 1024, 256))
def associative_scan(a, b):
    return lax.associative_scan(lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1]), (a, b), axis=1)[1]


@case(f32(4, 1024, 256, low=0.1, high=0.9), f32(4, 1024, 256))
def grad_of_associative_scan(a, b):
    scan = lambda a, b: lax.associative_scan(lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1]), (a, b), axis=1)[1]
    return jax.grad(lambda a, b: jnp.sum(scan(a, b) ** 2), (0, 1))(a, b)


@case(f32(4096))
def fori_logistic_map(x):
    return lax.fori_loop(0, 1000, lambda i, v: 3.7 * v * (1 - v), jnp.abs(x))


@case(f32(1_000_000, low=0.001, high=1000.0))
def vmap_of_while_newton(a):
    root = lambda a: lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-5 * a, lambda x: (x + a / x) / 2, a)
    return jax.vmap(root)(a)


@case(f32(10_000, low=0.5, high=1.5))
def vmap_of_while_runge_kutta(start):
    """Bogacki and Shampine's pair of order 3 and 2, whose steps follow the error, on a damped oscillator."""
    slope = lambda y: jnp.stack([y[1], -y[0] - 0.1 * y[1] * y[0] * y[0]])

    def step(state):
        y, t, h = state
        h = jnp.minimum(h, 10 - t)
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.75 * h * k2)
        there = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
        k4 = slope(there)
        error = jnp.linalg.norm(h * (-5 / 72 * k1 + 1 / 12 * k2 + 1 / 9 * k3 - 1 / 8 * k4)) / 1e-5
        good = error <= 1
        h_next = h * jnp.clip(0.9 * (error + 1e-10) ** (-1 / 3), 0.2, 5)
        return jnp.where(good, there, y), jnp.where(good, t + h, t), h_next

    solve = lambda y: lax.while_loop(lambda s: s[1] < 10, step, (jnp.stack([y, 0 * y]), 0.0, 0.1))[0]
    return jax.vmap(solve)(start)


@case(f32(100_000, low=1.0, high=9.0))
def while_newton(x):
    def more(s):
        return jnp.any(jnp.abs(s * s - x) > 1e-3)
    return lax.while_loop(more, lambda s: 0.5 * (s + x / s), x)


@case(f32(100_000, low=1.0, high=9.0))
def vmap_of_while(x):
    def root(a):
        return lax.while_loop(lambda s: jnp.abs(s * s - a) > 1e-3, lambda s: 0.5 * (s + a / s), a)
    return jax.vmap(root)(x)


@case(ROWS, np.bool_(True))
def cond_of_products(x, p):
    return lax.cond(p, lambda v: v @ v, lambda v: v.T, x)


@case(ROWS, np.int32(2))
def switch(x, i):
    return lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh, jnp.exp], x)


@case(f32(128, 64, 64))
def lax_map(xs):
    return lax.map(lambda x: jnp.tanh(x @ x.T), xs)


@case(f32(10_000), s32(10_000, high=10_000))
def updates_in_a_loop(x, order):
    return lax.fori_loop(0, 10_000, lambda i, v: v.at[order[i]].add(0.5 * v[i]), x)


@case(f32(300, 300))
def dynamic_programming(costs):
    def row(above, cost):
        def cell(left, pair):
            up, c = pair
            best = c + jnp.minimum(left, up)
            return best, best
        _, new = lax.scan(cell, 1e9, (above, cost))
        return new, new
    return lax.scan(row, jnp.zeros(300), costs)[1]


@case(f32(2, 20_000))
def ode_runge_kutta(y):
    def f(y):
        return jnp.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    def step(_, y):
        k1 = f(y)
        k2 = f(y + 0.005 * k1)
        k3 = f(y + 0.005 * k2)
        k4 = f(y + 0.01 * k3)
        return y + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return lax.fori_loop(0, 200, step, y)


@case(f32(100, 500, seed=3))
def kalman_filter(observed):
    f, q, r = jnp.array([[1.0, 1.0], [0.0, 1.0]]), 0.01 * jnp.eye(2), 0.5

    def one(zs):
        def step(state, z):
            x, p = state
            x, p = f @ x, f @ p @ f.T + q
            s = p[0, 0] + r
            k = p[:, 0] / s
            x = x + k * (z - x[0])
            p = p - jnp.outer(k, p[0])
            return (x, p), x
        return lax.scan(step, (jnp.zeros(2), jnp.eye(2)), zs)[1]
    return jax.vmap(one)(observed)


# --- indexing

@case(f32(50_000, 128), s32(4096, high=50_000))
def take_rows(table, i):
    return table[i]


@case(f32(50_000, 128), s32(4096, high=50_000))
def grad_of_take_rows(table, i):
    return jax.grad(lambda t: jnp.sum(t[i] ** 2))(table)


@case(ROWS, s32(1024, 16, high=1024))
def take_along_axis(x, i):
    return jnp.take_along_axis(x, i, axis=1)


@case(LONG, s32(1_000_000, high=1000))
def segment_sum(x, ids):
    return jax.ops.segment_sum(x, ids, num_segments=1000)


@case(LONG, s32(1_000_000, high=1_000_000))
def scatter_add(x, i):
    return jnp.zeros(1_000_000).at[i].add(x)


@case(ROWS, s32(200, high=1024), f32(200, 1024))
def scatter_rows(x, i, rows):
    return x.at[i].set(rows)


@case(ROWS, np.int32(37), np.int32(99))
def dynamic_slices(x, i, j):
    return lax.dynamic_update_slice(x, lax.dynamic_slice(x, (j, i), (256, 256)), (i, j))


@case(ROWS)
def slices_and_flips(x):
    return jnp.concatenate([x[::2, 1:-1], x[::-2, 2:]]), jnp.roll(x, (3, 5), (0, 1))


@case(ROWS)
def boolean_masks(x):
    return jnp.where(x > 0, x, 0.01 * x), jnp.sum(x > 0.5), jnp.any(x > 0.999, axis=0)


@case(ROWS)
def argmax_rows(x):
    return jnp.argmax(x, axis=1), jnp.argmin(x, axis=0)


@case(ROWS)
def lower_triangle(x):
    return jnp.tril(x), jnp.triu(x, 3), jnp.trace(x), jnp.diag(x)


@case(ROWS)
def pad_and_tile(x):
    return jnp.pad(x, ((1, 2), (3, 4))), jnp.pad(x, 2, mode="edge"), jnp.repeat(x, 2, axis=0)


# --- arithmetic

@case(ROWS, ROWS_2)
def elementwise(x, y):
    return jnp.sin(x) * jnp.exp(y) + jnp.tanh(x * y) / (1 + jnp.abs(y))


@case(ROWS)
def grad_of_elementwise(x):
    return jax.grad(lambda v: jnp.sum(jnp.sin(v) * jnp.exp(v) + jnp.tanh(v)))(x)


@case(ROWS)
def inverse_functions(x):
    return jnp.arcsin(x) + jnp.arctan(x) + jnp.arcsinh(x) + jnp.arctanh(0.9 * x) + jnp.cbrt(x)


@case(ROWS)
def erf_and_gelu(x):
    return jax.scipy.special.erf(x), jax.nn.gelu(x, approximate=False)


@case(np.abs(ROWS) + np.float32(0.1))
def gamma_functions(x):
    return jax.scipy.special.gammaln(x), jax.scipy.special.digamma(x)


@case(s32(1024, 1024, high=1 << 30), s32(1024, 1024, high=1000, seed=1))
def integers(x, y):
    return (x // (y + 1)) ^ (x << 3), x % (y + 1), lax.population_count(x)


@case(ROWS, ROWS_2)
def complex_numbers(x, y):
    z = lax.complex(x, y)
    return jnp.abs(z * z + 1), jnp.real(jnp.exp(z))


@case(ROWS)
def black_scholes(x):
    s, k, t, r, v = 100 + 10 * x, 100.0, 1.0, 0.02, 0.3
    d1 = (jnp.log(s / k) + (r + v * v / 2) * t) / (v * jnp.sqrt(t))
    cdf = jax.scipy.stats.norm.cdf
    return s * cdf(d1) - k * jnp.exp(-r * t) * cdf(d1 - v * jnp.sqrt(t))


# --- reductions and products

@case(ROWS)
def reductions(x):
    return x.sum(), x.mean(0), x.max(1), x.std(1), jnp.linalg.norm(x, axis=1)


@case(ROWS)
def cumulative(x):
    return jnp.cumsum(x, 0), jnp.cumsum(x, 1), lax.cummax(x, 1)


@case(f32(512, 512), f32(512, 512, seed=1))
def matrix_products(x, y):
    return x @ y, x.T @ y, jnp.einsum("ij,kj->ki", x, y)


@case(f32(64, 128, 64), f32(64, 64, 96))
def batched_einsum(x, y):
    return jnp.einsum("bij,bjk->kbi", x, y)


@case(f32(32, 100, 821), f32(600, 821))
def double_vmap(a, w):
    return jax.vmap(jax.vmap(lambda v: w @ v))(a)


@case(f32(2000, 64), f32(2000, 64, seed=1))
def pairwise_distances(x, y):
    return jnp.sqrt(jnp.sum((x[:, None] - y[None]) ** 2, -1))


@case(f32(2048, 3))
def n_bodies(x):
    d = x[None] - x[:, None]
    return jnp.sum(d * (jnp.sum(d * d, -1, keepdims=True) + 0.01) ** -1.5, axis=1)


@case(f32(16, 32, 32, 64), f32(3, 3, 64, 64, low=-0.1, high=0.1))
def convolution(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@case(f32(16, 32, 32, 64), f32(3, 3, 64, 64, low=-0.1, high=0.1))
def grad_of_convolution(x, w):
    dims = ("NHWC", "HWIO", "NHWC")
    f = lambda x, w: jnp.mean(lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=dims) ** 2)
    return jax.grad(f, (0, 1))(x, w)


@case(f32(8, 112, 112, 64))
def pooling(x):
    return (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"))


@case(f32(8, 56, 56, 64))
def grad_of_pooling(x):
    pool = lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return jax.grad(lambda v: jnp.sum(pool(v) ** 2))(x)


# --- networks

@case(f32(4096, 512), f32(512), f32(512, seed=1))
def layer_norm(x, g, b):
    m, v = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


@case(f32(4096, 512), f32(512), f32(512, seed=1))
def grad_of_layer_norm(x, g, b):
    def norm(x, g, b):
        m, v = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - m) * lax.rsqrt(v + 1e-5) * g + b
    return jax.grad(lambda *a: jnp.sum(jnp.sin(norm(*a))), (0, 1, 2))(x, g, b)


@case(f32(4096, 1000))
def softmax(x):
    return jax.nn.softmax(x), jax.nn.logsumexp(x, axis=1)


@case(f32(4096, 1000), s32(4096, high=1000))
def cross_entropy(x, y):
    return jax.value_and_grad(lambda v: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(v), y[:, None], 1)))(x)


@case(f32(2, 512, 8, 64), f32(2, 512, 8, 64, seed=1), f32(2, 512, 8, 64, seed=2))
def attention(q, k, v):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8.0
    s = jnp.where(jnp.tril(jnp.ones((512, 512), bool)), s, -1e30)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s), v)


@case(f32(2, 512, 8, 64), f32(2, 512, 8, 64, seed=1), f32(2, 512, 8, 64, seed=2))
def grad_of_attention(q, k, v):
    return jax.grad(lambda *a: jnp.sum(jax.nn.dot_product_attention(*a) ** 2), (0, 1, 2))(q, k, v)


@case(f32(512, 784), f32(784, 512, low=-0.05, high=0.05), f32(512, 10, low=-0.05, high=0.05), f32(512, 10))
def mlp_step(x, w1, w2, y):
    def loss(p):
        return jnp.mean((jax.nn.relu(x @ p[0]) @ p[1] - y) ** 2)
    value, g = jax.value_and_grad(loss)((w1, w2))
    return value, jax.tree.map(lambda p, d: p - 0.1 * d, (w1, w2), g)


@case(f32(2, 256, 256), f32(256, 768, low=-0.1, high=0.1), f32(256, 256, low=-0.1, high=0.1),
      f32(256, 1024, low=-0.1, high=0.1), f32(1024, 256, low=-0.1, high=0.1))
def transformer_block(x, qkv, out, up, down):
    norm = lambda v: v * lax.rsqrt(jnp.mean(v * v, -1, keepdims=True) + 1e-6)
    q, k, v = jnp.split((norm(x) @ qkv).reshape(2, 256, 4, 192), 3, axis=-1)
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8.0
    s = jnp.where(jnp.tril(jnp.ones((256, 256), bool)), s, -1e30)
    x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s), v).reshape(2, 256, 256) @ out
    return x + jax.nn.gelu(norm(x) @ up) @ down


@case(f32(2, 256, 256), f32(256, 768, low=-0.1, high=0.1), f32(256, 256, low=-0.1, high=0.1),
      f32(256, 1024, low=-0.1, high=0.1), f32(1024, 256, low=-0.1, high=0.1))
def grad_of_transformer_block(x, *weights):
    return jax.grad(lambda w: jnp.mean(transformer_block(x, *w) ** 2))(weights)


@case(f32(10_000, 6))
def hessians(x):
    return jax.vmap(jax.hessian(lambda v: jnp.sum(jnp.sin(v) * v[::-1])))(x)


@case(*(f32(10_000, 100, seed=k) for k in range(4)))
def tridiagonal(a, b, c, d):
    b = b + 5

    def one(a, b, c, d):
        def forward(carry, row):
            a, b, c, d = row
            m = b - a * carry[0]
            new = (c / m, (d - a * carry[1]) / m)
            return new, new
        _, (cs, ds) = lax.scan(forward, (0.0, 0.0), (a, b, c, d))
        return lax.scan(lambda x, row: (row[1] - row[0] * x,) * 2, 0.0, (cs, ds), reverse=True)[1]
    return jax.vmap(one)(a, b, c, d)


@case(f32(64, 64, 3), f32(5, 5))
def image_filter(image, kernel):
    padded = jnp.pad(image, ((2, 2), (2, 2), (0, 0)), mode="reflect")
    return sum(kernel[i, j] * padded[i:i + 64, j:j + 64] for i in range(5) for j in range(5))


@case(f32(1024, 1024))
def heat_steps(u):
    def step(_, u):
        around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
        return u + 0.1 * (around - 4 * u)
    return lax.fori_loop(0, 20, step, u)


# --- sorting, linear algebra, randomness

@case(LONG)
def sort(x):
    return jnp.sort(x)


@case(ROWS)
def argsort_rows(x):
    return jnp.argsort(x, axis=1)


@case(f32(1024, 1000))
def top_k(x):
    return lax.top_k(x, 10)


@case(f32(1000, 16, 16), f32(1000, 16))
def solve_batches(a, b):
    return jnp.linalg.solve(a + 4 * jnp.eye(16), b[..., None])


@case(f32(512, 512))
def cholesky(x):
    return jnp.linalg.cholesky(x @ x.T + jnp.eye(512))


@case(f32(512, 4), f32(512), f32(100, 4, seed=1), tolerance=ILL_CONDITIONED)
def gaussian_process(x, y, at):
    kernel = lambda a, b: jnp.exp(-0.5 * jnp.sum((a[:, None] - b[None]) ** 2, -1))
    factor = jax.scipy.linalg.cho_factor(kernel(x, x) + 0.1 * jnp.eye(512), lower=True)
    return kernel(at, x) @ jax.scipy.linalg.cho_solve(factor, y)


@case(np.uint32(7))
def random_uniform(seed):
    return jax.random.uniform(jax.random.key(seed), (1_000_000,))


@case(np.uint32(7))
def random_normal(seed):
    return jax.random.normal(jax.random.key(seed), (1_000_000,))


@case(ROWS)
def dropout(x):
    return jnp.where(jax.random.bernoulli(jax.random.key(3), 0.5, x.shape), x * 2, 0)
