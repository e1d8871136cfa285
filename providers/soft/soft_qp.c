/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Life of a queue pair; soft.h describes the order of the steps. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>

#include "soft/soft.h"

static int soft_qp_init_locks(struct soft_qp_locks locks)
{
	int err;

	err = -pthread_spin_init(locks.sq, PTHREAD_PROCESS_PRIVATE);
	if (err)
		return err;
	err = -pthread_spin_init(locks.rq, PTHREAD_PROCESS_PRIVATE);
	if (err)
		(void)pthread_spin_destroy(locks.sq); /* not held yet */
	return err;
}

/* Destroying a spinlock fails only while it is held. */
static void soft_qp_fini_locks(struct soft_qp_locks locks)
{
	(void)pthread_spin_destroy(locks.rq);
	(void)pthread_spin_destroy(locks.sq);
}

int soft_qp_create(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
		   struct verbs_qp *vqp, struct soft_qp_locks locks,
		   const struct verbs_udata *udata,
		   int (*setup)(struct verbs_qp *vqp, const void *resp,
				struct ibv_qp_init_attr_ex *attr))
{
	struct verbs_event_count raised;
	int err;

	err = soft_qp_init_locks(locks);
	if (err)
		return err;
	verbs_init_qp(vqp, ctx, attr);

	err = verbs_cmd_create_qp(ctx, &vqp->qp, attr, udata);
	if (err)
		goto err_fini;
	err = setup(vqp, udata->out, attr);
	if (err)
		goto err_destroy;
	return 0;

err_destroy: /* the error of setup() is returned */
	(void)verbs_cmd_destroy_qp(&vqp->qp, &raised);
err_fini:
	verbs_fini_qp(&vqp->qp);
	soft_qp_fini_locks(locks);
	return err;
}

int soft_qp_destroy(struct verbs_qp *vqp, struct soft_qp_locks locks,
		    void (*teardown)(struct verbs_qp *vqp))
{
	struct verbs_event_count raised;
	int err;

	err = verbs_cmd_destroy_qp(&vqp->qp, &raised);
	if (err)
		return err;
	teardown(vqp);
	verbs_wait_qp_acked(&vqp->qp, &raised);
	verbs_fini_qp(&vqp->qp);
	soft_qp_fini_locks(locks);
	return 0;
}
