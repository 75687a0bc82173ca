"""The lines `lstm`, `state` and `loops` (examples/programs/loops.h): inputs and references."""

import numpy as np

from case import JAX_IN_DOUBLE, Case

def lstm_variants():
    return ["sum", "grad"]


def lstm_case(variant):
    """The sum of all states of 512 steps, and its gradient in the weights (of [4 to, from]) and biases."""
    rng = np.random.default_rng(13)
    steps, batch, features, hidden = 512, 64, 128, 256
    xs = rng.standard_normal((steps, batch, features), dtype=np.float32)
    w, u = ((rng.standard_normal((4 * hidden, n)) / 16).astype(np.float32) for n in (features, hidden))
    b = rng.standard_normal(4 * hidden, dtype=np.float32)
    forward, recurrent = (2 * steps * batch * 4 * hidden * n for n in (features, hidden))
    flops = forward + recurrent if variant == "sum" else 2 * forward + 3 * recurrent
    output = 4 if variant == "sum" else w.nbytes + u.nbytes + b.nbytes
    return Case("lstm", variant, [xs, w, u, b], output, flops, ["jax"], JAX_IN_DOUBLE, tolerance=1e-4)


def state_variants():
    return ["writes-10000", "writes-100000", "ring", "cond", "products"]


def state_case(variant):
    """Loops whose steps change a part of what they carry: elements of 400,000, a shift of 1000, a branch that passes
    4 MB on or writes one element there; and 2000 products of 3x3."""
    rng = np.random.default_rng(17)
    if variant == "products":
        turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]

        def product():
            result = x.astype(np.longdouble)
            for _ in range(2000):
                result = sum(result[:, i : i + 1] * turn.astype(np.longdouble)[i : i + 1] for i in range(3))
            return result.astype(np.float64)

        x = rng.standard_normal((3, 3))
        return Case("state", variant, [x, turn], x.nbytes, 0, ["jax", "plain"], product, tolerance=1e-10)
    if variant == "ring":
        x, v = (rng.standard_normal(n, dtype=np.float32) for n in (1000, 20_000))
        return Case("state", variant, [x, v], x.nbytes, 0, ["jax", "plain"], lambda: v[-1000:])
    size, steps = (1_000_000, 25_000) if variant == "cond" else (400_000, int(variant.split("-")[1]))
    x, v = (rng.standard_normal(n, dtype=np.float32) for n in (size, steps))
    at = rng.integers(0, size, steps).astype(np.int32)
    inputs = [x, v, at]
    written = np.ones(steps, np.int32)
    if variant == "cond":
        written = rng.integers(0, 2, steps).astype(np.int32)
        inputs.append(written)

    def reference():
        result = x.copy()
        for i in np.flatnonzero(written):
            result[at[i]] = v[i]
        return result

    return Case("state", variant, inputs, x.nbytes, 0, ["jax", "plain"], reference)


VARIANTS = ["wave", "heat-1024", "heat-4096", "leaves", "leaves-grad", "logistic", "viterbi", "kalman", "kalman-grad",
            "transformer-grad", "residual-grad", "griffin-scan", "griffin-associative", "checkpoints-none", "checkpoints"]


def wave_reference(start):
    now = before = start.astype(np.float64)
    for _ in range(100):
        after = np.zeros_like(now)
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + 0.25 * (now[2:] - 2 * now[1:-1] + now[:-2])
        now, before = after, now
    return now


def heat_reference(start):
    u = start.astype(np.float64)
    for _ in range(100):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
    return u


def logistic_reference(start, r):
    """In the precision of the program: another one is another orbit after 60 steps."""
    x, r, result = float(start), float(r), np.empty(10_000_000)
    for i in range(result.size):
        x = r * x * (1 - x)
        result[i] = x
    return result


def loops_variants():
    return VARIANTS


def loops_case(variant):
    inputs, output, flops, reference, tolerance = describe(variant)
    return Case("loops", variant, inputs, output, flops, ["jax"], reference, tolerance)


