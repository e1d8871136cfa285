// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: CQs of one end in its process. Called by
 * node_execute().
 */
#include "conform_call.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static struct ibv_comp_channel *node_cq_channel(struct node *node,
						const struct call *call)
{
	return node_ptr(node, call->channel, OBJECT_CHANNEL);
}

static void node_cq_add(struct node *node, const struct call *call,
			struct ibv_cq *cq, struct reply *reply)
{
	struct object *object = node_add(node, reply, OBJECT_CQ, cq);

	if (!object)
		return;
	object->has_channel = node_cq_channel(node, call);
	reply->nr = cq->cqe;
}

void node_cq_new(struct node *node, const struct call *call,
		 struct reply *reply)
{
	struct ibv_cq *cq = ibv_create_cq(node->ctx, call->nr,
					  (void *)(intptr_t)node->nr_objects,
					  node_cq_channel(node, call), 0);

	node_cq_add(node, call, cq, reply);
}

void node_cq_new_ex(struct node *node, const struct call *call,
		    struct reply *reply)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = (uint32_t)call->nr,
		.cq_context = (void *)(intptr_t)node->nr_objects,
		.channel = node_cq_channel(node, call),
		.wc_flags = call->length,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(node->ctx, &attr);

	node_cq_add(node, call, cq ? ibv_cq_ex_to_cq(cq) : NULL, reply);
	if (cq)
		node->object[reply->object].wc_flags = call->length;
}

void node_cq_resize(struct node *node, const struct call *call,
		    struct reply *reply)
{
	struct ibv_cq *cq = node_ptr(node, call->object, OBJECT_CQ);

	reply->error = node_errno(ibv_resize_cq(cq, call->nr));
	reply->nr = cq ? cq->cqe : 0;
}

/* -- extended polling -- */

static struct wc_ex node_wc_read(struct ibv_cq_ex *cq, uint64_t wc_flags)
{
	struct wc_ex ex = {
		.wc = {
			.wr_id = cq->wr_id,
			.status = cq->status,
			.vendor_err = ibv_wc_read_vendor_err(cq),
		},
	};

	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		ex.wc.qp_num = ibv_wc_read_qp_num(cq);
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		ex.timestamp = ibv_wc_read_completion_ts(cq);
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		ex.wallclock_ns = ibv_wc_read_completion_wallclock_ns(cq);
	if (cq->status != IBV_WC_SUCCESS)
		return ex;
	ex.wc.opcode = ibv_wc_read_opcode(cq);
	ex.wc.wc_flags = ibv_wc_read_wc_flags(cq);
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		ex.wc.byte_len = ibv_wc_read_byte_len(cq);
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		ex.wc.imm_data = ibv_wc_read_imm_data(cq);
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		ex.wc.src_qp = ibv_wc_read_src_qp(cq);
	return ex;
}

/* One batch of completions; errno value. */
static int node_cq_read_batch(struct ibv_cq_ex *cq, uint64_t wc_flags, int nr,
			      struct reply *reply)
{
	struct ibv_poll_cq_attr attr = {};
	int err = ibv_start_poll(cq, &attr);

	if (err)
		return err;
	do {
		reply->wc_ex[reply->nr++] = node_wc_read(cq, wc_flags);
	} while (reply->nr < nr && !(err = ibv_next_poll(cq)));
	ibv_end_poll(cq);
	return err;
}

void node_cq_poll_ex(struct node *node, const struct call *call,
		     struct reply *reply)
{
	struct object *object = node_object(node, call->object, OBJECT_CQ);
	uint64_t end = node_deadline(call->ms);
	bool is_last = false;
	int err = 0;

	if (!object || !object->wc_flags || call->nr < 1 ||
	    call->nr > CALL_MAX_WC) {
		reply->error = EBADF;
		return;
	}
	for (unsigned int polls = 0;; polls++) {
		err = node_cq_read_batch(object->ptr, object->wc_flags,
					 call->nr, reply);
		if (reply->nr || err != ENOENT || is_last)
			break;
		node_pause(polls);
		is_last = node_ms_left(end) == 0;
	}
	reply->error = err == ENOENT ? 0 : err;
}

/* -- acknowledgement of events -- */

void node_cq_ack(struct node *node, const struct call *call,
		 struct reply *reply)
{
	struct ibv_cq *cq = node_ptr(node, call->object, OBJECT_CQ);

	if (cq)
		ibv_ack_cq_events(cq, (unsigned int)call->nr);
	else
		reply->error = EBADF;
}

struct node_cq_end {
	struct ibv_cq *cq;
	int result;
	bool ended;
};

static void *node_cq_destroy_run(void *arg)
{
	struct node_cq_end *end = arg;

	end->result = node_errno(ibv_destroy_cq(end->cq));
	__atomic_store_n(&end->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

void node_cq_destroy_acking(struct node *node, const struct call *call,
			    struct reply *reply)
{
	struct object *object = node_object(node, call->object, OBJECT_CQ);
	struct node_cq_end end = {};
	pthread_t thread;

	if (!object) {
		reply->error = EBADF;
		return;
	}
	end.cq = object->ptr;
	reply->error = pthread_create(&thread, NULL, node_cq_destroy_run, &end);
	if (reply->error)
		return;
	usleep((useconds_t)call->ms * 1000);
	reply->nr = !__atomic_load_n(&end.ended, __ATOMIC_ACQUIRE);
	if (reply->nr) /* else the CQ does not exist any more */
		ibv_ack_cq_events(end.cq, (unsigned int)call->nr);
	(void)pthread_join(thread, NULL);
	reply->error = end.result;
	if (!end.result) {
		free(object->kept);
		*object = (struct object){};
	}
}
