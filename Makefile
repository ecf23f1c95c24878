# Everything sets itself up from nothing but Python 3.11+; cargo, where present, builds the native kernels.
#
#   make demo    the whole funnel on the shipped feed
#   make test    the tests, with every extra that can be installed here
#   make check   lint, types, layers, Rust lints and tests
#   make bench   the tables of docs/ and README, against the peers (BENCH=mmr for one)
#   make long    soaks, fuzzing, overload and kill series in full
#   make lock    pin the development environment anew

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
TESTS  ?= tests
# With two kernels to test, the second run needs only what depends on them.
KERNEL_TESTS ?= tests/unit tests/golden tests/conformance tests/differential tests/properties

NATIVE := $(wildcard native/Cargo.* native/tables/* native/src/*.rs native/src/*/*.rs)

.PHONY: demo test check bench long lock clean native

demo: $(VENV)/.base
	$(BIN)/reparto demo

test: $(VENV)/.all
	$(BIN)/python -m pytest -q -n 2 -m "not long" $(TESTS)
	REPARTO_KERNELS=numpy $(BIN)/python -m pytest -q -n 2 -m "not long and not slow" $(KERNEL_TESTS)

check: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd native && cargo fmt --check && cargo clippy --all-targets -- -D warnings && cargo test --no-default-features

bench: $(VENV)/.all
	$(BIN)/python -m bench $(BENCH)

long: $(VENV)/.all
	$(BIN)/python -m pytest -q -m "long" -p no:randomly $(TESTS)

# Not in the lock: embedders with weights of their own that nothing here tests (sentence-transformers, model2vec, onnx).
EXTRAS := chunk compare daft dedupe embed feed haystack html langchain llama-index mcp office parquet pdf pgvector plots qdrant \
          service spark store testing tracing

lock:
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile -q --no-emit-index-url --no-emit-find-links --no-header $(EXTRAS:%=--extra %) \
		pyproject.toml requirements/dev.in -o requirements/dev.lock
	$(BIN)/uv pip compile -q --no-emit-index-url --no-emit-find-links --no-header \
		pyproject.toml requirements/base.in -o requirements/base.lock

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The core alone: what `make demo` needs. Sources of the kernels that are newer than the build are built anew.
$(VENV)/.base: $(BIN)/python pyproject.toml requirements/base.lock $(NATIVE)
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/base.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

# Everything.
$(VENV)/.all: $(VENV)/.base requirements/dev.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/dev.lock
	touch $@

clean:
	rm -rf $(VENV) build dist native/target src/*.egg-info
