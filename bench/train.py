#!/usr/bin/env python3
"""examples/train beside the same training in JAX: the same parameters to begin with, the same digits in the same order.

    scripts/bench.sh train [--steps 500] [--turns 7] [BUILD]

First the losses of the first 50 steps are compared (at most 1e-3 apart). Then both run in turn, from an empty process to
its end: imports, compiling, all steps, and the share of unseen digits that are right. JAX is given its best: its steps
draw their digits in one program with the rest, and nothing waits for a step. Goals: 500 steps in 60 s, 1.5 x as fast as
JAX. A turn whose pace was not full is taken again (bench/README.md), and the load is told.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import interleave
from workers import ROOT, Pace

COMPARED, TOLERANCE = 50, 1e-3
GOAL_S, GOAL_RATIO = 60, 1.5


class Training:
    """One of the two as a contender: a whole process, which goes on from a copy of the file."""

    def __init__(self, name, command, start):
        self.name, self.command, self.start = name, command, start
        self.said, self.processor_s = [], []

    def train(self, steps):
        """(seconds, losses, what it printed)"""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(self.start, folder)
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            done = subprocess.run([*self.command, str(steps), folder], capture_output=True, text=True)
            seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
            self.processor_s.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
            if done.returncode != 0:
                sys.exit(f"{self.name} ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
            return seconds, np.load(pathlib.Path(folder) / "loss.npy"), done.stdout.strip()

    def run(self, count, mode):  # as interleave.py asks: milliseconds
        runs = [self.train(self.steps) for _ in range(count)]
        self.said += [said for _, _, said in runs]
        return [1e3 * seconds for seconds, _, _ in runs]


def compare(ingot, jax):
    """How far the losses of the first steps are apart."""
    ours, theirs = (contender.train(COMPARED)[1] for contender in (ingot, jax))
    if ours.shape != (COMPARED,) or theirs.shape != (COMPARED,):
        sys.exit(f"{len(ours)} and {len(theirs)} losses instead of {COMPARED}")
    apart = np.abs(ours - theirs)
    print(f"loss of steps 1 to {COMPARED}: {ours[0]:.6f} to {ours[-1]:.6f}; first step {apart[0]:.2g} apart, "
          f"at most {apart.max():.2g} (allowed {TOLERANCE:g})")
    if not apart.max() <= TOLERANCE:
        sys.exit("the losses are not those of JAX")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--patience", type=float, default=30, help="seconds for repeating disturbed turns")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        binary = str((options.build / "bin" / "train").resolve())
        subprocess.run([binary, "0", folder], check=True, stdout=subprocess.DEVNULL)
        start = pathlib.Path(folder) / "digits.npz"
        ingot = Training("ingot", [binary], start)
        jax = Training("jax", [sys.executable, str(ROOT / "bench" / "peers" / "train_jax.py")], start)
        compare(ingot, jax)
        pace = Pace(line_s=options.patience, run_s=float("inf"))
        try:
            ingot.steps = jax.steps = options.steps
            before = os.getloadavg()[0]
            ingot.processor_s, jax.processor_s = [], []
            turns, repeated = interleave.interleave([ingot, jax], pace, options.turns, 1, "")
        finally:
            pace.close()
    print(f"{options.steps} steps, whole processes, ms; load {before:.1f} before, {os.getloadavg()[0]:.1f} after")
    print(interleave.table(["ingot", "jax"], turns, repeated))
    told = [json.loads(said) for said in jax.said]
    imported = 1e3 * statistics.median(run["all_s"] for run in told)
    first = 1e3 * statistics.median(run["first_s"] for run in told)
    print(f"  of jax: {imported:.4g} without its imports, of which {first:.4g} until the first step is done")
    print(f"  ingot says: {ingot.said[-1]}; jax: {100 * told[-1]['right']:.1f}% are right")
    spent = [statistics.median(contender.processor_s) for contender in (ingot, jax)]
    print(f"  processor time, which others disturb less: ingot {spent[0]:.2f} s, jax {spent[1]:.2f} s")
    ours = statistics.median(turn[0] for _, turn in turns)
    ratio = statistics.median(turn[1] / turn[0] for _, turn in turns)
    without = imported / ours
    print(f"  {options.steps} steps in {ours / 1e3:.1f} s (goal for 500: {GOAL_S}); {ratio:.2f} x JAX, "
          f"{without:.2f} x without its imports (goal {GOAL_RATIO})")


if __name__ == "__main__":
    main()
