"""Numba, parallel over the rows or matrices: what a careful user writes by hand in Python. Divisions are NumPy's (a
division that checks for zero is not vectorized), and no row allocates: each thread has one row of scratch memory."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numba
import numpy as np

from peers.serve import Peer, release_memory, serve
from programs import PERMUTATION


@numba.njit(parallel=True, error_model="numpy")
def solve_tridiagonal(a, b, c, d, scratch, out):
    rows, length = a.shape
    for i in numba.prange(rows):
        cp = scratch[numba.get_thread_id()]
        one = a.dtype.type(1)
        last_c = a.dtype.type(0)
        last_d = a.dtype.type(0)
        for t in range(length):
            n = one / (b[i, t] - a[i, t] * last_c)
            last_c = c[i, t] * n
            last_d = (d[i, t] - a[i, t] * last_d) * n
            cp[t] = last_c
            out[i, t] = last_d
        x = a.dtype.type(0)
        for t in range(length - 1, -1, -1):
            x = out[i, t] - cp[t] * x
            out[i, t] = x


SOURCE = np.array(PERMUTATION)
KINDS = {"shift3": 0, "abc": 1, "rotl": 2}


@numba.njit(error_model="numpy")
def apply_columns(m, kind):
    for j in range(4):
        a, b, c, d = m[j], m[4 + j], m[8 + j], m[12 + j]
        for _ in range(3):
            # Numba widens integers to 64 bits in every operation; the casts keep the wrap at 32.
            if kind == 0:
                a, b = np.uint32(a << 7), np.uint32(b << 7)
                c, d = np.uint32(c << 7), np.uint32(d << 7)
            elif kind == 1:
                a = np.uint32(a << 7)
                b = np.uint32(b + a)
                c = np.uint32(c * b)
            else:
                a = np.uint32(np.uint32(a << 7) | np.uint32(a >> 25)) ^ d
                b = np.uint32(b + a)
                c = np.uint32(c * b)
                d = np.uint32(d ^ c)
        m[j], m[4 + j], m[8 + j], m[12 + j] = a, b, c, d


@numba.njit(parallel=True, error_model="numpy")
def permute_batch(x, out, kind, source, scratch):
    for i in numba.prange(x.shape[0]):
        m = scratch[numba.get_thread_id(), :16]
        n = scratch[numba.get_thread_id(), 16:32]
        for k in range(16):
            m[k] = x[i, k]
        for _ in range(7):
            apply_columns(m, kind)
            for k in range(16):
                n[k] = m[source[k]]
            for k in range(16):
                m[k] = n[k]
            apply_columns(m, kind)
        for k in range(16):
            out[i, k] = m[k] + x[i, k]


def scratch_rows(length, dtype):
    """One row for each thread, in cache lines of its own."""
    lines = -(-length * np.dtype(dtype).itemsize // 64) + 1
    return np.empty((numba.get_num_threads(), lines * 64 // np.dtype(dtype).itemsize), dtype)


class NumbaPeer(Peer):
    def prepare(self, program, variant, arguments):
        if program == "tdma":
            self.shape, self.dtype = arguments[0].shape, arguments[0].dtype
            scratch = scratch_rows(self.shape[1], self.dtype)
            self.call = lambda out: solve_tridiagonal(*arguments, scratch, out)
        elif program == "perm":
            flat = arguments[0].reshape(-1, 16).view(np.uint32)
            self.shape, self.dtype = flat.shape, np.dtype(np.uint32)
            kind = KINDS[variant.split("-")[1]]
            scratch = scratch_rows(32, self.dtype)
            self.call = lambda out: permute_batch(flat, out, kind, SOURCE, scratch)
        else:
            raise ValueError(f"no Numba version of {program}")
        self.program, self.out_shape = program, arguments[0].shape
        self.result = None
        start = time.perf_counter()
        self.run(True)
        self.compile_ms = (time.perf_counter() - start) * 1e3

    def discard(self, fresh):
        if fresh:
            self.result = None
            release_memory()

    def run(self, fresh):
        if self.result is None:
            self.result = np.empty(self.shape, self.dtype)
        self.call(self.result)

    def collect(self):
        result = self.result.view(np.int32) if self.program == "perm" else self.result
        return [result.reshape(self.out_shape)]

    def info(self):
        return {"compile_ms": self.compile_ms, "version": f"numba {numba.__version__}"}


if __name__ == "__main__":
    serve(NumbaPeer())
