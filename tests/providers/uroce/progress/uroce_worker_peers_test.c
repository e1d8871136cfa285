/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The worker with the real port: two processes on one address, or in two
 * network namespaces. The other process runs the same program with a role, and
 * its exit status is its result. If UROCE_LOCAL is "none", all packets use the
 * network; otherwise packets within a host use shared memory.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/progress/uroce_worker_state.h"
#include "uroce/udp/uroce_socket.h"
#include "uroce/uroce_config.h"
#include "uroce_netns.h"
#include "uroce_side.h"

#define LONG_TIMEOUT  18 /* 1 s */
#define SHORT_TIMEOUT 16 /* 0.3 s; the peer counts as dead after 8 of them */

enum role {
	ECHO,  /* returns messages; polls */
	SLEEP, /* returns messages; sleeps for events */
	LEAVE, /* receives one message and exits at once */
	IDLE,  /* only reads the socketpair */
	NR_ROLES,
};

/* Parameters of both processes. */
struct plan {
	int role;
	int gid_index;
	int mtu; /* enum ibv_mtu */
	int timeout;
	int rounds;
	int length;
	int link; /* > 0: number of a veth pair to another namespace */
};

struct test {
	struct plan plan;
	char ifname[16];
	struct side side;
	struct side_address self, peer;
	pid_t pid;
	int fd; /* to the other process */
};

/* A peer that computes, while its helper makes progress. */
static struct plan idle_plan(uint8_t timeout)
{
	return (struct plan){
		.role = IDLE,
		.gid_index = 1,
		.mtu = IBV_MTU_1024,
		.timeout = timeout,
		.length = 64,
	};
}

static void send_all(int fd, const void *data, size_t len)
{
	assert_int_equal(send(fd, data, len, MSG_NOSIGNAL), len);
}

static void receive_all(int fd, void *data, size_t len)
{
	assert_int_equal(recv(fd, data, len, MSG_WAITALL), len);
}

static void say(int fd)
{
	send_all(fd, "x", 1);
}

static void peers_receive(int fd)
{
	char byte;

	receive_all(fd, &byte, 1);
}

/* One variant of this test runs without a port in both processes. */
static bool is_port_taken(void)
{
	return getenv("UROCE_TEST_PORT_TAKEN");
}

/* Binds the port without sharing it, as long as the test runs. */
static void take_port(void)
{
	int fd = uroce_socket_sender();

	assert_true(fd >= 0);
	assert_int_equal(uroce_socket_bind(fd, UROCE_UDP_PORT), 0);
}

static void connect_side(struct test *test)
{
	struct uroce_netdev dev;
	int error;

	assert_int_equal(uroce_netdev_read(test->ifname, &dev), 0);
	side_open(&test->side, &dev);
	error = uroce_instance_port_error(test->side.instance);
	/* cmocka prints no failed assertion of the peer */
	if (error != (is_port_taken() ? -EADDRINUSE : 0))
		(void)fprintf(stderr, "process %d: error of the port: %s\n",
			      (int)getpid(), strerror(-error));
	assert_int_equal(error, is_port_taken() ? -EADDRINUSE : 0);
	test->self = side_address(&test->side, (uint32_t)test->plan.gid_index);
	send_all(test->fd, &test->self, sizeof(test->self));
	receive_all(test->fd, &test->peer, sizeof(test->peer));
	side_connect(&test->side, &test->self, &test->peer,
		     (enum ibv_mtu)test->plan.mtu, (uint8_t)test->plan.timeout);
	assert_int_equal(!!test->side.qp->roce->channel,
			 uroce_config_local() && !test->plan.link);
	for (int i = 0; i < SIDE_DEPTH; i++)
		side_receive(&test->side, (uint32_t)test->plan.length);
	say(test->fd);
	peers_receive(test->fd);
}

/* The next completion, by polling or by events. */
static struct uroce_cqe wait_for(struct side *side, bool sleep)
{
	struct uroce_cqe cqe;

	if (!sleep) {
		side_poll(side, &cqe);
		return cqe;
	}
	while (!side_take(side, &cqe)) {
		(void)uroce_worker_arm_cq(side->worker, &side->cq, false);
		if (side_take(side, &cqe))
			break;
		(void)sem_wait(&side->cq_events);
	}
	return cqe;
}

