#!/usr/bin/env bash
# `make test`: installs what is missing, builds, runs all tests, checks; prints what each step took. PRESET, JOBS
# and CMAKE_FLAGS come from the Makefile.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/steps.sh

step "packages, configuration"
make --no-print-directory configure
step "build"
cmake --build --preset "$PRESET" -j "$JOBS"
step "tests"
ctest --preset "$PRESET" -j "$(nproc)" --progress
step "format, layers"
make --no-print-directory check
