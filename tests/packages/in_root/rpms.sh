#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rpms.sh NAME
#
# What the RPM packages install, put into a Debian as it is: in the place of the
# library (/mnt/plain), then beside the distribution's (/mnt/beside).

where=$1
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
. "$here/programs.sh"

# uses PROGRAM LIBRARY - what the loader gives to a program.
uses() {
	[ "$(ldd "$(command -v "$1")" |
		sed -n 's/.*libibverbs\.so\.1 => \([^ ]*\) .*/\1/p')" = "$2" ]
}

cp -a /mnt/beside/. /
ldconfig
check "the library beside the distribution's is found first" \
	uses ib_send_bw /usr/lib64/anyverbs/libibverbs.so.1
check "beside: the device is there" one_device
check "beside: ibv_rc_pingpong" pingpong ibv_rc_pingpong
check "beside: perftest" perftest ib_write_bw -s 65536
check "beside: UCX" ucx rc_v -t tag_lat -s 64
rm -r /usr/lib64/anyverbs /etc/ld.so.conf.d/anyverbs.conf
ldconfig
check "without it the distribution's is found" \
	uses ib_send_bw "/lib/${lib##*/}/libibverbs.so.1"

cp -a /mnt/plain/. /
export LD_LIBRARY_PATH=/usr/lib64
check "in place: the library is found" \
	uses ib_send_bw /usr/lib64/libibverbs.so.1
check "in place: the device is there" one_device
check "in place: ibv_rc_pingpong" pingpong ibv_rc_pingpong
check "in place: perftest" perftest ib_write_bw -s 65536
finish
