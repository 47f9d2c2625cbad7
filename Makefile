# The commands of a working day; `make help` lists them.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export CUZK_JOBS := $(JOBS)

.PHONY: help deps build demo test bench format lint tidy install clean

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

deps: ## install what is missing (Debian; root or sudo)
	@tools/deps.sh

build: ## build/release/bin/cuzk
	@tools/deps.sh build
	@cmake --preset release -DCUZK_BUILD_TESTS=OFF -DCUZK_BUILD_BENCH=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target products

demo: build ## prove and verify a published circuit
	@tools/demo.sh

test: deps ## everything CI runs; ends with "N passed, N failed"
	@tools/ci.sh

bench: deps ## all benchmarks; results in docs/benchmarks
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS)
	@tools/bench.sh

format: ## clang-format every file
	@tools/format.sh

lint: ## layers, texts, format, headers that stand alone
	@cmake --preset release >/dev/null
	@tools/lint.sh build/release

tidy: ## clang-tidy on the files changed since the last commit (FILES=... for others)
	@cmake --preset release >/dev/null
	@tools/tidy.sh $(FILES)

install: build ## PREFIX=/usr/local, DESTDIR honoured
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build
