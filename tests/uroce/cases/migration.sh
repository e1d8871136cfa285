#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Migration of a QEMU guest through RDMA, with the librdmacm of this tree: both
# guests have the same memory afterwards, with registration of the memory on demand
# and with all memory registered at first.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/rdma_cm.sh"

megabytes=64
folder=$scratch/guests

# guest PLACE END OPTION... - runs a guest that no program starts in; the commands
# of its monitor are the standard input.
guest() {
	"$with" "$1" qemu-system-x86_64 -accel tcg -machine pc -m "$megabytes" \
		-nodefaults -display none -monitor stdio "${@:3}" \
		>"$folder/$2.out" 2>&1
}

# save_memory END - prints the monitor's command that writes the memory of a guest
# to a file.
save_memory() {
	echo "pmemsave 0 $((megabytes << 20)) \"$folder/$1.memory\""
}

# migrate all|demand - migrates a guest, whose memory has 40 MB of random data. The
# client's monitor waits for the end of the migration.
migrate() {
	local setting="migrate_set_capability rdma-pin-all off" port server

	[ "$1" = demand ] || setting="migrate_set_capability rdma-pin-all on"
	rm -rf "$folder"
	"$with" lo mkdir "$folder"
	"$with" lo sh -c "mkfifo $folder/commands &&
		head -c 40000000 /dev/urandom >$folder/data"
	pair_port=$((pair_port + 1))
	port=$pair_port
	guest "${pairing%:*}" server -incoming defer <"$folder/commands" &
	server=$!
	exec 3>"$folder/commands"
	echo "$setting" >&3
	echo "migrate_incoming rdma:$address:$port" >&3
	wait_for 60 cm_server_listens "$port" &&
		guest "${pairing#*:}" client -S -device \
			"loader,file=$folder/data,addr=0x1000000,force-raw=on" \
			<<END
$setting
migrate_set_parameter max-bandwidth 10g
$(save_memory client)
migrate rdma:$address:$port
info migrate
quit
END
	save_memory server >&3
	echo quit >&3
	exec 3>&-
	wait "$server" && grep -hv '^(qemu) .' "$folder"/*.out &&
		grep -q 'Migration status: completed' "$folder/client.out" &&
		cmp "$folder/client.memory" "$folder/server.memory"
}

test_migration() {
	local row=QEMU column=$path

	check "migration, memory registered on demand" migrate demand
	check "migration, all memory registered" migrate all
}

on_lo 4
test_migration
# Two namespaces share no memory.
if [ "$UROCE_LOCAL" = none ]; then
	on_veth 9000 4
	test_migration
fi
finish
