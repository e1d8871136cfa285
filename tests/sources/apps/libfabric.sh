#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# libfabric with its verbs provider, and rxm, which uses the verbs provider.

. "$(dirname "$0")/recipe.sh"
configure_for_debian --disable-static --enable-only --enable-verbs=yes \
	--enable-rxm=yes
make_all
