# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash source-path=SCRIPTDIR
# shellcheck disable=SC2154 # between networks.sh and the case
#
# Reads the counters of the device, which show the path that the programs of a
# test used. Sourced after networks.sh by the cases that check them.

# The library and the programs append to this file under another user id. Level
# 3 logs the counters.
log=$scratch/counters.log
export VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$log

datagrams() {
	awk '/^Udp6?InDatagrams/ { print $2 }
		/^Udp:/ && $2 ~ /^[0-9]+$/ { print $2 }' /proc/net/snmp
}

fresh_log() {
	: >"$log"
	chmod 666 "$log"
}

# counters_are CONDITION... - checks the sum of all processes' counters. A
# condition is NAME=VALUE, or with < > >=; VALUE is a number or the name of
# another counter.
counters_are() {
	local condition left operator right

	for condition; do
		[[ $condition =~ ^([a-z_]+)(>=|=|<|>)([a-z_0-9]+)$ ]] || return 2
		left=$(total "${BASH_REMATCH[1]}")
		operator=${BASH_REMATCH[2]}
		right=${BASH_REMATCH[3]}
		[[ $right =~ ^[0-9]+$ ]] || right=$(total "$right")
		case $operator in
		=) [ "$left" -eq "$right" ] ;;
		\<) [ "$left" -lt "$right" ] ;;
		\>) [ "$left" -gt "$right" ] ;;
		\>=) [ "$left" -ge "$right" ] ;;
		esac || {
			echo "counters: $left, $right; expected: $condition" >>"$log"
			return 1
		}
	done
}

# total NAME - prints the sum of a counter; 0 if it is not in the log.
total() {
	awk -v name="$1" '$(NF - 2) == "uroce:" && $(NF - 1) == name {
		sum += $NF } END { printf "%.0f\n", sum }' "$log"
}

# carried_bytes - prints how many bytes the device carried: packets, and copies
# between two processes.
carried_bytes() {
	echo $(($(total tx_bytes) + $(total shm_copied_bytes) +
		$(total shm_pushed_bytes) + $(total shm_pulled_bytes)))
}

# used_path - checks that the packets used the path of the case. With shared
# memory a few datagrams of UD may use the network, if there is no room.
used_path() {
	if [ "$UROCE_LOCAL" = none ]; then
		counters_are shm_tx_packets=0
	else
		[ $((100 * $(total tx_datagrams))) -le \
			"$(total shm_tx_packets)" ]
	fi
}

# check_carried NAME BYTES - checks that the device carried at least BYTES since
# fresh_log, on the path of the case.
check_carried() {
	local name=$1 least=$2 bytes

	bytes=$(carried_bytes)
	if [ "$bytes" -ge "$least" ] && used_path; then
		pass "$name: the device carried $bytes bytes"
	else
		echo "bytes: $bytes; expected: $least, $path" >>"$log"
		fail "$name: the device carried the data" "$log"
	fi
}

# says_carried NAME PATTERN BYTES COMMAND... - two tests: the command succeeds
# and prints PATTERN, and the device carried at least BYTES.
says_carried() {
	local name=$1 pattern=$2 least=$3

	shift 3
	fresh_log
	says "$name" "$pattern" "$@"
	check_carried "$name" "$least"
}
