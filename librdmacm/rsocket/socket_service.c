/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One thread and one event channel for all sockets. While the application
 * computes, connections of a listener are accepted, and connects proceed. The
 * thread sleeps until there is an event.
 */
#include "rsocket/socket_service.h"

#include "rsocket/socket_thread.h"
#include "util/lock.h"

#include <errno.h>

static struct verbs_mutex service_mutex = VERBS_MUTEX_INIT;
static struct rdma_event_channel *service_channel GUARDED_BY(service_mutex);
static const struct socket_service_ops *
	service_stream_ops GUARDED_BY(service_mutex);
static const struct socket_service_ops *
	service_datagram_ops GUARDED_BY(service_mutex);

static const struct socket_service_ops *
service_ops_find(const struct rdma_cm_event *event)
{
	const struct socket_service_ops *ops;

	verbs_mutex_lock(&service_mutex);
	ops = event->id->ps == RDMA_PS_UDP ? service_datagram_ops
					   : service_stream_ops;
	verbs_mutex_unlock(&service_mutex);
	return ops;
}

static void *service_run(void *arg)
{
	struct rdma_event_channel *channel = arg;
	const struct socket_service_ops *ops;
	struct rdma_cm_event *event;
	void *result;

	for (;;) {
		if (rdma_get_cm_event(channel, &event) != 0) {
			if (errno == EINTR)
				continue;
			return NULL;
		}
		ops = service_ops_find(event);
		result = ops->handle(event);
		(void)rdma_ack_cm_event(event);
		if (result)
			ops->finish(result);
	}
}

static int service_start_locked(void) REQUIRES(service_mutex)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	int ret;

	if (!channel)
		return -errno;
	ret = socket_thread_start(service_run, channel);
	if (ret) {
		rdma_destroy_event_channel(channel);
		return ret;
	}
	service_channel = channel;
	return 0;
}

int socket_service_start(enum rdma_port_space ps,
			 const struct socket_service_ops *ops,
			 struct rdma_event_channel **ret_channel)
{
	int ret = 0;

	verbs_mutex_lock(&service_mutex);
	if (ps == RDMA_PS_UDP)
		service_datagram_ops = ops;
	else
		service_stream_ops = ops;
	if (!service_channel)
		ret = service_start_locked();
	if (!ret)
		*ret_channel = service_channel;
	verbs_mutex_unlock(&service_mutex);
	return ret;
}
