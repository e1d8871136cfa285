/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What events of rules mean, and their times: see fault_async.h. */
#include "layers/fault/fault_async.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_async_queue.h"
#include "layers/fault/fault_events.h"
#include "layers/fault/fault_helper.h"
#include "layers/fault/fault_log.h"
#include "util/clock.h"
#include "util/thread.h"

static struct fault_context *fault_contexts GUARDED_BY(fault_async_mutex);

/* ------------------------------------------------------------------------ */
/* Raising                                                                   */
/* ------------------------------------------------------------------------ */

/* Moves a QP to ERR if it uses the object, which has failed. */
static void raise_fail_user(struct fault_object *user, void *failed)
	REQUIRES(fault_async_mutex)
{
	const struct fault_object *object = failed;
	const void *address = atomic_load(&object->object);
	struct ibv_qp *qp = (void *)(uintptr_t)atomic_load(&user->object);

	if (user->ctx != object->ctx || user->is_going)
		return;
	if (address == object->ctx || address == qp || address == qp->send_cq ||
	    address == qp->recv_cq || address == qp->srq)
		fault_qp_fail(qp);
}

static bool raise_fails_qps(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_CQ_ERR:
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_DEVICE_FATAL:
		return true;
	default:
		return false;
	}
}

/* @object: of the event */
static void raise_locked(struct fault_context *fault,
			 const struct fault_rule *rule,
			 struct fault_object *object)
	REQUIRES(fault_async_mutex)
{
	uint64_t element = (uintptr_t)atomic_load(&object->object);
	uint8_t port = rule->port ? (uint8_t)rule->port : 1;

	if (object->kind == FAULT_CONTEXT)
		element = rule->event_type == IBV_EVENT_DEVICE_FATAL ? 0 : port;
	if (rule->event_type == IBV_EVENT_PORT_ERR)
		fault->ports_down[port] = true;
	if (rule->event_type == IBV_EVENT_PORT_ACTIVE)
		fault->ports_down[port] = false;
	fault_async_is_raising = true;
	if (raise_fails_qps(rule->event_type))
		fault_objects_visit(FAULT_QP, raise_fail_user, object);
	fault_async_is_raising = false;
	if (rule->event_type == IBV_EVENT_DEVICE_FATAL)
		atomic_store(&fault->is_removed, true);
	fault_async_add_locked(fault, object, rule->event_type, element);
}

void fault_async_raise(const struct fault_rule *rule,
		       struct fault_object *object)
{
	struct fault_context *fault = layers_context(object->ctx)->fault;

	if (!fault)
		return;
	if (fault_event_kind(rule->event_type) == FAULT_CONTEXT)
		object = fault_object_find(object->ctx);
	verbs_mutex_lock(&fault_async_mutex);
	if (object)
		raise_locked(fault, rule, object);
	verbs_mutex_unlock(&fault_async_mutex);
}

/* ------------------------------------------------------------------------ */
/* Events at their time                                                      */
/* ------------------------------------------------------------------------ */

static bool timer_runs GUARDED_BY(fault_async_mutex);
static bool timer_rules_done[FAULT_MAX_RULES] GUARDED_BY(fault_async_mutex);

/* The object may belong to a context that was closed. */
static struct fault_context *
async_find_context_locked(const struct ibv_context *ctx)
	REQUIRES(fault_async_mutex)
{
	struct fault_context *fault = fault_contexts;

	while (fault && fault->ctx != ctx)
		fault = fault->next;
	return fault;
}

/* @arg: index of the rule */
static void timer_visit(struct fault_object *object, void *arg)
	REQUIRES(fault_async_mutex)
{
	struct fault_context *fault = async_find_context_locked(object->ctx);
	const struct fault_rule *rule;

	if (!fault || object->is_going || atomic_load(&fault->is_removed))
		return;
	rule = fault_decide_at_time(*(unsigned int *)arg, object);
	if (rule)
		raise_locked(fault, rule, object);
}

/* Raises the events whose time has come. Return: that of the next; or 0. */
static uint64_t timer_progress_locked(void) REQUIRES(fault_async_mutex)
{
	uint64_t now_ns = verbs_now_ns(), due_ns, next_ns = 0;

	for (unsigned int i = 0; i < FAULT_MAX_RULES; i++) {
		if (timer_rules_done[i] || !fault_has_rule_at_time(i, &due_ns))
			continue;
		if (due_ns > now_ns) {
			if (!next_ns || due_ns < next_ns)
				next_ns = due_ns;
			continue;
		}
		timer_rules_done[i] = true;
		for (int kind = 0; kind < FAULT_NR_KINDS; kind++)
			fault_objects_visit((enum fault_kind)kind, timer_visit,
					    &i);
	}
	return next_ns;
}

