#!/usr/bin/env bash
# `make test`: installs what is missing, builds, runs all tests, checks; prints what each step took. PRESET, JOBS
# and CMAKE_FLAGS come from the Makefile.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/steps.sh

# The tests that run with a library built for the address sanitizer are those of the release build.
if [ "$PRESET" = asan ]; then
  step "build of the tests"
  make --no-print-directory configure PRESET=release
  cmake --build --preset release -j "$JOBS" --target tests
fi
step "packages, configuration"
make --no-print-directory configure
step "build"
target=all
case "$PRESET" in asan | tsan) target=tests ;; esac
cmake --build --preset "$PRESET" -j "$JOBS" --target "$target"
step "tests"
ctest --preset "$PRESET" -j "$(nproc)" --progress
step "format, layers"
make --no-print-directory check
