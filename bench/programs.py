"""The programs of the benchmark: variants, inputs, reference results, and what each must move and compute.

A program is what Ingot and its peers run side by side; a variant is one way of writing or sizing it. The
reference is NumPy in double precision (integers: exact), of all elements. Nothing here knows how a peer computes it.
"""

import concurrent.futures
import functools
import re

import numpy as np
from ml_dtypes import bfloat16

from case import JAX_IN_DOUBLE, OWN_OF_JAX, Case
from loop_cases import loops_case, loops_variants, lstm_case, lstm_variants, state_case, state_variants

TOTAL = 10_000_000  # elements of each tdma input, whatever the length of the systems
PERMUTATION = [0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14]
BATCH = 100_000
def layer_variants():
    return ["f32"]


def layer_case(variant):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((4096, 256), dtype=np.float32)
    w = rng.standard_normal((256, 512), dtype=np.float32) / 16
    b = rng.standard_normal(512, dtype=np.float32)

    def reference():
        y = x.astype(np.float64) @ w.astype(np.float64) + b
        return y / (1 + np.exp(-y))

    return Case("layer", variant, [x, w, b], 4096 * 512 * 4, 2 * 4096 * 256 * 512, ["jax", "simd"], reference,
                tolerance=1e-5, is_product=True, yardsticks=("simd",))


# Labels, the shapes of the two operands, what is done to the result along its last dimension; whether it is added up
# along its first one.
PRODUCTS = [
    "ok,bck->bco@600x821,32x100x821", "bck,ok->bco@32x100x821,600x821",  # one computation, written in two orders
    "mk,kn->mn@2048x2048,2048x2048", "km,nk->mn@2048x2048,2048x2048", "mk,kn->mn@512x512,512x4096",
    "mk,kn->mn@512x4096,4096x512", "mk,kn->mn@4096x512,512x512", "mk,kn->mn@4096x512,512x512+bias+gelu",
    "mk,kn->mn@4096x512,512x512+bias+gelu+sum",
    "bxayc,cyz->zabx@8x32x16x32x64,64x32x48", "bxayc,cyz->zabx@8x32x16x32x64,64x32x48+bias+silu",
    "mk,kn->mn@2048x2048,2048x2048:bf16",
]
THIN_PRODUCTS = [  # memory bounds these
    "mk,k->m@4096x4096,4096", "k,kn->n@4096,4096x4096", "m,n->mn@4096,4096", "bmk,bkn->bmn@10000x3x3,10000x3x3",
    "bmk,bkn->bmn@10000x16x16,10000x16x16", "mk,kn->mn@1000000x4,4x4",
]


def product_variants():
    return PRODUCTS + THIN_PRODUCTS


def product_case(variant):
    plain, _, dtype = variant.partition(":")
    text, *epilogue = plain.split("+")
    labels, _, shapes = text.partition("@")
    rng = np.random.default_rng(6)
    inputs = [rng.standard_normal([int(n) for n in shape.split("x")], dtype=np.float32)
              for shape in shapes.split(",")]
    names, _, result = labels.partition("->")
    extents = {label: n for term, array in zip(names.split(","), inputs) for label, n in zip(term, array.shape)}
    flops = 2 * int(np.prod([extents[label] for label in extents]))
    if dtype:
        inputs = [array.astype(bfloat16) for array in inputs]
    sums = "sum" in epilogue
    output_bytes = inputs[0].itemsize * int(np.prod([extents[label] for label in result[sums:]]))
    operands = list(inputs)
    if epilogue:
        inputs.append(rng.standard_normal(extents[result[-1]], dtype=np.float32))

    def reference():
        y = np.einsum(labels, *(x.astype(np.float64) for x in operands), optimize=True)
        if epilogue:
            y = activation(epilogue[1], y + inputs[2])
        return y.sum(0) if sums else y

    peers = ["jax"] if variant in THIN_PRODUCTS else ["jax", "simd"]
    return Case("product", variant, inputs, output_bytes, flops, peers, reference, tolerance=2**-8 if dtype else 1e-5,
                operations=dtype or "f32", is_product=variant not in THIN_PRODUCTS,
                yardsticks=("simd",) if epilogue else ())


