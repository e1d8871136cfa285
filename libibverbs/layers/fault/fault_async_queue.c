/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events that the program reads, and acknowledges: see fault_async.h. */
#include "layers/fault/fault_async_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "layers/layers.h"

_Thread_local bool fault_async_is_raising;

bool fault_is_removed(const struct ibv_context *ctx)
{
	const struct fault_context *fault = layers_context(ctx)->fault;

	return fault && atomic_load(&fault->is_removed);
}

bool fault_port_is_down(const struct ibv_context *ctx, uint8_t port_num)
{
	const struct fault_context *fault = layers_context(ctx)->fault;
	bool is_down;

	if (!fault)
		return false;
	verbs_mutex_lock(&fault_async_mutex);
	is_down = fault->ports_down[port_num];
	verbs_mutex_unlock(&fault_async_mutex);
	return is_down;
}

/* ------------------------------------------------------------------------ */
/* Pending events                                                            */
/* ------------------------------------------------------------------------ */

/* An event of an object that is being destroyed cannot be read. */
static bool pending_is_readable_locked(const struct fault_pending *pending)
	REQUIRES(fault_async_mutex)
{
	return !(pending->object->is_going &&
		 pending->object->serial == pending->serial);
}

/* Return: the link of the first event that can be read, or NULL. */
static struct fault_pending **
pending_find_readable_locked(struct fault_context *fault)
	REQUIRES(fault_async_mutex)
{
	struct fault_pending **link = &fault->first;

	while (*link && !pending_is_readable_locked(*link))
		link = &(*link)->next;
	return *link ? link : NULL;
}

/* Makes the eventfd ready if an event can be read. It never blocks. */
static void pending_update_fd_locked(struct fault_context *fault)
	REQUIRES(fault_async_mutex)
{
	eventfd_t unused;

	if (pending_find_readable_locked(fault))
		(void)eventfd_write(fault->pending_fd, 1);
	else
		(void)eventfd_read(fault->pending_fd, &unused);
}

void fault_async_add_locked(struct fault_context *fault,
			    struct fault_object *object,
			    enum ibv_event_type type, uint64_t element)
{
	struct fault_pending *added = calloc(1, sizeof(*added));
	struct fault_pending **link = &fault->first;

	if (!added)
		return; /* a device without memory loses events, too */
	added->object = object;
	added->kind = object->kind;
	added->serial = object->serial;
	added->event.element = element;
	added->event.event_type = (uint32_t)type;
	while (*link)
		link = &(*link)->next;
	*link = added;
	pending_update_fd_locked(fault);
}

/* Return: whether there was one. */
static bool pending_take(struct fault_context *fault,
			 struct ib_uverbs_async_event_desc *ret_event)
{
	struct fault_pending **link, *taken = NULL;

	verbs_mutex_lock(&fault_async_mutex);
	link = pending_find_readable_locked(fault);
	if (link) {
		taken = *link;
		*link = taken->next;
		*ret_event = taken->event;
		taken->object->nr_made_read++;
		pending_update_fd_locked(fault);
	}
	verbs_mutex_unlock(&fault_async_mutex);
	free(taken);
	return taken != NULL;
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */
/* ------------------------------------------------------------------------ */

static void async_count_read(const struct ib_uverbs_async_event_desc *event)
{
	const void *address = (const void *)(uintptr_t)event->element;
	enum fault_kind kind =
		fault_event_kind((enum ibv_event_type)event->event_type);
	struct fault_object *object;

	if (kind == FAULT_CONTEXT)
		return;
	verbs_mutex_lock(&fault_async_mutex);
	object = fault_object_find(address);
	if (object && object->kind == kind)
		object->nr_read++;
	verbs_mutex_unlock(&fault_async_mutex);
}

/* Return: 0; -errno; -EAGAIN: the provider has no event. */
static int async_read_provider(const struct fault_context *fault,
			       struct ib_uverbs_async_event_desc *ret_event)
{
	ssize_t n = read(fault->provider_fd, ret_event, sizeof(*ret_event));

