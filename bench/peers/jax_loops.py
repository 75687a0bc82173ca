"""The programs of examples/programs/loops.h in JAX."""

import jax
import jax.numpy as jnp


def wave(start):
    def step(_, u):
        now, before = u
        inner = 2 * now[1:-1] - before[1:-1] + 0.25 * (now[2:] - 2 * now[1:-1] + now[:-2])
        end = jnp.zeros(1, now.dtype)
        return jnp.concatenate([end, inner, end]), now

    return jax.lax.fori_loop(0, 100, step, (start, start))[0]


def heat(start):
    def step(_, u):
        around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
        return u + 0.1 * (around - 4 * u)

    return jax.lax.fori_loop(0, 100, step, start)


def leaves(start, p, x):
    count = start.shape[0]

    def step(v, put_in):
        return tuple(jnp.tanh(v[i] * p[i] + 0.1 * v[(i + 1) % count] + put_in) for i in range(count)), None

    return jnp.stack(jax.lax.scan(step, tuple(start[i] for i in range(count)), x)[0])


def logistic_map(start, r):
    def step(x, _):
        x = r * x * (1 - x)
        return x, x

    return jax.lax.scan(step, start, None, length=10_000_000)[1]


def viterbi(scores, moves):
    def forward(best, now):
        ways = best[:, :, None] + moves
        return ways.max(1) + now, ways.argmax(1)

    last, came_from = jax.lax.scan(forward, scores[0], scores[1:])

    def backward(state, from_):
        return jnp.take_along_axis(from_, state[:, None], 1)[:, 0], state

    first, path = jax.lax.scan(backward, last.argmax(1), came_from, reverse=True)
    return jnp.concatenate([first[None], path]).astype(jnp.int32)


def kalman(a, q, r, series):
    def one(seen):
        def step(belief, z):
            mean, covariance = belief
            x, p = a @ mean, a @ covariance @ a.T + q
            s, error = p + r, z - x
            inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / (s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0])
            gain = p @ inverse
            likelihood = -0.5 * (jnp.log(s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]) + error @ (inverse @ error))
            return (x + gain @ error, p - gain @ p), likelihood

        return jax.lax.scan(step, (jnp.zeros(2, seen.dtype), jnp.eye(2, dtype=seen.dtype)), seen)[1].sum()

    return jax.vmap(one)(series).sum()


def scaled_norm(x, scale):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.square(centred).mean(-1, keepdims=True) + 1e-5) * scale


def transformer(norm1, norm2, qkv, out, up, down, x):
    batch, length, d = x.shape
    heads = 8
    q, k, v = (part.reshape(batch, length, heads, d // heads).transpose(0, 2, 1, 3)
               for part in jnp.split(scaled_norm(x, norm1) @ qkv, 3, -1))
    scores = q @ k.transpose(0, 1, 3, 2) / (d // heads) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    attended = jax.nn.softmax(scores) @ v
    y = x + attended.transpose(0, 2, 1, 3).reshape(batch, length, d) @ out
    return y + jax.nn.gelu(scaled_norm(y, norm2) @ up) @ down


def batch_norm(x, scale, shift):
    centred = x - x.mean((0, 1, 2))
    return centred * jax.lax.rsqrt(jnp.square(centred).mean((0, 1, 2)) + 1e-5) * scale + shift


def residual(conv1, scale1, shift1, conv2, scale2, shift2, x):
    def conv(a, w):
        return jax.lax.conv_general_dilated(a, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    y = jax.nn.relu(batch_norm(conv(x, conv1), scale1, shift1))
    return jax.nn.relu(x + batch_norm(conv(y, conv2), scale2, shift2))


def griffin(associative, w_gate, w_in, conv, w_a, b_a, w_i, b_i, lam, w_out, x):
    @jax.jit
    def gate(z, b):
        return jax.nn.sigmoid(z + b)

    width = w_in.shape[1]
    y = jax.lax.conv_general_dilated(x @ w_in, conv, (1,), [(3, 0)], dimension_numbers=("NWC", "WIO", "NWC"),
                                     feature_group_count=width)
    a = jnp.exp(-8 * jnp.log1p(jnp.exp(lam)) * gate(y @ w_a, b_a))
    u = jnp.sqrt(1 - jnp.square(a) + 1e-4) * (gate(y @ w_i, b_i) * y)
    if associative:
        join = lambda before, after: (before[0] * after[0], after[0] * before[1] + after[1])
        h = jax.lax.associative_scan(join, (a, u), axis=1)[1]
    else:
        def step(h, now):
            h = now[0] * h + now[1]
            return h, h

        start = jnp.zeros((x.shape[0], width), x.dtype)
        h = jax.lax.scan(step, start, (a.swapaxes(0, 1), u.swapaxes(0, 1)))[1].swapaxes(0, 1)
    return (h * jax.nn.gelu(x @ w_gate)) @ w_out


def long_recurrence(start, w, every):
    def step(h, _):
        return jnp.tanh(h * w + 0.1), None

    if every is None:
        return jax.lax.scan(step, start, None, length=10_000)[0].sum()
    many = jax.checkpoint(lambda h, _: (jax.lax.scan(step, h, None, length=every)[0], None))
    return jax.lax.scan(many, start, None, length=10_000 // every)[0].sum()


def flat(values):
    return jnp.concatenate([leaf.ravel() for leaf in values])


def in_all(loss, count):
    """The value and its gradient in the first `count` arguments, in one array."""
    def both(*arguments):
        value, gradients = jax.value_and_grad(loss, tuple(range(count)))(*arguments)
        return flat((value, *gradients))

    return both


PROGRAMS = {
    "wave": wave,
    "heat-1024": heat,
    "heat-4096": heat,
    "leaves": leaves,
    "leaves-grad": lambda start, p, x: jax.grad(lambda q: leaves(start, q, x).sum())(p),
    "logistic": logistic_map,
    "viterbi": viterbi,
    "kalman": kalman,
    "kalman-grad": in_all(kalman, 3),
    "transformer-grad": in_all(lambda *a: jnp.square(transformer(*a)).mean(), 6),
    "residual-grad": in_all(lambda *a: jnp.square(residual(*a)).mean(), 6),
    "griffin-scan": in_all(lambda *a: jnp.square(griffin(False, *a)).mean(), 9),
    "griffin-associative": in_all(lambda *a: jnp.square(griffin(True, *a)).mean(), 9),
    "checkpoints-none": lambda start, w: jax.grad(lambda v: long_recurrence(start, v, None))(w),
    "checkpoints": lambda start, w: jax.grad(lambda v: long_recurrence(start, v, 100))(w),
}
