"""Functions of JAX's library that jax_functions.py has not: jax.numpy, lax, jax.random, jax.nn and jax.scipy."""

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import jax.scipy.optimize  # noqa: F401
import jax.scipy.sparse.linalg  # noqa: F401
import numpy as np
from jax import lax

from jax_cases import ILL_CONDITIONED, LONG, ROWS, ROWS_2, case, f32, s32


# --- jax.numpy

@case(f32(200_000), f32(1000), tolerance=ILL_CONDITIONED)
def interp(x, table):
    return jnp.interp(x, jnp.linspace(-1.0, 1.0, 1000), table)


@case(LONG, np.sort(f32(1000)))
def searchsorted(x, edges):
    return jnp.searchsorted(edges, x), jnp.digitize(x[:1000], edges)


@case(f32(300_000))
def histogram(x):
    return jnp.histogram(x, bins=100, range=(-1.0, 1.0))


@case(s32(1_000_000, high=5000))
def bincount(x):
    return jnp.bincount(x, length=5000)


@case(f32(1000, 301))
def quantiles(x):
    return jnp.median(x, axis=1), jnp.quantile(x, jnp.array([0.1, 0.25, 0.9]), axis=1), jnp.percentile(x, 30.0, axis=0)


@case(s32(20_000, high=500))
def unique(x):
    return jnp.unique(x, return_counts=True, size=500, fill_value=-1)


@case(f32(100_000))
def nonzero(x):
    return jnp.nonzero(x > 0.9, size=10_000, fill_value=0)[0], jnp.argwhere(x[:1000] > 0, size=800)


@case(s32(100_000, high=50_000), s32(1000, high=50_000, seed=1))
def isin(x, few):
    return jnp.isin(x, few)


@case(f32(300, 1000))
def cov_and_corrcoef(x):
    return jnp.cov(x), jnp.corrcoef(x)


@case(f32(20_000), f32(65))
def convolve(x, w):
    return jnp.convolve(x, w), jnp.correlate(x, w, mode="same")


@case(f32(100_000, 3), f32(100_000, 3, seed=1))
def cross(x, y):
    return jnp.cross(x, y)


@case(f32(40, 30), f32(25, 40))
def kron(x, y):
    return jnp.kron(x, y)


@case(ROWS)
def gradient_and_diff(x):
    return *jnp.gradient(x), jnp.diff(x, n=2, axis=1), jnp.unwrap(10 * x, axis=1)


@case(np.where(ROWS > 0.9, np.float32(np.nan), ROWS))
def of_nans(x):
    return jnp.nanmean(x, 0), jnp.nanstd(x, 1), jnp.nanmax(x), jnp.nansum(x, 1), jnp.nanargmin(x, 1), jnp.nan_to_num(x)


@case(f32(2000), f32(8))
def polynomials(x, c):
    return jnp.polyval(c, x), jnp.polyder(c), jnp.polymul(c, c), jnp.vander(x, 8)


@case(f32(500), f32(500, seed=1))
def polyfit(x, y):
    return jnp.polyfit(x, y, 3)


@case(ROWS)
def piecewise(x):
    return jnp.select([x < -0.5, x < 0, x < 0.5], [x * 2, jnp.sin(x), jnp.sqrt(x)], -x), jnp.piecewise(
        x[0], [x[0] < 0, x[0] >= 0.5], [lambda v: -v, lambda v: v * v, 0.0])


@case(ROWS)
def sums_with_conditions(x):
    return jnp.mean(x, axis=0, where=x > 0), jnp.sum(x, where=x < 0.3), jnp.max(x, axis=1, initial=-2.0, where=x < 0), jnp.ptp(x, 0)


@case(s32(1024, 256, high=2))
def packed_bits(x):
    packed = jnp.packbits(x.astype(bool), axis=1)
    return packed, jnp.unpackbits(packed, axis=1)


@case(s32(400_000, high=2 ** 30))
def bits_of_integers(x):
    return lax.clz(x), lax.shift_right_logical(x, 5), jnp.gcd(x, 36), jnp.bitwise_xor(x, jnp.left_shift(x, 13))


