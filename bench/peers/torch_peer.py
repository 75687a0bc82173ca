"""PyTorch on the CPU: each program as its users write it, with the library's own functions where it has them.

`torch_peer.py eager` runs it as it is called, `torch_peer.py inductor` through torch.compile. A gradient is the way back
of a loss, as in training: the loss is what is compiled, and its way back with it."""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
import torch
import torch._dynamo
import torch.nn.functional as F
import torch.utils.checkpoint

from peers.serve import Peer, release_memory, serve
from programs import CONVOLUTIONS, bfloat16

COMPILED = "inductor" in sys.argv[1:]


def tensor(array):
    if array.dtype == bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array.view(np.int32) if array.dtype == np.uint32 else array)


def build(f):
    return torch.compile(f, dynamic=False) if COMPILED else f


def plain(f):
    """A program without derivatives."""
    built = build(f)

    def run(*arguments):
        with torch.no_grad():
            return built(*arguments)

    return run


def flat(gradients):
    return torch.cat([g.reshape(-1) for g in gradients])


def gradient_of(loss, wrt, join=flat):
    """The gradients in the arguments `wrt`, joined."""
    built = build(loss)

    def run(*arguments):
        leaves = [a.detach().requires_grad_(i in wrt) for i, a in enumerate(arguments)]
        gradients = torch.autograd.grad(built(*leaves), [leaves[i] for i in wrt])
        with torch.no_grad():
            return join(gradients)

    return run


def alone(gradients):
    return gradients[0]


def layer(variant):
    return plain(lambda x, w, b: F.silu(torch.addmm(b, x, w)))


def product(variant):
    text, *epilogue = variant.partition(":")[0].split("+")
    labels = text.partition("@")[0]
    if not epilogue:
        return plain(lambda x, y: torch.einsum(labels, x, y))
    activation = {"gelu": lambda y: F.gelu(y, approximate="tanh"), "silu": F.silu}[epilogue[1]]
    whole = lambda x, y, bias: activation(torch.einsum(labels, x, y) + bias)
    return plain((lambda *args: whole(*args).sum(0)) if "sum" in epilogue else whole)


def transpose(variant):
    order = [int(d) for d in variant.partition("@")[0].split(",")]
    if not variant.endswith("+1"):
        return plain(lambda x: x.permute(order).contiguous())
    if COMPILED:
        return plain(lambda x: (x.permute(order) + 1).contiguous())
    return plain(lambda x: x.permute(order).contiguous().add_(1))


def conv(variant):
    """PyTorch's order of dimensions is batch, features, places; others are views of it."""
    name, _, what = variant.rpartition("-")
    x_shape, w_shape, x_layout, w_layout, stride, padding, groups = CONVOLUTIONS[name]
    places = [c for c in x_layout if c not in "NC"]
    to_x = [x_layout.index(c) for c in ["N", "C", *places]]
    to_w = [w_layout.index(c) for c in ["O", "I", *places]]
    back_x, back_w = list(np.argsort(to_x)), list(np.argsort(to_w))
    n, (before, after) = len(places), padding
    own = 0 if before != after else before  # PyTorch pads both sides alike; else a padded copy
    grown_shape = [extent + (before + after - 2 * own) * (c in places) for c, extent in zip(x_layout, x_shape)]

    def grown(x):
        return F.pad(x.permute(to_x), (before, after) * n) if before != after else x.permute(to_x)

    def backward(dy, x, w, mask):
        return torch.ops.aten.convolution_backward(dy.permute(to_x), x, w, None, [stride] * n, [own] * n, [1] * n, False,
                                                   [0] * n, groups, mask)

    if what == "y":
        convolve = {1: F.conv1d, 2: F.conv2d}[n]
        return plain(lambda x, w: convolve(grown(x), w.permute(to_w), None, stride, own, 1, groups).permute(back_x)
                     .contiguous())
    if what == "dx":
        like = torch.zeros(grown_shape).permute(to_x)  # only its shape and order matter
        inside = tuple(slice(before - own, None) if c in places else slice(None) for c in ["N", "C", *places])
        return plain(lambda w, dy: backward(dy, like, w.permute(to_w), [True, False, False])[0][inside].permute(back_x)
                     .contiguous())
    like = torch.zeros(w_shape).permute(to_w)
    return plain(lambda x, dy: backward(dy, grown(x), like, [False, True, False])[1].permute(back_w).contiguous())


def mean_over_deviation(x):
    variance, mean = torch.var_mean(x, correction=0)
    return mean / variance.sqrt()


REDUCTIONS = {
    "softmax": lambda x: torch.softmax(x, 1),
    "log_softmax": lambda x: torch.log_softmax(x, 1),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "rms_norm": lambda x: F.rms_norm(x, x.shape[1:], eps=1e-5),
    "logsumexp": lambda x: torch.logsumexp(x, 1),
    "argmax": lambda x: x.argmax(1),
    "sum_0": lambda x: x.sum(0),
    "sum_1": lambda x: x.sum(1),
    "sum_all": lambda x: x.sum(),
    "mean_var": mean_over_deviation,
    "logsumexp_all": lambda x: torch.logsumexp(x, (0, 1)),
    "cumsum": lambda x: torch.cumsum(x, 1, dtype=torch.int32),
    "avg_pool": lambda x: F.avg_pool2d(x.permute(0, 3, 1, 2), 3, 1).permute(0, 2, 3, 1).contiguous(),
}


def attention(variant):
    return plain(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=variant == "causal"))


