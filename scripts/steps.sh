# shellcheck shell=bash
# Steps of a script and what each takes, for `source`: `step NAME` begins one and ends that before. When the
# script ends, however it ends, it prints a table of them.
step_names=() step_starts=()

step() {
  step_names+=("$1")
  step_starts+=("$SECONDS")
  printf '\n== %s%s (%d s so far)\n' "${steps:+[${#step_names[@]}/$steps] }" "$1" "$SECONDS"
}

print_steps() {
  local status=$? count=${#step_names[@]} end i mark
  step_starts+=("$SECONDS")
  printf '\n  seconds  step\n'
  for ((i = 0; i < count; ++i)); do
    mark=
    if [ "$status" != 0 ] && [ $((i + 1)) = "$count" ]; then mark="   <- failed"; fi
    printf '  %7d  %s%s\n' $((step_starts[i + 1] - step_starts[i])) "${step_names[i]}" "$mark"
  done
  if [ "$status" = 0 ]; then end="all passed"; else end="failed"; fi
  printf '  %7d  %s\n' "$SECONDS" "$end"
}
trap print_steps EXIT
