/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For programs whose children start threads after fork(). ThreadSanitizer ends
 * such a child if its parent has several threads, unless this option is set.
 */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