/*
 * Waits for the message of the peer and for the own request. The ACK may follow
 * the next message.
 */
static void exchange(struct test *test, bool first, bool sleep)
{
	struct side *side = &test->side;
	uint32_t length = (uint32_t)test->plan.length;
	int received = 0, sent = 0;

	for (int i = 0; i < test->plan.rounds; i++) {
		if (first)
			side_send(side, IBV_WR_SEND, length, &test->peer);
		while (received <= i || sent < i + first) {
			struct uroce_cqe cqe = wait_for(side, sleep);

			assert_int_equal(cqe.status, IBV_WC_SUCCESS);
			if (!(cqe.opcode & IBV_WC_RECV)) {
				sent++;
				continue;
			}
			received++;
			assert_int_equal(cqe.byte_len, length);
			side_receive(side, length);
		}
		if (!first)
			side_send(side, IBV_WR_SEND, length, &test->peer);
	}
	while (sent < test->plan.rounds) {
		struct uroce_cqe cqe = wait_for(side, sleep);

		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
		assert_false(cqe.opcode & IBV_WC_RECV);
		sent++;
	}
}

/* The old veth pair disappears after its namespace, so names are unique. */
static void name_end(struct test *test, char end)
{
	(void)snprintf(test->ifname, sizeof(test->ifname), "up%d%c",
		       test->plan.link, end);
}

static void set_addresses(struct test *test, int host)
{
	char address[32];

	(void)snprintf(address, sizeof(address), "192.168.%d.%d",
		       test->plan.link, host);
	uroce_netns_set_address(test->ifname, address);
	(void)snprintf(address, sizeof(address), "fd00:%d::%d", test->plan.link,
		       host);
	uroce_netns_add_ipv6(test->ifname, address);
}

static int be_peer(int fd)
{
	struct test test = { .ifname = "lo", .fd = fd };

	receive_all(fd, &test.plan, sizeof(test.plan));
	if (test.plan.link) {
		assert_int_equal(unshare(CLONE_NEWNET), 0);
		say(fd);
		peers_receive(fd);
		name_end(&test, 'b');
		uroce_netns_set_up(test.ifname, true);
		set_addresses(&test, 2);
	}
	connect_side(&test);
	if (test.plan.role == LEAVE) {
		(void)wait_for(&test.side, false);
		exit(0);
	}
	if (test.plan.role == IDLE)
		peers_receive(fd);
	else
		exchange(&test, false, test.plan.role == SLEEP);
	/*
	 * Sends the received data for comparison. The lock is for race
	 * detectors: a WRITE has no other end marker.
	 */
	uroce_worker_lock(test.side.worker);
	uroce_worker_unlock(test.side.worker);
	send_all(fd, test.side.memory, SIDE_MEMORY);
	peers_receive(fd);
	side_close(&test.side);
	return 0;
}

static void start_peer(struct test *test)
{
	int pair[2];
	char number[16];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	(void)snprintf(number, sizeof(number), "%d", pair[1]);
	test->pid = fork();
	assert_true(test->pid >= 0);
	if (test->pid == 0) {
		/* even if stopped when a test fails */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)close(pair[0]);
		(void)execl("/proc/self/exe", "peer", number, (char *)NULL);
		_exit(127);
	}
	(void)close(pair[1]);
	test->fd = pair[0];
	send_all(test->fd, &test->plan, sizeof(test->plan));
}

static void start(struct test *test, const struct plan *plan)
{
	*test = (struct test){ .plan = *plan, .ifname = "lo" };
	start_peer(test);
	connect_side(test);
}

static void finish(struct test *test)
{
	int status;

	say(test->fd);
	assert_int_equal(waitpid(test->pid, &status, 0), test->pid);
	assert_int_equal(status, 0);
	side_close(&test->side);
	(void)close(test->fd);
}

