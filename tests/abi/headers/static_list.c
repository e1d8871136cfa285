/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The longest list of providers that the form for static programs accepts. */
#define RDMA_STATIC_PROVIDERS                                               \
	rxe, siw, uroce, bnxt_re, cxgb4, efa, erdma, hfi1verbs, hns, ionic, \
		ipathverbs, irdma, mana, mlx4, mlx5, mthca, ocrdma, qedr,   \
		vmw_pvrdma, none, rxe, siw, uroce, efa
#include <infiniband/verbs.h>

struct ibv_device **list_devices_statically(int *num_devices);

struct ibv_device **list_devices_statically(int *num_devices)
{
	return ibv_get_device_list(num_devices);
}
