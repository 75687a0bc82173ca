#!/usr/bin/env python3
"""Writes jax_layers.txt: what layers of flax make of the parameters and inputs of layers_test.cc.

    python3 jax_layers.py > jax_layers.txt      (needs jax and flax from PyPI)

A line is a name, the dtype, the shape and the elements; layers_test.cc has a function for each name. Parameters
and inputs are waves: element i is sin(i * step), as numbers().
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np


def show(name, value):
    value = np.asarray(value)
    print(name, "f32", ",".join(map(str, value.shape)) or "-", *["%.9g" % v for v in value.ravel()])


def numbers(shape, step):
    count = int(np.prod(shape))
    return jnp.sin(jnp.arange(count, dtype=jnp.float32) * jnp.float32(step)).reshape(shape)


X = numbers((2, 5, 8), 0.3)
SCALE, BIAS = numbers((8,), 0.7) + 1, numbers((8,), 0.2)

show("dense", nn.Dense(3).apply({"params": {"kernel": numbers((8, 3), 0.4), "bias": numbers((3,), 1)}}, X))
show("conv", nn.Conv(3, (3,)).apply({"params": {"kernel": numbers((3, 8, 3), 0.4), "bias": numbers((3,), 1)}}, X))
show("conv_2d", nn.Conv(2, (3, 3), strides=(2, 2)).apply(
    {"params": {"kernel": numbers((3, 3, 4, 2), 0.4), "bias": numbers((2,), 1)}}, numbers((2, 6, 5, 4), 0.3)))
show("layer_norm", nn.LayerNorm().apply({"params": {"scale": SCALE, "bias": BIAS}}, X))
show("rms_norm", nn.RMSNorm().apply({"params": {"scale": SCALE}}, X))
show("group_norm", nn.GroupNorm(4).apply({"params": {"scale": SCALE, "bias": BIAS}}, X))

variables = {"params": {"scale": SCALE, "bias": BIAS},
             "batch_stats": {"mean": numbers((8,), 0.9), "var": numbers((8,), 0.1) + 2}}
show("batch_norm", nn.BatchNorm(use_running_average=True).apply(variables, X))
y, updated = nn.BatchNorm(use_running_average=False, momentum=0.9).apply(variables, X, mutable=["batch_stats"])
show("batch_norm_train", y)
show("batch_norm_mean", updated["batch_stats"]["mean"])
show("batch_norm_var", updated["batch_stats"]["var"])

show("embed", nn.Embed(6, 4).apply({"params": {"embedding": numbers((6, 4), 0.5)}}, jnp.array([[1, 5], [0, 2]])))


def projection(step, shape=(8, 2, 4), bias=(2, 4)):
    return {"kernel": numbers(shape, step), "bias": numbers(bias, step + 1)}


attention = {"query": projection(0.31), "key": projection(0.37), "value": projection(0.41),
             "out": projection(0.43, (2, 4, 8), (8,))}
show("attention", nn.MultiHeadDotProductAttention(2).apply({"params": attention}, X, X))
show("attention_causal", nn.MultiHeadDotProductAttention(2).apply(
    {"params": attention}, X, X, mask=nn.make_causal_mask(jnp.ones((2, 5)))))
show("attention_cross", nn.MultiHeadDotProductAttention(2).apply({"params": attention}, X[:, :2], X))

F, IN = 4, 8
x, h, c = X[:, 0], numbers((2, F), 0.6), numbers((2, F), 0.8)
wx, wh, b = numbers((IN, 4 * F), 0.13), numbers((F, 4 * F), 0.17), numbers((4 * F,), 0.19)
cell = {}
for i, gate in enumerate("ifgo"):
    part = slice(i * F, (i + 1) * F)
    cell["i" + gate] = {"kernel": wx[:, part]}
    cell["h" + gate] = {"kernel": wh[:, part], "bias": b[part]}
(_, _), out = nn.OptimizedLSTMCell(F).apply({"params": cell}, (c, h), x)
show("lstm", out)
cell = {}
for i, gate in enumerate("rzn"):
    part = slice(i * F, (i + 1) * F)
    cell["i" + gate] = {"kernel": wx[:, :3 * F][:, part], "bias": b[part]}
    cell["h" + gate] = {"kernel": wh[:, :3 * F][:, part]}
cell["hn"]["bias"] = numbers((F,), 0.23)
show("gru", nn.GRUCell(F).apply({"params": cell}, h, x)[1])
cell = {"i": {"kernel": wx[:, :F], "bias": b[:F]}, "h": {"kernel": wh[:, :F]}}
show("rnn", nn.SimpleCell(F).apply({"params": cell}, h, x)[1])
