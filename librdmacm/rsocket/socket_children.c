/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The connections of listening sockets. children_mutex keeps the listener of a
 * connection alive, and is taken before the lock of the listener.
 */
#include "rsocket/socket_children.h"

#include "rsocket/socket_waiter.h"

/* The maximum of rdma_listen() */
#define CHILDREN_MAX_BACKLOG 1024

/* rsocket.listener, children and child_node of all sockets */
static struct verbs_mutex children_mutex = VERBS_MUTEX_INIT;

void socket_children_add(struct rsocket *listener, struct rsocket *child)
{
	verbs_mutex_lock(&children_mutex);
	child->listener = listener;
	list_add_tail(&listener->children, &child->child_node);
	listener->nr_children++;
	verbs_mutex_unlock(&children_mutex);
}

bool socket_children_has_room(const struct rsocket *listener)
{
	bool has_room;

	verbs_mutex_lock(&children_mutex);
	has_room = listener->nr_children < listener->max_children;
	verbs_mutex_unlock(&children_mutex);
	return has_room;
}

void socket_children_set_backlog(struct rsocket *listener, int backlog)
{
	verbs_mutex_lock(&children_mutex);
	listener->max_children = backlog <= 0 || backlog > CHILDREN_MAX_BACKLOG
					 ? CHILDREN_MAX_BACKLOG
					 : (unsigned int)backlog;
	verbs_mutex_unlock(&children_mutex);
}

void socket_children_set_ready(struct rsocket *child)
{
	struct rsocket *listener;

	verbs_mutex_lock(&children_mutex);
	listener = child->listener;
	if (listener) {
		verbs_mutex_lock(&listener->lock);
		list_add_tail(&listener->ready, &child->ready_node);
		socket_notify_locked(listener);
		verbs_mutex_unlock(&listener->lock);
	}
	verbs_mutex_unlock(&children_mutex);
}

struct rsocket *socket_children_take_ready_locked(struct rsocket *listener)
{
	struct list_node *node = listener->ready.next;

	if (list_empty(&listener->ready))
		return NULL;
	list_del(node);
	return list_entry(node, struct rsocket, ready_node);
}

static bool children_remove_locked(struct rsocket *child)
	REQUIRES(children_mutex)
{
	if (!child->listener)
		return false;
	child->listener->nr_children--;
	child->listener = NULL;
	list_del(&child->child_node);
	return true;
}

bool socket_children_remove(struct rsocket *child)
{
	bool had_listener;

	verbs_mutex_lock(&children_mutex);
	had_listener = children_remove_locked(child);
	verbs_mutex_unlock(&children_mutex);
	return had_listener;
}

struct rsocket *socket_children_take(struct rsocket *listener)
{
	struct rsocket *child = NULL;

	verbs_mutex_lock(&children_mutex);
	if (!list_empty(&listener->children)) {
		child = list_entry(listener->children.next, struct rsocket,
				   child_node);
		(void)children_remove_locked(child);
	}
	verbs_mutex_unlock(&children_mutex);
	return child;
}
