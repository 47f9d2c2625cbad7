#!/usr/bin/env bash
# Layers, texts, format, and each public header of a layer compiled alone.  usage: tools/lint.sh [BUILD_FOLDER]
set -uo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
status=0
python3 tools/check_layers.py || status=1
python3 tools/check_text.py || status=1
tools/format.sh --check || status=1
cmake --build "$build" -j "${CUZK_JOBS:-$(nproc)}" --target all_verify_interface_header_sets || status=1
exit $status
