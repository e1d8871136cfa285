/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The timeout expires during the handshake. A client that was accepted may
 * already use the pair, so nothing else is decided before its confirmation
 * arrives or the connection is closed. The right process is a real one. The
 * test plays the left process, message by message, as a client and as a server.
 * The test controls the clock.
 */
#include "uroce/shm/uroce_shm.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include <cmocka.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_ring.h"
#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_node.h"

/* In this order the right process accepts clients while it connects. */
enum { LEFT = 200, RIGHT };

#define TOKEN	   1
#define PATIENCE_S (SIDE_PATIENCE_MS / 1000)
#define NOT_YET	   UINT64_MAX

static struct side right;

/* Connects from the right to the left process, in a thread. */
static struct connecter {
	pthread_t thread;
	bool running; /* not joined yet */
	struct uroce_channel *channel;
	int ret;
	bool done; /* atomic */
} connecter;

static __thread bool is_connecter;
static uint64_t ahead_s; /* atomic: simulated time, in addition to real time */
static uint64_t seen_s;	 /* atomic: the same, when the connecting thread last
			    read the clock */
/* Client that confirms after the check of the right process; -1: none. */
static int late_client;
static int listener; /* of the left process; -1: none */

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_nocancel_epoll_wait(int fd, struct epoll_event *events, int max,
			       int timeout);
int __wrap_nocancel_epoll_wait(int fd, struct epoll_event *events, int max,
			       int timeout);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int ret = __real_clock_gettime(clock, now);
	uint64_t ahead = __atomic_load_n(&ahead_s, __ATOMIC_SEQ_CST);

	now->tv_sec += (time_t)ahead;
	if (is_connecter)
		__atomic_store_n(&seen_s, ahead, __ATOMIC_SEQ_CST);
	return ret;
}

static void wait_until_seen(void)
{
	uint64_t ahead = __atomic_load_n(&ahead_s, __ATOMIC_SEQ_CST);

	while (__atomic_load_n(&seen_s, __ATOMIC_SEQ_CST) != ahead &&
	       !__atomic_load_n(&connecter.done, __ATOMIC_SEQ_CST))
		(void)sched_yield();
}

int __wrap_nocancel_epoll_wait(int fd, struct epoll_event *events, int max,
			       int timeout)
{
	int nr = __real_nocancel_epoll_wait(fd, events, max, timeout);

	if (late_client >= 0) {
		CHECK(!uroce_pairing_send(late_client, UROCE_PAIRING_CONFIRM));
		(void)__atomic_add_fetch(&ahead_s, PATIENCE_S + 1,
					 __ATOMIC_SEQ_CST);
		late_client = -1;
	}
	return nr;
}

static void *ask(void *arg)
{
	uint8_t gid[UROCE_GID_LEN];

	is_connecter = true;
	side_gid(LEFT, gid);
	connecter.ret =
		uroce_shm_connect(right.shm, LEFT, gid, &connecter.channel);
	__atomic_store_n(&connecter.done, true, __ATOMIC_SEQ_CST);
	return NULL;
}

static void connect_start(void)
{
	connecter = (struct connecter){};
	seen_s = NOT_YET;
	assert_int_equal(pthread_create(&connecter.thread, NULL, ask, NULL), 0);
	connecter.running = true;
	wait_until_seen();
}

static int connect_finish(void)
{
	assert_int_equal(pthread_join(connecter.thread, NULL), 0);
	connecter.running = false;
	return connecter.ret;
}

/* The thread either returns, or has read the clock when it unlocks. */
static void clock_advance(uint32_t patiences)
{
	(void)__atomic_add_fetch(&ahead_s, (uint64_t)patiences * PATIENCE_S + 1,
				 __ATOMIC_SEQ_CST);
	verbs_mutex_lock(&right.shm->mutex);
	uroce_shm_signal_locked(right.shm);
	verbs_mutex_unlock(&right.shm->mutex);
	wait_until_seen();
}

static int open_right(void **state)
{
	late_client = -1;
	listener = -1;
	side_open(&right, RIGHT);
	return 0;
}

/* Also cleans up after a failed test. */
static int close_right(void **state)
{
	if (connecter.running) {
		clock_advance(3);
		(void)connect_finish();
	}
	if (listener >= 0)
		(void)close(listener);
	side_close(&right);
	assert_int_equal(nr_rings(), 0);
	return 0;
}

