#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# replace.sh NAME
#
# On a Debian with its own RDMA packages: our library alone in place of its; then
# all our packages; programs; then back to the distribution's, as if nothing had
# been; then our packages alone, on a system without any of them.

where=$1
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
. "$here/programs.sh"

debs=(/mnt/debs/*.deb)
theirs=()

# changed FILE PACKAGE... - since the state of FILE, these packages and no other
# were installed, removed or have another version.
changed() {
	local file=$1

	shift
	state /tmp/now
	diff <(for name; do echo "$name"; done | sort -u) \
		<(diff "$file" /tmp/now | sed -n 's/^[<>] *[a-z]* *\([^:]*\):.*/\1/p' |
			sort -u)
}

# files FILE - everything that is below /usr/lib/MULTIARCH, /etc, /usr/bin and
# /usr/include, to see what comes back and what is left behind.
files() {
	find "$lib" /etc /usr/bin /usr/include /usr/sbin ! -type d \
		! -name ld.so.cache ! -name '*.pyc' ! -name __pycache__ |
		LC_ALL=C sort >"$1"
}

same_files() {
	files /tmp/files
	diff "$1" /tmp/files
}

# Each of the distribution's modules is loaded by our library, without a word.
modules_load() {
	local module name

	for module in "$lib"/libibverbs/*-rdmav*.so; do
		name=${module##*/lib}
		env -u UROCE_DEVICES RDMAV_DRIVERS="${name%.so}" \
			IBV_SHOW_WARNINGS=1 LD_DEBUG=files ibv_devices \
			>/tmp/load.log 2>&1
		grep -E "calling init: .*/(lib$name|$(basename \
			"$(readlink -f "$module")"))" /tmp/load.log ||
			{ echo "$module"; return 1; }
		! grep '^libibverbs: ' /tmp/load.log || return 1
	done
}

upgrade_leaves_ours() {
	apt-get -q -s dist-upgrade >/tmp/upgrade.log && cat /tmp/upgrade.log &&
		! grep -E '^(Inst|Remv)' /tmp/upgrade.log
}

back() {
	apt install --allow-downgrades --purge "${theirs[@]}" \
		ibverbs-providers-anyverbs-
}

starts_on_theirs() {
	! is_ours && starts ibv_devices && starts ib_send_bw --version
}

# Of our packages nothing stays; of what they depend on, libraries do.
no_file_of_ours() {
	files /tmp/files_now
	! diff /tmp/files_bare /tmp/files_now | grep '^[<>]' | grep -v '/libnl'
}

# Our utilities need no more of the library than the distribution's has.
utilities_alone() {
	apt install /mnt/debs/ibverbs-utils_*.deb && ! is_ours &&
		no_broken && starts ibv_devices && starts ibv_devinfo
}

for name in "${ours[@]}"; do
	version=$(dpkg-query -W -f '${Version}' "$name" 2>/dev/null) &&
		[ -n "$version" ] && theirs+=("$name=$version")
done
state /tmp/before
files /tmp/files_before
check "the distribution's library is there before" eval ! is_ours

check "our library alone is installed over it" \
	apt install /mnt/debs/libibverbs1_*.deb
check "nothing else changes" changed /tmp/before libibverbs1
check "no dependency is broken" no_broken
check "the loader finds our library" is_ours
check "the distribution's modules load" modules_load

check "all our packages are installed" apt install "${debs[@]}"
check "no other package changes" changed /tmp/before "${ours[@]}"
check "no dependency is broken by all" no_broken
check "the files are as packed" dpkg --verify "${ours[@]}"
check "all modules of the distribution load" modules_load
check "an upgrade of the system leaves our packages" upgrade_leaves_ours
run_programs
check "the package's own test" bash /mnt/autopkgtest

check "the distribution's packages come back" back
check "each package is what it was" changed /tmp/before
check "no dependency is broken afterwards" no_broken
check "each file is there, and no other" same_files /tmp/files_before
check "programs run on the distribution's library" starts_on_theirs
check "our utilities on the distribution's library" utilities_alone

check "everything of RDMA goes" apt purge libibverbs1 ibverbs-providers \
	ibverbs-utils libnl-3-200 libnl-route-3-200
state /tmp/bare
files /tmp/files_bare
check "our packages install where there are none" \
	apt install --no-install-recommends "${debs[@]}"
check "no dependency is broken there" no_broken
check "the device is there" one_device
check "ibv_rc_pingpong there" pingpong ibv_rc_pingpong
check "our packages go" apt purge "${ours[@]}"
check "no dependency is broken without them" no_broken
check "only libraries that they needed stay" no_file_of_ours
finish
