/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stands in for socket() and the calls that send and receive: RDMA netlink
 * becomes a socket of another netlink family, which processes may use among
 * themselves. What is sent is a question for the kernel; the answers are sent
 * to the socket by another one of that family, so that waiting and receiving
 * need no stand-in, except that the sender becomes the kernel.
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
static size_t nr_sockets; /* grows only; read without the mutex */

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

static void remember(int fd)
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
		remember(fd);
	return fd;
}

/* ------------------------------------------------------------------------ */
/* Answers                                                                   */
/* ------------------------------------------------------------------------ */

struct reply {
	union {
		struct nlmsghdr hdr;
		char bytes[1024];
	} u;
	int fd;	      /* to send it with */
	uint32_t pid; /* of the asker */
};

static void put(struct reply *reply, uint16_t type, const void *data,
		size_t len)
{
	struct nlattr attr = { .nla_type = type,
			       .nla_len = (uint16_t)(NLA_HDRLEN + len) };
	size_t used = NLMSG_ALIGN(reply->u.hdr.nlmsg_len);

	if (used + NLA_HDRLEN + NLA_ALIGN(len) > sizeof(reply->u.bytes))
		return;
	memcpy(reply->u.bytes + used, &attr, sizeof(attr));
	memcpy(reply->u.bytes + used + NLA_HDRLEN, data, len);
	reply->u.hdr.nlmsg_len = (uint32_t)(used + NLA_HDRLEN + NLA_ALIGN(len));
}

static void put_u8(struct reply *reply, uint16_t type, uint8_t value)
{
	put(reply, type, &value, sizeof(value));
}

static void put_u32(struct reply *reply, uint16_t type, uint32_t value)
{
	put(reply, type, &value, sizeof(value));
}

static void put_u64(struct reply *reply, uint16_t type, uint64_t value)
{
	put(reply, type, &value, sizeof(value));
}

static void put_text(struct reply *reply, uint16_t type, const char *text)
{
	put(reply, type, text, strlen(text) + 1);
}

static void begin(struct reply *reply, const struct nlmsghdr *ask,
		  uint16_t type, uint16_t flags)
{
	memset(&reply->u, 0, sizeof(reply->u));
	reply->u.hdr = (struct nlmsghdr){
		.nlmsg_len = NLMSG_HDRLEN,
		.nlmsg_type = type,
		.nlmsg_flags = flags,
		.nlmsg_seq = ask->nlmsg_seq,
		.nlmsg_pid = reply->pid,
	};
}

static void deliver(struct reply *reply)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK,
				  .nl_pid = reply->pid };

	/* A full socket loses it, as it would with the kernel. */
	(void)syscall(SYS_sendto, reply->fd, reply->u.bytes,
		      reply->u.hdr.nlmsg_len, MSG_DONTWAIT, &to, sizeof(to));
}

static void answer_error(struct reply *reply, const struct nlmsghdr *ask,
			 int err)
{
	const struct nlmsgerr body = { .error = err, .msg = *ask };

	begin(reply, ask, NLMSG_ERROR, 0);
	memcpy(reply->u.bytes + NLMSG_HDRLEN, &body, sizeof(body));
	reply->u.hdr.nlmsg_len += sizeof(body);
	deliver(reply);
}

