/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order in which QPs send, timers that expire, and what is done once all
 * packets are sent. Multicast groups.
 */
#include "uroce/roce/uroce_engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uroce/roce/uroce_delack.h"
#include "uroce/roce/uroce_ecn.h"
#include "uroce/roce/uroce_pace.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/roce/uroce_responder.h"
#include "uroce/roce/uroce_retry.h"
#include "uroce/roce/uroce_timers.h"

/* A request through a channel piggybacks an ACK if no response is pending. */
static bool next_with_ack(struct uroce_qp *qp, uint64_t now,
			  struct uroce_out *out)
{
	if (!qp->roce->channel || qp->roce->resp.reply != UROCE_REPLY_ACK ||
	    qp->roce->resp.nr_pending || !uroce_requester_next(qp, now, out))
		return false;
	out->packet.carries_ack = true;
	out->packet.carried_psn = uroce_reply_take_ack(qp);
	return true;
}

/* Responses first, since the peer waits for them, but not for all ACKs. */
static bool next_of_qp(struct uroce_qp *qp, uint64_t now, struct uroce_out *out)
{
	if (next_with_ack(qp, now, out) || uroce_ecn_next_cnp(qp, out))
		return true;
	if (uroce_delack_requests_first(qp)) {
		if (uroce_requester_next(qp, now, out)) {
			qp->roce->resp.delack.request_sent = true;
			return true;
		}
		if (uroce_delack_start(qp, now))
			return false;
	}
	if (uroce_reply_next(qp, out))
		return true;
	if (uroce_requester_next(qp, now, out))
		return true;
	/* WQEs posted after the failure: flush once all packets are sent */
	if ((qp->state == IBV_QPS_ERR || qp->state == IBV_QPS_SQE) &&
	    list_empty(&qp->roce->unsent))
		list_add_tail(&qp->roce->engine->unsent, &qp->roce->unsent);
	return false;
}

static bool hand_out(struct uroce_engine *engine, struct uroce_qp *qp,
		     uint64_t now, struct uroce_out *ret_out)
{
	if (!next_of_qp(qp, now, ret_out))
		return false;
	ret_out->qp = qp;
	uroce_core_count(&engine->core, UROCE_C_TX_PACKETS, 1);
	uroce_core_count(&engine->core, UROCE_C_TX_BYTES,
			 ret_out->packet.payload_len);
	return true;
}

bool uroce_engine_next_of(struct uroce_engine *engine, struct uroce_qp *qp,
			  uint64_t now, struct uroce_out *ret_out)
{
	if (qp->roce->channel->full)
		return false;
	if (hand_out(engine, qp, now, ret_out))
		return true;
	list_del(&qp->roce->active);
	return false;
}

bool uroce_engine_next(struct uroce_engine *engine, uint64_t now,
		       struct uroce_out *ret_out)
{
	uroce_engine_take_kicks(engine);
	while (!list_empty(&engine->active)) {
		struct uroce_qp *qp = list_entry(engine->active.next,
						 struct uroce_roce, active)
					      ->qp;

		if (uroce_delack_park(qp))
			continue;
		if (engine->burst >= engine->max_burst) {
			engine->burst = 0;
			list_del(&qp->roce->active);
			list_add_tail(&engine->active, &qp->roce->active);
			continue;
		}
		if (qp->roce->channel && qp->roce->channel->full) {
			engine->burst = 0;
			uroce_channel_await_room(qp, now);
			continue;
		}
		if (hand_out(engine, qp, now, ret_out)) {
			engine->burst++;
			return true;
		}
		engine->burst = 0;
		list_del(&qp->roce->active);
	}
	return false;
}

