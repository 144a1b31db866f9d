# Every target sets up what it needs; the second time that takes no time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test check format bench setup clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "boca needs Python 3.11 or newer; '$(PYTHON)' is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing boca into $(VENV) (once, a minute or two) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

run: setup
	$(BIN)/boca run lsvm --seed 10001 --out runs/lsvm-10001-boca --force
	@echo
	@echo "Where to look next:"
	@echo "  runs/lsvm-10001-boca/regret.png   efficiency loss by number of queries"
	@echo "  examples/mini_auction.py          the whole idea on one page: $(BIN)/python examples/mini_auction.py"
	@echo "  examples/courses/market.toml      your own market: $(BIN)/boca run examples/courses/market.toml"
	@echo "  docs/auction.md                   what happened, step by step"
	@echo "  $(BIN)/boca --help                everything else"

test: setup
	$(BIN)/python -m pytest -n 2

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
