/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces socket() and the functions that send and receive: an RDMA netlink
 * socket becomes a socket of another netlink family, which processes may use
 * among themselves. A message that the program sends is a request to the
 * kernel. The shim sends the responses to the program's socket from another
 * socket of that family, so poll and receive need no replacement, except that
 * the sender's address becomes the kernel's.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define EXPORT __attribute__((visibility("default")))

#define UVERBS_MAJOR 231
#define MAX_SOCKETS  64

static struct {
	ino_t inode;
	dev_t dev;
} sockets[MAX_SOCKETS];
static size_t nr_sockets; /* only grows; read without the mutex */

static int real_socket(int domain, int type, int protocol)
{
	return (int)syscall(SYS_socket, domain, type, protocol);
}

static bool is_ours(int fd)
{
	int saved = errno;
	struct stat st;
	bool ours = false;

	if (nr_sockets && shim_real_stat(fd, "", &st, AT_EMPTY_PATH) == 0)
		for (size_t i = 0; i < nr_sockets; i++)
			ours |= sockets[i].inode == st.st_ino &&
				sockets[i].dev == st.st_dev;
	errno = saved;
	return ours;
}

static void record_socket(int fd)
{
	struct stat st;

	if (is_ours(fd) || shim_real_stat(fd, "", &st, AT_EMPTY_PATH) != 0)
		return;
	shim_lock();
	if (nr_sockets < MAX_SOCKETS) {
		sockets[nr_sockets].inode = st.st_ino;
		sockets[nr_sockets].dev = st.st_dev;
		nr_sockets++;
	}
	shim_unlock();
}

EXPORT int socket(int domain, int type, int protocol)
{
	int fd;

	if (domain != AF_NETLINK || protocol != NETLINK_RDMA)
		return real_socket(domain, type, protocol);
	if (!shim_config()->is_there || shim_config()->no_netlink) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	fd = real_socket(domain, type, NETLINK_USERSOCK);
	if (fd >= 0)
		record_socket(fd);
	return fd;
}

/* ------------------------------------------------------------------------ */
/* Responses                                                                 */
/* ------------------------------------------------------------------------ */

struct response {
	union {
		struct nlmsghdr hdr;
		char bytes[1024];
	} u;
	int fd;	      /* sends the response */
	uint32_t pid; /* port id of the requester */
};

static void put(struct response *response, uint16_t type, const void *data,
		size_t len)
{
	struct nlattr attr = { .nla_type = type,
			       .nla_len = (uint16_t)(NLA_HDRLEN + len) };
	size_t used = NLMSG_ALIGN(response->u.hdr.nlmsg_len);

	if (used + NLA_HDRLEN + NLA_ALIGN(len) > sizeof(response->u.bytes))
		return;
	memcpy(response->u.bytes + used, &attr, sizeof(attr));
	memcpy(response->u.bytes + used + NLA_HDRLEN, data, len);
	response->u.hdr.nlmsg_len =
		(uint32_t)(used + NLA_HDRLEN + NLA_ALIGN(len));
}

static void put_u8(struct response *response, uint16_t type, uint8_t value)
{
	put(response, type, &value, sizeof(value));
}

static void put_u32(struct response *response, uint16_t type, uint32_t value)
{
	put(response, type, &value, sizeof(value));
}

static void put_u64(struct response *response, uint16_t type, uint64_t value)
{
	put(response, type, &value, sizeof(value));
}

static void put_text(struct response *response, uint16_t type, const char *text)
{
	put(response, type, text, strlen(text) + 1);
}

static void begin_response(struct response *response,
			   const struct nlmsghdr *request, uint16_t type,
			   uint16_t flags)
{
	memset(&response->u, 0, sizeof(response->u));
	response->u.hdr = (struct nlmsghdr){
		.nlmsg_len = NLMSG_HDRLEN,
		.nlmsg_type = type,
		.nlmsg_flags = flags,
		.nlmsg_seq = request->nlmsg_seq,
		.nlmsg_pid = response->pid,
	};
}

