#!/bin/sh
# A C program built with what pkg-config says, against the shared and against the static library, prints the version
# that the package has.  usage: pkg_config_test.sh PREFIX LIBDIR CC
set -eu
prefix=$1 libdir=$2 cc=$3
PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
export PKG_CONFIG_PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/version.c" <<'C'
#include <cuzk/cuzk.h>
#include <stdio.h>
int main(void) { return puts(cuzk_version()) < 0; }
C
# shellcheck disable=SC2046  # pkg-config prints words
"$cc" -o "$folder/shared" "$folder/version.c" $(pkg-config --cflags --libs cuzk)
# shellcheck disable=SC2046
"$cc" -o "$folder/static" "$folder/version.c" $(pkg-config --cflags cuzk) "$prefix/$libdir/libcuzk.a" \
  $(pkg-config --static --libs-only-l cuzk | sed 's/-lcuzk//')

wanted=$(pkg-config --modversion cuzk)
for kind in shared static; do
  found=$(LD_LIBRARY_PATH=$prefix/$libdir "$folder/$kind")
  [ "$found" = "$wanted" ] || { echo "$kind: version $found, expected $wanted"; exit 1; }
done
