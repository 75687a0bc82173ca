#!/usr/bin/env python3
"""Checks that includes point one way through the layers.

    scripts/check_layers.py [ROOT]     check the repository (default: the one this script lies in)
    scripts/check_layers.py --self-test

The order is written once, in BELOW. Each layer may include itself and every layer below it, at any depth;
an include that looks up or sideways is an error with file, line and what would have been right.
"""

import functools
import pathlib
import re
import sys
import tempfile

# layer -> the layers directly below it. One with a slash is a room of a layer, or a file that others of its room may
# include: it may include what its layer may, and of the layer itself the rooms below it. What the layer's folder holds
# beside its rooms stands above them all or, if it is named here, below.
BELOW = {
    "base": [],
    "kernel/cost/table": ["base"],
    "io": ["base"],
    "runtime": ["kernel/cost/table"],
    "ir": ["kernel/cost/table"],
    "ops": ["ir"],
    "interpreter": ["ops"],
    "transform": ["ops"],
    "kernel/ir": ["interpreter", "transform"],
    "kernel/lower": ["kernel/ir"],
    "kernel/cost": ["kernel/lower"],
    "kernel/schedule/loops": ["kernel/cost"],
    "kernel/schedule/lanes": ["kernel/schedule/loops"],
    "kernel/schedule/reductions": ["kernel/schedule/lanes"],
    "kernel/schedule/contraction": ["kernel/schedule/reductions"],
    "kernel/schedule/windows": ["kernel/schedule/contraction"],
    "kernel/schedule/updates": ["kernel/schedule/lanes"],
    "kernel/schedule": ["kernel/schedule/windows", "kernel/schedule/updates"],
    "kernel": ["kernel/schedule"],
    "pass": ["kernel"],
    "pass/cleanup": ["pass"],
    "pass/control": ["pass"],
    "pass/numbers": ["pass"],
    "pass/fusion": ["pass"],
    "pass/attention": ["pass/fusion"],
    "pass/layout": ["pass"],
    "codegen": ["kernel"],
    "backend/backend": ["kernel", "runtime"],
    "backend/cpu": ["backend/backend", "codegen"],
    "backend/interpret": ["backend/backend"],
    "backend": ["backend/cpu", "backend/interpret"],
    "compiler": ["pass/cleanup", "pass/numbers", "pass/attention", "pass/layout", "backend"],
    "frontend": ["compiler", "io"],
    "library": ["frontend"],
    "stablehlo": ["library"],
    "tools": ["stablehlo"],
}

# Prefixes of third-party headers that are confined to some layers: LLVM's are slow to compile and
# its types must not leak out of code generation.
CONFINED = {"llvm/": ["codegen"], "llvm-c/": ["codegen"]}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = (".h", ".cc")


@functools.lru_cache(maxsize=None)
def reachable(layer):
    """The layers that `layer` may include: itself and all below."""
    found = {layer}
    for below in BELOW[layer]:
        found |= reachable(below)
    return frozenset(found)


def in_order(layers):
    return ", ".join(name for name in BELOW if name in layers)


