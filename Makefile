# Two commands do everything, set-up included:  make book  and  make test.  `make help` lists the others.
PYTHON ?= python3
.DEFAULT_GOAL := book
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
UV := $(shell command -v uv)
INSTALL := $(if $(UV),$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python,$(BIN)/python -m pip install -q --disable-pip-version-check)
WORKERS = $(shell $(PYTHON) -c "import os; print(min(8, os.cpu_count()))")
PYTEST = python -m pytest --nbval --nbval-current-env -n $(WORKERS) --dist loadscope $(if $(ONLY),$(ONLY:%=book/%.ipynb) $(wildcard $(ONLY:%=book/evidence/%*.ipynb)) tests/conftest.py,book tests audit/tests)

.PHONY: help book test pdf check-site audit lab notebooks exercises claims experiments bench lint format lock lowest clean

help:  ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

book: $(READY)  ## execute every chapter, unless make test just has, and build the site, failing on any warning
	rm -rf _build
	$(BIN)/python tools/notebooks.py --for-build
	$(BIN)/jupyter-book build . -W -n --keep-going
	@echo "Open _build/html/index.html"

test: $(READY)  ## reproduce every committed output, and run the unit tests; ONLY=rescaling: one chapter and its evidence
	rm -rf $(VENV)/executed && mkdir $(VENV)/executed
	$(BIN)/python tools/contents.py > $(VENV)/state
	OMP_NUM_THREADS=1 $(BIN)/$(PYTEST)
	$(if $(ONLY),,mv $(VENV)/state $(VENV)/executed)

audit: $(READY)  ## which cosines of your embeddings are determined: says how the command is called
	@$(BIN)/cosine-audit --help

lab: $(READY)  ## open the chapters for editing, rendered as in the book
	$(BIN)/jupyter lab book

notebooks: $(READY)  ## execute the chapters and rewrite their committed outputs
	$(BIN)/python tools/notebooks.py

exercises: $(READY)  ## write the page of exercises from the chapters
	$(BIN)/python tools/exercises.py

claims: $(READY)  ## write the chapters' summaries from the ledger, book/claims.yml
	$(BIN)/python tools/ledger.py

experiments: $(READY)  ## repeat every long run and compare its table; ONLY=curves: one; ACCEPT=1: replace what differs
	$(BIN)/python -m experiments $(ONLY)

pdf: $(READY)  ## print the built book by a browser, into _build/html/book.pdf
	$(BIN)/python tools/pdf.py

check-site: $(READY)  ## read the built site in a real browser
	$(BIN)/python tools/check_site.py

bench: $(READY)  ## time each step beside what one would write first, and the audit
	$(INSTALL) -r benchmarks/requirements.txt
	$(BIN)/python -m benchmarks

lint: $(READY)  ## style of the code and of the chapters' cells
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY)  ## lay out code and cells anew, and sort their imports
	$(BIN)/ruff check --quiet --fix --exit-zero .
	$(BIN)/ruff format .

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --annotation-style line \
	--custom-compile-command "make lock"
lock: $(READY)  ## compile requirements.txt, and from it what Binder installs; UPGRADE=--upgrade takes the newest versions
	$(LOCK) $(UPGRADE) --output-file requirements.txt requirements.in
	grep -v '^-e' requirements.txt > $(VENV)/pins.txt
	$(LOCK) $(UPGRADE) --no-annotate --extra experiments --no-emit-package cosine-audit --constraints $(VENV)/pins.txt \
		--output-file binder/requirements.txt binder/requirements.in pyproject.toml

lowest: $(READY)  ## the tests with the lowest versions that pyproject.toml allows
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	$(BIN)/uv pip compile --quiet --resolution lowest-direct --extra experiments --no-emit-package cosine-audit \
		--output-file .venv-lowest/versions.txt pyproject.toml
	$(BIN)/uv pip install --quiet --python .venv-lowest --override .venv-lowest/versions.txt -r requirements.txt
	XLA_FLAGS= OMP_NUM_THREADS=1 .venv-lowest/bin/$(PYTEST)  # old JAX ends at a flag of tools/kernels.py

clean:  ## remove what was installed and built
	rm -rf .venv .venv-lowest _build

$(READY): requirements.txt pyproject.toml audit/pyproject.toml
	@[ "$$($(BIN)/python --version 2>&1)" = "$$($(PYTHON) --version)" ] || rm -rf $(VENV)  # made for another Python
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -r requirements.txt
	touch $@
