#!/usr/bin/env python3
"""Writes jax_random.txt: random numbers by JAX, of the keys and shapes of random_test.cc.

    python3 jax_random.py > jax_random.txt      (needs jax from PyPI)

A line is a name, the dtype, the shape and the elements; random_test.cc has a function for each name.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import random


def show(name, value):
    value = np.asarray(value)
    dtype = {"bool": "pred", "int32": "s32", "uint32": "u32", "uint8": "u8", "int8": "s8", "uint16": "u16",
             "float32": "f32", "float64": "f64", "int64": "s64", "uint64": "u64", "float16": "f16",
             "bfloat16": "bf16", "complex64": "c64"}[str(value.dtype)]
    if dtype == "c64":
        value, dtype = np.stack([value.real, value.imag], -1), "f32"
    if dtype in ("f16", "bf16"):
        texts = ["%.9g" % float(v) for v in value.ravel()]
    else:
        digits = {"f32": "%.9g", "f64": "%.17g"}.get(dtype, "%d")
        texts = [digits % v for v in value.ravel()]
    print(name, dtype, ",".join(map(str, value.shape)) or "-", *texts)


K = random.PRNGKey(42)
A = np.array([0.1, 0.5, 1.0, 2.5, 10.0, 100.0], np.float32)
B = np.broadcast_to(A, (4, 6))  # where JAX does not stretch parameters itself

CASES = {
    "key": lambda: random.PRNGKey(123456),
    "key_negative": lambda: random.PRNGKey(-1),
    "key_wide": lambda: random.PRNGKey(2**40 + 5),
    "split": lambda: random.split(K),
    "split_shape": lambda: random.split(K, (2, 3)),
    "fold_in": lambda: random.fold_in(K, 7),
    "bits": lambda: random.bits(K, (3, 5)),
    "bits_scalar": lambda: random.bits(K),
    "bits_u8": lambda: random.bits(K, (7,), "uint8"),
    "bits_u16": lambda: random.bits(K, (7,), "uint16"),
    "uniform": lambda: random.uniform(K, (2, 3, 4)),
    "uniform_range": lambda: random.uniform(K, (20,), minval=-3.0, maxval=5.0),
    "uniform_bounds": lambda: random.uniform(K, (2, 3), minval=jnp.array([[0.0], [5.0]]), maxval=7.5),
    "uniform_f16": lambda: random.uniform(K, (9,), "float16"),
    "uniform_bf16": lambda: random.uniform(K, (9,), "bfloat16"),
    "normal": lambda: random.normal(K, (1000,)),
    "normal_c64": lambda: random.normal(K, (20,), "complex64"),
    "exponential": lambda: random.exponential(K, (50,)),
    "gumbel": lambda: random.gumbel(K, (50,)),
    "laplace": lambda: random.laplace(K, (50,)),
    "logistic": lambda: random.logistic(K, (50,)),
    "cauchy": lambda: random.cauchy(K, (50,)),
    "maxwell": lambda: random.maxwell(K, (20,)),
    "rademacher": lambda: random.rademacher(K, (20,), "int32"),
    "bernoulli": lambda: random.bernoulli(K, 0.3, (40,)),
    "bernoulli_rows": lambda: random.bernoulli(K, jnp.array([0.1, 0.9]), (10, 2)),
    "randint": lambda: random.randint(K, (50,), 0, 10),
    "randint_wide": lambda: random.randint(K, (20,), -2**31, 2**31 - 1),
    "randint_none": lambda: random.randint(K, (5,), 3, 3),
    "randint_u8": lambda: random.randint(K, (20,), 0, 256, "uint8"),
    "randint_s8": lambda: random.randint(K, (20,), -128, 128, "int8"),
    "randint_u32": lambda: random.randint(K, (20,), 5, 70000, "uint32"),
    "randint_arrays": lambda: random.randint(K, (3, 4), jnp.array([[0], [10], [-5]]), jnp.array([1, 20, 300, 4])),
    "truncated_normal": lambda: random.truncated_normal(K, -2, 2, (200,)),
    "truncated_normal_tail": lambda: random.truncated_normal(K, jnp.array([0.5, 3.0]), 4.0, (20, 2)),
    "gamma": lambda: random.gamma(K, A, (8, 6)),
    "loggamma": lambda: random.loggamma(K, A, (8, 6)),
    "beta": lambda: random.beta(K, A, 2.0, (8, 6)),
    "chisquare": lambda: random.chisquare(K, A, shape=(4, 6)),
    "f": lambda: random.f(K, B, 3.0 * np.ones_like(B)),
    "t": lambda: random.t(K, B),
    "dirichlet": lambda: random.dirichlet(K, A, (5,)),
    "pareto": lambda: random.pareto(K, B),
    "rayleigh": lambda: random.rayleigh(K, B),
    "weibull_min": lambda: random.weibull_min(K, 2.0, 1.5, (20,)),
    "wald": lambda: random.wald(K, B),
    "triangular": lambda: random.triangular(K, -1.0, 0.5, 2.0, (20,)),
    "lognormal": lambda: random.lognormal(K, B * 0.1),
    "generalized_normal": lambda: random.generalized_normal(K, 1.5, (20,)),
    "geometric": lambda: random.geometric(K, jnp.array([0.1, 0.5, 0.9]), (10, 3)),
    "poisson_small": lambda: random.poisson(K, 3.5, (40,)),
    "poisson": lambda: random.poisson(K, jnp.array([0.0, 0.5, 9.9, 10.0, 50.0, 1000.0]), (8, 6)),
    "binomial_few": lambda: random.binomial(K, 10.0, 0.3, (30,)),
    "binomial": lambda: random.binomial(K, jnp.array([5.0, 100.0, 1000.0]), jnp.array([0.5, 0.25, 0.9]), (10, 3)),
    "ball": lambda: random.ball(K, 3, 2, (6,)),
    "multivariate_normal": lambda: random.multivariate_normal(
        K, jnp.array([1.0, -2.0]), jnp.array([[2.0, 0.5], [0.5, 1.0]]), (10,)),
    "orthogonal": lambda: random.orthogonal(K, 4, (2,)),
    "orthogonal_wide": lambda: random.orthogonal(K, 3, (), None, 5),
    "categorical": lambda: random.categorical(K, jnp.log(jnp.array([0.1, 0.2, 0.3, 0.4])), shape=(30,)),
    "categorical_rows": lambda: random.categorical(
        K, jnp.arange(24.0).reshape(4, 6) * 0.1, axis=0, shape=(5, 6)),
    "categorical_apart": lambda: random.categorical(
        K, jnp.arange(12.0).reshape(2, 6) * 0.1, shape=(4, 2), replace=False),
    "permutation": lambda: random.permutation(K, 20),
    "permutation_rows": lambda: random.permutation(K, jnp.arange(12).reshape(4, 3)),
    "permutation_columns": lambda: random.permutation(K, jnp.arange(12).reshape(3, 4), 1),
    "permutation_apart": lambda: random.permutation(K, jnp.arange(12).reshape(3, 4), 1, independent=True),
    "choice": lambda: random.choice(K, 10, (20,)),
    "choice_apart": lambda: random.choice(K, 10, (2, 3), replace=False),
    "choice_p": lambda: random.choice(K, 5, (30,), p=jnp.array([0.1, 0.2, 0.05, 0.4, 0.25])),
    "choice_p_apart": lambda: random.choice(K, 5, (3,), replace=False, p=jnp.array([0.1, 0.2, 0.05, 0.4, 0.25])),
    "choice_rows": lambda: random.choice(K, jnp.arange(12).reshape(3, 4), (2, 3), axis=1),
    "vmap": lambda: jax.vmap(lambda k: random.normal(k, (3,)))(random.split(K, 4)),
    "vmap_gamma": lambda: jax.vmap(lambda k, a: random.gamma(k, a))(random.split(K, 6), A),
    "no_elements": lambda: random.normal(K, (0, 3)),
}

SMALL = np.array([0.2, 0.1, 0.05, 0.02] + [0.01] * 8 + [0.001] * 8)
WIDE = {
    "bits_u64": lambda: random.bits(K, (9,), "uint64"),
    "uniform_f64": lambda: random.uniform(K, (9,), "float64"),
    "normal_f64": lambda: random.normal(K, (100,), "float64"),
    "gamma_f64": lambda: random.gamma(K, A.astype("float64"), (4, 6), "float64"),
    "randint_s64": lambda: random.randint(K, (20,), -5, 10**12, "int64"),
    "gamma_slope": lambda: jax.grad(lambda a: random.gamma(random.PRNGKey(11), a, dtype="float64").sum())(
        np.array([0.3, 1.5, 4.0, 20.0, 300.0])),
    "gamma_slope_small_of": lambda: SMALL,
    "gamma_slope_small": lambda: jax.grad(lambda a: random.gamma(random.PRNGKey(11), a, dtype="float64").sum())(SMALL),
    "key_s64": lambda: random.PRNGKey(np.int64(2**40 + 5)),
}

for name, case in CASES.items():
    show(name, case())
jax.config.update("jax_enable_x64", True)
for name, case in WIDE.items():
    show(name, case())
