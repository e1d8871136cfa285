# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Argument for tests that link support/alloc_fail.c: verbs_test(... WRAP ${ALLOC_FAIL_WRAP})
set(ALLOC_FAIL_WRAP malloc calloc realloc reallocarray strdup free)
