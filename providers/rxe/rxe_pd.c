/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protection domains. The driver adds nothing of its own to the command.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "rxe/rxe.h"

int rxe_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
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

int rxe_dealloc_pd(struct ibv_pd *pd)
{
	int err;

	err = verbs_cmd_dealloc_pd(pd);
	if (err)
		return err;
	free(pd);
	return 0;
}
