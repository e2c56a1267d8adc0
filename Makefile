# make demo: install and write a plan of the example portfolio.   make test: everything that must hold.
# Both make .venv first, with the first Python of 3.11 or newer among PYTHON, python3.14, … python3.11.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILE := $(BIN)/python -m compileall -q src plugins templates
PAGES := rules blocks coverage memory portfolio calibration formulas
FITS := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

.PHONY: help demo pictures gallery test lint fuzz bench docs templates golden clean

help:
	@echo "make demo       install, and write out/plan.xlsx and out/plan.toml of the example portfolio"
	@echo "make pictures   draw every sheet of that workbook into out/pictures, where LibreOffice is installed"
	@echo "make test       install what tests need, and run ruff, mypy and pytest"
	@echo "make lint       ruff and mypy alone"
	@echo "make fuzz       try configs, portfolios, templates and lists with random faults: FUZZ='--seconds 600 --seed 1'"
	@echo "make bench      measure models a second, workbooks against openpyxl, sweeps, and the start of flopsheet show against a bare interpreter"
	@echo "make docs       write the generated pages of docs/ again, and build the site of documentation into out/site"
	@echo "make gallery    draw the pictures of docs/gallery.md again, where LibreOffice is installed"
	@echo "make templates  build the shipped workbook templates again"
	@echo "make golden     accept the numbers of today as those that tests expect"
	@echo "make clean      remove .venv, out/ and all caches"

demo: $(VENV)/.installed
	@mkdir -p out
	@$(BIN)/flopsheet report examples/portfolios/frontier.toml -o out/plan.xlsx -o out/plan.toml || [ $$? -eq 1 ]
	@echo
	@echo "One model of the portfolio is broken on purpose, one only approximate: see the sheet Problems."
	@echo "Open out/plan.xlsx in Excel or LibreOffice, change a blue cell, and everything that depends on it follows."
	@echo "out/plan.toml holds the same numbers for programs and for 'flopsheet diff'."

pictures: demo
	$(BIN)/python tools/pictures.py out/plan.xlsx out/pictures

gallery: $(VENV)/.tested
	$(BIN)/python tools/gallery.py docs/gallery

# The linters run beside the tests: one of two cores would wait for them. What tests start anew is compiled once.
test: $(VENV)/.tested
	@$(BIN)/python -m compileall -q src plugins templates
	@failed=0; $(MAKE) --no-print-directory lint > $(VENV)/lint.txt 2>&1 & lint=$$!; \
	$(BIN)/pytest -n auto --maxprocesses 4 --dist worksteal || failed=1; \
	wait $$lint || failed=1; cat $(VENV)/lint.txt; exit $$failed

lint: $(VENV)/.tested
	@failed=0; \
	for check in "ruff check --quiet" "ruff format --check --quiet" "mypy --strict"; do \
	  echo "$$check"; $(BIN)/$$check || failed=1; \
	done; exit $$failed

fuzz: $(VENV)/.tested
	$(BIN)/python tests/fuzzing.py $(FUZZ)

bench: $(VENV)/.tested
	$(BIN)/python tests/benchmarks/throughput.py
	$(BIN)/python tests/benchmarks/workbook.py
	$(BIN)/python tests/benchmarks/cold_start.py
	$(BIN)/python tests/benchmarks/sweep.py

docs: $(VENV)/.documented
	@for page in $(PAGES); do \
	  PYTHONPATH=tools $(BIN)/python -m pages.$$page > docs/$$page.md.new && mv docs/$$page.md.new docs/$$page.md || exit 1; \
	done
	$(BIN)/python -m flopsheet.export.schemas docs/schemas
	NO_MKDOCS_2_WARNING=1 PATH="$(BIN):$$PATH" $(BIN)/mkdocs build --quiet --clean
	@echo "out/site/index.html"

templates: $(VENV)/.tested
	$(BIN)/python templates/build.py

golden: $(VENV)/.tested
	FLOPSHEET_GOLDEN=write $(BIN)/pytest tests/test_golden.py

clean:
	rm -rf $(VENV) out build dist .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src plugins templates tests examples -name __pycache__ -prune -exec rm -rf {} +

# A .venv that somebody else made is kept if it works.
$(VENV)/.made:
	@if [ -x $(BIN)/python ] && $(BIN)/python -c "$(FITS)" && $(BIN)/python -m pip --version > /dev/null; then touch $@; exit; fi; \
	for python in "$(PYTHON)" python3.14 python3.13 python3.12 python3.11; do \
	  if "$$python" -c "$(FITS)" 2> /dev/null; then \
	    rm -rf $(VENV); "$$python" -m venv $(VENV) && touch $@; exit; \
	  fi; \
	done; \
	echo "flopsheet needs Python 3.11 or newer with venv; '$(PYTHON)' is not ($$($(PYTHON) --version 2>&1))." >&2; \
	echo "Install one (Debian, Ubuntu: apt install python3 python3-venv) or name one: make PYTHON=/path/to/python3.12 …" >&2; \
	exit 1

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo "Installing flopsheet into $(VENV)"
	@$(PIP) --editable .
	@$(COMPILE)
	@touch $@

$(VENV)/.documented: $(VENV)/.tested
	@echo "Installing what builds the site of documentation"
	@$(PIP) --editable ".[test,docs]"
	@touch $@ $(VENV)/.tested $(VENV)/.installed

$(VENV)/.tested: $(VENV)/.made pyproject.toml
	@echo "Installing flopsheet and what its tests need into $(VENV)"
	@$(PIP) --editable ".[test]"
	@$(COMPILE)
	@touch $@ $(VENV)/.installed
