/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces the kernel's side of RDMA netlink: see fake_netlink.h. This file
 * allocates no memory, so that a test can count allocations.
 */
#include "support/fake_netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <rdma/rdma_netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#define MAX_DEVICES 16384
#define MAX_QUEUED  512

struct fake_netlink fake_netlink;
_Atomic unsigned int fake_calls;

static struct fake_netlink_device devices[MAX_DEVICES];

/* The socket; only one is open at a time. */
static struct {
	bool open;
	struct fake_netlink_datagram queue[MAX_QUEUED];
	size_t first, count;
	bool overrun;	/* the next receive reports ENOBUFS */
	bool congested; /* responses are lost until the queue is empty */
	bool dumping;
	bool dump_interrupted;
	size_t dump_position;
	uint32_t dump_number;
	bool poll_seen;
} sock;

void fake_netlink_reset(void)
{
	memset(&fake_netlink, 0, sizeof(fake_netlink));
	fake_netlink.devices = devices;
	fake_netlink.devices_per_datagram = 1;
	fake_netlink.queue_limit = MAX_QUEUED / 2;
	fake_calls = 0;
}

struct fake_netlink_device *fake_netlink_add(unsigned int n)
{
	struct fake_netlink_device *device;

	assert_true(fake_netlink.nr_devices < MAX_DEVICES);
	device = &devices[fake_netlink.nr_devices++];
	*device = (struct fake_netlink_device){
		.index = n,
		.node_type = RDMA_NODE_IB_CA,
		.guid = 0x0102030405060000 + n,
		.nr_ports = 1,
		.chardev = 0xe7c0 + n,
		.abi = 2,
		.driver_id = 14,
	};
	snprintf(device->name_store, sizeof(device->name_store), "rxe%u", n);
	snprintf(device->uverbs_store, sizeof(device->uverbs_store), "uverbs%u",
		 n);
	device->name = device->name_store;
	device->uverbs_name = device->uverbs_store;
	return device;
}

void fake_netlink_remove(size_t position)
{
	assert_true(position < fake_netlink.nr_devices);
	fake_netlink.nr_devices--;
	for (size_t i = position; i < fake_netlink.nr_devices; i++) {
		devices[i] = devices[i + 1];
		if (devices[i].name == devices[i + 1].name_store)
			devices[i].name = devices[i].name_store;
		if (devices[i].uverbs_name == devices[i + 1].uverbs_store)
			devices[i].uverbs_name = devices[i].uverbs_store;
	}
}

void fake_netlink_check_closed(void)
{
	assert_false(sock.open);
	assert_int_equal(fake_netlink.nr_closes, fake_netlink.nr_sockets);
}

/* Return: the last message of a datagram, found by walking its messages. */
static struct nlmsghdr *last_msg(struct fake_netlink_datagram *datagram)
{
	size_t pos = 0;

	for (;;) {
		struct nlmsghdr *hdr = (void *)(datagram->bytes + pos);

		if (pos + NLMSG_ALIGN(hdr->nlmsg_len) >= datagram->len)
			return hdr;
		pos += NLMSG_ALIGN(hdr->nlmsg_len);
	}
}

static void *extend_datagram(struct fake_netlink_datagram *datagram, size_t len)
{
	char *at = datagram->bytes + datagram->len;

	assert_true(len <= sizeof(datagram->bytes) - datagram->len);
	memset(at, 0, len);
	datagram->len += len;
	return at;
}

void fake_netlink_put_msg(struct fake_netlink_datagram *datagram, uint16_t type,
			  uint16_t flags, uint32_t number)
{
	struct nlmsghdr *hdr = extend_datagram(datagram, NLMSG_HDRLEN);

	hdr->nlmsg_len = NLMSG_HDRLEN;
	hdr->nlmsg_type = type;
	hdr->nlmsg_flags = flags;
	hdr->nlmsg_seq = number;
	hdr->nlmsg_pid = 4711;
}

static void put_payload(struct fake_netlink_datagram *datagram,
			const void *data, size_t len)
{
	struct nlmsghdr *hdr = last_msg(datagram);

	memcpy(extend_datagram(datagram, NLMSG_ALIGN(len)), data, len);
	hdr->nlmsg_len += NLMSG_ALIGN(len);
}

void fake_netlink_put_attr(struct fake_netlink_datagram *datagram,
			   uint16_t type, const void *data, size_t len)
{
	struct nlattr attr = { .nla_type = type };

	attr.nla_len = (uint16_t)(NLA_HDRLEN + len);
	put_payload(datagram, &attr, sizeof(attr));
	put_payload(datagram, data, len);
}

