"""The processes that run the programs, and how they are asked (bench/README.md has the protocol)."""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"
PEER_SCRIPTS = ROOT / "bench" / "peers"

COMMANDS = {
    "ingot": [str(BIN / "ingot_bench")],
    "jax": [sys.executable, str(PEER_SCRIPTS / "jax_peer.py")],
    "numba": [sys.executable, str(PEER_SCRIPTS / "numba_peer.py")],
    "simd": [str(BIN / "simd_peer")],
    "plain": [str(BIN / "simd_peer"), "plain"],
    "copy": [str(BIN / "simd_peer")],
    "stream": [str(BIN / "simd_peer")],
}

# Threads that keep spinning after a worker's turn would take a processor from the next one.
ENVIRONMENT = os.environ | {"OPENBLAS_THREAD_TIMEOUT": "4", "OMP_WAIT_POLICY": "passive"}

SETTLE_S = 0.005  # between two turns: threads of the one before have gone to sleep

# Of a worker and of one answer: XLA has been seen to take all memory and minutes for a long chain.
MEMORY_LIMIT = 6 << 30
TIME_LIMIT_S = 120


class WorkerError(Exception):
    """A worker answered with an error, or died."""


class Worker:
    def __init__(self, name):
        self.name = name
        self.process = subprocess.Popen(COMMANDS[name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, preexec_fn=limit_memory,
                                        env=ENVIRONMENT)

    def ask(self, line):
        alarm = threading.Timer(TIME_LIMIT_S, self.process.kill)
        alarm.start()
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            reply = self.process.stdout.readline()
        except BrokenPipeError:
            reply = ""
        finally:
            alarm.cancel()
        if not reply:
            raise WorkerError(f"{self.name} died at '{line.split()[0]}' (status {self.process.wait()})")
        answer = json.loads(reply)
        if isinstance(answer, dict) and answer.get("error"):
            raise WorkerError(f"{self.name}: {answer['error']}")
        return answer

    def prepare(self, case, input_path):
        if self.name == "copy":
            return self.ask(f"prepare copy {case.bytes} -")
        if self.name == "stream":
            return self.ask(f"prepare stream {case.reads_per_write}:{case.writes}:{case.bytes} -")
        return self.ask(f"prepare {case.program} {case.variant} {input_path}")

    def run(self, count, mode):
        return self.ask(f"run {count} {mode}")["ms"]

    def close(self):
        try:
            self.process.stdin.write("quit\n")
            self.process.stdin.close()
            self.process.wait(timeout=10)
        except (BrokenPipeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))


class Pace:
    """Tells whether all processors are ours at their full rate.

    A virtual machine's processors may share one core for a second, and then all that fills its units takes twice as
    long; another process takes its share as well. Plain arithmetic on all threads shows both. What was timed while it
    was slow is timed again, whoever's turn it was."""

    SLOW = 1.2  # times the shortest seen
    PATIENCE_S = 5  # for one variant; then what was measured counts

    def __init__(self):
        self.worker = Worker("simd")
        self.worker.ask("prepare pace - -")
        self.shortest = min(self.worker.run(200, "reused"))
        self.begin()

    def begin(self):
        """A new variant, with new patience."""
        self.patience_ends = None
        self.repeated = self.disturbed = 0

    def is_full(self):
        times = self.worker.run(3, "reused")
        self.shortest = min(self.shortest, *times)
        return min(times) < self.SLOW * self.shortest

    def steady(self, measure):
        """What `measure` returns, from a time at full pace if there is one before the patience ends."""
        while True:
            before = self.is_full()
            time.sleep(SETTLE_S)
            samples = measure()
            if before and self.is_full():
                return samples
            if self.patience_ends is None:
                self.patience_ends = time.monotonic() + self.PATIENCE_S
            if time.monotonic() > self.patience_ends:
                self.disturbed += 1
                return samples
            self.repeated += 1
            time.sleep(0.1)

    def close(self):
        self.worker.close()


def alternate(workers, pace, rounds=9, slice_ms=30, budget_s=25):
    """Medians and minima of all workers, measured in turn so that what disturbs one disturbs all.

    Returns {name: {"ms": median into reused outputs, "ms_min", "ms_fresh", "ms_fresh_min"}}."""
    counts, samples, failed = {}, {}, {}
    for worker in workers:
        try:
            worker.run(2, "fresh")
            once = statistics.median(worker.run(3, "reused"))
            counts[worker.name] = int(min(100, max(1, slice_ms / max(once, 1e-3))))
            samples[worker.name] = {"reused": [], "fresh": []}
        except WorkerError as error:
            failed[worker.name] = {"error": str(error)}
    pace.begin()
    start = time.monotonic()
    for done in range(rounds):
        if done >= 3 and time.monotonic() - start > budget_s:
            break
        for mode in ("reused", "fresh"):
            for worker in workers:
                if worker.name in failed:
                    continue
                try:
                    count = counts[worker.name]
                    samples[worker.name][mode] += pace.steady(lambda: worker.run(count, mode))
                except WorkerError as error:
                    failed[worker.name] = {"error": str(error)}
    measured = {}
    for name, by_mode in samples.items():
        if name not in failed:
            reused, fresh = by_mode["reused"], by_mode["fresh"]
            measured[name] = {"ms": statistics.median(reused), "ms_min": min(reused),
                              "ms_fresh": statistics.median(fresh), "ms_fresh_min": min(fresh)}
    return measured | failed


def gemm_peak(pace):
    """The best rate that OpenBLAS reaches here on single-precision products, in operations per ms."""
    worker = Worker("simd")
    best = 0.0
    for extents in ((4096, 256, 512), (2048, 2048, 2048)):
        worker.ask("prepare gemm " + "x".join(map(str, extents)) + " -")
        flops = 2 * extents[0] * extents[1] * extents[2]
        best = max(best, flops / min(pace.steady(lambda: worker.run(10, "reused"))))
    worker.close()
    return best