@case(ROWS, ROWS_2)
def of_floats(x, y):
    return jnp.frexp(x), jnp.ldexp(x, 3), jnp.nextafter(x, y), jnp.copysign(x, y), jnp.fmod(x, y), jnp.hypot(x, y), jnp.logaddexp(x, y)


@case(f32(64, 64, 16))
def moved_axes(x):
    y = jnp.moveaxis(x, 0, 2)
    return jnp.rot90(y), jnp.swapaxes(y, 0, 1), jnp.fliplr(x), jnp.broadcast_to(x[None], (3, *x.shape)).reshape(-1, 16)


@case(f32(50, 60), f32(60, 70), f32(70, 80), f32(80, 30))
def multi_dot(a, b, c, d):
    return jnp.linalg.multi_dot([a, b, c, d]), jnp.einsum("ij,jk,kl->il", a, b, c)


# --- jax.numpy.linalg and fft

@case(f32(200, 200), tolerance=ILL_CONDITIONED)
def svd(x):
    return jnp.linalg.svd(x, compute_uv=False), jnp.linalg.norm(x, "nuc"), jnp.linalg.cond(x + 2 * jnp.eye(200))


@case(f32(150, 150), tolerance=ILL_CONDITIONED)
def eigh(x):
    w, v = jnp.linalg.eigh(x + x.T)
    return w, jnp.abs(v)


@case(f32(200, 8), f32(200))
def lstsq(a, b):
    return jnp.linalg.lstsq(a, b)[0], jnp.linalg.pinv(a)


@case(f32(2000, 3, 3), f32(2000, 3))
def small_systems(a, b):
    a = a + 3 * jnp.eye(3)
    return jnp.linalg.det(a), jnp.linalg.inv(a), jnp.linalg.solve(a, b[..., None])


@case(f32(100, 100))
def grad_of_slogdet(x):
    return jax.grad(lambda x: jnp.linalg.slogdet(x @ x.T + jnp.eye(100))[1])(x)


@case(f32(300, 100))
def qr(x):
    q, r = jnp.linalg.qr(x)
    return q @ r, jnp.abs(jnp.diagonal(r))


@case(f32(128, 128), f32(16, 4096))
def fourier(x, y):
    return jnp.fft.fft2(x), jnp.fft.irfft(jnp.fft.rfft(y) * 0.5), jnp.fft.fftshift(jnp.fft.fftfreq(4096))


# --- lax

@case(f32(8, 32, 32, 32), f32(3, 3, 1, 32), f32(4, 4, 32, 16, low=-0.1, high=0.1))
def convolutions_of_other_kinds(x, depthwise, up):
    dims = ("NHWC", "HWIO", "NHWC")
    return (lax.conv_general_dilated(x, depthwise, (1, 1), "SAME", dimension_numbers=dims, feature_group_count=32, rhs_dilation=(2, 2)),
            lax.conv_transpose(x, up, (2, 2), "SAME", dimension_numbers=dims))


@case(s32(100_000, high=100), f32(100_000))
def sort_by_key(keys, values):
    return lax.sort((keys, values), num_keys=1), jnp.lexsort((values[:10_000], keys[:10_000]))


@case(ROWS)
def other_running_totals(x):
    return lax.cumprod(1 + x / 64, 1), lax.cumlogsumexp(x, 1), lax.cummin(x, 0, reverse=True)


@case(ROWS, s32(1024, 1024, high=1 << 20))
def reductions_of_pairs(x, i):
    def better(a, b):
        take = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
        return jnp.where(take, a[0], b[0]), jnp.where(take, a[1], b[1])
    return lax.reduce((x, i), (-jnp.inf, jnp.int32(0)), better, (1,))


@case(f32(2048, 64), s32(500, high=2000))
def gather_of_windows(x, starts):
    return jax.vmap(lambda i: lax.dynamic_slice(x, (i, 0), (16, 64)))(starts).sum(1)


