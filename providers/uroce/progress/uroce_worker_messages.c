/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of full passes that the transport of messages has. */
#include "uroce/progress/uroce_worker_messages.h"

/* Acknowledgements may be deferred only while the application polls. */
void uroce_worker_run_messages(struct uroce_worker *worker, bool receive)
{
	struct uroce_transport_base *messages = worker->messages;
	unsigned int nr;

	uroce_engine_take_kicks(&worker->engine);
	nr = messages->ops->progress(messages, worker->now, receive);
	worker->received += nr;
	worker->traffic += nr;
	if (worker->wake_policy.short_leases ||
	    __atomic_load_n(&worker->lease_ns, __ATOMIC_RELAXED) <= worker->now)
		(void)messages->ops->flush(messages);
	if (worker->shm)
		uroce_shm_check_messages(worker->shm);
	uroce_core_apply_faults(&worker->engine.core, worker->now);
}

uint64_t uroce_worker_messages_deadline(const struct uroce_worker *worker,
					uint64_t at_ns)
{
	uint64_t own_ns = worker->messages->ops->deadline(worker->messages);

	return own_ns < at_ns ? own_ns : at_ns;
}

bool uroce_worker_owes_messages(struct uroce_worker *worker,
				const struct uroce_qp *qp)
{
	(void)worker->messages->ops->flush(worker->messages);
	return !worker->dead && qp->transport->owes(qp);
}
