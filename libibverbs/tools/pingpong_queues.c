// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The queues of a pingpong: see pingpong.h. A queue pair enters INIT when it is
 * created, and RTR and RTS when the peer's address is known.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pingpong.h"
#include "tools/tool_queue.h"

static int pp_create_cq(struct pp_session *session)
{
	const struct pp_options *options = session->options;
	uint32_t entries = options->rx_depth + options->nr_qps;
	struct ibv_cq_init_attr_ex attr = {
		.cqe = entries,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};

	if (options->events) {
		session->channel = ibv_create_comp_channel(session->context);
		if (!session->channel)
			return tool_print_failure("create completion channel");
	}
	attr.channel = session->channel;
	if (!options->timestamps) {
		session->cq = ibv_create_cq(session->context, (int)entries,
					    NULL, session->channel, 0);
	} else if (!session->device.completion_timestamp_mask) {
		fprintf(stderr, "The device isn't completion timestamp "
				"capable\n");
		return -EOPNOTSUPP;
	} else {
		struct ibv_cq_ex *cq =
			ibv_create_cq_ex(session->context, &attr);

		session->cq = cq ? ibv_cq_ex_to_cq(cq) : NULL;
	}
	return session->cq ? 0 : tool_print_failure("create CQ");
}

static int pp_create_srq(struct pp_session *session)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = session->options->rx_depth, .max_sge = 1 },
	};

	session->srq = ibv_create_srq(session->pd, &attr);
	return session->srq ? 0 : tool_print_failure("create SRQ");
}

static int pp_create_qp(struct pp_session *session, struct pp_qp *qp)
{
	const struct pp_options *options = session->options;
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = session->cq,
		.recv_cq = session->cq,
		.srq = session->srq,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = session->srq ? 0 : options->rx_depth,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = session->kind->type,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = session->pd,
	};

	if (options->new_send) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND;
	}
	qp->qp = ibv_create_qp_ex(session->context, &attr);
	if (!qp->qp)
		return tool_print_failure("create QP");
	if (options->new_send)
		qp->qp_ex = ibv_qp_to_qp_ex(qp->qp);
	/*
	 * All queue pairs have the same limits. Inline data is read by the CPU,
	 * which cannot access device memory.
	 */
	if (attr.cap.max_inline_data >= options->size && !session->dm)
		session->send_flags |= IBV_SEND_INLINE;
	return 0;
}

static int pp_qp_to_init(const struct pp_session *session, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = session->options->ib_port,
		.qkey = PP_UD_QKEY,
	};
	bool ud = session->kind->type == IBV_QPT_UD;
	int ret =
		ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));

	if (ret)
		fprintf(stderr, "Failed to modify QP to INIT: %s\n",
			strerror(ret));
	return ret ? -EIO : 0;
}

/* All queue pairs have the same GID and LID, and a QPN and PSN each. */
static int pp_set_local_addresses(struct pp_session *session)
{
	const struct pp_options *options = session->options;
	int ret;

	session->endpoint =
		(struct tool_endpoint){ .port = options->ib_port,
					.sl = options->sl,
					.gid_index = options->gid_index };
	ret = tool_endpoint_query(session->context, &session->port,
				  &session->endpoint);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < options->nr_qps; i++)
		session->local[i] = (struct pp_address){
			.lid = session->endpoint.lid,
			.qpn = session->qps[i].qp->qp_num,
			.psn = tool_random_psn(),
			.gid = session->endpoint.gid,
		};
	return 0;
}

int pp_queues_open(struct pp_session *session)
{
	int ret = pp_create_cq(session);

	if (ret == 0 && session->kind->srq)
		ret = pp_create_srq(session);
	if (ret)
		return ret;
	session->qps = calloc(session->options->nr_qps, sizeof(*session->qps));
	if (!session->qps)
		return tool_print_failure("create QP");
	for (uint32_t i = 0; i < session->options->nr_qps; i++) {
		ret = pp_create_qp(session, &session->qps[i]);
		if (ret == 0)
			ret = pp_qp_to_init(session, session->qps[i].qp);
		if (ret)
			return ret;
	}
	return pp_set_local_addresses(session);
}

static int pp_qp_to_rts(const struct pp_session *session, struct ibv_qp *qp,
			uint32_t local_psn, const struct pp_address *remote)
{
	enum ibv_qp_type type = session->kind->type;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = tool_mtu_from_bytes(session->options->mtu),
		.dest_qp_num = remote->qpn,
		.rq_psn = remote->psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = TOOL_RNR_TIMER,
		.ah_attr = tool_ah_attr(&session->endpoint, remote->lid,
					&remote->gid),
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

int pp_queues_connect(struct pp_session *session)
{
	for (uint32_t i = 0; i < session->options->nr_qps; i++) {
		const struct pp_address *remote = &session->remote[i];
		struct pp_qp *qp = &session->qps[i];
		int ret = pp_qp_to_rts(session, qp->qp, session->local[i].psn,
				       remote);

		if (ret)
			return ret;
		if (session->kind->type == IBV_QPT_UD) {
			struct ibv_ah_attr attr = tool_ah_attr(
				&session->endpoint, remote->lid, &remote->gid);

			qp->ah = ibv_create_ah(session->pd, &attr);
			if (!qp->ah)
				return tool_print_failure("create AH");
		}
	}
	return 0;
}

int pp_queues_close(struct pp_session *session)
{
	int bad = 0;

	for (uint32_t i = 0; session->qps && i < session->options->nr_qps;
	     i++) {
		if (session->qps[i].qp)
			bad += tool_check_destroyed(
				ibv_destroy_qp(session->qps[i].qp), "QP");
		if (session->qps[i].ah)
			bad += tool_check_destroyed(
				ibv_destroy_ah(session->qps[i].ah), "AH");
	}
	free(session->qps);
	if (session->srq)
		bad += tool_check_destroyed(ibv_destroy_srq(session->srq),
					    "SRQ");
	if (session->cq)
		bad += tool_check_destroyed(ibv_destroy_cq(session->cq), "CQ");
	if (session->channel)
		bad += tool_check_destroyed(
			ibv_destroy_comp_channel(session->channel),
			"completion channel");
	return bad ? -EIO : 0;
}
