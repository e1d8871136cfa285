#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs built against old and new releases, unmodified, on both libraries:
# one that imports libibverbs 1.0, from the list of devices to the end; one that
# loads each function by name and version, as NCCL does; one in C and one in C++
# that were compiled with our headers and with the distribution's.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

table=$here/../../abi/symbols.tsv
# The newest version node of Debian 12's libibverbs.so.1 is IBVERBS_1.14.
distro_node=14

check "rxe0 comes up" rxe_up

section="libibverbs 1.0: "
compare "traffic" "$tools/first_release" rxe0 "$rxe_gid_index" traffic
check "traffic, ours" with_ours "$tools/first_release" rxe0 "$rxe_gid_index" \
	traffic
check_ours "events, descriptors, short structs" \
	with_ours "$tools/first_release" rxe0 "$rxe_gid_index" all

section="by name and version: "
check "all functions of the distribution's" \
	with_distro "$tools/by_version" table "$table" "$distro_node"
check "all functions in our library" \
	with_ours "$tools/by_version" table "$table" "$distro_node"
check_ours "all functions" with_ours "$tools/by_version" table "$table"
compare "traffic" "$tools/by_version" traffic rxe0 "$rxe_gid_index"
check "traffic, ours" with_ours "$tools/by_version" traffic rxe0 \
	"$rxe_gid_index"

# Eight equal outputs: two languages, two headers, two libraries.
section="either header: "
for program in built_with_ours_c built_with_distro_c built_with_ours_cxx \
	built_with_distro_cxx; do
	check "$program, ours" \
		with_ours "$tools/$program" rxe0 "$rxe_gid_index"
	for library in distro ours; do
		"$with" "$library" "$tools/$program" rxe0 "$rxe_gid_index" \
			>"$scratch/$program.$library" 2>&1
		# The reference for the others.
		[ "$program $library" != "built_with_ours_c distro" ] || continue
		same "$program ($library)" "$scratch/built_with_ours_c.distro" \
			"$scratch/$program.$library"
	done
done
finish
