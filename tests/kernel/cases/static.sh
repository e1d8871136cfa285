#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs that are linked with libibverbs.a and libc.a, of glibc and of musl,
# on both devices, in an empty root: they list the devices of the providers that
# they were built with, and transfer data.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/siw_link.sh"

port=7900

# A root that contains only what the kernel provides: no module, no loader, no
# configuration.
empty=$scratch/empty
empty_root() {
	local name

	for name in sys dev; do
		mkdir -p "$empty/$name" &&
			mount --rbind "/$name" "$empty/$name" || return 1
	done
}

# alone PROGRAM ARG... - runs the program in that root.
alone() {
	cp "$1" "$empty/program" &&
		timeout 180 chroot "$empty" /program "${@:2}"
}

# lists PROGRAM NAME... - checks that the program lists exactly these devices.
lists() {
	local listed

	listed=$(alone "$1") || return 1
	diff <(printf '%s\n' "${@:2}" | sort) <(sort <<<"$listed")
}

# count_lines PROGRAM ARG... - counts each line of the output as a test.
count_lines() {
	local verdict name row=$1 column="static $libc"

	alone "$folder/$1" "${@:2}" >"$scratch/out" 2>"$scratch/err"
	echo "exit code $?" >>"$scratch/out"
	while read -r verdict name; do
		case $verdict in
		ok) pass "$1: $name" ;;
		FAIL) fail "$1: $name" "$scratch/err" ;;
		esac
	done <"$scratch/out"
	check "$1 succeeds" grep -qx 'exit code 0' "$scratch/out"
}

check "rxe0 comes up" rxe_up
check "siw0 comes up" siw_up
if self_test; then
	echo "note static: not with the distribution's library (self test)"
	finish
fi
check "make an empty root" empty_root
for libc in glibc musl; do
	for providers in rxe,siw all; do
		folder=$tools/$libc/$providers
		section="$libc, $providers: "
		check "both devices are listed" \
			lists "$folder/list_devices" rxe0 siw0
		device=rxe0
		count_lines operations rxe0 "$rxe_gid_index"
		for device in rxe0 siw0; do
			address=$rxe_address
			[ "$device" = rxe0 ] || address=$siw_address
			port=$((port + 1))
			section="$libc, $providers, $device: "
			count_lines cm_traffic "$device" "$address" "$port"
		done
	done
	section="$libc, none: "
	check "no device is listed" lists "$tools/$libc/none/list_devices" ''
done
finish
