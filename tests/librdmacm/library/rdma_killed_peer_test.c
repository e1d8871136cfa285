/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Idle connections, and connections whose peer is killed, through the shared
 * libraries, on the loopback interface. The peer is a child process that waits
 * without a call of a library until it is killed, and the test makes no call
 * but for events.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <rdma/rsocket.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define NODE	 "127.0.0.1"
#define SERVICE	 "7175"
#define LIMIT_MS 30000
#define NR_CONNS 3

static struct rdma_event_channel *channel;

/* -- the peer -- */

static struct rdma_addrinfo *address_of(int flags)
{
	struct rdma_addrinfo hints = {
		.ai_flags = flags,
		.ai_port_space = RDMA_PS_TCP,
	};
	struct rdma_addrinfo *address = NULL;

	return rdma_getaddrinfo(NODE, SERVICE, &hints, &address) ? NULL
								 : address;
}

/* A synchronous id. NULL: failed. */
static struct rdma_cm_id *endpoint_new(int flags)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
	};
	struct rdma_addrinfo *address = address_of(flags);
	struct rdma_cm_id *id = NULL;

	if (!address || rdma_create_ep(&id, address, NULL, &attr))
		return NULL;
	rdma_freeaddrinfo(address);
	return id;
}

static bool peer_connect(void)
{
	struct rdma_cm_id *id = endpoint_new(0);

	return id && rdma_connect(id, NULL) == 0;
}

static bool peer_connect_stream(void)
{
	struct rdma_addrinfo *address = address_of(0);
	int fd = rsocket(AF_INET, SOCK_STREAM, 0);

	return address && fd >= 0 &&
	       rconnect(fd, address->ai_dst_addr, address->ai_dst_len) == 0;
}

/* Main of the child; standard input is a pipe to the test. */
static int run_peer(const char *role)
{
	bool is_server = strcmp(role, "server") == 0;
	struct rdma_cm_id *listener = NULL, *id;
	bool good = true;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (is_server) {
		listener = endpoint_new(RAI_PASSIVE);
		good = listener && rdma_listen(listener, NR_CONNS) == 0;
		(void)!write(STDIN_FILENO, &good, 1);
	}
	for (int i = 0; i < NR_CONNS && good; i++) {
		if (is_server)
			good = rdma_get_request(listener, &id) == 0 &&
			       rdma_accept(id, NULL) == 0;
		else if (strcmp(role, "stream") == 0)
			good = peer_connect_stream();
		else
			good = peer_connect();
	}
	(void)!write(STDIN_FILENO, &good, 1);
	return pause(); /* until it is killed */
}

/* -- the test -- */

static void expect_good(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	bool good = false;

	assert_int_equal(poll(&poll_fd, 1, LIMIT_MS), 1);
	assert_int_equal(read(fd, &good, 1), 1);
	assert_true(good);
}

/* Starts the peer: exec() because the test has threads. */
static pid_t peer_start(const char *role, int *ret_fd)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		(void)dup2(fds[1], STDIN_FILENO);
		(void)execl("/proc/self/exe", "peer", role, (char *)NULL);
		_exit(1);
	}
	(void)close(fds[1]);
	*ret_fd = fds[0];
	return pid;
}

static void peer_kill(pid_t pid, int fd)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	(void)close(fd);
}

/* Waits for the next event. */
static enum rdma_cm_event_type next_event(struct rdma_cm_id **ret_id)
{
	struct pollfd poll_fd = { .fd = channel->fd, .events = POLLIN };
	enum rdma_cm_event_type type;
	struct rdma_cm_event *event;

	assert_int_equal(poll(&poll_fd, 1, LIMIT_MS), 1);
	assert_int_equal(rdma_get_cm_event(channel, &event), 0);
	assert_int_equal(event->status, 0);
	type = event->event;
	*ret_id = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
	return type;
}

static struct rdma_cm_id *expect_event(enum rdma_cm_event_type type)
{
	struct rdma_cm_id *id;

	assert_string_equal(rdma_event_str(next_event(&id)),
			    rdma_event_str(type));
	return id;
}

static void create_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
	};

	assert_int_equal(rdma_create_qp(id, NULL, &attr), 0);
}

static struct rdma_cm_id *id_new(void)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	return id;
}

static void connect_to_peer(void)
{
	struct rdma_conn_param param = { .retry_count = 7 };
	struct rdma_addrinfo *address = address_of(0);
	struct rdma_cm_id *id = id_new();

	assert_non_null(address);
	assert_int_equal(
		rdma_resolve_addr(id, NULL, address->ai_dst_addr, LIMIT_MS), 0);
	rdma_freeaddrinfo(address);
	(void)expect_event(RDMA_CM_EVENT_ADDR_RESOLVED);
	assert_int_equal(rdma_resolve_route(id, LIMIT_MS), 0);
	(void)expect_event(RDMA_CM_EVENT_ROUTE_RESOLVED);
	create_qp(id);
	assert_int_equal(rdma_connect(id, &param), 0);
	(void)expect_event(RDMA_CM_EVENT_ESTABLISHED);
}

/* The next request may arrive before the RTU of a connection. */
static void accept_connections(void)
{
	struct rdma_cm_id *id;

	for (int nr_established = 0; nr_established < NR_CONNS;) {
		if (next_event(&id) == RDMA_CM_EVENT_ESTABLISHED) {
			nr_established++;
		} else {
			create_qp(id);
			assert_int_equal(rdma_accept(id, NULL), 0);
		}
	}
}

