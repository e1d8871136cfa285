/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairing without the needed resources, and with invalid clients: system calls
 * that the kernel denies, missing descriptors, clients that send nothing or
 * malformed messages. Both processes are simulated in this one.
 */
#include "uroce/shm/uroce_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_ring.h"
#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_node.h"

enum { LEFT = 200, RIGHT };

static struct side left, right;
static int memfd_error; /* 0: the kernel's result */
static unsigned int memfd_refuses;
static int epoll_error;
static int accept_error;

int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);
int __real_epoll_create1(int flags);
int __wrap_epoll_create1(int flags);
int __real_nocancel_accept4(int fd, struct sockaddr *addr, socklen_t *len,
			    int flags);
int __wrap_nocancel_accept4(int fd, struct sockaddr *addr, socklen_t *len,
			    int flags);

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	if (memfd_error || flags & memfd_refuses) {
		errno = memfd_error ? memfd_error : EINVAL;
		return -1;
	}
	return __real_memfd_create(name, flags);
}

int __wrap_epoll_create1(int flags)
{
	if (epoll_error) {
		errno = epoll_error;
		return -1;
	}
	return __real_epoll_create1(flags);
}

int __wrap_nocancel_accept4(int fd, struct sockaddr *addr, socklen_t *len,
			    int flags)
{
	int error = __atomic_load_n(&accept_error, __ATOMIC_RELAXED);

	if (error) {
		errno = error;
		return -1;
	}
	return __real_nocancel_accept4(fd, addr, len, flags);
}

static int open_both(void **state)
{
	memfd_error = 0;
	memfd_refuses = 0;
	epoll_error = 0;
	accept_error = 0;
	side_open(&left, LEFT);
	side_open(&right, RIGHT);
	return 0;
}

static int close_both(void **state)
{
	side_close(&left);
	side_close(&right);
	assert_int_equal(nr_rings(), 0);
	return 0;
}

static int connect_to_right(void)
{
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];

	side_gid(RIGHT, gid);
	return uroce_shm_connect(left.shm, RIGHT, gid, &channel);
}

static void shm_open_without_socket_name_fails(void **state)
{
	struct uroce_shm_config config = { .slot = LEFT };
	struct uroce_shm *shm = NULL;
	uint32_t fds = nr_open_fds();

	assert_int_equal(uroce_shm_open(&config, &shm), -EADDRINUSE);
	config.slot = 256;
	assert_int_equal(uroce_shm_open(&config, &shm), -EINVAL);
	config.slot = 210;
	epoll_error = EPERM;
	assert_int_equal(uroce_shm_open(&config, &shm), -EPERM);
	assert_null(shm);
	assert_int_equal(nr_open_fds(), fds);
}

static void shm_connect_without_memfd_returns_enoent(void **state)
{
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];

	side_serve(&left);
	side_serve(&right);
	memfd_error = EPERM;
	assert_int_equal(connect_to_right(), -ENOENT);
	memfd_error = 0;
	/* right has memory, but must not use it */
	side_gid(LEFT, gid);
	assert_int_equal(uroce_shm_connect(right.shm, LEFT, gid, &channel),
			 -ENOENT);
	assert_int_equal(nr_rings(), 0);
}

/* Both QPs of a connection must use the network. */
static void shm_own_slot_without_memfd_uses_network(void **state)
{
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];

	side_gid(LEFT, gid);
	memfd_error = EMFILE;
	assert_int_equal(uroce_shm_connect(left.shm, LEFT, gid, &channel),
			 -EMFILE);
	uroce_shm_set_network(left.shm);
	assert_int_equal(uroce_shm_connect(left.shm, LEFT, gid, &channel),
			 -ENOENT);
	memfd_error = 0;
	assert_int_equal(uroce_shm_connect(left.shm, LEFT, gid, &channel),
			 -ENOENT);
}

static void shm_connect_shortage_is_reported_and_retried(void **state)
{
	side_serve(&right);
	memfd_error = EMFILE;
	assert_int_equal(connect_to_right(), -EMFILE);
	memfd_error = ENOMEM;
	assert_int_equal(connect_to_right(), -ENOMEM);
	memfd_error = 0;
	assert_int_equal(connect_to_right(), 0);
}

static void shm_memfd_flags_fall_back_on_old_kernel(void **state)
{
	side_serve(&right);
	memfd_refuses = 8; /* MFD_NOEXEC_SEAL */
	assert_int_equal(connect_to_right(), 0);
}

