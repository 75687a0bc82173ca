"""FFTW by pyFFTW, with plans that it has measured and as many threads as there are processors: what a careful user of
transforms calls."""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
import pyfftw

from peers.serve import Peer, release_memory, serve

OWN = {"fft": "FFTW_FORWARD", "fft2": "FFTW_FORWARD", "rfft": "FFTW_FORWARD", "irfft": "FFTW_BACKWARD"}


class Fftw(Peer):
    def prepare(self, program, variant, arguments):
        start = time.perf_counter()
        name = variant.partition("@")[0]
        (x,) = arguments
        axes = (-2, -1) if name == "fft2" else (-1,)
        wide = x.dtype in (np.complex128, np.float64)
        shape = list(x.shape)
        if name == "rfft":
            shape[-1] = shape[-1] // 2 + 1
        elif name == "irfft":
            shape[-1] = 2 * (shape[-1] - 1)
        real, complex_ = (np.float64, np.complex128) if wide else (np.float32, np.complex64)
        self.source = pyfftw.empty_aligned(x.shape, x.dtype)
        self.result = pyfftw.empty_aligned(shape, real if name == "irfft" else complex_)
        self.plan = pyfftw.FFTW(self.source, self.result, axes=axes, direction=OWN[name], flags=("FFTW_MEASURE",),
                                threads=len(os.sched_getaffinity(0)))
        self.source[...] = x  # measuring has overwritten it
        self.scale = 1 / shape[-1] if name == "irfft" else None
        self.compile_ms = (time.perf_counter() - start) * 1e3

    def discard(self, fresh):
        """A plan holds its result until it is given another one: the old one is free when the next one is there."""
        if fresh:
            release_memory()

    def run(self, fresh):
        if fresh:
            self.result = pyfftw.empty_aligned(self.result.shape, self.result.dtype)
            self.plan.update_arrays(self.source, self.result)
        self.plan.execute()

    def collect(self):
        self.plan.execute()
        return [self.result if self.scale is None else self.result * self.result.dtype.type(self.scale)]

    def info(self):
        return {"compile_ms": self.compile_ms, "version": f"{pyfftw.fftw_version} by pyFFTW {pyfftw.__version__}"}


if __name__ == "__main__":
    serve(Fftw())
