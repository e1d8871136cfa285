#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The second part of ./demo: two network namespaces act as two machines with a
# cable between them. This part counts no tests. Started in world/enter.

here=$(dirname "$(readlink -f "$0")")
. "$here/world/networks.sh"

# packets PLACE - prints the number of packets received there.
packets() {
	ip -n "$1" -s link show ve0 | awk 'rx { print $2; exit } /RX:/ { rx = 1 }'
}

on_veth 1500 4 || { echo "demo: no pair of network namespaces" >&2; exit 1; }
rm -f "$scratch"/*
before=$(packets left)

echo
echo "left$ ibv_rc_pingpong -g $gid &"
"$with" left ibv_rc_pingpong -g "$gid" -c >"$scratch/server" 2>&1 &
server=$!
wait_for 60 place_listens 18515
echo "right$ ibv_rc_pingpong -g $gid -c $address"
"$with" right ibv_rc_pingpong -g "$gid" -c "$address" || exit
wait "$server" || { cat "$scratch/server"; exit 1; }
after=$(packets left)

echo
echo "The only network between the two programs was a cable (veth, MTU $(ip -n \
	left -o link show ve0 | sed 's/.* mtu \([0-9]*\).*/\1/'))."
echo "The left side received 1000 messages of 4096 bytes, in four RoCEv2 packets each, and the"
echo "acknowledgements of 1000 messages that it sent. The kernel counted $((after - before)) packets, because"
echo "a veth pair passes the four packets of a message on as one buffer."
