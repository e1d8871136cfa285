#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Soft-iWARP: the library under test, with its own module, behaves as the
# distribution's.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/siw_compare.sh"

compared "our siw" distro ours 'distro:distro ours:ours'
finish
