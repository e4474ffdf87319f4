# Each command does all of its own set-up: it makes .venv, installs what the lock files name, and runs.
# Plain POSIX make. What a command does is in scripts/bootstrap.py.
.POSIX:
.PHONY: help run test lint check docs deploy-check protocol-check messages screens bench bench-quick bench-gateway lock upgrade mutants fuzz soak storm clean

PYTHON = python3
BOOTSTRAP = $(PYTHON) -m scripts.bootstrap

help:
	@echo 'make run       serve the site to this machine and its network; PORT=8001 for another port'
	@echo 'make test      run all tests'
	@echo 'make lint      run the checks alone: ruff, import-linter, mypy'
	@echo 'make check     what has to pass before a change is shown: the checks, then all tests'
	@echo 'make docs      build the documentation into var/docs'
	@echo 'make deploy-check   run what deploy/ ships: nginx and Caddy before a real server, units, image, compose'
	@echo 'make protocol-check   read docs/protocol/asyncapi.json with AsyncAPI'\''s own parser (npm)'
	@echo 'make messages  bring the catalogues of the pages'\'' languages in step with the pages, and compile them'
	@echo 'make screens   take pictures of every page and state for docs/screens (6 minutes)'
	@echo 'make bench     measure beside what people would use instead (40 minutes) and write bench/RESULTS.md'
	@echo 'make bench-quick   the same for the main figures, beside Channels and Bun alone (4 minutes)'
	@echo 'make bench-gateway   measure the gateway on this machine and write docs/figures-gateway.md'
	@echo 'make mutants   change the cores in small ways and list the changes that no test notices'
	@echo 'make fuzz      let Atheris look for inputs that break the decoder, the Host parser and the importers'
	@echo 'make soak      500 bots come, play, drop and leave for 30 minutes; MINUTES=5 for fewer'
	@echo 'make storm     cut 1,000 players in 25 rooms at once, by network and restart; writes docs/figures-storm.md'
	@echo 'make lock      compute requirements*.txt anew from requirements*.in'
	@echo 'make upgrade   the same, with the newest versions'
	@echo 'make clean     remove what these commands made, but not the data in var/'

run: python
	@PORT='$(PORT)' $(BOOTSTRAP) run

test: python
	@$(BOOTSTRAP) test

lint: python
	@$(BOOTSTRAP) lint

check: python
	@$(BOOTSTRAP) check

docs: python
	@$(BOOTSTRAP) docs

deploy-check: python
	@$(BOOTSTRAP) deploy-check

protocol-check:
	@npm install --silent --no-save --prefix var/npm @asyncapi/parser@3.6.6
	@node scripts/protocol_check.mjs "$$PWD/var/npm/node_modules" docs/protocol/asyncapi.json

messages: python
	@$(BOOTSTRAP) messages

screens: python
	@$(BOOTSTRAP) screens

bench: python
	@$(BOOTSTRAP) bench

bench-quick: python
	@$(BOOTSTRAP) bench-quick

bench-gateway: python
	@$(BOOTSTRAP) bench-gateway

mutants: python
	@$(BOOTSTRAP) mutants

fuzz: python
	@$(BOOTSTRAP) fuzz

soak: python
	@MINUTES='$(MINUTES)' $(BOOTSTRAP) soak

storm: python
	@$(BOOTSTRAP) storm

lock: python
	@$(BOOTSTRAP) lock

upgrade: python
	@$(BOOTSTRAP) upgrade

.PHONY: python
python:
	@command -v $(PYTHON) >/dev/null || { \
	    echo 'There is no $(PYTHON) here; get Python 3.11 or newer with: sudo apt-get install python3 python3-venv' >&2; \
	    exit 1; }

clean:
	rm -rf .venv mutants var/static .coverage
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
