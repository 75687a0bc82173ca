#!/usr/bin/env python3
"""Exchanges .npz files with NumPy: what it saves, `ingot run` and `interpret` read, and the other way round.

    tests/tools/numpy_test.py path/to/ingot
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

# The dtypes of the IR by NumPy's names.
DTYPES = {
    "bool": "pred", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64",
    "complex64": "c64", "complex128": "c128",
}
SHAPES = [(), (1,), (7,), (0, 3), (3, 4), (2, 3, 5), (300, 1000)]


def random_array(random, name, shape):
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return np.asarray(random.integers(0, 2, shape) == 1)
    if dtype.kind == "c":
        return np.asarray(random.standard_normal(shape) + 1j * random.standard_normal(shape), dtype=dtype)
    if dtype.kind == "f":
        return np.asarray(random.standard_normal(shape), dtype=dtype)
    info = np.iinfo(dtype)
    return np.asarray(random.integers(info.min, info.max, shape, dtype=dtype, endpoint=True))


def identity_program(arrays):
    """A program that returns its arguments."""
    types = [f"{DTYPES[a.dtype.name]}[{','.join(map(str, a.shape))}]" for a in arrays]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    values = ", ".join(f"%a{i}" for i in range(len(types)))
    return f"func @main({arguments}) -> ({', '.join(types)}) {{\n  return {values}\n}}\n"


def round_trip(ingot, folder, arrays, save):
    program, given, returned = (f"{folder}/{name}" for name in ("program.ir", "in.npz", "out.npz"))
    with open(program, "w", encoding="utf-8") as file:
        file.write(identity_program(arrays))
    save(given, **{f"arg{i}": a for i, a in enumerate(arrays)})
    for command in ("run", "interpret"):
        subprocess.run([ingot, command, program, "--args", given, "--out", returned],
                       check=True, stdout=subprocess.DEVNULL)
        with np.load(returned) as result:
            assert len(result.files) == len(arrays), result.files
            for i, array in enumerate(arrays):
                back = result[f"out{i}"]
                assert back.dtype == array.dtype and back.shape == array.shape, (back.dtype, back.shape)
                np.testing.assert_array_equal(back, array)
        os.remove(returned)


def refused(ingot, folder, array):
    """The error text for an array that has no counterpart."""
    np.savez(f"{folder}/bad.npz", arg0=array)
    with open(f"{folder}/scalar.ir", "w", encoding="utf-8") as file:
        file.write(identity_program([np.zeros((), np.float32)]))
    for command in ("run", "interpret"):
        result = subprocess.run([ingot, command, f"{folder}/scalar.ir", "--args", f"{folder}/bad.npz"],
                                capture_output=True, text=True)
        assert result.returncode == 1 and result.stderr.startswith("error: "), result
    return result.stderr


def reads_big_endian(ingot, folder):
    array = np.arange(5, dtype=">f4") / 3
    np.savez(f"{folder}/big.npz", arg0=array)
    with open(f"{folder}/big.ir", "w", encoding="utf-8") as file:
        file.write(identity_program([array.astype(np.float32)]))
    subprocess.run([ingot, "run", f"{folder}/big.ir", "--args", f"{folder}/big.npz", "--out", f"{folder}/read.npz"],
                   check=True, stdout=subprocess.DEVNULL)
    np.testing.assert_array_equal(np.load(f"{folder}/read.npz")["out0"], array)


def main(ingot):
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for save in (np.savez, np.savez_compressed):
            arrays = [random_array(random, name, shape) for name in DTYPES for shape in SHAPES]
            round_trip(ingot, folder, arrays, save)
            fortran = [np.asfortranarray(a) for a in arrays if a.ndim > 1]
            round_trip(ingot, folder, fortran, save)
        assert "there is no element type" in refused(ingot, folder, np.zeros(3, np.clongdouble))
        reads_big_endian(ingot, folder)
        assert "records" in refused(ingot, folder, np.zeros(3, [("a", "<f4"), ("b", "<i4")]))
    print("NumPy: all round trips passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
