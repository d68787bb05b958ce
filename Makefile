# make demo   the main job: two parties on this machine score their shared customers
# make test   what proves the product; must be green
# make long   what takes longer, before a release: models, LPN, baselines, no TLS, fuzzing, sweeps, branches, notebooks, site, TPC-H
# The other targets are their parts, and what a developer needs besides.

CARGO ?= cargo
PYTHON ?= python3
VENV := target/venv
PYTHON_VENV := target/venv-python
TORCH_VENV := target/venv-torch

# What is off by default is looked at too, in the builds that are made anyway.
FEATURES := --features hushtable-cli/arrow,hushtable/tracing
# All but the baselines, which bring homomorphic encryption: `baselines` looks at those.
PRODUCT := --workspace --exclude hushtable-baselines $(FEATURES)

export CARGO_INCREMENTAL := 0
# Many tests wait for a peer, a deadline or a disk.
export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))))

.PHONY: demo test long bench bench-python papers docs fmt lint unit arith circuits baselines plain sweeps vectors models lpn fuzz fuzz-coverage branches taint \
	python python-long python-torch test-neon
.NOTPARALLEL:

demo:
	$(CARGO) run --release -- demo

test: lint unit docs vectors python
	@echo "== all tests passed"

long: vectors models lpn baselines plain sweeps fuzz branches python-long python-torch
	@echo "== all long tests passed"

# ONLY="fss psi" measures those subcommands; all includes the Python package.
bench:
	$(if $(ONLY),,-$(MAKE) bench-python)
	tools/bench.sh

bench-python:
	@echo "== Python package, measured"
	$(CARGO) build --release --locked -p hushtable-bench --features baselines
	test -x $(PYTHON_VENV)/bin/python || $(PYTHON) -m venv $(PYTHON_VENV)
	$(PYTHON_VENV)/bin/python -m pip install --quiet --no-compile .
	$(PYTHON_VENV)/bin/python tools/python_bench.py

# ONLY="rotl-table5 ndss-table4" measures those tables.
papers:
	tools/papers.sh

fmt:
	$(CARGO) fmt --all

lint:
	@echo "== format and lints"
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(PRODUCT) --all-targets --locked -- -D warnings
	$(CARGO) clippy -p hushtable --no-default-features --locked -- -D warnings

# Includes the documentation's examples, those that must not compile among them.
unit:
	@echo "== tests"
	$(CARGO) test $(PRODUCT) --locked

docs:
	@echo "== documentation"
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(PRODUCT) --no-deps --locked

# After a change in `arith`: its tests alone, compiled by what changed.
arith:
	CARGO_INCREMENTAL=1 $(CARGO) test -p hushtable --features narrow --test arith --locked

# The same of circuits.
circuits:
	CARGO_INCREMENTAL=1 $(CARGO) test -p hushtable --features narrow --test circuits --locked

# What stands only beside the papers' figures, and the benchmark with it.
baselines:
	@echo "== baselines"
	$(CARGO) clippy -p hushtable-baselines -p hushtable-bench --features hushtable-bench/baselines --all-targets --locked \
		-- -D warnings
	$(CARGO) test -p hushtable-baselines -p hushtable-bench --features hushtable-bench/baselines --locked
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc -p hushtable-baselines --no-deps --locked

# The library without TLS: what needs none of it.
plain:
	@echo "== without TLS"
	$(CARGO) test -p hushtable --no-default-features --locked --lib --test all

# What sweeps over formats, ranges and programs, with more cases.
sweeps:
	@echo "== long sweeps"
	LONG=1 $(CARGO) test $(PRODUCT) --locked --tests
	LONG=1 $(PYTHON) tools/lattice_vectors.py --check

# The known answers in the tree are what an independent script computes; what the pages name is in the code.
vectors:
	@echo "== known-answer vectors"
	$(PYTHON) tools/vectors.py --check
	$(PYTHON) tools/lattice_vectors.py --check
	$(PYTHON) tools/check_docs.py
	$(PYTHON) tools/measured.py --check
	set -e; for make in examples/data/*/make.py; do $(PYTHON) $$make --check; done

# The models of docs/spec hold, at the sizes that it quotes.
models: $(VENV)/ready
	@echo "== models"
	MODELS=full $(VENV)/bin/python tools/models/run.py

# The security stated for the LPN sets is what the estimator computes.
lpn: $(VENV)/ready
	@echo "== LPN parameters"
	$(VENV)/bin/python tools/check_lpn.py

$(VENV)/ready: tools/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --requirement tools/requirements.txt
	touch $@

# Every decoder of peer, disk or user bytes, on its corpus and on mutations of it, ten minutes for each of the two
# programs of tests. As part of `unit` each target has a second.
fuzz:
	@echo "== decoders on hostile bytes"
	FUZZ_SECONDS=$${FUZZ_SECONDS:-600} $(CARGO) test $(PRODUCT) --locked --test all fuzz_corpus

# The same under a fuzzer that sees which code an input reaches: a nightly compiler with cargo-fuzz. From the seeds, ten
# minutes a target. Leaks are not looked for: a thread that ends at that moment is reported as one.
fuzz-coverage:
	@echo "== decoders on hostile bytes, with coverage"
	FUZZ_SEEDS=$(CURDIR)/fuzz/seeds $(MAKE) fuzz
	for target in $$(ls fuzz/fuzz_targets | sed 's/\.rs$$//'); do \
		mkdir -p fuzz/corpus/$$target; \
		$(CARGO) +nightly fuzz run --release $$target fuzz/seeds/$$target -- \
			-detect_leaks=0 -max_total_time=$${FUZZ_SECONDS:-600} -rss_limit_mb=3000 || exit 1; \
	done

# No branch in the release code of the kernels that nobody has looked at.
branches:
	@echo "== branches of the kernels"
	$(CARGO) build --release --locked -p hushtable-taint
	$(PYTHON) tools/branches.py

# No secret decides a branch or an address online. Needs valgrind.
taint:
	@echo "== taint"
	$(PYTHON) tools/taint.py

# The Python package in an environment of its own, of the crates as `unit` compiled them.
python:
	@echo "== Python package"
	test -x $(PYTHON_VENV)/bin/python || $(PYTHON) -m venv $(PYTHON_VENV)
	$(PYTHON_VENV)/bin/python -m pip install --quiet --no-compile \
		--config-settings=build-args='--profile dev --features hushtable/tracing' '.[test]'
	$(PYTHON_VENV)/bin/python -m mypy python/hushtable
	$(PYTHON_VENV)/bin/python -m mypy.stubtest hushtable._hushtable
	$(PYTHON_VENV)/bin/python -m pytest -q

# All of its tests, installed as a user would: with notebooks, the site and TPC-H.
python-long:
	@echo "== Python package, notebooks, site, TPC-H"
	test -x $(PYTHON_VENV)/bin/python || $(PYTHON) -m venv $(PYTHON_VENV)
	$(PYTHON_VENV)/bin/python -m pip install --quiet --no-compile '.[test,notebooks,docs,tpch]'
	LONG=1 $(PYTHON_VENV)/bin/python -m pytest -q -m "long or not long"

# Modules of PyTorch, which is large: in an environment of its own.
python-torch:
	@echo "== PyTorch"
	test -x $(TORCH_VENV)/bin/python || $(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/python -m pip install --quiet --no-compile '.[test,torch]'
	LONG=1 $(TORCH_VENV)/bin/python -m pytest -q -rs python/tests/test_nn_torch.py

# The kernels of an AArch64 processor, under emulation.
test-neon:
	@echo "== AArch64 kernels"
	tools/neon.sh
