#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The Debian packages of the library under test, installed in the guest over the
# distribution's as on a user's machine, so that programs load the library
# without settings; on soft-RoCE with the own module, then with the
# distribution's module; then the distribution's packages again. LANE_ROOTS/debs
# and LANE_ROOTS/distro_debs contain the packages.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"

# The environment selects no library in this case.
pairing=distro:distro
pair_port=28000
export LANE_COMMAND_TIMEOUT=360
export UCX_NET_DEVICES=rxe0:1
ours=(libibverbs1 ibverbs-providers-anyverbs libibverbs-dev ibverbs-utils)

# works PATTERN PORT-OPTION PROGRAM OPTION... - runs a server and a client.
works() {
	local pattern=$1 port=$2 program=$3
	local -a options

	shift 3
	pair_port=$((pair_port + 1))
	options=("$port" "$pair_port" "$@")
	pair_test "$program $*" tcp_listens "$pairing" "$pattern" \
		"$program" "${options[@]}" -- \
		"$program" "${options[@]}" "$rxe_address"
}

programs() {
	works ' bytes in ' -p ibv_rc_pingpong -d rxe0 -g "$rxe_gid_index" -n 20
	works '^ *#bytes' -p ib_write_bw -F -d rxe0 -x "$rxe_gid_index" \
		-s 4000 -n 10 -t 4
	works '^ *#bytes' -p ib_send_lat -F -d rxe0 -x "$rxe_gid_index" \
		-s 64 -n 10 -c UD
	works '^Final: ' -p ucx_perftest -d rxe0:1 -x rc_verbs -t am_lat \
		-s 8 -D short -n 20 -w 2
}

# module NAME - checks which module drives rxe0.
module() {
	LD_DEBUG=files ibv_devinfo -d rxe0 >"$scratch/module" 2>&1 &&
		grep "calling init: .*/$1" "$scratch/module"
}

# Without triggers: the index of all manual pages takes too long here, and the
# loader's cache already has the library's path.
quick=(--no-triggers --force-unsafe-io)
install_debs() {
	dpkg "${quick[@]}" --install "$@" </dev/null &&
		dpkg --verify libibverbs1
}

# distro_debs - prints the distribution's versions of the installed packages.
distro_debs() {
	local name

	for name in "${before[@]}"; do
		compgen -G "$LANE_ROOTS/distro_debs/${name}_*.deb"
	done
}

# Packages that are not the distribution's are removed first: they need the
# library under test.
back() {
	local name
	local -a debs

	for name in libibverbs-dev ibverbs-utils; do
		[[ " ${before[*]} " == *" $name "* ]] ||
			dpkg "${quick[@]}" --remove "$name" || return 1
	done
	mapfile -t debs < <(distro_debs)
	install_debs "${debs[@]}"
}

mapfile -t before < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' \
	"${ours[@]}" 2>/dev/null | sed -n 's/^ii *//p')
check "rxe0 comes up" rxe_up
check "our packages are installed" install_debs "$LANE_ROOTS"/debs/*.deb
check "our module drives the device" module librxe-anyverbs
section='our packages: '
programs
section=
check "remove our modules" dpkg "${quick[@]}" --remove \
	ibverbs-providers-anyverbs
check "the distribution's module drives the device" module librxe-rdmav
section='our library, module of the distribution: '
programs
section=
check "the distribution's packages come back" back
check "nothing of ours is left" eval '! grep -c ANYVERBS_1 \
	/usr/lib/x86_64-linux-gnu/libibverbs.so.1'
section='the distribution: '
programs
finish