def check_tree(root):
    """All violations as strings `file:line: message`."""
    problems = []
    for folder in ("include", "src", "tools", "examples"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES:
                problems += check_file(root, path)
    return problems


def check_file(root, path):
    relative = path.relative_to(root)
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            message = judge(root, relative, match.group(1) == '"', match.group(2))
            if message:
                problems.append(f"{relative}:{number}: {message}")
    return problems


def judge(root, source, quoted, header):
    """Why `source` (a path relative to root) may not include `header`; None where it may."""
    if source.parts[0] == "include":
        return judge_public(root, source, quoted, header)
    if source.parts[0] == "examples":
        if belongs_to_layer(root, header):
            return f'an example is a user: it includes only public headers ("ingot/..."), not "{header}"'
        return None
    layer = "tools" if source.parts[0] == "tools" else layer_of(pathlib.PurePath(*source.parts[1:]))
    if layer is None:
        return f"src/{source.parts[1]} is not a known layer; add it to scripts/check_layers.py at its place"
    if header.startswith("ingot/"):
        owner = owner_of_public(root, header)
        return refuse(layer, owner, header) if owner not in reachable(layer) else None
    target = belongs_to_layer(root, header)
    if target:
        return refuse(layer, target, header) if target not in reachable(layer) else None
    for prefix, allowed in CONFINED.items():
        if header.startswith(prefix) and layer not in allowed:
            return f"headers of {prefix.rstrip('/')} belong in {in_order(allowed)} alone, not in {layer}"
    if quoted and source.parts[0] == "src":
        return judge_path(root, source, header)
    return None


def judge_public(root, source, quoted, header):
    if header.startswith("ingot/"):
        if not (root / "include" / header).exists():
            return f'there is no public header "{header}"'
        own = owner_of_public(root, "/".join(source.parts[1:]))
        other = owner_of_public(root, header)
        return refuse(own, other, header) if other not in reachable(own) else None
    if quoted or "/" in header or header.endswith(".h"):
        return (f'a public header includes only "ingot/..." and the standard library, not "{header}"; '
                "declare the type here and include its header in the .cc file")
    return None


def judge_path(root, source, header):
    """A quoted include in src/ that names no layer: relative to the file, or missing."""
    beside = (root / source).parent / header
    if beside.exists():
        right = beside.resolve().relative_to((root / "src").resolve())
        return f'name headers from src/ on: "{right}", not "{header}"'
    return None  # a third-party header in quotes


def layer_of(path):
    """The innermost layer that a path from src/ on, such as kernel/ir/nest.h, lies in, or None."""
    names = [str(path.with_suffix(""))] + [str(folder) for folder in path.parents]
    return next((name for name in names if name in BELOW), None)


def belongs_to_layer(root, header):
    """The layer that a header path such as "ir/type.h" names, or None."""
    return layer_of(pathlib.PurePath(header)) if (root / "src" / header).parent.is_dir() and "/" in header else None


@functools.cache
def owner_of_public(root, header):
    """A public header belongs to the layer that implements it, the one with a source of the same name; one
    without a source of its own to frontend, or to library where it includes a header of that."""
    stem = pathlib.PurePath(header).stem
    owners = [layer for layer in BELOW if (root / "src" / layer / f"{stem}.cc").exists()]
    if len(owners) == 1:
        return owners[0]
    path = root / "include/ingot" / pathlib.PurePath(header).name
    lines = path.read_text().splitlines() if path.exists() else []
    included = [match[2] for line in lines if (match := INCLUDE.match(line)) and match[2].startswith("ingot/")]
    return "library" if any(owner_of_public(root, other) == "library" for other in included) else "frontend"


def refuse(layer, target, header):
    allowed = reachable(layer) - {layer}
    may = f"{layer} may include {in_order(allowed)}" if allowed else f"{layer} includes no other layer"
    turn = f"; {target} stands above it, so {target} may include {layer}" if layer in reachable(target) else ""
    return f'{layer} must not include "{header}" of {target}: {may}{turn}'


def self_test():
    """Builds small trees with one include each and compares what is said of them."""
    cases = [
        # file, include line, part of the expected message (None: allowed)
        ("src/ir/a.cc", '#include "base/x.h"', None),
        ("src/ops/a.cc", '#include "base/x.h"', None),
        ("src/ir/a.cc", '#include "ops/x.h"', "ops stands above it"),
        ("src/ir/a.cc", '  #  include <ops/x.h>', "ir may include base"),
        ("src/base/a.cc", '#include "ir/x.h"', "base includes no other layer"),
        ("src/runtime/a.cc", '#include "ir/x.h"', "runtime may include base"),
        ("src/codegen/a.cc", '#include "runtime/x.h"', "codegen must not include"),
        ("src/compiler/a.cc", '#include "runtime/x.h"', None),
        ("src/kernel/lower/a.cc", '#include "kernel/ir/x.h"', None),
        ("src/kernel/ir/a.cc", '#include "kernel/lower/x.h"', "kernel/lower stands above it"),
        ("src/kernel/schedule/a.cc", '#include "kernel/schedule/lanes/x.h"', None),
        ("src/kernel/schedule/windows/a.cc", '#include "kernel/schedule/updates/x.h"', "windows must not include"),
        ("src/kernel/schedule/updates/a.cc", '#include "kernel/schedule/steps.h"', "kernel/schedule stands above it"),
        ("src/pass/layout/a.cc", '#include "kernel/schedule/x.h"', None),
        ("src/pass/a.cc", '#include "pass/layout/x.h"', "pass/layout stands above it"),
        ("src/codegen/a.cc", '#include "pass/x.h"', "codegen must not include"),
        ("src/transform/a.cc", '#include "interpreter/x.h"', "transform may include base, kernel/cost/table, ir, ops"),
        ("src/kernel/a.cc", '#include "interpreter/x.h"', None),
        ("src/codegen/a.cc", '#include "llvm/IR/Value.h"', None),
        ("src/compiler/a.cc", "#include <llvm/IR/Value.h>", "belong in codegen alone"),
        ("src/ir/a.cc", '#include "ingot/dtype.h"', None),
        ("src/ir/a.cc", '#include "ingot/array.h"', "frontend stands above it"),
        ("src/ir/a.cc", '#include "x.h"', 'name headers from src/ on: "ir/x.h"'),
        ("src/ir/a.cc", "#include <vector>", None),
        ("src/ir/a.cc", '// #include "ops/x.h"', None),
        ("src/strange/a.cc", "#include <vector>", "not a known layer"),
        ("include/ingot/a.h", "#include <vector>", None),
        ("include/ingot/a.h", '#include "ingot/dtype.h"', None),
        ("include/ingot/dtype.h", '#include "ingot/array.h"', "base includes no other layer"),
        ("include/ingot/a.h", '#include "ir/x.h"', "a public header includes only"),
        ("include/ingot/a.h", "#include <nlohmann/json.hpp>", "a public header includes only"),
        ("include/ingot/a.h", '#include "ingot/none.h"', "no public header"),
        ("examples/a.cc", '#include "ingot/array.h"', None),
        ("examples/a.cc", '#include "ir/x.h"', "an example is a user"),
        ("tools/a.cc", '#include "pass/x.h"', None),
    ]
    for name, line, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for layer in BELOW:
                write(root / "src" / layer / "x.h", "")
            write(root / "src/base/dtype.cc", "")
            write(root / "src/frontend/array.cc", "")
            write(root / "include/ingot/dtype.h", "")
            write(root / "include/ingot/array.h", "")
            write(root / name, "\n" + line + "\n")
            found = check_tree(root)
        if expected is None:
            assert not found, (name, line, found)
        else:
            assert len(found) == 1 and expected in found[0], (name, line, found)
            assert found[0].startswith(f"{name}:2: ") or name == "src/strange/a.cc", found
    print(f"layers: self test passed, {len(cases)} cases")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    problems = check_tree(root)
    if problems:
        print("\n".join(problems), file=sys.stderr)
        sys.exit(f"layers: {len(problems)} include(s) point the wrong way")
    print("layers: all includes point one way")


if __name__ == "__main__":
    main(sys.argv[1:])
