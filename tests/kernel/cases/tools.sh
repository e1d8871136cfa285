#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The utilities of the library under test on a kernel's device: their output
# equals that of the distribution's utilities, their JSON is valid, and the
# pingpongs work with the distribution's at either end.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/device.sh"
. "$here/../guest/pair.sh"

# The folder of the utilities that were installed with the library.
for bin in "$LANE_LIB"/../../bin "$LANE_LIB"/../bin; do
	[ ! -x "$bin/ibv_devinfo" ] || break
done

# program END NAME - prints the path of the distribution's or our program.
program() {
	case $1 in
	distro) echo "$2" ;;
	ours) echo "$bin/$2" ;;
	esac
}

# alike PROGRAM OPTION... - same output, and success or failure of both, on one
# library.
alike() {
	local end row=$1 column

	column=$(library_label ours)
	for end in distro ours; do
		with_ours "$(program "$end" "$1")" "${@:2}" \
			>"$scratch/$end" 2>"$scratch/$end.err"
		echo "good: $(($? == 0))" >>"$scratch/$end"
	done
	same "$*: same output" "$scratch/distro" "$scratch/ours"
}

texts() {
	alike ibv_devices
	alike ibv_devinfo
	alike ibv_devinfo -v
	alike ibv_devinfo -l
	alike ibv_devinfo -d "$device" -i 1 -v
	alike ibv_devinfo -d "$device" -i 2
	alike ibv_devinfo -d nothing
}

# json EXPRESSION COMMAND... - checks an expression about the command's JSON,
# called "data".
json() {
	with_ours "${@:2}" >"$scratch/json" && python3 - "$1" "$scratch/json" <<-END
	import json, sys
	with open(sys.argv[2]) as file:
	    data = json.load(file)
	sys.exit(not eval(sys.argv[1], {"data": data, "ports": [
	    port for device in data["devices"] for port in device.get("ports", [])]}))
	END
}

# said FILE TEXT
said() {
	grep -q "$2" "$1"
}

# Both programs report that a port goes down and up.
watched() {
	local end
	local -a pids=()

	for end in distro ours; do
		"$with" ours "$(program "$end" ibv_asyncwatch)" -d "$device" \
			>"$scratch/$end" 2>&1 &
		pids+=($!)
		wait_for 60 said "$scratch/$end" 'async event FD' || return 1
	done
	ip link set "$device_switch" down
	for end in distro ours; do
		wait_for 60 said "$scratch/$end" IBV_EVENT_PORT_ERR || return 1
	done
	ip link set "$device_switch" up
	for end in distro ours; do
		wait_for 60 said "$scratch/$end" IBV_EVENT_PORT_ACTIVE || return 1
	done
	stop "${pids[@]}"
	diff "$scratch/distro" "$scratch/ours"
}

# meet TYPE OPTION... - runs our program with our program, and with the
# distribution's on the distribution's library.
test_pairings() {
	local pairing row=ibv_$1_pingpong column server client

	for pairing in ours:ours ours:distro distro:ours; do
		column=$(pairing_label "$pairing")
		server=${pairing%:*} client=${pairing#*:}
		pair_port=$((pair_port + 1))
		set -- "$1" -d "$device" -g "$rxe_gid_index" -p "$pair_port" \
			"${@:2}"
		if pair_run tcp_listens "$server" "$client" \
			"$(program "$server" "$row")" "${@:2}" -- \
			"$(program "$client" "$row")" "${@:2}" \
			"$device_address" &&
			grep -q ' iters in ' "$scratch/pair.client.out"; then
			pass "$* ($pairing)"
		else
			pair_result >"$scratch/result"
			fail "$* ($pairing)" "$scratch/result"
		fi
		set -- "$1" "${@:8}"
	done
}

# Features that the device lacks are refused at once.
refused() {
	! with_ours "$bin/ibv_$2_pingpong" -d "$device" -g "$rxe_gid_index" \
		"${@:3}" >"$scratch/refused" 2>&1 && said "$scratch/refused" "$1"
}

check "our utilities are installed" [ -x "$bin/ibv_devinfo" ] || finish
check "$device comes up" device_up
row=ibv_devinfo column=$(library_label ours)
texts
check "JSON of ibv_devices" json \
	"[d['name'] for d in data['devices']] == ['$device']" \
	"$bin/ibv_devices" --json
check "JSON of ibv_devinfo" json \
	"ports[0]['state'] == 'PORT_ACTIVE' and ports[0]['active_mtu'] >= 256" \
	"$bin/ibv_devinfo" --json
if [ "$device" = rxe0 ]; then
	check "JSON has the GIDs" json \
		"('::ffff:$device_address', 'RoCE v2', 've0') in [(g['gid'],
			g['type'], g['net_device']) for g in ports[0]['gids']]" \
		"$bin/ibv_devinfo" --json
fi
ip link set "$device_switch" down
wait_for 60 json "ports[0]['state'] == 'PORT_DOWN'" "$bin/ibv_devinfo" --json
section="port down: "
texts
section=
ip link set "$device_switch" up
wait_for 60 rdma_port_is_active "$device"
row=ibv_asyncwatch
check "ibv_asyncwatch: same words" watched
if [ "$device" = rxe0 ]; then
	wait_for 60 rxe_has_gid rxe0
	small=(-n 20 -s 1500 -r 32 -c)
	test_pairings rc "${small[@]}"
	test_pairings rc "${small[@]}" -e
	test_pairings rc "${small[@]}" -N
	test_pairings uc "${small[@]}"
	test_pairings ud "${small[@]}" -s 1000 -e
	test_pairings srq "${small[@]}" -q 4
	test_pairings srq "${small[@]}" -q 4 -e
	row=
	check "no time stamps" refused "isn't completion timestamp" rc -t
	check "no on-demand paging" refused "isn't ODP capable" rc -o
	check "no device memory" refused "doesn't support dm" rc -j
	check "no XRC" refused "XRC domain" xsrq
fi
finish
