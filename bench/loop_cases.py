"""The lines `loops`: inputs and references of examples/programs/loops.h."""

import numpy as np

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


def describe(variant, in_double):
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
        return [x], x.nbytes, 0, (lambda: heat_reference(x)) if n <= 1024 else in_double, 1e-5
    if variant.startswith("leaves"):
        inputs = [normal(60), rng.uniform(0.2, 0.9, 60).astype(np.float32), normal(614, scale=0.3)]
        return inputs, 240, 0, in_double, 1e-4
    if variant == "logistic":  # r at a stable orbit: what rounds otherwise comes back to it
        inputs = [np.float64(0.3), np.float64(3.5)]
        return [np.asarray(x) for x in inputs], 80_000_000, 0, lambda: logistic_reference(*inputs), 1e-9
    if variant == "viterbi":
        # Whole numbers, whose sums are exact: the path is the same in every precision.
        inputs = [rng.integers(-1000, 1000, shape).astype(np.float32) for shape in ((256, 64, 32), (32, 32))]
        return inputs, 4 * 256 * 64, 0, in_double, 0.0
    if variant.startswith("kalman"):
        a = np.array([[0.9, 0.2], [-0.1, 0.8]])
        q, r = np.array([[0.3, 0.1], [0.1, 0.2]]), np.array([[0.5, 0.0], [0.0, 0.4]])
        inputs = [a, q, r, rng.standard_normal((500, 1000, 2))]
        return inputs, 8 * (13 if variant.endswith("grad") else 1), 0, in_double, 1e-9
    if variant == "transformer-grad":
        d = 512
        weights = [normal(d, scale=0.1) + 1 for _ in range(2)]
        weights += [normal(m, n, scale=m**-0.5) for m, n in ((d, 3 * d), (d, d), (d, 4 * d), (4 * d, d))]
        x = normal(8, 512, d)
        dense = 2 * 8 * 512 * sum(w.size for w in weights[2:])
        attention = 7 * 2 * 8 * 512 * 512 * d // 2  # two products there, five back, half of each below the diagonal
        return weights + [x], 4 * (1 + sum(w.size for w in weights)), 3 * dense + attention, in_double, 1e-4
    if variant == "residual-grad":
        c = 64
        weights = [normal(3, 3, c, c, scale=1 / 24), normal(c, scale=0.1) + 1, normal(c, scale=0.1)] * 2
        x = normal(16, 32, 32, c)
        return weights + [x], 4 * (1 + sum(w.size for w in weights)), 5 * 2 * x.size * 9 * c, in_double, 1e-4
    if variant.startswith("griffin"):
        d, width = 256, 512
        dense = [normal(m, n, scale=m**-0.5) for m, n in ((d, width), (d, width), (width, width), (width, width), (width, d))]
        w_gate, w_in, w_a, w_i, w_out = dense
        b_a, b_i, lam = (normal(width) for _ in range(3))
        weights = [w_gate, w_in, normal(4, 1, width, scale=0.5), w_a, b_a, w_i, b_i, lam, w_out]
        x = normal(4, 1024, d)
        # Three products of each, but for what x would get back.
        flops = 2 * 4 * 1024 * (3 * sum(w.size for w in dense) - w_gate.size - w_in.size)
        return weights + [x], 4 * (1 + sum(w.size for w in weights)), flops, in_double, 1e-4
    inputs = [normal(1000), rng.uniform(0.2, 0.9, 1000).astype(np.float32)]
    return inputs, 4000, 0, in_double, 1e-4
