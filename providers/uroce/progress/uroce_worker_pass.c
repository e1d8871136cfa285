/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A full pass of a worker: it receives, expires timers, sends and delivers
 * events. With the engine lock.
 */
#include "uroce/progress/uroce_worker_pass.h"

#include "uroce/progress/uroce_moderate.h"
#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/qp/uroce_chaos.h"

/* Delay until the next attempt to send when the socket had no room. */
#define SOCKET_RETRY_NS UINT64_C(100000)
/* The same for a ring: the first delay, and the longest. */
#define FULL_NS	    UINT64_C(50000)
#define MAX_FULL_NS UINT64_C(10000000)
/* Receive calls before a due timer expires though the socket has more. */
#define MAX_RECEIVES 16
/* The longest time between receive calls in a process with shm peers. */
#define MAX_PAUSE_NS UINT64_C(50000)
/* Chaos mode: the next step, while data or completions are late. */
#define CHAOS_STEP_NS UINT64_C(20000)

void uroce_worker_on_packet(void *arg, struct uroce_packet *packet)
{
	struct uroce_worker *worker = arg;

	worker->traffic++;
	worker->received++;
	uroce_engine_receive(&worker->engine, packet, worker->now);
}

static bool worker_has_room(struct uroce_worker *worker)
{
	return !worker->port || uroce_port_has_room(worker->port, worker->now);
}

static void worker_put(struct uroce_worker *worker, struct uroce_out *out)
{
	uint32_t nr;

	worker->traffic++;
	if (uroce_worker_put_shm(worker, out) || !worker->port)
		return;
	uroce_port_put(worker->port, &out->packet, out->iovecs.iov,
		       out->iovecs.nr, out->qp);
	nr = uroce_engine_next_run(&worker->engine, worker->now,
				   UROCE_MAX_BURST, out);
	if (!nr)
		return;
	worker->traffic += nr;
	uroce_port_put_run(worker->port, &out->packet,
			   out->iovecs.iov[0].iov_base, nr, out->qp);
}

/*
 * Sends all packets that uroce_engine_next() returns, which is required before
 * the next uroce_engine_receive(). Without room packets stay in the engine.
 */
static void send_locked(struct uroce_worker *worker)
{
	struct uroce_out out;
	struct uroce_qp *qp;
	bool any;

	uroce_worker_resume_shm(worker);
	do {
		any = false;
		while (worker_has_room(worker) &&
		       uroce_engine_next(&worker->engine, worker->now, &out)) {
			any = true;
			worker_put(worker, &out);
		}
		if (any && worker->port) {
			uroce_port_flush(worker->port);
			while ((qp = uroce_port_take_refused(worker->port)))
				uroce_qp_path_error(qp);
		}
		uroce_engine_sent(&worker->engine, worker->now);
	} while (any);
	if (worker->shm)
		uroce_shm_flush(worker->shm);
	__atomic_store_n(&worker->socket_full, !worker_has_room(worker),
			 __ATOMIC_RELAXED);
}

void uroce_worker_deliver(struct uroce_worker *worker)
{
	struct uroce_cq *cq;
	struct uroce_rq *rq;
	struct uroce_qp *qp;

	while ((cq = uroce_core_take_cq(&worker->engine.core))) {
		bool wake = cq->wake, overrun = cq->report_overrun;

		cq->wake = false;
		cq->report_overrun = false;
		if (wake && !cq->shared && worker->nr_armed)
			worker->nr_armed--;
		if (wake && !overrun && uroce_moderate_holds(worker, cq))
			uroce_worker_need_helper(worker);
		else
			worker->process->ops->cq_event(cq, wake, overrun);
	}
	while ((rq = uroce_core_take_rq(&worker->engine.core))) {
		rq->limit_event = false;
		worker->process->ops->rq_event(rq);
	}
	while ((qp = uroce_core_take_qp(&worker->engine.core))) {
		uint32_t events = qp->events;

		qp->events = 0;
		worker->process->ops->qp_event(qp, events);
	}
}

uint64_t uroce_worker_lease(const struct uroce_worker *worker)
{
	uint64_t lease_ns =
		__atomic_load_n(&worker->lease_ns, __ATOMIC_RELAXED);

	if (lease_ns && worker->wake_policy.short_leases)
		lease_ns -= UROCE_LEASE_NS - UROCE_SHORT_LEASE_NS;
	else if (lease_ns &&
		 worker->wake_policy.renewed_leases == UROCE_RENEWED_LEASES)
		lease_ns += UROCE_LONGER_LEASE_NS;
	return lease_ns;
}

/*
 * When to check again for room for ACKs and responses: a peer does not signal
 * free ring entries. Requests need no check, since their ACKs cause a new
 * attempt. The interval grows with the time without room.
 */
static uint64_t room_deadline(const struct uroce_worker *worker)
{
	uint64_t pause_ns = (worker->now - worker->full_ns) / 8;

	if (list_empty(&worker->full) || !uroce_worker_owes_shm(worker))
		return UROCE_NEVER;
	if (pause_ns < FULL_NS)
		pause_ns = FULL_NS;
	if (pause_ns > MAX_FULL_NS)
		pause_ns = MAX_FULL_NS;
	return worker->now + pause_ns;
}