static void put_text(struct fake_netlink_datagram *datagram, uint16_t type,
		     const char *text)
{
	if (text)
		fake_netlink_put_attr(datagram, type, text, strlen(text) + 1);
}

static void put_u32(struct fake_netlink_datagram *datagram, uint16_t type,
		    uint32_t number)
{
	fake_netlink_put_attr(datagram, type, &number, sizeof(number));
}

static void put_u64(struct fake_netlink_datagram *datagram, uint16_t type,
		    uint64_t number)
{
	fake_netlink_put_attr(datagram, type, &number, sizeof(number));
}

void fake_netlink_put_device(struct fake_netlink_datagram *datagram,
			     uint32_t number,
			     const struct fake_netlink_device *device)
{
	fake_netlink_put_msg(
		datagram, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET),
		NLM_F_MULTI, number);
	put_u32(datagram, RDMA_NLDEV_ATTR_DEV_INDEX, device->index);
	put_text(datagram, RDMA_NLDEV_ATTR_DEV_NAME, device->name);
	put_u32(datagram, RDMA_NLDEV_ATTR_PORT_INDEX, device->nr_ports);
	put_u64(datagram, RDMA_NLDEV_ATTR_CAP_FLAGS, 0x221c26);
	put_u64(datagram, RDMA_NLDEV_ATTR_NODE_GUID, device->guid);
	put_u64(datagram, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, device->guid);
	fake_netlink_put_attr(datagram, RDMA_NLDEV_ATTR_DEV_NODE_TYPE,
			      &device->node_type, sizeof(device->node_type));
	/* an attribute of a kernel newer than these headers */
	put_u32(datagram, RDMA_NLDEV_ATTR_MAX + 7, 1);
}

void fake_netlink_put_chardev(struct fake_netlink_datagram *datagram,
			      uint32_t number,
			      const struct fake_netlink_device *device)
{
	fake_netlink_put_msg(
		datagram,
		RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV), 0,
		number);
	if (!device->no_driver_id)
		put_u32(datagram, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID,
			device->driver_id);
	put_u64(datagram, RDMA_NLDEV_ATTR_CHARDEV, device->chardev);
	put_u64(datagram, RDMA_NLDEV_ATTR_CHARDEV_ABI, device->abi);
	put_text(datagram, RDMA_NLDEV_ATTR_CHARDEV_NAME, device->uverbs_name);
}

void fake_netlink_put_system(struct fake_netlink_datagram *datagram,
			     uint32_t number)
{
	const uint8_t netns_mode = 1;

	fake_netlink_put_msg(
		datagram,
		RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET), 0,
		number);
	fake_netlink_put_attr(datagram, RDMA_NLDEV_SYS_ATTR_NETNS_MODE,
			      &netns_mode, sizeof(netns_mode));
	if (fake_netlink.reports_copy_on_fork)
		fake_netlink_put_attr(datagram,
				      RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK,
				      &fake_netlink.copy_on_fork,
				      sizeof(fake_netlink.copy_on_fork));
}

void fake_netlink_put_error(struct fake_netlink_datagram *datagram,
			    uint32_t number, int error)
{
	struct nlmsgerr payload = { .error = error };

	fake_netlink_put_msg(datagram, NLMSG_ERROR, 0, number);
	put_payload(datagram, &payload, sizeof(payload));
}

void fake_netlink_put_done(struct fake_netlink_datagram *datagram,
			   uint32_t number, const int *code)
{
	fake_netlink_put_msg(datagram, NLMSG_DONE, NLM_F_MULTI, number);
	if (code)
		put_payload(datagram, code, sizeof(*code));
}

static struct fake_netlink_datagram *queue_tail(void)
{
	struct fake_netlink_datagram *tail;

	assert_true(sock.count < MAX_QUEUED);
	tail = &sock.queue[(sock.first + sock.count) % MAX_QUEUED];
	tail->len = 0;
	tail->sender = 0;
	return tail;
}

static void queue_add(struct fake_netlink_datagram *datagram)
{
	if (fake_netlink.edit)
		fake_netlink.edit(datagram, fake_netlink.nr_datagrams);
	fake_netlink.nr_datagrams++;
	if (!datagram->len)
		return;
	sock.count++;
	if (sock.count > fake_netlink.max_queued)
		fake_netlink.max_queued = sock.count;
}

static void end_dump(struct fake_netlink_datagram *datagram)
{
	const int code = 0;

	if (fake_netlink.never_done)
		return;
	sock.dumping = false;
	fake_netlink_put_done(datagram, sock.dump_number,
			      fake_netlink.done_without_code ? NULL : &code);
}

