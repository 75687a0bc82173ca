"""How a function of JAX becomes a line of the benchmark: `@case(arguments...)` above it. Arguments are NumPy's, the same in
each run. `tolerance` is the largest difference from what JAX gives, relative to the largest value."""

import functools

import numpy as np

FUNCTIONS = {}  # of 32 bits, as JAX's defaults are; name: (function, arguments, tolerance)
IN_DOUBLE = {}  # with 64 bits allowed


def register_in(table, arguments, tolerance):
    def register(function):
        name = function.__name__.replace("_", "-")
        assert name not in table, name
        table[name] = (function, arguments, tolerance)
        return function
    return register


SINGLE = 2e-5
ILL_CONDITIONED = 2e-4  # in f32 JAX's own result is as far from that in f64


def case(*arguments, tolerance=SINGLE):
    return register_in(FUNCTIONS, arguments, tolerance)


def case_in_double(*arguments):
    single = any(np.asarray(argument).dtype == np.float32 for argument in arguments)
    return register_in(IN_DOUBLE, arguments, SINGLE if single else 1e-9)


@functools.cache
def numbers(shape, seed, low, high, dtype):
    return np.random.default_rng([seed, *shape]).uniform(low, high, shape).astype(dtype)


def f32(*shape, seed=0, low=-1.0, high=1.0):
    return numbers(shape, seed, low, high, np.float32)


def f64(*shape, seed=0, low=-1.0, high=1.0):
    return numbers(shape, seed, low, high, np.float64)


def s32(*shape, high, seed=0):
    return np.random.default_rng([seed, *shape]).integers(0, high, shape).astype(np.int32)


ROWS, ROWS_2 = f32(1024, 1024), f32(1024, 1024, seed=1)  # 4 MB
LONG = f32(1_000_000)
