/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a rule does when it acts on a call: see fault_act.h. */
#include "layers/fault/fault_act.h"

#include <errno.h>
#include <time.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_async.h"
#include "util/cancel.h"
#include "util/clock.h"

static _Thread_local bool last_was_injected;

bool fault_was_injected(void)
{
	return last_was_injected;
}

static bool call_is_query(enum fault_call call)
{
	return call <= FAULT_QUERY_PKEY || call == FAULT_QUERY_QP ||
	       call == FAULT_QUERY_SRQ;
}

static void act_sleep(uint64_t ns)
{
	struct timespec left = verbs_timespec(ns);
	int saved = errno;
	int state = cancel_disable();

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
	cancel_restore(state);
	errno = saved;
}

int fault_act(struct fault_decision decision)
{
	const struct fault_rule *rule = decision.rule;

	if (!call_is_query(decision.call))
		last_was_injected = false;
	if (decision.is_removed) {
		last_was_injected = true;
		return -EIO;
	}
	if (!rule)
		return 0;
	if (rule->action == FAULT_DELAY)
		act_sleep(fault_duration_ns(decision));
	if (rule->action == FAULT_EVENT)
		fault_async_raise(rule, decision.object);
	if (rule->action != FAULT_ERRNO)
		return 0;
	if (!call_is_query(decision.call))
		last_was_injected = true;
	return -rule->error;
}

int fault_control(enum fault_call call, const void *object, uint64_t bytes)
{
	const struct fault_event event = {
		.call = call,
		.object = fault_object_find(object),
		.bytes = bytes,
	};

	return fault_act(fault_decide(&event));
}
