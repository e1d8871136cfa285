/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Life of a shared receive queue; soft.h describes the order of the steps. */
#include <infiniband/verbs.h>
#include <provider/kernel.h>

#include "soft/soft.h"

int soft_srq_create(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr,
		    struct verbs_srq *vsrq, pthread_spinlock_t *lock,
		    const struct verbs_udata *udata,
		    int (*setup)(struct verbs_srq *vsrq, const void *resp,
				 struct ibv_srq_init_attr_ex *attr))
{
	struct verbs_event_count raised;
	int err;

	err = -pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE);
	if (err)
		return err;
	verbs_init_srq(vsrq, ctx, attr);

	err = verbs_cmd_create_srq(ctx, vsrq, attr, udata);
	if (err)
		goto err_fini;
	err = setup(vsrq, udata->out, attr);
	if (err)
		goto err_destroy;
	return 0;

err_destroy: /* the error of setup() is returned */
	(void)verbs_cmd_destroy_srq(&vsrq->srq, &raised);
err_fini:
	verbs_fini_srq(&vsrq->srq);
	(void)pthread_spin_destroy(lock); /* fails only while it is held */
	return err;
}

int soft_srq_destroy(struct verbs_srq *vsrq, pthread_spinlock_t *lock,
		     void (*teardown)(struct verbs_srq *vsrq))
{
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_destroy_srq(&vsrq->srq, &raised);
	if (err)
		return err;
	teardown(vsrq);
	verbs_wait_srq_acked(&vsrq->srq, &raised);
	verbs_fini_srq(&vsrq->srq);
	(void)pthread_spin_destroy(lock); /* fails only while it is held */
	return 0;
}
