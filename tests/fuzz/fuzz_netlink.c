/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: responses of the kernel to discovery by netlink.
 *
 * The first byte is the mode. Bit 7 clear: the rest is one state of requests
 * (bits 0-2: number of pending queries; bit 3: the dump is complete; bit 4: the
 * first query is not about a device) and datagrams for the parser. Bit 7 set:
 * two scans with one memory, whose receive calls return the datagrams.
 *
 * A datagram is a length in two bytes and its bytes. For scans, lengths from
 * 0xff00 on have another meaning: an errno from the receive call, the end of
 * the datagrams of one call, or a datagram of another sender.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include "discover/discover_netlink.h"
#include "discover/netlink_parse.h"
#include "fuzz/fuzz_target.h"

#define MODE_SCAN	0x80
#define MODE_DUMP_DONE	0x08
#define MODE_SYSTEM	0x10
#define MODE_NR_QUERIES 0x07
#define FIRST_NUMBER	2

#define LEN_SPECIAL	     0xff00
#define SPECIAL_END	     0xff00
#define SPECIAL_OTHER_SENDER 0xff01
#define SPECIAL_ERRNO	     0xff80 /* and the errno in the low 7 bits */
#define SOCKET		     0x7fe00000

static struct fuzz_reader input;
static bool socket_open;

/*
 * Calls while the target does not run, such as libFuzzer's own, are passed on.
 */
static bool running;

static void check_name(const char *name, bool may_be_empty)
{
	fuzz_assert(memchr(name, '\0', VERBS_DEVICE_NAME_LEN));
	fuzz_assert(may_be_empty || name[0]);
	fuzz_assert(!strchr(name, '/'));
	fuzz_assert(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
}

static void check_devices(const struct verbs_device_records *records)
{
	for (size_t i = 0; i < records->count; i++) {
		const struct verbs_kernel_device *device = &records->devices[i];

		check_name(device->ibdev_name, false);
		check_name(device->uverbs_name, true);
		fuzz_assert(device->ibdev_index >= 0);
		fuzz_assert(device->node_type >= -1 && device->node_type <= 7);
		for (size_t k = 0; k < i; k++)
			fuzz_assert(device->ibdev_index !=
				    records->devices[k].ibdev_index);
	}
}

/* A copy of exactly that size, so that the address sanitizer checks its end. */
static void *exact_copy(const uint8_t *data, size_t len)
{
	void *copy = malloc(len ? len : 1);

	fuzz_assert(copy);
	memcpy(copy, data, len);
	return copy;
}

static void fuzz_parser(uint8_t mode)
{
	struct verbs_netlink_query queries[MODE_NR_QUERIES] = {};
	struct verbs_netlink_scan scan = {
		.queries = queries,
		.nr_queries = mode & MODE_NR_QUERIES,
		.nr_pending = mode & MODE_NR_QUERIES,
		.first_number = FIRST_NUMBER,
		.dump_done = mode & MODE_DUMP_DONE,
	};
	size_t nr_pending = 0;

	for (size_t i = 0; i < scan.nr_queries; i++)
		queries[i].state = VERBS_NETLINK_PENDING;
	queries[0].of_system = mode & MODE_SYSTEM;
	while (input.len) {
		uint16_t want = fuzz_take_u16(&input);
		size_t len;
		const uint8_t *data = fuzz_take(&input, want, &len);
		void *datagram = exact_copy(data, len);
		int ret = verbs_netlink_parse(&scan, datagram, len);

		free(datagram);
		fuzz_assert(ret <= 0);
		if (ret)
			break;
	}
	for (size_t i = 0; i < scan.nr_queries; i++) {
		if (queries[i].state == VERBS_NETLINK_PENDING)
			nr_pending++;
		if (queries[i].state == VERBS_NETLINK_DONE)
			check_name(queries[i].name, queries[i].of_system);
	}
	fuzz_assert(nr_pending == scan.nr_pending);
	check_devices(&scan.devices);
	verbs_device_records_free(&scan.devices);
}

int __wrap_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol)
{
	fuzz_assert(!socket_open);
	socket_open = true;
	return SOCKET;
}

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
	fuzz_assert(socket_open && len);
	return (ssize_t)len;
}

static void deliver(struct mmsghdr *msg, bool other_sender, const uint8_t *data,
		    size_t len)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	struct iovec *iov = msg->msg_hdr.msg_iov;

	from.nl_pid = other_sender ? 1 : 0;
	memcpy(msg->msg_hdr.msg_name, &from, sizeof(from));
	msg->msg_hdr.msg_flags = len > iov->iov_len ? MSG_TRUNC : 0;
	if (len > iov->iov_len)
		len = iov->iov_len;
	memcpy(iov->iov_base, data, len);
	msg->msg_len = (unsigned int)len;
}

int __wrap_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int nr_msgs,
		    int flags, struct timespec *timeout);
int __wrap_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int nr_msgs,
		    int flags, struct timespec *timeout)
{
	bool other_sender = false;
	unsigned int nr = 0;

	fuzz_assert(socket_open);
	while (nr < nr_msgs && input.len) {
		uint16_t want = fuzz_take_u16(&input);
		const uint8_t *data;
		size_t len;

		if (want == SPECIAL_OTHER_SENDER) {
			other_sender = true;
			continue;
		}
		if (want >= SPECIAL_ERRNO && !nr && (want & 0x7f)) {
			errno = want & 0x7f;
			return -1;
		}
		if (want >= LEN_SPECIAL)
			break;
		data = fuzz_take(&input, want, &len);
		deliver(&msgs[nr++], other_sender, data, len);
		other_sender = false;
	}
	if (!nr) {
		errno = EAGAIN;
		return -1;
	}
	return (int)nr;
}

int __real_poll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms)
{
	if (!running)
		return __real_poll(fds, nr_fds, timeout_ms);
	fuzz_assert(socket_open && timeout_ms > 0);
	return input.len ? 1 : 0;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (!running)
		return __real_close(fd);
	fuzz_assert(socket_open && fd == SOCKET);
	socket_open = false;
	return 0;
}

static void fuzz_scans(void)
{
	struct verbs_netlink_cache memory = {};

	for (int i = 0; i < 2; i++) {
		struct verbs_device_records records = {};
		int ret = verbs_discover_netlink(&memory, &records);

		fuzz_assert(ret <= 0 && !socket_open);
		fuzz_assert(!ret || !records.devices);
		check_devices(&records);
		verbs_device_records_free(&records);
	}
	verbs_netlink_cache_free(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t mode;

	input = (struct fuzz_reader){ .data = data, .len = len };
	mode = fuzz_take_u8(&input);
	running = true;
	if (mode & MODE_SCAN)
		fuzz_scans();
	else
		fuzz_parser(mode);
	running = false;
	return 0;
}