/* Queues the next part of a running dump if the queue has room. */
static void continue_dump(void)
{
	struct fake_netlink_datagram *datagram;

	if (!sock.dumping || sock.count > fake_netlink.queue_limit / 2)
		return;

	datagram = queue_tail();
	for (size_t i = 0; i < fake_netlink.devices_per_datagram &&
			   sock.dump_position < fake_netlink.nr_devices;
	     i++)
		fake_netlink_put_device(datagram, sock.dump_number,
					&devices[sock.dump_position++]);
	if (!datagram->len)
		end_dump(datagram);
	if (datagram->len && sock.dump_interrupted)
		last_msg(datagram)->nlmsg_flags |= NLM_F_DUMP_INTR;
	queue_add(datagram);
}

static void handle_dump(const struct nlmsghdr *request)
{
	struct fake_netlink_datagram *datagram = queue_tail();

	if (fake_netlink.dump_error) {
		fake_netlink_put_error(datagram, request->nlmsg_seq,
				       -fake_netlink.dump_error);
		queue_add(datagram);
		return;
	}
	if (fake_netlink.nr_dump_refused_busy > 0) {
		fake_netlink.nr_dump_refused_busy--;
		fake_netlink_put_error(datagram, request->nlmsg_seq, -EBUSY);
		queue_add(datagram);
		return;
	}
	sock.dumping = true;
	sock.dump_interrupted = fake_netlink.nr_dump_interrupted > 0;
	if (sock.dump_interrupted)
		fake_netlink.nr_dump_interrupted--;
	sock.dump_position = 0;
	sock.dump_number = request->nlmsg_seq;
	continue_dump();
}

static const struct fake_netlink_device *find_device(uint32_t index)
{
	for (size_t i = 0; i < fake_netlink.nr_devices; i++)
		if (devices[i].index == index)
			return &devices[i];
	return NULL;
}

static void handle_query(const struct nlmsghdr *request)
{
	const char *payload = (const char *)request + NLMSG_HDRLEN;
	const struct fake_netlink_device *device;
	struct fake_netlink_datagram *datagram;
	struct nlattr attr;
	uint32_t index;

	/* exact length of a query */
	assert_int_equal(request->nlmsg_len, NLMSG_HDRLEN + 20);
	memcpy(&attr, payload, sizeof(attr));
	assert_int_equal(attr.nla_type, RDMA_NLDEV_ATTR_DEV_INDEX);
	assert_int_equal(attr.nla_len, 8);
	memcpy(&index, payload + 4, sizeof(index));
	memcpy(&attr, payload + 8, sizeof(attr));
	assert_int_equal(attr.nla_type, RDMA_NLDEV_ATTR_CHARDEV_TYPE);
	assert_int_equal(attr.nla_len, 4 + sizeof("uverbs"));
	assert_memory_equal(payload + 12, "uverbs", sizeof("uverbs"));

	fake_netlink.nr_queries++;
	if (fake_netlink.silent)
		return;
	if (sock.congested || sock.count >= fake_netlink.queue_limit) {
		sock.overrun = true;
		sock.congested = true;
		return;
	}
	datagram = queue_tail();
	device = find_device(index);
	if (device && device->uverbs_name)
		fake_netlink_put_chardev(datagram, request->nlmsg_seq, device);
	else
		fake_netlink_put_error(datagram, request->nlmsg_seq, -EINVAL);
	queue_add(datagram);
}

static void handle_system(const struct nlmsghdr *request)
{
	struct fake_netlink_datagram *datagram;

	assert_int_equal(request->nlmsg_len, NLMSG_HDRLEN);
	fake_netlink.nr_system_queries++;
	if (fake_netlink.silent)
		return;
	datagram = queue_tail();
	if (fake_netlink.system_error)
		fake_netlink_put_error(datagram, request->nlmsg_seq,
				       -fake_netlink.system_error);
	else
		fake_netlink_put_system(datagram, request->nlmsg_seq);
	queue_add(datagram);
}

