/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_cq_ex.h. */
#include "layers/fault/fault_cq_ex.h"

#include <endian.h>
#include <stdlib.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_events.h"
#include "util/lock.h"

struct fault_cq_ex {
	/*
	 * Held from start_poll to end_poll, unless the program promises to poll
	 * in one thread at a time.
	 */
	struct verbs_mutex mutex;
	bool is_single_threaded;
	struct ibv_wc wc; /* the current completion */
};

static struct fault_cq_ex *cq_ex_of(const struct ibv_cq_ex *cq)
{
	return fault_object_find(cq)->cq_ex;
}

static void cq_ex_lock(struct fault_cq_ex *cq_ex)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	if (!cq_ex->is_single_threaded)
		verbs_mutex_lock(&cq_ex->mutex);
}

static void cq_ex_unlock(struct fault_cq_ex *cq_ex)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	if (!cq_ex->is_single_threaded)
		verbs_mutex_unlock(&cq_ex->mutex);
}

/* Return: 0, ENOENT, or EIO if the provider cannot poll. */
static int cq_ex_fetch(struct fault_cq_ex *cq_ex, struct ibv_cq_ex *cq)
{
	int nr = fault_poll_cq(ibv_cq_ex_to_cq(cq), 1, &cq_ex->wc);

	if (nr != 1)
		return nr == 0 ? ENOENT : EIO;
	cq->wr_id = cq_ex->wc.wr_id;
	cq->status = cq_ex->wc.status;
	return 0;
}

static int cq_ex_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	struct fault_cq_ex *cq_ex = cq_ex_of(cq);
	int ret;

	if (attr->comp_mask)
		return EINVAL;
	cq_ex_lock(cq_ex);
	ret = cq_ex_fetch(cq_ex, cq);
	if (ret)
		cq_ex_unlock(cq_ex);
	return ret;
}

static int cq_ex_next_poll(struct ibv_cq_ex *cq)
{
	return cq_ex_fetch(cq_ex_of(cq), cq);
}

static void cq_ex_end_poll(struct ibv_cq_ex *cq)
{
	cq_ex_unlock(cq_ex_of(cq));
}

/* ------------------------------------------------------------------------ */
/* Members of the current completion                                         */
/* ------------------------------------------------------------------------ */

static enum ibv_wc_opcode cq_ex_read_opcode(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.opcode;
}

static uint32_t cq_ex_read_vendor_err(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.vendor_err;
}

static uint32_t cq_ex_read_byte_len(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.byte_len;
}

/* ibv_wc_read_invalidated_rkey() takes the key from here, in that order. */
static __be32 cq_ex_read_imm_data(struct ibv_cq_ex *cq)
{
	const struct ibv_wc *wc = &cq_ex_of(cq)->wc;

	return wc->wc_flags & IBV_WC_WITH_INV ? htobe32(wc->invalidated_rkey)
					      : wc->imm_data;
}

static uint32_t cq_ex_read_qp_num(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.qp_num;
}

static uint32_t cq_ex_read_src_qp(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.src_qp;
}

static unsigned int cq_ex_read_wc_flags(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.wc_flags;
}

static uint32_t cq_ex_read_slid(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.slid;
}

static uint8_t cq_ex_read_sl(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.sl;
}

static uint8_t cq_ex_read_dlid_path_bits(struct ibv_cq_ex *cq)
{
	return cq_ex_of(cq)->wc.dlid_path_bits;
}

static void cq_ex_replace_functions(struct ibv_cq_ex *cq)
{
	LAYERS_REPLACE(cq, cq_ex, start_poll);
	LAYERS_REPLACE(cq, cq_ex, next_poll);
	LAYERS_REPLACE(cq, cq_ex, end_poll);
	LAYERS_REPLACE(cq, cq_ex, read_opcode);
	LAYERS_REPLACE(cq, cq_ex, read_vendor_err);
	LAYERS_REPLACE(cq, cq_ex, read_byte_len);
	LAYERS_REPLACE(cq, cq_ex, read_imm_data);
	LAYERS_REPLACE(cq, cq_ex, read_qp_num);
	LAYERS_REPLACE(cq, cq_ex, read_src_qp);
	LAYERS_REPLACE(cq, cq_ex, read_wc_flags);
	LAYERS_REPLACE(cq, cq_ex, read_slid);
	LAYERS_REPLACE(cq, cq_ex, read_sl);
	LAYERS_REPLACE(cq, cq_ex, read_dlid_path_bits);
}

void fault_cq_ex_watch(struct fault_object *object, struct ibv_cq_ex *cq,
		       const struct ibv_cq_init_attr_ex *attr)
{
	if (!cq->start_poll || !fault_polls_are_events())
		return;
	object->is_opaque = attr->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS;
	if (object->is_opaque)
		return;
	object->cq_ex = calloc(1, sizeof(*object->cq_ex));
	if (!object->cq_ex) {
		object->is_opaque = true;
		return;
	}
	(void)pthread_mutex_init(&object->cq_ex->mutex.mutex, NULL);
	object->cq_ex->is_single_threaded =
		(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
		(attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	cq_ex_replace_functions(cq);
}

void fault_cq_ex_free(struct fault_cq_ex *cq_ex)
{
	if (cq_ex)
		(void)pthread_mutex_destroy(&cq_ex->mutex.mutex);
	free(cq_ex);
}
