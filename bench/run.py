#!/usr/bin/env python3
"""Runs the programs in Ingot and in its peers, side by side, and says how they compare.

    make bench                          everything; saves docs/bench/<run>.md and .json
    make bench ONLY=tdma,perm JSON=1    some programs; one JSON array on stdout, nothing saved
    make bench PEERS=torch              beside PyTorch as well, eager and through Inductor
    make bench QUICK=1                  each line once, in minutes: a look, no measurement
    make bench PEERS=loaded             beside Ingot itself, given the programs as JAX exports them
    make bench ONLY=functions           functions of users, from JAX, at full length: saved as well
    bench/run.py --only tdma:-100$      only variants that the expression finds
    bench/run.py --peers-only           without Ingot

For each variant all workers get the same inputs, their results are compared with the reference, and only then
they are timed, in turn. Compile times are those of fresh processes without caches. A run is one table and one file of
records; what is not a whole run at full length is saved beside the build instead.
"""

import argparse
import concurrent.futures
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import floors
import machine
import report
from case import JAX_IN_DOUBLE, OWN_OF_JAX, as_numbers
from difference import difference
from limits import set_limits
from programs import BY_NAME, PROGRAMS
from workers import COMMANDS, PROBES, ROOT, Crew, Pace, WorkerError, alternate, best_of, measure_machine

FRESH_COMPILES = 3  # processes of Ingot per variant; the peers compile once
MORE_PEERS = {"torch": ("torch", "inductor"), "loaded": ("loaded",)}  # what PEERS= adds


def main():
    options = parse_options()
    selected = select(options.only)
    started = time.monotonic()
    described = machine.describe()  # before the load is ours
    say("measuring the machine: matrix products and memory")
    pace = Pace(line_s=0.1, run_s=5) if options.quick else Pace()
    crew = Crew(keep=options.quick)
    measures = measure_machine(pace, PROBES[:1] if options.quick else PROBES, repeats=3 if options.quick else 10)
    records = []
    with tempfile.TemporaryDirectory(dir=roomy_folder()) as folder:
        inputs = Inputs(pathlib.Path(folder))
        stopped = False
        try:
            for position, (program, variant) in enumerate(selected, 1):
                record = measure(program, variant, inputs, pace, crew, options)
                records.append(record)
                say(f"[{position}/{len(selected)}] {one_line(record)}")
        except KeyboardInterrupt:
            say(f"stopped after {len(records)} of {len(selected)} lines; what was measured is told")
            stopped = True
    crew.close()
    if stopped and not records:
        sys.exit(130)
    if not options.quick and not stopped:
        measures = best_of(measures, measure_machine(pace))
    pace.close()
    measures["products"] = set_limits(records, measures)
    if options.json:
        print(json.dumps(records))
        return
    run = {"id": f"{datetime.datetime.now():%Y-%m-%d-%H%M}-{machine.slug()}", "commit": commit(), "quick": options.quick,
           "only": options.only, "peers": sorted({name for record in records for name in record["peers"]}),
           "lines": len(records), "disturbed": sum(record["disturbed"] for record in records),
           "minutes": (time.monotonic() - started) / 60}
    verdicts = [] if options.peers_only else [vars(verdict) for verdict in floors.judge(records)]
    whole = {"run": run, "machine": described | measures, "records": records, "verdicts": verdicts}
    print(report.markdown(whole))
    keep = options.only in ("", *BY_NAME) and not (options.quick or options.peers_only or stopped)
    stem = report.save(whole, ROOT / ("docs/bench" if keep else "build/bench-reports"))
    say(f"saved {stem.relative_to(ROOT)}.md and .json")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="programs, comma-separated; NAME:REGEX keeps matching variants")
    parser.add_argument("--json", action="store_true", help="print one JSON array and nothing else")
    parser.add_argument("--quick", action="store_true", help="each line once, without Inductor, and without XLA where it takes seconds to compile")
    parser.add_argument("--peers", default="", help=f"more peers, comma-separated: {', '.join(MORE_PEERS)}")
    parser.add_argument("--peers-only", action="store_true", help="leave Ingot out")
    options = parser.parse_args()
    for name in filter(None, options.peers.split(",")):
        if name not in MORE_PEERS:
            sys.exit(f"there is no peer '{name}' to add; there are {', '.join(MORE_PEERS)}")
    needed = ["simd"] + ([] if options.peers_only else ["ingot"])
    for name in needed:
        if not pathlib.Path(COMMANDS[name][0]).exists():
            sys.exit(f"{COMMANDS[name][0]} is missing; `make bench` builds it")
    return options


