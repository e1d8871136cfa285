#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs that were built from Debian's sources with the headers and the
# library under test (tests/sources/): they run on it and on the distribution's
# library. librdmacm and the libraries of UCX and libfabric were built in the
# same way.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"

# shellcheck disable=SC2153 # lane sets it
run=$LANE_ROOTS/sources/run
tree=$(dirname "$(readlink -f "$run")")
pair_port=28000

# loaded NAME - prints the path of the loaded library.
loaded() {
	sed -n "s/^\t$1 => \([^ ]*\).*/\1/p" "$scratch/loads"
}

# loads LIBRARY - checks that the loader selects the wanted libraries for a program
# that was built: ours, or the distribution's libibverbs and the librdmacm that was
# built.
loads() {
	local want=/run/lane/ours

	[ "$1" != distro ] || want=$(cat /run/lane/distro_dir)
	"$with" "$1" "$run" ldd "$tree/usr/bin/ib_send_bw" >"$scratch/loads"
	cat "$scratch/loads"
	[ "$(loaded libibverbs.so.1)" -ef "$want/libibverbs.so.1" ] || return 1
	if [ "$1" = distro ]; then
		[[ $(loaded librdmacm.so.1) == "$tree"/* ]]
	else
		[ "$(loaded librdmacm.so.1)" -ef "$want/librdmacm.so.1" ]
	fi
}

# fill_in WORD... - prints the words with placeholders replaced.
fill_in() {
	local word

	for word; do
		case $word in
		*@port) word=${word%@port}$pair_port ;;
		*@address) word=${word%@address}$rxe_address ;;
		esac
		printf '%s\n' "$word"
	done
}

# The words before the program, if it needs some.
starter=()

# works LISTENS PATTERN SERVER_ARG... -- CLIENT_ARG... - runs with both
# libraries. The program is $row; @port and @address are replaced by the
# server's.
works() {
	local lib listens=$1 pattern=$2 name
	local -a server=() both

	shift 2
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	name="$row $*"
	for lib in distro ours; do
		pair_port=$((pair_port + 1))
		mapfile -t both < <(fill_in "${server[@]}" -- \
			"${starter[@]}" "$run" "$row" "$@")
		pair_test "$name" "$listens" "$lib:$lib" "$pattern" \
			"${starter[@]}" "$run" "$row" "${both[@]}"
	done
}

perftest() {
	local row=$1 listens
	local -a options starter

	shift
	options=(-F -d rxe0 -x "$rxe_gid_index" -p @port -n 10 "$@")
	perftest_begins "$@"
	works "$listens" '^ *#bytes' "${options[@]}" -- "${options[@]}" @address
}

# Not UD with -R: if the first attempt to connect fails, which happens now and
# then, perftest 25.01 continues with memory that it has freed.
perftest_works() {
	perftest ib_send_bw -s 1000 -t 4
	perftest ib_send_bw -s 1000 -t 4 -c UD
	perftest ib_send_bw -s 64 -t 4 -R
	perftest ib_write_lat -s 64
	perftest ib_write_lat -s 64 --use_old_post_send
	perftest ib_write_lat -s 64 -R
	perftest ib_read_bw -s 4000 -t 4
	perftest ib_read_bw -s 64 -R
	perftest ib_atomic_bw -A CMP_AND_SWAP -t 4
	perftest ib_atomic_bw -R
}

# ucx OPTION... - runs both ends with the same options.
ucx() {
	local -a options=(-p @port -n 20 -w 2 "$@")

	works tcp_listens '^Final: ' "${options[@]}" -- \
		"${options[@]}" 127.0.0.1
}

# As in ucx.sh: one transport, and the upper layer on each.
ucx_works() {
	local row=ucx_perftest
	local -x UCX_UD_VERBS_ETH_DGID_CHECK=n UCX_NET_DEVICES=rxe0:1 UCX_TLS

	unset UCX_TLS
	ucx -d rxe0:1 -x rc_verbs -t am_lat -s 8 -D short
	ucx -d rxe0:1 -x rc_verbs -t am_bw -s 2000 -D zcopy
	ucx -d rxe0:1 -x rc_verbs -t put_bw -s 2000 -D zcopy
	ucx -d rxe0:1 -x rc_verbs -t fadd -s 8 -D short
	ucx -d rxe0:1 -x ud_verbs -t am_lat -s 8 -D short
	for UCX_TLS in rc_v ud_v; do
		ucx -t tag_lat -s 64
	done
}

fabric_works() {
	local row=fi_pingpong

	works tcp_listens '^bytes' -p verbs -I 5 -S 64 -e msg -B @port -- \
		-p verbs -I 5 -S 64 -e msg -P @port @address
	works tcp_listens '^bytes' -p verbs -I 5 -S 64 -e dgram -d rxe0-dgram \
		-B @port -- \
		-p verbs -I 5 -S 64 -e dgram -d rxe0-dgram -P @port @address
}

# qperf_refuses LIBRARY TEST - datagrams do not use the connection manager, and
# qperf makes no address that RoCE could use; one of its ends reports that.
qperf_refuses() {
	pair_port=$((pair_port + 1))
	if pair_run tcp_listens "$1" "$1" "$run" qperf -lp "$pair_port" -- \
		"$run" qperf -lp "$pair_port" -t 1 "$rxe_address" "$2"; then
		echo "it works"
		return 1
	fi
	pair_result >"$scratch/refused"
	cat "$scratch/refused"
	grep -q 'failed to create address handle: Invalid argument' \
		"$scratch/refused"
}

# qperf has no option for the GID index: it uses the connection manager.
qperf_works() {
	local row=qperf pair_endless=yes lib

	works tcp_listens '^ *latency *= ' -lp @port -- \
		-lp @port -t 1 -cm 1 @address rc_lat
	works tcp_listens '^ *bw *= ' -lp @port -- \
		-lp @port -t 1 -cm 1 @address rc_bw
	for lib in distro ours; do
		check "qperf ud_bw fails in the known way ($lib)" qperf_refuses "$lib" ud_bw
	done
}

fio_works() {
	local row=fio
	local -a common=(--name=job --ioengine=rdma --thread --iodepth=4
		--size=64k --bs=4k --port=@port)

	works cm_listens 'issued rwts: total=0,16,0,0 ' "${common[@]}" \
		--rw=read --filename=none -- "${common[@]}" --rw=write \
		--verb=write --hostname=@address
}

cm_works() {
	local row=rping pair_own_race='^rdma_get_cm_event: Bad file descriptor'

	works cm_listens '' -s -a @address -p @port -C 5 -S 200 -V -- \
		-c -a @address -p @port -C 5 -S 200 -V
	row=ucmatose
	pair_own_race=
	works cm_listens '' -b @address -p @port -c 2 -C 5 -S 64 -- \
		-s @address -p @port -c 2 -C 5 -S 64
}

check "rxe0 comes up" rxe_up
cd "$scratch" || exit
for lib in distro ours; do
	check "the loader selects the libraries ($lib)" loads "$lib"
done
cm_works
perftest_works
ucx_works
fabric_works
qperf_works
fio_works
finish
