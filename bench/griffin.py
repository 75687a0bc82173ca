#!/usr/bin/env python3
"""A Griffin block of flax's nn.Dense and nn.Conv, as StableHLO text: the block, or its value and gradient.

    bench/griffin.py BATCH LENGTH WIDTH [--grad] > griffin.mlir

Needs a Python with JAX and flax; tests/stablehlo/texts has what it makes of 2 24 16. The C++ version is `griffin` in
tests/compiler/reported_programs.h.
"""

import argparse
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import flax.linen as nn  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


class Griffin(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        branch = nn.gelu(nn.Dense(self.width, use_bias=False)(x))
        y = nn.Dense(self.width, use_bias=False)(x)
        y = nn.Conv(self.width, (4,), padding="CAUSAL", feature_group_count=self.width, use_bias=False)(y)
        r = nn.sigmoid(nn.Dense(self.width)(y))
        i = nn.sigmoid(nn.Dense(self.width)(y))
        rate = self.param("rate", nn.initializers.normal(), (self.width,))
        a = jnp.exp(-8 * jnp.log1p(jnp.exp(rate)) * r)
        u = jnp.sqrt(1 - jnp.square(a) + 1e-4) * (i * y)

        def step(h, now):
            h = now[0] * h + now[1]
            return h, h
        start = jnp.zeros((x.shape[0], self.width), x.dtype)
        h = jax.lax.scan(step, start, (a.swapaxes(0, 1), u.swapaxes(0, 1)))[1].swapaxes(0, 1)
        return nn.Dense(x.shape[-1], use_bias=False)(h * branch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batch", type=int)
    parser.add_argument("length", type=int)
    parser.add_argument("width", type=int)
    parser.add_argument("--grad", action="store_true")
    options = parser.parse_args()
    block = Griffin(options.width)
    x = jax.ShapeDtypeStruct((options.batch, options.length, options.width), jnp.float32)
    parameters = jax.eval_shape(block.init, jax.random.key(0), x)
    function = block.apply
    if options.grad:
        function = jax.value_and_grad(lambda p, x: jnp.sum(jnp.square(block.apply(p, x))), (0, 1))
    print(jax.jit(function).lower(parameters, x).as_text(debug_info=True))


if __name__ == "__main__":
    main()
