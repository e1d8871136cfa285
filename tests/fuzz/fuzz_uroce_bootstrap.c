/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: a message of another process of the user at a bootstrap socket,
 * with descriptors. Byte 0 of the input: bits 0-4 are the number of
 * descriptors; bit 5: they are UDP sockets; bit 6: the socket is that of a
 * slot, otherwise that of an owner of MADs. Byte 1 is the number of blocks of
 * sockets that the process with the slot has. The rest is the message.
 *
 * A message of the wrong length or number is refused, no descriptor stays open,
 * and no socket that is not of the port becomes one of the slots.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fuzz/fuzz_target.h"
#include "uroce/gsi/uroce_gsi_conn.h"
#include "uroce/ipc/uroce_identity.h"
#include "uroce/ipc/uroce_message.h"
#include "uroce/udp/uroce_slots_message.h"

#define BOOTSTRAP_HEAD_LEN 2
#define BOOTSTRAP_NR_MASK  0x1f
#define BOOTSTRAP_UDP	   0x20
#define BOOTSTRAP_SLOT	   0x40

static struct uroce_slots slots;
static struct uroce_gsi_conns conns;
static int event_fd = -1, udp_fd;

/* An abstract name that the kernel chooses (unix(7), autobind) */
static int bootstrap_listen(void)
{
	const struct sockaddr name = { .sa_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);

	fuzz_assert(fd >= 0);
	fuzz_assert(bind(fd, &name, sizeof(name.sa_family)) == 0);
	fuzz_assert(listen(fd, 1) == 0);
	return fd;
}

static void bootstrap_start(void)
{
	event_fd = eventfd(0, EFD_CLOEXEC);
	udp_fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	fuzz_assert(event_fd >= 0);
	list_init(&conns.conns);
	conns.epoll = epoll_create1(EPOLL_CLOEXEC);
	fuzz_assert(conns.epoll >= 0);
	uroce_slots_init(&slots);
	slots.listener = bootstrap_listen();
	for (int i = 0; i < UROCE_NR_SLOTS; i++)
		slots.fds[i] = event_fd;
}

static int bootstrap_connect(void)
{
	struct sockaddr_un name;
	socklen_t len = sizeof(name);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);

	fuzz_assert(fd >= 0);
	fuzz_assert(getsockname(slots.listener, (struct sockaddr *)&name,
				&len) == 0);
	fuzz_assert(connect(fd, (struct sockaddr *)&name, len) == 0);
	return fd;
}

/* An open descriptor that is left would have this number. */
static int lowest_free_fd(void)
{
	int fd = dup(event_fd);

	fuzz_assert(fd >= 0);
	(void)close(fd);
	return fd;
}

static void check_owner(const uint8_t *message, size_t len)
{
	struct uroce_gsi_conn *conn;
	struct uroce_gsi_message received;
	unsigned int nr;
	int ret;

	fuzz_assert(uroce_gsi_conns_accept(&conns, slots.listener, &slots,
					   &conn) == 0);
	ret = uroce_gsi_conn_receive(conn, &received, 1, &nr);
	fuzz_assert(ret == 0 || ret == -EPROTO || (ret == -EPIPE && !len));
	fuzz_assert(nr == (ret == 0));
	if (nr) {
		fuzz_assert(len == sizeof(received));
		fuzz_assert(memcmp(&received, message, len) == 0);
	}
	uroce_gsi_conn_free(&conns, conn);
}

/* The responses: blocks of sockets, or the number of them. */
static void check_slot(int fd, uint8_t nr_blocks)
{
	struct uroce_slots_message response;
	int fds[UROCE_MAX_PASSED];
	unsigned int nr_responses = 0;
	int nr;

	slots.nr = nr_blocks % (UROCE_NR_SLOTS / UROCE_SLOT_BLOCK + 1) *
		   UROCE_SLOT_BLOCK;
	nr_blocks = (uint8_t)(slots.nr / UROCE_SLOT_BLOCK);
	fuzz_assert(!uroce_slots_serve(&slots));
	fuzz_assert(slots.nr == nr_blocks * (uint32_t)UROCE_SLOT_BLOCK);
	for (;;) {
		nr = uroce_message_receive(fd, &response, sizeof(response),
					   fds);
		if (nr < 0)
			break;
		fuzz_assert(response.nr == slots.nr);
		fuzz_assert(response.kind == UROCE_SLOTS_BLOCK
				    ? nr == UROCE_SLOT_BLOCK
				    : response.kind == UROCE_SLOTS_COUNT &&
					      nr == 0);
		while (nr > 0)
			(void)close(fds[--nr]);
		nr_responses++;
	}
	fuzz_assert(nr_responses <= (nr_blocks ? nr_blocks : 1u));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fds[UROCE_MAX_PASSED];
	unsigned int nr;
	int fd, lowest;

	if (event_fd < 0)
		bootstrap_start();
	/* Such a user would have to prove its identity first. */
	if (len < BOOTSTRAP_HEAD_LEN || uroce_identity_ambiguous())
		return 0;
	nr = data[0] & BOOTSTRAP_NR_MASK;
	if (nr > UROCE_MAX_PASSED)
		nr = UROCE_MAX_PASSED;
	for (unsigned int i = 0; i < nr; i++)
		fds[i] = data[0] & BOOTSTRAP_UDP && udp_fd >= 0 ? udp_fd
								: event_fd;
	lowest = lowest_free_fd();
	fd = bootstrap_connect();
	fuzz_assert(uroce_message_try_send(fd, data + BOOTSTRAP_HEAD_LEN,
					   len - BOOTSTRAP_HEAD_LEN, fds,
					   nr) == 0);
	if (data[0] & BOOTSTRAP_SLOT)
		check_slot(fd, data[1]);
	else
		check_owner(data + BOOTSTRAP_HEAD_LEN,
			    len - BOOTSTRAP_HEAD_LEN);
	(void)close(fd);
	fuzz_assert(lowest_free_fd() == lowest);
	return 0;
}
