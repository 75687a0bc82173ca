"""The digits and the network of train.cc in JAX: for jax_examples.py and for bench/train.py."""

import pathlib
import re

import jax
import jax.numpy as jnp
from jax import lax, random


def glyphs():
    source = (pathlib.Path(__file__).parent / "train.cc").read_text()
    dots = re.findall(r'"([01]{35})"', source)
    return jnp.array([[int(c) for c in glyph] for glyph in dots], jnp.float32).reshape(10, 7, 5)


def draw(glyphs, key, n):
    """Images f32[n,12,12,1] and their labels s32[n]."""
    keys = random.split(key, 5)
    labels = random.randint(keys[0], (n,), 0, 10)
    placed = jax.vmap(lambda glyph, row, column: lax.dynamic_update_slice(jnp.zeros((12, 12)), glyph, (row, column)))(
        glyphs[labels], random.randint(keys[1], (n,), 0, 6), random.randint(keys[2], (n,), 0, 8))
    bright = random.uniform(keys[3], (n, 1, 1), minval=0.6, maxval=1.0)
    return (placed * bright + 0.3 * random.normal(keys[4], (n, 12, 12)))[..., None], labels


def init(key):
    """Weights and biases of two convolutions and a dense layer."""
    def layer(key, *shape):
        return jax.nn.initializers.lecun_normal()(random.split(key)[0], shape), jnp.zeros(shape[-1])

    a, b, c = random.split(key, 3)
    return layer(a, 3, 3, 1, 8), layer(b, 3, 3, 8, 16), layer(c, 144, 10)


def logits(net, x):
    for w, b in net[:2]:
        y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b
        x = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(-1, 144) @ net[2][0] + net[2][1]


def loss(scores, labels):
    """The mean of the cross entropies."""
    chosen = jnp.take_along_axis(scores, labels[:, None], 1)[:, 0]
    return (jax.nn.logsumexp(scores, -1) - chosen).mean()
