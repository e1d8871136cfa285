/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Accepts connections and receives MADs. Called by uroce_gsi.c. */
#include "uroce/gsi/uroce_gsi_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "util/nocancel.h"

static void conns_shut_oldest(struct uroce_gsi_conns *conns)
{
	static const uint32_t notice = UROCE_GSI_NOTICE;
	struct list_node *pos;

	list_for_each (pos, &conns->conns) {
		struct uroce_gsi_conn *conn =
			list_entry(pos, struct uroce_gsi_conn, entry);

		if (conn->is_shut)
			continue;
		conn->is_shut = true;
		conns->nr_open--;
		/* without it, the sender would conclude that the owner ended */
		(void)!send(conn->fd, &notice, sizeof(notice),
			    MSG_DONTWAIT | MSG_NOSIGNAL);
		(void)shutdown(conn->fd, SHUT_RDWR);
		return;
	}
}

int uroce_gsi_conns_accept(struct uroce_gsi_conns *conns, int listener,
			   const void *claim, struct uroce_gsi_conn **ret_conn)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = uroce_rendezvous_accept_gsi(listener);
	struct uroce_gsi_conn *conn;
	int ret = -ENOMEM;

	if (fd < 0)
		return fd;
	conn = malloc(sizeof(*conn));
	if (!conn)
		goto err_close;
	event.data.fd = fd;
	if (epoll_ctl(conns->epoll, EPOLL_CTL_ADD, fd, &event)) {
		ret = -errno;
		goto err_free;
	}
	if (conns->nr_open == UROCE_GSI_MAX_CONNS)
		conns_shut_oldest(conns);
	*conn = (struct uroce_gsi_conn){ .fd = fd, .claim = claim };
	list_add_tail(&conns->conns, &conn->entry);
	conns->nr_open++;
	*ret_conn = conn;
	return 0;

err_free:
	free(conn);
err_close:
	(void)close(fd);
	return ret;
}

struct uroce_gsi_conn *uroce_gsi_conns_find(const struct uroce_gsi_conns *conns,
					    int fd)
{
	struct list_node *pos;

	list_for_each (pos, &conns->conns) {
		struct uroce_gsi_conn *conn =
			list_entry(pos, struct uroce_gsi_conn, entry);

		if (conn->fd == fd)
			return conn;
	}
	return NULL;
}

int uroce_gsi_conn_receive(const struct uroce_gsi_conn *conn,
			   struct uroce_gsi_message *ret_messages,
			   unsigned int max, unsigned int *ret_nr)
{
	struct mmsghdr headers[UROCE_GSI_BATCH] = {};
	struct iovec iovs[UROCE_GSI_BATCH];
	int nr;

	*ret_nr = 0;
	for (unsigned int i = 0; i < max; i++) {
		iovs[i] = (struct iovec){ &ret_messages[i],
					  sizeof(ret_messages[i]) };
		headers[i].msg_hdr.msg_iov = &iovs[i];
		headers[i].msg_hdr.msg_iovlen = 1;
	}
	/* without a buffer for them, the kernel discards descriptors */
	nr = recvmmsg(conn->fd, headers, max, MSG_DONTWAIT, NULL);
	if (nr < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	for (; *ret_nr < (unsigned int)nr; ++*ret_nr) {
		const struct mmsghdr *header = &headers[*ret_nr];

		if (!header->msg_len)
			return -EPIPE;
		if (header->msg_len != sizeof(ret_messages[0]) ||
		    header->msg_hdr.msg_flags & MSG_TRUNC ||
		    ret_messages[*ret_nr].magic != UROCE_GSI_MAGIC)
			return -EPROTO;
	}
	return 0;
}

void uroce_gsi_conn_free(struct uroce_gsi_conns *conns,
			 struct uroce_gsi_conn *conn)
{
	list_del(&conn->entry);
	if (!conn->is_shut)
		conns->nr_open--;
	/* a descriptor in a child would keep it in the set */
	if (conns->epoll >= 0)
		(void)epoll_ctl(conns->epoll, EPOLL_CTL_DEL, conn->fd, NULL);
	(void)close(conn->fd);
	free(conn);
}

void uroce_gsi_conns_close(struct uroce_gsi_conns *conns, const void *claim)
{
	struct list_node *pos, *next;

	list_for_each_safe (pos, next, &conns->conns) {
		struct uroce_gsi_conn *conn =
			list_entry(pos, struct uroce_gsi_conn, entry);

		if (!claim || conn->claim == claim)
			uroce_gsi_conn_free(conns, conn);
	}
}
