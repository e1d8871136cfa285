/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path between two processes of this host. uroce_loop.c tries it
 * first, and makes a full pass (run_locked()) if it is not sufficient.
 *
 * A quick post or poll saves mainly the time of reading the clock: it uses the
 * time of the last full pass, and sets a flag for this coarse time in the
 * engine, so that no timer expires early. While a late timer would be noticed
 * (uroce_engine.exact), posts and polls are not quick.
 *
 * Other work is not delayed for long: a post is quick only while the helper
 * thread has a time to wake up, and at least one of MAX_GLANCES + 1 polls makes
 * a full pass.
 */
#include "uroce/progress/uroce_loop_quick.h"

#include "uroce/engine/uroce_direct.h"
#include "uroce/engine/uroce_fast.h"
#include "uroce/progress/uroce_loop_local.h"

/* Quick polls between two full passes, at most. */
#define MAX_GLANCES 150
/* Their total time; for peers a poll is recent for longer. */
#define GLANCES_NS UINT64_C(2500)
/* Quick polls need this time without packets of the network. */
#define SOCKET_NS UINT64_C(16000)

/* Whether the helper thread has a time to wake up, and needs no doorbell. */
static bool helper_gets_up(const struct uroce_loop *loop)
{
	return __atomic_load_n(&loop->helper.until_ns, __ATOMIC_RELAXED) !=
	       UROCE_NEVER;
}

static bool is_usual(const struct uroce_loop *loop)
{
	return loop->local && !loop->dead && !loop->engine.exact &&
	       list_empty(&loop->full) && helper_gets_up(loop);
}

static void send_of(struct uroce_loop *loop, struct uroce_qp *qp)
{
	struct uroce_engine *engine = &loop->engine;
	struct uroce_out out;

	uroce_loop_send_briefs(loop, qp);
	if (uroce_fast_is_idle(qp)) {
		list_del(&qp->active);
		return;
	}
	uroce_engine_activate(engine, qp);
	while (uroce_engine_next_of(engine, qp, loop->now, &out)) {
		loop->traffic++;
		uroce_loop_put_local(loop, &out);
	}
	uroce_engine_sent(engine, loop->now);
}

/* Returns whether all QPs to send have a channel and found room. */
static bool send_all(struct uroce_loop *loop)
{
	struct uroce_qp *qp;

	do {
		while ((qp = uroce_engine_next_active(&loop->engine))) {
			if (!qp->channel || qp->channel->full)
				return false;
			send_of(loop, qp);
		}
		/* a failed QP is not active, but has to be flushed */
		uroce_engine_sent(&loop->engine, loop->now);
	} while (uroce_engine_next_active(&loop->engine));
	return true;
}

/* The helper thread sends a deferred ACK at the end of the lease. */
static void finish(struct uroce_loop *loop)
{
	const struct uroce_engine *engine = &loop->engine;
	uint64_t until_ns =
		__atomic_load_n(&loop->helper.until_ns, __ATOMIC_RELAXED);

	if (engine->cq_events || engine->rq_events || engine->qp_events)
		uroce_loop_deliver(loop);
	if (uroce_engine_deadline(engine) < until_ns ||
	    (engine->put_off &&
	     __atomic_load_n(&loop->lease_ns, __ATOMIC_RELAXED) < until_ns))
		uroce_loop_need_helper(loop);
}

/* After sending: processes the postponed ACK, sends requests that waited. */
static void catch_up(struct uroce_loop *loop)
{
	struct uroce_qp *qp = loop->engine.late;

	uroce_fast_catch_up(&loop->engine, loop->now);
	if (!uroce_ring_has(&qp->sq, qp->req.cur) || qp->channel->full)
		return;
	send_of(loop, qp);
	uroce_local_flush(loop->local);
}

/* All by direct access: no timer starts, and no thread has to be woken. */
static bool is_done_here(struct uroce_loop *loop, struct uroce_qp *qp)
{
	struct uroce_engine *engine = &loop->engine;

	if (engine->exact || engine->late || loop->dead ||
	    !uroce_fast_direct(qp, loop->now))
		return false;
	if (engine->cq_events || engine->qp_events)
		uroce_loop_deliver(loop);
	loop->quick_posts++;
	return true;
}

bool uroce_loop_quick_post(struct uroce_loop *loop, struct uroce_qp *qp)
{
	if (qp->channel && uroce_channel_is_shared(qp->channel) &&
	    is_done_here(loop, qp))
		return true;
	if (qp->channel && (qp->channel->copy || qp->channel->nr_shared) &&
	    !loop->engine.exact &&
	    /* else send_of() below tries direct access, once */
	    (!is_usual(loop) || uroce_direct_is_long(qp))) {
		loop->engine.vague = true;
		if (uroce_loop_copy(loop, qp)) {
			loop->quick_posts++;
			return true;
		}
	}
	if (!qp->channel || !is_usual(loop))
		return false;
	loop->quick_posts++;
	loop->engine.vague = true;
	send_of(loop, qp);
	uroce_local_flush(loop->local);
	if (loop->engine.late)
		catch_up(loop);
	finish(loop);
	/* without room a full pass is needed */
	return !qp->channel->full;
}

static bool may_put_off(struct uroce_loop *loop, uint64_t received)
{
	return loop->received == received + 1 && !loop->alertness.attention &&
	       uroce_engine_put_off(&loop->engine, true, true);
}

/* Nothing was received, and nothing is left to send or to deliver. */
static bool is_done(const struct uroce_engine *engine)
{
	return !uroce_engine_next_active(engine) &&
	       list_empty(&engine->unsent) && !engine->cq_events &&
	       !engine->rq_events && !engine->qp_events;
}

bool uroce_loop_quick_poll(struct uroce_loop *loop)
{
	struct uroce_engine *engine = &loop->engine;
	uint64_t received = loop->received;
	bool done = true;

	if (!loop->glances || !is_usual(loop))
		return false;
	loop->glances--;
	loop->quick_polls++;
	loop->engine.vague = true;
	if (engine->late)
		uroce_fast_catch_up(engine, loop->now);
	engine->put_off = NULL;
	if (!uroce_local_seems_empty(loop->local)) {
		engine->may_be_late = true;
		(void)uroce_loop_receive_local(loop);
		engine->may_be_late = false;
	} else if (is_done(engine)) {
		return true;
	}
	if (!may_put_off(loop, received)) {
		done = send_all(loop);
		uroce_local_flush(loop->local);
	}
	finish(loop);
	return done;
}

/* Whether the application polls and only shm peers are active. */
static bool may_glance(const struct uroce_loop *loop)
{
	if (!loop->local || uroce_local_is_empty(loop->local) || loop->held ||
	    loop->alertness.attention || uroce_loop_lease(loop) <= loop->now)
		return false;
	return !loop->port ||
	       loop->socket_ns - loop->socket_packet_ns > SOCKET_NS;
}

/* The number of polls for GLANCES_NS at the speed of the last @polls. */
static uint32_t count_glances(uint64_t passed_ns, uint32_t polls)
{
	uint64_t nr = polls * GLANCES_NS / (passed_ns + 1);

	return nr < MAX_GLANCES ? (uint32_t)nr : MAX_GLANCES;
}

void uroce_loop_allow_glances(struct uroce_loop *loop)
{
	uint32_t polls = loop->allowed - loop->glances + 1;
	uint64_t passed_ns = loop->now - loop->look_ns;

	loop->look_ns = loop->now;
	loop->allowed = may_glance(loop) ? count_glances(passed_ns, polls) : 0;
	loop->glances = loop->allowed;
}