uint32_t uroce_engine_next_run(struct uroce_engine *engine, uint64_t now,
			       uint32_t max, struct uroce_out *out)
{
	struct uroce_qp *qp = out->qp;
	uint32_t nr;

	if (qp->roce->channel || engine->active.next != &qp->roce->active ||
	    engine->burst >= engine->max_burst)
		return 0; /* it is not this QP's turn */
	if (max > engine->max_burst - engine->burst)
		max = engine->max_burst - engine->burst;
	/* responses go first unless deferred */
	if (qp->roce->resp.nr_pending)
		nr = uroce_reply_next_run(qp, max, out);
	else if (qp->roce->resp.reply == UROCE_REPLY_NONE ||
		 uroce_delack_requests_first(qp))
		nr = uroce_requester_next_run(qp, now, max, out);
	else
		return 0;
	engine->burst += nr;
	uroce_core_count(&engine->core, UROCE_C_TX_PACKETS, nr);
	uroce_core_count(&engine->core, UROCE_C_TX_BYTES,
			 (uint64_t)nr * out->packet.payload_len);
	return nr;
}

static void after_sent(struct uroce_qp *qp)
{
	if (qp->state != IBV_QPS_ERR && qp->state != IBV_QPS_SQE)
		uroce_requester_sent(qp);
	else if (!uroce_qp_is_stopped(qp))
		uroce_qp_flush(qp);
}

void uroce_engine_sent(struct uroce_engine *engine, uint64_t now)
{
	while (!list_empty(&engine->unsent)) {
		struct uroce_qp *qp = list_entry(engine->unsent.next,
						 struct uroce_roce, unsent)
					      ->qp;

		list_del(&qp->roce->unsent);
		if (qp->state == IBV_QPS_ERR || !uroce_qp_is_stopped(qp))
			after_sent(qp);
	}
	uroce_core_apply_faults(&engine->core, now);
}

static void expire(struct uroce_engine *engine, struct uroce_qp *qp,
		   uint64_t now)
{
	if (qp->quiesce.accesses) {
		uroce_qp_check_quiet(qp, now);
		return;
	}
	if (uroce_retry_deadline(qp) <= now)
		uroce_retry_expire(qp, now);
	uroce_pace_expire(qp, now);
	uroce_timers_set(engine, qp, uroce_retry_deadline(qp));
	uroce_timers_set(engine, qp, qp->roce->pace.until_ns);
}

uint64_t uroce_engine_expire(struct uroce_engine *engine, uint64_t now)
{
	while (uroce_engine_deadline(engine) <= now) {
		struct uroce_qp *qp = engine->timers[0]->qp;

		uroce_timers_remove(engine, qp);
		expire(engine, qp, now);
	}
	return uroce_engine_deadline(engine);
}

static struct uroce_group *engine_find_group(const struct uroce_engine *engine,
					     const struct uroce_qp *qp,
					     const uint8_t *gid)
{
	for (uint32_t i = 0; i < engine->nr_groups; i++) {
		struct uroce_group *group = &engine->groups[i];

		if (group->qp == qp &&
		    memcmp(group->gid, gid, UROCE_GID_LEN) == 0)
			return group;
	}
	return NULL;
}

int uroce_engine_attach(struct uroce_engine *engine, struct uroce_qp *qp,
			const uint8_t *gid)
{
	struct uroce_group *grown;

	if (qp->type != IBV_QPT_UD)
		return -EINVAL;
	if (engine_find_group(engine, qp, gid))
		return 0;
	if (engine->nr_groups == engine->max_groups) {
		uint32_t max = engine->max_groups ? 2 * engine->max_groups : 8;

		grown = reallocarray(engine->groups, max, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		engine->groups = grown;
		engine->max_groups = max;
	}
	engine->groups[engine->nr_groups].qp = qp;
	memcpy(engine->groups[engine->nr_groups].gid, gid, UROCE_GID_LEN);
	engine->nr_groups++;
	return 0;
}

int uroce_engine_detach(struct uroce_engine *engine, struct uroce_qp *qp,
			const uint8_t *gid)
{
	struct uroce_group *group = engine_find_group(engine, qp, gid);

	if (!group)
		return -EINVAL;
	*group = engine->groups[--engine->nr_groups];
	return 0;
}
