#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Long messages that both processes copy (UROCE_RNDV): each byte arrives in its
# place, and no byte is written to memory that the application has deregistered,
# however a message ends. The counters of both ends show whether both copied.
# Where copying by one end is denied or impossible, the same messages arrive
# too.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

counters_log=$scratch/rndv.log
out=$scratch/rndv.out
vm='process_vm_readv process_vm_writev'
export VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$counters_log
long=1
! more || long=20

total() {
	awk -v name="$1" '$(NF - 2) == "uroce:" && $(NF - 1) == name {
		sum += $NF } END { print sum + 0 }' "$counters_log"
}

fresh_log() {
	: >"$counters_log"
	chmod 666 "$counters_log"
}

# check_copied EXPECTED - checks the copies by system calls of the sender
# (pushed) and of the receiver (pulled): "both", "none", or "pulled" if only
# pulling is allowed.
check_copied() {
	local pushed pulled

	pushed=$(total shm_pushed_bytes)
	pulled=$(total shm_pulled_bytes)
	echo "$pushed bytes pushed, $pulled pulled"
	case $1 in
	both) [ "$pushed" -ge 1000000 ] && [ "$pulled" -ge 1000000 ] ;;
	none) [ "$pushed" -eq 0 ] && [ "$pulled" -eq 0 ] ;;
	pulled) [ "$pushed" -eq 0 ] && [ "$pulled" -gt 0 ] ;;
	esac
}

# test_rndv NAME EXPECTED COMMAND... - requires success and the expected
# copies.
test_rndv() {
	local name=$1 expected=$2 rc

	shift 2
	[ "$UROCE_LOCAL" != none ] || expected=none
	fresh_log
	"$with" lo "$@" >"$out" 2>&1
	rc=$?
	echo "exit code $rc; expected: $expected" >>"$out"
	if check_copied "$expected" >>"$out" && [ "$rc" -eq 0 ]; then
		pass "$name: $(grep -v '^exit code' "$out" | tr '\n' ';')"
	else
		cat "$counters_log" >>"$out"
		fail "$name" "$out"
	fi
}

# few_retransmissions - checks that packets which one end cannot copy are not
# retransmitted again and again.
few_retransmissions() {
	local nr

	nr=$(total retransmitted)
	echo "$nr packets retransmitted"
	[ "$nr" -lt 100 ]
}

# test_program PROGRAM OPTION... - runs both ends of a program of the
# distribution.
test_program() {
	fresh_log
	ends '^ *1048576 ' "$1" -F -x "$gid" -s 1048576 "${@:2}"
	check "few packets are retransmitted" few_retransmissions
}

# test_program_rndv PROGRAM OPTION... - runs a program that receives, and
# requires that both ends copied.
test_program_rndv() {
	test_program "$@"
	check "both ends copied" check_copied both
}

test_rndv_always() {
	local -x UROCE_RNDV=always

	test_rndv "all kinds and sizes" both "$tools/rndv" "$gid" data $((2 * long))
	test_rndv "ended in the middle" both "$tools/rndv" "$gid" ends \
		$((1000 * long))
	test_rndv "the other end is stopped" both "$tools/rndv" "$gid" stops 30
	# a killed process logs no counters
	[ "$UROCE_LOCAL" = none ] ||
		test_rndv "the other end is killed" pulled "$tools/rndv" "$gid" \
			kills $((12 * long))
}

# One end, or both, cannot or may not copy.
test_rndv_denied() {
	local some=("$tools/rndv" "$gid" some 3)
	local -x UROCE_RNDV=always

	test_rndv "UROCE_RNDV=never" none env UROCE_RNDV=never "${some[@]}"
	test_rndv "UROCE_RNDV=never for one end" none "${some[@]}" \
		UROCE_RNDV=never
	test_rndv "UROCE_CMA=none" none env UROCE_CMA=none "${some[@]}"
	test_rndv "UROCE_CMA=none for one end" none "${some[@]}" UROCE_CMA=none
	test_rndv "UROCE_CMA=mem" none env UROCE_CMA=mem "${some[@]}"
	test_rndv "UROCE_LOCAL=none for one end" none "${some[@]}" UROCE_LOCAL=none
	test_rndv "without $vm" none "$tools/deny" "$vm" "${some[@]}"
	test_rndv "without ${vm// /!38 }!38" none "$tools/deny" \
		"${vm// /!38 }!38" "${some[@]}"
	test_rndv "without process_vm_readv" none "$tools/deny" process_vm_readv \
		"${some[@]}"
	# the first pushed part fails, after which the sender pushes no more
	test_rndv "without process_vm_writev" pulled "$tools/deny" \
		process_vm_writev "${some[@]}"
	test_rndv "ended, UROCE_RNDV=never" none env UROCE_RNDV=never \
		"$tools/rndv" "$gid" ends 300
}

# The default setting.
test_rndv_auto() {
	local -x UROCE_RNDV=auto

	test_rndv "UROCE_RNDV=auto" both "$tools/rndv" "$gid" data 1
}

test_programs() {
	local -x UROCE_RNDV=always

	test_program_rndv ib_send_bw -n 300
	test_program_rndv ib_send_bw -n 300 -b
	test_program_rndv ib_send_bw -n 300 -q 4
	test_program_rndv ib_send_lat -n 300
	# the servers do not poll: the client copies most parts alone
	test_program ib_read_bw -n 300
	test_program ib_write_bw -n 300
	test_program ib_read_lat -n 300
	UROCE_RNDV=never
	test_program ib_read_bw -n 300
	UROCE_RNDV=always
	fresh_log
	# this program compares the received data
	ends ' iters in ' ibv_rc_pingpong -g "$gid" -s 1048576 -n 300 -c
	check "both ends copied" check_copied both
}

row='rndv'
on_lo 4
column=$path
test_rndv_always
if [ "$UROCE_LOCAL" != none ]; then
	test_rndv_denied
	test_rndv_auto
	test_programs
fi
check "no socket of the device is left" no_socket_left lo
finish
