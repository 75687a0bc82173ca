#!/usr/bin/env python3
"""Runs the programs in Ingot and in its peers, side by side, and says how they compare.

    make bench                          everything; saves docs/bench/<date>-<cpu>.md and .json
    make bench ONLY=tdma,perm JSON=1    some programs; one JSON array on stdout, nothing saved
    bench/run.py --only tdma:-100$      only variants that the expression finds
    bench/run.py --peers-only           without Ingot; saves docs/bench/peers-<cpu>.md

For each variant all workers get the same inputs, their results are compared with the reference, and only then
they are timed, in turn. Compile times are those of fresh processes without caches.
"""

import argparse
import datetime
import json
import pathlib
import re
import statistics
import sys
import tempfile

import numpy as np

import floors
import machine
from programs import JAX_IN_DOUBLE, PROGRAMS, as_numbers
from report import markdown
from workers import COMMANDS, ROOT, Pace, Worker, WorkerError, alternate, gemm_peak

FRESH_COMPILES = 3  # processes of Ingot per variant; the peers compile once


def main():
    options = parse_options()
    selected = select(options.only)
    say("measuring the peak of matrix products")
    pace = Pace()
    peak = gemm_peak(pace)
    records = []
    with tempfile.TemporaryDirectory(dir=roomy_folder()) as folder:
        for position, (program, variant) in enumerate(selected, 1):
            record = measure(program, variant, pathlib.Path(folder), pace, peak, options.peers_only)
            records.append(record)
            say(f"[{position}/{len(selected)}] {one_line(record)}")
    pace.close()
    if options.json:
        print(json.dumps(records))
        return
    report = {"machine": machine.describe() | {"gemm_gflops": round(peak / 1e6)}, "records": records,
              "date": datetime.date.today().isoformat(),
              "floors": [] if options.peers_only else floors.judge(records)}
    text = markdown(report)
    print(text)
    save(report, text, options)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="programs, comma-separated; NAME:REGEX keeps matching variants")
    parser.add_argument("--json", action="store_true", help="print one JSON array and nothing else")
    parser.add_argument("--peers-only", action="store_true", help="leave Ingot out")
    options = parser.parse_args()
    needed = ["simd"] + ([] if options.peers_only else ["ingot"])
    for name in needed:
        if not pathlib.Path(COMMANDS[name][0]).exists():
            sys.exit(f"{COMMANDS[name][0]} is missing; `make bench` builds it")
    return options


def select(only):
    """[(program, variant)] in the order of PROGRAMS."""
    wanted = dict(entry.partition(":")[::2] for entry in only.split(",") if entry) or dict.fromkeys(PROGRAMS, "")
    for program in wanted:
        if program not in PROGRAMS:
            sys.exit(f"there is no program '{program}'; there are {', '.join(PROGRAMS)}")
    return [(program, variant) for program, (variants, _) in PROGRAMS.items() if program in wanted
            for variant in variants() if re.search(wanted[program], variant)]


def measure(program, variant, folder, pace, peak, peers_only):
    """The record of one variant, in the form that JSON=1 prints."""
    case = PROGRAMS[program][1](variant)
    input_path = folder / "input.npz"
    np.savez(input_path, **{f"arg{i}": array for i, array in enumerate(case.inputs)})
    memory_bound = case.bytes >= 1 << 20
    names = ([] if peers_only else ["ingot"]) + case.peers + (["stream"] if memory_bound else [])
    expected = jax_in_double(case) if case.reference == JAX_IN_DOUBLE else case.reference()

    ready, infos, problems = [], {}, {}
    for name in names:
        worker = Worker(name)
        try:
            worker.prepare(case, input_path)
            infos[name] = worker.ask("info")
            if name not in ("copy", "stream") and not (name == "simd" and program in ("layer", "product")):
                infos[name]["difference"] = compare(worker, case, expected, folder / "result.npz")
            ready.append(worker)
        except WorkerError as error:
            problems[name] = {"error": str(error)}
            worker.close()
    measured = alternate(ready, pace) | problems
    for worker in ready:
        worker.close()
    pace_of_variant = {"repeated": pace.repeated, "disturbed": pace.disturbed}
    return make_record(case, measured, infos, fresh_compiles(case, input_path, infos), peak) | pace_of_variant


