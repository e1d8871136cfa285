#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# replace.sh NAME
#
# In a Debian system with the distribution's RDMA packages: replaces its library
# by ours, then installs all our packages and runs programs. Restores the
# distribution's packages. Finally installs our packages on a system without
# RDMA packages.

where=$1
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
. "$here/programs.sh"

debs=(/mnt/debs/*.deb)
theirs=()
# The distribution's package of librdmacm and ours
mapfile -t rdmacm < <({ echo librdmacm1 &&
	dpkg-query -W -f '${Package}\n' 'librdmacm1*'; } | sort -u)

# changed FILE PACKAGE... - exactly these packages were installed, removed or
# changed their version since the state in FILE.
changed() {
	local file=$1

	shift
	state /tmp/now
	diff <(for name; do echo "$name"; done | sort -u) \
		<(diff "$file" /tmp/now | sed -n 's/^[<>] *[a-z]* *\([^:]*\):.*/\1/p' |
			sort -u)
}

# files FILE - writes the files below /usr/lib/MULTIARCH, /etc, /usr/bin,
# /usr/sbin and /usr/include, to detect missing and left files.
files() {
	find "$lib" /etc /usr/bin /usr/include /usr/sbin ! -type d \
		! -name ld.so.cache ! -name '*.pyc' ! -name __pycache__ |
		LC_ALL=C sort >"$1"
}

same_files() {
	files /tmp/files
	diff "$1" /tmp/files
}

# Our library loads each of the distribution's modules without a message.
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

restore_packages() {
	local -a only_ours=(ibverbs-providers-anyverbs-)

	[[ ${theirs[*]} == *librdmacm1=* ]] || only_ours+=(librdmacm1-)
	apt install --allow-downgrades --purge "${theirs[@]}" "${only_ours[@]}"
}

starts_on_theirs() {
	! is_ours && starts ibv_devices && starts ib_send_bw --version
}

# No file of our packages is left; libraries that they depend on may be left.
no_file_of_ours() {
	files /tmp/files_now
	! diff /tmp/files_bare /tmp/files_now | grep '^[<>]' | grep -v '/libnl'
}

# Our utilities run with the distribution's library.
utilities_alone() {
	apt install /mnt/debs/ibverbs-utils_*.deb && ! is_ours &&
		no_broken && starts ibv_devices && starts ibv_devinfo
}

for name in "${ours[@]}" librdmacm1t64; do
	version=$(dpkg-query -W -f '${Version}' "$name" 2>/dev/null) &&
		[ -n "$version" ] && theirs+=("$name=$version")
done
state /tmp/before
files /tmp/files_before
check "the distribution's library is in use before the test" eval ! is_ours

check "our library alone replaces the distribution's" \
	apt install /mnt/debs/libibverbs1_*.deb
check "no other package changes after our library" \
	changed /tmp/before libibverbs1
check "no dependency is broken after our library" no_broken
check "the dynamic linker finds our library" is_ours
check "our library loads the distribution's modules" modules_load

check "our librdmacm replaces the distribution's" \
	apt install /mnt/debs/librdmacm1_*.deb
check "no other package changes after our librdmacm" \
	changed /tmp/before libibverbs1 "${rdmacm[@]}"
check "no dependency is broken after our librdmacm" no_broken

check "all our packages install" apt install "${debs[@]}"
check "no other package changes after all our packages" \
	changed /tmp/before "${ours[@]}" "${rdmacm[@]}"
check "no dependency is broken after all our packages" no_broken
check "the installed files equal the packaged files" dpkg --verify "${ours[@]}"
check "the distribution's modules load with all our packages" modules_load
check "a system upgrade keeps our packages" upgrade_leaves_ours
run_programs
check "autopkgtest of the package" bash /mnt/autopkgtest

check "the distribution's packages are restored" restore_packages
check "all package versions are restored" changed /tmp/before
check "no dependency is broken after the restore" no_broken
check "all files are restored, without additional ones" \
	same_files /tmp/files_before
check "programs run with the distribution's library" starts_on_theirs
check "our utilities run with the distribution's library" utilities_alone

check "all RDMA packages are purged" apt purge libibverbs1 ibverbs-providers \
	ibverbs-utils libnl-3-200 libnl-route-3-200
state /tmp/bare
files /tmp/files_bare
check "our packages install without the distribution's" \
	apt install --no-install-recommends "${debs[@]}"
check "no dependency is broken without the distribution's packages" no_broken
check "the device is listed without the distribution's packages" \
	device_is_listed
check "ibv_rc_pingpong without the distribution's packages" \
	pingpong ibv_rc_pingpong
check "our packages are purged" apt purge "${ours[@]}"
check "no dependency is broken after the purge" no_broken
check "no file of our packages is left" no_file_of_ours
finish
