/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce_msg_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/qp/uroce_completion.h"

static struct uroce_qp *rig_find_qp(void *arg, uint32_t qpn)
{
	const struct rig_end *end = arg;

	return uroce_engine_find_qp(&end->engine, qpn);
}

static void rig_ring_bell(struct uroce_msg_pair *pair)
{
	struct rig_end *end = pair->owner;

	end->nr_bells++;
}

static void rig_open_end(struct rig_end *end, uint32_t slot,
			 enum ibv_qp_type type)
{
	const struct uroce_engine_config engine = {
		.memory = &end->memory,
		.slot = slot,
		.seed = slot,
	};
	const struct uroce_msg_config config = {
		.core = &end->engine.core,
		.find_qp = rig_find_qp,
		.arg = end,
	};
	const struct uroce_region region = {
		.kind = UROCE_REGION_MEMORY,
		.base = end->bytes,
		.iova = RIG_IOVA,
		.bytes = sizeof(end->bytes),
		.pd = 1,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};
	const struct uroce_qp_config qp = {
		.type = type,
		.pd = 1,
		.sig_all = true,
		.max_send_wr = RIG_DEPTH,
		.max_send_sge = 1,
		.rq = &end->rq,
		.send_cq = &end->cq,
		.recv_cq = &end->cq,
	};

	uroce_memory_init(&end->memory, 7); /* equal keys at both ends */
	assert_int_equal(uroce_engine_init(&end->engine, &engine), 0);
	assert_int_equal(uroce_memory_add(&end->memory, &region, &end->key), 0);
	assert_int_equal(uroce_cq_init(&end->cq, 4 * RIG_DEPTH, false), 0);
	assert_int_equal(uroce_rq_init(&end->rq, RIG_DEPTH, 1, 1, false), 0);
	assert_int_equal(uroce_engine_new_qp(&end->engine, &qp, 0, &end->qp),
			 0);
	assert_int_equal(uroce_msg_open(&config, &end->transport), 0);
	uroce_msg_pair_init(&end->pair);
	end->pair.owner = end;
	end->pair.ring_bell = rig_ring_bell;
	uroce_msg_pair_add(end->transport, &end->pair);
}

/* A ring from @from to @to. */
static void rig_open_ring(struct rig_end *from, struct rig_end *to)
{
	int fd = uroce_msg_ring_create();

	assert_true(fd >= 0);
	assert_int_equal(uroce_msg_ring_open_receiver(fd, &to->pair.in), 0);
	assert_int_equal(uroce_msg_ring_open_sender(fd, &from->pair.out), 0);
	assert_int_equal(close(fd), 0);
}

static const struct rig_end *rig_peer(const struct rig *rig,
				      const struct rig_end *end)
{
	return end == &rig->left ? &rig->right : &rig->left;
}

/* Attributes of RC and UC, in the order of the states. */
static const int rig_masks[2][4] = {
	{ 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	  IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	  IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		  IBV_QP_MAX_QP_RD_ATOMIC },
	{ 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	  IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
	  IBV_QP_SQ_PSN },
};

void rig_modify(struct rig *rig, struct rig_end *end, enum ibv_qp_state to)
{
	const struct uroce_path path = {};
	const struct ibv_qp_attr attr = {
		.qp_state = to,
		.path_mtu = IBV_MTU_1024,
		.rq_psn = RIG_PSN,
		.sq_psn = RIG_PSN,
		.dest_qp_num = rig_peer(rig, end)->qp->qpn,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.ah_attr = { .is_global = 1 },
		.max_rd_atomic = 2,
		.max_dest_rd_atomic = 2,
		.min_rnr_timer = 1,
		.port_num = 1,
		.timeout = 14,
		.retry_cnt = 2,
		.rnr_retry = 1,
	};
	int mask = rig_masks[rig->type - IBV_QPT_RC][to] | IBV_QP_STATE;

	if (to == IBV_QPS_RTR)
		assert_int_equal(
			uroce_msg_attach(end->transport, &end->pair, end->qp),
			0);
	assert_int_equal(uroce_qp_modify(end->qp, &attr, mask, IBV_MTU_4096,
					 &path, rig->now),
			 0);
}

struct rig *rig_open_init(enum ibv_qp_type type)
{
	struct rig *rig = aligned_alloc(
		UROCE_CACHE_LINE, (sizeof(*rig) + UROCE_CACHE_LINE - 1) /
					  UROCE_CACHE_LINE * UROCE_CACHE_LINE);

