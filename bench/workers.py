"""The processes that run the programs, and how they are asked (bench/README.md has the protocol)."""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import modules

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"
PEER_SCRIPTS = ROOT / "bench" / "peers"

COMMANDS = {
    "ingot": [str(BIN / "ingot_bench")],
    "loaded": [str(BIN / "ingot_bench")],  # Ingot, given the program as JAX exports it
    "jax": [sys.executable, str(PEER_SCRIPTS / "jax_peer.py")],
    "numba": [sys.executable, str(PEER_SCRIPTS / "numba_peer.py")],
    "fftw": [sys.executable, str(PEER_SCRIPTS / "fftw_peer.py")],
    "torch": [sys.executable, str(PEER_SCRIPTS / "torch_peer.py"), "eager"],
    "inductor": [sys.executable, str(PEER_SCRIPTS / "torch_peer.py"), "inductor"],
    "simd": [str(BIN / "simd_peer")],
    "plain": [str(BIN / "simd_peer"), "plain"],
    "copy": [str(BIN / "simd_peer")],
    "stream": [str(BIN / "simd_peer")],
}

PEERS = set(COMMANDS) - {"ingot", "loaded"}

# Threads that keep spinning after a worker's turn would take a processor from the next one.
ENVIRONMENT = os.environ | {"OPENBLAS_THREAD_TIMEOUT": "4", "OMP_WAIT_POLICY": "passive"}
# PyTorch takes its memory from malloc, which gives what is large back to the system after each use. Kept, it is what
# Ingot's pool and XLA's donated arrays are: `reused` means the same for all. Inductor needs a folder in which it keeps
# what it has found out about the compiler, for 20 s, and finds none of the programs of an earlier run.
INDUCTOR_FOLDER = tempfile.TemporaryDirectory(prefix="inductor-")
OF_TORCH = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": "0",
            "TORCHINDUCTOR_CACHE_DIR": INDUCTOR_FOLDER.name, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
            "TORCHINDUCTOR_COMPILE_THREADS": "1"}

SETTLE_S = 0.005  # between two turns: threads of the one before have gone to sleep

# Of a worker and of one answer: XLA has been seen to take all memory and minutes for a long chain.
MEMORY_LIMIT = 6 << 30
TIME_LIMIT_S = 120


class WorkerError(Exception):
    """A worker answered with an error, or died."""


class Worker:
    def __init__(self, name, command=None):
        self.name = name
        environment = ENVIRONMENT | (OF_TORCH if name in ("torch", "inductor") else {})
        self.process = subprocess.Popen(command or COMMANDS[name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=environment)
        # Not by preexec_fn: that forks, and OpenBLAS's handler of forks waits for ever where another thread is in a
        # product (a quick look computes references beside the start of workers).
        resource.prlimit(self.process.pid, resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))

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
            return self.ask(f"prepare stream {case.reads}:{case.writes}:{case.bytes} -")
        if self.name == "loaded" or (case.from_jax and self.name not in PEERS):
            return self.ask(f"prepare module {modules.path_of(case)} {input_path}")
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


class Crew:
    """The workers of a run. Each line has processes of its own, so that what one leaves behind costs no other; with
    `keep`, for a quick look, peers written in Python stay for all lines, since it takes them a second to start."""

    SLOW_STARTERS = ("jax", "numba", "fftw", "torch", "inductor")

    def __init__(self, keep=False):
        self.keep, self.kept = keep, {}

    def get(self, name):
        return self.kept.pop(name, None) or Worker(name)

    def release(self, worker, failed=False):
        if self.keep and worker.name in self.SLOW_STARTERS and not failed:
            self.kept[worker.name] = worker
        else:
            worker.close()

    def close(self):
        for worker in self.kept.values():
            worker.close()
        self.kept.clear()


class Pace:
    """Tells whether all processors are ours at their full rate.

    A virtual machine's processors may share one core for a second, and then all that fills its units takes twice as
    long; another process takes its share as well. Plain arithmetic on all threads shows both. What was timed while it
    was slow is timed again, whoever's turn it was, until patience ends: that of the line, or that of the whole run, so
    that the run comes to its end on a host that is never quiet."""

    SLOW = 1.2  # times the shortest seen

    def __init__(self, line_s=5, run_s=600, worker=None):
        self.worker = worker or Worker("simd")
        self.worker.ask("prepare pace - -")
        self.shortest = min(self.worker.run(200, "reused"))
        self.line_s, self.run_left_s = line_s, run_s
        self.begin()

    def begin(self):
        """A new line, with new patience."""
        self.line_left_s = self.line_s
        self.repeated = 0

    def is_full(self):
        times = self.worker.run(3, "reused")
        self.shortest = min(self.shortest, *times)
        return min(times) < self.SLOW * self.shortest

    def steady(self, measure):
        """What `measure` returns, and whether the pace was full before and after it: measured again until it was, or
        patience ended."""
        while True:
            start = time.monotonic()
            before = self.is_full()
            time.sleep(SETTLE_S)
            result = measure()
            if before and self.is_full():
                return result, True
            if min(self.line_left_s, self.run_left_s) <= 0:
                return result, False
            self.repeated += 1
            time.sleep(0.1)
            spent = time.monotonic() - start
            self.line_left_s -= spent
            self.run_left_s -= spent

    def close(self):
        self.worker.close()


