# Everything a fresh Debian 12 needs: make demo (install, build, run), make check (every test).
PRESETS := no-mpi sanitize threads mpich openmpi simgrid
JOBS ?= $(shell nproc)

.PHONY: demo figures regret peers netbench shmbench librarybench check build fuzz packages \
  requirements format lint clean
.DEFAULT_GOAL := build

build: requirements
	@for preset in $(PRESETS); do scripts/build $$preset || exit 1; done

demo: requirements
	@for preset in openmpi simgrid; do scripts/build $$preset || exit 1; done
	@scripts/demo

# The figures of Thakur2005, drawn again: docs/figures, docs/reproduction.md
figures: requirements
	@for preset in openmpi simgrid; do scripts/build $$preset || exit 1; done
	@scripts/figures

check: build
	@scripts/check

# How much slower the choice, untuned and tuned, is than the best algorithm, on simulated clusters
regret: requirements
	@for preset in openmpi simgrid; do scripts/build $$preset || exit 1; done
	@python3 bench/cluster/regret.py --times build/regret-times.csv --out docs/results/regret.csv
	@python3 bench/cluster/regret.py --times build/regret-times.csv --out docs/results/regret-tuned.csv \
	  --profiles build/profiles

# Tutti, not tuned, against four libraries' choices on simulated clusters: docs/results.md
peers: requirements
	@scripts/build simgrid
	@python3 bench/cluster/peers.py

# Tuned Tutti against both native libraries on hosts with a slow network, as root: docs/results.md
netbench: requirements
	@for preset in mpich openmpi; do scripts/build $$preset || exit 1; done
	@python3 bench/hosts/netbench.py
	@python3 bench/hosts/slownet.py

# The goals of a node, untuned, on the processors of this machine, which has to be idle: ten minutes
# for Debian's two libraries, four more for each that scripts/install-mpi has installed
shmbench: requirements
	@for preset in mpich openmpi; do scripts/build $$preset || exit 1; done
	@python3 bench/hosts/shmbench.py

# Five MPI libraries against each other, and Tutti on each: the same hosts and processors
librarybench: requirements
	@for library in mpich5 intel openmpi5; do scripts/install-mpi $$library || exit 1; done
	@for preset in mpich openmpi; do scripts/build $$preset || exit 1; done
	@python3 bench/hosts/librarybench.py

fuzz: requirements
	@scripts/fuzz --seed $(or $(SEED),1) --cases $(or $(CASES),20000) $(if $(LIB),--lib $(LIB))

requirements:
	@scripts/install-packages

# What users install, tried out: build/packages
packages: requirements
	@for wheel in mpich5 intel openmpi5; do scripts/install-mpi $$wheel || true; done
	@scripts/package
	@scripts/test-packages

format:
	@clang-format -i $$(git ls-files '*.cpp' '*.hpp')

lint: requirements
	@scripts/build no-mpi
	@scripts/lint

clean:
	rm -rf build demo
