#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ibv_doctor finds problems and names commands that fix them: the case causes
# each condition, runs the command that the report names, and checks that the
# device works again.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# The program is in the install tree of the library.
find_doctor() {
	local up

	for up in ../bin ../../bin ../../../bin; do
		if [ -x "$LANE_LIB/$up/ibv_doctor" ]; then
			install -m 755 "$LANE_LIB/$up/ibv_doctor" "$scratch/"
			return
		fi
	done
	return 1
}

if ! find_doctor; then
	if self_test; then
		echo "note $case_name: the distribution has no such program"
	else
		fail "the install tree has ibv_doctor"
	fi
	finish
fi
doctor=$scratch/ibv_doctor
# The host may be a container; the guest is not.
rm -f /.dockerenv /run/.containerenv

# report STATUS COMMAND... - writes the report of a command that ends with
# ibv_doctor and its options to $scratch/report; false if the exit status
# differs.
report() {
	local status=$1 rc=0

	shift
	with_ours "$@" >"$scratch/report" 2>&1 || rc=$?
	cat "$scratch/report"
	[ "$rc" -eq "$status" ]
}

# finds ID STATUS COMMAND... - checks that the report has this finding.
finds() {
	report "$2" "${@:3}" && grep -q "^[a-z]*: $1\(:\|\$\)" "$scratch/report"
}

# has_not ID COMMAND... - checks that a device is usable and that the report
# does not have this finding.
has_not() {
	report 0 "${@:2}" && ! grep -q "^[a-z]*: $1\(:\|\$\)" "$scratch/report"
}

