/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Life of a completion queue; soft.h describes the order of the steps. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>

#include "soft/soft.h"

int soft_cq_check_attr(const struct ibv_cq_init_attr_ex *attr, bool extended,
		       uint64_t wc_flags)
{
	/* Parent domains are unsupported: no op creates one. */
	if (attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS)
		return -EOPNOTSUPP;
	if (extended && (attr->wc_flags & ~wc_flags))
		return -EOPNOTSUPP;
	return 0;
}

bool soft_cq_is_single_threaded(const struct ibv_cq_init_attr_ex *attr)
{
	return (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	       (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

int soft_cq_create(struct ibv_context *ctx,
		   const struct ibv_cq_init_attr_ex *attr, struct verbs_cq *vcq,
		   pthread_spinlock_t *lock, const struct verbs_udata *udata,
		   int (*setup)(struct verbs_cq *vcq, const void *resp))
{
	struct verbs_event_count raised;
	int err;

	err = -pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE);
	if (err)
		return err;
	verbs_init_cq(&vcq->cq, ctx, attr->channel, attr->cq_context);

	err = verbs_cmd_create_cq(ctx, &vcq->cq, attr, udata);
	if (err)
		goto err_fini;
	err = setup(vcq, udata->out);
	if (err)
		goto err_destroy;
	return 0;

err_destroy:
	/* No event can have been read. The error of setup() is returned. */
	(void)verbs_cmd_destroy_cq(&vcq->cq, &raised);
err_fini:
	verbs_fini_cq(&vcq->cq);
	(void)pthread_spin_destroy(lock); /* fails only while it is held */
	return err;
}

int soft_cq_destroy(struct verbs_cq *vcq, pthread_spinlock_t *lock,
		    void (*teardown)(struct verbs_cq *vcq))
{
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_destroy_cq(&vcq->cq, &raised);
	if (err)
		return err;
	teardown(vcq);
	verbs_wait_cq_acked(&vcq->cq, &raised);
	verbs_fini_cq(&vcq->cq);
	(void)pthread_spin_destroy(lock); /* fails only while it is held */
	return 0;
}