def select(only):
    """[(program, variant)] in the order of PROGRAMS."""
    wanted = dict(entry.partition(":")[::2] for entry in only.split(",") if entry) \
        or {program: "" for program in PROGRAMS if program not in BY_NAME}
    for program in wanted:
        if program not in PROGRAMS:
            sys.exit(f"there is no program '{program}'; there are {', '.join(PROGRAMS)}")
    return [(program, variant) for program, (variants, _) in PROGRAMS.items() if program in wanted
            for variant in variants() if re.search(wanted[program], variant)]


def peers_of(case, options):
    """The names of the peers that run this line in this run."""
    names = list(case.peers)
    for more in filter(None, options.peers.split(",")):
        if more == "loaded":
            names += ["loaded"] if "jax" in case.peers and not case.from_jax else []
            continue
        from peers import torch_lines
        names += [name for name in MORE_PEERS[more] if torch_lines.has(name, case.program, case.variant)]
    return [name for name in names if not (options.quick and name in ("inductor", *case.slow_to_compile))]


class Inputs:
    """The file that workers read their arguments from; lines of the same arguments share it."""

    def __init__(self, folder):
        self.folder, self.arrays = folder, []

    def path_of(self, case):
        path = self.folder / "input.npz"
        if len(self.arrays) != len(case.inputs) or any(a is not b for a, b in zip(self.arrays, case.inputs)):
            np.savez(path, **{f"arg{i}": array for i, array in enumerate(case.inputs)})
            self.arrays = case.inputs
        return path


def measure(program, variant, inputs, pace, crew, options):
    """The record of one variant, in the form that JSON=1 prints."""
    case = PROGRAMS[program][1](variant)
    input_path = inputs.path_of(case)
    memory_bound = case.bytes >= 1 << 20
    names = ([] if options.peers_only else ["ingot"]) + peers_of(case, options) + ["stream"] * memory_bound
    pace.begin()
    infos, problems, compiles = {}, {}, []
    expected, answers = prepare(names, case, input_path, pace, crew, at_once=options.quick)

    def checked(answer):
        """What the worker tells of the program, with its difference from the reference; or its WorkerError."""
        worker, info, _ = answer
        try:
            if isinstance(info, WorkerError) or worker.name in ("copy", "stream", *computes_other(case)):
                return info
            return info | {"difference": compare(worker, case, expected, inputs.folder / f"{worker.name}.npz")}
        except WorkerError as error:
            return error

    ready = []
    with concurrent.futures.ThreadPoolExecutor(2 if options.quick else 1) as pool:
        for (worker, info, quiet), found in zip(answers, pool.map(checked, answers)):
            if worker.name == "ingot" and not isinstance(info, WorkerError):
                compiles.append((total(info["compile_ms"]), quiet))
            if isinstance(found, WorkerError):
                problems[worker.name] = {"error": str(found)}
                crew.release(worker, failed=True)
            else:
                infos[worker.name] = found
                ready.append(worker)
    measured, turns = alternate(ready, pace, rounds=1 if options.quick else 9)
    for worker in ready:
        crew.release(worker, failed="error" in measured[worker.name])
    if compiles and not options.quick:
        compiles += fresh_compiles(case, input_path, pace, crew)
    return make_record(case, measured | problems, infos, compiles, turns | {"repeated": pace.repeated})


def prepare(names, case, input_path, pace, crew, at_once):
    """What must come out, and [(worker, its info or WorkerError, whether it compiled at full pace)]: one after the
    other, or, for a quick look, `at_once`, which disturbs what they say of compiling."""

    def one(name):
        worker = crew.get(name)
        try:
            quiet = not at_once and pace.is_full()
            worker.prepare(case, input_path)
            return worker, worker.ask("info"), quiet and pace.is_full()
        except WorkerError as error:
            return worker, error, False

    if not at_once:
        return expected_of(case), [one(name) for name in names]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        expected = pool.submit(expected_of, case)
        answers = list(pool.map(one, names))
        return expected.result(), answers


def computes_other(case):
    """Peers whose results are not those of the program: the library's plain product of the same size, on its own
    operands."""
    return ("simd",) if case.program in ("layer", "product") else ()


def expected_of(case):
    """The results, a list."""
    if case.reference == JAX_IN_DOUBLE:
        return [jax_in_double(case)]
    return own_of_jax(case) if case.reference == OWN_OF_JAX else [np.asarray(case.reference())]


