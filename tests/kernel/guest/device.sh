# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # between lib.sh and the cases
#
# The device that a case runs on when it can run on several: $LANE_DEVICE, rxe0
# unless a case that starts other cases says siw0. Sourced after lib.sh.
#
# device_address is that of its interface; device_switch is the interface that
# takes its port down and up.

device=${LANE_DEVICE:-rxe0}

case $device in
rxe0)
	. "$guest/rxe.sh"
	device_address=$rxe_address
	device_switch=ve1
	device_up() { rxe_up; }
	;;
siw0)
	. "$guest/siw_link.sh"
	device_address=$siw_address
	device_switch=ve2
	device_up() { siw_up; }
	;;
esac
