#!/usr/bin/env bash
# Installs the built library into a temporary prefix, then builds and runs tests/consumer against it.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install build --prefix "$work/prefix" >"$work/install.log"
cp -r tests/consumer "$work/source" # outside the checkout, so that nothing of it can be found by accident
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
  >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"
"$work/build/consumer"
echo "consumer: find_package(ingot) works"
