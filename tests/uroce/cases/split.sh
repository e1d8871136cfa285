#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Long messages that both processes copy (UROCE_SPLIT): each byte is where it
# should be, and nothing is written to memory that was given back, however a
# message ends. Whether they were copied so say the counters of both ends. Where
# they may not be, or cannot, the same messages come all the same.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

counters=$scratch/split.log
out=$scratch/split.out
vm='process_vm_readv process_vm_writev'
export VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$counters
long=1
! more || long=20

total() {
	awk -v name="$1" '$(NF - 2) == "uroce:" && $(NF - 1) == name {
		sum += $NF } END { print sum + 0 }' "$counters"
}

fresh_log() {
	: >"$counters"
	chmod 666 "$counters"
}

# moved WANTED - by calls of the one and of the other side: "both", "none", or
# "pulled", if only one may.
moved() {
	local pushed pulled

	pushed=$(total local_pushed_bytes)
	pulled=$(total local_pulled_bytes)
	echo "$pushed bytes pushed, $pulled pulled"
	case $1 in
	both) [ "$pushed" -ge 1000000 ] && [ "$pulled" -ge 1000000 ] ;;
	none) [ "$pushed" -eq 0 ] && [ "$pulled" -eq 0 ] ;;
	pulled) [ "$pushed" -eq 0 ] && [ "$pulled" -gt 0 ] ;;
	esac
}

# split NAME WANTED COMMAND... - ends well, and moved what is wanted.
split() {
	local name=$1 wanted=$2 rc

	shift 2
	[ "$UROCE_LOCAL" != none ] || wanted=none
	fresh_log
	"$with" lo "$@" >"$out" 2>&1
	rc=$?
	echo "exit code $rc; wanted: $wanted" >>"$out"
	if moved "$wanted" >>"$out" && [ "$rc" -eq 0 ]; then
		pass "$name: $(grep -v '^exit code' "$out" | tr '\n' ';')"
	else
		cat "$counters" >>"$out"
		fail "$name" "$out"
	fi
}

# few_repeats - what cannot be copied by one side is not tried again and again.
few_repeats() {
	local nr

	nr=$(total retransmitted)
	echo "$nr packets repeated"
	[ "$nr" -lt 100 ]
}

# program PROGRAM OPTION... - of the distribution, both ends.
program() {
	fresh_log
	ends '^ *1048576 ' "$1" -F -x "$gid" -s 1048576 "${@:2}"
	check "few packets are sent again" few_repeats
}

# program_splits PROGRAM OPTION... - the same, if it receives.
program_splits() {
	program "$@"
	check "it was split" moved both
}

always() {
	local -x UROCE_SPLIT=always

	split "all kinds and sizes" both "$tools/split" "$gid" data $((2 * long))
	split "ended in the middle" both "$tools/split" "$gid" ends \
		$((1000 * long))
	split "the other one is stopped" both "$tools/split" "$gid" stops 30
	# who is killed counts nothing
	[ "$UROCE_LOCAL" = none ] ||
		split "the other one is killed" pulled "$tools/split" "$gid" \
			kills $((12 * long))
}

# One end, or both, may not or cannot.
not_so() {
	local some=("$tools/split" "$gid" some 3)
	local -x UROCE_SPLIT=always

	split "UROCE_SPLIT=never" none env UROCE_SPLIT=never "${some[@]}"
	split "UROCE_SPLIT=never for one end" none "${some[@]}" \
		UROCE_SPLIT=never
	split "UROCE_CMA=none" none env UROCE_CMA=none "${some[@]}"
	split "UROCE_CMA=none for one end" none "${some[@]}" UROCE_CMA=none
	split "UROCE_CMA=mem" none env UROCE_CMA=mem "${some[@]}"
	split "UROCE_LOCAL=none for one end" none "${some[@]}" UROCE_LOCAL=none
	split "without $vm" none "$tools/deny" "$vm" "${some[@]}"
	split "without ${vm// /!38 }!38" none "$tools/deny" \
		"${vm// /!38 }!38" "${some[@]}"
	split "without process_vm_readv" none "$tools/deny" process_vm_readv \
		"${some[@]}"
	# which is found out by the first part that is pushed
	split "without process_vm_writev" pulled "$tools/deny" \
		process_vm_writev "${some[@]}"
	split "ended, UROCE_SPLIT=never" none env UROCE_SPLIT=never \
		"$tools/split" "$gid" ends 300
}

# What is chosen where nothing is asked for.
by_itself() {
	local -x UROCE_SPLIT=auto

	split "UROCE_SPLIT=auto" both "$tools/split" "$gid" data 1
}

programs() {
	local -x UROCE_SPLIT=always

	program_splits ib_send_bw -n 300
	program_splits ib_send_bw -n 300 -b
	program_splits ib_send_bw -n 300 -q 4
	program_splits ib_send_lat -n 300
	# their servers do not poll: much of it is copied by the client alone
	program ib_read_bw -n 300
	program ib_write_bw -n 300
	program ib_read_lat -n 300
	UROCE_SPLIT=never
	program ib_read_bw -n 300
	UROCE_SPLIT=always
	fresh_log
	# it compares what has come
	ends ' iters in ' ibv_rc_pingpong -g "$gid" -s 1048576 -n 300 -c
	check "it was split" moved both
}

row='split'
on_lo 4
column=$path
always
if [ "$UROCE_LOCAL" != none ]; then
	not_so
	by_itself
	programs
fi
check "nothing is left" nothing_left lo
finish
