#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Time to connect two processes of a host by rdma_cm on uroce, beside TCP:
# connect_bench.sh BUILD [RESULT [ROUNDS]]. BUILD is a build tree; the numbers for a
# plot are written to RESULT (README.md). Needs a C compiler and two idle processors.
set -eu

[ $# -ge 1 ] || { echo "usage: $0 BUILD [RESULT [ROUNDS]]" >&2; exit 2; }
top=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$top/include" -o "$scratch/bench" \
	"$top/tests/bench/connect_bench.c" -L"$build/lib" \
	-lrdmacm -libverbs
LD_LIBRARY_PATH=$build/lib UROCE_DEVICES=lo \
	timeout 300 "$scratch/bench" "${3:-2000}" | tee "${2:-/dev/null}"
