#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# More queue pairs than there are numbers are made and destroyed: all can be
# made, and no number of a connected one returns within its quarantine.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

idle=200000
connected=140000
limit=150
if more; then
	idle=10000000
	connected=3000000
	limit=1500
fi

churn() {
	LANE_COMMAND_TIMEOUT=$limit "$with" lo "$tools/churn" "$1" "$gid" "$2"
}

row=churn
on_lo 4
column=$path
says "$idle queue pairs that are never connected" \
	"^$idle idle queue pairs in " churn "$idle" idle
says "$connected connected queue pairs" \
	"^$connected connected queue pairs in " churn "$connected" connected
check "no socket of the device is left" no_socket_left lo
finish
