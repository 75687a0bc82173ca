# The commands of the README. CMake does the building (CMakePresets.json); this file only strings together
# what one would otherwise type: install what is missing, configure, build, run.
#
#   make demo      the four example programs, with a report
#   make test      all tests, then the format and layer checks
#   make bench     Ingot beside JAX, Numba and hand-written C++; ONLY=tdma,perm selects, JSON=1 prints JSON,
#                  PEERS=torch adds PyTorch, QUICK=1 takes each line once
#   make docs      the documentation as a site, build/site/index.html, its links looked at
#   make install   into PREFIX (default /usr/local), for find_package(ingot)
#   make format    formats the C++ files
#   make clean     removes everything that was built
#
# PRESET=debug|asan|tsan builds another way, JOBS=n limits the parallel compile jobs, and CMAKE_FLAGS goes to
# the configure step.
PRESET ?= release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=

build_dir := $(if $(filter release,$(PRESET)),build,build-$(PRESET))
# A build from nothing compiles files in batches (cmake/toolbox.cmake); what has been configured stays as it is.
configure_flags := $(if $(wildcard $(build_dir)/CMakeCache.txt),,-DINGOT_UNITY=ON) $(CMAKE_FLAGS)

.PHONY: all demo docs test bench check format install clean configure build dependencies

all: build

dependencies:
	@scripts/install_dependencies.sh build $(if $(filter asan tsan,$(PRESET)),sanitize)

configure: dependencies
	@cmake --preset $(PRESET) $(configure_flags) > $(build_dir).log 2>&1 || { cat $(build_dir).log; exit 1; }
	@mkdir -p $(build_dir) && mv $(build_dir).log $(build_dir)/configure.log

build: configure
	@cmake --build --preset $(PRESET) -j $(JOBS)

demo: configure
	@cmake --build --preset $(PRESET) -j $(JOBS) --target demo
	@$(build_dir)/bin/demo

test:
	@PRESET='$(PRESET)' JOBS='$(JOBS)' CMAKE_FLAGS='$(CMAKE_FLAGS)' scripts/test.sh

check: dependencies
	@scripts/check_layers.py --self-test
	@scripts/check_layers.py
	@scripts/format.sh --check

bench:
	@scripts/install_dependencies.sh build bench >&2
	@$(MAKE) --no-print-directory build >&2
	@PEERS='$(PEERS)' scripts/bench.sh $(if $(ONLY),--only '$(ONLY)') $(if $(JSON),--json) $(if $(QUICK),--quick)

docs:
	@scripts/install_dependencies.sh docs
	@scripts/site.py build/site

format: dependencies
	@scripts/format.sh

install: build
	@cmake --install $(build_dir) --prefix $(PREFIX) --strip

clean:
	rm -rf build build-debug build-asan build-tsan .venv
