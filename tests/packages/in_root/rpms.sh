#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rpms.sh NAME
#
# Copies the files of the RPM packages into a Debian system: first in addition
# to the distribution's library (/mnt/beside), then in its place (/mnt/plain).

where=$1
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
. "$here/programs.sh"

# uses PROGRAM LIBRARY - the dynamic linker loads LIBRARY for PROGRAM.
uses() {
	[ "$(ldd "$(command -v "$1")" |
		sed -n 's/.*libibverbs\.so\.1 => \([^ ]*\) .*/\1/p')" = "$2" ]
}

cp -a /mnt/beside/. /
ldconfig
check "beside: the dynamic linker finds our library first" \
	uses ib_send_bw /usr/lib64/anyverbs/libibverbs.so.1
check "beside: the device is listed" device_is_listed
check "beside: ibv_rc_pingpong" pingpong ibv_rc_pingpong
check "beside: perftest" perftest ib_write_bw -s 65536
check "beside: UCX" ucx rc_v -t tag_lat -s 64
rm -r /usr/lib64/anyverbs /etc/ld.so.conf.d/anyverbs.conf
ldconfig
check "beside: after removal the distribution's library is found" \
	uses ib_send_bw "/lib/${lib##*/}/libibverbs.so.1"

cp -a /mnt/plain/. /
export LD_LIBRARY_PATH=/usr/lib64
check "in place: the dynamic linker finds our library" \
	uses ib_send_bw /usr/lib64/libibverbs.so.1
check "in place: the device is listed" device_is_listed
check "in place: ibv_rc_pingpong" pingpong ibv_rc_pingpong
check "in place: perftest" perftest ib_write_bw -s 65536
finish
