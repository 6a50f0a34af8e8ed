# Everything runs in .venv, which is made from PYTHON and needs a C compiler, nothing else.
PYTHON ?= python3
MODEL ?=
BIN := .venv/bin
SOURCES := pyproject.toml meson.build meson.options tools/build_backend.py tools/version.py $(shell find delegate python -type f -not -name '*.pyc')

.PHONY: help demo bench test test-all test-arm lint format docs clean
help:
	@echo "make demo [MODEL=path]  the delegate on a network: what it takes, that it is bit-exact, how fast it is"
	@echo "make bench [MODEL=path] how fast it is beside the stock runtime, and where the time goes; build/bench.html has the plots"
	@echo "make test               what a change needs before it is sent: C tests, lint, both Python suites; says what it skipped"
	@echo "make test-all           these, then sanitizers, clang, libFuzzer and emulated arm64"
	@echo "make test-arm           the tests on emulated arm64, after tools/arm/setup"
	@echo "make lint | format | clean"
	@echo "make docs               the pages as a site, in build/site"

demo: .venv/installed
	$(BIN)/tvmq demo $(if $(MODEL),"$(MODEL)")

bench: .venv/installed
	@mkdir -p build
	$(BIN)/tvmq bench $(if $(MODEL),"$(MODEL)") --against stock,builtin --html build/bench.html

test: .venv/installed
	$(BIN)/python tools/test.py test

test-all: .venv/installed
	$(BIN)/python tools/test.py

test-arm: .venv/installed
	PATH="$(CURDIR)/$(BIN):$$PATH" tools/arm/test

lint: .venv/installed
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/lint.py

format: .venv/installed
	$(BIN)/clang-format -i $(shell find delegate tests -name '*.[ch]')
	$(BIN)/ruff check --quiet --fix --no-cache .

docs: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'mkdocs-material>=9.5' 'mkdocstrings-python>=1.10'
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

clean:
	rm -rf .venv build build-*

.venv/installed: $(SOURCES)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing: sudo apt-get install python3-venv" >&2; exit 1; }
	@command -v "$${CC:-cc}" >/dev/null || { echo "there is no C compiler: sudo apt-get install gcc" >&2; exit 1; }
	@echo "==> 1 of 2: a virtual environment in .venv"
	$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=23.1'
	@echo "==> 2 of 2: download of the TFLite runtimes and the tools, then compilation of the library on all processors: a few minutes the first time"
	$(BIN)/python -m pip install --disable-pip-version-check --config-settings=builddir=build/wheel '.[litert,tflite-runtime,test]'
	@touch $@
