# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Writes the lines of the table at the end of the lane: one line per test, with
# the device, the program, and its library and provider. Sourced by lib.sh;
# lane_table prints the table.

# A case sets these, with local, for tests of the table.
row=
column=

# library_label LIBRARY - prints the table's name of a library of with(1).
library_label() {
	local which=$1

	case $which in
	distro) which=${LANE_DISTRO_IS:-distro} ;;
	ours) which=${LANE_OURS_IS:-ours} ;;
	esac
	case $which in
	distro) echo bookworm ;;
	distro@*) echo "${which#*@}" ;;
	ours) echo ours ;;
	ours@*) echo "ours@${which#*@}" ;;
	foreign) echo ours+bookworm ;;
	foreign@*) echo "ours+${which#*@}" ;;
	*) echo "$which" ;;
	esac
}

# pairing_label SERVER:CLIENT
pairing_label() {
	local server client

	server=$(library_label "${1%:*}")
	client=$(library_label "${1#*:}")
	if [ "$server" = "$client" ]; then
		echo "$server"
	else
		echo mixed
	fi
}

# tally ok|fail
tally() {
	[ -z "$row" ] || [ -z "$column" ] ||
		printf '%s\t%s\t%s\t%s\n' "${device:-rxe0}" "$row" "$column" \
			"$1" >>"$LANE_OUT/table"
}