ENOUGH = 3  # quiet turns of each worker, or all turns where there are fewer: then the others do not count


def alternate(workers, pace, rounds=9, slice_ms=30, budget_s=25):
    """Medians and minima of all workers, measured in turn so that what disturbs one disturbs all.

    Returns {name: {"ms": median into reused outputs, "ms_min", "ms_fresh", "ms_fresh_min"}}, and how often each turn
    came and how many of them all were disturbed: {"rounds", "disturbed", "enough": whether all had quiet turns}."""
    counts, turns, failed = {}, {}, {}
    for worker in workers:
        try:
            if rounds > 1:
                worker.run(2, "fresh")
            once = statistics.median(worker.run(3 if rounds > 1 else 1, "reused"))
            counts[worker.name] = int(min(100, max(1, slice_ms / max(once, 1e-3))))
            turns[worker.name] = {"reused": [], "fresh": []}
        except WorkerError as error:
            failed[worker.name] = {"error": str(error)}
    start = time.monotonic()
    done = 0
    while done < rounds and (done < ENOUGH or time.monotonic() - start < budget_s):
        for mode in ("reused", "fresh"):
            for worker in workers:
                if worker.name in failed:
                    continue
                try:
                    count = counts[worker.name]
                    turns[worker.name][mode].append(pace.steady(lambda: worker.run(count, mode)))
                except WorkerError as error:
                    failed[worker.name] = {"error": str(error)}
        done += 1
    measured = {name: figures(by_mode, done) for name, by_mode in turns.items() if name not in failed}
    all_turns = [turn for name in measured for by_mode in turns[name].values() for turn in by_mode]
    enough = all(quiet_turns(by_mode[mode], done) for name, by_mode in turns.items() if name not in failed
                 for mode in by_mode)
    return measured | failed, {"rounds": done, "disturbed": sum(not quiet for _, quiet in all_turns), "enough": enough}


def quiet_turns(turns, rounds):
    """The quiet ones, if they are enough."""
    quiet = [samples for samples, was_quiet in turns if was_quiet]
    return quiet if len(quiet) >= min(ENOUGH, rounds) else []


def figures(by_mode, rounds):
    """Of the quiet turns if they are enough, or of all."""
    found = {}
    for mode, key in (("reused", "ms"), ("fresh", "ms_fresh")):
        chosen = quiet_turns(by_mode[mode], rounds) or [samples for samples, _ in by_mode[mode]]
        times = [sample for samples in chosen for sample in samples]
        found[key], found[f"{key}_min"] = statistics.median(times), min(times)
    return found


PROBES = ((1, 1), (1, 0), (0, 1), (2, 1), (4, 1))  # reads to writes of streams that no cache holds
PROBE_BYTES = 256 << 20


def measure_machine(pace, probes=PROBES, repeats=10):
    """What no line alone tells of the machine: {"products": {type: operations per ms of OpenBLAS or oneDNN},
    "streams": [...]}."""
    worker = Worker("simd")
    best = 0.0
    for extents in ((4096, 256, 512), (2048, 2048, 2048)):
        worker.ask("prepare gemm " + "x".join(map(str, extents)) + " -")
        flops = 2 * extents[0] * extents[1] * extents[2]
        best = max(best, flops / min(pace.steady(lambda: worker.run(repeats, "reused"))[0]))
    streams = []
    for reads, writes in probes:
        worker.ask(f"prepare stream {reads}:{writes}:{PROBE_BYTES} -")
        times = pace.steady(lambda: worker.run(repeats, "reused"))[0]
        streams.append({"reads": reads, "writes": writes, "bytes": PROBE_BYTES, "ms_min": min(times)})
    worker.close()
    return {"products": {"f32": best}, "streams": streams}


def best_of(first, second):
    """Two measurements of the machine, the faster of each."""
    products = {kind: max(rate, second["products"].get(kind, 0)) for kind, rate in first["products"].items()}
    streams = [min(pair, key=lambda stream: stream["ms_min"]) for pair in zip(first["streams"], second["streams"])]
    return {"products": products, "streams": streams}