static void shm_accept_without_descriptor_pauses_server(void **state)
{
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];
	struct epoll_event event;
	struct side third;
	int silent_client;

	accept_error = EMFILE;
	silent_client = uroce_rendezvous_connect(UROCE_NAME_LOCAL, 201, 1000);
	assert_true(silent_client >= 0);
	uroce_shm_serve(right.shm);
	/* the server still listens, and causes no busy loop */
	assert_int_equal(epoll_wait(uroce_shm_fd(right.shm), &event, 1, 0), 0);
	accept_error = 0;
	/* the next event accepts the client */
	side_serve(&left);
	side_gid(LEFT, gid);
	assert_int_equal(uroce_shm_connect(right.shm, LEFT, gid, &channel), 0);
	uroce_shm_serve(right.shm);
	assert_int_equal(right.shm->nr_clients, 1);
	side_serve(&right);
	side_open(&third, RIGHT + 1);
	(void)side_connect(&third, RIGHT);
	side_close(&third);
	(void)close(silent_client);
}

static void shm_silent_clients_do_not_block_connect(void **state)
{
	int silent_clients[UROCE_SHM_CLIENTS];
	uint32_t fds = nr_open_fds();

	side_serve(&right);
	for (int i = 0; i < UROCE_SHM_CLIENTS - 1; i++) {
		silent_clients[i] =
			uroce_rendezvous_connect(UROCE_NAME_LOCAL, 201, 1000);
		assert_true(silent_clients[i] >= 0);
	}
	assert_int_equal(connect_to_right(), 0);
	for (int i = 0; i < UROCE_SHM_CLIENTS - 1; i++)
		(void)close(silent_clients[i]);
	/* clients are released as they close */
	while (nr_open_fds() > fds + 1 + 2)
		(void)sched_yield();
}

static void shm_client_limit_is_released(void **state)
{
	int silent_clients[UROCE_SHM_CLIENTS + 1];
	struct epoll_event event;

	for (int i = 0; i < UROCE_SHM_CLIENTS + 1; i++) {
		silent_clients[i] =
			uroce_rendezvous_connect(UROCE_NAME_LOCAL, 201, 1000);
		assert_true(silent_clients[i] >= 0);
		uroce_shm_serve(right.shm);
	}
	assert_int_equal(right.shm->nr_clients, UROCE_SHM_CLIENTS);
	assert_int_equal(epoll_wait(uroce_shm_fd(right.shm), &event, 1, 0), 0);
	(void)close(silent_clients[5]);
	uroce_shm_serve(right.shm);
	uroce_shm_serve(right.shm);
	assert_int_equal(right.shm->nr_clients, UROCE_SHM_CLIENTS);
	/* a silent client is closed after the timeout */
	for (int i = 0; i < UROCE_SHM_CLIENTS; i++)
		right.shm->clients[i].until_ms = 0;
	uroce_shm_serve(right.shm);
	assert_int_equal(right.shm->nr_clients, 0);
	for (int i = 0; i < UROCE_SHM_CLIENTS + 1; i++)
		if (i != 5)
			(void)close(silent_clients[i]);
}

/* A valid hello, to be modified by a test. */
static struct uroce_hello make_hello(uint32_t slot)
{
	struct uroce_hello hello = {
		.party = {
			.magic = UINT64_C(0x75726f63652d6c0b),
			.nr_slots = UROCE_SHM_RING_ENTRIES,
			.area = UROCE_SHM_RING_AREA,
			.mtu = UROCE_CHANNEL_MTU,
			.slot = slot,
			.token = 1,
		},
	};

	side_gid(RIGHT, hello.dgid);
	return hello;
}

/* The response of the right process; -1: none, the connection is closed. */
static int result_of(const void *hello, size_t len, int ring)
{
	int fd = uroce_rendezvous_connect(UROCE_NAME_LOCAL, 201, 1000);
	struct uroce_pairing_result_message message;
	int fds[UROCE_MAX_PASSED];
	int nr;

	assert_true(fd >= 0);
	assert_int_equal(uroce_message_send(fd, hello, len, &ring, ring >= 0),
			 0);
	uroce_shm_serve(right.shm);
	nr = uroce_message_receive(fd, &message, sizeof(message), fds);
	for (int i = 0; i < nr; i++)
		(void)close(fds[i]);
	(void)close(fd);
	uroce_shm_serve(right.shm);
	return nr < 0 ? -1 : (int)message.result;
}

