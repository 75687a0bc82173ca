"""Single operations at large sizes, as users of JAX call them: sorts, random numbers, factors, sums into slots; and programs whose
compilation is the question. `floors.py` says how far ahead of JAX each has to be."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jax_cases import ILL_CONDITIONED, SINGLE, f32, numbers, register_in, s32

OPERATIONS = {}  # name: (function, arguments, tolerance)
BY_NUMPY = {}  # of those that XLA does not compile in two minutes: the same in NumPy, of the arguments


def case(*arguments, tolerance=SINGLE):
    return register_in(OPERATIONS, arguments, tolerance)


MILLION = 1_000_000
KEYS = f32(MILLION)


# --- order

@case(f32(5 * MILLION))
def sort_5m(x):
    return jnp.sort(x)


@case(KEYS)
def argsort_1m(x):
    return jnp.argsort(x)


@case(f32(1000, 1000))
def sort_rows(x):
    return jnp.sort(x, axis=1)


@case(KEYS, f32(MILLION, seed=1))
def sort_pairs_1m(keys, values):
    return lax.sort((keys, values), num_keys=1)


# --- random numbers

@case(np.uint32(7))
def normal_10m(seed):
    return jax.random.normal(jax.random.key(seed), (10 * MILLION,))


@case(np.uint32(7), f32(10 * MILLION))
def add_noise(seed, x):
    return x + 0.1 * jax.random.normal(jax.random.key(seed), x.shape)


@case(np.uint32(7), f32(8192, 4096))
def dropout(seed, x):
    return jnp.where(jax.random.bernoulli(jax.random.key(seed), 0.9, x.shape), x / 0.9, 0)


# --- factors and solutions

def well_conditioned(*shape):
    """Symmetric matrices with eigenvalues near the number of rows."""
    a = numbers(shape, 0, -1.0, 1.0, np.float32)
    return (a + np.swapaxes(a, -1, -2)) / 2 + shape[-1] * np.eye(shape[-1], dtype=np.float32)


@case(well_conditioned(1000, 1000))
def cholesky_1000(a):
    return jnp.linalg.cholesky(a)


@case(well_conditioned(1000, 1000), f32(1000))
def solve_1000(a, b):
    return jnp.linalg.solve(a, b)


@case(well_conditioned(10_000, 4, 4))
def cholesky_10000x4(a):
    return jnp.linalg.cholesky(a)


@case(well_conditioned(10_000, 4, 4), f32(10_000, 4, 1))
def solve_10000x4(a, b):
    return jnp.linalg.solve(a, b)


@case(well_conditioned(1000, 16, 16))
def cholesky_1000x16(a):
    return jnp.linalg.cholesky(a)


@case(well_conditioned(1000, 16, 16), f32(1000, 16, 1))
def solve_1000x16(a, b):
    return jnp.linalg.solve(a, b)


@case(f32(512, 4), f32(512), f32(6, low=0.5), tolerance=ILL_CONDITIONED)
def gaussian_process_grad(x, y, hyper):
    """The log likelihood of 512 points and its gradient in scales, amplitude and noise."""
    def likelihood(hyper):
        scaled = x / hyper[:4]
        distances = jnp.sum((scaled[:, None] - scaled[None]) ** 2, -1)
        factor = jnp.linalg.cholesky(hyper[4] * jnp.exp(-0.5 * distances) + hyper[5] * jnp.eye(512))
        white = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
        return -0.5 * white @ white - jnp.log(jnp.diagonal(factor)).sum()
    return jax.value_and_grad(likelihood)(hyper)


# --- sums into slots

@case(KEYS, np.zeros(MILLION, np.int32), tolerance=1e-4)
def scatter_add_1(values, slots):
    return jnp.zeros(1).at[slots].add(values)


@case(KEYS, s32(MILLION, high=1000))
def scatter_add_1000(values, slots):
    return jnp.zeros(1000).at[slots].add(values)


@case(KEYS, s32(MILLION, high=MILLION))
def scatter_add_1m(values, slots):
    return jnp.zeros(MILLION).at[slots].add(values)


@case(f32(32_000, 256), s32(8, 512, high=32_000), f32(8, 512, 256, seed=1))
def embedding_grad(table, tokens, target):
    return jax.value_and_grad(lambda table: jnp.mean((table[tokens] - target) ** 2))(table)


@case(f32(10_000, 16), tolerance=ILL_CONDITIONED)
def nearest_neighbours(points):
    """The distances of each point to the ten nearest ones, itself among them."""
    norms = jnp.sum(points * points, 1)
    squares = norms[:, None] - 2 * points @ points.T + norms[None]
    return -lax.top_k(-squares, 10)[0]


@case(f32(MILLION + 3))
def sum_of_rolls(x):
    return jnp.stack([jnp.roll(x, i) for i in range(32)]).sum(0)


# --- compilation

@case(f32(4000, 50))
def concatenate_4000(x):
    return jnp.concatenate([x[i] * (1 + i / 4000) for i in range(4000)])


BY_NUMPY["concatenate-4000"] = lambda x: np.concatenate([x[i] * np.float32(1 + i / 4000) for i in range(4000)])


@case(f32(64))
def bitonic_sort_64(x):
    """Steps of a network that takes elements at constant indices."""
    places = np.arange(64)
    for size in (2, 4, 8, 16, 32, 64):
        step = size // 2
        while step > 0:
            other = x[places ^ step]
            rises = ((places & size) == 0) == ((places & step) == 0)
            x = jnp.where(rises, jnp.minimum(x, other), jnp.maximum(x, other))
            step //= 2
    return x


@case(f32(1, MILLION + 3, 1), f32(9, 1, 1, seed=1))
def strided_convolution_grad(x, w):
    def loss(x, w):
        y = lax.conv_general_dilated(x, w, (4,), "VALID", dimension_numbers=("NWC", "WIO", "NWC"))
        return jnp.mean(y * y)
    return jax.grad(loss, (0, 1))(x, w)


def many_operations(xp, x, y):
    unary = [xp.sin, xp.cos, xp.tanh, lambda v: 1 / (1 + xp.exp(-v)), xp.abs, xp.square, xp.arctan, xp.sign, xp.floor]
    binary = [xp.add, xp.subtract, xp.multiply, xp.maximum, xp.minimum, xp.hypot]
    rng = np.random.default_rng(3)
    made = [x, y]
    while len(made) < 420:
        a, b = (made[-1 - int(rng.integers(min(len(made), 40)))] for _ in range(2))
        bent = binary[rng.integers(len(binary))](unary[rng.integers(len(unary))](a), b)
        made.append(xp.clip(bent, -2.0, 2.0) * np.float32(rng.uniform(0.5, 1)))
    return sum(made[-40:])


@case(f32(128), f32(128, low=0.5, seed=1), tolerance=1e-3)
def operations_2000(x, y):
    """Some 2000 operations besides broadcasts, each another function of other operands and with another number."""
    return many_operations(jnp, x, y)


BY_NUMPY["operations-2000"] = lambda x, y: many_operations(np, x.astype(np.float64), y.astype(np.float64))
