# The commands of a working day; `make help` lists them.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export CUZK_JOBS := $(JOBS)

.PHONY: help deps build demo test bench bench-filecoin bench-kill bench-mutation format lint tidy install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

deps: ## install what is missing (Debian; root or sudo)
	@tools/deps.sh

build: ## build/release/bin/cuzk
	@tools/deps.sh build
	@cmake --preset release -DCUZK_BUILD_TESTS=OFF -DCUZK_BUILD_BENCH=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target products

demo: build ## a service proves all kinds; what each step took
	@tools/demo.sh

test: deps ## everything CI runs; ends with "N passed, N failed"
	@tools/ci.sh

bench: deps ## all benchmarks; results in docs/benchmarks
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS)
	@tools/bench.sh

bench-filecoin: deps ## Filecoin's circuits at full size against the reference's figures (minutes, 13 GB)
	@cmake --preset release -DCUZK_BUILD_BENCH=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target record_circuit check_circuit
	@tools/bench_filecoin.sh

bench-mutation: ## every known fault of tests/mutation put back once: its test must see it
	@tools/mutation.py --junit build/mutation.xml

bench-kill: deps build ## kill the service 200 times at drawn states; all jobs must come out, once (minutes)
	@mkdir -p build/bench
	@python3 -B tests/e2e/kills.py --kills 200 --report build/bench/kills.log

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