static void *timer_run(void *unused)
{
	uint64_t due_ns;

	do {
		verbs_mutex_lock(&fault_async_mutex);
		due_ns = timer_progress_locked();
		timer_runs = due_ns != 0;
		verbs_mutex_unlock(&fault_async_mutex);
		if (due_ns)
			fault_helper_sleep_until(due_ns);
	} while (due_ns);
	return NULL;
}

static void timer_start_locked(void) REQUIRES(fault_async_mutex)
{
	uint64_t due_ns;

	for (unsigned int i = 0; i < FAULT_MAX_RULES && !timer_runs; i++)
		if (!timer_rules_done[i] && fault_has_rule_at_time(i, &due_ns))
			timer_runs =
				verbs_thread_start(timer_run, NULL, NULL) == 0;
}

/* ------------------------------------------------------------------------ */
/* Contexts                                                                  */
/* ------------------------------------------------------------------------ */

static void async_close_fds(struct fault_context *fault)
{
	if (fault->wait_fd >= 0)
		(void)close(fault->wait_fd);
	if (fault->pending_fd >= 0)
		(void)close(fault->pending_fd);
}

/* Return: whether a read of the program can wait for both descriptors. */
static bool async_open_fds(struct fault_context *fault)
{
	struct epoll_event event = { .events = EPOLLIN };
	int flags = fcntl(fault->provider_fd, F_GETFL);

	fault->wait_fd = epoll_create1(EPOLL_CLOEXEC);
	fault->pending_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return flags >= 0 &&
	       fcntl(fault->provider_fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
	       fault->wait_fd >= 0 && fault->pending_fd >= 0 &&
	       epoll_ctl(fault->wait_fd, EPOLL_CTL_ADD, fault->provider_fd,
			 &event) == 0 &&
	       epoll_ctl(fault->wait_fd, EPOLL_CTL_ADD, fault->pending_fd,
			 &event) == 0;
}

static struct fault_context *async_new_context(struct ibv_context *ctx)
{
	struct fault_context *fault = calloc(1, sizeof(*fault));

	if (!fault)
		return NULL;
	fault->ctx = ctx;
	fault->provider_fd = ctx->async_fd;
	if (async_open_fds(fault))
		return fault;
	async_close_fds(fault);
	free(fault);
	return NULL;
}

void fault_async_attach(struct ibv_context *ctx)
{
	struct verbs_ex_private *priv = verbs_priv(ctx);
	struct fault_context *fault;
	int saved = errno;

	layers_context(ctx)->fault = NULL;
	if (!fault_events_are_possible())
		return;
	fault = async_new_context(ctx);
	if (!fault) {
		fault_warn("%s: no memory or descriptors for event=",
			   ctx->device->name);
		errno = saved;
		return;
	}
	priv->kernel.async_fd = ctx->async_fd;
	priv->kernel.async_fd_is_replaced = true;
	ctx->async_fd = fault->wait_fd;
	priv->ops.get_async_event = fault_get_async_event;
	verbs_mutex_lock(&fault_async_mutex);
	layers_context(ctx)->fault = fault;
	fault->next = fault_contexts;
	fault_contexts = fault;
	timer_start_locked();
	verbs_mutex_unlock(&fault_async_mutex);
}

static void async_free_context(struct fault_context *fault)
{
	while (fault->first) {
		struct fault_pending *first = fault->first;

		fault->first = first->next;
		free(first);
	}
	async_close_fds(fault);
	free(fault);
}

void fault_async_detach(struct ibv_context *ctx)
{
	struct fault_context *fault = layers_context(ctx)->fault;
	struct verbs_ex_private *priv = verbs_priv(ctx);
	struct fault_context **link;

	if (!fault)
		return;
	verbs_mutex_lock(&fault_async_mutex);
	layers_context(ctx)->fault = NULL;
	link = &fault_contexts;
	while (*link != fault)
		link = &(*link)->next;
	*link = fault->next;
	verbs_mutex_unlock(&fault_async_mutex);
	priv->kernel.async_fd_is_replaced = false;
	ctx->async_fd = fault->provider_fd;
	async_free_context(fault);
}

void fault_async_lock_fork(void) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	verbs_mutex_lock(&fault_async_mutex);
}

void fault_async_unlock_fork(void) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	verbs_mutex_unlock(&fault_async_mutex);
}

void fault_async_forked(void)
{
	verbs_mutex_lock(&fault_async_mutex);
	timer_runs = false;
	verbs_mutex_unlock(&fault_async_mutex);
}
