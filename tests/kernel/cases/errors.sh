#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Errors are reported at once and with the right errno: a device node that is
# forbidden, missing, or of another device; a kernel without RDMA. Set-uid and
# set-gid programs ignore each variable that names a path or a provider. The
# case requires this of the library under test, and prints the results of the
# distribution's.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
# Time limit of an error in ms. The machine is slow; the stall that must not
# occur takes five seconds.
prompt=2000

# probe LIBRARY COMMAND... - writes its lines to $scratch/probe.
probe() {
	local lib=$1

	shift
	"$with" "$lib" "$@" >"$scratch/probe" 2>&1
}

# prints LINE - checks that the probe printed a line with this beginning; the
# result of an open must be in time as well.
prints() {
	local ms

	cat "$scratch/probe"
	grep -q "^$1" "$scratch/probe" || return 1
	ms=$(sed -n 's/^open .* \([0-9]*\) ms$/\1/p' "$scratch/probe")
	[ "${ms:-0}" -le "$prompt" ]
}

# both NAME EXPECTED COMMAND... - required of the library under test, printed
# for the distribution's.
both() {
	local name=$1 expected=$2

	shift 2
	probe distro "$@"
	echo "     distribution: $name: $(tr '\n' ';' <"$scratch/probe")"
	probe ours "$@"
	check_ours "$name" prints "$expected"
}

# after_list LIBRARY ACTION - probes rxe0, and runs ACTION between list and
# open.
after_list() {
	local probe_pid

	rm -f "$scratch/go" "$scratch/probe"
	mkfifo "$scratch/go"
	: >"$scratch/probe"
	"$with" "$1" "$tools/probe" -w rxe0 <"$scratch/go" \
		>"$scratch/probe" 2>&1 &
	probe_pid=$!
	exec {go}>"$scratch/go"
	wait_for 60 grep -q '^list: 1' "$scratch/probe"
	"$2"
	echo go >&"$go"
	exec {go}>&-
	wait "$probe_pid"
}

# both_after_list NAME EXPECTED ACTION UNDO
both_after_list() {
	after_list distro "$3"
	"$4"
	echo "     distribution: $1: $(tr '\n' ';' <"$scratch/probe")"
	after_list ours "$3"
	"$4"
	check_ours "$1" prints "$2"
}

hide_node() {
	mv "$node" "$node.hidden"
}

show_node() {
	rm -f "$node"
	mv "$node.hidden" "$node"
}

node_of_another_device() {
	hide_node
	mknod -m 666 "$node" c 1 3
}

node_is_a_file() {
	hide_node
	: >"$node"
}

check "rxe0 comes up" rxe_up
node=$(rdma_node rxe0)

section="node: "
probe distro "${as_nobody[@]}" "$tools/probe" rxe0
check "every user may open it (distribution)" prints 'open rxe0: ok'
probe ours "${as_nobody[@]}" "$tools/probe" rxe0
check "every user may open it" prints 'open rxe0: ok'
chmod 000 "$node"
both "forbidden: EACCES, promptly" 'open rxe0: EACCES' \
	"${as_nobody[@]}" "$tools/probe" rxe0
both "forbidden, but not to root" 'open rxe0: ok' "$tools/probe" rxe0
chmod 666 "$node"
both_after_list "gone after the list: ENOENT, promptly" \
	'open rxe0: ENOENT' hide_node show_node
both_after_list "another device after the list: refused, promptly" \
	'open rxe0: E' node_of_another_device show_node
both_after_list "a plain file after the list: refused, promptly" \
	'open rxe0: E' node_is_a_file show_node
hide_node
both "never there: not listed" 'open rxe0: not listed' "$tools/probe" rxe0
show_node

section="kernel: "
# shellcheck disable=SC2016 # the inner shell expands it
without_class=("$tools/no_netlink" unshare --mount --propagation private
	sh -c 'mount -t tmpfs none /sys/class && exec "$0"')
