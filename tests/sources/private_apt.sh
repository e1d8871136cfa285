# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# apt with a state of its own: the machine's package lists and packages do not
# change, and apt verifies all downloads. Sourced by source_package and
# build_sysroot.
#
# The mirror is the one that apt uses for the archive, unless $ANYVERBS_MIRROR
# is set.

apt_keyring=/usr/share/keyrings/debian-archive-keyring.gpg
apt_arch=$(dpkg --print-architecture)

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# Prints the mirror of the archive in apt's configuration, if there is one.
apt_mirror() {
	# shellcheck disable=SC2016 # apt replaces the names, not the shell
	apt-get indextargets --format '$(CREATED_BY) $(REPO_URI)' 2>/dev/null |
		sed -n 's,^Packages \(.*/debian\)/$,\1,p' | sort -u | sed -n 1p
}

# private_apt STATE ARG... - runs apt-get on the state of private_apt_up.
private_apt() {
	local state=$1

	shift
	apt-get -qq -o APT::Architecture="$apt_arch" \
		-o APT::Architectures="$apt_arch" \
		-o Dir::State="$state" -o Dir::State::lists="$state/lists" \
		-o Dir::State::status="$state/status" \
		-o Dir::Cache="$state/cache" \
		-o Dir::Etc::sourcelist="$state/etc/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o APT::Sandbox::User=root \
		-o Acquire::Retries=3 -o Acquire::Languages=none \
		-o Acquire::AllowInsecureRepositories=false "$@"
}

# private_apt_up STATE SUITE - makes the state, with no package installed, and
# reads the lists of binary and source packages.
private_apt_up() {
	local state=$1 suite=$2 mirror=${ANYVERBS_MIRROR:-$(apt_mirror)}

	[ -n "$mirror" ] || die "apt has no Debian mirror: set ANYVERBS_MIRROR"
	[ -r "$apt_keyring" ] || die "cannot read the keyring $apt_keyring"
	mkdir -p "$state"/{lists/partial,cache/archives/partial,etc}
	: >"$state/status"
	printf '%s [signed-by=%s] %s %s main\n' \
		deb "$apt_keyring" "$mirror" "$suite" \
		deb-src "$apt_keyring" "$mirror" "$suite" \
		>"$state/etc/sources.list"
	private_apt "$state" update >&2 ||
		die "cannot read the package lists of $suite"
}

# sources_cache - sets $cache, makes the folder, and waits for other runs.
sources_cache() {
	cache=${ANYVERBS_SOURCES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/anyverbs-sources}
	mkdir -p "$cache" || die "cannot make the cache folder $cache"
	exec 9>"$cache/lock"
	flock -w 900 9 ||
		die "another run has held the lock of $cache for 15 minutes"
}