static bool is_refused(void)
{
	bool rejected;

	verbs_mutex_lock(&right.shm->mutex);
	rejected = uroce_shm_rejects_locked(right.shm, LEFT, getpid());
	verbs_mutex_unlock(&right.shm->mutex);
	return rejected;
}

static void wait_until_asked(void)
{
	bool connecting;

	do {
		(void)sched_yield();
		verbs_mutex_lock(&right.shm->mutex);
		connecting = right.shm->connecting[LEFT];
		verbs_mutex_unlock(&right.shm->mutex);
	} while (connecting);
}

/* -- left process --------------------------------------------------------- */

static uint64_t long_enough(void)
{
	return uroce_pairing_now_ms() + SIDE_PATIENCE_MS;
}

/* Sends a hello. The right process checks that the left one has its slot. */
static enum uroce_pairing_result client_connect(int *ret_fd)
{
	struct uroce_passed ours = { .ring = uroce_shm_ring_create(),
				     .directory = -1 };
	struct uroce_passed theirs;
	enum uroce_pairing_result result;
	uint8_t gid[UROCE_GID_LEN];
	uint64_t token;

	if (listener < 0)
		listener = uroce_pairing_bind(LEFT);
	assert_true(listener >= 0);
	side_gid(RIGHT, gid);
	assert_true(ours.ring >= 0);
	*ret_fd = uroce_pairing_connect(RIGHT, long_enough());
	assert_true(*ret_fd >= 0);
	assert_int_equal(uroce_pairing_request(*ret_fd, LEFT, TOKEN, gid, &ours,
					       long_enough(), &result, &token,
					       &theirs),
			 0);
	uroce_pairing_close(&theirs);
	uroce_pairing_close(&ours);
	return result;
}

/* The thread that accepted the client has ended, and reads no clock. */
static int client_connect_accepted(void)
{
	int fd;

	side_serve(&right);
	assert_int_equal(client_connect(&fd), UROCE_PAIRING_OK);
	side_stop_serving(&right);
	return fd;
}

/* Accepts a connection and reads the hello of the right process. */
static int server_accept(void)
{
	struct uroce_hello hello;
	struct uroce_passed theirs;
	int fd;

	do {
		(void)sched_yield();
		fd = uroce_rendezvous_accept(listener, SIDE_PATIENCE_MS);
	} while (fd == -EAGAIN);
	assert_true(fd >= 0);
	assert_int_equal(uroce_pairing_receive_hello(fd, &hello, &theirs), 0);
	uroce_pairing_close(&theirs);
	return fd;
}

static void server_send_accepted(int fd)
{
	struct uroce_passed ours = { .ring = uroce_shm_ring_create(),
				     .directory = -1 };

	assert_true(ours.ring >= 0);
	assert_int_equal(
		uroce_pairing_respond(fd, LEFT, TOKEN, UROCE_PAIRING_OK, &ours),
		0);
	uroce_pairing_close(&ours);
}

static bool is_hung_up(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLRDHUP };

	return poll(&poll_fd, 1, 0) > 0;
}

static void assert_pair(int client)
{
	assert_ptr_equal(connecter.channel, &right.shm->table[LEFT]->channel);
	assert_false(is_refused());
	assert_false(is_hung_up(client));
	assert_int_equal(uroce_pairing_send(client, UROCE_PAIRING_DOORBELL), 0);
	uroce_shm_put_channel(right.shm, connecter.channel);
}

/* -- the tests ------------------------------------------------------------ */

static void shm_late_confirmation_makes_pair(void **state)
{
	int client = client_connect_accepted();

	side_serve(&right);
	connect_start();
	clock_advance(1);
	assert_false(is_refused());
	assert_int_equal(uroce_pairing_send(client, UROCE_PAIRING_CONFIRM), 0);
	assert_int_equal(connect_finish(), 0);
	assert_pair(client);
	(void)close(client);
}

static void shm_missing_confirmation_rejects_client(void **state)
{
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];
	int client = client_connect_accepted();
	int again;

	side_serve(&right);
	connect_start();
	clock_advance(1);
	assert_false(is_refused());
	clock_advance(2);
	assert_int_equal(connect_finish(), -ENOENT);
	/* the client cannot use the pair any more */
	assert_int_equal(uroce_pairing_send(client, UROCE_PAIRING_CONFIRM),
			 -EPIPE);
	side_gid(LEFT, gid);
	assert_int_equal(uroce_shm_connect(right.shm, LEFT, gid, &channel),
			 -ENOENT);
	assert_int_equal(client_connect(&again), UROCE_PAIRING_REJECTED);
	side_stop_serving(&right);
	uroce_shm_serve(right.shm);
	assert_int_equal(right.shm->nr_clients, 0);
	(void)close(client);
	(void)close(again);
}