@case(f32(2000), s32(300, high=1990), f32(300, 8))
def scatter_of_windows(x, starts, windows):
    def one(x, pair):
        i, w = pair
        return lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i,), (8,)) + w, (i,)), None
    return lax.scan(one, x, (starts, windows))[0]


@case(f32(2000), f32(2000, low=0.5, high=2.0))
def custom_derivatives(x, y):
    @jax.custom_vjp
    def clipped(v):
        return v

    clipped.defvjp(lambda v: (v, None), lambda _, g: (jnp.clip(g, -0.5, 0.5),))

    @jax.custom_jvp
    def log1pexp(v):
        return jnp.log1p(jnp.exp(v))

    log1pexp.defjvps(lambda t, ans, v: (1 - jnp.exp(-ans)) * t)
    return jax.grad(lambda v: jnp.sum(log1pexp(clipped(v * y) * 3)))(x)


@case(f32(64, 256), f32(8, 256, 256, low=-0.1, high=0.1))
def grad_of_checkpointed_layers(x, ws):
    layer = jax.checkpoint(lambda x, w: (jnp.tanh(x @ w) + x, None))
    return jax.grad(lambda ws: jnp.mean(lax.scan(layer, x, ws)[0] ** 2))(ws)


@case(f32(500, 500) / 500, f32(500))
def conjugate_gradients(a, b):
    matrix = a @ a.T + jnp.eye(500)
    return jsp.sparse.linalg.cg(lambda v: matrix @ v, b, tol=1e-6, maxiter=50)[0]


@case(f32(1000, low=0.5, high=2.0))
def implicit_root(a):
    newton = lambda f, x: lax.fori_loop(0, 8, lambda _, x: x - f(x) / jax.jvp(f, (x,), (jnp.ones_like(x),))[1], x)
    linear = lambda g, y: y / g(jnp.ones_like(y))
    root = lambda a: lax.custom_root(lambda x: x ** 3 - a, jnp.ones_like(a), newton, linear)
    return root(a), jax.grad(lambda a: jnp.sum(root(a)))(a)


# --- jax.random

KEY = np.uint32(11)


@case(KEY)
def random_of_other_laws(seed):
    keys = jax.random.split(jax.random.key(seed), 6)
    n = (50_000,)
    return (jax.random.exponential(keys[0], n), jax.random.gumbel(keys[1], n), jax.random.laplace(keys[2], n),
            jax.random.truncated_normal(keys[3], -1.0, 2.0, n), jax.random.cauchy(keys[4], n), jax.random.logistic(keys[5], n))


@case(KEY)
def random_integers(seed):
    key = jax.random.key(seed)
    return jax.random.randint(key, (200_000,), -50, 1000), jax.random.bits(key, (1000,), jnp.uint8), jax.random.bernoulli(key, 0.3, (5000,))


@case(KEY, f32(20_000))
def random_permutation(seed, x):
    key = jax.random.key(seed)
    return jax.random.permutation(key, x), jax.random.choice(key, x, (500,), replace=False), jax.random.choice(key, x, (500,))


@case(KEY, f32(2000, 50))
def random_categorical(seed, logits):
    return jax.random.categorical(jax.random.key(seed), logits)


@case(KEY)
def random_gamma(seed):
    return jax.random.gamma(jax.random.key(seed), 2.5, (5000,))


@case(KEY, f32(2000, low=0.5, high=3.0), f32(2000, low=0.5, high=3.0, seed=1))
def random_beta(seed, a, b):
    return jax.random.beta(jax.random.key(seed), a, b)


@case(KEY, f32(5000, low=0.5, high=30.0))
def random_poisson(seed, rate):
    return jax.random.poisson(jax.random.key(seed), rate)


@case(KEY, f32(16, 16))
def random_multivariate_normal(seed, a):
    return jax.random.multivariate_normal(jax.random.key(seed), jnp.zeros(16), a @ a.T + jnp.eye(16), (1000,))


@case(KEY, f32(256))
def random_walk(seed, x):
    def step(x, key):
        x = x + 0.1 * jax.random.normal(key, x.shape)
        return x, x.mean()
    return lax.scan(step, x, jax.random.split(jax.random.key(seed), 200))


