# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Puts the libraries under test where every user and every root can reach them,
# once per boot: below /run/lane, which is in the roots too. Sourced by lib.sh;
# with(1) runs commands with these libraries.
#
#	/run/lane/ours/            the libraries under test and their modules
#	/run/lane/module-SUITE/    the same library with the modules of a suite
#	/run/lane/merged/          the distribution's modules and ours
#	/run/lane/root/SUITE       a link to the root of a suite

# The folder of provider modules in a Debian root.
module_folder=usr/lib/x86_64-linux-gnu/libibverbs

libraries_distro_folder() {
	local file

	file=$(ldconfig -p |
		sed -n 's/^\tlibibverbs.so.1 (libc6,x86-64) => //p' | head -n 1)
	[ -n "$file" ] || return 1
	# /lib is a link to /usr/lib: the library looks for modules in the
	# latter.
	file=$(dirname "$file")
	[ ! -d "/usr$file" ] || file=/usr$file
	echo "$file"
}

libraries_prepare() {
	local distro

	[ ! -e /run/lane/distro_dir ] || return 0
	mkdir -p /run/lane/ours /run/lane/merged /run/lane/tools
	distro=$(libraries_distro_folder) || return 1
	if [ -n "$LANE_LIB" ]; then
		cp -a "$LANE_LIB"/libibverbs.so.* /run/lane/ours/ || return 1
		[ ! -d "$LANE_LIB/libibverbs" ] ||
			cp -a "$LANE_LIB/libibverbs" /run/lane/ours/ || return 1
		[ ! -e "$LANE_LIB/librdmacm.so.1" ] ||
			cp -a "$LANE_LIB"/librdmacm.so.* /run/lane/ours/ || return 1
	fi
	mkdir -p /run/lane/ours/libibverbs
	cp -a "$distro/libibverbs/." /run/lane/merged || return 1
	cp -a /run/lane/ours/libibverbs/. /run/lane/merged || return 1
	[ -z "$LANE_TOOLS" ] || cp -r "$LANE_TOOLS"/. /run/lane/tools || return 1
	chmod -R a+rX /run/lane/ours /run/lane/merged /run/lane/tools
	cmp -s /run/lane/ours/libibverbs.so.1 "$distro/libibverbs.so.1" &&
		touch /run/lane/self_test
	echo "$distro" >/run/lane/distro_dir
}

# suite_up SUITE - makes commands with LIBRARY@SUITE possible. The root of
# bookworm is the guest's own.
suite_up() {
	local root=/run/lane/root/$1 dir

	[ "$1" != bookworm ] && [ ! -e "$root/run/lane" ] || return 0
	# shellcheck disable=SC2153 # lane sets it
	[ -d "$LANE_ROOTS/$1/$module_folder" ] || {
		echo "no root of $1 (lane --roots)" >&2
		return 1
	}
	mkdir -p /run/lane/root
	ln -sfn "$(readlink -e "$LANE_ROOTS/$1")" "$root"
	for dir in dev proc sys run; do
		mount --rbind "/$dir" "$root/$dir" || return 1
	done
}

# suite_ours SUITE - prints with(1)'s name of the library under test in that
# suite; when the lane tests itself, the suite's own library, as no other
# matches its modules.
suite_ours() {
	if [ -e /run/lane/self_test ]; then
		echo "distro@$1"
	else
		echo "foreign@$1"
	fi
}

# suite_bind SUITE - the same, mounted over the suite's file.
suite_bind() {
	if [ -e /run/lane/self_test ]; then
		echo "distro@$1"
	else
		echo "bind-alone@$1"
	fi
}

# module_up SUITE - makes commands with module-SUITE possible in any root.
module_up() {
	local from=/$module_folder to=/run/lane/module-$1 name

	[ ! -e "$to" ] || return 0
	[ "$1" = bookworm ] || from=/run/lane/root/$1/$module_folder
	mkdir -p "$to/libibverbs"
	cp -a /run/lane/ours/libibverbs.so.* "$to" || return 1
	for name in rxe siw; do
		cp -L "$from/lib$name"-rdmav*.so "$to/libibverbs" || return 1
	done
	chmod -R a+rX "$to"
}
