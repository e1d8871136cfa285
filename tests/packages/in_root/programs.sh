# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# Runs the distribution's programs with the installed library on the user-space
# device of the loopback interface. Sourced after lib.sh.

export UROCE_DEVICES=lo
device=uroce_lo

# UCX ignores a device without a device node, although it never opens the node.
mkdir -p /dev/infiniband
[ -e "/dev/infiniband/$device" ] || ln -s ../null "/dev/infiniband/$device"

pingpong() {
	client_server 18515 "$@" -d "$device" -g 1 -n 200 -- \
		"$@" -d "$device" -g 1 -n 200 127.0.0.1
}

perftest() {
	client_server 18515 "$@" -d "$device" -x 1 -F -n 200 -- \
		"$@" -d "$device" -x 1 -F -n 200 127.0.0.1 &&
		grep '^ *#bytes' /tmp/client.log
}

# ucx TRANSPORT OPTION... - runs ucx_perftest. In Debian 13 it is built with
# MPI, which starts both sides.
ucx() {
	local -x UCX_IB_GID_INDEX=1 UCX_TLS=$1
	local -a run

	shift
	run=(ucx_perftest -p 13337 "$@" -n 200 -w 20)
	if ldd "$(command -v ucx_perftest)" | grep libmpi; then
		timeout 300 mpirun --allow-run-as-root --oversubscribe -n 2 \
			"${run[@]}" >/tmp/client.log 2>&1
	else
		client_server 13337 "${run[@]}" -- "${run[@]}" 127.0.0.1
	fi && grep '^Final: ' /tmp/client.log
}

fabric() {
	local -a run=(fi_pingpong -p 'verbs;ofi_rxd' -e rdm -I 50 -S 64
		-d "$device-dgram")

	client_server 47592 "${run[@]}" -- "${run[@]}" 127.0.0.1
}

pyverbs() {
	python3 -c 'import pyverbs.device as device
print([d.name for d in device.get_device_list()])' | grep "$device"
}

device_is_listed() {
	[[ $(ibv_devices) == *"$device"* ]] && ibv_devinfo -d "$device" -v
}

# connected PROGRAM SERVER-OPTION... -- CLIENT-OPTION... - runs a program of
# rdmacm-utils at both ends.
connected() {
	local -a end=("$1" -p 7174) server=()

	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	run_pair cm_listens 7174 "${end[@]}" "${server[@]}" -- "${end[@]}" "$@"
}

# At its end, rping closes a channel that another of its threads reads. The last
# message must have arrived before.
rping_ends() {
	# shellcheck disable=SC2034 # run_pair uses it
	local pair_own_race='rdma_get_cm_event: Bad file descriptor'

	connected rping -s -a 127.0.0.1 -C 5 -v -- -c -a 127.0.0.1 -C 5 -v &&
		grep -q 'ping data: rdma-ping-4' /tmp/client.log
}

# starts PROGRAM... - the program starts with all libraries and symbols. Open MPI
# finds no device that it can use, so its exit code does not matter.
starts() {
	ldd "$(command -v "$1")" | { ! grep 'not found'; } &&
		timeout 120 "$@" >/tmp/starts.log 2>&1
	[ $? -lt 124 ] && ! grep -E 'symbol lookup error|version .* not found' \
		/tmp/starts.log
}

run_programs() {
	check "ibv_devices and ibv_devinfo list the device" device_is_listed
	for type in rc uc ud srq; do
		check "ibv_${type}_pingpong" pingpong "ibv_${type}_pingpong"
	done
	check "perftest: ib_write_bw" perftest ib_write_bw -s 65536
	check "perftest: ib_send_lat, UD" perftest ib_send_lat -c UD
	check "perftest: ib_read_lat" perftest ib_read_lat
	check "UCX: tag_lat over rc_v" ucx rc_v -t tag_lat -s 64
	check "UCX: tag_bw over ud_v" ucx ud_v -t tag_bw -s 20000
	check "libfabric: fi_pingpong over ofi_rxd" fabric
	check "libfabric: fi_info starts" starts fi_info -p verbs
	check "Open MPI starts" starts ompi_info
	check "librdmacm: rping" rping_ends
	check "librdmacm: ucmatose" connected ucmatose -b 127.0.0.1 -c 2 -C 5 -- \
		-s 127.0.0.1 -c 2 -C 5
	check "pyverbs lists the device" pyverbs
	check "libraries of DPDK, UCX and libfabric resolve" libraries_resolve
}

# The libraries of all packages that depend on ours find their libraries and
# symbols.
libraries_resolve() {
	local file

	for file in "$lib"/librte_net_mlx5.so.* "$lib"/librte_common_mlx5.so.* \
		"$lib"/ucx/libuct_ib*.so.0 "$lib"/libfabric.so.1 \
		"$lib"/librdmacm.so.1 "$lib"/libmlx5.so.1 "$lib"/libefa.so.1; do
		! ldd -r "$file" 2>&1 | grep -E 'not found|undefined' ||
			{ echo "$file"; return 1; }
	done
}
