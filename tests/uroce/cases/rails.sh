#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Several devices with chosen names on one network interface: perftest from one
# device to another, UCX with two rails, and rdma_cm, on loopback and between
# two namespaces. The programs know the names mlx5_0 and mlx5_1 from machines
# with two adapters.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/rdma_cm.sh"

nodes=("$tools/with_nodes" "")

# device_names - prints the devices that a program sees, in one line.
device_names() {
	"$with" lo ibv_devices 2>/dev/null |
		awk 'NR > 2 { printf "%s%s", sep, $1; sep = " " }'
}

check_list() {
	local -x UROCE_DEVICES=$1
	local got

	got=$(device_names)
	echo "devices: $got" >"$scratch/names"
	if [ "$got" = "$2" ]; then
		pass "UROCE_DEVICES=\"$1\": $2"
	else
		fail "UROCE_DEVICES=\"$1\": $2" "$scratch/names"
	fi
}

# warns SETTING PATTERN - the log has the reason for which a name is not used.
warns() {
	local log=/run/lane/home/rails.log

	rm -f "$log"
	UROCE_DEVICES=$1 VERBS_LOG_LEVEL=2 VERBS_LOG_FILE=$log "$with" lo \
		ibv_devices >/dev/null 2>&1
	cat "$log"
	grep -Eq -- "$2" "$log"
}

guids_differ() {
	"$with" lo ibv_devinfo >"$scratch/guids" 2>&1
	cat "$scratch/guids"
	[ "$(grep node_guid "$scratch/guids" | sort -u | wc -l)" -eq 2 ] &&
		[ "$(grep sys_image_guid "$scratch/guids" | sort -u | wc -l)" -eq 1 ]
}

# between_rails PROGRAM OPTION... - the server uses mlx5_0, the client mlx5_1.
between_rails() {
	local row=$1

	pair_port=$((pair_port + 1))
	pair_test "$* from mlx5_1 to mlx5_0" place_listens "$pairing" \
		'^ *#bytes' "$1" -p "$pair_port" -d mlx5_0 -F -x "$gid" "${@:2}" \
		-- "$1" -p "$pair_port" -d mlx5_1 -F -x "$gid" "${@:2}" "$address"
}

test_perftest() {
	local type

	for type in RC UC UD; do
		between_rails ib_send_bw -n 500 -c "$type" -s 1000
	done
	between_rails ib_send_lat -n 200 -e
	between_rails ib_write_bw -n 500 -s 65536 -q 4
	between_rails ib_read_bw -n 200 -s 65536
	between_rails ib_atomic_bw -n 200
}

# ucx NAME OPTION... - both processes use both devices; UCX lists them in its log.
ucx() {
	local name=$1 row=ucx_perftest

	shift
	pair_port=$((pair_port + 1))
	UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1 UCX_IB_GID_INDEX=$gid \
		UCX_MAX_RNDV_RAILS=2 UCX_LOG_LEVEL=info pair_test \
		"ucx_perftest $name with two rails" place_listens "$pairing" \
		'^Final: ' \
		"${nodes[@]}" ucx_perftest -p "$pair_port" "$@" -- \
		"${nodes[@]}" ucx_perftest -p "$pair_port" "$@" "$address"
}

test_ucx() {
	UCX_TLS=rc_v ucx "tag_lat" -t tag_lat -s 64 -n 200 -w 20
	UCX_TLS=rc_v ucx "tag_bw" -t tag_bw -s 1000000 -n 200 -w 20
	check "the endpoint of UCX has both devices" grep \
		'rc_verbs/mlx5_0:1.*rc_verbs/mlx5_1:1' "$scratch/pair.client.out"
	UCX_TLS=rc_v ucx "ucp_put_bw" -t ucp_put_bw -s 1000000 -n 200 -w 20
}

check_list mlx5_0=lo,mlx5_1=lo 'mlx5_0 mlx5_1'
check_list 'b=127.0.0.1 lo a=lo,a=127.0.0.1' 'uroce_lo b a'
check "a name with a slash" warns lo,a/b=lo 'ignoring "a/b=lo": a name has'
check "a name that an entry has" warns a=lo,a=lo \
	'ignoring "a=lo": an earlier entry'

export UROCE_DEVICES=mlx5_0=lo,mlx5_1=lo
on_lo 4
check "node GUIDs differ, the system image GUID is one" guids_differ
test_perftest
test_ucx
# The listener is at all addresses of both devices.
connects '' rping -s -p @port -C 5 -S 200 -V -- \
	-c -a @address -p @port -C 5 -S 200 -V

export UROCE_DEVICES=mlx5_0=ve0,mlx5_1=ve0
on_veth 1500 4
test_perftest
test_ucx
check "no socket is left" no_socket_left left
finish
