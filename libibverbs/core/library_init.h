/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One-time initialization before the first device is returned. */
#ifndef CORE_LIBRARY_INIT_H
#define CORE_LIBRARY_INIT_H

/**
 * verbs_library_init() - read the environment, set up logging
 *
 * Context: any thread, any number of times; only the first call has an effect.
 */
void verbs_library_init(void);

#endif
