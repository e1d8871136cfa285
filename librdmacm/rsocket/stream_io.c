/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sending and receiving. Data is copied into the send buffer, or into the work
 * request if it is short; a call returns when all of it is posted. The first
 * message of a call is short, so that the network has something to do while the
 * following, longer ones are copied.
 */
#include "rsocket/stream_io.h"

#include "rsocket/io_cursor.h"
#include "rsocket/socket_wait.h"
#include "rsocket/socket_waiter.h"
#include "rsocket/stream_qp.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Longest data that is copied into a work request */
#define IO_MAX_INLINE 256

/* Not before the entries of riomap() that came first */
static bool can_send(const struct rsocket *socket)
{
	return stream_flow_can_send(&socket->flow) &&
	       !socket->iomaps.nr_pending;
}

static bool can_write_at(const struct rsocket *socket)
{
	const struct stream_flow *flow = &socket->flow;

	return flow->can_write && !socket->iomaps.nr_pending &&
	       flow->nr_outstanding < flow->sizes.nr_sends &&
	       flow->sizes.send_len - flow->send_used >= STREAM_FIRST_MESSAGE;
}

static bool send_wait_is_over(const struct rsocket *socket)
{
	return can_send(socket) || !socket->flow.can_write;
}

static bool write_wait_is_over(const struct rsocket *socket)
{
	return can_write_at(socket) || !socket->flow.can_write;
}

static bool receive_wait_is_over(const struct rsocket *socket)
{
	return socket->flow.nr_readable || !socket->flow.can_read;
}

static bool connect_is_over(const struct rsocket *socket)
{
	return socket->state != RSOCKET_CONNECTING;
}

/* Returns 0 if the socket has, or had, a connection. */
static int connection_check_unlocking(struct rsocket *socket, bool waits)
{
	int ret = 0;

	if (socket->state == RSOCKET_CONNECTING)
		ret = waits ? socket_wait_unlocking(socket, connect_is_over)
			    : -EAGAIN;
	if (ret)
		return ret;
	if (socket->state == RSOCKET_FAILED && socket->error)
		return socket->error;
	return socket->state == RSOCKET_CONNECTED ? 0 : -ENOTCONN;
}

static int send_ready_unlocking(struct rsocket *socket, bool waits,
				socket_condition *is_ready,
				socket_condition *is_over)
{
	int ret;

	if (is_ready(socket))
		return 0;
	stream_qp_flush_locked(socket);
	stream_qp_progress_locked(socket);
	if (!is_over(socket)) {
		if (!waits)
			return -EAGAIN;
		ret = socket_wait_unlocking(socket, is_over);
		if (ret)
			return ret;
	}
	if (is_ready(socket))
		return 0;
	return socket->flow.error ? socket->flow.error : -ECONNRESET;
}

static void send_message_locked(struct rsocket *socket,
				struct io_cursor *cursor,
				const struct stream_message *message,
				bool is_inline, bool has_imm)
{
	uint32_t send_len = socket->flow.sizes.send_len;
	uint32_t to_end = send_len - message->send_at;
	uint8_t *buffer = socket->qp.send;
	uint8_t bytes[IO_MAX_INLINE];

	if (is_inline) {
		io_cursor_read(cursor, bytes, message->len);
	} else if (message->len <= to_end) {
		io_cursor_read(cursor, &buffer[message->send_at], message->len);
	} else {
		io_cursor_read(cursor, &buffer[message->send_at], to_end);
		io_cursor_read(cursor, buffer, message->len - to_end);
	}
	stream_qp_post_locked(socket, message, is_inline ? bytes : NULL,
			      has_imm);
}

static bool is_inline_len(const struct rsocket *socket, size_t len)
{
	return len <= socket->qp.max_inline && len <= IO_MAX_INLINE;
}

static uint32_t next_max(uint32_t max)
{
	return max < STREAM_MAX_MESSAGE ? max * 2 : max;
}

/* An error is reported only if no byte of @len was transferred. */
static ssize_t transfer_result(const struct io_cursor *cursor, size_t len,
			       int ret)
{
	return cursor->left == len && ret ? ret : (ssize_t)(len - cursor->left);
}

static int send_all_unlocking(struct rsocket *socket, struct io_cursor *cursor,
			      bool waits)
{
	uint32_t max = STREAM_FIRST_MESSAGE;
	struct stream_message message;
	bool is_inline;
	int ret;

	while (cursor->left) {
		ret = send_ready_unlocking(socket, waits, can_send,
					   send_wait_is_over);
		if (ret)
			return ret;
		is_inline = is_inline_len(socket, cursor->left);
		if (!stream_flow_take_data(&socket->flow, cursor->left, max,
					   is_inline, &message))
			continue;
		send_message_locked(socket, cursor, &message, is_inline, true);
		max = next_max(max);
	}
	return 0;
}

ssize_t stream_send(struct rsocket *socket, const struct iovec *iov, int nr_iov,
		    int flags)
{
	struct io_cursor cursor;
	size_t len;
	bool waits;
	int ret = io_cursor_init(&cursor, iov, nr_iov);

	if (ret)
		return ret;
	len = cursor.left;
	verbs_mutex_lock(&socket->lock);
	waits = socket_waits_locked(socket, flags);
	ret = connection_check_unlocking(socket, waits);
	if (!ret)
		ret = send_all_unlocking(socket, &cursor, waits);
	verbs_mutex_unlock(&socket->lock);
	return transfer_result(&cursor, len, ret);
}

/* Copies readable bytes; those of a reader that peeks stay. */
static void receive_copy_locked(struct rsocket *socket,
				struct io_cursor *cursor, bool peeks)
{
	struct stream_flow *flow = &socket->flow;
	uint32_t skip = 0;

