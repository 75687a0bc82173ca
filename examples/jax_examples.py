#!/usr/bin/env python3
"""Writes jax_examples.txt: what JAX makes of the small runs of the examples, which these compare (--check).

    python3 jax_examples.py > jax_examples.txt      (needs jax, optax from PyPI)
"""

import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax, random

import jax_digits as digits


def show(name, value):
    print(name, *["%.9g" % v for v in np.asarray(value).ravel()])


def kalman():
    move, see = jnp.array([[1.0, 1], [0, 1]]), jnp.array([1.0, 0])
    kick = jnp.array([[0.25, 0.5], [0.5, 1]])

    def run(push, noise, observations):
        def step(belief, seen):
            mean, cov = belief
            mean, cov = move @ mean, move @ cov @ move.T + kick * push**2
            surprise, spread = seen - see @ mean, see @ cov @ see + noise**2
            gain = cov @ see / spread
            return (mean + gain * surprise, cov - jnp.outer(gain, see @ cov)), -0.5 * (
                jnp.log(2 * np.float32(np.pi) * spread) + surprise**2 / spread)

        last, likelihoods = lax.scan(step, (jnp.zeros(2), jnp.eye(2) * 10), observations)
        return likelihoods.sum(), last

    a, b = random.split(random.key(0))
    observations = jnp.cumsum(jnp.cumsum(0.1 * random.normal(a, (100,)))) + random.normal(b, (100,))
    likelihood, last = run(0.5, 1.0, observations)
    slope = jax.jit(jax.grad(lambda log_push: -run(jnp.exp(log_push), 1.0, observations)[0]))
    log_push = jnp.log(jnp.float32(0.5))
    show("kalman_likelihood", likelihood)
    show("kalman_mean", last[0])
    show("kalman_slope", slope(log_push))
    adam = optax.adam(0.05)
    state = adam.init(log_push)
    for _ in range(30):
        updates, state = adam.update(slope(log_push), state)
        log_push = optax.apply_updates(log_push, updates)
    show("kalman_push", jnp.exp(log_push))


