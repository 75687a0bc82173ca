#!/usr/bin/env python3
"""How long the compiler takes for programs that use Ingot, in processor time, without optimisation: medians of some runs.

    bench/compile_time.py [--compiler g++] [--runs 5] [--include DIR] [FILE.cc ...]

A line for the standard headers that Ingot's headers include, one for Ingot's headers, one for a program with jit, grad
and vmap (compile/user.cc), and one for each file that is named. DIR is the include folder, such as that of another
checkout to be compared with.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def standard_headers(include, header, seen):
    """What is included in angle brackets by a header of Ingot's, and by all that it includes."""
    if header in seen:
        return
    seen.add(header)
    for line in open(os.path.join(include, header)):
        if match := re.match(r'#include "(ingot/[^"]+)"', line):
            yield from standard_headers(include, match.group(1), seen)
        elif match := re.match(r"#include <([a-z_]+)>", line):
            yield match.group(1)


def processor_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--include", default=os.path.join(ROOT, "include"))
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def written(name, headers):
            path = os.path.join(folder, name)
            with open(path, "w") as file:
                file.write("".join(f"#include <{header}>\n" for header in headers) + "int main() {}\n")
            return path

        standard = sorted(set(standard_headers(args.include, "ingot/ingot.h", set())))
        files = {"the standard headers among them": written("standard.cc", standard),
                 "Ingot's headers": written("headers.cc", ["ingot/ingot.h"]),
                 "jit, grad and vmap": os.path.join(HERE, "compile", "user.cc")}
        files |= {os.path.relpath(path): path for path in args.files}
        times = {name: [] for name in files}
        for _ in range(args.runs):  # in turn, so that a disturbance falls on all
            for name, path in files.items():
                times[name].append(processor_time([args.compiler, "-std=c++20", "-O0", "-I", args.include, "-I", ROOT,
                                                   "-c", path, "-o", os.path.join(folder, "out.o")]))
        for name, runs in times.items():
            print(f"{statistics.median(runs):6.2f} s  {name}")


if __name__ == "__main__":
    main()
