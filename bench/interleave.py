#!/usr/bin/env python3
"""Two ways of doing the same, in turn, so that what disturbs one disturbs the other: how figures are taken that a table
cannot show, those of a change, and those that need real-time priority.

    scripts/bench.sh interleave --only product:2048x2048.2048x2048$ build-before build      two builds
    scripts/bench.sh interleave --only product:512x4096 --chrt 5 build simd                 a build and a peer
    scripts/bench.sh interleave --commands "build/bin/ingot bench a.ir" "build/bin/ingot bench b.ir"

Contenders are folders of builds (the one with bin/ingot_bench), or names of peers (simd, jax, numba, torch, inductor,
copy, stream). With --commands they are command lines, and the time is that of the whole command. --chrt N runs all of
them under real-time priority N (it needs the right to; nothing else then takes the processors, and the host still may).

Each turn runs all contenders once, in an order that changes. A turn whose pace was not full (bench/README.md) is
disturbed: it is taken again while patience lasts, else counted as disturbed and left out, if enough others are quiet.
Printed are medians, the medians of the faster quarter and minima in ms; and the ratio to the first contender: the
median over turns of the ratio within a turn, with its quartiles, since a turn's times share what happened to the turn.
"""

import argparse
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

from workers import COMMANDS, ENOUGH, ROOT, Pace, Worker, WorkerError


class CommandWorker:
    """A whole command as a contender."""

    def __init__(self, name, command):
        self.name, self.command = name, command

    def run(self, count, mode):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            done = subprocess.run(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            times.append((time.perf_counter() - start) * 1e3)
            if done.returncode != 0:
                raise WorkerError(f"{self.name} ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
        return times

    def close(self):
        pass


def main():
    options = parse_options()
    priority = ["chrt", "-f", str(options.chrt)] if options.chrt else []
    if priority and subprocess.run([*priority, "true"], capture_output=True).returncode != 0:
        sys.exit(f"`{' '.join(priority)} true` failed: real-time priority needs root or CAP_SYS_NICE")
    pace = Pace(line_s=options.patience, run_s=float("inf"))
    try:
        if options.commands:
            workers = [CommandWorker(name, priority + shlex.split(name)) for name in options.contenders]
            print(compared(workers, pace, options, count=1))
            return
        from run import select  # needs NumPy, which commands do without
        for program, variant in select(options.only):
            print(f"{program} {variant}")
            print(compared_line(program, variant, priority, pace, options), flush=True)
    finally:
        pace.close()


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contenders", nargs="+", help="folders of builds and names of peers, or commands")
    parser.add_argument("--only", help="programs, comma-separated; NAME:REGEX keeps matching variants")
    parser.add_argument("--commands", action="store_true", help="contenders are command lines, timed as a whole")
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--fresh", action="store_true", help="into memory that was never touched")
    parser.add_argument("--chrt", type=int, default=0, help="real-time priority, 1 to 99")
    parser.add_argument("--patience", type=float, default=20, help="seconds for repeating disturbed turns, per line")
    options = parser.parse_args()
    if len(options.contenders) < 2:
        parser.error("two contenders at least")
    if bool(options.only) == options.commands:
        parser.error("either --only PROGRAMS or --commands")
    return options


def command_of(contender):
    """What starts the worker: a peer, or Ingot from a folder."""
    if contender in COMMANDS and contender != "ingot":
        return COMMANDS[contender]
    for folder in (pathlib.Path(contender), ROOT / contender):
        if (binary := folder / "bin" / "ingot_bench").exists():
            return [str(binary.resolve())]
    peers = ", ".join(name for name in COMMANDS if name != "ingot")
    sys.exit(f"'{contender}' is no peer ({peers}) and no folder with bin/ingot_bench")


def compared_line(program, variant, priority, pace, options):
    """All contenders on one program, after their results were compared with the reference."""
    import numpy as np
    import run
    from programs import PROGRAMS
    case = PROGRAMS[program][1](variant)
    expected = run.expected_of(case)
    workers = []
    try:
        with tempfile.TemporaryDirectory(dir=run.roomy_folder()) as folder:
            inputs, result = (pathlib.Path(folder) / name for name in ("input.npz", "result.npz"))
            np.savez(inputs, **{f"arg{i}": array for i, array in enumerate(case.inputs)})
            for contender in options.contenders:
                name = contender if contender in COMMANDS else "ingot"
                worker = Worker(name, priority + command_of(contender))
                workers.append(worker)
                worker.prepare(case, inputs)
                if name not in ("copy", "stream", *run.computes_other(case)):
                    run.compare(worker, case, expected, result)
                worker.name = contender
        once = max(min(worker.run(3, mode_of(options))) for worker in workers)
        return compared(workers, pace, options, count=int(min(100, max(1, 20 / max(once, 1e-3)))))
    except WorkerError as error:
        return f"  failed: {error}"
    finally:
        for worker in workers:
            worker.close()


def mode_of(options):
    return "fresh" if options.fresh else "reused"


def compared(workers, pace, options, count):
    turns, repeated = interleave(workers, pace, options.turns, count, mode_of(options))
    return table([worker.name for worker in workers], turns, repeated)


def interleave(workers, pace, count_of_turns, count, mode):
    """([(quiet, [median of each worker])], how many turns were taken again)."""
    pace.begin()
    for worker in workers:
        worker.run(1, mode)
    turns = []
    for number in range(count_of_turns):
        order = workers[number % len(workers):] + workers[:number % len(workers)]
        times, quiet = pace.steady(lambda: {id(w): statistics.median(w.run(count, mode)) for w in order})
        turns.append((quiet, [times[id(worker)] for worker in workers]))
    return turns, pace.repeated


def table(names, turns, repeated):
    """Medians and ratios of the quiet turns, or of all where fewer than three are quiet."""
    quiet = [times for was_quiet, times in turns if was_quiet]
    used = quiet if len(quiet) >= ENOUGH else [times for _, times in turns]
    note = "" if used is quiet else "; fewer than 3 are quiet, so all count, and nothing is decided"
    lines = [f"  {len(turns)} turns, {len(turns) - len(quiet)} disturbed, {repeated} taken again{note}"]
    width = max(len(name) for name in names)
    for i, name in enumerate(names):
        times = sorted(turn[i] for turn in used)
        faster = statistics.median(times[: max(1, len(times) // 4)])
        line = f"  {name:<{width}}  median {statistics.median(times):.4g}  faster quarter {faster:.4g}  least {times[0]:.4g}"
        if i > 0:
            ratios = sorted(turn[i] / turn[0] for turn in used)
            low, high = ratios[len(ratios) // 4], ratios[(3 * len(ratios)) // 4]
            line += f"  ratio {statistics.median(ratios):.3f} ({low:.3f} to {high:.3f})"
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    main()