def mlp_loss(w1, b1, w2, b2, x, y):
    return ((torch.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()


def gradient(variant):
    if variant == "cross_entropy":
        return gradient_of(lambda x, y: F.cross_entropy(x, y.long()), [0], alone)
    if variant == "layer_norm":
        return gradient_of(lambda x, dy: (F.layer_norm(x, x.shape[1:]) * dy).sum(), [0], alone)
    if variant == "take":
        return gradient_of(lambda x, rows, dy: (x[rows] * dy).sum(), [0], alone)
    if variant.startswith("attention"):
        def attend(q, k, v):
            return F.scaled_dot_product_attention(q, k, v, is_causal="causal" in variant)

        def loss(q, k, v, dy):
            if "checkpoint" in variant:
                return (torch.utils.checkpoint.checkpoint(attend, q, k, v, use_reentrant=False) * dy).sum()
            return (attend(q, k, v) * dy).sum()

        return gradient_of(loss, [0, 1, 2], torch.stack)
    from torch.func import grad, hessian, jvp, vmap

    slopes = grad(mlp_loss, (0, 1, 2, 3))
    if variant == "mlp_hvp":
        return plain(lambda *a: flat(jvp(lambda *p: slopes(*p, *a[4:]), a[:4], a[:4])[1]))
    if variant == "mlp_hessian":
        return plain(lambda w1, b1, w2, b2, x, y: hessian(lambda w: mlp_loss(w, b1, w2, b2, x, y))(w1))

    return plain(vmap(lambda *a: flat(slopes(*a)), (None, None, None, None, 0, 0)))


def recurrent_options(batch_first=False):
    """Of torch.lstm and its like: with biases, one layer, no dropout, in training or not, in one direction."""
    return True, 1, 0.0, torch.is_grad_enabled(), False, batch_first


def layout(variant):
    if variant.startswith("convs"):
        def convs(x, *weights):
            for w in weights:
                x = F.relu(F.conv2d(x, w, padding=1), inplace=not COMPILED)
            return x

        return plain(convs)
    if variant == "gru":
        def gru(xs, w, u):
            none = xs.new_zeros(w.shape[0])
            return torch.gru(xs, xs.new_zeros(1, xs.shape[1], u.shape[1]), (w, u, none, none), *recurrent_options())[0]

        return plain(gru)
    if variant == "rnn-columns":
        def columns(xs, u):
            h, states = torch.zeros_like(xs[0]), torch.empty_like(xs)
            for t, x in enumerate(xs):
                h = torch.tanh(torch.addmm(x, u, h), out=states[t])
            return states

        return plain(columns)
    if variant == "rnn-grad":
        def loss(xs, w, u, b, dy):
            start = xs.new_zeros(1, xs.shape[0], u.shape[0])
            states = torch.rnn_tanh(xs, start, (w.T, u.T, b, torch.zeros_like(b)), *recurrent_options(batch_first=True))
            return (states[0] * dy).sum()

        return gradient_of(loss, [1, 2, 3])
    return gradient_of(lambda x, a, b, c: (torch.tanh(torch.tanh(x @ a) @ b) @ c).sum(), [1, 2, 3])


def lstm(variant):
    def total(xs, w, u, b):
        start = xs.new_zeros(1, xs.shape[1], u.shape[1])
        return torch.lstm(xs, (start, start), (w, u, b, torch.zeros_like(b)), *recurrent_options())[0].sum()

    return plain(total) if variant == "sum" else gradient_of(total, [1, 2, 3])


def chain(variant):
    kind, count = variant.split("-")

    def sine(x):
        for i in range(int(count)):
            x = torch.sin(x) * 1.01 + i
        return x

    def maxadd(x, y):
        for i in range(int(count)):
            x = torch.maximum(x * y + 0.001 * i, y)
        return x

    return plain(sine if kind == "sine" else maxadd)


def affine(variant):
    return plain(lambda x: x * 2 + 1)


PROGRAMS = {"layer": layer, "product": product, "transpose": transpose, "conv": conv,
            "reduce": lambda variant: plain(REDUCTIONS[variant]), "attention": attention, "gradient": gradient,
            "layout": layout, "lstm": lstm, "chain": chain, "call": affine, "small": affine}


class TorchPeer(Peer):
    """Results come from malloc, which keeps what was freed (OF_TORCH in workers.py): `reused` frees the last one
    first, `fresh` gives it back to the system."""

    def __init__(self):
        torch.set_num_threads(len(os.sched_getaffinity(0)))

    def prepare(self, program, variant, arguments):
        self.result = None
        if COMPILED:
            torch._dynamo.reset()
        self.unsigned = arguments[0].dtype == np.uint32
        self.arguments = [tensor(v) for v in arguments]
        self.function = PROGRAMS[program](variant)
        start = time.perf_counter()
        self.run(True)
        self.compile_ms = (time.perf_counter() - start) * 1e3

    def discard(self, fresh):
        self.result = None
        if fresh:
            release_memory()

    def run(self, fresh):
        self.result = self.function(*self.arguments)

    def collect(self):
        self.run(True)
        result = self.result.detach().contiguous()
        if result.dtype == torch.bfloat16:
            return [result.view(torch.int16).numpy().view(bfloat16)]
        return [result.numpy().view(np.uint32) if self.unsigned else result.numpy()]

    def info(self):
        told = {"version": f"torch {torch.__version__}", "way": sys.argv[-1]}
        return told | ({"compile_ms": self.compile_ms} if COMPILED else {})


if __name__ == "__main__":
    serve(TorchPeer())