static void send_response(struct response *response)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK,
				  .nl_pid = response->pid };

	/* A full socket loses the message, as with the kernel. */
	(void)syscall(SYS_sendto, response->fd, response->u.bytes,
		      response->u.hdr.nlmsg_len, MSG_DONTWAIT, &to, sizeof(to));
}

static void respond_error(struct response *response,
			  const struct nlmsghdr *request, int err)
{
	const struct nlmsgerr body = { .error = err, .msg = *request };

	begin_response(response, request, NLMSG_ERROR, 0);
	memcpy(response->u.bytes + NLMSG_HDRLEN, &body, sizeof(body));
	response->u.hdr.nlmsg_len += sizeof(body);
	send_response(response);
}

static void respond_dump(struct response *response,
			 const struct nlmsghdr *request)
{
	for (size_t i = 0; i < shim_config()->nr_devices; i++) {
		const struct shim_device *device = &shim_config()->devices[i];

		begin_response(response, request, request->nlmsg_type,
			       NLM_F_MULTI);
		put_u32(response, RDMA_NLDEV_ATTR_DEV_INDEX, device->index);
		put_text(response, RDMA_NLDEV_ATTR_DEV_NAME, device->name);
		put_u32(response, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
		put_u64(response, RDMA_NLDEV_ATTR_NODE_GUID, device->guid);
		put_u64(response, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, device->guid);
		put_u8(response, RDMA_NLDEV_ATTR_DEV_NODE_TYPE,
		       (uint8_t)device->node_type);
		send_response(response);
	}
	begin_response(response, request, NLMSG_DONE, NLM_F_MULTI);
	response->u.hdr.nlmsg_len += sizeof(int); /* 0: no error */
	send_response(response);
}

/* Return: the value of a 32-bit attribute of a request, or -1. */
static int64_t request_u32(const struct nlmsghdr *request, uint16_t type)
{
	const char *bytes = (const char *)request;
	size_t at = NLMSG_HDRLEN;
	struct nlattr attr;
	uint32_t value;

	while (at + sizeof(attr) <= request->nlmsg_len) {
		memcpy(&attr, bytes + at, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN ||
		    attr.nla_len > request->nlmsg_len - at)
			break;
		if (attr.nla_type == type &&
		    attr.nla_len == NLA_HDRLEN + sizeof(value)) {
			memcpy(&value, bytes + at + NLA_HDRLEN, sizeof(value));
			return value;
		}
		at += NLA_ALIGN(attr.nla_len);
	}
	return -1;
}

/* Encodes a device number as netlink does: mmmMMMmm. */
static uint64_t chardev_number(uint32_t minor_number)
{
	return (minor_number & 0xff) | UVERBS_MAJOR << 8 |
	       (uint64_t)(minor_number & ~0xffu) << 12;
}

static void respond_chardev(struct response *response,
			    const struct nlmsghdr *request)
{
	int64_t index = request_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX);
	const struct shim_device *device;

	if (index < 0 || (size_t)index >= shim_config()->nr_devices) {
		respond_error(response, request, -EINVAL);
		return;
	}
	device = &shim_config()->devices[index];
	begin_response(response, request, request->nlmsg_type, 0);
	put_u32(response, RDMA_NLDEV_ATTR_DEV_INDEX, device->index);
	put_u64(response, RDMA_NLDEV_ATTR_CHARDEV,
		chardev_number(device->minor_number));
	put_u64(response, RDMA_NLDEV_ATTR_CHARDEV_ABI, device->abi);
	put_text(response, RDMA_NLDEV_ATTR_CHARDEV_NAME, device->uverbs);
	put_u32(response, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, device->driver_id);
	send_response(response);
}

