# Every target sets up what it needs; the second time that takes no time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Stamps in one environment: what running needs, what live auctions need as well, what developers need.
RUN := $(VENV)/.installed
LIVE := $(VENV)/.installed-server
DEV := $(VENV)/.installed-dev
DOCS := $(VENV)/.installed-docs

.PHONY: docs coverage mutants same run demo test test-rest test-all check format bench screenshots setup clean

setup: $(DEV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "boca needs Python 3.11 or newer; '$(PYTHON)' is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing boca into $(VENV) (once, about half a minute) ..."
	@$(PIP) --editable .
	@touch $@

$(LIVE): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing boca for live auctions into $(VENV) (once, about a minute) ..."
	@$(PIP) --editable '.[server,scip]'
	@touch $(RUN) $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing boca and what its tests and checks need into $(VENV) (once, about a minute) ..."
	@$(PIP) --editable '.[dev]'
	@touch $(RUN) $(LIVE) $@

$(DOCS): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what the documentation site needs into $(VENV) (once, about a minute) ..."
	@$(PIP) --editable '.[docs,server,scip]'
	@touch $(RUN) $(LIVE) $@

run: $(RUN)
	$(BIN)/boca run lsvm --seed 10001 --out runs/lsvm-10001-boca --force
	@echo
	@echo "Where to look next:"
	@echo "  runs/lsvm-10001-boca/regret.png   efficiency loss by number of queries"
	@echo "  examples/mini_auction.py          the whole idea on one page: $(BIN)/python examples/mini_auction.py"
	@echo "  examples/points/market.toml       your own market: $(BIN)/boca run examples/points/market.toml"
	@echo "  docs/auction.md                   what happened, step by step"
	@echo "  $(BIN)/boca --help             everything else"

demo: $(LIVE)
	$(BIN)/boca serve --demo

screenshots: setup
	PYTHONPATH=tests/support $(BIN)/python docs/screenshots --out screenshots

REST := slow or browser or kill or server

# Everything that protects results.
test: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not ($(REST))"

# Real servers, pages in a browser, killed processes, the package in an empty environment.
test-rest: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "$(REST)"

test-all: test test-rest

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(RUN)
	$(BIN)/python benchmarks/run.py

# The documentation site, without warnings, offline: docs/_build/html/index.html.
docs: $(DOCS)
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Lines that tests reach, room by room. (A quarter of an hour.)
coverage: setup
	rm -rf .coverage && mkdir .coverage
	-$(BIN)/coverage run -m pytest -n 2 --dist loadgroup -m "not ($(REST))"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage json --quiet -o .coverage/coverage.json
	$(BIN)/python benchmarks/coverage_by_room.py .coverage/coverage.json

# Small changes of modules that decide results: which ones do their tests not notice? (An hour.)
mutants: setup
	$(BIN)/python benchmarks/mutants.py

# Logs, pages, commands and settlements, byte for byte as a commit gave them. (Two minutes.)
WITH ?= HEAD
same: setup
	$(BIN)/python benchmarks/same.py compare --with $(WITH)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
