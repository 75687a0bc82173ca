#!/usr/bin/env bash
# Runs the benchmark in a virtual environment with its peers; arguments go to bench/run.py.
set -euo pipefail
cd "$(dirname "$0")/.."

# All of this speaks to stderr: with --json stdout belongs to the result.
{
  stamp=.venv/requirements.txt
  if ! cmp -s bench/requirements.txt $stamp; then
    echo "making .venv with $(grep -v '^#' bench/requirements.txt | tr '\n' ' ')from PyPI"
    python3 -m venv .venv
    .venv/bin/pip install --quiet --requirement bench/requirements.txt
    cp bench/requirements.txt $stamp
  fi
} >&2
exec .venv/bin/python bench/run.py "$@"
