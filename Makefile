# Bare `make` lists what there is. The environment goes to .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := conf transforms expectations jobs dashboards

.DEFAULT_GOAL := help
.PHONY: help install java chromium prometheus demo test check spark40 audit soak bench score docs wheel clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[spark,dev]'
	touch $@

install: java $(VENV)/.ready ## make .venv with everything pinned

java: ## find Java 17 or later, or install it where that is possible
	@sh tools/ensure-java.sh

prometheus: ## find promtool and Alertmanager for the tests of alerts, or install Debian's
	@sh tools/ensure-prometheus.sh

chromium: ## find Chromium for the browser tests, or install Debian's
	@sh tools/ensure-chromium.sh

demo: install ## run on recordings of real clients, print the findings with their proof
	$(BIN)/kipwatch demo

# With PYTHONDONTWRITEBYTECODE four workers, and each command that they start, would compile all anew.
test: install chromium prometheus ## all tests
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 4 --no-loadscope-reorder

check: install chromium prometheus ## what CI runs: format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) --no-print-directory test

spark40: java ## the demo's tables on Spark 4.0 with older libraries, classic and by Connect, also of a topic: equal to those without Spark
	test -x build/spark40/bin/pip || $(PYTHON) -m venv build/spark40
	(cut -d= -f1 constraints-spark40.txt | sed 's/.*/^&==/' | grep -vif - constraints.txt; cat constraints-spark40.txt) > build/spark40/constraints.txt
	build/spark40/bin/pip install --quiet --disable-pip-version-check -c build/spark40/constraints.txt -e '.[kafka]' pyspark delta-spark pandas grpcio grpcio-status googleapis-common-protos zstandard
	build/spark40/bin/python -m lab.on_spark
	build/spark40/bin/python -m lab.on_spark --connect

audit: install ## known faults of packages, a bill of materials, jars by checksum
	test -x build/audit/bin/pip-audit || ($(PYTHON) -m venv build/audit && build/audit/bin/pip install --quiet pip-audit cyclonedx-bom)
	$(BIN)/python -m lab.audit build/audit/bin $$HOME/.ivy2*/jars

soak: install ## kill streams and the sender of alerts a hundred times, stream a simulated day, play a healthy one, explain odd logs, draw histories at length
	$(BIN)/python -m lab.soak.kills files 100 2
	$(BIN)/python -m lab.soak.kills topic 100 2
	$(BIN)/python -m lab.soak.kills store 100 2
	$(BIN)/python -m lab.soak.query_kills 100 2
	$(BIN)/python -m lab.soak.cuts files 200 1
	$(BIN)/python -m lab.soak.cuts topic 200 1
	$(BIN)/python -m lab.soak.mixed 200 1
	$(BIN)/python -m lab.soak.days
	$(BIN)/python -m lab.soak.alerts 100 1
	$(BIN)/python -m lab.soak.healthy
	$(BIN)/python -m lab.odd_values 300
	KIPWATCH_DRAWN=20 $(BIN)/python -m pytest -n 2 tests/lab/simulate

bench: install ## 200 MB of recordings made large, and of lines of all families: two scripts and kipwatch, side by side
	$(BIN)/python -m lab.benchmarks.compare

score: install ## score every recording against its truth into docs/score.md, and what metrics add into docs/evidence.md; layouts drawn at random into docs/layouts.md
	$(BIN)/python -m lab.score --pure --write docs/score.md
	$(BIN)/python -m lab.score.evidence
	$(BIN)/python -m lab.layouts 2000 --write docs/layouts.md

docs: install ## make the generated pages anew, and the compiled catalogues of messages and troubles
	$(BIN)/python -m transforms.yaml_text
	$(BIN)/python -m transforms.parse.catalogue.compiled
	$(BIN)/python -m expectations.pages
	$(BIN)/python -m tests.rule_examples
	$(BIN)/python -m transforms.rules.pages
	$(BIN)/python -m transforms.rules.kips
	$(BIN)/python -m transforms.diagnose.pages
	$(BIN)/python -m transforms.diagnose.bug_pages
	$(BIN)/python -m tests.attacks

wheel: install ## build the wheel that is deployed
	$(BIN)/python -m build --wheel

clean: ## remove what was built
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis spark-warehouse