def activation(name, y):
    if name == "silu":
        return y / (1 + np.exp(-y))
    return 0.5 * y * (1 + np.tanh(0.7978845608028654 * (y + 0.044715 * y**3)))


def orders_variants():
    """One product of operands of 8 MB, three free dimensions and one contracted: all layouts, both operand orders."""
    return [f"{first},{second}->abc" for left in ("abk", "akb", "bak", "bka", "kab", "kba") for right in ("kc", "ck")
            for first, second in ((left, right), (right, left))]


def orders_case(variant):
    extents = {"a": 64, "b": 64, "c": 4096, "k": 512}
    rng = np.random.default_rng(7)
    inputs = [rng.standard_normal([extents[label] for label in term], dtype=np.float32)
              for term in variant.partition("->")[0].split(",")]

    def reference():
        return np.einsum(variant, *(x.astype(np.float64) for x in inputs), optimize=True)

    return Case("orders", variant, inputs, 64 * 64 * 4096 * 4, 2 * 64 * 64 * 4096 * 512, [], reference,
                tolerance=1e-5, is_product=True)


def transpose_variants():
    return ["1,0@4096x4096+1", "2,0,3,1@64x128x96x32"]  # the order of the dimensions, the shape, what is added


def transpose_case(variant):
    order, shape, more = re.fullmatch(r"([\d,]+)@([\dx]+)(\+1)?", variant).groups()
    rng = np.random.default_rng(8)
    x = rng.standard_normal([int(n) for n in shape.split("x")], dtype=np.float32)
    return Case("transpose", variant, [x], x.nbytes, 0, ["jax"],
                lambda: np.transpose(x, [int(d) for d in order.split(",")]) + (np.float32(1) if more else np.float32(0)))


CONVOLUTIONS = {  # shapes, layouts of both operands (the result's is the first one's), stride, padding, groups
    "3x3-nhwc": ((8, 56, 56, 64), (3, 3, 64, 64), "NHWC", "HWIO", 1, (1, 1), 1),
    "3x3-nchw": ((8, 64, 56, 56), (64, 64, 3, 3), "NCHW", "OIHW", 1, (1, 1), 1),
    "1x1-nhwc": ((8, 56, 56, 64), (1, 1, 64, 64), "NHWC", "HWIO", 1, (0, 0), 1),
    "7x7-nhwc": ((8, 224, 224, 3), (7, 7, 3, 64), "NHWC", "HWIO", 2, (3, 3), 1),
    "depthwise-nwc": ((4, 1024, 512), (16, 1, 512), "NWC", "WIO", 1, (15, 0), 512),
}


def conv_variants():
    return [f"{name}-{what}" for name in CONVOLUTIONS for what in ("y", "dx", "dw")]


def conv_reference(x, w, dy, what, x_layout, w_layout, stride, padding, groups):
    """By one product for each element of the window; spatial dimensions behind the batch, features last."""
    spatial = [letter for letter in x_layout if letter not in "NC"]
    to_last = lambda v: np.moveaxis(v.astype(np.float64), [x_layout.index(c) for c in ["N", *spatial, "C"]],
                                    range(v.ndim))
    back = lambda v: np.moveaxis(v, range(v.ndim), [x_layout.index(c) for c in ["N", *spatial, "C"]])
    order = [w_layout.index(c) for c in [*spatial, "I", "O"]]
    x, dy, w = to_last(x), to_last(dy), np.transpose(w.astype(np.float64), order)
    grown = np.pad(x, [(0, 0), *[padding] * len(spatial), (0, 0)])
    y, dw, dgrown = np.zeros(dy.shape), np.zeros(w.shape), np.zeros(grown.shape)
    for k in np.ndindex(w.shape[:-2]):
        window = (slice(None), *(slice(i, i + stride * n, stride) for i, n in zip(k, dy.shape[1:-1])))
        if groups > 1:  # each feature by itself
            if what == "y":
                y += grown[window] * w[k][0]
            elif what == "dx":
                dgrown[window] += dy * w[k][0]
            else:
                dw[k][0] = (grown[window] * dy).reshape(-1, groups).sum(0)
        elif what == "y":
            y += grown[window] @ w[k]
        elif what == "dx":
            dgrown[window] += dy @ w[k].T
        else:
            dw[k] = np.tensordot(grown[window], dy, (range(x.ndim - 1), range(x.ndim - 1)))
    if what == "y":
        return back(y)
    if what == "dw":
        return np.transpose(dw, np.argsort(order))
    inside = tuple(slice(padding[0], padding[0] + n) for n in x.shape[1:-1])
    return back(dgrown[(slice(None), *inside)])