def own_of_jax(case):
    import jax
    from peers import jax_peer
    with jax.enable_x64(jax_peer.in_x64(case.program)):
        results = jax.jit(jax_peer.PROGRAMS[case.program](case.variant))(*case.inputs)
        return [np.asarray(leaf) for leaf in jax.tree.leaves(results)]


def jax_in_double(case):
    from peers import jax_peer
    wide = [x.astype(np.float64) if x.dtype == np.float32 else x for x in case.inputs]
    return np.asarray(jax_peer.PROGRAMS[case.program](case.variant)(*wide))


def compare(worker, case, expected, result_path):
    """The largest difference of any element from the reference, relative to its largest value; an error beyond
    tolerance."""
    worker.ask(f"result {result_path}")
    with np.load(result_path) as file:
        if len(file.files) != len(expected):
            raise WorkerError(f"{worker.name}: there are {len(file.files)} results, not {len(expected)}")
        results = [as_numbers(file[f"out{i}"]) for i in range(len(expected))]
    result_path.unlink()
    try:
        found = [difference(result, want, case.tolerance) for result, want in zip(results, expected)]
    except ValueError as error:
        raise WorkerError(f"{worker.name}: {error}") from None
    return None if None in found else max(found, default=0.0)


def fresh_compiles(case, input_path, pace, crew):
    """[(Ingot's compile time, at full pace)] in processes of their own, but for the one of the process that was
    measured."""

    def compile_once():
        worker = crew.get("ingot")
        try:
            worker.prepare(case, input_path)
            return total(worker.ask("info")["compile_ms"])
        finally:
            worker.close()

    return [pace.steady(compile_once) for _ in range(FRESH_COMPILES - 1)]


def total(compile_ms):
    return compile_ms["total"] if isinstance(compile_ms, dict) else compile_ms


def make_record(case, measured, infos, compiles, turns):
    ingot, info = measured.pop("ingot", {}), infos.get("ingot", {})
    stream = measured.pop("stream", {})
    peers = {}
    for name, figures in measured.items():
        peers[name] = dict(figures)
        for key in ("compile_ms", "version", "way", "kernels", "hashes", "bytes"):
            if key in infos.get(name, {}):
                peers[name][key] = total(infos[name][key]) if key == "compile_ms" else infos[name][key]
    if "error" in stream:
        peers["stream"] = stream  # without it the line has no limit: told as a peer's failure is
    if "ms" in stream:
        stream = {"reads": case.reads, "writes": case.writes, "bytes": case.bytes} | stream
    times = [time for time, quiet in compiles if quiet] or [time for time, _ in compiles]
    return {
        "program": case.program, "variant": case.variant,
        "ms": ingot.get("ms"), "ms_min": ingot.get("ms_min"), "ms_fresh": ingot.get("ms_fresh"),
        "kernels": info.get("kernels"), "hashes": info.get("hashes", []), "bytes": info.get("bytes"),
        "least_bytes": case.bytes, "flops": case.flops, "operations": case.operations, "is_product": case.is_product,
        "compile_ms": statistics.median(times) if times else None,
        "compile_disturbed": bool(compiles) and not any(quiet for _, quiet in compiles),
        "compared": case.tolerance != np.inf, "max_difference": info.get("difference"), "error": ingot.get("error"),
        "peers": peers, "yardsticks": list(case.yardsticks), "stream": stream if "ms" in stream else None,
        "disturbed": not turns["enough"], "turns": turns,
    }


def one_line(record):
    parts = [f"{record['program']} {record['variant']}:"]
    if record["ms"] is not None:
        parts.append(f"ingot {record['ms']:.4g} ms")
    if record["error"]:
        parts.append(f"ERROR {record['error']}")
    parts += [f"{name} {p['ms']:.4g}" if "ms" in p else f"{name} failed: {p['error']}"
              for name, p in record["peers"].items()]
    if record["stream"]:
        parts.append(f"stream {record['stream']['ms']:.4g}")
    if record["disturbed"]:
        parts.append(f"DISTURBED {record['turns']['disturbed']} turns")
    return "  ".join(parts)


def roomy_folder():
    """Inputs are large and short-lived: memory is the place for them where it is open."""
    shared_memory = pathlib.Path("/dev/shm")
    return shared_memory if shared_memory.is_dir() else None


def commit():
    """What was measured; `-dirty` where the files differ from it."""
    told = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=10"], cwd=ROOT, capture_output=True, text=True)
    return told.stdout.strip() or "unknown"


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
