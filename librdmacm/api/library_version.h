/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIBRDMACM_API_LIBRARY_VERSION_H
#define LIBRDMACM_API_LIBRARY_VERSION_H

/**
 * rdmacm_anyverbs_version() - return the release of AnyVerbs, a static string
 *
 * Exported as a private symbol of the version ANYVERBS_1.
 */
const char *rdmacm_anyverbs_version(void);

#endif