/* Received messages are acknowledged even if the process ends. */
static void worker_exiting_process_acknowledges(void **state)
{
	for (int i = 0; i < 10; i++) {
		struct uroce_cqe cqe;
		struct test test;
		int status;

		start(&test, &(struct plan){
				     .role = LEAVE,
				     .rounds = 1,
				     .length = 8,
				     .mtu = IBV_MTU_1024,
				     .timeout = LONG_TIMEOUT,
				     .gid_index = 1,
			     });
		side_send(&test.side, IBV_WR_SEND, 8, &test.peer);
		side_poll(&test.side, &cqe);
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
		assert_int_equal(waitpid(test.pid, &status, 0), test.pid);
		assert_int_equal(status, 0);
		side_close(&test.side);
		(void)close(test.fd);
	}
}

static void fill(uint8_t *memory, uint32_t seed)
{
	for (size_t i = 0; i < SIDE_MEMORY; i++)
		memory[i] = (uint8_t)(seed + i * 13 + i / 255);
}

static uint64_t count(struct test *test, enum uroce_counter counter)
{
	struct uroce_engine *engine = uroce_worker_engine(test->side.worker);
	uint64_t found;

	uroce_worker_lock(test->side.worker);
	found = engine->core.counters.count[counter];
	uroce_worker_unlock(test->side.worker);
	return found;
}

/* Compares the data of the peer with the sent data. */
static void assert_peer_has(struct test *test, size_t len)
{
	uint8_t *theirs = malloc(SIDE_MEMORY);

	assert_non_null(theirs);
	receive_all(test->fd, theirs, SIDE_MEMORY);
	assert_memory_equal(theirs, test->side.memory, len);
	free(theirs);
}

static void ping_pong(const struct plan *plan)
{
	struct test test;

	start(&test, plan);
	fill(test.side.memory, 7);
	exchange(&test, true, plan->role == SLEEP);
	assert_peer_has(&test, (size_t)plan->length);
	assert_int_equal(count(&test, UROCE_C_BAD_ICRC), 0);
	assert_int_equal(count(&test, UROCE_C_NO_QP), 0);
	finish(&test);
}

static void worker_sends_between_processes_arrive(void **state)
{
	ping_pong(&(struct plan){
		.role = ECHO,
		.gid_index = 1,
		.mtu = IBV_MTU_1024,
		.timeout = LONG_TIMEOUT,
		.rounds = 200,
		.length = 100,
	});
}

static void worker_long_sends_over_ipv6_arrive(void **state)
{
	struct uroce_netdev dev;

	assert_int_equal(uroce_netdev_read("lo", &dev), 0);
	if (dev.gids[0][15] != 1) {
		print_message("skipped: no IPv6\n");
		skip();
	}
	ping_pong(&(struct plan){
		.role = ECHO,
		.gid_index = 0,
		.mtu = IBV_MTU_4096,
		.timeout = LONG_TIMEOUT,
		.rounds = 20,
		.length = 300001,
	});
}

static void worker_sleeping_processes_are_woken(void **state)
{
	ping_pong(&(struct plan){
		.role = SLEEP,
		.gid_index = 1,
		.mtu = IBV_MTU_1024,
		.timeout = LONG_TIMEOUT,
		.rounds = 100,
		.length = 5000,
	});
}

