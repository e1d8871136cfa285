#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# qperf, whose configure script searches libibverbs itself.

. "$(dirname "$0")/recipe.sh"
configure_for_debian
make_all
