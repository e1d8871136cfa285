/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory windows of types 1 and 2. Work requests bind them: rxe_post.c and
 * rxe_wr.c.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "rxe/rxe.h"

int rxe_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		 struct ibv_mw **ret_mw)
{
	struct ibv_mw *mw;
	int err;

	mw = malloc(sizeof(*mw));
	if (!mw)
		return -ENOMEM;
	*mw = (struct ibv_mw){};

	err = verbs_cmd_alloc_mw(pd, type, mw, NULL);
	if (err) {
		free(mw);
		return err;
	}
	*ret_mw = mw;
	return 0;
}

int rxe_dealloc_mw(struct ibv_mw *mw)
{
	int err;

	err = verbs_cmd_dealloc_mw(mw);
	if (err)
		return err;
	free(mw);
	return 0;
}
