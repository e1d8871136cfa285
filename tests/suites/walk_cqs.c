/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stage of completion queues and shared receive queues. */
#include <errno.h>
#include <stdint.h>

#include "provider_walk.h"

static void make_cq(struct walk *w)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 4, .cq_period = 8 },
	};
	struct ibv_wc wc;

	errno = 0;
	w->channel = ibv_create_comp_channel(w->context);
	(void)walk_made("create_comp_channel", w->channel);
	errno = 0;
	w->cq = ibv_create_cq(w->context, 60, w, w->channel, 1);
	if (!walk_made("create_cq", w->cq))
		return;
	walk_say("cq", "%d %d", w->cq->cqe >= 60, w->cq->cq_context == w);
	walk_say("poll_cq", "%d", ibv_poll_cq(w->cq, 1, &wc));
	errno = 0;
	(void)walk_done("req_notify_cq", ibv_req_notify_cq(w->cq, 1));
	errno = 0;
	(void)walk_done("modify_cq", ibv_modify_cq(w->cq, &attr));
	errno = 0;
	(void)walk_done("resize_cq", ibv_resize_cq(w->cq, 120));
	walk_say("poll_resized_cq", "%d", ibv_poll_cq(w->cq, 1, &wc));
}

static void make_cq_ex(struct walk *w)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 30,
		.cq_context = w,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_poll_cq_attr poll_attr = {};
	struct ibv_cq_ex *stamped;

	errno = 0;
	w->cq_ex = ibv_create_cq_ex(w->context, &attr);
	if (walk_made("create_cq_ex", w->cq_ex)) {
		errno = 0;
		(void)walk_done("start_poll",
				ibv_start_poll(w->cq_ex, &poll_attr));
	}
	attr.wc_flags |= IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	errno = 0;
	stamped = ibv_create_cq_ex(w->context, &attr);
	(void)walk_made("create_cq_stamped", stamped);
	if (stamped)
		(void)walk_done("destroy_cq_stamped",
				ibv_destroy_cq(ibv_cq_ex_to_cq(stamped)));
}

static void make_srq(struct walk *w)
{
	struct ibv_srq_init_attr init = {
		.srq_context = w,
		.attr = { .max_wr = 20, .max_sge = 2 },
	};
	struct ibv_srq_attr attr = { .srq_limit = 3 };
	struct ibv_sge sge = { .addr = (uintptr_t)w->buffer, .length = 64 };
	struct ibv_recv_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	errno = 0;
	w->srq = ibv_create_srq(w->pd, &init);
	if (!walk_made("create_srq", w->srq))
		return;
	walk_say("srq", "%d %d", init.attr.max_wr >= 20,
		 init.attr.max_sge >= 2);
	errno = 0;
	(void)walk_done("modify_srq",
			ibv_modify_srq(w->srq, &attr, IBV_SRQ_LIMIT));
	errno = 0;
	if (walk_done("query_srq", ibv_query_srq(w->srq, &attr)))
		walk_say("srq_attr", "%d", attr.srq_limit);
	sge.lkey = w->mr ? w->mr->lkey : 0;
	errno = 0;
	(void)walk_done("post_srq_recv", ibv_post_srq_recv(w->srq, &wr, &bad));
}

static void make_xrc_srq(struct walk *w)
{
	struct ibv_srq_init_attr_ex attr = {
		.srq_context = w,
		.attr = { .max_wr = 20, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = w->pd,
		.xrcd = w->xrcd,
		.cq = w->cq,
	};
	uint32_t number = 0;

	if (!w->xrcd || !w->cq) {
		walk_skip("create_xrc_srq");
		return;
	}
	errno = 0;
	w->xrc_srq = ibv_create_srq_ex(w->context, &attr);
	if (!walk_made("create_xrc_srq", w->xrc_srq))
		return;
	errno = 0;
	if (walk_done("get_srq_num", ibv_get_srq_num(w->xrc_srq, &number)))
		walk_say("srq_num", "%d", number != 0);
}

void walk_make_cqs(struct walk *w)
{
	make_cq(w);
	make_cq_ex(w);
	if (!w->pd)
		return;
	make_srq(w);
	make_xrc_srq(w);
}

void walk_drop_cqs(struct walk *w)
{
	struct ibv_cq *cq_ex = w->cq_ex ? ibv_cq_ex_to_cq(w->cq_ex) : NULL;

	WALK_DROP("destroy_xrc_srq", w->xrc_srq, ibv_destroy_srq);
	WALK_DROP("destroy_srq", w->srq, ibv_destroy_srq);
	WALK_DROP("destroy_cq_ex", cq_ex, ibv_destroy_cq);
	WALK_DROP("destroy_cq", w->cq, ibv_destroy_cq);
	WALK_DROP("destroy_comp_channel", w->channel, ibv_destroy_comp_channel);
}