	assert_non_null(rig);
	memset(rig, 0, sizeof(*rig));
	rig->type = type;
	rig->now = 1000;
	rig_open_end(&rig->left, 1, type);
	rig_open_end(&rig->right, 2, type);
	rig_open_ring(&rig->left, &rig->right);
	rig_open_ring(&rig->right, &rig->left);
	rig_modify(rig, &rig->left, IBV_QPS_INIT);
	rig_modify(rig, &rig->right, IBV_QPS_INIT);
	rig_modify(rig, &rig->left, IBV_QPS_RTR);
	rig_modify(rig, &rig->left, IBV_QPS_RTS);
	return rig;
}

struct rig *rig_open(enum ibv_qp_type type)
{
	struct rig *rig = rig_open_init(type);

	rig_modify(rig, &rig->right, IBV_QPS_RTR);
	rig_modify(rig, &rig->right, IBV_QPS_RTS);
	return rig;
}

static void rig_close_end(struct rig_end *end)
{
	uroce_engine_free_qp(&end->engine, end->qp, 0, 0);
	uroce_msg_pair_close(&end->pair);
	end->transport->ops->close(end->transport);
	uroce_rq_fini(&end->rq);
	uroce_cq_fini(&end->cq);
	uroce_engine_fini(&end->engine);
	uroce_memory_fini(&end->memory);
}

void rig_close(struct rig *rig)
{
	rig_close_end(&rig->left);
	rig_close_end(&rig->right);
	free(rig);
}

void rig_post(struct rig_end *end, enum ibv_wr_opcode opcode, uint32_t bytes)
{
	struct uroce_send_wqe *wqe = uroce_ring_vacant(&end->qp->sq);

	assert_non_null(wqe);
	wqe->opcode = (uint8_t)opcode;
	wqe->flags = 0;
	wqe->begun = false;
	wqe->status = IBV_WC_SUCCESS;
	wqe->length = bytes;
	wqe->nr_sge = bytes ? 1 : 0;
	wqe->imm = htobe32(7);
	wqe->remote.va = RIG_IOVA;
	wqe->remote.rkey = end->key; /* both ends have equal keys */
	wqe->remote.compare_add = 1;
	wqe->sge[0] = (struct ibv_sge){ RIG_IOVA, bytes, end->key };
	uroce_ring_put(&end->qp->sq);
	end->transport->ops->post(end->qp);
}

void rig_post_receive(struct rig_end *end, uint32_t bytes)
{
	struct uroce_recv_wqe *wqe = uroce_ring_vacant(&end->rq.ring);

	assert_non_null(wqe);
	wqe->length = bytes;
	wqe->nr_sge = 1;
	wqe->sge[0] = (struct ibv_sge){ RIG_IOVA, bytes, end->key };
	uroce_ring_put(&end->rq.ring);
}

unsigned int rig_poll(struct rig *rig, struct rig_end *end)
{
	unsigned int nr = end->transport->ops->poll(end->transport);

	uroce_core_apply_faults(&end->engine.core, rig->now);
	return nr;
}

unsigned int rig_progress(struct rig *rig, struct rig_end *end)
{
	unsigned int nr =
		end->transport->ops->progress(end->transport, rig->now, true);

	uroce_core_apply_faults(&end->engine.core, rig->now);
	return nr;
}

void rig_run(struct rig *rig)
{
	/* deferred responses are sent in the pass after */
	for (int quiet = 0; quiet < 3; quiet++)
		if (rig_progress(rig, &rig->left) +
		    rig_progress(rig, &rig->right))
			quiet = 0;
}

void rig_expect(struct rig_end *end, enum ibv_wc_opcode opcode,
		enum ibv_wc_status status)
{
	const struct uroce_cqe *cqe = uroce_ring_front(&end->cq.ring);

	assert_non_null(cqe);
	assert_int_equal(cqe->status, status);
	assert_int_equal(cqe->opcode, opcode);
	uroce_ring_take(&end->cq.ring);
}

void rig_expect_none(const struct rig_end *end)
{
	assert_null(uroce_ring_front(&end->cq.ring));
}

void rig_forge(struct rig *rig, const struct uroce_msg_entry *entry)
{
	struct uroce_msg_sender *out = &rig->left.pair.out;
	struct uroce_msg_entry *slot;

	assert_true(uroce_msg_ring_has_room(out));
	slot = uroce_msg_ring_begin(out);
	memcpy(&slot->type, &entry->type,
	       sizeof(*entry) - offsetof(struct uroce_msg_entry, type));
	uroce_msg_ring_commit(out, slot, false);
}
