"""JAX on the CPU: each program as its users write it."""

import os
import pathlib
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "false"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import jax
import jax.numpy as jnp
import numpy as np

from jax_lines import FUNCTIONS, IN_DOUBLE, OPERATIONS
from peers import jax_loops
from peers.serve import Peer, release_memory, serve
from programs import CONVOLUTIONS, PERMUTATION, column_function

jax.config.update("jax_enable_x64", True)


def layer(variant):
    return lambda x, w, b: jax.nn.silu(x @ w + b)


def product(variant):
    text, *epilogue = variant.split("+")
    labels = text.partition("@")[0]
    if epilogue:
        activation = {"gelu": jax.nn.gelu, "silu": jax.nn.silu}[epilogue[1]]
        whole = lambda x, y, bias: activation(jnp.einsum(labels, x, y) + bias)
        return (lambda *args: whole(*args).sum(0)) if "sum" in epilogue else whole
    return lambda x, y: jnp.einsum(labels, x, y)


def conv(variant):
    name, _, what = variant.rpartition("-")
    x_shape, w_shape, x_layout, w_layout, stride, padding, groups = CONVOLUTIONS[name]
    spatial = len(x_shape) - 2

    def forward(x, w):
        return jax.lax.conv_general_dilated(x, w, (stride,) * spatial, (padding,) * spatial,
                                            dimension_numbers=(x_layout, w_layout, x_layout),
                                            feature_group_count=groups)

    if what == "dx":
        return lambda w, dy: jax.linear_transpose(lambda x: forward(x, w), jax.ShapeDtypeStruct(x_shape, w.dtype))(dy)[0]
    if what == "dw":
        return lambda x, dy: jax.linear_transpose(lambda w: forward(x, w), jax.ShapeDtypeStruct(w_shape, x.dtype))(dy)[0]
    return forward


def transpose(variant):
    order = [int(d) for d in variant.partition("@")[0].split(",")]
    return (lambda x: jnp.transpose(x, order) + 1) if variant.endswith("+1") else (lambda x: jnp.transpose(x, order))


def average_pool(x):
    summed = jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "VALID")
    return summed / 9


def layer_norm(x):
    return (x - x.mean(1, keepdims=True)) * jax.lax.rsqrt(x.var(1, keepdims=True) + 1e-5)


REDUCTIONS = {
    "softmax": lambda x: jax.nn.softmax(x, axis=1),
    "log_softmax": lambda x: jax.nn.log_softmax(x, axis=1),
    "layer_norm": layer_norm,
    "rms_norm": lambda x: x * jax.lax.rsqrt((x * x).mean(1, keepdims=True) + 1e-5),
    "logsumexp": lambda x: jax.nn.logsumexp(x, axis=1),
    "argmax": lambda x: jax.lax.argmax(x, 1, jnp.int32),
    "sum_0": lambda x: x.sum(0),
    "sum_1": lambda x: x.sum(1),
    "sum_all": lambda x: x.sum(),
    "mean_var": lambda x: x.mean() / jnp.sqrt(x.var()),
    "logsumexp_all": jax.nn.logsumexp,
    "cumsum": lambda x: jnp.cumsum(x, axis=1),
    "avg_pool": average_pool,
}


def tdma(variant):
    _, form, _ = variant.split("-")

    def forward(carry, slices):
        last_c, last_d = carry
        a, b, c, d = slices
        n = 1 / (b - a * last_c)
        new = (c * n, (d - a * last_d) * n)
        return new, new

    def backward(last, slices):
        cp, dp = slices
        x = dp - cp * last
        return x, x

    def reporter(a, b, c, d):
        zero = jnp.zeros(a.shape[0], a.dtype)
        _, (cp, dp) = jax.lax.scan(forward, (zero, zero), (a.T, b.T, c.T, d.T))
        _, x = jax.lax.scan(backward, zero, (cp[::-1], dp[::-1]))
        return x[::-1].T

    def axis1(a, b, c, d):  # JAX scans over axis 0 only; its own reverse flag saves the reversals
        zero = jnp.zeros(a.shape[0], a.dtype)
        diagonals = tuple(jnp.moveaxis(v, 1, 0) for v in (a, b, c, d))
        _, (cp, dp) = jax.lax.scan(forward, (zero, zero), diagonals)
        _, x = jax.lax.scan(backward, zero, (cp, dp), reverse=True)
        return jnp.moveaxis(x, 0, 1)

    return reporter if form == "reporter" else axis1


def perm(variant):
    way, columns, batch = variant.split("-")
    indices = np.array(PERMUTATION)

    def apply_column(column):
        if columns == "shift3":
            for _ in range(3):
                column = column << 7
            return column
        rows = column_function(columns, *(column[i : i + 1] for i in range(4)))
        return jnp.concatenate(rows)

    def permute(m):
        if way == "gather":
            return m.reshape(16)[indices].reshape(4, 4)
        if way == "take":
            return jnp.take(m, indices).reshape(4, 4)
        rotated = [jnp.concatenate([m[row, row:], m[row, :row]]) for row in range(4)]
        return jnp.stack(rotated)

    over_columns = jax.vmap(apply_column, in_axes=1, out_axes=1)

    def one(x):
        m = x
        for _ in range(7):
            m = over_columns(permute(over_columns(m)))
        return m + x

    return one if batch == "single" else jax.vmap(one)