probe distro "${without_class[@]}" "$tools/probe"
check "neither netlink nor sysfs: ENOSYS (distribution)" prints 'list: ENOSYS'
probe ours "${without_class[@]}" "$tools/probe"
check "neither netlink nor sysfs: ENOSYS" prints 'list: ENOSYS'

# Set-uid and set-gid programs load only a library in the system's place.
export LANE_MODE=bind
export LANE_MARKER=$scratch/marker
for suffix in -rdmav34.so -anyverbs1.so .so; do
	cp "$tools/marker_module.so" "$scratch/trap$suffix"
	chmod 755 "$scratch/trap$suffix"
done
for kind in plain setuid setgid; do
	cp "$tools/probe" "$scratch/probe_$kind"
	chown 0:0 "$scratch/probe_$kind"
done
chmod 755 "$scratch/probe_plain"
chmod 4755 "$scratch/probe_setuid"
chmod 2755 "$scratch/probe_setgid"

# marked VARIABLE KIND LIBRARY - checks whether this program loads the marker
# module, also by sysfs, where no driver id selects the provider.
marked() {
	local -a wrap

	rm -f "$LANE_MARKER"
	for wrap in env "$tools/no_netlink"; do
		probe "$3" "$wrap" "${as_nobody[@]}" env "$1=$scratch/trap" \
			"$scratch/probe_$2"
		cat "$scratch/probe"
		# A program that finds no device proves nothing.
		grep -q '^list: 1' "$scratch/probe" || return 2
	done
	[ -e "$LANE_MARKER" ]
}

not_marked() {
	marked "$@"
	[ $? -eq 1 ]
}

# sysfs_path_obeyed KIND LIBRARY - checks that another sysfs root hides the
# device.
sysfs_path_obeyed() {
	probe "$2" "$tools/no_netlink" "${as_nobody[@]}" \
		env SYSFS_PATH="$scratch" "$scratch/probe_$1"
	cat "$scratch/probe"
	! grep -q '^list: 1' "$scratch/probe"
}

sysfs_path_ignored() {
	! sysfs_path_obeyed "$@"
}

# log_obeyed KIND LIBRARY - checks that an unprivileged user can have a log file
# made.
log_obeyed() {
	rm -f "$scratch/log"
	probe "$2" "${as_nobody[@]}" env VERBS_LOG_LEVEL=4 \
		VERBS_LOG_FILE="$scratch/log" "$scratch/probe_$1"
	cat "$scratch/probe"
	[ -e "$scratch/log" ]
}

log_ignored() {
	! log_obeyed "$@"
}

section="variables: "
for variable in RDMAV_DRIVERS IBV_DRIVERS; do
	check "plain program: $variable has an effect (distribution)" \
		marked "$variable" plain distro
	check_ours "plain program: $variable has an effect" \
		marked "$variable" plain ours
	check "set-uid program: $variable is ignored (distribution)" \
		not_marked "$variable" setuid distro
	check "set-uid program: $variable is ignored" \
		not_marked "$variable" setuid ours
	check_ours "set-gid program: $variable is ignored" \
		not_marked "$variable" setgid ours
done
check "plain program: SYSFS_PATH has an effect (distribution)" \
	sysfs_path_obeyed plain distro
check_ours "plain program: SYSFS_PATH has an effect" sysfs_path_obeyed plain ours
check "set-uid program: SYSFS_PATH is ignored" sysfs_path_ignored setuid ours
check_ours "set-gid program: SYSFS_PATH is ignored" \
	sysfs_path_ignored setgid ours
check_ours "plain program: VERBS_LOG_FILE is obeyed" log_obeyed plain ours
check_ours "set-uid program: VERBS_LOG_FILE is ignored" log_ignored setuid ours
check_ours "set-gid program: VERBS_LOG_FILE is ignored" log_ignored setgid ours
finish
