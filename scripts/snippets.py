#!/usr/bin/env python3
"""Makes one C++ program of the snippets in README.md and docs/: what the pages show is compiled and run.

    scripts/snippets.py OUTPUT.cc

Every block ```cpp of a page stands in one function, in the order of the page, so that a snippet goes on with what those
before it have made. Comments in the Markdown, which readers do not see, say what is otherwise:

    <!-- cpp: global -->       the next block stands outside of functions: it defines some
    <!-- cpp: scope -->        what follows is a function of its own
    <!-- cpp: from FILE -->    the next block is an excerpt of that file, and is compared with it; "..." leaves lines out
    <!-- cpp                   lines of the function that are not shown: what a snippet needs, and what it should have
    check(y.size() == 3);      given, as check(..)
    -->
    <!-- cpp global            the same outside of functions
    -->
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TOKEN = re.compile(r"^ *<!-- cpp: ([^>]*?) -->[ ]*$|^ *<!-- cpp( global)?\n(.*?)^ *-->|^( *)```cpp\n(.*?)^ *```", re.M | re.S)


def pages():
    yield "README.md"
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if name.endswith(".md"):
            yield "docs/" + name


def check_excerpt(page, line, code, path):
    """The parts of the block between "..." stand in the file, in this order, whatever the blanks and the comments."""
    def plain(text):
        return re.sub(r"\s+", "", re.sub(r"//.*", "", text))
    whole, at = plain(open(os.path.join(ROOT, path)).read()), 0
    for part in code.split("..."):
        at = whole.find(plain(part), at)
        if at < 0:
            sys.exit(f"{page}:{line}: this is not in {path}:\n{part}")
        at += len(plain(part))


def read(page):
    """The blocks of a page: (line, place, code), with a new function where place is "scope"."""
    text = open(os.path.join(ROOT, page)).read()
    marks = []
    for match in TOKEN.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        if match.group(1) is not None:
            marks = match.group(1).split()
            if "scope" in marks:
                yield line, "scope", ""
        elif match.group(5) is None:
            yield line, "global" if match.group(2) else "code", match.group(3)
        elif marks[:1] == ["from"]:
            check_excerpt(page, line, match.group(5), marks[1])
            marks = []
        else:
            yield line, "global" if "global" in marks else "code", match.group(5)
            marks = []


def program():
    out = ["// Made by scripts/snippets.py of README.md and docs/.",
           "#include <cstdio>", "#include <chrono>", "#include <filesystem>", "#include <iostream>", "#include <map>",
           "#include <span>", "#include <stop_token>", "#include <thread>", "#include <utility>", "#include <vector>",
           '#include "ingot/ingot.h"',
           "static int wrong = 0;",
           "[[maybe_unused]] static void check(bool right, int line = __builtin_LINE(),",
           "                                   const char* file = __builtin_FILE()) {",
           '  if (!right) std::printf("%s:%d: wrong\\n", file, line), ++wrong;',
           "}"]
    calls = []
    for page in pages():
        name = re.sub(r"\W", "_", page)
        outside, inside = [], [[]]
        for line, place, code in read(page):
            code = re.sub(r"^ *#include.*$", "", code, flags=re.M)
            piece = f'#line {line} "{page}"\n{code}'
            if place == "global":
                # What stands outside comes behind the functions before it.
                outside.append(("global", piece))
            elif place == "scope":
                outside.append(("function", inside))
                inside = [[]]
            else:
                inside[-1].append(piece)
        outside.append(("function", inside))
        functions = []
        body = []
        for kind, piece in outside:
            if kind == "global":
                body.append(piece)
            elif piece[-1]:
                functions.append("\n".join(piece[-1]))
        if not body and not functions:
            continue
        out.append(f"namespace {name} {{\nusing ingot::Array;")
        out += body
        for i, code in enumerate(functions):
            out.append(f"static void run_{i}() {{\n{code}\n}}")
            calls.append((page, f"{name}::run_{i}"))
        out.append("}")
    out.append('#line 1 "snippets"\nint main() {')
    for page, call in calls:
        out.append(f'  try {{ {call}(); }} catch (const std::exception& error) {{ '
                   f'std::printf("{page}: %s\\n", error.what()), ++wrong; }}')
    out.append('  std::puts(wrong == 0 ? "right" : "wrong");\n  return wrong;\n}')
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = program()
    with open(sys.argv[1], "w") as file:
        file.write(text)


main()
