#!/usr/bin/env python3
"""Writes the benchmark's programs as Ingot traces them, one file of IR for each variant, into a folder.

    scripts/bench.sh lower DIR [--only tdma,perm]
"""

import argparse
import pathlib
import sys
import tempfile

from programs import PROGRAMS
from run import Inputs, select
from workers import Worker


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="", help="programs, comma-separated; NAME:REGEX keeps matching variants")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    selected = select(options.only)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(pathlib.Path(folder))
        for position, (program, variant) in enumerate(selected, 1):
            case = PROGRAMS[program][1](variant)
            worker = Worker("ingot")
            worker.prepare(case, inputs.path_of(case))
            name = f"{program}.{variant}".replace("/", "_")
            (options.folder / f"{name}.ir").write_text(worker.ask("text")["text"])
            worker.close()
            print(f"[{position}/{len(selected)}] {name}", file=sys.stderr)


if __name__ == "__main__":
    main()
