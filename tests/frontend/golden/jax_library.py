"""Runs the lines of docs/from_jax.md and library_cases.md in JAX, and writes them down as C++.

    python tests/frontend/golden/jax_library.py

writes jax_library.txt, what each line gives (and, where it has one, the gradient of the sum of its results times
1, 2, ..), and ../library_lines_N.cc, the C++ of each. With --new it runs those lines that the file has not, with --lines
none.
"""
import ast
import os
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import special

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = [os.path.join(HERE, "../../../docs/from_jax.md"), os.path.join(HERE, "library_cases.md")]
FILES = 5
INF, NAN = np.inf, np.nan

INPUTS = {
    "x": np.array([0.5, -1.25, 2.0, 0.75], np.float32),
    "y": np.array([1.5, 0.25, 0.5, 2.25], np.float32),
    "t": np.array([0.0, 0.5, 1.5, 2.0], np.float32),
    "m": np.array([[0.5, -1.0, 2.0, 0.25], [1.5, 0.75, -0.5, 3.0], [-2.0, 1.0, 0.125, -0.25]], np.float32),
    "s": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]], np.float32),
    "i": np.array([2, 0, 3, 1], np.int32),
    "k": np.array([1, 5, 0, 5], np.int32),
    "p": np.array([True, False, True, True]),
    "q": np.array([False, False, True, False]),
    "n": np.array([0.5, NAN, -1.5, 2.0], np.float32),
    "c": np.array([1 + 2j, -0.5j, 2.5, -1 + 0.5j], np.complex64),
    "e": np.zeros((0,), np.float32),
    "a": (np.arange(30).reshape(2, 3, 5) * 7 % 30 / 8 - 1.5).astype(np.float32),
    "w": np.array([-INF, -1.5, -0.0, NAN, 0.5, 2.5, INF], np.float32),
    "u": np.array([3, 0, 1, 3, 2], np.uint8),
}
NAMES = {"float32": "f32", "int32": "s32", "bool": "pred", "complex64": "c64", "uint8": "u8", "bfloat16": "bf16"}


def rows():
    for page in PAGES:
        for line in open(page):
            match = re.match(r"\| `(.*)` \| `(.*)` \|$", line.rstrip())
            if match:
                yield [cell.replace("\\|", "|") for cell in match.groups()]


def used(expression):
    """The inputs of a line, floats first: gradients and batches are of the first one."""
    names = [n.id for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Name) and n.id in INPUTS]
    names = list(dict.fromkeys(names))
    return sorted(names, key=lambda n: INPUTS[n].dtype != np.float32)


def evaluate(expression, name, value):
    scope = {k: jnp.asarray(v) for k, v in INPUTS.items()}
    if name:
        scope[name] = value
    scope.update(jax=jax, jnp=jnp, lax=lax, nn=nn, special=special)
    return [jnp.asarray(leaf) for leaf in jax.tree.leaves(eval(expression, scope))]


def gradient(expression, name):
    if not name or INPUTS[name].dtype != np.float32 or not INPUTS[name].size:
        return None

    def total(value):
        results = [r.ravel() for r in evaluate(expression, name, value) if jnp.issubdtype(r.dtype, jnp.inexact)]
        if not results:
            raise ValueError("no floats")
        flat = jnp.concatenate([jnp.stack([r.real, r.imag], 1).ravel() if jnp.iscomplexobj(r) else
                                r.astype(jnp.float32) for r in results])
        return jnp.sum(flat * jnp.arange(1, flat.size + 1))

    try:
        return jax.grad(total)(jnp.asarray(INPUTS[name]))
    except Exception:  # it has none
        return None


def numbers(array):
    array = np.asarray(array).ravel()
    if array.dtype == np.complex64:
        array = array.view(np.float32)
    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    return " ".join(repr(float(v)) for v in array)


def shape_of(array):
    return NAMES[np.asarray(array).dtype.name] + "".join(" %d" % n for n in np.shape(array))


def known_values():
    """What the file has of each line."""
    with open(os.path.join(HERE, "jax_library.txt")) as file:
        cases = re.split(r"^case ", file.read(), flags=re.M)[1:]
    return dict(case.split("\n", 1) for case in cases)


def write_values(lines, known):
    wrong = []
    with open(os.path.join(HERE, "jax_library.txt"), "w") as out:
        for name, value in INPUTS.items():
            out.write(f"input {name} {shape_of(value)} : {numbers(value)}\n")
        for python, cpp in lines:
            if cpp in known:
                out.write(f"case {cpp}\n{known[cpp]}")
                continue
            name = next(iter(used(python)), "")
            out.write(f"case {cpp}\n  of {name}\n")
            try:
                for result in evaluate(python, name, jnp.asarray(INPUTS[name]) if name else None):
                    out.write(f"  result {shape_of(result)} : {numbers(result)}\n")
            except Exception as error:
                wrong.append(f"{python}: {error}")
                continue
            slope = gradient(python, name)
            if slope is not None:
                out.write(f"  gradient {shape_of(slope)} : {numbers(slope)}\n")
    if wrong:
        sys.exit("\n".join(wrong))


def write_lines(lines):
    size = -(-len(lines) // FILES)
    for index in range(FILES):
        with open(os.path.join(HERE, f"../library_lines_{index + 1}.cc"), "w") as out:
            out.write("// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.\n"
                      "#include <cmath>\n\n"
                      '#include "frontend/library_lines.h"\n\n'
                      "// clang-format off\nnamespace ingot::testing {\n\n"
                      f"std::vector<Line> library_lines_{index + 1}() {{\n  std::vector<Line> list;\n")
            for _, cpp in lines[index * size:(index + 1) * size]:
                out.write(f"  list.push_back({{R\"line({cpp})line\", [](const Inputs& in) {{\n"
                          "    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;\n"
                          f"    return results({cpp}); }}}});\n")
            out.write("  return list;\n}\n\n}  // namespace ingot::testing\n// clang-format on\n")


if __name__ == "__main__":
    LINES = list(rows())
    write_lines(LINES)
    if sys.argv[1:] != ["--lines"]:
        write_values(LINES, known_values() if sys.argv[1:] == ["--new"] else {})
