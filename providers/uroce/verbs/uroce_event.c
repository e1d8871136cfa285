/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events: pipes that carry records in the kernel's format, and the callbacks by
 * which the worker reports events. Because of the format, the library and
 * applications that read the descriptors themselves work unchanged.
 *
 * Applications poll, duplicate and close the read ends; the provider keeps the
 * write ends. It frees a closed channel when the next channel is created, or
 * when the context is closed. Writing never blocks. A pipe has room for
 * thousands of records, and a CQ must be armed again before it writes another.
 *
 * The engine lock protects all of this state.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uroce/verbs/uroce_verbs.h"
#include "util/nocancel.h"

/* struct ib_uverbs_comp_event_desc of the kernel */
struct comp_record {
	uint64_t element;
};

/* struct ib_uverbs_async_event_desc of the kernel */
struct async_record {
	uint64_t element; /* address of the object, or port number */
	uint32_t type;	  /* enum ibv_event_type */
	uint32_t reserved;
};

/* ------------------------------------------------------------------------ */
/* Pipes                                                                     */
/* ------------------------------------------------------------------------ */

static int pipe_open(struct uroce_event_pipe *ret_pipe)
{
	int fds[2];
	int ret;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	/* the flags of the read end belong to the application */
	if (fcntl(fds[1], F_SETFL, O_NONBLOCK) != 0) {
		ret = -errno;
		(void)close(fds[0]);
		(void)close(fds[1]);
		return ret;
	}
	ret_pipe->read_fd = fds[0];
	ret_pipe->write_fd = fds[1];
	return 0;
}

static void pipe_close(struct uroce_event_pipe *pipe)
{
	if (pipe->write_fd >= 0)
		(void)close(pipe->write_fd); /* no buffered data to lose */
	pipe->write_fd = -1;
}

/* Whether all read ends are closed: a write would raise SIGPIPE. */
static bool pipe_is_deserted(const struct uroce_event_pipe *pipe)
{
	struct pollfd fd = { .fd = pipe->write_fd };

	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLERR);
}

/* Return: whether the record was written. */
static bool pipe_write(const struct uroce_event_pipe *pipe, const void *record,
		       size_t size)
{
	if (pipe->write_fd < 0 || pipe_is_deserted(pipe))
		return false;
	return write(pipe->write_fd, record, size) == (ssize_t)size;
}

/*
 * Reads up to @size bytes through the pipe @way. The read end may be in
 * blocking mode, and another thread may empty it first: splice() has a
 * flag that prevents blocking in that case.
 */
static size_t pipe_drain(const struct uroce_event_pipe *pipe, const int *way,
			 uint8_t *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = splice(pipe->read_fd, NULL, way[1], NULL,
				   size - len, SPLICE_F_NONBLOCK);

		if (n <= 0)
			break;
		n = read(way[0], buf + len, (size_t)n);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return len;
}

/* Writes back all records except those of @element; returns their number. */
static uint32_t pipe_refill(const struct uroce_event_pipe *pipe,
			    const uint8_t *buf, size_t len, size_t record,
			    uint64_t element)
{
	uint32_t nr_removed = 0;

	for (size_t at = 0; at + record <= len; at += record) {
		uint64_t whose;

		memcpy(&whose, buf + at, sizeof(whose));
		if (whose == element)
			nr_removed++;
		else
			(void)pipe_write(pipe, buf + at, record); /* has room */
	}
	return nr_removed;
}

/* Removes the records of @element from a pipe. */
static int pipe_remove(const struct uroce_event_pipe *pipe, size_t record,
		       uint64_t element, uint32_t *ret_nr)
{
	int way[2];
	int size = 0;
	uint8_t *buf;

	*ret_nr = 0;
	if (pipe->write_fd < 0 || pipe_is_deserted(pipe) ||
	    ioctl(pipe->write_fd, FIONREAD, &size) != 0 || size <= 0)
		return 0;
	buf = malloc((size_t)size);
	if (!buf)
		return -ENOMEM;
	if (pipe2(way, O_CLOEXEC | O_NONBLOCK) != 0) {
		free(buf);
		return -errno;
	}
	*ret_nr = pipe_refill(pipe, buf,
			      pipe_drain(pipe, way, buf, (size_t)size), record,
			      element);
	(void)close(way[0]);
	(void)close(way[1]);
	free(buf);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Descriptors of applications                                               */
/* ------------------------------------------------------------------------ */

int uroce_alloc_async_fd(struct ibv_context *ibctx, int *ret_fd)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	struct uroce_event_pipe pipe = {};
	int ret;

	ret = pipe_open(&pipe);
	if (ret)
		return ret;
	uroce_instance_lock(ctx->instance);
	ctx->async = pipe;
	uroce_instance_unlock(ctx->instance);
	*ret_fd = pipe.read_fd;
	return 0;
}

static void channel_free(struct uroce_comp_channel *channel)
{
	list_del(&channel->entry);
	pipe_close(&channel->pipe);
	free(channel);
}