def inner(variant):
    @jax.jit
    def block(x, w):
        for _ in range(4):
            x = jnp.tanh(x @ w) + jax.nn.softmax(x) * jnp.sin(x)
        return x

    def outer(x, w):
        for _ in range(int(variant.removeprefix("grad-"))):
            x = block(x, w)
        return x

    if not variant.startswith("grad"):
        return outer
    return jax.grad(lambda x, w: outer(x, w).sum())


def attention(variant):
    def attend(q, k, v):
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1]).astype(q.dtype)
        if "causal" in variant:
            length = jnp.arange(q.shape[2])
            scores = jnp.where(length[:, None] >= length, scores, -jnp.inf)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)

    return attend


def mixture(alphas, means, icf, x):
    """ADBench's objective, as its JAX version writes it: whole arrays."""
    d, k = x.shape[1], alphas.shape[0]
    logs, below = icf[:, :d], icf[:, d:]
    columns, rows = np.triu_indices(d, 1)
    lower = jnp.zeros((k, d, d), icf.dtype).at[:, rows, columns].set(below)
    centred = x[:, None, :] - means
    scaled = jnp.exp(logs) * centred + jnp.einsum("kij,nkj->nki", lower, centred)
    inner = alphas + logs.sum(1) - 0.5 * (scaled**2).sum(2)
    prior = 0.5 * ((jnp.exp(logs) ** 2).sum() + (below**2).sum())
    return jax.nn.logsumexp(inner, axis=1).sum() - x.shape[0] * jax.nn.logsumexp(alphas) + prior


