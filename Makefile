# Everything a fresh Debian 12 needs: make demo (install, build, run), make check (every test).
PRESETS := no-mpi mpich openmpi simgrid
JOBS ?= $(shell nproc)

.PHONY: demo check build packages format lint clean
.DEFAULT_GOAL := build

build: packages
	@for preset in $(PRESETS); do scripts/build $$preset || exit 1; done

demo: packages
	@for preset in openmpi simgrid; do scripts/build $$preset || exit 1; done
	@scripts/demo

check: build
	@scripts/check

packages:
	@scripts/install-packages

format:
	@clang-format -i $$(git ls-files '*.cpp' '*.hpp')

lint: build
	@scripts/lint

clean:
	rm -rf build demo
