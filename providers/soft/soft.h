/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Control-path code that the providers of the kernel's software devices, rxe
 * and siw, have in common. The source files are compiled into both providers.
 *
 * Some functions have the signature of an op and go into the op table as they
 * are. The others perform the steps that do not depend on the driver: create
 * the object in the kernel, let the provider map the rings that the driver's
 * response describes, and undo the finished steps on failure. Nothing in this
 * folder is called on the data path.
 *
 * A provider allocates its own object (zeroed), which contains the verbs object
 * and the spinlocks, and frees it when a create function fails or a destroy
 * function succeeds.
 */
#ifndef SOFT_H
#define SOFT_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <provider/provider.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- soft_device.c -- */

/**
 * soft_open_context() - open a context of a kernel device
 * @size: bytes of the provider's context, which begins with a verbs_context
 * @udata: driver-specific part of the command, or NULL
 * @ops: op table of the provider
 *
 * verbs_context_free() undoes it.
 *
 * Return: 0, -ENOMEM, or the error of the command.
 */
int soft_open_context(struct verbs_device *dev, struct verbs_cmd_file cmd_file,
		      size_t size, const struct verbs_udata *udata,
		      const struct verbs_context_ops *ops,
		      struct verbs_context **ret_vctx);

/* query_device op. */
int soft_query_device(struct ibv_context *ctx,
		      const struct ibv_query_device_ex_input *input,
		      struct ibv_device_attr_ex *attr, size_t attr_size);

/* -- soft_memory.c -- */

/* alloc_pd and dealloc_pd ops, for a driver without data of its own. */
int soft_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd);
int soft_dealloc_pd(struct ibv_pd *pd);

/**
 * soft_reg_mr() - register a memory region
 * @udata: driver-specific part of the command, or NULL
 *
 * The other parameters are those of the reg_mr op.
 */
int soft_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
		int access, const struct verbs_udata *udata,
		struct ibv_mr **ret_mr);

/* dereg_mr op, for every kind of memory region that malloc() allocated. */
int soft_dereg_mr(struct verbs_mr *vmr);

/* -- soft_cq.c -- */

/**
 * soft_cq_check_attr() - check the attributes of a CQ to be created
 * @extended: the CQ is an ibv_cq_ex, so attr->wc_flags is valid
 * @wc_flags: completion fields that the provider supports
 *
 * Return: 0, or -EOPNOTSUPP.
 */
int soft_cq_check_attr(const struct ibv_cq_init_attr_ex *attr, bool extended,
		       uint64_t wc_flags);

/** soft_cq_is_single_threaded() - test for a CQ that needs no lock */
bool soft_cq_is_single_threaded(const struct ibv_cq_init_attr_ex *attr);

/**
 * soft_cq_create() - create a CQ in the kernel and map its ring
 * @vcq: zeroed
 * @lock: lock of the CQ; initialized here
 * @udata: driver-specific part of the command
 * @setup: called after the command has succeeded. It maps the ring that the
 *	response in @udata describes. When it fails it leaves nothing mapped.
 *
 * A failure undoes every step; the caller frees the memory of the CQ.
 *
 * Return: 0, or the error of the command or of @setup.
 */
int soft_cq_create(struct ibv_context *ctx,
		   const struct ibv_cq_init_attr_ex *attr, struct verbs_cq *vcq,
		   pthread_spinlock_t *lock, const struct verbs_udata *udata,
		   int (*setup)(struct verbs_cq *vcq, const void *resp));

/**
 * soft_cq_destroy() - destroy a CQ
 * @teardown: undoes setup(); called after the command has succeeded
 *
 * Context: blocks until every event of the CQ is acknowledged.
 * Return: 0, then the caller frees the CQ; or the error of the command, then
 * the CQ is unchanged.
 */
int soft_cq_destroy(struct verbs_cq *vcq, pthread_spinlock_t *lock,
		    void (*teardown)(struct verbs_cq *vcq));

/* -- soft_srq.c -- */

/**
 * soft_srq_create() - create an SRQ in the kernel and map its ring
 * @vsrq: zeroed
 * @setup: as for soft_cq_create(); it also stores the real size in @attr
 *
 * The other parameters and the return value are those of soft_cq_create().
 */
int soft_srq_create(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr,
		    struct verbs_srq *vsrq, pthread_spinlock_t *lock,
		    const struct verbs_udata *udata,
		    int (*setup)(struct verbs_srq *vsrq, const void *resp,
				 struct ibv_srq_init_attr_ex *attr));

/** soft_srq_destroy() - destroy an SRQ; see soft_cq_destroy() */
int soft_srq_destroy(struct verbs_srq *vsrq, pthread_spinlock_t *lock,
		     void (*teardown)(struct verbs_srq *vsrq));

/* -- soft_qp.c -- */

/* The locks of a QP's two queues, which are members of the provider's QP. */
struct soft_qp_locks {
	pthread_spinlock_t *sq;
	pthread_spinlock_t *rq;
};

/**
 * soft_qp_check_attr() - check the attributes of a QP to be created
 * @supported: enum ibv_qp_init_attr_mask that the provider supports
 *
 * Return: 0; -EOPNOTSUPP for an attribute outside @supported; -EINVAL when the
 * PD is missing.
 */
static inline int soft_qp_check_attr(const struct ibv_qp_init_attr_ex *attr,
				     uint32_t supported)
{
	if (attr->comp_mask & ~supported)
		return -EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd)
		return -EINVAL;
	return 0;
}

/**
 * soft_qp_create() - create a QP in the kernel and map its rings
 * @vqp: zeroed
 * @setup: as for soft_cq_create(); it also stores the real sizes in @attr
 *
 * The other parameters and the return value are those of soft_cq_create().
 */
int soft_qp_create(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
		   struct verbs_qp *vqp, struct soft_qp_locks locks,
		   const struct verbs_udata *udata,
		   int (*setup)(struct verbs_qp *vqp, const void *resp,
				struct ibv_qp_init_attr_ex *attr));

/** soft_qp_destroy() - destroy a QP; see soft_cq_destroy() */
int soft_qp_destroy(struct verbs_qp *vqp, struct soft_qp_locks locks,
		    void (*teardown)(struct verbs_qp *vqp));

#endif