def mlp_loss(parameters, x, y):
    w1, b1, w2, b2 = parameters
    return ((jnp.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()


def flat(arrays):
    return jnp.concatenate([array.reshape(-1) for array in arrays])


def gradient(variant):
    if variant == "cross_entropy":
        return jax.grad(lambda x, y: -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean())
    if variant == "layer_norm":
        return jax.grad(lambda x, dy: (REDUCTIONS["layer_norm"](x) * dy).sum())
    if variant == "take":
        return jax.grad(lambda x, rows, dy: (jnp.take(x, rows, axis=0) * dy).sum())
    if variant.startswith("attention"):
        attend = jax.checkpoint(attention(variant)) if "checkpoint" in variant else attention(variant)
        loss = lambda q, k, v, dy: (attend(q, k, v) * dy).sum()
        return lambda *arguments: jnp.stack(jax.grad(loss, (0, 1, 2))(*arguments))
    if variant == "mixture_value":
        return mixture
    if variant == "mixture":
        return lambda *arguments: flat(jax.grad(mixture, (0, 1, 2))(*arguments))
    if variant == "tdma":
        solve = tdma("f32-axis1-100")
        return lambda *arguments: jnp.stack(jax.grad(lambda a, b, c, d, dy: (solve(a, b, c, d) * dy).sum(),
                                                     (0, 1, 2, 3))(*arguments))
    if variant == "mlp_hvp":
        return lambda *a: flat(jax.jvp(jax.grad(lambda p: mlp_loss(p, *a[4:])), (a[:4],), (a[:4],))[1])
    if variant == "mlp_hessian":
        return lambda w1, b1, w2, b2, x, y: jax.hessian(lambda w: mlp_loss((w, b1, w2, b2), x, y))(w1)
    one = lambda parameters, x, y: flat(jax.grad(mlp_loss)(parameters, x, y))
    return lambda *a: jax.vmap(one, (None, 0, 0))(a[:4], *a[4:])


def layout(variant):
    if variant.startswith("convs"):
        def convs(x, *weights):
            for w in weights:
                x = jnp.maximum(jax.lax.conv_general_dilated(x, w, (1, 1), "SAME"), 0)
            return x

        return convs
    if variant == "gru":
        def gru(xs, w, u):
            def step(h, p):
                (pr, pz, pn), (qr, qz, qn) = (jnp.split(v, 3, axis=1) for v in (p, h @ u.T))
                r, z = jax.nn.sigmoid(pr + qr), jax.nn.sigmoid(pz + qz)
                h = (1 - z) * jnp.tanh(pn + r * qn) + z * h
                return h, h

            return jax.lax.scan(step, jnp.zeros(xs.shape[1:], xs.dtype), xs @ w.T)[1]

        return gru
    if variant == "rnn-columns":
        def columns(xs, u):
            def step(h, x):
                h = jnp.tanh(x + u @ h)
                return h, h

            return jax.lax.scan(step, jnp.zeros(xs.shape[1:], xs.dtype), xs)[1]

        return columns
    if variant == "rnn-grad":
        def rnn(w, u, b, x):
            def step(h, p):
                h = jnp.tanh(p + h @ u)
                return h, h

            start = jnp.zeros((x.shape[0], u.shape[0]), x.dtype)
            return jax.lax.scan(step, start, jnp.swapaxes(x @ w + b, 0, 1))[1].swapaxes(0, 1)

        return lambda x, w, u, b, dy: flat(jax.grad(lambda *p: (rnn(*p, x) * dy).sum(), (0, 1, 2))(w, u, b))
    loss = lambda a, b, c, x: (jnp.tanh(jnp.tanh(x @ a) @ b) @ c).sum()
    return lambda x, a, b, c: flat(jax.grad(loss, (0, 1, 2))(a, b, c, x))


def lstm(variant):
    def total(xs, w, u, b):
        def step(state, p):
            h, c = state
            i, f, g, o = jnp.split(p + h @ u.T, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((xs.shape[1], u.shape[1]), xs.dtype)
        return jax.lax.scan(step, (zero, zero), xs @ w.T + b)[1].sum()

    return total if variant == "sum" else lambda *arguments: flat(jax.grad(total, (1, 2, 3))(*arguments))


def state(variant):
    write = lambda x, v, at: jax.lax.dynamic_update_slice(x, v[None], (at,))
    if variant == "products":
        return lambda x, w: jax.lax.scan(lambda a, _: (a @ w, None), x, None, length=2000)[0]
    if variant == "ring":
        return lambda x, v: jax.lax.scan(lambda a, n: (jnp.concatenate([a[1:], n[None]]), None), x, v)[0]
    if variant == "cond":
        step = lambda x, p: (jax.lax.cond(p[2] > 0, write, lambda x, v, at: x, x, p[0], p[1]), None)
    else:
        step = lambda x, p: (write(x, *p), None)
    return lambda x, *slices: jax.lax.scan(step, x, slices)[0]


def chain(variant):
    kind, count = variant.split("-")

    def sine(x):
        for i in range(int(count)):
            x = jnp.sin(x) * 1.01 + i
        return x

    def maxadd(x, y):
        for i in range(int(count)):
            x = jnp.maximum(x * y + 0.001 * i, y)
        return x

    return sine if kind == "sine" else maxadd


def fft(variant):
    return getattr(jnp.fft, variant.partition("@")[0])


def affine(variant):
    return lambda x: x * 2 + 1


PROGRAMS = {"layer": layer, "product": product, "reduce": REDUCTIONS.get, "transpose": transpose, "attention": attention, "gradient": gradient,
            "conv": conv, "tdma": tdma, "perm": perm, "inner": inner, "layout": layout, "lstm": lstm, "state": state, "loops": jax_loops.PROGRAMS.get, "fft": fft, "chain": chain, "call": affine, "small": affine,
            "functions": lambda variant: FUNCTIONS[variant][0],
            "operations": lambda variant: OPERATIONS[variant][0],
            "npbench": lambda variant: IN_DOUBLE[variant][0]}


def in_x64(program):
    """What users write has the types of JAX's defaults; the bench's own programs have f64 as well."""
    return program not in ("functions", "operations")


class JaxPeer(Peer):
    """`fresh` is the plain call, after malloc has given back to the system what results were in: it keeps what is below
    32 MB, and the next result would lie there. `reused` donates the last result, so that XLA writes into its memory."""

    def __init__(self):
        jax.devices()  # start the back end outside of every measurement

    def prepare(self, program, variant, arguments):
        jax.config.update("jax_enable_x64", in_x64(program))
        function = PROGRAMS[program](variant)
        self.arguments = [jax.device_put(v) for v in arguments]
        jitted = jax.jit(function)
        start = time.perf_counter()
        compiled = jitted.lower(*self.arguments).compile()
        self.compile_ms = (time.perf_counter() - start) * 1e3
        # A jitted function is called faster than a compiled one; elsewhere the difference does not show.
        self.plain = jitted if program == "call" else compiled
        self.donating = jax.jit(lambda out, *args: function(*args), donate_argnums=0, keep_unused=True)
        self.recycling = None
        self.result = jax.block_until_ready(self.plain(*self.arguments))
        self.can_recycle = program != "call"

    def discard(self, fresh):
        if fresh:
            self.result = None
            release_memory()
        elif self.result is None:
            self.result = jax.block_until_ready(self.plain(*self.arguments))
        if not fresh and self.can_recycle and self.recycling is None:
            self.recycling = self.donating.lower(self.result, *self.arguments).compile()

    def run(self, fresh):
        if fresh or self.recycling is None:
            self.result = self.plain(*self.arguments)
        else:
            self.result = self.recycling(self.result, *self.arguments)
        jax.block_until_ready(self.result)

    def collect(self):
        return [np.asarray(leaf) for leaf in jax.tree.leaves(self.plain(*self.arguments))]

    def info(self):
        return {"compile_ms": self.compile_ms, "version": f"jax {jax.__version__}"}


if __name__ == "__main__":
    serve(JaxPeer())
