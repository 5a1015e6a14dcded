# lccmodel: `make report` runs the main job, `make test` passes the tests. Each sets up what it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# The report runs without what develops it: a fifth of the time and two fifths of the room.
SMALL  := $(VENV)/.ready-to-report
# uv installs faster, where it is at hand.
INSTALL = $(if $(shell command -v uv),uv pip install -q --compile-bytecode --python $(BIN)/python,\
          $(BIN)/python -m pip install -qq --disable-pip-version-check) -c constraints.txt
# Two processes with half of the tests each: the checker, the commands and the documents with
# some of the library, and what these leave. (A queue of tests for both costs 2 ms a test, and each
# collects all.) nbmake takes seconds to load.
TESTING := $(BIN)/python -m pytest -p no:nbmake
HALF := tests/proofs_check tests/cli tests/papers tests/mpi tests/journeys tests/collectives \
        tests/hostile tests/symbolic $(wildcard tests/test_*.py)
HALVES = +@$(MAKE) --no-print-directory -j 2 first-half second-half
# Python's own bytecode is kept, or every process that a test starts compiles every source again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup report test check-all first-half second-half lint types proofs notebooks notebooks-store browser docs docs-open dist oldest bench ci mutants clean
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(READY): pyproject.toml constraints.txt
	@echo "setup: virtual environment in $(VENV), pinned by constraints.txt"
	@$(PYTHON) -c 'import sys; sys.exit("lccmodel needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(INSTALL) -e '.[dev]'
	@$(BIN)/python -m compileall -q -j 2 lccmodel proofs_check  # as pip does with all but this
	@$(BIN)/lccmodel warm-up  # else both halves of the tests compile the same kernels
	@touch $@

$(SMALL): pyproject.toml constraints.txt
	@echo "setup: virtual environment in $(VENV) with what the report runs, pinned by constraints.txt"
	@$(PYTHON) -c 'import sys; sys.exit("lccmodel needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(INSTALL) -e .
	@$(BIN)/lccmodel warm-up report
	@touch $@

setup: $(READY)  ## create .venv with the pinned dependencies

report: $(if $(wildcard $(READY)),$(READY),$(SMALL))  ## the main job: mappings for examples/, and the tables and figures of papers, in out/
	@$(BIN)/lccmodel report examples --output out --papers all

test: $(READY)  ## the fast tests, with every docstring example (minutes on 2 cores)
	$(HALVES) CHOSEN="not slow and not browser"

check-all: $(READY)  ## every test, the slow ones too
	$(HALVES) CHOSEN="not browser"

first-half:  # says all at its end, between the lines of the other
	@said=$$($(TESTING) -m "$(CHOSEN)" $(HALF) proofs_check docs README.md 2>&1); code=$$?; \
	printf '\n%s\n' "$$said"; exit $$code

second-half:
	@$(TESTING) -m "$(CHOSEN)" tests lccmodel $(HALF:%=--ignore=%)

lint: $(READY)  ## style and import direction
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports

types: $(READY)  ## strict typing
	@$(BIN)/mypy

proofs:  ## the theorems for every n, machine-checked (installs Coq where apt and root are at hand)
	@$(PYTHON) proofs_check/formal/build.py

# One by one: kernels that start together can take each other's ports and wait for ever.
notebooks: $(READY)  ## every notebook from a clean kernel; stored outputs must be the fresh ones
	@$(BIN)/python notebooks/outputs.py

notebooks-store: $(READY)  ## run every notebook and store its outputs
	@$(BIN)/python notebooks/outputs.py --store

browser: $(READY)  ## pages and JupyterLab in a headless browser (installs chromium where it can)
	@.ci/browser
	@$(BIN)/python -m pytest -m browser tests/browser

docs: $(READY)  ## the documentation site in out/site, warnings as errors, looked at in a browser
	@$(BIN)/python -m sphinx -q -W --keep-going -j auto -c docs/site . out/site
	@$(BIN)/python docs/site/check.py out/site

docs-open: $(READY)  ## the site on http://127.0.0.1:8000, made first if it is not there
	@test -f out/site/index.html || $(MAKE) --no-print-directory docs
	@echo "http://127.0.0.1:8000  (Ctrl-C ends)"
	@$(BIN)/python -m http.server 8000 --bind 127.0.0.1 --directory out/site

dist: $(READY)  ## wheel and source archive in dist/, each installed in a clean environment and used
	@.ci/dist $(BIN)/python

oldest:  ## the tests of the library with the lowest versions that pyproject.toml allows
	@.ci/oldest $(PYTHON)

bench: $(READY)  ## speed as ratios against named peers
	@$(INSTALL) -e '.[bench]'
	@$(BIN)/python -m benchmarks

ci: lint types test proofs notebooks browser docs dist  ## what has to pass before a change lands

ROOM ?= movement
mutants: $(READY)  ## faults put into one room, ROOM=movement: which do its fast tests not notice?
	@.ci/mutants $(BIN)/python $(ROOM)

clean:  ## remove what these commands made
	rm -rf $(VENV) out dist docs/generated .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
