/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Protection domains. The driver adds nothing of its own to the command. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "siw/siw.h"

int siw_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	struct ibv_pd *pd;
	int err;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return -ENOMEM;

	err = verbs_cmd_alloc_pd(ctx, pd, NULL);
	if (err) {
		free(pd);
		return err;
	}
	*ret_pd = pd;
	return 0;
}

int siw_dealloc_pd(struct ibv_pd *pd)
{
	int err = verbs_cmd_dealloc_pd(pd);

	if (err)
		return err;
	free(pd);
	return 0;
}
