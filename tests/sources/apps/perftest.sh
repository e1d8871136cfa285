#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# perftest, without the extras of vendor libraries, which the sysroot lacks.

. "$(dirname "$0")/recipe.sh"
configure_for_debian
make_all
