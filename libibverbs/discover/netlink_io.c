/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends requests and receives datagrams of RDMA netlink. Called by
 * discover_netlink.c and copy_on_fork.c. libnl builds the requests; many are
 * sent in one call. Many datagrams are received in one call, which libnl cannot
 * do, and passed to netlink_parse.c.
 */
#include "discover/netlink_io.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <poll.h>
#include <rdma/rdma_netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/*
 * Present kernels send one device per datagram of about 150 bytes, for any
 * buffer size. A kernel that fills its datagrams may use up to 32 KiB for each.
 */
#define RX_SLOTS      64
#define RX_SLOTS_WIDE 2
#define RX_BYTES      ((size_t)64 * 1024)

#define WAIT_MS	  1000
#define MAX_WAITS 100 /* limit of interrupted waits */

struct verbs_netlink_rx {
	struct mmsghdr msgs[RX_SLOTS];
	struct iovec iovs[RX_SLOTS];
	struct sockaddr_nl from[RX_SLOTS];
	union {
		char bytes[RX_BYTES];
		struct nlmsghdr align;
	} data;
};

static int netlink_batch_add(struct verbs_netlink_batch *batch,
			     struct nl_msg *msg)
{
	const struct nlmsghdr *hdr = nlmsg_hdr(msg);

	if (hdr->nlmsg_len > sizeof(batch->bytes) - batch->used)
		return -EMSGSIZE;
	memcpy(batch->bytes + batch->used, hdr, hdr->nlmsg_len);
	batch->used += NLMSG_ALIGN(hdr->nlmsg_len);
	return 0;
}

int verbs_netlink_batch_dump(struct verbs_netlink_batch *batch)
{
	struct nl_msg *msg;
	int ret = -ENOMEM;

	msg = nlmsg_alloc_size(VERBS_NETLINK_REQUEST_BYTES);
	if (!msg)
		return -ENOMEM;
	if (nlmsg_put(msg, 0, VERBS_NETLINK_DUMP_NUMBER,
		      RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), 0,
		      NLM_F_REQUEST | NLM_F_DUMP))
		ret = netlink_batch_add(batch, msg);
	nlmsg_free(msg);
	return ret;
}

int verbs_netlink_batch_query(struct verbs_netlink_batch *batch,
			      uint32_t number, uint32_t ibdev_index)
{
	struct nl_msg *msg;
	int ret = -ENOMEM;

	msg = nlmsg_alloc_size(VERBS_NETLINK_REQUEST_BYTES);
	if (!msg)
		return -ENOMEM;
	if (nlmsg_put(
		    msg, 0, number,
		    RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV),
		    0, NLM_F_REQUEST) &&
	    !nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, ibdev_index) &&
	    !nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs"))
		ret = netlink_batch_add(batch, msg);
	nlmsg_free(msg);
	return ret;
}

int verbs_netlink_batch_system(struct verbs_netlink_batch *batch,
			       uint32_t number)
{
	struct nl_msg *msg;
	int ret = -ENOMEM;

	msg = nlmsg_alloc_size(VERBS_NETLINK_REQUEST_BYTES);
	if (!msg)
		return -ENOMEM;
	if (nlmsg_put(msg, 0, number,
		      RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET),
		      0, NLM_F_REQUEST))
		ret = netlink_batch_add(batch, msg);
	nlmsg_free(msg);
	return ret;
}

int verbs_netlink_batch_send(int fd, const struct verbs_netlink_batch *batch)
{
	ssize_t len;

	/* Without an address, a netlink socket sends to the kernel. */
	do {
		len = send(fd, batch->bytes, batch->used, 0);
	} while (len < 0 && errno == EINTR);

	if (len < 0)
		return -errno;
	return (size_t)len == batch->used ? 0 : -EIO;
}

struct verbs_netlink_rx *verbs_netlink_rx_new(void)
{
	return malloc(sizeof(struct verbs_netlink_rx));
}

void verbs_netlink_rx_free(struct verbs_netlink_rx *rx)
{
	free(rx);
}

static unsigned int netlink_rx_prepare(struct verbs_netlink_rx *rx, bool wide)
{
	unsigned int nr_slots = wide ? RX_SLOTS_WIDE : RX_SLOTS;
	size_t slot_bytes = RX_BYTES / nr_slots;

	for (unsigned int i = 0; i < nr_slots; i++) {
		rx->iovs[i].iov_base = rx->data.bytes + i * slot_bytes;
		rx->iovs[i].iov_len = slot_bytes;
		rx->msgs[i] = (struct mmsghdr){
			.msg_hdr = {
				.msg_name = &rx->from[i],
				.msg_namelen = sizeof(rx->from[i]),
				.msg_iov = &rx->iovs[i],
				.msg_iovlen = 1,
			},
		};
	}
	return nr_slots;
}

static bool netlink_is_from_kernel(const struct msghdr *msg)
{
	const struct sockaddr_nl *from = msg->msg_name;

	return msg->msg_namelen >= sizeof(*from) &&
	       from->nl_family == AF_NETLINK && from->nl_pid == 0;
}

int verbs_netlink_receive(int fd, struct verbs_netlink_rx *rx, bool wide,
			  struct verbs_netlink_scan *scan, size_t *ret_nr)
{
	int nr;

	nr = recvmmsg(fd, rx->msgs, netlink_rx_prepare(rx, wide), MSG_DONTWAIT,
		      NULL);
	*ret_nr = nr > 0 ? (size_t)nr : 0;
	if (nr < 0)
		return -errno;

	for (int i = 0; i < nr; i++) {
		const struct msghdr *msg = &rx->msgs[i].msg_hdr;
		int ret;

		if (!netlink_is_from_kernel(msg))
			continue;
		if (msg->msg_flags & MSG_TRUNC)
			return -EMSGSIZE;
		ret = verbs_netlink_parse(scan, msg->msg_iov->iov_base,
					  rx->msgs[i].msg_len);
		if (ret)
			return ret;
	}
	return 0;
}

int verbs_netlink_wait(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	for (int i = 0; i < MAX_WAITS; i++) {
		int nr = poll(&pollfd, 1, WAIT_MS);

		if (nr > 0)
			return 0;
		if (nr == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
	return -ETIMEDOUT;
}
