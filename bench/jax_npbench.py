"""The 53 kernels of the NPBench suite that it has in JAX (Ziogas et al., NPBench: a benchmarking suite for
high-performance NumPy, 2021), written anew from their formulas, in f64 and at small sizes: loops that change an array in part, as users
of JAX write them who come from NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jax_cases import case_in_double as case
from jax_cases import f64, s32


def below(n, i):
    """The places of n that are less than i."""
    return jnp.arange(n) < i


def positive_definite(n):
    a = f64(n, n)
    return a @ a.T / n + np.eye(n)


# --- products of matrices and vectors

@case(f64(400, 450), f64(400, 350, seed=1), f64(350, 450, seed=2))
def gemm(c, a, b):
    return 1.5 * a @ b + 1.2 * c


@case(f64(200, 220), f64(220, 240), f64(240, 260), f64(200, 260))
def k2mm(a, b, c, d):
    return 1.5 * a @ b @ c + 1.2 * d


@case(f64(200, 210), f64(210, 220), f64(220, 230), f64(230, 240))
def k3mm(a, b, c, d):
    return a @ b @ c @ d


@case(f64(1500, 1600), f64(1600))
def atax(a, x):
    return (a @ x) @ a


@case(f64(1500, 1600), f64(1600), f64(1500))
def bicg(a, p, r):
    return r @ a, a @ p


@case(f64(1000, 1000), *(f64(1000, seed=k) for k in range(7)))
def gemver(a, u1, v1, u2, v2, w, y, z):
    a = a + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    x = w * 0.5 + 1.2 * y @ a + z
    return a, x, w + 1.5 * a @ x


@case(f64(1000, 1000), f64(1000, 1000, seed=1), f64(1000))
def gesummv(a, b, x):
    return (1.5 * a + 1.2 * b) @ x


@case(f64(1500), f64(1500, seed=1), f64(1500, seed=2), f64(1500, seed=3), f64(1500, 1500))
def mvt(x1, x2, y1, y2, a):
    return x1 + a @ y1, x2 + y2 @ a


@case(f64(30, 35, 64), f64(64, 64))
def doitgen(a, c4):
    nr, nq, np_ = a.shape
    return a.at[:].set(jnp.reshape(jnp.reshape(a, (nr, nq, 1, np_)) @ c4, a.shape))


@case(f64(300, 300), f64(300, 350))
def trmm(a, b):
    return 1.5 * (b + jnp.triu(a, 1) @ b)


@case(f64(40, 50), f64(40, 40), f64(40, 50, seed=1))
def symm(c, a, b):
    c = 1.2 * c
    rows, columns = c.shape

    def row(i, carry):
        def column(j, carry):
            c, sums = carry
            left = jnp.where(below(rows, i), a[i, :], 0.0)
            c = lax.dynamic_update_slice(c, (c[:, j] + 1.5 * b[i, j] * left)[:, None], (0, j))
            return c, sums.at[j].set(jnp.where(below(rows, i), b[:, j], 0.0) @ left)

        c, sums = lax.fori_loop(0, columns, column, carry)
        return c.at[i, :].add(1.5 * b[i, :] * a[i, i] + 1.5 * sums), sums

    return lax.fori_loop(0, rows, row, (c, jnp.zeros(columns)))[0]


def rank_update(c, columns, update):
    """Row i of the lower triangle of c takes update(i, k) of each k."""
    n = c.shape[0]

    def row(i, c):
        c = c.at[i, :].set(jnp.where(below(n, i + 1), 1.2 * c[i, :], c[i, :]))
        add = lambda k, c: c.at[i, :].add(jnp.where(below(n, i + 1), update(i, k), 0.0))
        return lax.fori_loop(0, columns, add, c)

    return lax.fori_loop(0, n, row, c)


@case(f64(70, 70), f64(70, 50))
def syrk(c, a):
    return rank_update(c, a.shape[1], lambda i, k: 1.5 * a[i, k] * a[:, k])


@case(f64(70, 70), f64(70, 50), f64(70, 50, seed=1))
def syr2k(c, a, b):
    return rank_update(c, a.shape[1], lambda i, k: 1.5 * b[i, k] * a[:, k] + 1.5 * a[i, k] * b[:, k])


# --- decompositions

@case(positive_definite(60))
def cholesky(a):
    n = a.shape[0]

    def row(i, a):
        def column(j, a):
            both = jnp.dot(jnp.where(below(n, j), a[i, :], 0), jnp.where(below(n, j), a[j, :], 0))
            return a.at[i, j].set((a[i, j] - both) / a[j, j])

        a = lax.fori_loop(0, i, column, a)
        done = jnp.where(below(n, i), a[i, :], 0)
        return a.at[i, i].set(jnp.sqrt(a[i, i] - jnp.dot(done, done)))

    return lax.fori_loop(1, n, row, a.at[0, 0].set(jnp.sqrt(a[0, 0])))


@case(positive_definite(300))
def cholesky2(a):
    return jnp.linalg.cholesky(a) + jnp.triu(a, k=1)


def lu_of(a):
    n = a.shape[0]

    def row(i, a):
        def rest(a, j, end):
            return a[i, j] - jnp.where(below(n, end), a[i, :], 0.0) @ jnp.where(below(n, end), a[:, j], 0.0)

        a = lax.fori_loop(0, i, lambda j, a: a.at[i, j].set(rest(a, j, j) / a[j, j]), a)
        return lax.fori_loop(i, n, lambda j, a: a.at[i, j].set(rest(a, j, i)), a)

    return lax.fori_loop(0, n, row, a)


@case(positive_definite(60))
def lu(a):
    return lu_of(a)


@case(positive_definite(60), f64(60))
def ludcmp(a, b):
    n = a.shape[0]
    a = lu_of(a)

    def forward(i, y):
        return y.at[i].set(b[i] - jnp.where(below(n, i), a[i, :], 0.0) @ jnp.where(below(n, i), y, 0.0))

    y = lax.fori_loop(0, n, forward, jnp.zeros_like(b))

    def backward(t, x):
        i = n - 1 - t
        after = jnp.arange(n) > i
        return x.at[i].set((y[i] - jnp.where(after, a[i, :], 0.0) @ jnp.where(after, x, 0.0)) / a[i, i])

    return lax.fori_loop(0, n, backward, jnp.zeros_like(b)), y


@case(f64(70, 60))
def gramschmidt(a):
    m, n = a.shape

    def column(k, carry):
        q, r, a = carry
        norm = jnp.sqrt(jnp.dot(a[:, k], a[:, k]))
        r = r.at[k, k].set(norm)
        q = q.at[:, k].set(a[:, k] / norm)

        def others(j, carry):
            q, r, a = carry
            r = r.at[k, j].set(jnp.dot(q[:, k], a[:, j]))
            return q, r, a.at[:, j].add(-q[:, k] * r[k, j])

        return lax.fori_loop(k + 1, n, others, (q, r, a))

    return lax.fori_loop(0, n, column, (jnp.zeros_like(a), jnp.zeros((n, n)), a))[:2]


@case(f64(400, 400) / 400 + np.eye(400), f64(400))
def trisolv(l, b):
    n = b.shape[0]

    def row(i, x):
        return x.at[i].set((b[i] - jnp.sum(jnp.where(below(n, i), l[i, :] * x, 0.0))) / l[i, i])

    return lax.fori_loop(0, n, row, jnp.zeros_like(b))


@case(f64(400, low=-0.01, high=0.01))
def durbin(r):
    n = r.shape[0]

    def step(k, carry):
        alpha, beta, y = carry
        beta = beta * (1.0 - alpha * alpha)
        known = below(n, k)
        alpha = -(r[k] + jnp.sum(jnp.where(known, y * jnp.roll(jnp.flip(r), [k], 0), 0.0))) / beta
        y = y + jnp.where(known, jnp.roll(jnp.flip(y), [k], 0) * alpha, 0.0)
        return alpha, beta, y.at[k].set(alpha)

    return lax.fori_loop(1, n, step, (-r[0], 1.0, jnp.zeros_like(r).at[0].set(-r[0])))[2]


# --- data

@case(f64(600, 500))
def correlation(data):
    spread = jnp.std(data, axis=0)
    spread = jnp.where(spread <= 0.1, 1.0, spread)
    data = (data - jnp.mean(data, axis=0)) / (jnp.sqrt(600.0) * spread)
    return lax.fori_loop(0, 500, lambda i, c: c.at[i, i].set(1.0), jnp.dot(data.T, data))


@case(f64(600, 500))
def covariance(data):
    data = data - jnp.mean(data, axis=0)
    return data.T @ data / 599.0


@case(f64(400_000), f64(400_000, low=0.0, seed=1))
def azimint_hist(data, radius):
    return jnp.histogram(radius, 1000, weights=data)[0] / jnp.histogram(radius, 1000)[0]


@case(f64(40_000), f64(40_000, low=0.0, seed=1))
def azimint_naive(data, radius):
    largest = radius.max()

    def bin_of(i, result):
        inside = (largest * i / 100 <= radius) & (radius < largest * (i + 1) / 100)
        return result.at[i].set(jnp.where(inside, data, 0).mean(where=inside))

    return lax.fori_loop(0, 100, bin_of, jnp.zeros(100))


@case(s32(600, 600, high=1000), s32(600, 600, high=1000, seed=1))
def compute(x, y):
    return jnp.clip(x, 2, 10) * 4 + y * 3 + 9


@case(*(f64(100_000, seed=k) for k in range(4)))
def arc_distance(theta_1, phi_1, theta_2, phi_2):
    half = jnp.sin((theta_2 - theta_1) / 2) ** 2
    half = half + jnp.cos(theta_1) * jnp.cos(theta_2) * jnp.sin((phi_2 - phi_1) / 2) ** 2
    return 2 * jnp.arctan2(jnp.sqrt(half), jnp.sqrt(1 - half))


@case(f64(1000, 1000))
def go_fast(a):
    return a + lax.fori_loop(0, a.shape[0], lambda i, t: t + jnp.tanh(a[i, i]), 0.0)


@case(s32(1600, high=256))
def crc16(data):
    def byte(crc, b):
        def bit(carry, _):
            crc, b = carry
            odd = (crc & 1) ^ (b & 1)
            return (jnp.where(odd == 1, (crc >> 1) ^ 0x8408, crc >> 1), b >> 1), None

        return lax.scan(bit, (crc, b & 0xFF), jnp.arange(8))[0][0], None

    crc = ~lax.scan(byte, jnp.int32(0xFFFF), data)[0] & 0xFFFF
    return ((crc << 8) | ((crc >> 8) & 0xFF)) & 0xFFFF


ROW_STARTS = np.linspace(0, 4096, 513).astype(np.int32)


@case(ROW_STARTS, s32(4096, high=512), f64(4096), f64(512))
def spmv(starts, columns, values, x):
    def row(i, y):
        own = (jnp.arange(columns.size) >= starts[i]) & (jnp.arange(columns.size) < starts[i + 1])
        return y.at[i].set(jnp.where(own, values, 0) @ x[jnp.where(own, columns, 0)])

    return lax.fori_loop(0, 512, row, jnp.zeros(512))


@case(s32(60, high=4))
def nussinov(sequence):
    n = sequence.shape[0]

    def row(t, table):
        i = n - 1 - t

        def column(j, table):
            inside = i + 1 < n
            pair = jnp.where(i < j - 1, jnp.where(sequence[i] + sequence[j] == 3, 1, 0), 0)
            best = jnp.maximum(table[i, j], table[i, j - 1])
            best = jnp.where(inside, jnp.maximum(best, table[i + 1, j]), best)
            best = jnp.where(inside, jnp.maximum(best, table[i + 1, j - 1] + pair), best)
            split = lambda k, table: table.at[i, j].set(jnp.maximum(table[i, j], table[i, k] + table[k + 1, j]))
            return lax.fori_loop(i + 1, j, split, table.at[i, j].set(best))

        return lax.fori_loop(i + 1, n, column, table)

    return lax.fori_loop(0, n, row, jnp.zeros((n, n), jnp.int32))


@case(s32(200, 200, high=1000))
def floyd_warshall(path):
    closer = lambda k, path: path.at[:].set(jnp.minimum(path, jnp.add.outer(path[:, k], path[k, :])))
    return lax.fori_loop(0, path.shape[0], closer, path)


# --- complex numbers

PLANE = np.linspace(-2.0, 0.5, 125), np.linspace(-1.25, 1.25, 125)


@case(*PLANE)
def mandelbrot1(x, y):
    c = x + y[:, None] * 1j

    def step(n, state):
        z, count = state
        inside = jnp.abs(z) < 2.0
        return jnp.where(inside, z ** 2 + c, z), jnp.where(inside, n, count)

    count = lax.fori_loop(0, 40, step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int64)))[1]
    return jnp.where(count == 39, 0, count)


@case(*PLANE)
def mandelbrot2(x, y):
    c = (x + y[:, None] * 1j).reshape(-1)

    def step(i, state):
        z, count, left, inside = state
        z = z * z + c
        now = (jnp.abs(z) > 2.0) & inside
        inside = inside & ~now
        return jnp.where(inside, z, 0), jnp.where(now, i + 1, count), jnp.where(now, z, left), inside

    start = (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int64), jnp.zeros_like(c), jnp.ones(c.shape, bool))
    _, count, left, _ = lax.fori_loop(0, 40, step, start)
    return left.reshape(125, 125).T, count.reshape(125, 125).T


@case(f64(1024), f64(1024, seed=1))
def stockham_fft(re, im):
    radix, steps = 4, 5
    y = lax.complex(re, im)
    n = y.shape[0]
    i, j = jnp.mgrid[0:radix, 0:radix]
    butterfly = jnp.exp(-2.0j * jnp.pi * i * j / radix)
    ii, jj = jnp.mgrid[0:radix, 0:radix ** steps]
    for k in range(steps):
        before, after = radix ** k, radix ** (steps - k - 1)
        permuted = jnp.transpose(jnp.reshape(y, (before, radix, after)), (1, 0, 2))
        twiddles = jnp.exp(-2.0j * jnp.pi * ii[:, :before] * jj[:, :before] / radix ** (k + 1))
        twiddles = jnp.repeat(jnp.reshape(twiddles, (radix, before, 1)), after, axis=2)
        y = jnp.reshape(butterfly @ jnp.reshape(permuted.reshape(n) * twiddles.reshape(n), (radix, n // radix)), (n,))
    return y


@case(f64(3, 50, 50), f64(3, 50, 50, seed=1), f64(32, low=0.5, high=1.5), f64(32, low=0.0, high=6.0), f64(50, 20))
def contour_integral(re, im, radius, angle, y):
    hamiltonian = lax.complex(re, im)
    points = radius * jnp.exp(1j * angle)

    def point(i, sums):
        z = points[i]
        add = lambda n, t: t + jnp.power(z, 1.0 - n) * hamiltonian[n]
        t = lax.fori_loop(0, 3, add, jnp.zeros((50, 50), jnp.complex128)) + 20 * jnp.eye(50)
        x = lax.cond(jnp.abs(z) < 1.0, lambda x: -x, lambda x: x, jnp.linalg.solve(t, y.astype(jnp.complex128)))
        return sums[0] + x, sums[1] + z * x

    return lax.fori_loop(0, 32, point, (jnp.zeros((50, 20), jnp.complex128),) * 2)


@case(s32(6, 4, high=6), f64(6, 4, 3, 5, 5), f64(3, 8, 6, 5, 5), f64(3, 3, 6, 4, 3, 3))
def scattering_self_energies(neighbours, dh, g, d):
    g, dh, d = g + 0.5j * g[::-1], dh + 0.5j * dh[::-1], d + 0.5j * d[::-1]
    k, e = jnp.arange(3), jnp.arange(8)
    spans = (k, e, jnp.arange(3), jnp.arange(3), jnp.arange(6), jnp.arange(4), jnp.arange(3), jnp.arange(3))
    places = jnp.stack([x.ravel() for x in jnp.meshgrid(*spans, indexing="ij")], axis=1)

    def one(sigma, place):
        k, e, q, w, a, b, i, j = place
        left = g[k, e - w, neighbours[a, b]] @ dh[a, b, i]
        right = dh[a, b, j] * d[q, w, a, b, i, j]
        return sigma.at[k, e, a].add(jnp.where(e >= w, left @ right, 0.0)), None

    return lax.scan(one, jnp.zeros_like(g), places)[0]
