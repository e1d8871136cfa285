/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares discovered devices with the match tables of providers. */
#include "core/device_match.h"

#include <stdbool.h>
#include <string.h>

static bool match_entry_applies(const struct verbs_match *entry,
				const struct verbs_kernel_device *dev)
{
	switch (entry->kind) {
	case VERBS_MATCH_DRIVER_ID:
		return dev->driver_id != RDMA_DRIVER_UNKNOWN &&
		       dev->driver_id == entry->driver_id;
	case VERBS_MATCH_NAME:
		return strncmp(dev->ibdev_name, entry->prefix,
			       strlen(entry->prefix)) == 0;
	case VERBS_MATCH_END:
		break;
	}
	return false;
}

static bool provider_claims_device(const struct verbs_device_ops *ops,
				   enum verbs_match_kind kind,
				   struct verbs_candidate *candidate)
{
	const struct verbs_kernel_device *dev = candidate->kernel;
	const struct verbs_match *entry = ops->match;

	if (ops->foreign)
		return ops->foreign->claims(ops, kind, candidate);
	if (!entry || dev->abi_version < ops->min_abi_version ||
	    dev->abi_version > ops->max_abi_version)
		return false;

	for (; entry->kind != VERBS_MATCH_END; entry++) {
		if (entry->kind == kind && match_entry_applies(entry, dev))
			return true;
	}
	return false;
}

const struct verbs_device_ops *
verbs_match_device(struct verbs_candidate *candidate,
		   const struct verbs_device_ops *const *providers,
		   size_t count)
{
	static const enum verbs_match_kind order[] = {
		VERBS_MATCH_DRIVER_ID,
		VERBS_MATCH_NAME,
	};

	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		for (size_t i = 0; i < count; i++) {
			if (provider_claims_device(providers[i], order[k],
						   candidate))
				return providers[i];
		}
	}
	return NULL;
}

/* Names of the *.driver files that distributions install. */
static const struct {
	uint32_t driver_id;
	const char *name;
} drivers[] = {
	{ RDMA_DRIVER_MLX5, "mlx5" },
	{ RDMA_DRIVER_MLX4, "mlx4" },
	{ RDMA_DRIVER_CXGB4, "cxgb4" },
	{ RDMA_DRIVER_MTHCA, "mthca" },
	{ RDMA_DRIVER_BNXT_RE, "bnxt_re" },
	{ RDMA_DRIVER_OCRDMA, "ocrdma" },
	{ RDMA_DRIVER_IRDMA, "irdma" },
	{ RDMA_DRIVER_VMW_PVRDMA, "vmw_pvrdma" },
	{ RDMA_DRIVER_QEDR, "qedr" },
	{ RDMA_DRIVER_HNS, "hns" },
	{ RDMA_DRIVER_RXE, "rxe" },
	{ RDMA_DRIVER_HFI1, "hfi1verbs" },
	{ RDMA_DRIVER_QIB, "ipathverbs" },
	{ RDMA_DRIVER_EFA, "efa" },
	{ RDMA_DRIVER_SIW, "siw" },
	{ RDMA_DRIVER_ERDMA, "erdma" },
	{ RDMA_DRIVER_MANA, "mana" },
	{ RDMA_DRIVER_IONIC, "ionic" },
};

#define NR_DRIVERS (sizeof(drivers) / sizeof(drivers[0]))

const char *verbs_driver_name(uint32_t driver_id)
{
	for (size_t i = 0; i < NR_DRIVERS; i++) {
		if (drivers[i].driver_id == driver_id)
			return drivers[i].name;
	}
	return NULL;
}

void verbs_driver_name_each(void (*visit)(void *arg, const char *name),
			    void *arg)
{
	for (size_t i = 0; i < NR_DRIVERS; i++)
		visit(arg, drivers[i].name);
}
