#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Our connection manager in user space, on uroce, and the kernel's, on rdma_rxe, at
# the two ends of connections, each as client and as server. The end of rxe has the
# distribution's libraries. Unmodified programs; interop_cm, which checks private
# data, rejections and disconnects; killed processes; lost and duplicated MADs.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/checked.sh"
. "$here/../guest/two_ends.sh"
. "$here/../guest/netem.sh"

# connects PATTERN PROGRAM SERVER_OPTION... -- CLIENT_OPTION... - runs with the
# server at either end; @port and @address are replaced by those of the server. The
# words of $starter are before both programs.
fixed_port=
starter=()
connects() {
	local pattern=$1 program=$2 pairing row=$2 name
	local -a both

	shift 2
	name="$program $*"
	name="$program ${name#*-- }"
	for pairing in far:distro distro:far; do
		[ -n "$fixed_port" ] || pair_port=$((pair_port + 1))
		both=("${@/#@port/$pair_port}")
		both=("${both[@]/#@address/$(address_of "${pairing%:*}")}")
		both=("${both[@]/#--/-- ${starter[*]} $program}")
		# shellcheck disable=SC2048,SC2086 # no argument has a blank
		pair_test "$name" interop_cm_listens "$pairing" "$pattern" \
			"${starter[@]}" "$program" ${both[*]}
	done
}

# perftest_cm PROGRAM OPTION...
perftest_cm() {
	local program=$1
	local -a starter=("${perftest_server_first[@]}")

	shift
	connects '^ *#bytes' "$program" -F -R -p @port "$@" -- \
		-F -R -p @port "$@" @address
}

# fio_cm VERB - the client must issue all blocks without an error.
fio_cm() {
	local pairing row=fio

	for pairing in far:distro distro:far; do
		pair_port=$((pair_port + 1))
		fio_job "$scratch/server.fio" rw=read filename=none
		fio_job "$scratch/client.fio" rw=write "verb=$1" \
			"hostname=$(address_of "${pairing%:*}")"
		pair_test "fio $1" interop_cm_listens "$pairing" \
			'issued rwts: total=0,16,0,0 ' \
			fio "$scratch/server.fio" -- fio "$scratch/client.fio"
	done
}

group=239.1.2.3

# group_has_member - the server has joined it on its interface.
group_has_member() {
	ip maddr show dev fe0 | grep -qw "$group" ||
		ip -n far maddr show dev fe1 | grep -qw "$group"
}

