# Every target works on a fresh clone: the first run puts what it needs into .venv.
#   make PYTHON=python3.13 ...   the interpreter of a new .venv
#   make PBOW_DATA=folder ...    the real data sets, where there are any
#   make test ARGS="-k bow"      more arguments for pytest, or for the benchmarks
#   make test-random SEED=1      the examples of one seed; by default of a new one
#   make fuzz SECONDS=600        for ten minutes; or COUNT=100000 inputs
#   make experiments JOBS=8      processes; by default as many as there are cores

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz mutants coverage test-random test-browser test-long test-packages versions soak lint docs bench experiments-quick experiments clean
# All targets install into the same .venv.
.NOTPARALLEL:

python := .venv/bin/python

# Numba sees that a function's own file has changed, but not the files of what it calls.
# A cache for each content of compute/ never serves stale machine code; `make test` drops
# those of other contents.
jit := .cache/numba/$(shell cat src/pbow/compute/*.py | cksum | cut -d ' ' -f 1)
export NUMBA_CACHE_DIR := $(CURDIR)/$(jit)

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

demo: .venv/.has-all  ## shapes to diagrams to words to a score, in one minute
	.venv/bin/pbow demo

# The same tests on the same examples in the same order in every run: it must pass for
# everyone, every time.
test: .venv/.has-test $(jit)/.warm  ## the tests, without a browser and the long ones
	PYTHONHASHSEED=0 $(pytest) $(workers) -m "not long and not browser" $(ARGS)

SEED := $(shell date +%s)
test-random: .venv/.has-test $(jit)/.warm  ## look for failures with random examples
	@echo "pbow: random examples; to repeat them: make test-random SEED=$(SEED)"
	$(pytest) $(workers) -m "hypothesis and not long and not browser" \
	    --hypothesis-profile=random --hypothesis-seed=$(SEED) $(ARGS)

# The inputs of one seed are the same in every run, whatever the number of processes.
SECONDS := 60
fuzz: .venv/.has-test $(jit)/.warm  ## damaged files, odd arrays and parameters: a minute
	$(one-thread) $(python) -m fuzzing --seed $(SEED) --seconds $(SECONDS) \
	    --jobs $(JOBS) $(if $(COUNT),--count $(COUNT)) $(ARGS)

test-browser: .venv/.has-test $(jit)/.warm  ## the explorer in Chromium, installed if needed
	scripts/install-chromium.sh
	$(pytest) -m "browser and not long" $(ARGS)

test-long: .venv/.has-test docs  ## the tests that take minutes, and docs
	scripts/install-chromium.sh
	$(python) -m pytest -rs -m long $(ARGS)

test-packages: .venv/.has-all  ## sdist and wheel in empty environments, with every extra
	$(python) scripts/check_packages.py $(ARGS)

versions: .venv/.has-test  ## the tests with oldest, pinned and newest versions: hours
	$(python) scripts/check_versions.py --out docs/testing/versions.json $(ARGS)
	$(python) scripts/testing_page.py

soak: .venv/.has-test $(jit)/.warm  ## a million small calls, and writers under faults
	$(one-thread) $(python) scripts/soak.py --out docs/testing/soak.json
	$(one-thread) $(python) scripts/faults.py --out docs/testing/faults.json
	$(python) scripts/testing_page.py

lint: .venv/.has-all .venv/.has-lint  ## style, types and the arrows between modules
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy
	.venv/bin/lint-imports

# Without -E a page that has not changed would keep its warnings to itself.
docs: .venv/.has-docs  ## the web pages, into docs/_build/html
	$(python) -m sphinx -W -E --keep-going -b html docs docs/_build/html

# Which tests run which lines is known from a trace; without a change they pass.
mutants: SEED := 0
mutants: COUNT := 1000
mutants: .venv/.has-coverage  ## change the source in 1,000 places; tests should notice
	$(python) scripts/mutants.py trace
	$(python) scripts/mutants.py run --seed $(SEED) --count $(COUNT) $(ARGS)
	$(python) scripts/mutants.py run --seed $(SEED) --count $(COUNT) --again $(ARGS)
	$(python) scripts/mutants.py report --seed $(SEED) --count $(COUNT)

# The loops of compute/ as Python runs them, the rest with compiled loops.
coverage: .venv/.has-coverage $(jit)/.warm  ## lines and branches that the tests run
	rm -f .coverage .coverage.*
	$(python) scripts/mutants.py trace tests/compute/test_*.py
	$(one-thread) $(python) -m coverage run -m pytest \
	    -m "not long and not browser" $(ARGS)
	$(python) scripts/coverage_figures.py

bench: .venv/.has-bench  ## pbow side by side with its peers
	$(python) -m benchmarks $(ARGS)

# Always anew: it is to show that the code of today works. The first data set is for one
# process, which compiles the loops; see the workers of the tests for why.
quick := .cache/experiments/quick
experiments-quick: .venv/.has-all  ## all approaches on a few shapes: table, figures, a page
	rm -rf $(quick)
	$(experiment) run experiments/quick.toml --out $(quick) --only shapes
	$(experiment) run experiments/quick.toml --out $(quick) --jobs 2
	$(call show,$(quick))

# Time against size is about time alone, which other processes would take some of.
experiments: .venv/.has-all  ## the full ones: some hours, and PBOW_DATA must be set
	@test -d "$$PBOW_DATA" || { echo "pbow: the full experiments need the real data" \
	    "sets: make experiments PBOW_DATA=folder" >&2; exit 2; }
	@echo "pbow: the full experiments take some hours. Stop them at any moment; make" \
	    "experiments goes on from there." >&2
	.venv/bin/pbow warm-up
	$(foreach name,exp_a exp_b powered scaling optima unreduced,\
	    $(call run-full,$(name),$(JOBS)))
	$(call run-full,time_vs_size,1)
	$(one-thread) $(python) -m experiments.reddit_variants
	$(one-thread) $(python) -m experiments.verdicts
	$(one-thread) $(python) -m experiments.claims

clean:  ## remove .venv, caches and everything built
	rm -rf .venv .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache \
	    .import_linter_cache build dist docs/_build docs/gallery \
	    demo-words.png experiments/results/*/runs
	find . -name __pycache__ -prune -exec rm -rf {} +

# Two workers with a pool of BLAS threads each would fight over the cores.
one-thread := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
pytest = $(one-thread) $(python) -m pytest -rs

# Of an experiment every run is one thread. Table, figures and page are made from its
# folder of results.
experiment = $(one-thread) .venv/bin/pbow experiment
JOBS = $(shell nproc 2>/dev/null || echo 2)

define show
	$(experiment) table $(1) > $(1)/table.md
	$(experiment) table $(1) --format latex > $(1)/table.tex
	$(experiment) table $(1) --format csv > $(1)/table.csv
	$(one-thread) $(python) -m experiments.figures $(1)
	$(experiment) report $(1)
	@echo "pbow: tables, figures and report.html are in $(1)" >&2
endef

define run-full
	$(experiment) run experiments/$(1).toml --out experiments/results/$(1) --jobs $(2)
	$(call show,experiments/results/$(1))

endef

# Two processes that compile one function at a time spoil a cache: the index that one
# writes may name the machine code of the other. The usual loops are compiled once, and
# each worker goes on in a copy. Without the copies (the warm-up failed) the tests run all
# the same, and say better what is wrong.
worker = --tx "popen//env:NUMBA_CACHE_DIR=$(NUMBA_CACHE_DIR)-$(1)"
workers := $(call worker,1) $(call worker,2) --dist loadfile
$(jit)/.warm: src/pbow/compilation.py .venv/.has-test
	@mkdir -p $(jit)
	find .cache -path '.cache/numba/*' -prune ! -path '$(jit)*' -exec rm -rf {} +
	-.venv/bin/pbow warm-up && rm -rf $(jit)-1 $(jit)-2 && \
	    cp -R $(jit) $(jit)-1 && cp -R $(jit) $(jit)-2 && touch $@

# A stamp is touched last, so a set-up that was killed starts again. mypy reads the types
# of the optional packages, which is why lint asks for them too.
setup := pyproject.toml constraints.txt scripts/setup-venv.sh
.venv/.has-%: $(setup)
	scripts/setup-venv.sh $*
	@touch $@

.venv/.has-coverage: $(setup)
	scripts/setup-venv.sh test "coverage>=7.10"
	@touch $@

bench-list := $(wildcard benchmarks/requirements.txt)
.venv/.has-bench: $(setup) $(bench-list)
	scripts/setup-venv.sh all $(addprefix -r,$(bench-list))
	@touch $@
