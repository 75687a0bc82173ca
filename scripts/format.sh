#!/usr/bin/env bash
# Formats all C++ files with clang-format; with --check only says which differ, and how.
# clang-format's output changes between versions: Debian 12's version 14 is the one that counts.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly wanted=14
tool=""
for candidate in clang-format-$wanted clang-format; do
  if command -v $candidate >/dev/null && [[ "$($candidate --version)" == *"version $wanted."* ]]; then
    tool=$candidate
    break
  fi
done
if [ -z "$tool" ]; then
  echo "clang-format $wanted is not installed; scripts/install_dependencies.sh installs it" >&2
  exit 1
fi

mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.h' '*.cc')
existing=()
for file in "${files[@]}"; do
  if [ -f "$file" ]; then existing+=("$file"); fi
done

if [ "${1:-}" = --check ]; then
  if ! $tool --dry-run -Werror "${existing[@]}"; then
    echo "format: files differ from .clang-format; run 'make format'" >&2
    exit 1
  fi
  echo "format: ${#existing[@]} files in order"
elif [ $# = 0 ]; then
  $tool -i "${existing[@]}"
else
  echo "usage: scripts/format.sh [--check]" >&2
  exit 2
fi