multicast() {
	local pairing row=mckey

	for pairing in far:distro distro:far; do
		pair_test "mckey" group_has_member "$pairing" 'return status 0' \
			mckey -m "$group" -b "$(address_of "${pairing%:*}")" \
			-c 2 -C 5 -S 64 -- \
			mckey -m "$group" -b "$(address_of "${pairing#*:}")" -s \
			-c 2 -C 5 -S 64
	done
}

programs() {
	pair_own_race='^rdma_get_cm_event: Bad file descriptor'
	connects '' rping -s -a @address -p @port -C 5 -S 200 -V -- \
		-c -a @address -p @port -C 5 -S 200 -V
	connects '' rping -s -a @address -p @port -C 3 -q -- \
		-c -a @address -p @port -C 3 -q
	pair_own_race=
	connects 'return status 0' ucmatose -b @address -p @port -c 2 -C 5 \
		-S 64 -- -s @address -p @port -c 2 -C 5 -S 64
	connects '^custom' rstream -b @address -p @port -I 5 -C 3 -S 1000 -- \
		-s @address -p @port -I 5 -C 3 -S 1000
	connects '^custom' rstream -b @address -p @port -I 5 -C 3 -S 1000 -T b \
		-- -s @address -p @port -I 5 -C 3 -S 1000 -T b
	connects '^custom' riostream -b @address -p @port -I 5 -C 3 -S 1000 -- \
		-s @address -p @port -I 5 -C 3 -S 1000
	perftest_cm ib_send_bw -n 20 -s 1000 -t 4
	perftest_cm ib_send_lat -n 20 -c UD
	perftest_cm ib_write_bw -n 20 -s 10000 -t 4
	perftest_cm ib_read_bw -n 20 -s 10000 -t 4
	fio_cm write
	fio_cm read
	connect_times 20
	datagrams
	multicast
}

# connect_times NUMBER - cmtime's server never ends.
connect_times() {
	pair_endless=yes
	connects '^disconnect *: *[0-9]' cmtime -b @address -p @port -- \
		-s @address -p @port -c "$1"
	pair_endless=
}

# The port of udaddy is fixed.
datagrams() {
	local fixed_port=yes pair_port=7174 interop_port_space=111

	connects 'return status 0' udaddy -b @address -c 2 -C 5 -S 64 -- \
		-s @address -c 2 -C 5 -S 64
}

# checks PAIRING FAMILY
checks() {
	local row=interop_cm

	section="$section$1, IPv$2: "
	pair_port=$((pair_port + 1))
	checked_pair interop_listens "$1" \
		"$tools/interop_cm" "$(address_of "${1%:*}" "$2")" "$pair_port" \
		-- "$tools/interop_cm" "$(address_of "${1#*:}" "$2")" \
		"$pair_port" "$(address_of "${1%:*}" 4)"
	section=
}

# survivor_notices PAIRING VICTIM HOW
survivor_notices() {
	local program=$tools/interop_cm_killed survivor=client code=0

	pair_port=$((pair_port + 1))
	pair_run interop_listens "${1%:*}" "${1#*:}" \
		"$program" "$(address_of "${1%:*}")" "$pair_port" "$2" "$3" -- \
		"$program" "$(address_of "${1#*:}")" "$pair_port" "$2" "$3" \
		"$(address_of "${1%:*}")"
	[ "$2" = client ] && survivor=server
	[ "$3" = exit ] || code=137
	cat "$scratch/pair.$survivor.out"
	pair_result
	[ "$(cat "$scratch/pair.$survivor.rc")" = 0 ] &&
		[ "$(cat "$scratch/pair.$2.rc")" = "$code" ]
}

survivors() {
	local pairing victim how

	for pairing in far:distro distro:far; do
		for victim in client server; do
			for how in kill exit; do
				check "the $victim ends by $how ($pairing)" \
					survivor_notices "$pairing" "$victim" \
					"$how"
				grep -h '^noticed' "$scratch"/pair.*.out |
					sed 's/^/     /'
			done
		done
	done
}

# mads_lost PLACE INTERFACE - loses each third packet to QP 1 that arrives there:
# rxe stops sending if the host of the sender drops them. (Offsets are those of an
# IP header and 32 bytes, in which the QPN of the BTH is the last word.)
mads_lost() {
	in_place "$1" tc qdisc add dev "$2" clsact &&
		in_place "$1" tc filter add dev "$2" ingress protocol ip u32 \
			match ip protocol 17 0xff \
			match u32 0x00000001 0x00ffffff at 32 \
			action pass random determ drop 3
}

# lost_mads PLACE INTERFACE - prints their number.
lost_mads() {
	in_place "$1" tc -s filter show dev "$2" ingress |
		sed -n 's/.*(dropped \([0-9]*\),.*/\1/p'
}

with_losses() {
	local -x INTEROP_FAULTS=loss
	local pair_limit=600 # each lost MAD takes some seconds

	section='losses: '
	check "lose packets to rxe" mads_lost near fe0 || return
	check "lose packets to uroce" mads_lost far fe1 || return
	checks far:distro 4
	section='losses: '
	connect_times 20
	check "packets to rxe were lost: $(lost_mads near fe0)" \
		[ "$(lost_mads near fe0)" -gt 0 ]
	check "packets to uroce were lost: $(lost_mads far fe1)" \
		[ "$(lost_mads far fe1)" -gt 0 ]
	section=
	in_place near tc qdisc del dev fe0 clsact
	in_place far tc qdisc del dev fe1 clsact
}

with_duplicates() {
	local -x INTEROP_FAULTS=duplicates

	section='duplicates: '
	check "duplicate packets of rxe" \
		netem_on near fe0 1500 duplicate 100% || return
	check "duplicate packets of uroce" \
		netem_on far fe1 1500 duplicate 100% || return
	checks far:distro 4
	section='duplicates: '
	connect_times 20
	section=
	netem_off near fe0
	netem_off far fe1
}

if self_test || [ ! -e /run/lane/ours/librdmacm.so.1 ]; then
	echo "note $case_name: not with the library of the distribution"
	finish
fi
check "the two devices come up" interop_up
check "the kernel has the netem modules" netem_modules || finish
check "the kernel has the modules of filters" \
	modprobe -a sch_ingress act_gact || finish
cd "$scratch" || exit
programs
# The expectations are those of the kernel's connection manager.
checks distro:distro 4
checks far:distro 4
checks far:distro 6
survivors
with_losses
with_duplicates
check "the devices are removed" interop_down
finish