@case(KEY, f32(256, 2))
def metropolis(seed, x):
    def step(carry, key):
        x, p = carry
        k1, k2 = jax.random.split(key)
        new = x + 0.5 * jax.random.normal(k1, x.shape)
        q = -0.5 * jnp.sum(new ** 2, -1)
        accept = jnp.log(jax.random.uniform(k2, p.shape)) < q - p
        return (jnp.where(accept[:, None], new, x), jnp.where(accept, q, p)), accept.mean()
    return lax.scan(step, (x, -0.5 * jnp.sum(x ** 2, -1)), jax.random.split(jax.random.key(seed), 100))[1]


# --- jax.nn

@case(ROWS)
def activations(x):
    nn = jax.nn
    return sum(f(4 * x) for f in (nn.relu6, nn.softplus, nn.elu, nn.selu, nn.celu, nn.silu, nn.mish, nn.hard_swish, nn.log_sigmoid,
                                  nn.soft_sign, nn.hard_tanh, nn.squareplus)), nn.glu(x)


@case(ROWS)
def grad_of_activations(x):
    nn = jax.nn
    return jax.grad(lambda x: jnp.sum(nn.gelu(x) + nn.softplus(x) * nn.silu(x) + nn.elu(x) + nn.mish(x)))(x)


@case(f32(32, 16, 16, 64), f32(64), f32(64, seed=1))
def grad_of_batch_norm(x, scale, shift):
    def loss(x, scale, shift):
        m, v = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return jnp.sum(jnp.sin((x - m) * lax.rsqrt(v + 1e-5) * scale + shift))
    return jax.grad(loss, (0, 1, 2))(x, scale, shift)


@case(f32(16, 32, 32, 32))
def group_norm(x):
    y = x.reshape(16, 32, 32, 4, 8)
    return jax.nn.standardize(y, axis=(1, 2, 4)).reshape(x.shape)


@case(f32(5000, 64), s32(16, 128, high=5000), f32(64, 64))
def grad_of_embedding(table, words, w):
    def loss(table):
        h = jnp.tanh(table[words] @ w)
        return -jnp.mean(jax.nn.log_softmax(h)[..., 0]) + jnp.mean(jax.nn.one_hot(words[0], 64) @ w)
    return jax.grad(loss)(table)


@case(f32(64, 128, low=-0.1, high=0.1), f32(32, 64, 64), f32(64, 256, low=-0.1, high=0.1))
def lstm(w, xs, u):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ u + jnp.concatenate([h @ w, h @ w], -1), 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(step, (jnp.zeros((64, 64)),) * 2, xs)[1]


@case(f32(64, 100), *(f32(n, m, low=-0.1, high=0.1) for n, m in ((100, 128), (128, 10))), s32(64, high=10))
def adam_steps(x, w1, w2, y):
    def loss(p):
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(jax.nn.relu(x @ p[0]) @ p[1]), y[:, None], 1))

    def step(state, t):
        p, m, v = state
        value, g = jax.value_and_grad(loss)(p)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        p = jax.tree.map(lambda p, m, v: p - 0.01 * m / (1 - 0.9 ** t) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8), p, m, v)
        return (p, m, v), value

    zero = jax.tree.map(jnp.zeros_like, (w1, w2))
    return lax.scan(step, ((w1, w2), zero, zero), jnp.arange(1.0, 21.0))[1]


# --- jax.scipy

@case(f32(20_000, low=0.1, high=5.0), f32(20_000, low=0.05, high=0.95))
def special_functions(a, x):
    s = jsp.special
    return s.gammainc(a, 3 * x), s.gammaincc(a, 3 * x), s.betainc(a, 2.0, x), s.i0e(a), s.i1e(a), s.zeta(a + 1.5, x), s.polygamma(2, a)


@case(f32(200_000, low=0.01, high=0.99))
def more_special_functions(x):
    s = jsp.special
    return s.ndtri(x), s.entr(x), s.logit(x), s.xlogy(x, x), s.erfcx(x) if hasattr(s, "erfcx") else s.erfc(x), s.log_ndtr(-3 * x), s.erfinv(x)


