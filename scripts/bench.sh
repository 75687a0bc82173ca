#!/usr/bin/env bash
# Runs the benchmark in a virtual environment with its peers; arguments go to bench/run.py, or to bench/interleave.py,
# bench/lower.py or bench/train.py where the first one is `interleave`, `lower` or `train`. PEERS=torch adds PyTorch.
set -euo pipefail
cd "$(dirname "$0")/.."

install() {  # what a file of requirements names, unless it is there
  local file=$1 stamp=.venv/$(basename "$1")
  cmp -s "$file" "$stamp" && return
  echo "installing $(grep -v '^#' "$file" | tr '\n' ' ')from PyPI into .venv"
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/pip install --quiet --no-cache-dir --requirement "$file"
  cp "$file" "$stamp"
}

script=bench/run.py
case "${1:-}" in
  interleave | lower | train)
    script=bench/$1.py
    shift
    ;;
  *) [ -z "${PEERS:-}" ] || set -- "$@" --peers "$PEERS" ;;
esac
# All of this speaks to stderr: with --json stdout belongs to the result.
{
  install bench/requirements.txt
  if [[ "$*" == *torch* || "$*" == *inductor* ]]; then install bench/requirements-torch.txt; fi
} >&2
exec .venv/bin/python $script "$@"
