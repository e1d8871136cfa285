#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The layer validate with unmodified programs: it finds nothing in programs that
# work, except the mistakes of these programs, which known_mistakes.txt lists.
# Hints are not printed.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/findings.sh"

export VERBS_LAYERS=validate
nodes=("$tools/with_nodes" "")

# The folder for the findings of the next pair.
findings=
new_findings() {
	findings=$(mktemp -d /tmp/findings.XXXXXX)
	chmod 1777 "$findings"
	export VERBS_VALIDATE=log=$findings/%e.%p
}

# Prints the findings that are not known mistakes. Each process that has opened
# the device has a file.
no_new_finding() {
	local file rule kind new=0

	[ -n "$(find "$findings" -type f)" ] ||
		{ echo "no process was validated"; return 1; }
	for file in "$findings"/*; do
		while read -r rule kind; do
			[ "$kind" = other ] || continue
			grep "$rule" "$file"
			new=1
		done < <(broken_rules "$file")
	done
	[ "$new" = 0 ]
}

# finds_nothing PROGRAM OPTION... - server, and client with the server's address.
finds_nothing() {
	new_findings
	pair_port=$((pair_port + 1))
	pair_run place_listens lo lo "$1" -p "$pair_port" "${@:2}" -- \
		"$1" -p "$pair_port" "${@:2}" "$address" && no_new_finding
}

test_program() {
	check "$*" finds_nothing "$@"
}

ucx() {
	new_findings
	pair_port=$((pair_port + 1))
	UCX_IB_GID_INDEX=$gid UCX_TLS=$1 UCX_NET_DEVICES=$device:1 pair_run \
		place_listens lo lo "${nodes[@]}" ucx_perftest -p "$pair_port" \
		"${@:2}" -- "${nodes[@]}" ucx_perftest -p "$pair_port" \
		"${@:2}" "$address" && no_new_finding
}

libfabric() {
	local -a options=(-p 'verbs;ofi_rxd' -e rdm -d "$device-dgram" -I 50
		-S 4096)

	new_findings
	pair_port=$((pair_port + 1))
	pair_run place_listens lo lo fi_pingpong "${options[@]}" \
		-B "$pair_port" -- fi_pingpong "${options[@]}" \
		-P "$pair_port" "$address" && no_new_finding
}

# The layer is enabled: a program without a GID index breaks a rule.
mistake_is_found() {
	new_findings
	pair_port=$((pair_port + 1))
	pair_run place_listens lo lo ibv_rc_pingpong -p "$pair_port" \
		-d "$device" -- ibv_rc_pingpong -p "$pair_port" -d "$device" \
		"$address" >/dev/null
	grep -h AV-AD-001 "$findings"/*
}

on_lo 4
check "ibv_rc_pingpong without a GID index" mistake_is_found
for program in rc uc ud srq; do
	test_program "ibv_${program}_pingpong" -d "$device" -g "$gid" -n 500
done
for options in '' '--use_old_post_send' '-c UC'; do
	# shellcheck disable=SC2086 # it has several words
	test_program ib_write_bw -F -d "$device" -x "$gid" -n 500 $options
done
for options in '' '--use_old_post_send' '-e' '-c UD' '--use-srq -q 2'; do
	# shellcheck disable=SC2086 # it has several words
	test_program ib_send_bw -F -d "$device" -x "$gid" -n 500 $options
done
test_program ib_read_bw -F -d "$device" -x "$gid" -n 500
test_program ib_read_lat -F -d "$device" -x "$gid" -n 500
test_program ib_atomic_bw -F -d "$device" -x "$gid" -n 500
for transport in rc_v ud_v; do
	check "ucx_perftest over $transport" \
		ucx "$transport" -t tag_bw -n 500 -w 0 -s 4096
	check "ucx_perftest over $transport, long messages" \
		ucx "$transport" -t tag_bw -n 50 -w 0 -s 200000
done
check "fi_pingpong" libfabric
finish
