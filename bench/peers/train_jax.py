#!/usr/bin/env python3
"""What examples/train.cc does, in JAX, from the same file on: the other side of bench/train.py.

    train_jax.py STEPS FOLDER      FOLDER/digits.npz is where it begins, and as `train 0 FOLDER` leaves it

Writes FOLDER/loss.npy and prints, as JSON, how many of unseen digits are right and the seconds since its modules were
imported: until the first step was done, which compiles, and until the end.
"""

import json
import os
import pathlib
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import random  # noqa: E402

import jax_digits as digits  # noqa: E402

BATCH, UNSEEN = 128, 2000
RATE, B1, B2, EPS = 0.01, 0.9, 0.999, 1e-8


def read(path):
    """The parameters and the state of Adam that `train` has saved: step, network, both running means."""
    file = np.load(path)

    def net(name):
        return tuple((jnp.array(file[f"{name}.{layer}.w"]), jnp.array(file[f"{name}.{layer}.b"]))
                     for layer in ("first", "second", "out"))

    return jnp.array(file["adam.step"]), net("net"), net("adam.mu"), net("adam.nu")


def main():
    begin = time.perf_counter()
    steps, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    glyphs, key = digits.glyphs(), random.key(7)

    @jax.jit
    def learn(learner, key):
        step, net, mu, nu = learner
        images, labels = digits.draw(glyphs, random.fold_in(key, step), BATCH)

        def loss(net):
            scores = digits.logits(net, images)
            return digits.loss(scores, labels), (scores.argmax(-1) == labels).mean()

        (value, right), slope = jax.value_and_grad(loss, has_aux=True)(net)
        step += 1
        mu = jax.tree.map(lambda g, m: (1 - B1) * g + B1 * m, slope, mu)
        nu = jax.tree.map(lambda g, n: (1 - B2) * g * g + B2 * n, slope, nu)
        net = jax.tree.map(lambda p, m, n: p - RATE * (m / (1 - B1**step)) / (jnp.sqrt(n / (1 - B2**step)) + EPS),
                           net, mu, nu)
        return (value, right), (step, net, mu, nu)

    learner, losses, first = read(folder / "digits.npz"), [], None
    for _ in range(steps):
        (loss, _), learner = learn(learner, key)
        losses.append(loss)  # waits for nothing: JAX runs ahead
        if first is None:
            loss.block_until_ready()
            first = time.perf_counter() - begin
    np.save(folder / "loss.npy", np.array(jax.device_get(losses), np.float32))

    @jax.jit
    def rate(net):
        images, labels = digits.draw(glyphs, random.key(8), UNSEEN)
        return (digits.logits(net, images).argmax(-1) == labels).mean()

    right = float(rate(learner[1]))
    print(json.dumps({"right": right, "first_s": first, "all_s": time.perf_counter() - begin}))


if __name__ == "__main__":
    main()
