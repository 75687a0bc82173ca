#!/usr/bin/env python3
"""Programs of the tests, exported as StableHLO, compiled and run by JAX: the values are to be those of `ingot run`.

    tests/stablehlo/jax_oracle.py [--ingot build/bin/ingot] [--bytecode] [--table] [FILE...]

FILE is a program in IR text or a file of golden cases; by default all that the tests have. Each is run on the same random
arguments by both. Needs a Python with JAX, so it is no part of the test suite. Prints one line for each program that
differs or that one side refuses, and as its last line how many are equal. --table prints a table of all by file.
"""

import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import xla_bridge  # noqa: E402
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib import lapack, xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

lapack.prepare_lapack_call("potrf_ffi", np.float32)  # what lowering does where a program calls LAPACK

jax.config.update("jax_enable_x64", True)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["compiler/regressions", "tools/data", "transform/branches", "transform/programs", "pass/golden", "kernel/golden",
           "stablehlo/programs", "stablehlo/exports"]
DTYPES = {"i1": np.bool_, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
          "complex<f32>": np.complex64, "complex<f64>": np.complex128,
          **{f"{sign}{bits}": np.dtype(f"{name}{bits}").type for sign, name in (("i", "int"), ("ui", "uint")) for bits in (8, 16, 32, 64)}}
# How far floats may be from each other, relative to the largest of the array: sums go in another order.
TOLERANCES = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-10, "complex64": 1e-4, "complex128": 1e-10}

SMALL = 1 / 32


def programs(files):
    """Name and text of each program."""
    for file in files:
        for number, case in enumerate(file.read_text().split("// ====\n")):
            yield f"{file.parent.name}/{file.stem}" + (f" {number}" if number else ""), case.split("// ----\n")[0]


def random_array(random, name, shape):
    dtype = np.dtype(DTYPES[name])
    if name == "i1":
        return random.integers(0, 2, shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return random.integers(-8 if np.issubdtype(dtype, np.signedinteger) else 0, 9, shape).astype(dtype)
    values = random.uniform(-2, 2, shape)
    return (values + 1j * random.uniform(-2, 2, shape)).astype(dtype) if name.startswith("complex") else values.astype(dtype)


def arguments_of(module, scale):
    random = np.random.default_rng(1)
    main = next(op for op in module.body.operations if str(op.name) == '"main"')
    types = [ir.RankedTensorType(kind) for kind in main.type.inputs]
    arrays = [np.asarray(random_array(random, str(t.element_type).strip(), tuple(t.shape))) for t in types]
    return [array if array.dtype.kind in "biu" else (array * scale).astype(array.dtype) for array in arrays]


def run_by_jax(module, arguments):
    backend = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    executable = backend.compile_and_load(module, devices, xla_client.CompileOptions())
    results = executable.execute_sharded([jax.device_put(argument) for argument in arguments])
    return [np.asarray(one[0]) for one in results.disassemble_into_single_device_arrays()]


def difference(got, want):
    if want.dtype == ml_dtypes.bfloat16:
        got = got.view(ml_dtypes.bfloat16)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    if want.dtype.name not in TOLERANCES:
        return "" if np.array_equal(got, want) else f"{np.sum(got != want)} of {want.size} integers"
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    exact = got.tobytes() == want.tobytes()
    got, want, tolerance = got.astype(wide), want.astype(wide), TOLERANCES[want.dtype.name]
    finite = np.isfinite(want)
    scale = 1 + np.max(np.abs(want[finite]), initial=0)
    bad = ~((np.abs(got - want) <= tolerance * scale) | (got == want) | (np.isnan(got) & np.isnan(want)))
    if exact or not bad.any():
        return ""
    return f"{np.sum(bad)} of {want.size} floats, as {got[bad][0]} instead of {want[bad][0]}"


class Worker:
    """A process that compares programs, since XLA ends its process where a check of its own fails."""

    def __init__(self):
        self.pool = None

    def compare(self, *arguments):
        self.pool = self.pool or concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        try:
            return self.pool.submit(compare, *arguments).result()
        except concurrent.futures.process.BrokenProcessPool:
            self.pool = None
            return "JAX ends", "the process, by a failed check or a signal"


def compare(text, ingot, folder, bytecode):
    """What became of it, and why. Loops that make much of a rounding are run again on small numbers."""
    status, why = compare_at(1, text, ingot, folder, bytecode)
    if status == "different" and compare_at(SMALL, text, ingot, folder, bytecode)[0] == "equal":
        return "equal at small arguments", why
    return status, why


def compare_at(scale, text, ingot, folder, bytecode):
    program, exported = folder / "program.ir", folder / "exported.mlir"
    program.write_text(text)
    command = [ingot, "export", str(program), "--out", str(exported)] + (["--bytecode"] if bytecode else [])
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return ("no program" if ": expected " in result.stderr else "not exported"), result.stderr.strip()
    with jax_mlir.make_ir_context() as context:
        try:
            if bytecode:
                module = stablehlo.deserialize_portable_artifact(context, exported.read_bytes())
            else:
                module = ir.Module.parse(exported.read_text())
            arguments = arguments_of(module, scale)
            want = run_by_jax(module, arguments)
        except Exception as error:  # whatever JAX says
            return "JAX refuses", " ".join(str(error).split())[:300]
    np.savez(folder / "arguments.npz", **{f"arg{i}": argument for i, argument in enumerate(arguments)})
    result = subprocess.run([ingot, "run", str(program), "--args", str(folder / "arguments.npz"), "--out", str(folder / "results.npz")],
                            capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return "Ingot refuses", result.stderr.strip()
    with np.load(folder / "results.npz") as found:
        differences = [f"result {i}: {what}" for i, w in enumerate(want) if (what := difference(found[f"out{i}"], w))]
    return ("different", differences[0]) if differences else ("equal", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ingot", default=str(ROOT / "build/bin/ingot"))
    parser.add_argument("--bytecode", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    files = options.files or sorted(file for folder in FOLDERS for file in (ROOT / "tests" / folder).iterdir()
                                    if file.suffix == ".ir" or folder.endswith("exports"))
    counts, table = collections.Counter(), collections.defaultdict(collections.Counter)
    worker = Worker()
    with tempfile.TemporaryDirectory() as temporary:
        for name, text in programs(files):
            status, why = worker.compare(text, options.ingot, pathlib.Path(temporary), options.bytecode)
            if status == "no program":  # a case of what is refused
                continue
            counts[status] += 1
            table[name.split()[0]][status] += 1
            if not status.startswith("equal"):
                print(f"{name}: {status}: {why}", flush=True)
    if options.table:
        print("| programs of | equal | others |\n| --- | ---: | --- |")
        for name, found in table.items():
            others = ", ".join(f"{count} {status}" for status, count in found.items() if status != "equal")
            print(f"| {name} | {found['equal']} | {others} |")
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    return 0 if all(status.startswith("equal") for status in counts) else 1


if __name__ == "__main__":
    sys.exit(main())
