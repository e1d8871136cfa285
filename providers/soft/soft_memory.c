/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protection domains and memory regions: objects that consist of one command
 * and one allocation.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "soft/soft.h"

int soft_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	struct ibv_pd *pd;
	int err;

	pd = malloc(sizeof(*pd));
	if (!pd)
		return -ENOMEM;
	*pd = (struct ibv_pd){};

	err = verbs_cmd_alloc_pd(ctx, pd, NULL);
	if (err) {
		free(pd);
		return err;
	}
	*ret_pd = pd;
	return 0;
}

int soft_dealloc_pd(struct ibv_pd *pd)
{
	int err;

	err = verbs_cmd_dealloc_pd(pd);
	if (err)
		return err;
	free(pd);
	return 0;
}

int soft_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
		int access, const struct verbs_udata *udata,
		struct ibv_mr **ret_mr)
{
	struct verbs_mr *vmr;
	int err;

	vmr = malloc(sizeof(*vmr));
	if (!vmr)
		return -ENOMEM;
	*vmr = (struct verbs_mr){};

	err = verbs_cmd_reg_mr(pd, addr, length, iova, access, vmr, udata);
	if (err) {
		free(vmr);
		return err;
	}
	*ret_mr = &vmr->ibv_mr;
	return 0;
}

int soft_dereg_mr(struct verbs_mr *vmr)
{
	int err;

	err = verbs_cmd_dereg_mr(vmr);
	if (err)
		return err;
	free(vmr);
	return 0;
}
