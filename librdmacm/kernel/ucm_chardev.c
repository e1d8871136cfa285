/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asks the kernel for the character device of its connection manager: the
 * netlink command GET_CHARDEV for the type "rdma_cm". Called by ucm_node.c.
 *
 * The kernel executes a request inside send(), so the response is there when
 * send() returns.
 */
#include "kernel/ucm_chardev.h"

#include <assert.h>
#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CHARDEV_MESSAGE \
	RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV)
#define CHARDEV_SEQUENCE 1

/* A response has four short attributes. */
#define CHARDEV_RESPONSE_LEN 1024

struct chardev_request {
	struct nlmsghdr header;
	struct nlattr attr;
	char type[8];
};
static_assert(sizeof(struct chardev_request) ==
		      NLMSG_HDRLEN + NLA_HDRLEN + sizeof("rdma_cm"),
	      "no padding in a request");

/* ------------------------------------------------------------------------
 * The response
 */

struct chardev_attrs {
	bool has_device, has_abi;
	uint64_t device, abi;
};

/* Returns false if the attribute has another length. */
static bool chardev_read_u64(const uint8_t *payload, size_t len,
			     uint64_t *ret_value)
{
	if (len != sizeof(*ret_value))
		return false;
	memcpy(ret_value, payload, len);
	return true;
}

static int chardev_read_attrs(const uint8_t *pos, size_t len,
			      struct chardev_attrs *attrs)
{
	while (len >= sizeof(struct nlattr)) {
		const uint8_t *payload = pos + NLA_HDRLEN;
		struct nlattr attr;
		size_t step;

		memcpy(&attr, pos, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN || attr.nla_len > len)
			return -EPROTO;
		if (attr.nla_type == RDMA_NLDEV_ATTR_CHARDEV)
			attrs->has_device = chardev_read_u64(
				payload, attr.nla_len - (size_t)NLA_HDRLEN,
				&attrs->device);
		else if (attr.nla_type == RDMA_NLDEV_ATTR_CHARDEV_ABI)
			attrs->has_abi = chardev_read_u64(
				payload, attr.nla_len - (size_t)NLA_HDRLEN,
				&attrs->abi);
		/* The last attribute may lack its padding. */
		step = NLA_ALIGN((size_t)attr.nla_len);
		if (step >= len)
			break;
		pos += step;
		len -= step;
	}
	return attrs->has_device && attrs->has_abi ? 0 : -EPROTO;
}

/* The error code of NLMSG_ERROR; 0, an acknowledgement, was not requested. */
static int chardev_read_error(const uint8_t *payload, size_t len)
{
	int error;

	if (len < sizeof(error))
		return -EPROTO;
	memcpy(&error, payload, sizeof(error));
	return error < 0 && error > -4096 ? error : -EPROTO;
}

int ucm_chardev_parse(const void *datagram, size_t len,
		      struct ucm_chardev *ret_chardev)
{
	const uint8_t *payload = (const uint8_t *)datagram + NLMSG_HDRLEN;
	struct chardev_attrs attrs = {};
	struct nlmsghdr header;
	size_t payload_len;
	int ret;

	if (len < sizeof(header))
		return -EPROTO;
	memcpy(&header, datagram, sizeof(header));
	if (header.nlmsg_len < NLMSG_HDRLEN || header.nlmsg_len > len ||
	    header.nlmsg_seq != CHARDEV_SEQUENCE)
		return -EPROTO;
	payload_len = header.nlmsg_len - (size_t)NLMSG_HDRLEN;
	if (header.nlmsg_type == NLMSG_ERROR)
		return chardev_read_error(payload, payload_len);
	if (header.nlmsg_type != CHARDEV_MESSAGE)
		return -EPROTO;
	ret = chardev_read_attrs(payload, payload_len, &attrs);
	if (ret || attrs.device > UINT32_MAX)
		return -EPROTO;
	/* mmmMMMmm: 12 bits of major between 12 and 8 bits of minor */
	ret_chardev->number =
		makedev((unsigned int)(attrs.device >> 8) & 0xfff,
			(unsigned int)(attrs.device & 0xff) |
				((unsigned int)(attrs.device >> 12) & 0xfff00));
	ret_chardev->abi_version = (uint32_t)attrs.abi;
	return 0;
}

/* ------------------------------------------------------------------------
 * Request and response on a socket
 */

static int chardev_exchange(int fd, struct ucm_chardev *ret_chardev)
{
	const struct chardev_request request = {
		.header.nlmsg_len = sizeof(request),
		.header.nlmsg_type = CHARDEV_MESSAGE,
		.header.nlmsg_flags = NLM_F_REQUEST,
		.header.nlmsg_seq = CHARDEV_SEQUENCE,
		.attr.nla_len = NLA_HDRLEN + sizeof(request.type),
		.attr.nla_type = RDMA_NLDEV_ATTR_CHARDEV_TYPE,
		.type = "rdma_cm",
	};
	uint8_t response[CHARDEV_RESPONSE_LEN];
	struct sockaddr_nl sender = {};
	socklen_t sender_len = sizeof(sender);
	ssize_t len;

	/* Without an address, the kernel is the receiver. */
	if (send(fd, &request, sizeof(request), 0) < 0)
		return -errno;
	len = recvfrom(fd, response, sizeof(response), MSG_DONTWAIT | MSG_TRUNC,
		       (struct sockaddr *)(void *)&sender, &sender_len);
	if (len < 0)
		return -errno;
	/* Every process may send to a netlink socket. */
	if (sender.nl_pid != 0 || (size_t)len > sizeof(response))
		return -EPROTO;
	return ucm_chardev_parse(response, (size_t)len, ret_chardev);
}

int ucm_chardev_query(struct ucm_chardev *ret_chardev)
{
	int saved_errno = errno;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	int ret;

	if (fd < 0) {
		ret = -errno;
	} else {
		ret = chardev_exchange(fd, ret_chardev);
		(void)close(fd); /* a socket has nothing to flush */
	}
	errno = saved_errno;
	return ret;
}
