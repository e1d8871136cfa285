# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # between lib.sh and the cases
#
# Selects the device for cases that can run on several: $LANE_DEVICE, which is
# rxe0 unless a case that starts other cases sets siw0. Sourced after lib.sh.
#
# device_address is the address of its interface; setting device_switch down or
# up takes its port down or up.

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
