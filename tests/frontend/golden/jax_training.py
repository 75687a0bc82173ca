#!/usr/bin/env python3
"""Writes jax_training.txt: initial parameters and losses by jax.nn and optax, and parameters after some steps of
the optimisers of optax, for training_test.cc.

    python3 jax_training.py > jax_training.txt      (needs jax and optax from PyPI)

A line is a name, the dtype, the shape and the elements; training_test.cc has a function for each name.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.nn import initializers as init

K = jax.random.PRNGKey(42)


def show(name, value):
    value = np.asarray(value)
    print(name, {"float32": "f32", "int32": "s32"}[str(value.dtype)], ",".join(map(str, value.shape)) or "-",
          *["%.9g" % v for v in value.ravel()])


SHAPE = (3, 4, 5)
INITIALIZERS = {
    "uniform": init.uniform(0.5),
    "normal": init.normal(0.1),
    "truncated_normal": init.truncated_normal(0.1, lower=-1.5, upper=1.0),
    "glorot_uniform": init.glorot_uniform(),
    "glorot_normal": init.glorot_normal(),
    "he_uniform": init.he_uniform(),
    "he_normal": init.he_normal(),
    "lecun_uniform": init.lecun_uniform(),
    "lecun_normal": init.lecun_normal(),
    "variance_scaling": init.variance_scaling(3.0, "fan_out", "normal", in_axis=0, out_axis=1, batch_axis=2),
    "variance_scaling_geometric": init.variance_scaling(1.0, "fan_geo_avg", "uniform"),
    "orthogonal": init.orthogonal(2.0, 1),
}
for name, f in INITIALIZERS.items():
    show("init_" + name, f(K, SHAPE, jnp.float32))

LOGITS = np.sin(np.arange(12, dtype=np.float32)).reshape(3, 4) * 3
LABELS = np.array([[0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0], [0, 0.5, 0.5, 0]], np.float32)
show("softmax_cross_entropy", optax.softmax_cross_entropy(LOGITS, LABELS))
show("softmax_cross_entropy_with_integer_labels",
     optax.softmax_cross_entropy_with_integer_labels(LOGITS, np.array([3, 0, 2])))
show("sigmoid_binary_cross_entropy", optax.sigmoid_binary_cross_entropy(LOGITS, LABELS))
show("l2_loss", optax.l2_loss(LOGITS, LABELS))
show("squared_error", optax.squared_error(LOGITS, LABELS))
show("huber_loss", optax.huber_loss(LOGITS, LABELS, delta=0.7))

STEPS = jnp.array([0, 1, 5, 10, 50, 99, 100, 101, 500])
SCHEDULES = {
    "constant": optax.constant_schedule(0.3),
    "linear": optax.linear_schedule(1.0, 0.1, 90, 5),
    "polynomial": optax.polynomial_schedule(1.0, 0.1, 2.5, 90),
    "exponential": optax.exponential_decay(1.0, 10, 0.5, 5),
    "exponential_staircase": optax.exponential_decay(1.0, 10, 0.5, 5, staircase=True, end_value=0.01),
    "cosine": optax.cosine_decay_schedule(1.0, 100, 0.1, 2.0),
    "warmup_cosine": optax.warmup_cosine_decay_schedule(0.0, 1.0, 10, 100, 0.05),
    "piecewise_constant": optax.piecewise_constant_schedule(1.0, {10: 0.5, 100: 0.1}),
}
for name, f in SCHEDULES.items():
    show("schedule_" + name, jnp.stack([f(s) for s in STEPS]).astype(jnp.float32))

PARAMS = np.cos(np.arange(6, dtype=np.float32)).reshape(2, 3), np.array([1.0, -2.0], np.float32)


def gradients(params):
    """Of a function with a valley, so that steps are of all sizes."""
    return jax.grad(lambda p: jnp.sum(jnp.sin(3 * p[0]) + p[0] ** 4) + jnp.sum(p[1] ** 2) * 100)(params)


OPTIMIZERS = {
    "sgd": optax.sgd(0.01),
    "sgd_momentum": optax.sgd(0.001, momentum=0.9),
    "sgd_nesterov": optax.sgd(0.001, momentum=0.9, nesterov=True),
    "adam": optax.adam(0.05),
    "adam_nesterov": optax.adam(0.05, b1=0.8, b2=0.95, eps=1e-4, eps_root=1e-5, nesterov=True),
    "adam_schedule": optax.adam(optax.cosine_decay_schedule(0.1, 5)),
    "adamw": optax.adamw(0.05, weight_decay=0.1),
    "lion": optax.lion(0.01, weight_decay=0.1),
    "rmsprop": optax.rmsprop(0.01),
    "rmsprop_centered": optax.rmsprop(0.01, decay=0.8, centered=True, momentum=0.5, initial_scale=1.0),
    "rmsprop_nesterov": optax.rmsprop(0.01, momentum=0.5, nesterov=True),
    "adagrad": optax.adagrad(0.5),
    "clip": optax.chain(optax.clip(0.5), optax.sgd(0.1)),
    "clip_by_global_norm": optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1)),
}
for name, optimizer in OPTIMIZERS.items():
    params = tuple(map(jnp.asarray, PARAMS))
    state = optimizer.init(params)
    for _ in range(7):
        updates, state = optimizer.update(gradients(params), state, params)
        params = optax.apply_updates(params, updates)
    show("optim_" + name, jnp.concatenate([p.ravel() for p in params]))