@case(f32(20_000, low=0.05, high=0.95))
def distributions(x):
    s = jsp.stats
    return (s.norm.logpdf(x), s.gamma.logpdf(x, 2.0), s.beta.logpdf(x, 2.0, 3.0), s.t.logpdf(x, 5.0), s.laplace.cdf(x),
            s.beta.cdf(x, 2.0, 3.0), s.chi2.logpdf(x, 3.0), s.norm.ppf(x), s.logistic.sf(x))


@case(f32(500, 8), f32(8, 8))
def multivariate_normal(x, a):
    return jsp.stats.multivariate_normal.logpdf(x, jnp.zeros(8), a @ a.T + jnp.eye(8))


@case(f32(1000), f32(500, seed=1))
def kernel_density(points, at):
    return jsp.stats.gaussian_kde(points)(at)


@case(f32(128, 128), f32(7, 7), f32(8192))
def signals(image, kernel, x):
    return (jsp.signal.convolve2d(image, kernel, mode="same"), jsp.signal.fftconvolve(x, x[:500]),
            jsp.signal.detrend(x), jsp.signal.welch(x)[1])


@case(f32(64, 64))
def matrix_exponential(x):
    return jsp.linalg.expm(0.1 * x)


@case(f32(128, 128), f32(128, 16))
def triangular_systems(a, b):
    a = a / 16 + jnp.eye(128)
    return jsp.linalg.solve_triangular(a, b, lower=True), jsp.linalg.solve_triangular(a, b, trans=1), jsp.linalg.block_diag(a[:3, :3], b[:2])


@case(f32(100, 100), f32(2, 20_000, low=0.0, high=99.0))
def map_coordinates(image, at):
    return jsp.ndimage.map_coordinates(image, at, order=1, mode="nearest")


@case(f32(32, 32, 3))
def resized_image(image):
    return jax.image.resize(image, (80, 80, 3), "bilinear"), jax.image.resize(image, (20, 20, 3), "cubic")


@case(f32(512, 64))
def cosine_transform(x):
    return jsp.fft.dct(x), jsp.fft.idct(x)


@case(f32(10, low=-0.5, high=0.5))
def bfgs(start):
    def rosenbrock(x):
        return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    return jsp.optimize.minimize(rosenbrock, start, method="BFGS", options={"maxiter": 10}).fun


@case(f32(1000, 2), f32(16, 2, seed=1))
def k_means(points, centres):
    def step(_, c):
        nearest = jnp.argmin(jnp.sum((points[:, None] - c[None]) ** 2, -1), 1)
        total = jax.ops.segment_sum(points, nearest, 16)
        return total / jnp.maximum(jax.ops.segment_sum(jnp.ones(1000), nearest, 16), 1)[:, None]
    return lax.fori_loop(0, 10, step, centres)


@case(f32(2000))
def integrals(y):
    return jsp.integrate.trapezoid(y, dx=0.1), jnp.trapezoid(y ** 2, jnp.linspace(0.0, 1.0, 2000))


@case(f32(40, 30), f32(5000, 2, low=0.0, high=1.0))
def grid_interpolation(values, at):
    axes = (jnp.linspace(0.0, 1.0, 40), jnp.linspace(0.0, 1.0, 30))
    return jsp.interpolate.RegularGridInterpolator(axes, values)(at)


@case(f32(512, 8), f32(8, 8, seed=1))
def mixture_of_gaussians(x, means):
    def step(carry, _):
        means, weights = carry
        logs = jnp.log(weights) - 0.5 * jnp.sum((x[:, None] - means[None]) ** 2, -1)
        r = jax.nn.softmax(logs, axis=1)
        total = r.sum(0)
        return ((r.T @ x) / total[:, None], total / 512), jsp.special.logsumexp(logs, axis=1).mean()
    return lax.scan(step, (means, jnp.full(8, 0.125)), None, length=20)[1]
