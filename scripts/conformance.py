#!/usr/bin/env python3
"""Writes the tables of docs/conformance.md: how the conformance cases of the StableHLO project fare, per operation.

    scripts/conformance.py CASES [--ingot build/bin/ingot]

CASES is a folder of modules that check themselves (the testdata folder of the public StableHLO project). Each case is
run in four ways: as written and with its inputs lifted to arguments, compiled and interpreted.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

MODES = [("as written", []), ("lifted", ["--lift-inputs"]), ("interpreted", ["--interpret"]),
         ("lifted, interpreted", ["--lift-inputs", "--interpret"])]

TABLE = "## By operation\n"  # what stands before it in the page is written by hand


def run(ingot, files, options):
    result = subprocess.run([ingot, "check", "--json", *options, *files], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1) or not result.stdout:
        sys.exit(f"ingot check {' '.join(options)}: {result.stderr}")
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--ingot", default=str(root / "build/bin/ingot"))
    arguments = parser.parse_args()
    files = sorted(str(path) for path in arguments.cases.glob("*.mlir"))
    if not files:
        sys.exit(f"there are no *.mlir in {arguments.cases}")
    reports = [run(arguments.ingot, files, options) for _, options in MODES]
    page = root / "docs/conformance.md"
    head, _, _ = page.read_text(encoding="utf-8").partition(TABLE)
    page.write_text(head + TABLE + tables(files, reports), encoding="utf-8")
    print(", ".join(f"{name}: {report['passed']}" for (name, _), report in zip(MODES, reports)))


def tables(files, reports):
    # An operation has one name in all modes: that of the first mode, in which nothing is hidden by lifting.
    operation = {one["file"]: one["operation"] for one in reports[0]["cases"]}
    names = sorted(set(operation.values()))
    text = "\nThe operation is the one that made what is checked, or the one that was refused.\n\n"
    text += "| operation | cases | " + " | ".join(name for name, _ in MODES) + " |\n"
    text += "| --- | ---: | " + " | ".join("---:" for _ in MODES) + " |\n"
    for name in names:
        cases = sum(1 for found in operation.values() if found == name)
        passed = [sum(1 for one in report["cases"] if operation[one["file"]] == name and one["status"] == "passed")
                  for report in reports]
        text += f"| `{name}` | {cases} | " + " | ".join(str(count) for count in passed) + " |\n"
    text += f"| all | {len(files)} | " + " | ".join(str(report["passed"]) for report in reports) + " |\n"
    text += "\n## What does not pass\n\n"
    text += "Refused cases say why; of the others this is the first thing that is wrong, compiled with lifted inputs or as written.\n\n"
    for one, lifted in zip(reports[0]["cases"], reports[1]["cases"]):
        bad = lifted if lifted["status"] != "passed" else one
        if bad["status"] != "passed":
            text += f"- {pathlib.Path(one['file']).stem}: {bad['status']}, {reason(bad['message'])}\n"
    return text


def reason(message):
    """The message without the case's own place."""
    message = re.sub(r"^\S+\.mlir:\d+:\d+: ", "", message)
    return message.replace("; see docs/conformance.md", "")


if __name__ == "__main__":
    main()
