#!/usr/bin/env bash
# Installs the Debian packages that Ingot needs. This file is the only list of them.
#
#   scripts/install_dependencies.sh [--check] [build] [bench] [docs] [ci]
#
# Groups: `build` (compiler, libraries, tests; the default), `bench` (the peers that `make bench` measures
# against), `docs` (`make docs`), `sanitize` (PRESET=asan, PRESET=tsan) and `ci` (what continuous integration runs besides `make test`:
# kernels of AArch64). Does nothing, fast, where everything is there; --check only says what is missing.
set -euo pipefail

# group  package  what it is needed for
packages() {
  cat <<'LIST'
build g++               the C++20 compiler
build cmake             configures the build
build ninja-build       runs the build
build ccache            keeps compiled files between builds
build lld               links faster than the default linker
build llvm-22-dev       code generation and the JIT
build zlib1g-dev        compressed .npz files
build libopenblas-dev   matrix products, per tile
build libgtest-dev      the tests
build libmpfr-dev       exact values of functions, for the tests of accuracy
build libbenchmark-dev  micro-benchmarks of the runtime
build libcli11-dev      the options of the ingot command
build nlohmann-json3-dev  JSON reports
build clang-format      the format check
build python3           the layer check and the bench harness
build python3-numpy     reads and writes the files of the test of .npy and .npz
bench libdnnl-dev       matrix products by oneDNN, a peer
docs  mkdocs            makes the site of the documentation
docs  mkdocs-material   its theme
sanitize clang-22        compiles for the sanitizers
sanitize libclang-rt-22-dev  the sanitizers' libraries
ci    g++-aarch64-linux-gnu  links kernels of AArch64 to a program that runs them
ci    qemu-user-static  runs that program
bench python3-venv      the virtual environment with JAX and Numba
LIST
}

main() {
  local check=0 groups=()
  for arg in "$@"; do
    case "$arg" in
      --check) check=1 ;;
      build | bench | docs | sanitize | ci) groups+=("$arg") ;;
      *) echo "unknown argument '$arg'; expected --check, build, bench, docs, sanitize or ci" >&2; exit 2 ;;
    esac
  done
  [ ${#groups[@]} -gt 0 ] || groups=(build)

  if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system, so nothing is installed. Needed here (Debian's names):" >&2
    packages | sed 's/^[a-z]* */  /' >&2
    return 0  # cmake says what it does not find
  fi

  local missing=() group package why
  while read -r group package why; do
    [[ " ${groups[*]} " == *" $group "* ]] || continue
    if ! is_installed "$package"; then
      missing+=("$package")
      printf 'missing: %-18s %s\n' "$package" "$why"
    fi
  done < <(packages)
  [ ${#missing[@]} -gt 0 ] || return 0
  [ $check = 0 ] || exit 1
  install_packages "${missing[@]}"
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

install_packages() {
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Installing needs root, and there is no sudo. As root, run:" >&2
      echo "  apt-get update && apt-get install --no-install-recommends $*" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "installing with apt-get${as_root[0]:+ (through sudo)}: $*"
  "${as_root[@]}" apt-get update -qq || echo "apt-get update failed; trying with the lists that are there" >&2

  local package unavailable=()
  for package in "$@"; do
    [[ "$(apt-cache policy "$package" 2>/dev/null)" =~ Candidate:\ [^\(] ]] || unavailable+=("$package")
  done
  if [ ${#unavailable[@]} -gt 0 ]; then
    echo "apt-get cannot find: ${unavailable[*]}" >&2
    echo "They are part of Debian 12 (llvm-22-dev and clang-22 come with its security updates). /etc/apt should name:" >&2
    echo "  deb http://deb.debian.org/debian bookworm main" >&2
    echo "  deb http://deb.debian.org/debian-security bookworm-security main" >&2
    exit 1
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

main "$@"