# run_fix ID [NUMBER] - runs the command that the last report names.
run_fix() {
	local command

	command=$(awk -v id="$1" -v number="${2-1}" '
		/^[a-z]+: / { here = $2 == id || $2 == id ":"; count = 0 }
		here && (/^  fix: / || (count && /^       /)) {
			if (++count == number) {
				sub(/^  fix: |^       /, "")
				print
			}
		}' "$scratch/report")
	[ -n "$command" ] || return 1
	echo "fix: $command"
	sh -c "$command"
}

works() {
	report 0 "$@" && grep -q '^rxe0: can be used' "$scratch/report"
}

no_device() {
	local name

	for name in /sys/class/infiniband/*; do
		[ ! -e "$name" ] || rdma link del "$(basename "$name")" || return 1
	done
}

no_module() {
	no_device || return 1
	modprobe -r rdma_rxe siw rdma_ucm ib_uverbs 2>/dev/null
	[ ! -e /sys/class/infiniband_verbs ]
}

section="kernel: "
check "no device, no module" no_module
check "module-not-loaded" finds module-not-loaded 1 "$doctor"
check "uroce-available" grep -q '^note: uroce-available$' "$scratch/report"
check "uroce is available" with_ours env UROCE_DEVICES=auto "$doctor" -q
check "the suggested command works" run_fix module-not-loaded
check "no-device" finds no-device 1 "$doctor"
veth_up ve0 ve1 "$rxe_address"
check "no-device, with an interface" finds no-device 1 "$doctor"
check "the suggested command works" run_fix no-device
check "rxe0 comes up" rxe_up
check "root can use the device" works "$doctor"
check "the report names the GID index for programs" \
	finds gid-index 0 "$doctor" -d rxe0 -i 1

section="node: "
node=$(rdma_node rxe0)
check "every user can use the device" works "${as_nobody[@]}" "$doctor"
chmod 600 "$node"
check "node-forbidden" finds node-forbidden 1 "${as_nobody[@]}" "$doctor"
check "root is not affected by node-forbidden" works "$doctor"
report 1 "${as_nobody[@]}" "$doctor" >/dev/null
check "the suggested command works" run_fix node-forbidden
check "every user can use the device again" works "${as_nobody[@]}" "$doctor"
mv "$node" "$node.hidden"
check "node-missing" finds node-missing 1 "$doctor"
check "the suggested command works" run_fix node-missing
check "the new node works" works "${as_nobody[@]}" "$doctor"
rm -f "$node"
mknod -m 666 "$node" c 1 3
check "node-wrong" finds node-wrong 1 "$doctor"
check "the first suggested command works" run_fix node-wrong 1
check "the second suggested command works" run_fix node-wrong 2
check "the corrected node works" works "$doctor"
rm -f "$node"
mv "$node.hidden" "$node"
mv /dev/infiniband /dev/infiniband.hidden
check "nodes-no-folder" finds nodes-no-folder 1 "$doctor"
mv /dev/infiniband.hidden /dev/infiniband
check "all nodes are back" works "$doctor"

section="limits: "
low=(prlimit --memlock=65536)
check "memlock-low, and registering fails" \
	finds memlock-low 1 "${low[@]}" "${as_nobody[@]}" "$doctor"
check "memlock limits root in a user namespace" \
	finds memlock-low 1 unshare --user --map-root-user "${low[@]}" "$doctor"
check "memlock does not limit root" has_not memlock-low "${low[@]}" "$doctor"
check "the suggested memlock limit is sufficient" \
	has_not memlock-low prlimit --memlock=$((1284 * 1024)) \
	"${as_nobody[@]}" "$doctor"
check "memlock-low for a large program" finds memlock-low 1 \
	prlimit --memlock=8388608 "${as_nobody[@]}" "$doctor" -m 16M

group=/sys/fs/cgroup/doctor
# shellcheck disable=SC2016 # the inner shell expands it
in_group=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
group_up() {
	mountpoint -q /sys/fs/cgroup ||
		mount -t cgroup2 none /sys/fs/cgroup || return 1
	echo +rdma >/sys/fs/cgroup/cgroup.subtree_control &&
		mkdir -p "$group" &&
		echo 'rxe0 hca_handle=0' >"$group/rdma.max"
}
check "a control group without RDMA" group_up
check "cgroup-rdma, and opening fails" \
	finds cgroup-rdma 1 "${in_group[@]}" "$doctor"
check "the suggested command works" run_fix cgroup-rdma
check "the group can use the device" works "${in_group[@]}" "$doctor"
rmdir "$group"

section="port: "
ip link set ve0 down
check "port-down" finds port-down 1 "$doctor"
check "the suggested command works" run_fix port-down
wait_for 60 rdma_port_is_active rxe0
check "the port works" works "$doctor"
ip link set ve1 down
check "port-down without a link" finds port-down 1 "$doctor"
ip link set ve1 up
wait_for 60 rdma_port_is_active rxe0
ip addr del "$rxe_address/24" dev ve0
check "gid-link-local" finds gid-link-local 2 "$doctor"
ip addr add "$rxe_address/24" dev ve0
wait_for 60 rxe_has_gid rxe0
check "the address is back" works "$doctor"

section="namespace: "
# shellcheck disable=SC2016 # the inner shell expands it
alone=(unshare --net --mount --propagation private
	sh -c 'mount -t sysfs none /sys && exec "$@"' sh)
if rdma system set netns exclusive; then
	check "netns-exclusive" finds netns-exclusive 1 "${alone[@]}" "$doctor"
	check "the suggested command works" run_fix netns-exclusive 2
	check "shared again" grep -q Y /sys/module/ib_core/parameters/netns_mode
else
	fail "the kernel supports devices of one namespace"
fi

section="library: "
other_library() {
	local rc=0

	with_distro "$doctor" >"$scratch/report" 2>&1 || rc=$?
	cat "$scratch/report"
	[ "$rc" -eq 2 ] && grep -q '^warning: library-other$' "$scratch/report" &&
		grep -q '^rxe0: can be used' "$scratch/report"
}
check "library-other, also with the distribution's library" other_library
install -m 4755 "$doctor" "$scratch/doctor_setuid"
export LANE_MODE=bind
check "SYSFS_PATH has an effect" finds env-sysfs-path 0 \
	"${as_nobody[@]}" env SYSFS_PATH=/../sys "$doctor"
check "a set-uid program ignores it" has_not env-sysfs-path \
	"${as_nobody[@]}" env SYSFS_PATH="$scratch" "$scratch/doctor_setuid"
unset LANE_MODE
finish
