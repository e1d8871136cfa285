/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_get_device_list() as a static program calls it. Compiled once per list of
 * providers: RDMA_STATIC_PROVIDERS and the function name come from CMake.
 */
#include <infiniband/verbs.h>

struct ibv_device **STATIC_LIST_FUNCTION(int *num_devices);

struct ibv_device **STATIC_LIST_FUNCTION(int *num_devices)
{
	return ibv_get_device_list(num_devices);
}
