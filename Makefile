# Two commands on a fresh machine: `make quickstart` and `make test`. Only Python >= 3.11 and pip are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?=

.PHONY: quickstart test fuzz lint bench results clean

quickstart: $(VENV)/.installed
	$(BIN)/secateur quickstart $(DATA)

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# Examples and mutated models that no one has seen before; `make fuzz SEED=7` for others.
SEED ?= 1
fuzz: $(VENV)/.installed-dev
	SECATEUR_FUZZ=1 SECATEUR_SEED=$(SEED) $(BIN)/python -m pytest -n 2 --dist loadfile -m "fuzz or hypothesis"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check --no-cache . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/kernels.py

# The figures of the documentation, from experiments/results/*.json.
results: $(VENV)/.installed-dev
	$(BIN)/python experiments/pages.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
