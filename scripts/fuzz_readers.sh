#!/usr/bin/env bash
# Runs the fuzzers of the readers of StableHLO, text and bytecode, side by side:
#
#   scripts/fuzz_readers.sh [SECONDS [FOLDER...]]
#
# SECONDS for each, 1800 by default. They begin with the modules of the tests, and those of the folders. What they
# find is left in build-fuzzers/findings; the corpus, in build-fuzzers/corpus, is used again the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-1800}
shift || true
cmake --preset fuzzers > /dev/null
ninja -C build-fuzzers ingot_fuzz_text ingot_fuzz_bytecode
fuzz() {
  local reader=$1 seeds corpus findings failed=0
  shift
  seeds=build-fuzzers/seeds/$reader
  corpus=build-fuzzers/corpus/$reader
  findings=build-fuzzers/findings/$reader
  rm -rf "$seeds"
  mkdir -p "$seeds" "$corpus" "$findings"
  if [ $reader = text ]; then
    cp tests/stablehlo/texts/*.mlir "$seeds"
    for file in tests/stablehlo/golden/*.txt; do  # cases: a module, "// ----", what becomes of it, "// ===="
      awk -v prefix="$seeds/$(basename "$file" .txt)" '
        BEGIN { n = 0; module = 1 }
        /^\/\/ ----/ { module = 0 }
        /^\/\/ ====/ { ++n; module = 1; next }
        module { print > (prefix "-" n ".mlir") }' "$file"
    done
    for folder in "$@"; do cp "$folder"/*.mlir "$seeds" 2> /dev/null || true; done
  else
    cp tests/stablehlo/artifacts/*.mlirbc "$seeds"
    for folder in "$@"; do cp "$folder"/*.mlirbc "$seeds" 2> /dev/null || true; done
  fi
  # -fsanitize=fuzzer links libstdc++ before the sanitizer's library, which replaces nothing of it.
  ASAN_OPTIONS=verify_asan_link_order=0 nice -n 19 build-fuzzers/bin/ingot_fuzz_$reader -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 \
    -malloc_limit_mb=1500 -max_len=65536 -artifact_prefix="$findings/" -print_final_stats=1 "$corpus" "$seeds" \
    2> build-fuzzers/$reader.log || failed=1
  echo "$reader:"
  tail -n 12 build-fuzzers/$reader.log
  return $failed
}
fuzz text "$@" &
text=$!
fuzz bytecode "$@" &
bytecode=$!
failed=0
wait $text || failed=1
wait $bytecode || failed=1
exit $failed
