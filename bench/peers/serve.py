"""The worker side of the line protocol (bench/README.md) for peers written in Python."""

import ctypes
import json
import sys
import time

import numpy as np

from case import as_numbers


class Peer:
    """What a peer implements. `prepare` compiles; `run` computes once and returns what `collect` turns into
    NumPy arrays."""

    def prepare(self, program, variant, arguments):
        raise NotImplementedError

    def run(self, fresh):
        raise NotImplementedError

    def discard(self, fresh):
        """Called outside of the measured time before each run: frees the last result where it is fresh."""

    def collect(self):
        raise NotImplementedError

    def info(self):
        return {}


def release_memory():
    """Gives what malloc has kept back to the system, as far as it lies in whole pages: what is written next is fresh."""
    ctypes.CDLL(None).malloc_trim(0)


def timed_runs(peer, count, fresh, calls_per_sample):
    times = []
    for _ in range(count):
        peer.discard(fresh)
        start = time.perf_counter()
        for _ in range(calls_per_sample):
            peer.run(fresh)
        times.append((time.perf_counter() - start) * 1e3 / calls_per_sample)
    return times


def serve(peer):
    """Answers each line on stdin by one line of JSON on stdout, until `quit` or the end of the input."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # what libraries print must not end up among the replies
    calls_per_sample = 1
    for line in sys.stdin:
        words = line.split()
        try:
            reply = {}
            if words[0] == "prepare":
                with np.load(words[3]) as file:
                    arguments = [as_numbers(file[f"arg{i}"]) for i in range(len(file.files))]
                peer.prepare(words[1], words[2], arguments)
                calls_per_sample = 1000 if words[1] == "call" else 1
            elif words[0] == "run":
                reply = {"ms": timed_runs(peer, int(words[1]), words[2] == "fresh", calls_per_sample)}
            elif words[0] == "result":
                np.savez(words[1], **{f"out{i}": out for i, out in enumerate(peer.collect())})
            elif words[0] == "info":
                reply = peer.info()
            elif words[0] == "quit":
                return
            else:
                reply = {"error": f"unknown command '{words[0]}'"}
        except Exception as error:  # any failure of a peer is a line in the table, not the end of the run
            reply = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(reply), file=replies, flush=True)
