/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues with a channel: whether the program misses completions,
 * because it arms the queue after they came, or does not arm it again.
 *
 * The lock of a queue is a leaf, held for some instructions. A thread that does
 * not get it at once leaves: the queue is not watched until it is armed again.
 */
#include <inttypes.h>
#include <poll.h>

#include "layers/validate/validate.h"
#include "layers/validate/validate_report.h"
#include "util/cancel.h"
#include "util/clock.h"

/* A poll this long after arming is not the one that belongs to it. */
#define LATE_MS UINT64_C(100)

/* An event is in the channel at this time after its completion. */
#define EVENT_MS UINT64_C(50)

/* Programs that do not use events poll more often. */
#define UNPOLLED_MS UINT64_C(1000)

/* Polls that find messages after such a time, until it is reported. */
#define MAX_LATE 2U

static uint64_t arming_now_ms(void)
{
	return verbs_clock_ns(CLOCK_MONOTONIC_COARSE) / VERBS_NS_PER_MS;
}

static void arming_watch(struct validate_cq *state, enum validate_watch watch)
{
	VALIDATE_STORE(state->watch, watch);
}

static bool arming_try_lock(struct validate_cq *state)
{
	if (!atomic_flag_test_and_set_explicit(&state->lock,
					       memory_order_acquire))
		return true;
	arming_watch(state, VALIDATE_WATCH_NOTHING);
	return false;
}

static void arming_unlock(struct validate_cq *state)
{
	atomic_flag_clear_explicit(&state->lock, memory_order_release);
}

/* Events of other queues of the channel hide that there is none of this one. */
static bool arming_channel_is_empty(const struct ibv_cq *cq)
{
	struct pollfd fd = { .fd = cq->channel->fd, .events = POLLIN };
	int state = cancel_disable();
	int nr = poll(&fd, 1, 0);

	cancel_restore(state);
	return nr == 0;
}

/* ------------------------------------------------------------------------ */
/* Messages                                                                  */
/* ------------------------------------------------------------------------ */

static void arming_report_missed(const struct ibv_cq *cq, bool is_solicited)
{
	struct explain_text text = {};

	explain_add(&text,
		    "ibv_req_notify_cq(CQ of %s): ", cq->context->device->name);
	if (is_solicited)
		explain_add(&text,
			    "the queue was armed for solicited completions, "
			    "but messages were found more than %" PRIu64
			    " ms later without an event; set "
			    "IBV_SEND_SOLICITED in the sender, or arm the "
			    "queue for all completions",
			    LATE_MS);
	else
		explain_add(&text,
			    "a completion came before the call, so it had no "
			    "event, and was found more than %" PRIu64
			    " ms later; poll the queue again after arming it",
			    LATE_MS);
	validate_report(is_solicited ? AV_CQ_009 : AV_CQ_007, cq->context,
			&text);
}

static void arming_report_unarmed(const struct ibv_cq *cq)
{
	struct explain_text text = {};

	explain_add(&text,
		    "ibv_poll_cq(CQ of %s): the queue was armed once and its "
		    "event was taken, so later messages had no event; arm the "
		    "queue again after each event",
		    cq->context->device->name);
	validate_report(AV_CQ_008, cq->context, &text);
}

/* ------------------------------------------------------------------------ */
/* Polls                                                                     */
/* ------------------------------------------------------------------------ */

/* What a poll returned. */
struct arming_poll {
	bool has_any;
	bool has_message; /* a receive request succeeded */
};

/* The first poll after the queue was armed. */
static void arming_poll_armed(struct validate_cq *state, uint32_t nr_events,
			      const struct arming_poll *found, uint64_t now_ms)
{
	bool is_suspect = state->is_solicited ? found->has_message
					      : found->has_any;

	if (!is_suspect || now_ms <= state->since_ms + LATE_MS ||
	    nr_events != state->nr_events) {
		arming_watch(state, VALIDATE_WATCH_NOTHING);
		return;
	}
	state->since_ms = now_ms;
	arming_watch(state, VALIDATE_WATCH_SUSPECT);
}

/* Return: whether no event was taken until one had to be in the channel. */
static bool arming_check_suspect(struct validate_cq *state, uint32_t nr_events,
				 uint64_t now_ms)
{
	if (VALIDATE_LOAD(state->watch) != VALIDATE_WATCH_SUSPECT ||
	    now_ms <= state->since_ms + EVENT_MS)
		return false;
	arming_watch(state, VALIDATE_WATCH_NOTHING);
	return nr_events == state->nr_events;
}

/* Return: whether the queue should have been armed. */
static bool arming_poll_taken(struct validate_cq *state,
			      const struct arming_poll *found, uint64_t now_ms)
{
	bool is_late = state->was_empty &&
		       now_ms > state->since_ms + UNPOLLED_MS;

	state->since_ms = now_ms;
	if (!found->has_any)
		state->was_empty = true;
	if (!found->has_message || !is_late || ++state->nr_late < MAX_LATE)
		return false;
	arming_watch(state, VALIDATE_WATCH_NOTHING);
	return true;
}