static void answer_dump(struct reply *reply, const struct nlmsghdr *ask)
{
	for (size_t i = 0; i < shim_config()->nr_devices; i++) {
		const struct shim_device *device = &shim_config()->devices[i];

		begin(reply, ask, ask->nlmsg_type, NLM_F_MULTI);
		put_u32(reply, RDMA_NLDEV_ATTR_DEV_INDEX, device->index);
		put_text(reply, RDMA_NLDEV_ATTR_DEV_NAME, device->name);
		put_u32(reply, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
		put_u64(reply, RDMA_NLDEV_ATTR_NODE_GUID, device->guid);
		put_u64(reply, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, device->guid);
		put_u8(reply, RDMA_NLDEV_ATTR_DEV_NODE_TYPE,
		       (uint8_t)device->node_type);
		deliver(reply);
	}
	begin(reply, ask, NLMSG_DONE, NLM_F_MULTI);
	reply->u.hdr.nlmsg_len += sizeof(int); /* 0: no error */
	deliver(reply);
}

/* The value of a 32-bit attribute of a question, or -1. */
static int64_t asked_u32(const struct nlmsghdr *ask, uint16_t type)
{
	const char *bytes = (const char *)ask;
	size_t at = NLMSG_HDRLEN;
	struct nlattr attr;
	uint32_t value;

	while (at + sizeof(attr) <= ask->nlmsg_len) {
		memcpy(&attr, bytes + at, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN ||
		    attr.nla_len > ask->nlmsg_len - at)
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

/* As struct dev_t goes over netlink: mmmMMMmm. */
static uint64_t chardev_number(uint32_t minor_number)
{
	return (minor_number & 0xff) | UVERBS_MAJOR << 8 |
	       (uint64_t)(minor_number & ~0xffu) << 12;
}

static void answer_chardev(struct reply *reply, const struct nlmsghdr *ask)
{
	int64_t index = asked_u32(ask, RDMA_NLDEV_ATTR_DEV_INDEX);
	const struct shim_device *device;

	if (index < 0 || (size_t)index >= shim_config()->nr_devices) {
		answer_error(reply, ask, -EINVAL);
		return;
	}
	device = &shim_config()->devices[index];
	begin(reply, ask, ask->nlmsg_type, 0);
	put_u32(reply, RDMA_NLDEV_ATTR_DEV_INDEX, device->index);
	put_u64(reply, RDMA_NLDEV_ATTR_CHARDEV,
		chardev_number(device->minor_number));
	put_u64(reply, RDMA_NLDEV_ATTR_CHARDEV_ABI, device->abi);
	put_text(reply, RDMA_NLDEV_ATTR_CHARDEV_NAME, device->uverbs);
	put_u32(reply, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, device->driver_id);
	deliver(reply);
}

static void answer_system(struct reply *reply, const struct nlmsghdr *ask)
{
	begin(reply, ask, ask->nlmsg_type, 0);
	put_u8(reply, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
	deliver(reply);
}

static void answer_one(struct reply *reply, const struct nlmsghdr *ask)
{
	switch (RDMA_NL_GET_OP(ask->nlmsg_type)) {
	case RDMA_NLDEV_CMD_GET:
		answer_dump(reply, ask);
		return;
	case RDMA_NLDEV_CMD_GET_CHARDEV:
		answer_chardev(reply, ask);
		break;
	case RDMA_NLDEV_CMD_SYS_GET:
		answer_system(reply, ask);
		break;
	default:
		answer_error(reply, ask, -EOPNOTSUPP);
		return;
	}
	if (ask->nlmsg_flags & NLM_F_ACK)
		answer_error(reply, ask, 0);
}

/* A socket that has no address gets one, as it would by sending. */
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

static ssize_t ask_kernel(int fd, const void *buf, size_t len)
{
	struct reply reply = { .pid = address_of(fd) };
	struct nlmsghdr hdr;
	size_t at = 0;

	reply.fd = real_socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
			       NETLINK_USERSOCK);
	if (reply.fd < 0)
		return -1;
	while (len - at >= sizeof(hdr)) {
		memcpy(&hdr, (const char *)buf + at, sizeof(hdr));
		if (hdr.nlmsg_len < sizeof(hdr) || hdr.nlmsg_len > len - at)
			break;
		answer_one(&reply, (const void *)((const char *)buf + at));
		at += NLMSG_ALIGN(hdr.nlmsg_len);
		if (at > len)
			break;
	}
	(void)syscall(SYS_close, reply.fd); /* everything is delivered */
	return (ssize_t)len;
}

/* ------------------------------------------------------------------------ */
/* Calls                                                                     */
/* ------------------------------------------------------------------------ */

EXPORT ssize_t sendto(int fd, const void *buf, size_t len, int flags,
		      const struct sockaddr *to, socklen_t to_len)
{
	if (is_ours(fd))
		return ask_kernel(fd, buf, len);
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
	return ask_kernel(fd, bytes, used);
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
