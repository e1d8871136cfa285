// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The queues of a pingpong: see pingpong.h. Queue pairs go from RESET to INIT
 * when they are made, and to RTR and RTS once the other side is known.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pingpong.h"
#include "tools/tool_queue.h"

static int open_cq(struct pp_world *world)
{
	const struct pp_options *options = world->options;
	uint32_t entries = options->rx_depth + options->nr_qps;
	struct ibv_cq_init_attr_ex attr = {
		.cqe = entries,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};

	if (options->events) {
		world->channel = ibv_create_comp_channel(world->context);
		if (!world->channel)
			return tool_failed("create completion channel");
	}
	attr.channel = world->channel;
	if (!options->timestamps) {
		world->cq = ibv_create_cq(world->context, entries, NULL,
					  world->channel, 0);
	} else if (!world->device.completion_timestamp_mask) {
		fprintf(stderr, "The device isn't completion timestamp "
				"capable\n");
		return -EOPNOTSUPP;
	} else {
		struct ibv_cq_ex *cq = ibv_create_cq_ex(world->context, &attr);

		world->cq = cq ? ibv_cq_ex_to_cq(cq) : NULL;
	}
	return world->cq ? 0 : tool_failed("create CQ");
}

static int open_srq(struct pp_world *world)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = world->options->rx_depth, .max_sge = 1 },
	};

	world->srq = ibv_create_srq(world->pd, &attr);
	return world->srq ? 0 : tool_failed("create SRQ");
}

static int make_qp(struct pp_world *world, struct pp_qp *qp)
{
	const struct pp_options *options = world->options;
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = world->cq,
		.recv_cq = world->cq,
		.srq = world->srq,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = world->srq ? 0 : options->rx_depth,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = world->kind->type,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = world->pd,
	};

	if (options->new_send) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND;
	}
	qp->qp = ibv_create_qp_ex(world->context, &attr);
	if (!qp->qp)
		return tool_failed("create QP");
	if (options->new_send)
		qp->qp_ex = ibv_qp_to_qp_ex(qp->qp);
	/* all queue pairs are alike, and device memory is not for the CPU */
	if (attr.cap.max_inline_data >= options->size && !world->dm)
		world->send_flags |= IBV_SEND_INLINE;
	return 0;
}

static int to_init(const struct pp_world *world, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = world->options->ib_port,
		.qkey = PP_UD_QKEY,
	};
	bool ud = world->kind->type == IBV_QPT_UD;
	int ret =
		ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));

	if (ret)
		fprintf(stderr, "Failed to modify QP to INIT: %s\n",
			strerror(ret));
	return ret ? -EIO : 0;
}

/* The GID and LID of all queue pairs; each has a QPN and PSN of its own. */
static int choose_addresses(struct pp_world *world)
{
	const struct pp_options *options = world->options;
	int ret;

	world->end = (struct tool_end){ .port = options->ib_port,
					.sl = options->sl,
					.gid_index = options->gid_index };
	ret = tool_end_find(world->context, &world->port, &world->end);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < options->nr_qps; i++)
		world->local[i] = (struct pp_address){
			.lid = world->end.lid,
			.qpn = world->qps[i].qp->qp_num,
			.psn = tool_psn(),
			.gid = world->end.gid,
		};
	return 0;
}

int pp_queues_open(struct pp_world *world)
{
	int ret = open_cq(world);

	if (ret == 0 && world->kind->srq)
		ret = open_srq(world);
	if (ret)
		return ret;
	world->qps = calloc(world->options->nr_qps, sizeof(*world->qps));
	if (!world->qps)
		return tool_failed("create QP");
	for (uint32_t i = 0; i < world->options->nr_qps; i++) {
		ret = make_qp(world, &world->qps[i]);
		if (ret == 0)
			ret = to_init(world, world->qps[i].qp);
		if (ret)
			return ret;
	}
	return choose_addresses(world);
}

static int to_ready(const struct pp_world *world, struct ibv_qp *qp,
		    uint32_t local_psn, const struct pp_address *remote)
{
	enum ibv_qp_type type = world->kind->type;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = tool_mtu(world->options->mtu),
		.dest_qp_num = remote->qpn,
		.rq_psn = remote->psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = TOOL_RNR_TIMER,
		.ah_attr = tool_route(&world->end, remote->lid, &remote->gid),
	};
	int mask = IBV_QP_STATE, ret;

	if (type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	ret = ibv_modify_qp(qp, &attr, mask);
	if (ret) {
		fprintf(stderr, "Failed to modify QP to RTR: %s\n",
			strerror(ret));
		return -EIO;
	}
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = local_psn;
	attr.timeout = TOOL_TIMEOUT;
	attr.retry_cnt = TOOL_RETRIES;
	attr.rnr_retry = TOOL_RNR_ENDLESS;
	attr.max_rd_atomic = 1;
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	ret = ibv_modify_qp(qp, &attr, mask);
	if (ret)
		fprintf(stderr, "Failed to modify QP to RTS: %s\n",
			strerror(ret));
	return ret ? -EIO : 0;
}

int pp_queues_connect(struct pp_world *world)
{
	for (uint32_t i = 0; i < world->options->nr_qps; i++) {
		const struct pp_address *remote = &world->remote[i];
		struct pp_qp *qp = &world->qps[i];
		int ret = to_ready(world, qp->qp, world->local[i].psn, remote);

		if (ret)
			return ret;
		if (world->kind->type == IBV_QPT_UD) {
			struct ibv_ah_attr attr = tool_route(
				&world->end, remote->lid, &remote->gid);

			qp->ah = ibv_create_ah(world->pd, &attr);
			if (!qp->ah)
				return tool_failed("create AH");
		}
	}
	return 0;
}

int pp_queues_close(struct pp_world *world)
{
	int bad = 0;

	for (uint32_t i = 0; world->qps && i < world->options->nr_qps; i++) {
		if (world->qps[i].qp)
			bad += tool_gone(ibv_destroy_qp(world->qps[i].qp),
					 "QP");
		if (world->qps[i].ah)
			bad += tool_gone(ibv_destroy_ah(world->qps[i].ah),
					 "AH");
	}
	free(world->qps);
	if (world->srq)
		bad += tool_gone(ibv_destroy_srq(world->srq), "SRQ");
	if (world->cq)
		bad += tool_gone(ibv_destroy_cq(world->cq), "CQ");
	if (world->channel)
		bad += tool_gone(ibv_destroy_comp_channel(world->channel),
				 "completion channel");
	return bad ? -EIO : 0;
}
