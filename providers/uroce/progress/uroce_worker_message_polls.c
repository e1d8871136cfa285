/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Quick posts and polls of the transport of messages. They read neither the
 * clock nor the socket. MESSAGE_POLLS quick polls are between two full passes
 * at most, which set and expire the timers.
 */
#include "uroce/progress/uroce_worker_lock.h"
#include "uroce/progress/uroce_worker_messages.h"
#include "uroce/progress/uroce_worker_pass.h"

#define MESSAGE_POLLS 32

/* Whether a quick pass is allowed; as in uroce_worker_quick.c. */
static bool messages_may_be_quick(const struct uroce_worker *worker)
{
	return !worker->dead && !worker->process->exclusive &&
	       __atomic_load_n(&worker->helper.until_ns, __ATOMIC_RELAXED) !=
		       UROCE_NEVER;
}

/* The helper thread makes the next full pass if the application does not. */
static void messages_finish(struct uroce_worker *worker)
{
	struct uroce_core *core = &worker->engine.core;
	const struct uroce_transport_base *messages = worker->messages;
	uint64_t until_ns =
		__atomic_load_n(&worker->helper.until_ns, __ATOMIC_RELAXED);

	if (!list_empty(&core->faulted))
		uroce_core_apply_faults(core, worker->now);
	if (core->cq_events || core->rq_events || core->qp_events)
		uroce_worker_deliver(worker);
	if (__atomic_load_n(&worker->lease_ns, __ATOMIC_RELAXED) < until_ns &&
	    messages->ops->deadline(messages) < until_ns)
		uroce_worker_need_helper(worker);
}

bool uroce_worker_post_message(struct uroce_worker *worker, struct uroce_qp *qp)
{
	if (!qp->transport->post || !messages_may_be_quick(worker))
		return false;
	worker->quick_posts++;
	worker->traffic++;
	qp->transport->post(qp);
	/* other threads get the lock between the parts of a long request */
	while (uroce_msg_is_partial(qp) && !worker->dead) {
		uroce_worker_let_others(worker);
		if (qp->transport->post)
			qp->transport->post(qp);
	}
	messages_finish(worker);
	return true;
}

bool uroce_worker_poll_messages(struct uroce_worker *worker)
{
	struct uroce_transport_base *messages = worker->messages;
	unsigned int nr;

	if (!worker->message_polls || !messages_may_be_quick(worker) ||
	    !uroce_shm_seems_empty(worker->shm) ||
	    uroce_engine_next_active(&worker->engine))
		return false;
	worker->message_polls--;
	worker->quick_polls++;
	nr = messages->ops->poll(messages);
	worker->received += nr;
	worker->traffic += nr;
	messages_finish(worker);
	return true;
}

/* Quick polls look at the rings of packets, but do not receive from them. */
void uroce_worker_renew_message_polls(struct uroce_worker *worker)
{
	uint32_t polls = worker->poll_budget;

	worker->message_polls = polls < MESSAGE_POLLS ? polls : MESSAGE_POLLS;
	worker->poll_budget_size = worker->message_polls;
	worker->poll_budget = 0;
}