def describe(variant):
    """(inputs, bytes of the result, operations of products, reference, tolerance)"""
    rng = np.random.default_rng(19)

    def normal(*shape, scale=1.0):
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    if variant == "wave":
        x = normal(1_000_000)
        return [x], x.nbytes, 0, lambda: wave_reference(x), 1e-5
    if variant.startswith("heat"):
        n = int(variant.split("-")[1])
        x = normal(n, n)
        return [x], x.nbytes, 0, (lambda: heat_reference(x)) if n <= 1024 else JAX_IN_DOUBLE, 1e-5
    if variant.startswith("leaves"):
        inputs = [normal(60), rng.uniform(0.2, 0.9, 60).astype(np.float32), normal(614, scale=0.3)]
        return inputs, 240, 0, JAX_IN_DOUBLE, 1e-4
    if variant == "logistic":  # r at a stable orbit: what rounds otherwise comes back to it
        inputs = [np.float64(0.3), np.float64(3.5)]
        return [np.asarray(x) for x in inputs], 80_000_000, 0, lambda: logistic_reference(*inputs), 1e-9
    if variant == "viterbi":
        # Whole numbers, whose sums are exact: the path is the same in every precision.
        inputs = [rng.integers(-1000, 1000, shape).astype(np.float32) for shape in ((256, 64, 32), (32, 32))]
        return inputs, 4 * 256 * 64, 0, JAX_IN_DOUBLE, 0.0
    if variant.startswith("kalman"):
        a = np.array([[0.9, 0.2], [-0.1, 0.8]])
        q, r = np.array([[0.3, 0.1], [0.1, 0.2]]), np.array([[0.5, 0.0], [0.0, 0.4]])
        inputs = [a, q, r, rng.standard_normal((500, 1000, 2))]
        return inputs, 8 * (13 if variant.endswith("grad") else 1), 0, JAX_IN_DOUBLE, 1e-9
    if variant == "transformer-grad":
        d = 512
        weights = [normal(d, scale=0.1) + 1 for _ in range(2)]
        weights += [normal(m, n, scale=m**-0.5) for m, n in ((d, 3 * d), (d, d), (d, 4 * d), (4 * d, d))]
        x = normal(8, 512, d)
        dense = 2 * 8 * 512 * sum(w.size for w in weights[2:])
        attention = 7 * 2 * 8 * 512 * 512 * d // 2  # two products there, five back, half of each below the diagonal
        return weights + [x], 4 * (1 + sum(w.size for w in weights)), 3 * dense + attention, JAX_IN_DOUBLE, 1e-4
    if variant == "residual-grad":
        c = 64
        weights = [normal(3, 3, c, c, scale=1 / 24), normal(c, scale=0.1) + 1, normal(c, scale=0.1)] * 2
        x = normal(16, 32, 32, c)
        return weights + [x], 4 * (1 + sum(w.size for w in weights)), 5 * 2 * x.size * 9 * c, JAX_IN_DOUBLE, 1e-4
    if variant.startswith("griffin"):
        d, width = 256, 512
        dense = [normal(m, n, scale=m**-0.5) for m, n in ((d, width), (d, width), (width, width), (width, width), (width, d))]
        w_gate, w_in, w_a, w_i, w_out = dense
        b_a, b_i, lam = (normal(width) for _ in range(3))
        weights = [w_gate, w_in, normal(4, 1, width, scale=0.5), w_a, b_a, w_i, b_i, lam, w_out]
        x = normal(4, 1024, d)
        # Three products of each, but for what x would get back.
        flops = 2 * 4 * 1024 * (3 * sum(w.size for w in dense) - w_gate.size - w_in.size)
        return weights + [x], 4 * (1 + sum(w.size for w in weights)), flops, JAX_IN_DOUBLE, 1e-4
    inputs = [normal(1000), rng.uniform(0.2, 0.9, 1000).astype(np.float32)]
    return inputs, 4000, 0, JAX_IN_DOUBLE, 1e-4