static void free_deserted(struct uroce_context *ctx)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &ctx->channels) {
		struct uroce_comp_channel *channel =
			list_entry(pos, struct uroce_comp_channel, entry);

		if (!channel->nr_cqs && pipe_is_deserted(&channel->pipe))
			channel_free(channel);
	}
}

int uroce_create_comp_channel(struct ibv_context *ibctx, int *ret_fd)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	struct uroce_comp_channel *channel = calloc(1, sizeof(*channel));
	int ret;

	if (!channel)
		return -ENOMEM;
	ret = pipe_open(&channel->pipe);
	if (ret) {
		free(channel);
		return ret;
	}
	*ret_fd = channel->pipe.read_fd;
	uroce_instance_lock(ctx->instance);
	free_deserted(ctx);
	/* in front: an older channel with the same fd number is closed */
	list_add(&ctx->channels, &channel->entry);
	uroce_instance_unlock(ctx->instance);
	return 0;
}

struct uroce_comp_channel *uroce_comp_channel_find(struct uroce_context *ctx,
						   int fd)
{
	struct list_node *pos;

	list_for_each (pos, &ctx->channels) {
		struct uroce_comp_channel *channel =
			list_entry(pos, struct uroce_comp_channel, entry);

		if (channel->pipe.read_fd == fd)
			return channel;
	}
	return NULL;
}

void uroce_comp_channels_free(struct uroce_context *ctx)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &ctx->channels)
		channel_free(list_entry(pos, struct uroce_comp_channel, entry));
	pipe_close(&ctx->async);
}

/* ------------------------------------------------------------------------ */
/* Raising events                                                            */
/* ------------------------------------------------------------------------ */

/* Return: whether the event was written. */
static bool raise_async(struct uroce_context *ctx, uint64_t element,
			enum ibv_event_type type)
{
	const struct async_record record = {
		.element = element,
		.type = (uint32_t)type,
	};

	return pipe_write(&ctx->async, &record, sizeof(record));
}

static void on_cq(struct uroce_cq *cq, bool wake, bool overrun)
{
	struct uroce_verbs_cq *vcq = cq->owner;
	const struct comp_record record = {
		.element = (uintptr_t)&vcq->vcq.cq,
	};

	if (wake && vcq->channel &&
	    pipe_write(&vcq->channel->pipe, &record, sizeof(record)))
		vcq->raised.comp_events++;
	if (overrun &&
	    raise_async(vcq->ctx, (uintptr_t)&vcq->vcq.cq, IBV_EVENT_CQ_ERR))
		vcq->raised.async_events++;
}

static void on_rq(struct uroce_rq *rq)
{
	struct uroce_verbs_srq *srq = rq->owner;

	if (raise_async(srq->ctx, (uintptr_t)&srq->vsrq.srq,
			IBV_EVENT_SRQ_LIMIT_REACHED))
		srq->raised.async_events++;
}

static void event_on_handle(struct uroce_verbs_qp *vqp, uint32_t events)
{
	for (uint32_t type = 0; events; type++, events >>= 1)
		if ((events & 1) &&
		    raise_async(vqp->ctx, (uintptr_t)&vqp->vqp.qp,
				(enum ibv_event_type)type))
			vqp->raised.async_events++;
}

static void event_on_qp(struct uroce_qp *qp, uint32_t events)
{
	struct uroce_verbs_qp *vqp = qp->owner;
	struct list_node *pos;

	event_on_handle(vqp, events);
	list_for_each (pos, &vqp->handles)
		event_on_handle(list_entry(pos, struct uroce_verbs_qp, handles),
				events);
}

static void on_netdev(void *owner, enum uroce_netdev_event event)
{
	static const enum ibv_event_type types[] = {
		[UROCE_NETDEV_UP] = IBV_EVENT_PORT_ACTIVE,
		[UROCE_NETDEV_DOWN] = IBV_EVENT_PORT_ERR,
		[UROCE_NETDEV_GIDS] = IBV_EVENT_GID_CHANGE,
	};

	(void)raise_async(owner, UROCE_PORT, types[event]); /* not counted */
}

const struct uroce_worker_ops uroce_worker_callbacks = {
	.cq_event = on_cq,
	.rq_event = on_rq,
	.qp_event = event_on_qp,
	.netdev_event = on_netdev,
};

int uroce_events_forget(struct uroce_context *ctx, const void *element,
			struct uroce_comp_channel *channel,
			struct verbs_event_count *raised)
{
	uint32_t nr_comp = 0, nr_async = 0;
	int ret = 0;

	if (raised->comp_events)
		ret = pipe_remove(&channel->pipe, sizeof(struct comp_record),
				  (uintptr_t)element, &nr_comp);
	if (ret)
		return ret;
	raised->comp_events -= nr_comp;
	if (raised->async_events)
		ret = pipe_remove(&ctx->async, sizeof(struct async_record),
				  (uintptr_t)element, &nr_async);
	if (ret)
		return ret;
	raised->async_events -= nr_async;
	return 0;
}
