/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The mark of this library: ibv_doctor looks for it in the librdmacm that
 * programs load. That of rdma-core does not find devices in user space.
 */
#include "api/library_version.h"

const char *rdmacm_anyverbs_version(void)
{
	return RDMACM_ANYVERBS_VERSION;
}
