# PYTHON is left to the user: `make test PYTHON=python3.12` names what scripts/setup makes .venv of.
VENV_PYTHON = .venv/bin/python
# A process for each core and one more, as some wait for browsers. Each keeps what it compiled, up
# to 4 GB, hence no more than four. worksteal: neighbours, which share what is fitted or compiled,
# run in one process.
SIDE_BY_SIDE = -n auto --maxprocesses 4 --dist worksteal

# Tests start some hundred processes: without it, each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup test lint docs demo bench kernels bench-table soak lowest clean

setup:  ## .venv with the tested versions, by their hashes, and software Vulkan where it can be had
	@scripts/setup

test: setup  ## every test but those marked slow; those marked gpu where a hardware GPU answers
	$(VENV_PYTHON) -m pytest $(SIDE_BY_SIDE) -m 'not slow' $(PYTEST_ARGS)

lint: setup  ## style, format and types
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy

docs: setup  ## the site of docs/ in build/site; links that lead nowhere are errors
	test -x build/docs/bin/mkdocs || { $(VENV_PYTHON) -m venv --clear build/docs && \
	    build/docs/bin/python -m pip install -qq -c constraints.txt mkdocs mkdocs-material; }
	NO_MKDOCS_2_WARNING=1 build/docs/bin/python -m mkdocs build -q --strict

demo: setup  ## fit a photograph, and show the numbers and the report
	$(VENV_PYTHON) examples/demo.py

bench: setup  ## every benchmark in turn
	@for benchmark in $(filter-out benchmarks/soak_%,$(wildcard benchmarks/*.py)); do \
	    echo "== $$benchmark"; $(VENV_PYTHON) "$$benchmark" || exit 1; \
	done

kernels: setup  ## machine code of the presets for NVIDIA GPUs, which wheels made after it bring along
	$(VENV_PYTHON) scripts/make_kernels.py

bench-table: setup  ## docs/benchmarks.md and the index of results, from benchmarks/results
	$(VENV_PYTHON) scripts/bench_table.py

soak: setup  ## what must hold however often it is tried: hours
	$(VENV_PYTHON) benchmarks/soak_kills.py
	$(VENV_PYTHON) benchmarks/soak_forger.py
	$(VENV_PYTHON) benchmarks/soak_live.py

# Old versions warn about the new ones of what they use in turn, hence -W default.
lowest: setup  ## every test, slow ones too, with the oldest versions that pyproject.toml admits
	$(VENV_PYTHON) -m venv --clear build/lowest
	$(VENV_PYTHON) scripts/lowest.py > build/lowest.txt
	build/lowest/bin/python -m pip install -qq -c build/lowest.txt hatchling editables
	build/lowest/bin/python -m pip install -qq --no-build-isolation -c build/lowest.txt \
	    -e '.[dev,gpu]'
	build/lowest/bin/python -m pytest -W default $(SIDE_BY_SIDE) $(PYTEST_ARGS)

clean:  ## everything that git does not hold and that this Makefile made
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
