#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The network of the machine itself: its interfaces are devices, and messages go
# over them. UDP port 4791 must not be in use by another user or by the kernel's
# rdma_rxe.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

port_is_free() {
	! grep -E '^[[:space:]]*[0-9]+: [0-9A-F]+:12B7 ' /proc/net/udp /proc/net/udp6
}

# TCP ports that are probably free.
pair_port=$((30000 + RANDOM % 2000))

check "UDP port 4791 is not in use" port_is_free
export UROCE_DEVICES=lo
on_lo 4
says "ibv_devinfo -v" 'state:.*PORT_ACTIVE' "$with" lo ibv_devinfo -v
ends ' iters in ' ibv_rc_pingpong -g "$gid" -n 1000 -c
ends ' iters in ' ibv_rc_pingpong -g "$gid" -n 200 -c -e
ends '^ *#bytes' ib_send_bw -F -x "$gid" -n 500

# The other interfaces with an IPv4 address; both ends use the same interface.
export UROCE_DEVICES=auto
while read -r _ interface _ inet _; do
	[ "$interface" != lo ] || continue
	address=${inet%/*}
	gid=1
	device=uroce_$interface
	path='an interface'
	section="$interface: "
	says "ibv_devinfo -v" 'state:.*PORT_ACTIVE' "$with" lo \
		ibv_devinfo -v -d "$device"
	ends ' iters in ' ibv_rc_pingpong -d "$device" -g "$gid" -n 1000 -c
	break
done < <(ip -4 -o addr show up)
finish