uint64_t uroce_worker_deadline(const struct uroce_worker *worker)
{
	uint64_t at_ns = uroce_engine_deadline(&worker->engine);
	uint64_t moderated_ns = uroce_moderate_deadline(worker);
	uint64_t room_ns = room_deadline(worker);
	uint64_t delayed_ns = uroce_engine_delayed_deadline(&worker->engine);

	if (worker->engine.nr_deferred)
		at_ns = 0;
	if (at_ns > delayed_ns)
		at_ns = delayed_ns;
	if (at_ns > moderated_ns)
		at_ns = moderated_ns;
	if (at_ns > room_ns)
		at_ns = room_ns;
	if (worker->engine.core.chaos && at_ns > worker->now + CHAOS_STEP_NS &&
	    uroce_chaos_is_late(worker->engine.core.chaos))
		at_ns = worker->now + CHAOS_STEP_NS;
	if (worker->socket_full && at_ns > worker->now + SOCKET_RETRY_NS)
		at_ns = worker->now + SOCKET_RETRY_NS;
	return at_ns;
}

void uroce_worker_need_helper(struct uroce_worker *worker)
{
	uint64_t at_ns = uroce_worker_deadline(worker);
	uint64_t lease_ns = uroce_worker_lease(worker);

	if (at_ns == UROCE_NEVER)
		return;
	uroce_helper_need(&worker->helper, at_ns > lease_ns ? at_ns : lease_ns);
}

static bool worker_is_due(const struct uroce_worker *worker)
{
	return uroce_engine_deadline(&worker->engine) <= worker->now;
}

/*
 * Reading the socket is a system call, which would slow down every poll of a
 * process that communicates through shared memory. The interval grows with the
 * time without packets of the network.
 */
static bool may_skip_socket(const struct uroce_worker *worker)
{
	uint64_t pause_ns = (worker->socket_ns - worker->socket_packet_ns) / 8;

	if (!worker->shm || uroce_shm_is_empty(worker->shm) ||
	    worker_is_due(worker))
		return false;
	if (pause_ns > MAX_PAUSE_NS)
		pause_ns = MAX_PAUSE_NS;
	return worker->now < worker->socket_ns + pause_ns;
}

static bool receive_socket(struct uroce_worker *worker)
{
	uint64_t before = worker->received;
	bool more = true;

	for (int nr = 0; more && nr < MAX_RECEIVES; nr++) {
		more = uroce_port_receive(worker->port, uroce_worker_on_packet,
					  worker);
		if (!worker_is_due(worker))
			break;
	}
	uroce_engine_end_receive(&worker->engine);
	worker->socket_ns = worker->now;
	if (worker->received != before)
		worker->socket_packet_ns = worker->now;
	return more;
}

/*
 * Receives packets, also before a timer expires: on a busy machine the ACK can
 * be in the socket already. Returns whether there may be more.
 */
static bool receive_locked(struct uroce_worker *worker, bool receive)
{
	bool more;

	if (!receive && !worker_is_due(worker))
		return false;
	more = uroce_worker_receive_shm(worker);
	if (worker->port && !may_skip_socket(worker))
		more = receive_socket(worker) || more;
	return more;
}

/*
 * Defers ACKs until the next post or poll: the application polls and is likely
 * to respond to the messages. One or two packets are not a stream of messages,
 * so their ACKs may be deferred repeatedly. Returns whether nothing else is
 * left to send.
 */
static bool worker_defer_acks(struct uroce_worker *worker, uint64_t received)
{
	return worker->received != received &&
	       !worker->wake_policy.short_leases &&
	       uroce_worker_lease(worker) > worker->now &&
	       uroce_engine_defer_acks(&worker->engine,
				       worker->received <= received + 2);
}

/* For the GRH of datagrams, and for ECN marks. Receiving the fields costs time.
 */
static void report_header(struct uroce_worker *worker)
{
	bool on = worker->engine.nr_datagram_qps || worker->engine.wants_marks;

	if (!worker->port || worker->reports_header == on)
		return;
	uroce_port_report_header(worker->port, on);
	worker->reports_header = on;
}

bool uroce_worker_run(struct uroce_worker *worker, bool receive)
{
	uint64_t received = worker->received;
	bool more;

	if (worker->dead)
		return false;
	report_header(worker);
	if (receive)
		uroce_engine_flush_deferred(&worker->engine);
	more = receive_locked(worker, receive);
	if (worker_is_due(worker))
		(void)uroce_engine_expire(&worker->engine, worker->now);
	if (uroce_engine_delayed_deadline(&worker->engine) <= worker->now)
		uroce_engine_flush_delayed(&worker->engine, worker->now);
	uroce_memory_end_access(worker->engine.core.memory);
	if (worker->engine.core.chaos)
		uroce_engine_chaos(&worker->engine);
	if (!worker_defer_acks(worker, received))
		send_locked(worker);
	uroce_memory_end_access(worker->engine.core.memory);
	/* the application may poll for the last time after an event of a QP */
	if (worker->engine.core.chaos && worker->engine.core.qp_events)
		uroce_chaos_release_all(&worker->engine.core);
	uroce_worker_deliver(worker);
	if (!list_empty(&worker->moderated))
		uroce_moderate_deliver(worker);
	uroce_worker_need_helper(worker);
	return more;
}