def jax_in_double(case):
    from peers import jax_peer
    wide = [x.astype(np.float64) if x.dtype == np.float32 else x for x in case.inputs]
    return np.asarray(jax_peer.PROGRAMS[case.program](case.variant)(*wide))


def compare(worker, case, expected, result_path):
    """The largest difference from the reference, relative to its largest value; an error beyond tolerance."""
    worker.ask(f"result {result_path}")
    with np.load(result_path) as file:
        result = case.sample(as_numbers(file["out0"]))
    if result.shape != expected.shape:
        raise WorkerError(f"{worker.name}: result has shape {result.shape}, not {expected.shape}")
    if case.tolerance == 0:
        wrong = int(np.count_nonzero(result != expected))
        if wrong:
            raise WorkerError(f"{worker.name}: {wrong} of {expected.size} elements are wrong")
        return 0.0
    difference = float(np.abs(result - expected).max() / np.abs(expected).max())
    if not difference <= case.tolerance:
        raise WorkerError(f"{worker.name}: off by {difference:.3g}, allowed are {case.tolerance:.3g}")
    return difference


def fresh_compiles(case, input_path, infos):
    """Ingot's compile times in processes of their own; the first is that of the process that was measured."""
    if "ingot" not in infos:
        return []
    times = [total(infos["ingot"]["compile_ms"])]
    while len(times) < FRESH_COMPILES:
        worker = Worker("ingot")
        try:
            worker.prepare(case, input_path)
            times.append(total(worker.ask("info")["compile_ms"]))
        finally:
            worker.close()
    return times


def total(compile_ms):
    return compile_ms["total"] if isinstance(compile_ms, dict) else compile_ms


def make_record(case, measured, infos, compiles, peak):
    ingot, info = measured.pop("ingot", {}), infos.get("ingot", {})
    stream = measured.pop("stream", {})
    limits = [stream[key] for key in ("ms",) if key in stream] + ([case.flops / peak] if case.flops else [])
    peers = {}
    for name, figures in measured.items():
        peers[name] = dict(figures)
        for key in ("compile_ms", "version", "way"):
            if key in infos.get(name, {}):
                peers[name][key] = infos[name][key]
    return {
        "program": case.program, "variant": case.variant,
        "ms": ingot.get("ms"), "ms_min": ingot.get("ms_min"), "ms_fresh": ingot.get("ms_fresh"),
        "kernels": info.get("kernels"), "hashes": info.get("hashes", []), "bytes": info.get("bytes"),
        "least_bytes": case.bytes, "flops": case.flops,
        "compile_ms": statistics.median(compiles) if compiles else None,
        "limit_ms": max(limits) if limits else None,
        "max_difference": info.get("difference"), "error": ingot.get("error"), "peers": peers,
    }


def one_line(record):
    parts = [f"{record['program']} {record['variant']}:"]
    if record["ms"] is not None:
        parts.append(f"ingot {record['ms']:.4g} ms")
    if record["error"]:
        parts.append(f"ERROR {record['error']}")
    parts += [f"{name} {p['ms']:.4g}" if "ms" in p else f"{name} failed: {p['error']}"
              for name, p in record["peers"].items()]
    if record["limit_ms"]:
        parts.append(f"limit {record['limit_ms']:.4g}")
    if record["disturbed"]:
        parts.append(f"DISTURBED {record['disturbed']} times")
    return "  ".join(parts)


def roomy_folder():
    """Inputs are large and short-lived: memory is the place for them where it is open."""
    shared_memory = pathlib.Path("/dev/shm")
    return shared_memory if shared_memory.is_dir() else None


def save(report, text, options):
    """Whole runs go into docs/bench, to be committed; partial ones beside the build."""
    folder = ROOT / "docs" / "bench" if not options.only else ROOT / "build" / "bench-reports"
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"peers-{machine.slug()}" if options.peers_only else f"{report['date']}-{machine.slug()}"
    (folder / f"{stem}.md").write_text(text + "\n")
    (folder / f"{stem}.json").write_text(json.dumps(report, indent=1) + "\n")
    say(f"saved {(folder / stem).relative_to(ROOT)}.md and .json")


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