static void handle_request(const struct nlmsghdr *request)
{
	assert_int_equal(request->nlmsg_pid, 0);
	switch (request->nlmsg_type) {
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET):
		assert_int_equal(request->nlmsg_flags,
				 NLM_F_REQUEST | NLM_F_DUMP);
		handle_dump(request);
		break;
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV):
		assert_int_equal(request->nlmsg_flags, NLM_F_REQUEST);
		handle_query(request);
		break;
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET):
		assert_int_equal(request->nlmsg_flags, NLM_F_REQUEST);
		handle_system(request);
		break;
	default:
		fail_msg("request of type 0x%x", request->nlmsg_type);
	}
}

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol)
{
	fake_calls++;
	if (domain != AF_NETLINK || protocol != NETLINK_RDMA)
		return __real_socket(domain, type, protocol);

	assert_int_equal(type, SOCK_RAW | SOCK_CLOEXEC);
	assert_false(sock.open);
	if (fake_netlink.socket_errno) {
		errno = fake_netlink.socket_errno;
		return -1;
	}
	sock.open = true;
	sock.first = 0;
	sock.count = 0;
	sock.overrun = false;
	sock.congested = false;
	sock.dumping = false;
	sock.poll_seen = false;
	fake_netlink.nr_sockets++;
	return FAKE_NETLINK_FD;
}

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
	const char *bytes = buf;
	size_t pos = 0;
	int nr = (int)fake_netlink.nr_sends++;

	fake_calls++;
	assert_int_equal(fd, FAKE_NETLINK_FD);
	assert_true(sock.open);
	assert_int_equal(flags, 0);
	if (fake_netlink.send_errno && nr >= fake_netlink.send_errno_from) {
		errno = fake_netlink.send_errno;
		return -1;
	}
	while (pos < len) {
		struct nlmsghdr request;

		assert_true(len - pos >= sizeof(request));
		memcpy(&request, bytes + pos, sizeof(request));
		assert_in_range(request.nlmsg_len, NLMSG_HDRLEN, len - pos);
		handle_request((const void *)(bytes + pos));
		pos += NLMSG_ALIGN(request.nlmsg_len);
	}
	if (fake_netlink.after_send)
		fake_netlink.after_send();
	return (ssize_t)len;
}

static void receive_datagram(struct mmsghdr *msg)
{
	struct fake_netlink_datagram *datagram = &sock.queue[sock.first];
	struct iovec *iov = msg->msg_hdr.msg_iov;
	struct sockaddr_nl from = {
		.nl_family = AF_NETLINK,
		.nl_pid = datagram->sender,
	};
	size_t len = datagram->len;

	assert_int_equal(msg->msg_hdr.msg_iovlen, 1);
	assert_true(msg->msg_hdr.msg_namelen >= sizeof(from));
	memcpy(msg->msg_hdr.msg_name, &from, sizeof(from));
	msg->msg_hdr.msg_namelen = sizeof(from);
	msg->msg_hdr.msg_flags = 0;
	if (len > iov->iov_len) {
		len = iov->iov_len;
		msg->msg_hdr.msg_flags |= MSG_TRUNC;
	}
	memcpy(iov->iov_base, datagram->bytes, len);
	msg->msg_len = (unsigned int)len;

	sock.first = (sock.first + 1) % MAX_QUEUED;
	sock.count--;
	if (!sock.count)
		sock.congested = false;
	continue_dump();
}

int __wrap_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int nr_msgs,
		    int flags, struct timespec *timeout);
int __wrap_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int nr_msgs,
		    int flags, struct timespec *timeout)
{
	int nr_call = (int)fake_netlink.nr_recvs++;
	unsigned int nr = 0;

	fake_calls++;
	assert_int_equal(fd, FAKE_NETLINK_FD);
	assert_true(sock.open);
	assert_int_equal(flags, MSG_DONTWAIT);
	assert_null(timeout);
	if (fake_netlink.recv_errno &&
	    nr_call >= fake_netlink.recv_errno_from) {
		errno = fake_netlink.recv_errno;
		return -1;
	}
	if (sock.overrun) {
		sock.overrun = false;
		errno = ENOBUFS;
		return -1;
	}
	if (fake_netlink.late && !sock.poll_seen) {
		errno = EAGAIN;
		return -1;
	}
	sock.poll_seen = false;
	while (nr < nr_msgs && sock.count)
		receive_datagram(&msgs[nr++]);
	if (!nr) {
		errno = EAGAIN;
		return -1;
	}
	return (int)nr;
}

int __wrap_poll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms)
{
	fake_calls++;
	fake_netlink.nr_polls++;
	assert_int_equal(nr_fds, 1);
	assert_int_equal(fds->fd, FAKE_NETLINK_FD);
	assert_int_equal(fds->events, POLLIN);
	assert_in_range(timeout_ms, 1, 10000); /* every wait is bounded */
	if (fake_netlink.poll_errno) {
		errno = fake_netlink.poll_errno;
		return -1;
	}
	sock.poll_seen = true;
	if (!sock.count)
		return 0; /* timeout */
	fds->revents = POLLIN;
	return 1;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	fake_calls++;
	if (fd != FAKE_NETLINK_FD)
		return __real_close(fd);
	assert_true(sock.open);
	sock.open = false;
	fake_netlink.nr_closes++;
	return 0;
}
