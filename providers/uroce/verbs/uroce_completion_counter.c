/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion counters: ibv_create_comp_cntr(3). Reading a number that has not
 * changed makes progress, as polling an empty CQ does.
 */
#include <errno.h>
#include <stdlib.h>

#include "uroce/verbs/uroce_completion_counter.h"
#include "uroce/verbs/uroce_take.h"

int uroce_query_comp_cntr_caps(struct ibv_context *ctx,
			       struct ibv_comp_cntr_caps *ret_caps)
{
	*ret_caps = (struct ibv_comp_cntr_caps){
		.max_value = UINT64_MAX,
		.max_counters = UROCE_MAX_COMP_CNTRS,
		.supported_qp_attach_ops = (1u << UROCE_NR_COUNTED_OPS) - 1,
	};
	return 0;
}

int uroce_create_comp_cntr(struct ibv_context *ibctx,
			   struct ibv_comp_cntr_init_attr *attr,
			   struct ibv_comp_cntr **ret_cntr)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	struct uroce_completion_counter *cntr;

	if (__atomic_add_fetch(&ctx->nr_comp_cntrs, 1, __ATOMIC_SEQ_CST) >
	    UROCE_MAX_COMP_CNTRS)
		goto err_count;
	cntr = uroce_object_new(sizeof(*cntr));
	if (!cntr)
		goto err_count;
	cntr->counter.in_bytes = attr->type == IBV_COMP_CNTR_TYPE_BYTES;
	cntr->cntr.context = ibctx;
	cntr->cntr.handle = uroce_handle_new();
	cntr->identity = (struct uroce_identity){ ibctx, cntr->cntr.handle };
	*ret_cntr = &cntr->cntr;
	return 0;

err_count:
	(void)uroce_unuse(&ctx->nr_comp_cntrs);
	return -ENOMEM;
}

int uroce_destroy_comp_cntr(struct ibv_comp_cntr *ibcntr)
{
	struct uroce_completion_counter *cntr = to_uroce_comp_cntr(ibcntr);
	int ret = uroce_check_comp_cntr(ibcntr);

	if (ret)
		return ret;
	if (uroce_in_use(&cntr->counter.nr_uses))
		return -EBUSY;
	(void)uroce_unuse(&to_uroce_context(ibcntr->context)->nr_comp_cntrs);
	free(cntr);
	return 0;
}

/* With uroce_instance_lock(). */
static void bind_counter(struct uroce_completion_counter *cntr,
			 struct uroce_worker *worker)
{
	if (cntr->attached && cntr->worker != worker)
		worker = NULL;
	cntr->attached = true;
	__atomic_store_n(&cntr->worker, worker, __ATOMIC_RELAXED);
}

int uroce_qp_attach_comp_cntr(struct ibv_qp *ibqp, struct ibv_comp_cntr *ibcntr,
			      struct ibv_qp_attach_comp_cntr_attr *attr)
{
	struct uroce_completion_counter *cntr = to_uroce_comp_cntr(ibcntr);
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	int ret = uroce_check_qp(ibqp);

	if (ret == 0)
		ret = uroce_check_comp_cntr(ibcntr);
	if (ret)
		return ret;
	if (!attr->op_mask)
		return -EINVAL;
	uroce_instance_lock(qp->ctx->instance);
	ret = uroce_comp_cntr_attach(qp->qp, &cntr->counter, attr->op_mask);
	if (ret == 0)
		bind_counter(cntr, qp->worker);
	uroce_instance_unlock(qp->ctx->instance);
	return ret;
}

static enum uroce_pass
counter_progress(const struct uroce_completion_counter *cntr)
{
	struct uroce_worker *worker =
		__atomic_load_n(&cntr->worker, __ATOMIC_RELAXED);
	const struct uroce_context *ctx = to_uroce_context(cntr->cntr.context);

	return worker ? uroce_worker_poll(worker)
		      : uroce_instance_poll(ctx->instance);
}

/* Whether a number has changed since the last call. */
static bool counter_changed(struct uroce_completion_counter *cntr)
{
	uint64_t sum =
		__atomic_load_n(&cntr->counter.completed, __ATOMIC_RELAXED) +
		__atomic_load_n(&cntr->counter.failed, __ATOMIC_RELAXED);

	if (sum == __atomic_load_n(&cntr->last_read, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&cntr->last_read, sum, __ATOMIC_RELAXED);
	return true;
}

/* @value: completed or failed of @ibcntr */
static int counter_read(struct ibv_comp_cntr *ibcntr, const uint64_t *value,
			uint64_t *ret_value)
{
	struct uroce_completion_counter *cntr = to_uroce_comp_cntr(ibcntr);
	enum uroce_pass pass = UROCE_PASS_FOUND;
	int ret = uroce_check_comp_cntr(ibcntr);

	if (ret)
		return ret;
	if (!counter_changed(cntr)) {
		uroce_poll_yield(&cntr->in_vain);
		pass = counter_progress(cntr);
		if (counter_changed(cntr))
			pass = UROCE_PASS_FOUND;
	}
	uroce_polled(&cntr->in_vain, pass);
	*ret_value = __atomic_load_n(value, __ATOMIC_ACQUIRE);
	return 0;
}

static int counter_set(struct ibv_comp_cntr *ibcntr, uint64_t *value,
		       uint64_t new_value)
{
	int ret = uroce_check_comp_cntr(ibcntr);

	if (ret == 0)
		__atomic_store_n(value, new_value, __ATOMIC_RELEASE);
	return ret;
}

static int counter_inc(struct ibv_comp_cntr *ibcntr, uint64_t *value,
		       uint64_t amount)
{
	int ret = uroce_check_comp_cntr(ibcntr);

	if (ret == 0)
		(void)__atomic_fetch_add(value, amount, __ATOMIC_RELEASE);
	return ret;
}

int uroce_read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value)
{
	return counter_read(cntr, &to_uroce_comp_cntr(cntr)->counter.completed,
			    ret_value);
}

int uroce_set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return counter_set(cntr, &to_uroce_comp_cntr(cntr)->counter.completed,
			   value);
}

int uroce_inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return counter_inc(cntr, &to_uroce_comp_cntr(cntr)->counter.completed,
			   amount);
}

int uroce_read_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value)
{
	return counter_read(cntr, &to_uroce_comp_cntr(cntr)->counter.failed,
			    ret_value);
}

int uroce_set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return counter_set(cntr, &to_uroce_comp_cntr(cntr)->counter.failed,
			   value);
}

int uroce_inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return counter_inc(cntr, &to_uroce_comp_cntr(cntr)->counter.failed,
			   amount);
}
