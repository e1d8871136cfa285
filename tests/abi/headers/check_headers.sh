#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Compile every public header alone, and every .c file next to this script,
# without a single diagnostic. Two obsolete headers must warn that they are
# obsolete, and of nothing else. gnu89 and c++98 compile without -Wpedantic: they
# lack long long, a comma after the last constant of an enum and inline functions,
# which the kernel's headers use.
#
# usage: check_headers.sh <include folder> c|c++ <standard> <compiler>...
#
# Runs all compilers; the exit status is 1 if any of them reported something.
set -u

include=$1
language=$2
standard=$3
shift 3

pedantic=-Wpedantic
case $standard in
gnu89 | c++98) pedantic= ;;
esac

here=$(cd "$(dirname "$0")" && pwd) || exit 1
diagnostics=$(mktemp) || exit 1
trap 'rm -f "$diagnostics"' EXIT
failed=0
count=0

# compile <compiler> <name in an #include>: messages go to $diagnostics
compile() {
	# shellcheck disable=SC2086 # no option or one
	printf '#include %s\n' "$2" |
		LC_ALL=C "$1" -x "$language" -std="$standard" -I"$include" \
			-Wall -Wextra $pedantic -fsyntax-only - \
			2>"$diagnostics"
}

# says_nothing: no diagnostic at all
says_nothing() {
	! [ -s "$diagnostics" ]
}

# says_obsolete: the expected warning, and at most the remark that #warning is not
# in the standard
says_obsolete() {
	grep -q ': warning: .*is obsolete' "$diagnostics" &&
		! grep -E ': (warning|error): ' "$diagnostics" |
		grep -Ev 'is obsolete|#warning is a (GCC|language|C2x|C23) ' |
			grep -q .
}

# check <compiler> <name in an #include>
check() {
	count=$((count + 1))
	if compile "$1" "$2"; then
		case $2 in
		*/arch.h\> | */sa-kern-abi.h\>) says_obsolete && return ;;
		*) says_nothing && return ;;
		esac
	fi
	echo "$1 -std=$standard: $2:"
	cat "$diagnostics"
	failed=1
}

for compiler in "$@"; do
	for header in "$include"/infiniband/*.h "$include"/rdma/*.h; do
		check "$compiler" "<${header#"$include"/}>"
	done
	for file in "$here"/*.c; do
		check "$compiler" "\"$file\""
	done
done

[ "$count" -gt 0 ] || {
	echo "nothing to compile"
	exit 1
}
echo "$count files, $language $standard: $*"
exit "$failed"
