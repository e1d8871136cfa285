# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # between lib.sh and the cases
#
# Compares two libraries on all operations of soft-iWARP. Sourced by its cases,
# after lib.sh. Connections are made by address only.

. "$guest/siw_link.sh"
. "$guest/pair.sh"
. "$guest/subcase.sh"

device=siw0

# perftest PROGRAM OPTION... - runs both ends on each library.
perftest() {
	local pairing row=$1 program=$1
	local -a end

	shift
	for pairing in distro:distro ours:ours; do
		pair_port=$((pair_port + 1))
		end=("${perftest_server_first[@]}" "$program" -F -R -d siw0
			-p "$pair_port" -n 10 -s 64 "$@")
		pair_test "$program $*" cm_listens "$pairing" '^ *#bytes' \
			"${end[@]}" -- "${end[@]}" "$siw_address"
	done
}

# compared TITLE DISTRO OURS PAIRINGS - compares two libraries on all operations
# of siw.
compared() {
	local pairings=$4

	prefix="$1: "
	export LANE_DISTRO_IS=$2 LANE_OURS_IS=$3
	compare "ibv_devices" ibv_devices
	compare "ibv_devinfo -v" ibv_devinfo -v -d siw0
	perftest ib_send_lat
	perftest ib_send_lat -e
	perftest ib_send_lat --use-srq
	perftest ib_send_bw -t 4 -q 2
	perftest ib_write_lat
	perftest ib_read_lat
	subcase "$1" events LANE_DEVICE=siw0
	subcase "$1" cm LANE_DEVICE=siw0 LANE_PAIRINGS="$pairings"
	unset LANE_DISTRO_IS LANE_OURS_IS
	prefix=
}

check "siw0 comes up" siw_up
pair_port=24000
