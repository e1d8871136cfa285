# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Downloads packages into the lane's cache with apt, without installing them.
# Sourced by lane_kernel and lane_siw, which set $cache with lane_cache and take
# its lock before they change anything below it.

die() {
	echo "lane: $*" >&2
	exit 125
}

# lane_cache - sets $cache and makes the folder.
lane_cache() {
	cache=${ANYVERBS_LANE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/anyverbs-lane}
	mkdir -p "$cache" || die "cannot make the cache folder $cache"
}

# lane_lock - holds the lock until this process ends.
lane_lock() {
	exec 9>"$cache/lock"
	flock -w 900 9 ||
		die "another lane has held the lock of $cache for 15 minutes"
}

# candidate PACKAGE - prints the version that apt would install, if any.
candidate() {
	apt-cache policy "$1" 2>/dev/null |
		sed -n 's/^ *Candidate: \(.*\)$/\1/p' | grep -vx '(none)' || true
}

# has_version PACKAGE VERSION
has_version() {
	apt-cache madison "$1" 2>/dev/null |
		awk -F ' *[|] *' -v v="$2" '$2 == v { found = 1 } END { exit !found }'
}

# download FOLDER PACKAGE=VERSION...
download() {
	local to=$1
	local -a options=()

	shift
	# apt's own unprivileged user cannot write into root's cache folder.
	[ "$(id -u)" -ne 0 ] || options=(-o APT::Sandbox::User=root)
	(cd "$to" && apt-get "${options[@]}" -qq download "$@") >&2
}

refresh_lists() {
	[ "$(id -u)" -eq 0 ] || return 1
	echo "lane: refreshing the package lists" >&2
	apt-get -qq update >&2
}