static void respond_system(struct response *response,
			   const struct nlmsghdr *request)
{
	begin_response(response, request, request->nlmsg_type, 0);
	put_u8(response, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
	send_response(response);
}

static void respond_request(struct response *response,
			    const struct nlmsghdr *request)
{
	switch (RDMA_NL_GET_OP(request->nlmsg_type)) {
	case RDMA_NLDEV_CMD_GET:
		respond_dump(response, request);
		return;
	case RDMA_NLDEV_CMD_GET_CHARDEV:
		respond_chardev(response, request);
		break;
	case RDMA_NLDEV_CMD_SYS_GET:
		respond_system(response, request);
		break;
	default:
		respond_error(response, request, -EOPNOTSUPP);
		return;
	}
	if (request->nlmsg_flags & NLM_F_ACK)
		respond_error(response, request, 0);
}

/* Binds a socket without an address, as sending would. */
static uint32_t address_of(int fd)
{
	struct sockaddr_nl own = { .nl_family = AF_NETLINK };
	socklen_t len = sizeof(own);

	if (getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
	    !own.nl_pid) {
		(void)bind(fd, (struct sockaddr *)&own, sizeof(own));
		(void)getsockname(fd, (struct sockaddr *)&own, &len);
	}
	return own.nl_pid;
}

static ssize_t handle_sent(int fd, const void *buf, size_t len)
{
	struct response response = { .pid = address_of(fd) };
	struct nlmsghdr hdr;
	size_t at = 0;

	response.fd = real_socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
				  NETLINK_USERSOCK);
	if (response.fd < 0)
		return -1;
	while (len - at >= sizeof(hdr)) {
		memcpy(&hdr, (const char *)buf + at, sizeof(hdr));
		if (hdr.nlmsg_len < sizeof(hdr) || hdr.nlmsg_len > len - at)
			break;
		respond_request(&response,
				(const void *)((const char *)buf + at));
		at += NLMSG_ALIGN(hdr.nlmsg_len);
		if (at > len)
			break;
	}
	(void)syscall(SYS_close, response.fd); /* all responses are sent */
	return (ssize_t)len;
}

/* ------------------------------------------------------------------------ */
/* Calls                                                                     */
/* ------------------------------------------------------------------------ */

EXPORT ssize_t sendto(int fd, const void *buf, size_t len, int flags,
		      const struct sockaddr *to, socklen_t to_len)
{
	if (is_ours(fd))
		return handle_sent(fd, buf, len);
	return syscall(SYS_sendto, fd, buf, len, flags, to, to_len);
}

EXPORT ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	return sendto(fd, buf, len, flags, NULL, 0);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	char bytes[4096];
	size_t used = 0;

	if (!is_ours(fd))
		return syscall(SYS_sendmsg, fd, msg, flags);
	for (size_t i = 0; i < msg->msg_iovlen; i++) {
		const struct iovec *iov = &msg->msg_iov[i];

		if (iov->iov_len > sizeof(bytes) - used) {
			errno = EMSGSIZE;
			return -1;
		}
		memcpy(bytes + used, iov->iov_base, iov->iov_len);
		used += iov->iov_len;
	}
	return handle_sent(fd, bytes, used);
}

static void hide_sender(void *name, socklen_t len)
{
	struct sockaddr_nl *from = name;

	if (from && len >= sizeof(*from)) {
		from->nl_pid = 0;
		from->nl_groups = 0;
	}
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t len = syscall(SYS_recvmsg, fd, msg, flags);

	if (len >= 0 && is_ours(fd))
		hide_sender(msg->msg_name, msg->msg_namelen);
	return len;
}

EXPORT ssize_t recvfrom(int fd, void *buf, size_t len, int flags,
			struct sockaddr *from, socklen_t *from_len)
{
	ssize_t got =
		syscall(SYS_recvfrom, fd, buf, len, flags, from, from_len);

	if (got >= 0 && from && is_ours(fd))
		hide_sender(from, *from_len);
	return got;
}

EXPORT int recvmmsg(int fd, struct mmsghdr *msgs, unsigned int nr, int flags,
		    struct timespec *timeout)
{
	int got = (int)syscall(SYS_recvmmsg, fd, msgs, nr, flags, timeout);

	if (is_ours(fd))
		for (int i = 0; i < got; i++)
			hide_sender(msgs[i].msg_hdr.msg_name,
				    msgs[i].msg_hdr.msg_namelen);
	return got;
}
