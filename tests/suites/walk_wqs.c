/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stage of work queues, receive side scaling, raw packets and flows. */
#include <errno.h>
#include <string.h>

#include "provider_walk.h"

static void make_wq(struct walk *w)
{
	struct ibv_wq_init_attr init = {
		.wq_context = w,
		.wq_type = IBV_WQT_RQ,
		.max_wr = 16,
		.max_sge = 1,
		.pd = w->pd,
		.cq = w->cq,
	};
	struct ibv_wq_attr attr = {
		.attr_mask = IBV_WQ_ATTR_STATE,
		.wq_state = IBV_WQS_RDY,
	};

	errno = 0;
	w->wq = ibv_create_wq(w->context, &init);
	if (!walk_made("create_wq", w->wq))
		return;
	walk_say("wq", "%d %d", w->wq->wq_num != 0, w->wq->wq_type);
	errno = 0;
	(void)walk_done("modify_wq", ibv_modify_wq(w->wq, &attr));
}

static void make_rss(struct walk *w)
{
	struct ibv_rwq_ind_table_init_attr table = {
		.log_ind_tbl_size = 0,
		.ind_tbl = &w->wq,
	};
	static uint8_t key[40];
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_RX_HASH |
			     IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = w->pd,
		.rx_hash_conf = {
			.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
			.rx_hash_key_len = sizeof(key),
			.rx_hash_key = key,
			.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 |
					       IBV_RX_HASH_DST_IPV4,
		},
	};

	if (!w->wq) {
		walk_skip("create_rwq_ind_table");
		return;
	}
	errno = 0;
	w->table = ibv_create_rwq_ind_table(w->context, &table);
	if (!walk_made("create_rwq_ind_table", w->table))
		return;
	attr.rwq_ind_tbl = w->table;
	errno = 0;
	w->rss = ibv_create_qp_ex(w->context, &attr);
	(void)walk_made("create_rss_qp", w->rss);
}

/* The specification follows the attributes without a gap. */
static void make_flow(struct walk *w)
{
	const struct ibv_flow_spec_eth eth = {
		.type = IBV_FLOW_SPEC_ETH,
		.size = sizeof(eth),
		.val = { .dst_mac = { 2, 0, 0, 0, 0, 1 } },
		.mask = { .dst_mac = { 255, 255, 255, 255, 255, 255 } },
	};
	union {
		struct ibv_flow_attr attr;
		char bytes[sizeof(struct ibv_flow_attr) + sizeof(eth)];
	} flow = {
		.attr = {
			.type = IBV_FLOW_ATTR_NORMAL,
			.size = sizeof(flow.bytes),
			.num_of_specs = 1,
			.port = 1,
		},
	};

	memcpy(flow.bytes + sizeof(flow.attr), &eth, sizeof(eth));
	errno = 0;
	w->flow = ibv_create_flow(w->raw, &flow.attr);
	(void)walk_made("create_flow", w->flow);
}

static void make_raw(struct walk *w)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = w->cq,
		.recv_cq = w->cq,
		.cap = {
			.max_send_wr = 8,
			.max_recv_wr = 8,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RAW_PACKET,
	};
	errno = 0;
	w->raw = ibv_create_qp(w->pd, &attr);
	if (!walk_made("create_raw_qp", w->raw))
		return;
	make_flow(w);
}

void walk_make_wqs(struct walk *w)
{
	if (!w->pd || !w->cq)
		return;
	make_wq(w);
	make_rss(w);
	make_raw(w);
}

void walk_drop_wqs(struct walk *w)
{
	WALK_DROP("destroy_flow", w->flow, ibv_destroy_flow);
	WALK_DROP("destroy_raw_qp", w->raw, ibv_destroy_qp);
	WALK_DROP("destroy_rss_qp", w->rss, ibv_destroy_qp);
	WALK_DROP("destroy_rwq_ind_table", w->table, ibv_destroy_rwq_ind_table);
	WALK_DROP("destroy_wq", w->wq, ibv_destroy_wq);
}