/* All connections end, and their queue pairs can be used for nothing else. */
static void expect_end_of_connections(void)
{
	struct rdma_cm_id *ids[NR_CONNS];

	for (int i = 0; i < NR_CONNS; i++)
		ids[i] = expect_event(RDMA_CM_EVENT_DISCONNECTED);
	for (int i = 0; i < NR_CONNS; i++) {
		assert_int_equal(rdma_disconnect(ids[i]), 0);
		assert_int_equal(ids[i]->qp->state, IBV_QPS_ERR);
	}
	for (int i = 0; i < NR_CONNS; i++)
		(void)expect_event(RDMA_CM_EVENT_TIMEWAIT_EXIT);
	for (int i = 0; i < NR_CONNS; i++) {
		rdma_destroy_qp(ids[i]);
		assert_int_equal(rdma_destroy_id(ids[i]), 0);
	}
}

static void killed_server_disconnects_idle_client(void **state)
{
	int fd;
	pid_t pid = peer_start("server", &fd);

	expect_good(fd);
	for (int i = 0; i < NR_CONNS; i++)
		connect_to_peer();
	expect_good(fd);
	peer_kill(pid, fd);
	expect_end_of_connections();
}

static void killed_client_disconnects_idle_server(void **state)
{
	struct rdma_addrinfo *address = address_of(RAI_PASSIVE);
	struct rdma_cm_id *listener = id_new();
	pid_t pid;
	int fd;

	assert_non_null(address);
	assert_int_equal(rdma_bind_addr(listener, address->ai_src_addr), 0);
	rdma_freeaddrinfo(address);
	assert_int_equal(rdma_listen(listener, NR_CONNS), 0);
	pid = peer_start("client", &fd);
	accept_connections();
	expect_good(fd);
	peer_kill(pid, fd);
	expect_end_of_connections();
	assert_int_equal(rdma_destroy_id(listener), 0);
}

/* rrecv() waits without a message of the peer. */
static void killed_client_ends_stream_of_receiver(void **state)
{
	struct rdma_addrinfo *address = address_of(RAI_PASSIVE);
	int listener = rsocket(AF_INET, SOCK_STREAM, 0);
	int fd, streams[NR_CONNS];
	char byte;
	pid_t pid;

	assert_non_null(address);
	assert_int_equal(
		rbind(listener, address->ai_src_addr, address->ai_src_len), 0);
	rdma_freeaddrinfo(address);
	assert_int_equal(rlisten(listener, NR_CONNS), 0);
	pid = peer_start("stream", &fd);
	for (int i = 0; i < NR_CONNS; i++) {
		streams[i] = raccept(listener, NULL, NULL);
		assert_true(streams[i] >= 0);
	}
	expect_good(fd);
	peer_kill(pid, fd);
	for (int i = 0; i < NR_CONNS; i++) {
		assert_int_equal(rrecv(streams[i], &byte, 1, 0), 0);
		assert_int_equal(rclose(streams[i]), 0);
	}
	assert_int_equal(rclose(listener), 0);
}

/* -- idle connections -- */

#ifndef THREAD_SANITIZER /* which has a thread that wakes up */

/* The sum of the counters of a status file of a thread, or 0 if it is gone. */
static unsigned long context_switches(const char *path)
{
	unsigned long sum = 0, number;
	FILE *file = fopen(path, "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		const char *name = strstr(line, "ctxt_switches:");

		if (name && sscanf(name, "ctxt_switches: %lu", &number) == 1)
			sum += number;
	}
	if (file)
		(void)fclose(file);
	return sum;
}

/* Of all threads of a process but the calling one. */
static unsigned long wakeups(pid_t pid)
{
	unsigned long sum = 0;
	struct dirent *entry;
	char path[64];
	DIR *tasks;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	assert_non_null(tasks);
	while ((entry = readdir(tasks))) {
		long tid = strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || tid == getpid())
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%ld/status",
			       pid, tid);
		sum += context_switches(path);
	}
	(void)closedir(tasks);
	return sum;
}

/* After the connections are established, no thread of both ends wakes up. */
static void idle_connections_wake_no_thread(void **state)
{
	const struct timespec interval = { .tv_sec = 2 };
	unsigned long before, now;
	int fd, waited_ms = 0;
	pid_t pid = peer_start("server", &fd);

	expect_good(fd);
	for (int i = 0; i < NR_CONNS; i++)
		connect_to_peer();
	expect_good(fd);
	now = wakeups(pid) + wakeups(getpid());
	assert_true(now > 0);
	do {
		assert_true(waited_ms < LIMIT_MS);
		before = now;
		(void)nanosleep(&interval, NULL);
		waited_ms += 2000;
		now = wakeups(pid) + wakeups(getpid());
	} while (now != before);
	peer_kill(pid, fd);
	expect_end_of_connections();
}

#endif

static int setup(void **state)
{
	channel = rdma_create_event_channel();
	return channel ? 0 : -1;
}

static int teardown(void **state)
{
	rdma_destroy_event_channel(channel);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#ifndef THREAD_SANITIZER
		TEST(idle_connections_wake_no_thread),
#endif
		TEST(killed_server_disconnects_idle_client),
		TEST(killed_client_disconnects_idle_server),
		TEST(killed_client_ends_stream_of_receiver),
	};

	if (argc > 1)
		return run_peer(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