static __attribute__((noinline, cold)) void
arming_polled(struct layers_record *record, const struct ibv_cq *cq,
	      const struct arming_poll *found)
{
	struct validate_cq *state = &record->cq.validate;
	uint32_t nr_events = VALIDATE_LOAD(record->cq.nr_events);
	uint64_t now_ms = arming_now_ms();
	bool is_missed = false, is_unarmed = false, is_solicited;

	if (!arming_try_lock(state))
		return;
	is_solicited = state->is_solicited;
	switch (VALIDATE_LOAD(state->watch)) {
	case VALIDATE_WATCH_ARMED:
		arming_poll_armed(state, nr_events, found, now_ms);
		break;
	case VALIDATE_WATCH_SUSPECT:
		is_missed = arming_check_suspect(state, nr_events, now_ms);
		break;
	case VALIDATE_WATCH_TAKEN:
		is_unarmed = arming_poll_taken(state, found, now_ms);
		break;
	default:
		break;
	}
	arming_unlock(state);
	if (is_missed && arming_channel_is_empty(cq))
		arming_report_missed(cq, is_solicited);
	if (is_unarmed)
		arming_report_unarmed(cq);
}

/* Threads may lose a poll of another one, but not all of them. */
static bool arming_count_poll(struct layers_record *record)
{
	VALIDATE_STORE(record->cq.nr_polls,
		       VALIDATE_LOAD(record->cq.nr_polls) + 1);
	return VALIDATE_LOAD(record->cq.validate.watch) !=
	       VALIDATE_WATCH_NOTHING;
}

void validate_polled(struct ibv_cq *cq, const struct ibv_wc *wc, int nr)
{
	struct layers_record *record = layers_record_find(cq);
	struct arming_poll found = { .has_any = nr > 0 };

	if (!record || __builtin_expect(!arming_count_poll(record), 1))
		return;
	for (int i = 0; i < nr; i++)
		if (wc[i].status == IBV_WC_SUCCESS &&
		    (wc[i].opcode & IBV_WC_RECV))
			found.has_message = true;
	arming_polled(record, cq, &found);
}

void validate_polled_ex(struct ibv_cq_ex *cq, int error)
{
	struct layers_record *record = layers_record_find(cq);
	struct arming_poll found = { .has_any = error == 0 };

	if (!record || __builtin_expect(!arming_count_poll(record), 1))
		return;
	if (error == 0 && cq->status == IBV_WC_SUCCESS && cq->read_opcode)
		found.has_message = cq->read_opcode(cq) & IBV_WC_RECV;
	arming_polled(record, ibv_cq_ex_to_cq(cq), &found);
}

/* ------------------------------------------------------------------------ */
/* Events                                                                    */
/* ------------------------------------------------------------------------ */

/* Called before the provider, which may generate the event at once. */
void validate_arming(struct ibv_cq *cq, bool solicited_only)
{
	struct layers_record *record = layers_record_find(cq);
	struct validate_cq *state;
	bool is_first, is_missed, was_solicited;
	uint64_t now_ms = arming_now_ms();
	uint32_t nr_events;

	/* A program may poll a CQ of a vendor's library without a call. */
	if (!record || !validate_knows_keys(cq->context))
		return;
	state = &record->cq.validate;
	nr_events = VALIDATE_LOAD(record->cq.nr_events);
	is_first = atomic_fetch_add(&state->nr_arms, 1) == 0;
	if (!arming_try_lock(state))
		return;
	was_solicited = state->is_solicited;
	is_missed = arming_check_suspect(state, nr_events, now_ms);
	/* One that is armed for all completions stays so. */
	state->is_solicited = solicited_only && (is_first || was_solicited ||
						 nr_events != state->nr_events);
	if (VALIDATE_LOAD(state->watch) != VALIDATE_WATCH_SUSPECT) {
		state->nr_events = nr_events;
		state->since_ms = now_ms;
		arming_watch(state, VALIDATE_WATCH_ARMED);
	}
	arming_unlock(state);
	if (is_missed && arming_channel_is_empty(cq))
		arming_report_missed(cq, was_solicited);
}

/* @record: of the CQ; nr_events contains the event. */
void validate_event_taken(struct layers_record *record)
{
	struct validate_cq *state = &record->cq.validate;
	bool is_last;

	if (!arming_try_lock(state))
		return;
	is_last = VALIDATE_LOAD(state->nr_arms) == 1 &&
		  VALIDATE_LOAD(record->cq.nr_events) == 1;
	state->since_ms = arming_now_ms();
	state->was_empty = false;
	arming_watch(state,
		     is_last ? VALIDATE_WATCH_TAKEN : VALIDATE_WATCH_NOTHING);
	arming_unlock(state);
}