def ode():
    stages = [[1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
              [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
              [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
              [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]]
    errors = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]

    def change(y):
        return jnp.stack([y[0] * (1.5 - y[1]), y[1] * (y[0] - 3)])

    def integrate(start, end=5.0, tolerance=1e-9):
        def step(p):
            t, h, y0 = p
            h = jnp.minimum(h, end - t)
            slopes = [change(y0)]
            for weights in stages:
                y = y0 + h * sum(w * s for w, s in zip(weights, slopes))
                slopes.append(change(y))
            error = jnp.max(jnp.abs(h * sum(w * s for w, s in zip(errors, slopes))) /
                            (tolerance * (1 + jnp.abs(y0))))
            fits = error <= 1
            factor = jnp.clip(0.9 * jnp.maximum(error, 1e-10)**-0.2, 0.2, 5.0)
            return jnp.where(fits, t + h, t), lax.stop_gradient(h * factor), jnp.where(fits, y, y0)

        return lax.while_loop(lambda p: p[0] < end, step, (jnp.float64(0), jnp.float64(0.1), start))[2]

    start = jnp.array([1.0, 1.0], jnp.float64)
    y, tangent = jax.jvp(integrate, (start,), (jnp.array([1.0, 0.0], jnp.float64),))
    show("ode_y", y)
    show("ode_tangent", tangent)
    show("ode_many", jax.vmap(integrate)(jnp.stack([start, start * 2, start * 3])))


def mandelbrot():
    def axis(n, low, high):
        return low + (high - low) * (jnp.arange(n) + 0.5) / n

    def escape(cx, cy):
        def step(o):
            x, y, count = o
            return x * x - y * y + cx, 2 * x * y + cy, count + 1

        return lax.while_loop(lambda o: (o[0]**2 + o[1]**2 <= 4) & (o[2] < 50), step, (cx * 0, cy * 0, 0))[2]

    xs, ys = axis(24, -2.2, 0.8), axis(16, -1.2, 1.2)
    show("mandelbrot", jax.vmap(lambda y: jax.vmap(lambda x: escape(x, y))(xs))(ys))


def sampler():
    def log_density(x):
        return -0.5 * x[0]**2 - 2 * (x[1] - x[0]**2)**2

    force = jax.grad(log_density)
    size = np.float32(0.2)

    def step(chain, key):
        x, accepted = chain
        a, b = random.split(key)
        kick = random.normal(a, (2,))

        def leap(_, path):
            half = path[1] + 0.5 * size * force(path[0])
            at = path[0] + size * half
            return at, half + 0.5 * size * force(at)

        at, p = lax.fori_loop(0, 10, leap, (x, kick))
        energy = lambda x, p: 0.5 * jnp.sum(p * p) - log_density(x)
        accept = jnp.log(random.uniform(b)) < energy(x, kick) - energy(at, p)
        x = jnp.where(accept, at, x)
        return (x, accepted + accept), x

    def one(key):
        (_, accepted), xs = lax.scan(step, (jnp.zeros(2), 0), random.split(key, 12))
        return xs, accepted / 12

    xs, rate = jax.jit(jax.vmap(one))(random.split(random.key(1), 3))
    show("sampler_x", xs)
    show("sampler_rate", rate)


def adam_steps(loss, params, optimizer, steps, key):
    """The losses of some steps; loss takes the parameters and the key of the step."""
    state, losses = optimizer.init(params), []

    @jax.jit
    def step(params, state, key):
        value, slope = jax.value_and_grad(loss)(params, key)
        updates, state = optimizer.update(slope, state, params)
        return value, optax.apply_updates(params, updates), state

    for i in range(steps):
        value, params, state = step(params, state, random.fold_in(key, i))
        losses.append(value)
    return jnp.stack(losses)


def dense(key, n, m):
    return jax.nn.initializers.lecun_normal()(random.split(key)[0], (n, m)), jnp.zeros(m)


def train():
    glyphs = digits.glyphs()

    def loss(net, key):
        images, labels = digits.draw(glyphs, key, 16)
        return digits.loss(digits.logits(net, images), labels)

    key = random.key(7)
    show("train_losses", adam_steps(loss, digits.init(key), optax.adam(0.01), 10, key))


def gpt():
    places, features, heads = 32, 32, 4
    source = (pathlib.Path(__file__).parent / "programs" / "sonnet.h").read_text()
    sonnet = re.search(r'R"\((.*)\)"', source, re.S).group(1)
    letters = sorted(set(sonnet))
    text = jnp.array([letters.index(c) for c in sonnet])

    def embedding(key, n):
        return random.normal(key, (n, features)) * np.sqrt(np.float32(1 / features))

    def norm_init():
        return jnp.ones(features), jnp.zeros(features)

    def norm(p, x):
        x = x - x.mean(-1, keepdims=True)
        return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * p[0] + p[1]

    def attention(p, x):
        q, k, v = ((x @ w + b).reshape(*x.shape[:-1], heads, -1) for w, b in p[:3])
        return jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(x.shape) @ p[3][0] + p[3][1]

    def loss(net, key):
        table, where, blocks, last = net
        start = random.randint(key, (4, 1), 0, len(sonnet) - places)
        piece = text[start + jnp.arange(places + 1)]
        x = table[piece[:, :-1]] + where
        for first, second, attend, up, down in blocks:
            x = x + attention(attend, norm(first, x))
            x = x + jax.nn.gelu(norm(second, x) @ up[0] + up[1]) @ down[0] + down[1]
        scores = norm(last, x) @ table.T
        return optax.softmax_cross_entropy_with_integer_labels(scores, piece[:, 1:]).mean()

    key = random.key(0)
    keys = random.split(key, 4)
    blocks = []
    for i in range(2):
        a, b, c = random.split(keys[2 + i], 3)
        attend = [dense(k, features, features) for k in random.split(a, 4)]
        blocks.append((norm_init(), norm_init(), attend, dense(b, features, 4 * features),
                       dense(c, 4 * features, features)))
    net = embedding(keys[0], len(letters)), embedding(keys[1], places), blocks, norm_init()
    rate = optax.warmup_cosine_decay_schedule(0, 3e-3, 20, 1000)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.01))
    show("gpt_losses", adam_steps(loss, net, optimizer, 5, key))


kalman()
sampler()
train()
gpt()
jax.config.update("jax_enable_x64", True)
ode()
mandelbrot()