static void shm_closed_client_is_not_awaited(void **state)
{
	int client = client_connect_accepted();

	side_serve(&right);
	connect_start();
	clock_advance(1);
	assert_false(is_refused());
	(void)close(client);
	assert_int_equal(connect_finish(), -ENOENT);
	assert_true(is_refused());
}

/*
 * The connect of the right process fails while an accepted client is pending.
 */
static void fail_connect_with_client(bool accepted)
{
	int client, host;

	listener = uroce_pairing_bind(LEFT);
	assert_true(listener >= 0);
	connect_start();
	host = server_accept();
	client = client_connect_accepted();
	side_serve(&right);
	if (accepted) {
		/* its confirmation cannot be sent */
		assert_int_equal(shutdown(host, SHUT_RD), 0);
		server_send_accepted(host);
	} else {
		assert_int_equal(shutdown(host, SHUT_RDWR), 0);
	}
	wait_until_asked();
	clock_advance(1);
	assert_false(is_refused());
	assert_int_equal(uroce_pairing_send(client, UROCE_PAIRING_CONFIRM), 0);
	assert_int_equal(connect_finish(), 0);
	assert_pair(client);
	(void)close(client);
	(void)close(host);
}

static void shm_failed_connect_keeps_pending_client(void **state)
{
	fail_connect_with_client(false);
}

static void shm_unsent_confirmation_keeps_pending_client(void **state)
{
	fail_connect_with_client(true);
}

static void shm_unreachable_server_is_rejected(void **state)
{
	int host, client;

	listener = uroce_pairing_bind(LEFT);
	assert_true(listener >= 0);
	connect_start();
	host = server_accept();
	assert_int_equal(shutdown(host, SHUT_RD), 0);
	server_send_accepted(host);
	assert_int_equal(connect_finish(), -ENOENT);
	side_serve(&right);
	assert_int_equal(client_connect(&client), UROCE_PAIRING_REJECTED);
	(void)close(client);
	(void)close(host);
}

/* Simulates another thread that has connected and waits for a response. */
static void shm_connect_waits_for_second_thread(void **state)
{
	int call[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, call), 0);
	right.shm->connecting[LEFT] = true;
	right.shm->connections[LEFT] = call[0];
	connect_start();
	clock_advance(1);
	assert_false(is_refused());
	assert_int_equal(uroce_pairing_send(call[0], UROCE_PAIRING_DOORBELL),
			 0);
	clock_advance(2);
	assert_int_equal(connect_finish(), -ENOENT);
	assert_true(is_refused());
	/* that connection cannot be confirmed either */
	assert_int_equal(uroce_pairing_send(call[0], UROCE_PAIRING_CONFIRM),
			 -EPIPE);
	right.shm->connecting[LEFT] = false;
	right.shm->connections[LEFT] = -1;
	(void)close(call[0]);
	(void)close(call[1]);
}

static void shm_last_message_of_late_client_is_read(void **state)
{
	int client = client_connect_accepted();

	/* between the last check of the right process and its close */
	late_client = client;
	uroce_shm_serve(right.shm);
	assert_int_equal(late_client, -1);
	assert_non_null(right.shm->table[LEFT]);
	assert_int_equal(right.shm->pending_confirm[LEFT], -1);
	assert_int_equal(right.shm->nr_clients, 0);
	assert_false(is_hung_up(client));
	(void)close(client);
}

#define WITH_RIGHT(test) \
	cmocka_unit_test_setup_teardown(test, open_right, close_right)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RIGHT(shm_late_confirmation_makes_pair),
		WITH_RIGHT(shm_missing_confirmation_rejects_client),
		WITH_RIGHT(shm_closed_client_is_not_awaited),
		WITH_RIGHT(shm_failed_connect_keeps_pending_client),
		WITH_RIGHT(shm_unsent_confirmation_keeps_pending_client),
		WITH_RIGHT(shm_unreachable_server_is_rejected),
		WITH_RIGHT(shm_connect_waits_for_second_thread),
		WITH_RIGHT(shm_last_message_of_late_client_is_read),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