def conv_case(variant):
    name, _, what = variant.rpartition("-")
    x_shape, w_shape, x_layout, w_layout, stride, padding, groups = CONVOLUTIONS[name]
    y_shape = list(x_shape)
    y_shape[x_layout.index("C")] = w_shape[w_layout.index("O")]
    window = 1
    for letter in set(x_layout) - set("NC"):
        at, extent = x_layout.index(letter), w_shape[w_layout.index(letter)]
        y_shape[at] = (x_shape[at] + sum(padding) - extent) // stride + 1
        window *= extent
    rng = np.random.default_rng(7)
    x, w, dy = (rng.standard_normal(shape, dtype=np.float32) for shape in (x_shape, w_shape, y_shape))
    inputs = {"y": [x, w], "dx": [w, dy], "dw": [x, dy]}[what]
    output = {"y": dy, "dx": x, "dw": w}[what]
    flops = 2 * dy.size * window * w_shape[w_layout.index("I")]
    peers = ["jax"] + (["copy"] if groups > 1 else [])
    return Case("conv", variant, inputs, output.nbytes, flops, peers,
                lambda: conv_reference(x, w, dy, what, x_layout, w_layout, stride, padding, groups), tolerance=1e-5)


def rows(f):
    """Applies f to the array in double precision."""
    return lambda x: f(x.astype(np.float64))


def numpy_softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def numpy_logsumexp(x, axis):
    high = x.max(axis=axis, keepdims=True)
    return np.squeeze(high + np.log(np.exp(x - high).sum(axis=axis, keepdims=True)), axis)


def numpy_average(x):
    """Over windows of 3x3 that stay inside."""
    n, h, w, c = x.shape
    return sum(x[:, i : h - 2 + i, j : w - 2 + j] for i in range(3) for j in range(3)) / 9


# Shape, dtype, and what is computed; the limit's ceiling stands in floors.py.
REDUCTIONS = {
    "softmax": ((8192, 1024), np.float32, rows(numpy_softmax)),
    "log_softmax": ((8192, 1024), np.float32, rows(lambda x: np.log(numpy_softmax(x)))),
    "layer_norm": ((8192, 1024), np.float32,
                   rows(lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5))),
    "rms_norm": ((8192, 1024), np.float32, rows(lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5))),
    "logsumexp": ((8192, 1024), np.float32, rows(lambda x: numpy_logsumexp(x, 1))),
    "argmax": ((8192, 1024), np.float32, rows(lambda x: x.argmax(1).astype(np.int32))),
    "sum_0": ((4096, 4096), np.float32, rows(lambda x: x.sum(0))),
    "sum_1": ((4096, 4096), np.float32, rows(lambda x: x.sum(1))),
    "sum_all": ((4096, 4096), np.float32, rows(lambda x: x.sum())),
    "mean_var": ((4096, 4096), np.float32, rows(lambda x: x.mean() / np.sqrt(x.var()))),
    "logsumexp_all": ((4096, 4096), np.float32, rows(lambda x: numpy_logsumexp(x, (0, 1)))),
    "cumsum": ((16384, 1024), np.uint32, lambda x: np.cumsum(x, axis=1, dtype=np.uint32)),
    "avg_pool": ((8, 112, 112, 64), np.float32, rows(numpy_average)),
}


