#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Speed of the device in user space compared with those of the kernel, in one boot
# and in turns: perftest, unmodified, RoCE with MTU 1024.
#
#   rxe, uroce      over a pair of interfaces each
#   rxe_self, siw   between two processes of the host, by the kernel
#   memory          between two processes of the host, by uroce
#
# Absolute times of an emulated machine have no meaning, but their ratios do; the
# case prints them, and counts no test. uroce has its interfaces in "near" and
# "far".

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/rxe_wire.sh"
. "$here/../guest/siw_link.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/two_ends.sh"

# Captures would be part of the measured time.
INTEROP_CAPTURE=
export INTEROP_DEVICES=auto
rounds=5
ways='rxe uroce rxe_self siw memory'
near=10.96.1.1 far=10.96.1.2

# uroce_end_up NAMESPACE INTERFACE ADDRESS
uroce_end_up() {
	ip -n "$1" addr add "$3/24" dev "$2" && ip -n "$1" link set lo up &&
		ip -n "$1" link set "$2" up &&
		in_order "$2" ip netns exec "$1"
}

uroce_wire_up() {
	ip netns add near && ip netns add far &&
		ip link add su0 netns near type veth peer name su1 netns far &&
		uroce_end_up near su0 "$near" && uroce_end_up far su1 "$far"
}

uroce_wire_down() {
	ip netns del near && ip netns del far
}

siw_down() {
	rdma link del siw0 && ip link del ve2
}

sent() {
	cat "/sys/class/net/$1/statistics/tx_packets"
}

# ends LISTENS PLACE DEVICE PLACE DEVICE ADDRESS PROGRAM OPTION... - the
# server's place is first.
ends() {
	pair_run "$1" "$2" "$4" "${@:7}" -d "$3" -- "${@:7}" -d "$5" "$6"
}

# run_by WAY PROGRAM OPTION...
run_by() {
	local roce=(-m 1024 -x 1)
	local way=$1

	shift
	case $way in
	rxe)
		ends interop_listens distro rxes1 distro rxes0 127.0.0.1 \
			"$@" "${roce[@]}"
		;;
	uroce)
		ends interop_listens far uroce_su1 near uroce_su0 "$far" \
			"$@" "${roce[@]}"
		;;
	rxe_self)
		ends interop_listens distro rxes0 distro rxes0 127.0.0.1 \
			"$@" "${roce[@]}"
		;;
	siw)
		ends cm_listens distro siw0 distro siw0 "$siw_address" \
			"${perftest_server_first[@]}" "$@" -R
		;;
	memory)
		ends interop_listens far uroce_su1 far uroce_su1 "$far" \
			"$@" "${roce[@]}"
		;;
	esac
}

# result_of COLUMN
result_of() {
	awk -v column="$1" '$1 ~ /^[0-9]+$/ { value = $column }
		END { if (value <= 0) exit 1; print value }' \
		"$scratch/pair.client.out"
}

# measure WAY QUANTITY COLUMN PROGRAM OPTION... - appends to
# $scratch/WAY.QUANTITY. perftest prints 0 if the machine was too busy for its
# clock calibration.
measure() {
	local way=$1 quantity=$2 column=$3 result

	shift 3
	for _ in 1 2 3 4 5; do
		pair_port=$((pair_port + 1))
		run_by "$way" "$@" -F -p "$pair_port" || break
		if result=$(result_of "$column"); then
			echo "$result" >>"$scratch/$way.$quantity"
			return
		fi
	done
	echo "$way, $quantity:"
	pair_result
	return 1
}

one_round() {
	local way

	for way in $ways; do
		measure "$way" bandwidth 4 ib_write_bw -s 1048576 -n 40 -t 8 &&
			measure "$way" latency 5 ib_send_lat -s 8 -n 300 ||
			return 1
	done
}

# Each round transfers 41 MB in packets of 1 KB.
over_the_wire() {
	echo "$(sent sr0) packets"
	[ "$(sent sr0)" -ge $((rounds * 40 * 1024)) ]
}

# ratios QUANTITY WAY OTHER - prints the ratio of each round.
ratios() {
	paste "$scratch/$2.$1" "$scratch/$3.$1" |
		awk '{ printf "%.2f\n", $1 / $2 }'
}

median() {
	sort -n | sed -n "$(((rounds + 1) / 2))p"
}

# print_quantity QUANTITY UNIT TARGET
print_quantity() {
	local way

	for way in $ways; do
		echo "     $1, $way: $(tr '\n' ' ' <"$scratch/$way.$1")$2"
	done
	echo "     $1, uroce to rxe: $(ratios "$1" uroce rxe | tr '\n' ' ')," \
		"median $(ratios "$1" uroce rxe | median), wanted is $3"
	for way in rxe_self siw; do
		echo "     $1, memory to $way: median" \
			"$(ratios "$1" memory "$way" | median)"
	done
}

if self_test; then
	echo "note $case_name: not with the distribution's library (self test)"
	finish
fi
check "load the modules of rxe" rxe_modules
check "rxe has a wire" rxe_wire_up || finish
in_order sr0 && in_order sr1
check "siw0 comes up" siw_up || finish
check "uroce has a wire" uroce_wire_up || finish
for ((i = 1; i <= rounds; i++)); do
	check "round $i" one_round || finish
done
check "the packets of rxe went over its wire" over_the_wire
print_quantity bandwidth MB/s 'at least 2'
print_quantity latency us 'at most 1.3'
check "remove the wire of rxe" rxe_wire_down
check "remove siw0" siw_down
check "remove the wire of uroce" uroce_wire_down
finish