static void shm_malformed_hello_is_rejected(void **state)
{
	struct uroce_hello hello = make_hello(LEFT);
	int ring = uroce_shm_ring_create();
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	uint32_t fds = nr_open_fds();

	/* the unmodified hello */
	assert_int_equal(result_of(&hello, sizeof(hello), ring),
			 UROCE_PAIRING_OK);
	assert_int_equal(result_of(&hello, sizeof(hello), -1),
			 UROCE_PAIRING_REJECTED);
	assert_int_equal(result_of(&hello, sizeof(hello), null),
			 UROCE_PAIRING_REJECTED);
	assert_int_equal(result_of(&hello, sizeof(hello) - 1, ring),
			 UROCE_PAIRING_REJECTED);
	assert_int_equal(result_of("", 1, ring), UROCE_PAIRING_REJECTED);
	hello.party.magic++;
	assert_int_equal(result_of(&hello, sizeof(hello), ring),
			 UROCE_PAIRING_REJECTED);
	hello = make_hello(LEFT);
	hello.party.nr_slots--;
	assert_int_equal(result_of(&hello, sizeof(hello), ring),
			 UROCE_PAIRING_REJECTED);
	hello = make_hello(LEFT);
	hello.party.area *= 2;
	assert_int_equal(result_of(&hello, sizeof(hello), ring),
			 UROCE_PAIRING_REJECTED);
	hello = make_hello(LEFT);
	hello.party.mtu--;
	assert_int_equal(result_of(&hello, sizeof(hello), ring),
			 UROCE_PAIRING_REJECTED);
	hello = make_hello(256);
	assert_int_equal(result_of(&hello, sizeof(hello), ring),
			 UROCE_PAIRING_REJECTED);
	hello = make_hello(RIGHT);
	assert_int_equal(result_of(&hello, sizeof(hello), ring),
			 UROCE_PAIRING_REJECTED);
	hello = make_hello(LEFT);
	side_gid(LEFT, hello.dgid);
	assert_int_equal(result_of(&hello, sizeof(hello), ring),
			 UROCE_PAIRING_NOT_MINE);
	assert_int_equal(right.shm->nr_clients, 0);
	assert_int_equal(nr_open_fds(), fds);
	assert_true(uroce_shm_is_empty(right.shm));
	(void)close(ring);
	(void)close(null);
}

struct nonsense {
	int listener;
	bool said;
};

/* A server with a malformed response, if the client waits for one. */
static void *send_malformed_response(void *arg)
{
	struct nonsense *nonsense = arg;
	struct uroce_hello hello;
	struct uroce_passed theirs;
	int fd;

	do {
		fd = uroce_rendezvous_accept(nonsense->listener, 2000);
	} while (fd == -EAGAIN);
	CHECK(fd >= 0);
	if (uroce_pairing_receive_hello(fd, &hello, &theirs) == 0) {
		nonsense->said =
			uroce_message_send(fd, "nonsense", 8, NULL, 0) == 0;
		uroce_pairing_close(&theirs);
	}
	(void)close(fd);
	return NULL;
}

static bool server_sends_malformed_response(uint32_t slot)
{
	struct nonsense nonsense = { .listener = uroce_pairing_bind(slot) };
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];
	uint32_t fds = nr_open_fds();
	pthread_t thread;

	assert_true(nonsense.listener >= 0);
	assert_int_equal(pthread_create(&thread, NULL, send_malformed_response,
					&nonsense),
			 0);
	side_gid(slot, gid);
	assert_int_equal(uroce_shm_connect(left.shm, slot, gid, &channel),
			 -ENOENT);
	assert_int_equal(pthread_join(thread, NULL), 0);
	/* the result is cached: no server runs any more */
	assert_int_equal(uroce_shm_connect(left.shm, slot, gid, &channel),
			 -ENOENT);
	assert_int_equal(nr_open_fds(), fds);
	(void)close(nonsense.listener);
	return nonsense.said;
}

static void shm_malformed_server_response_fails_connect(void **state)
{
	uint32_t slot = RIGHT + 5;

	while (!server_sends_malformed_response(slot))
		slot++;
}

#define WITH_BOTH(test) \
	cmocka_unit_test_setup_teardown(test, open_both, close_both)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BOTH(shm_open_without_socket_name_fails),
		WITH_BOTH(shm_connect_without_memfd_returns_enoent),
		WITH_BOTH(shm_own_slot_without_memfd_uses_network),
		WITH_BOTH(shm_connect_shortage_is_reported_and_retried),
		WITH_BOTH(shm_memfd_flags_fall_back_on_old_kernel),
		WITH_BOTH(shm_accept_without_descriptor_pauses_server),
		WITH_BOTH(shm_silent_clients_do_not_block_connect),
		WITH_BOTH(shm_client_limit_is_released),
		WITH_BOTH(shm_malformed_hello_is_rejected),
		WITH_BOTH(shm_malformed_server_response_fails_connect),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
