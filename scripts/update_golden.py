#!/usr/bin/env python3
"""Rewrites the expected text of the golden tests of passes, and shows what changed.

    scripts/update_golden.py [BUILD]     BUILD: the build folder (default: build); it is built first

Read the difference before you commit it: a golden test only means something if somebody believed its text.
"""

import os
import pathlib
import subprocess
import sys


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(arguments[0]) if arguments else root / "build"
    subprocess.run(["cmake", "--build", build, "--target", "pass_tests"], check=True)
    result = subprocess.run(
        [build / "bin" / "pass_tests", "--gtest_filter=*GoldenTest*", "--gtest_brief=1"],
        env={**os.environ, "INGOT_UPDATE_GOLDEN": "1"},
        check=False,
    )
    subprocess.run(["git", "-C", root, "--no-pager", "diff", "--", "tests/pass/golden"], check=False)
    if result.returncode != 0:
        sys.exit("a case failed for another reason than its text; see above")


if __name__ == "__main__":
    main(sys.argv[1:])