	if (n < 0)
		return -errno;
	if (n != (ssize_t)sizeof(*ret_event))
		return -EIO;
	async_count_read(ret_event);
	return 0;
}

/* Return: 0: an event may have come; -errno. */
static int async_wait(const struct fault_context *fault)
{
	struct pollfd wait = { .fd = fault->wait_fd, .events = POLLIN };
	int flags = fcntl(fault->wait_fd, F_GETFL);

	if (atomic_load(&fault->is_removed))
		return -EIO;
	if (flags >= 0 && (flags & O_NONBLOCK))
		return -EAGAIN;
	return poll(&wait, 1, -1) < 0 ? -errno : 0;
}

int fault_get_async_event(struct ibv_context *ctx,
			  struct ib_uverbs_async_event_desc *ret_event)
{
	struct fault_context *fault = layers_context(ctx)->fault;
	int ret;

	do {
		if (pending_take(fault, ret_event))
			return 0;
		ret = async_read_provider(fault, ret_event);
		if (ret == -EAGAIN)
			ret = async_wait(fault);
		else
			return ret;
	} while (ret == 0);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Objects that are destroyed                                                */
/* ------------------------------------------------------------------------ */

/* The members of an object that ibv_ack_async_event() changes. */
struct async_acks {
	pthread_mutex_t *mutex;
	pthread_cond_t *cond;
	uint32_t *nr;
};

static struct async_acks acks_of(enum fault_kind kind, void *object)
{
	struct ibv_srq *srq = object;
	struct ibv_qp *qp = object;
	struct ibv_cq *cq = object;

	switch (kind) {
	case FAULT_QP:
		return (struct async_acks){ &qp->mutex, &qp->cond,
					    &qp->events_completed };
	case FAULT_SRQ:
		return (struct async_acks){ &srq->mutex, &srq->cond,
					    &srq->events_completed };
	default:
		return (struct async_acks){ &cq->mutex, &cq->cond,
					    &cq->async_events_completed };
	}
}

/*
 * Waits until @nr_read + @nr_made events are acknowledged, and takes the latter
 * from the counter: the provider waits for its own events only.
 */
static void acks_wait(struct async_acks acks, uint32_t nr_read,
		      uint32_t nr_made)
{
	int state = cancel_disable();

	(void)pthread_mutex_lock(acks.mutex);
	while ((int32_t)(nr_read + nr_made - *acks.nr) > 0)
		(void)pthread_cond_wait(acks.cond, acks.mutex);
	*acks.nr -= nr_made;
	(void)pthread_mutex_unlock(acks.mutex);
	cancel_restore(state);
}

static struct fault_context *
async_object_context(const struct fault_object *object)
{
	return object ? layers_context(object->ctx)->fault : NULL;
}

void fault_async_leave(const void *object)
{
	struct fault_object *found = fault_object_find(object);
	struct fault_context *fault = async_object_context(found);
	uint32_t nr_read, nr_made;

	if (!fault)
		return;
	verbs_mutex_lock(&fault_async_mutex);
	found->is_going = true;
	pending_update_fd_locked(fault);
	nr_read = found->nr_read;
	nr_made = found->nr_made_read;
	found->nr_made_read = 0;
	verbs_mutex_unlock(&fault_async_mutex);
	if (nr_made)
		acks_wait(acks_of(found->kind, (void *)(uintptr_t)object),
			  nr_read, nr_made);
}

void fault_async_stay(const void *object)
{
	struct fault_object *found = fault_object_find(object);
	struct fault_context *fault = async_object_context(found);

	if (!fault)
		return;
	verbs_mutex_lock(&fault_async_mutex);
	found->is_going = false;
	pending_update_fd_locked(fault);
	verbs_mutex_unlock(&fault_async_mutex);
}

void fault_async_drop(const struct ibv_context *ctx, enum fault_kind kind,
		      uint64_t serial)
{
	struct fault_context *fault = layers_context(ctx)->fault;
	struct fault_pending **link;

	if (!fault)
		return;
	verbs_mutex_lock(&fault_async_mutex);
	link = &fault->first;
	while (*link) {
		struct fault_pending *pending = *link;

		if (pending->kind != kind || pending->serial != serial) {
			link = &pending->next;
			continue;
		}
		*link = pending->next;
		free(pending);
	}
	pending_update_fd_locked(fault);
	verbs_mutex_unlock(&fault_async_mutex);
}