def reduce_variants():
    return list(REDUCTIONS)


def reduce_case(variant):
    shape, dtype, f = REDUCTIONS[variant]
    rng = np.random.default_rng(7)
    if dtype == np.uint32:
        x = rng.integers(0, 2**32, shape, dtype=np.uint32)
    else:
        x = rng.standard_normal(shape, dtype=np.float32) + np.float32(0.25)
    expected = f(x)
    exact = variant in ("argmax", "cumsum")
    return Case("reduce", variant, [x], 4 * int(np.prod(np.shape(expected))), 0, ["jax"], lambda: expected,
                tolerance=0.0 if exact else 1e-6 if variant.startswith("sum") else 1e-5)


def tdma_variants():
    return [f"{dtype}-{form}-{length}" for length in (100, 1, 7, 10_000) for dtype in ("f32", "f64")
            for form in ("axis1", "reporter")]


@functools.lru_cache(maxsize=1)  # both forms of the program come one after the other
def tdma_inputs(dtype, length):
    rng = np.random.default_rng(2)
    shape = (TOTAL // length, length)
    numpy_dtype = {"f32": np.float32, "f64": np.float64}[dtype]
    a, b, c, d = (rng.uniform(0.1, 1, shape).astype(numpy_dtype) for _ in range(4))
    b += 3  # diagonally dominant, so that every system is well conditioned
    return [a, b, c, d]


def tdma_reference(a, b, c, d):
    """The solver of the design: two recurrences from a zero carry, in double precision."""
    a, b, c, d = (np.ascontiguousarray(v.T.astype(np.float64)) for v in (a, b, c, d))
    cp, dp = np.zeros_like(c), np.zeros_like(d)
    last_c = last_d = np.zeros(a.shape[1])
    for t in range(a.shape[0]):
        n = 1 / (b[t] - a[t] * last_c)
        cp[t] = last_c = c[t] * n
        dp[t] = last_d = (d[t] - a[t] * last_d) * n
    x = np.zeros(a.shape[1])
    for t in range(a.shape[0] - 1, -1, -1):
        dp[t] = x = dp[t] - cp[t] * x
    return np.ascontiguousarray(dp.T)  # each of its peers is compared with it


def tdma_case(variant):
    dtype, _, length = variant.split("-")
    inputs = list(tdma_inputs(dtype, int(length)))
    return Case("tdma", variant, inputs, inputs[0].nbytes, 0, ["jax", "numba", "simd", "plain", "copy"],
                lambda: tdma_expected(dtype, int(length)), 1e-5 if dtype == "f32" else 1e-13)


@functools.lru_cache(maxsize=1)
def tdma_expected(dtype, length):
    return tdma_reference(*tdma_inputs(dtype, length))


def perm_variants():
    return [f"{way}-{columns}-{batch}" for batch in ("single", "batch") for columns in ("shift3", "abc", "rotl")
            for way in ("gather", "take", "slices")]


def column_function(name, a, b, c, d):
    """The three column functions on the rows of int32 matrices; also what tells the peers what to compute."""
    if name == "shift3":
        for _ in range(3):
            a, b, c, d = a << 7, b << 7, c << 7, d << 7
    elif name == "abc":
        for _ in range(3):
            a = a << 7
            b = b + a
            c = c * b
    else:
        for _ in range(3):
            a = ((a << 7) | ((a >> 25) & 0x7F)) ^ d
            b = b + a
            c = c * b
            d = d ^ c
    return a, b, c, d


def perm_case(variant):
    _, columns, batch = variant.split("-")
    rng = np.random.default_rng(3)
    shape = (4, 4) if batch == "single" else (BATCH, 4, 4)
    x = rng.integers(-(2**31), 2**31, shape, dtype=np.int32)

    def apply_columns(m):
        return np.stack(column_function(columns, *(m[..., row, :] for row in range(4))), axis=-2)

    def reference():
        m = x
        for _ in range(7):
            m = apply_columns(m)
            m = m.reshape(*m.shape[:-2], 16)[..., PERMUTATION].reshape(m.shape)
            m = apply_columns(m)
        return m + x

    peers = ["jax"] if batch == "single" else ["jax", "numba", "plain", "copy"]
    return Case("perm", variant, [x], x.nbytes, 0, peers, reference)


def inner_variants():
    return ["1", "10", "50", "100"] + [f"grad-{calls}" for calls in (1, 4, 10, 50, 100)]


def inner_case(variant):
    rng = np.random.default_rng(4)
    x = rng.standard_normal((64, 64), dtype=np.float32)
    w = rng.standard_normal((64, 64), dtype=np.float32) / 8
    calls = int(variant.removeprefix("grad-"))
    if variant.startswith("grad"):  # JAX compiles for minutes where there are many calls
        few = calls <= 10
        return Case("inner", variant, [x, w], x.nbytes, 3 * calls * 4 * 2 * 64**3, ["jax"] if few else [],
                    JAX_IN_DOUBLE if few else lambda: x, tolerance=1e-2 if few else np.inf,
                    slow_to_compile=("jax",) if calls == 10 else ())

    def reference():
        y, m = x.astype(np.float64), w.astype(np.float64)
        for _ in range(4 * calls):
            e = np.exp(y - y.max(axis=1, keepdims=True))
            y = np.tanh(y @ m) + e / e.sum(axis=1, keepdims=True) * np.sin(y)
        return y

    # The rounds amplify rounding, so that many calls leave no digit to compare: the first ten are judged.
    tolerance = 1e-3 if calls <= 10 else np.inf
    return Case("inner", variant, [x, w], x.nbytes, calls * 4 * 2 * 64**3, ["jax"], reference,
                tolerance=tolerance)


def attention_variants():
    return ["plain", "causal"]


def attention_case(variant):
    rng = np.random.default_rng(9)
    q, k, v = (rng.standard_normal((2, 8, 1024, 64), dtype=np.float32) for _ in range(3))
    keys = 1024 if variant == "plain" else (1 + 1024) / 2  # what a row sees, on average
    return Case("attention", variant, [q, k, v], q.nbytes, int(4 * q.size * keys), ["jax"],
                JAX_IN_DOUBLE, tolerance=1e-5)


def gradient_variants():
    return ["cross_entropy", "layer_norm", "attention", "attention-checkpoint", "take", "mixture_value", "mixture",
            "tdma", "mlp_hvp", "mlp_hessian", "mlp_samples"]


def gradient_case(variant):
    rng = np.random.default_rng(10)

    def normal(*shape, dtype=np.float32):
        return rng.standard_normal(shape, dtype=np.float32).astype(dtype)

    def network(first, hidden, last, batch):
        return [normal(first, hidden) / np.float32(np.sqrt(first)), normal(hidden), normal(hidden, last) / np.float32(np.sqrt(hidden)), normal(last),
                normal(batch, first), normal(batch, last)]

    flops = 0
    if variant == "cross_entropy":
        inputs = [normal(8192, 1024), rng.integers(0, 1024, 8192, dtype=np.int32)]
        output = inputs[0].nbytes
    elif variant == "layer_norm":
        inputs = [normal(8192, 1024), normal(8192, 1024)]
        output = inputs[0].nbytes
    elif variant.startswith("attention"):
        inputs = [normal(2, 8, 1024, 64) for _ in range(4)]
        output, flops = 3 * inputs[0].nbytes, 14 * inputs[0].size * 1024
    elif variant == "take":
        inputs = [normal(10_000, 256), rng.integers(0, 10_000, 50_000, dtype=np.int32), normal(50_000, 256)]
        output = inputs[0].nbytes
    elif variant.startswith("mixture"):
        d, k, n = 20, 50, 10_000
        inputs = [normal(k, dtype=np.float64), normal(k, d, dtype=np.float64),
                  normal(k, d + d * (d - 1) // 2, dtype=np.float64) / 4, normal(n, d, dtype=np.float64)]
        output = 8 if variant == "mixture_value" else sum(x.nbytes for x in inputs[:3])
    elif variant == "tdma":
        inputs = [*tdma_inputs("f32", 100)] + [normal(TOTAL // 100, 100)]
        output = 4 * inputs[0].nbytes
    else:
        inputs = network(*{"mlp_hvp": (256, 512, 64, 1024), "mlp_hessian": (16, 32, 4, 64),
                           "mlp_samples": (64, 64, 16, 10_000)}[variant])
        weights = sum(x.size for x in inputs[:4])
        if variant == "mlp_hvp":  # three products with the first weights, eight with the second ones
            output, flops = 4 * weights, 2 * 1024 * (3 * inputs[0].size + 8 * inputs[2].size)
        else:
            output = 4 * (inputs[0].size**2 if variant == "mlp_hessian" else 10_000 * weights)
    return Case("gradient", variant, inputs, output, flops, ["jax"], JAX_IN_DOUBLE,
                tolerance=1e-4 if variant != "mixture" else 1e-10)


def layout_variants():
    return ["convs-nchw", "convs-calls", "rnn-grad", "rnn-columns", "gru", "mlp-grad"]


def layout_case(variant):
    """Programs whose arguments lie otherwise than their kernels want what they hand to each other."""
    rng = np.random.default_rng(12)

    def normal(*shape, scale=1.0):
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    if variant.startswith("convs"):  # three convolutions with a maximum behind each
        inputs = [normal(8, 64, 56, 56)] + [normal(64, 64, 3, 3, scale=1 / 17) for _ in range(3)]
        output, flops = inputs[0].nbytes, 3 * 2 * inputs[0].size * 576
    elif variant == "gru":  # along axis 0 of (time, batch, features), weights of (3 to, from)
        inputs = [normal(256, 4, 256)] + [normal(768, 256, scale=1 / 16) for _ in range(2)]
        output, flops = inputs[0].nbytes, 2 * 2 * inputs[0].size * 768
    elif variant == "rnn-columns":  # along axis 0 of (time, features, batch), weights of (to, from)
        inputs = [normal(256, 512, 4), normal(512, 512, scale=1 / 23)]
        output, flops = inputs[0].nbytes, 2 * inputs[0].size * 512
    elif variant == "rnn-grad":  # along axis 1 of (batch, time, features)
        inputs = [normal(32, 256, 128), normal(128, 128, scale=1 / 12), normal(128, 128, scale=1 / 12), normal(128),
                  normal(32, 256, 128)]
        output, flops = sum(x.nbytes for x in inputs[1:4]), 5 * 2 * inputs[0].size * 128
    else:
        inputs = [normal(2048, 512)] + [normal(m, n, scale=m**-0.5) for m, n in ((512, 1024), (1024, 512), (512, 256))]
        sizes = [w.size for w in inputs[1:]]
        output, flops = 4 * sum(sizes), 2 * 2048 * (3 * sum(sizes) - sizes[0])
    return Case("layout", variant, inputs, output, flops, ["jax"], JAX_IN_DOUBLE, tolerance=1e-4)


# The transform and the shape of what it is of.
TRANSFORMS = ["fft@1048576", "fft@1000x1000", "fft@16384x64", "fft2@1024x1024", "fft@1000x1009", "fft@1000003",
              "rfft@1048576", "irfft@524289", "fft@1048576:c128"]


def fft_variants():
    return TRANSFORMS


def fft_case(variant):
    plain, _, dtype = variant.partition(":")
    name, _, shape = plain.partition("@")
    rng = np.random.default_rng(8)
    shape = [int(n) for n in shape.split("x")]
    x = rng.standard_normal(shape)
    if name != "rfft":
        x = x + 1j * rng.standard_normal(shape)
    transform = getattr(np.fft, name)
    expected = transform(x)
    if not dtype:
        x = x.astype(np.float32 if name == "rfft" else np.complex64)
    part = 8 if dtype else 4
    return Case("fft", variant, [x], expected.size * (2 if np.iscomplexobj(expected) else 1) * part, 0,
                ["jax", "fftw"], lambda: transform(x.astype(np.float64 if name == "rfft" else np.complex128)),
                tolerance=1e-13 if dtype else 3e-6)


def chain_variants():
    return [f"{kind}-{count}" for kind in ("sine", "maxadd") for count in (100, 300, 1000)]


def chain_case(variant):
    kind, count = variant.split("-")
    count = int(count)
    rng = np.random.default_rng(5)
    size = 5_000_000 if count == 100 else 65_536
    x = rng.uniform(-3, 3, size).astype(np.float32)
    y = rng.uniform(0.1, 0.9, size).astype(np.float32)
    inputs = [x] if kind == "sine" else [x, y]

    def piece(start):  # pieces that stay in a cache, on all threads
        v, factor = (a[start : start + 65_536].astype(np.float64) for a in (x, y))
        for i in range(count):
            v = np.sin(v) * 1.01 + i if kind == "sine" else np.maximum(v * factor + 0.001 * i, factor)
        return v

    def reference():
        with concurrent.futures.ThreadPoolExecutor() as threads:
            return np.concatenate(list(threads.map(piece, range(0, size, 65_536))))

    # A sine in single precision takes some 16 operations: reduction, polynomial, sign. XLA takes more than 6 GB of
    # memory to compile 1000 maxima, and seconds for 1000 sines.
    flops = size * count * (18 if kind == "sine" else 3)
    peers = ["jax"] * (variant != "maxadd-1000") + ["copy"] * (count == 100)
    return Case("chain", variant, inputs, x.nbytes, flops, peers, reference, 1e-4,
                slow_to_compile=("jax",) if count == 1000 else ())


def call_variants():
    return ["8"]


def call_case(variant):
    x = np.arange(int(variant), dtype=np.float32)
    return Case("call", variant, [x], x.nbytes, 0, ["jax"], lambda: x * 2 + 1, tolerance=1e-6)


def small_variants():
    return ["affine"]


def small_case(variant):
    x = np.arange(4096, dtype=np.float32)
    return Case("small", variant, [x], x.nbytes, 0, ["jax"], lambda: x * 2 + 1, tolerance=1e-6)


def of_jax(program, table):
    """The variants of a program that is a table of functions of JAX, and what makes them cases."""
    def variants():
        import jax_lines
        return list(getattr(jax_lines, table))

    def case(variant):
        import jax_lines
        _, arguments, tolerance = getattr(jax_lines, table)[variant]
        inputs = [np.asarray(value) for value in arguments]
        by_numpy = jax_lines.BY_NUMPY.get(variant)
        peers, reference = (["jax"], OWN_OF_JAX) if by_numpy is None else ([], lambda: by_numpy(*inputs))
        return Case(program, variant, inputs, 0, 0, peers, reference, tolerance, from_jax=True)

    return variants, case


PROGRAMS = {
    "layer": (layer_variants, layer_case),
    "product": (product_variants, product_case),
    "orders": (orders_variants, orders_case),
    "transpose": (transpose_variants, transpose_case),
    "conv": (conv_variants, conv_case),
    "reduce": (reduce_variants, reduce_case),
    "tdma": (tdma_variants, tdma_case),
    "perm": (perm_variants, perm_case),
    "inner": (inner_variants, inner_case),
    "attention": (attention_variants, attention_case),
    "gradient": (gradient_variants, gradient_case),
    "layout": (layout_variants, layout_case),
    "lstm": (lstm_variants, lstm_case),
    "state": (state_variants, state_case),
    "loops": (loops_variants, loops_case),
    "fft": (fft_variants, fft_case),
    "chain": (chain_variants, chain_case),
    "call": (call_variants, call_case),
    "small": (small_variants, small_case),
    "functions": of_jax("functions", "FUNCTIONS"),
    "operations": of_jax("operations", "OPERATIONS"),
    "npbench": of_jax("npbench", "IN_DOUBLE"),
}
BY_NAME = ("functions", "operations", "npbench", "loops")  # not in a run of all programs