	while (cursor->left) {
		struct stream_span span = stream_flow_readable(flow, skip);

		if (!span.len)
			break;
		if (span.len > cursor->left)
			span.len = (uint32_t)cursor->left;
		io_cursor_write(cursor, &socket->qp.recv[span.at], span.len);
		if (peeks)
			skip += span.len;
		else
			stream_flow_consume(flow, span.len);
	}
	if (!peeks)
		stream_qp_flush_locked(socket);
}

static int receive_all_unlocking(struct rsocket *socket,
				 struct io_cursor *cursor, int flags,
				 bool waits)
{
	bool peeks = (flags & MSG_PEEK) != 0;
	bool needs_all = (flags & MSG_WAITALL) && !peeks && waits;
	size_t len = cursor->left;
	int ret;

	for (;;) {
		if (!socket->flow.nr_readable)
			stream_qp_progress_locked(socket);
		receive_copy_locked(socket, cursor, peeks);
		if (!cursor->left || (cursor->left < len && !needs_all))
			return 0;
		if (!socket->flow.can_read && !socket->flow.nr_readable)
			return socket->flow.error;
		if (!waits)
			return -EAGAIN;
		ret = socket_wait_unlocking(socket, receive_wait_is_over);
		if (ret)
			return ret;
	}
}

ssize_t stream_receive(struct rsocket *socket, const struct iovec *iov,
		       int nr_iov, int flags)
{
	struct io_cursor cursor;
	size_t len;
	bool waits;
	int ret = io_cursor_init(&cursor, iov, nr_iov);

	if (ret)
		return ret;
	len = cursor.left;
	verbs_mutex_lock(&socket->lock);
	waits = socket_waits_locked(socket, flags);
	/* While the socket connects, receiving does not block. */
	ret = connection_check_unlocking(socket, false);
	if (!ret)
		ret = receive_all_unlocking(socket, &cursor, flags, waits);
	verbs_mutex_unlock(&socket->lock);
	return transfer_result(&cursor, len, ret);
}

/* The entry of the peer that has @offset; false: there is none. */
static bool iomap_find(const struct rsocket *socket, uint64_t offset,
		       struct stream_iomap *ret_iomap)
{
	const size_t first = STREAM_NR_SGES * STREAM_SGE_LEN;

	for (uint32_t i = 0; i < socket->flow.local.nr_iomaps; i++) {
		stream_iomap_decode(socket->qp.sgl + first +
					    (size_t)i * STREAM_IOMAP_LEN,
				    ret_iomap);
		if (offset >= ret_iomap->offset &&
		    offset - ret_iomap->offset < ret_iomap->sge.len)
			return true;
	}
	return false;
}

static int write_at_unlocking(struct rsocket *socket, struct io_cursor *cursor,
			      uint64_t offset, bool waits)
{
	uint32_t max = STREAM_FIRST_MESSAGE;
	struct stream_message message;
	struct stream_iomap iomap;
	bool is_inline;
	uint64_t skip;
	size_t len;
	int ret;

	while (cursor->left) {
		ret = send_ready_unlocking(socket, waits, can_write_at,
					   write_wait_is_over);
		if (ret)
			return ret;
		if (!iomap_find(socket, offset, &iomap))
			return 0;
		skip = offset - iomap.offset;
		len = cursor->left;
		if (len > iomap.sge.len - skip)
			len = (size_t)(iomap.sge.len - skip);
		is_inline = is_inline_len(socket, len);
		if (!stream_flow_take_write(&socket->flow, len, max, is_inline,
					    &message))
			continue;
		message.remote_address = iomap.sge.address + skip;
		message.rkey = iomap.sge.rkey;
		send_message_locked(socket, cursor, &message, is_inline, false);
		offset += message.len;
		max = next_max(max);
	}
	return 0;
}

ssize_t stream_write_at(struct rsocket *socket, const void *bytes, size_t len,
			uint64_t offset, int flags)
{
	const struct iovec iov = { .iov_base = (void *)(uintptr_t)bytes,
				   .iov_len = len };
	struct io_cursor cursor;
	bool waits;
	int ret = io_cursor_init(&cursor, &iov, 1);

	if (ret)
		return ret;
	verbs_mutex_lock(&socket->lock);
	waits = socket_waits_locked(socket, flags);
	ret = connection_check_unlocking(socket, waits);
	/* Entries of the peer come before the messages that follow them. */
	if (!ret)
		stream_qp_progress_locked(socket);
	if (!ret)
		ret = write_at_unlocking(socket, &cursor, offset, waits);
	verbs_mutex_unlock(&socket->lock);
	return transfer_result(&cursor, len, ret);
}

/* -- the end -- */

static bool all_is_sent(const struct rsocket *socket)
{
	return stream_flow_is_idle(&socket->flow) || socket->flow.error ||
	       socket->has_cm_end;
}

int stream_shutdown_unlocking(struct rsocket *socket, int how)
{
	if (socket->state != RSOCKET_CONNECTED)
		return -ENOTCONN;
	stream_qp_progress_locked(socket);
	stream_flow_shutdown(&socket->flow, how != SHUT_WR, how != SHUT_RD);
	stream_qp_flush_locked(socket);
	socket_notify_locked(socket);
	if (how == SHUT_RDWR && !socket->is_nonblocking)
		return socket_wait_unlocking(socket, all_is_sent);
	return 0;
}

void stream_close_unlocking(struct rsocket *socket)
{
	if (socket->state != RSOCKET_CONNECTED)
		return;
	stream_qp_progress_locked(socket);
	stream_flow_shutdown(&socket->flow, true, true);
	stream_qp_flush_locked(socket);
	while (socket_wait_unlocking(socket, all_is_sent) == -EINTR)
		;
}
