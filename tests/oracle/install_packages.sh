#!/bin/sh
# Installs what the lock file names into TARGET/node_modules, unless it is there already; writes nothing into SOURCE. Several at
# once wait for each other.
# usage: install_packages.sh SOURCE TARGET
set -eu
source=$1 target=$2
installed=$target/node_modules/installed-lock.json

command -v npm >/dev/null || { echo "npm is not installed (make deps installs it)" >&2; exit 1; }
mkdir -p "$target"
exec 9>"$target/lock"
flock 9
cmp -s "$source/package-lock.json" "$installed" && exit 0
cp "$source/package.json" "$source/package-lock.json" "$target/"
cd "$target"
npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=2 || {
  echo "cannot install the packages of $source/package-lock.json: does npm's registry answer?" >&2
  exit 1
}
cp package-lock.json "$installed"
