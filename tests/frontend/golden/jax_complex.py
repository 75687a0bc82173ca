#!/usr/bin/env python3
"""Writes jax_complex.txt: values and derivatives by JAX of the functions of complex numbers that
complex_test.cc has under the same names.

    python3 jax_complex.py > jax_complex.txt      (needs jax from PyPI)

A line is the kind, the name and numbers, real and imaginary parts in turns.
"""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

Z = np.array([0.3 - 0.5j, -1.2 + 0.7j, 0.8 + 1.1j, 2.1 - 0.2j])
W = np.array([1.1 + 0.4j, 0.2 - 0.9j, -0.8 + 0.3j, 0.5 + 1.6j])

REAL = {
    "abs2": lambda z, w: jnp.sum(jnp.abs(z) ** 2),
    "abs": lambda z, w: jnp.sum(jnp.abs(z * w)),
    "real_of_product": lambda z, w: jnp.sum(jnp.real(z * w)),
    "imag_of_product": lambda z, w: jnp.sum(jnp.imag(z * z * w)),
    "with_conj": lambda z, w: jnp.sum(jnp.real(z * jnp.conj(w) * z)),
    "angle": lambda z, w: jnp.sum(jnp.arctan2(jnp.imag(z), jnp.real(z)) * jnp.real(w)),
    "exp": lambda z, w: jnp.sum(jnp.real(jnp.exp(z) / w)),
    "log": lambda z, w: jnp.sum(jnp.imag(jnp.log(z) * w)),
    "dot": lambda z, w: jnp.abs(jnp.dot(z, w)),
    "matmul": lambda z, w: jnp.sum(jnp.abs(z.reshape(2, 2) @ w.reshape(2, 2)) ** 2),
    "tanh": lambda z, w: jnp.sum(jnp.abs(jnp.tanh(z * w))),
    "where": lambda z, w: jnp.sum(jnp.abs(jnp.where(jnp.real(z) > 0, z * w, w))),
    "prod": lambda z, w: jnp.abs(jnp.prod(z)),
    "cumsum": lambda z, w: jnp.sum(jnp.abs(jnp.cumsum(z) * w)),
    "pow": lambda z, w: jnp.sum(jnp.real(z**w)),
}
HOLOMORPHIC = {
    "square": lambda z: jnp.sum(z * z),
    "exp": lambda z: jnp.sum(jnp.exp(z)),
    "expm1": lambda z: jnp.sum(jnp.expm1(z / 3)),
    "log1p": lambda z: jnp.sum(jnp.log1p(z / 3)),
    "sin": lambda z: jnp.sum(jnp.sin(z) * z),
    "cos": lambda z: jnp.sum(jnp.cos(z) / z),
    "tanh": lambda z: jnp.sum(jnp.tanh(z)),
    "sqrt": lambda z: jnp.sum(jnp.sqrt(z)),
    "log": lambda z: jnp.sum(jnp.log(z)),
    "rsqrt": lambda z: jnp.sum(jax.lax.rsqrt(z)),
    "logistic": lambda z: jnp.sum(jax.lax.logistic(z)),
    "prod": lambda z: jnp.prod(z),
    "tan": lambda z: jnp.sum(jnp.tan(z)),
    "sinh": lambda z: jnp.sum(jnp.sinh(z)),
    "cosh": lambda z: jnp.sum(jnp.cosh(z)),
    "asin": lambda z: jnp.sum(jnp.arcsin(z)),
    "acos": lambda z: jnp.sum(jnp.arccos(z)),
    "atan": lambda z: jnp.sum(jnp.arctan(z)),
    "asinh": lambda z: jnp.sum(jnp.arcsinh(z)),
    "acosh": lambda z: jnp.sum(jnp.arccosh(z)),
    "atanh": lambda z: jnp.sum(jnp.arctanh(z)),
    "exp2": lambda z: jnp.sum(jnp.exp2(z)),
    "log2": lambda z: jnp.sum(jnp.log2(z)),
}


def numbers(*arrays):
    for array in arrays:
        for z in np.atleast_1d(np.asarray(array)).astype(complex).ravel():
            yield f"{z.real:.17g}"
            yield f"{z.imag:.17g}"


for name, f in REAL.items():
    value, (gz, gw) = jax.value_and_grad(f, argnums=(0, 1))(Z, W)
    print("real", name, *numbers(value, gz, gw))
for name, f in HOLOMORPHIC.items():
    print("holomorphic", name, *numbers(f(jnp.asarray(Z)), jax.grad(f, holomorphic=True)(jnp.asarray(Z))))
value, tangent = jax.jvp(lambda z, w: jnp.conj(z) * w, (Z, W), (W, Z))
print("jvp", "conj_times", *numbers(value, tangent))
_, pull = jax.vjp(lambda z, w: jnp.conj(z) * w, Z, W)
print("vjp", "conj_times", *numbers(*pull(jnp.asarray(Z * W))))