static void request(struct test *test, enum ibv_wr_opcode opcode,
		    uint32_t length)
{
	struct uroce_cqe cqe;

	side_send(&test->side, opcode, length, &test->peer);
	side_poll(&test->side, &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
}

/* The target calls no verb: its helper thread makes all progress. */
static void worker_target_without_verbs_calls_is_served(void **state)
{
	struct plan plan = idle_plan(LONG_TIMEOUT);
	struct test test;

	start(&test, &plan);
	for (uint32_t i = 0; i < 10; i++) {
		fill(test.side.memory, i);
		request(&test, IBV_WR_RDMA_WRITE, SIDE_MEMORY);
		memset(test.side.memory, 0, SIDE_MEMORY);
		request(&test, IBV_WR_RDMA_READ, SIDE_MEMORY);
		assert_int_equal(test.side.memory[12345],
				 (uint8_t)(i + 12345 * 13 + 12345 / 255));
	}
	say(test.fd);
	assert_peer_has(&test, SIDE_MEMORY);
	finish(&test);
}

static void worker_small_interface_mtus_work(void **state)
{
	static const int mtus[] = { 1500, 4300, 9000 };

	if (!uroce_netns_entered()) {
		print_message("skipped: needs a network namespace\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(mtus) / sizeof(mtus[0]); i++) {
		uroce_netns_set_mtu("lo", mtus[i]);
		ping_pong(&(struct plan){
			.role = ECHO,
			.gid_index = (int)(i % 2),
			.mtu = mtus[i] == 1500 ? IBV_MTU_1024 : IBV_MTU_4096,
			.timeout = LONG_TIMEOUT,
			.rounds = 10,
			.length = 200003,
		});
	}
	uroce_netns_set_mtu("lo", 65536);
}

static void across_namespaces(struct test *test, int gid_index)
{
	char peer_name[sizeof(test->ifname)];

	*test = (struct test){
		.plan = {
			.role = ECHO,
			.gid_index = gid_index,
			.mtu = IBV_MTU_1024,
			.timeout = LONG_TIMEOUT,
			.rounds = 20,
			.length = 70001,
			.link = gid_index,
		},
	};
	name_end(test, 'b');
	memcpy(peer_name, test->ifname, sizeof(peer_name));
	name_end(test, 'a');
	start_peer(test);
	peers_receive(test->fd);
	uroce_netns_add_veth(test->ifname, peer_name, test->pid);
	set_addresses(test, 1);
	say(test->fd);
}

/* GID 1 is the IPv4 address, GID 2 the IPv6 address that is not link-local. */
static void worker_two_namespaces_over_veth_connect(void **state)
{
	struct test test;

	if (!uroce_netns_entered()) {
		print_message("skipped: needs a network namespace\n");
		skip();
	}
	for (int gid_index = 1; gid_index <= 2; gid_index++) {
		across_namespaces(&test, gid_index);
		connect_side(&test);
		fill(test.side.memory, 9);
		exchange(&test, true, false);
		assert_peer_has(&test, 70001);
		assert_int_equal(test.side.qp->qpn >> 16, 1);
		assert_int_equal(test.peer.qpn >> 16, 1);
		finish(&test);
	}
}

static void worker_killed_peer_fails_requests(void **state)
{
	struct plan plan = idle_plan(SHORT_TIMEOUT);
	struct uroce_cqe cqe;
	struct test test;

	start(&test, &plan);
	request(&test, IBV_WR_RDMA_WRITE, 1000);
	assert_int_equal(kill(test.pid, SIGKILL), 0);
	assert_int_equal(waitpid(test.pid, NULL, 0), test.pid);
	/*
	 * Shared memory stays accessible until the helper notices the death.
	 * Until then each WRITE succeeds, so only one is outstanding: the CQ
	 * must not overrun.
	 */
	do {
		side_send(&test.side, IBV_WR_RDMA_WRITE, 5000, &test.peer);
		if (!side_is_shared())
			side_send(&test.side, IBV_WR_RDMA_WRITE, 5000,
				  &test.peer);
		/* the test does not poll: the helper detects the timeout */
		while (!side_take(&test.side, &cqe))
			(void)sched_yield();
	} while (side_is_shared() && cqe.status == IBV_WC_SUCCESS);
	assert_int_equal(cqe.status, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(uroce_qp_state(test.side.qp), IBV_QPS_ERR);
	if (side_is_shared())
		side_send(&test.side, IBV_WR_RDMA_WRITE, 5000, &test.peer);
	side_poll(&test.side, &cqe);
	assert_int_equal(cqe.status, IBV_WC_WR_FLUSH_ERR);
	side_close(&test.side);
	(void)close(test.fd);
	/* the slot is free again */
	ping_pong(&(struct plan){
		.role = ECHO,
		.gid_index = 1,
		.mtu = IBV_MTU_1024,
		.timeout = LONG_TIMEOUT,
		.rounds = 3,
		.length = 10,
	});
}

static void stop_peer(const struct test *test)
{
	int status;

	assert_int_equal(kill(test->pid, SIGSTOP), 0);
	assert_int_equal(waitpid(test->pid, &status, WUNTRACED), test->pid);
	assert_true(WIFSTOPPED(status));
}

/* Simulates a received message without an ACK. */
static void simulate_pending_ack(struct side *side)
{
	uroce_worker_lock(side->worker);
	side->qp->roce->resp.reply = UROCE_REPLY_ACK;
	uroce_engine_activate(uroce_worker_engine(side->worker), side->qp);
	uroce_worker_unlock(side->worker);
}

static void poll_some(struct side *side, int nr)
{
	for (int i = 0; i < nr; i++) {
		struct uroce_cqe cqe;

		side_poll(side, &cqe);
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	}
}

struct debt {
	bool owes, full, stuck;
};

static struct debt get_pending_ack(const struct side *side)
{
	struct uroce_worker *worker = side->worker;
	const struct uroce_channel *channel = side->qp->roce->channel;
	struct debt debt;

	uroce_worker_acquire(worker);
	debt.owes = uroce_qp_owes(side->qp);
	debt.full = channel && channel->full;
	debt.stuck = channel && channel->stuck;
	uroce_worker_release(worker);
	return debt;
}

/* The peer does not receive, and its ring becomes full. */
static void fill_channel(struct test *test)
{
	stop_peer(test);
	for (int i = 0; i < 10; i++)
		side_send(&test->side, IBV_WR_RDMA_WRITE, 60000, &test->peer);
	/*
	 * takes the lock, so that no helper is just sending: it would take the
	 * ACK
	 */
	uroce_worker_lock(test->side.worker);
	uroce_worker_unlock(test->side.worker);
	simulate_pending_ack(&test->side);
}

/* False if the peer did not run for a second. */
static bool pending_ack_is_sent(struct test *test)
{
	struct side *side = &test->side;
	struct debt debt;

	fill_channel(test);
	assert_int_equal(kill(test->pid, SIGCONT), 0);
	uroce_worker_flush_qp(side->worker, side->qp);
	debt = get_pending_ack(side);
	if (side->qp->roce->channel)
		assert_true(!debt.owes || debt.stuck);
	poll_some(side, 10);
	return !debt.stuck;
}

static void worker_pending_ack_is_sent_when_room_appears(void **state)
{
	struct plan plan = idle_plan(LONG_TIMEOUT);
	struct test test;
	struct side *side = &test.side;
	const bool shared = side_is_shared();

	/* direct access would make the path unnecessary */
	assert_int_equal(unsetenv("SIDE_SHARED"), 0);
	assert_int_equal(setenv(UROCE_CMA_VARIABLE, "none", 1), 0);
	start(&test, &plan);
	request(&test, IBV_WR_RDMA_WRITE, 1000);
	fill_channel(&test);
	if (side->qp->roce->channel) {
		assert_true(get_pending_ack(side).full);
		assert_true(get_pending_ack(side).owes);
		/* gives up after a second, and does not retry */
		uroce_worker_flush_qp(side->worker, side->qp);
		uroce_worker_flush_qp(side->worker, side->qp);
		assert_true(get_pending_ack(side).owes);
		assert_true(get_pending_ack(side).stuck);
	}
	assert_int_equal(kill(test.pid, SIGCONT), 0);
	poll_some(side, 10);
	while (!pending_ack_is_sent(&test))
		;
	say(test.fd);
	assert_peer_has(&test, 0);
	finish(&test);
	assert_int_equal(unsetenv(UROCE_CMA_VARIABLE), 0);
	assert_int_equal(shared ? setenv("SIDE_SHARED", "1", 1) : 0, 0);
}

static uint64_t nr_mapped(struct test *test)
{
	struct uroce_instance_counters counters;

	uroce_instance_counters(test->side.instance, &counters);
	return counters.shm.mapped;
}

static void wait_until_mapped(struct test *test)
{
	uint64_t before = nr_mapped(test);

	while (nr_mapped(test) == before)
		request(test, IBV_WR_RDMA_WRITE, 8);
}

static void worker_shared_atomics_need_no_target_thread(void **state)
{
	struct plan plan = idle_plan(LONG_TIMEOUT);
	struct test test;
	uint64_t *word;

	start(&test, &plan);
	word = (uint64_t *)(void *)test.side.memory;
	*word = 1000;
	wait_until_mapped(&test);
	for (uint64_t i = 0; i < 1000; i++) {
		request(&test, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
		assert_int_equal(*word, 1000 + i);
	}
	request(&test, IBV_WR_RDMA_READ, 8);
	assert_int_equal(*word, 2000);
	assert_true(nr_mapped(&test) > 1000);
	say(test.fd);
	assert_peer_has(&test, 8);
	finish(&test);
}

/* The target does not poll, and its helper thread is stopped. */
static void worker_stopped_target_is_accessed_by_cma(void **state)
{
	struct plan plan = idle_plan(LONG_TIMEOUT);
	struct test test;
	struct side *side = &test.side;
	bool asks;

	start(&test, &plan);
	asks = !side->qp->roce->channel ||
	       !side->qp->roce->channel->direct_copy;
	/* the target may have polled just before */
	request(&test, IBV_WR_RDMA_WRITE, 1000);
	if (side_is_shared()) {
		wait_until_mapped(&test);
		asks = false;
	}
	if (!asks)
		stop_peer(&test);
	fill(side->memory, 5);
	request(&test, IBV_WR_RDMA_WRITE, 100000);
	memset(side->memory, 0, 100000);
	request(&test, IBV_WR_RDMA_READ, 100000);
	assert_int_equal(side->memory[12345],
			 (uint8_t)(5 + 12345 * 13 + 12345 / 255));
	assert_int_equal(kill(test.pid, SIGCONT), 0);
	say(test.fd);
	assert_peer_has(&test, 100000);
	finish(&test);
}

/*
 * Such a helper watches for packets. The lock makes both values be of the same
 * sleep, as a late packet may have woken the helper.
 */
static bool helper_sleeps_forever(struct uroce_worker *worker)
{
	const struct uroce_helper *helper = &worker->helper;
	bool forever, blind;

	uroce_worker_acquire(worker);
	forever = __atomic_load_n(&helper->until_ns, __ATOMIC_RELAXED) ==
		  UROCE_NEVER;
	blind = uroce_helper_is_blind(helper);
	uroce_worker_release(worker);
	assert_false(forever && blind);
	return forever;
}

/* No timer runs and no descriptor is ready: the helper never wakes up. */
static void worker_idle_helper_never_wakes(void **state)
{
	struct plan plan = idle_plan(LONG_TIMEOUT);
	struct test test;

	start(&test, &plan);
	for (int i = 0; i < 100; i++)
		request(&test, IBV_WR_RDMA_WRITE, 1000);
	while (!helper_sleeps_forever(test.side.worker))
		(void)sched_yield();
	say(test.fd);
	assert_peer_has(&test, 0);
	finish(&test);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worker_sends_between_processes_arrive),
		cmocka_unit_test(worker_exiting_process_acknowledges),
		cmocka_unit_test(worker_long_sends_over_ipv6_arrive),
		cmocka_unit_test(worker_sleeping_processes_are_woken),
		cmocka_unit_test(worker_target_without_verbs_calls_is_served),
		cmocka_unit_test(worker_small_interface_mtus_work),
		cmocka_unit_test(worker_two_namespaces_over_veth_connect),
		cmocka_unit_test(worker_killed_peer_fails_requests),
		cmocka_unit_test(worker_pending_ack_is_sent_when_room_appears),
		cmocka_unit_test(worker_stopped_target_is_accessed_by_cma),
		cmocka_unit_test(worker_idle_helper_never_wakes),
	};

	const struct CMUnitTest without_port[] = {
		cmocka_unit_test(worker_sends_between_processes_arrive),
		cmocka_unit_test(worker_exiting_process_acknowledges),
		cmocka_unit_test(worker_long_sends_over_ipv6_arrive),
		cmocka_unit_test(worker_sleeping_processes_are_woken),
		cmocka_unit_test(worker_target_without_verbs_calls_is_served),
		cmocka_unit_test(worker_killed_peer_fails_requests),
		cmocka_unit_test(worker_stopped_target_is_accessed_by_cma),
		cmocka_unit_test(worker_idle_helper_never_wakes),
	};
	const struct CMUnitTest in_memory_of_both[] = {
		cmocka_unit_test(worker_shared_atomics_need_no_target_thread),
	};
	int failed = 0;

	if (argc == 2)
		return be_peer(atoi(argv[1]));
	(void)uroce_netns_enter();
	if (is_port_taken()) {
		take_port();
		return cmocka_run_group_tests(without_port, NULL, NULL);
	}
	if (side_is_shared())
		failed = cmocka_run_group_tests(in_memory_of_both, NULL, NULL);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
