/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The GSI through the shared library, between two processes on the loopback
 * interface. Each test has a child process that opens the device, claims a
 * service id, and then waits without verbs calls until the test ends. Its
 * callback passes all MADs to the test.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <provider/gsi.h>

#define PORT	   1
#define LIMIT_MS   30000
#define SERVICE_ID UINT64_C(0x1061b5a)
#define BURST	   2000

enum {
	REJ = 0x12,
	REP = 0x13,
	DREQ = 0x15,
	DREP = 0x16,
	SIDR_REQ = 0x17,
	SIDR_REP = 0x18,
	REQ = 0x10,
};

/* A process's access, and the socket to which its callback writes. */
struct process {
	struct ibv_context *context;
	const struct verbs_gsi_ops *ops;
	struct verbs_gsi *gsi;
	union ibv_gid gid;
	int fd;
};

/* What a callback writes. */
struct received {
	struct verbs_gsi_address address;
	uint8_t mad[VERBS_MAD_SIZE];
};

static const union ibv_gid any_gid;
static struct process test;
static int inbox; /* the other end of test.fd */

static void write_mad(void *owner, const struct verbs_gsi_address *address,
		      const uint8_t *mad)
{
	const struct process *process = owner;
	struct received received;

	memset(&received, 0, sizeof(received));
	received.address = *address;
	memcpy(received.mad, mad, sizeof(received.mad));
	(void)!send(process->fd, &received, sizeof(received), MSG_NOSIGNAL);
}

/* Writes the prefix. */
static void write_end(void *owner, uint32_t prefix)
{
	const struct process *process = owner;

	(void)!send(process->fd, &prefix, sizeof(prefix), MSG_NOSIGNAL);
}

static void process_open(struct process *process)
{
	const struct verbs_gsi_handler handler = {
		.receive = write_mad,
		.owner_ended = write_end,
		.owner = process,
	};
	struct ibv_device **list = ibv_get_device_list(NULL);

	assert_non_null(list);
	assert_non_null(list[0]);
	process->context = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	assert_non_null(process->context);
	assert_int_equal(
		ibv_query_gid(process->context, PORT, 1, &process->gid), 0);
	process->ops = verbs_get_gsi_ops(process->context, VERBS_GSI_VERSION);
	assert_non_null(process->ops);
	assert_int_equal(process->ops->open(process->context, PORT, &handler,
					    &process->gsi),
			 0);
}

static void process_close(struct process *process)
{
	process->ops->close(process->gsi);
	assert_int_equal(ibv_close_device(process->context), 0);
}

/* The owner of the service id: a child process. */
static struct {
	pid_t pid;
	int fd;
	uint32_t prefix;
} owner;

/*
 * main() of the owner, which this program starts with an argument: a child of
 * fork() in a process with threads may call exec() only. Its standard input is
 * a socket to the test.
 */
static int run_owner(bool any)
{
	const int fd = STDIN_FILENO;
	struct process process = { .fd = fd };
	uint32_t prefix;
	char end;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	process_open(&process);
	prefix = process.ops->id_prefix(process.gsi);
	if (process.ops->claim_service(
		    process.gsi, any ? &any_gid : &process.gid, SERVICE_ID))
		prefix = 0;
	(void)!send(fd, &prefix, sizeof(prefix), MSG_NOSIGNAL);
	(void)!read(fd, &end, 1);
	process_close(&process);
	return 0;
}

static void receive_bytes(int fd, void *buf, size_t len)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&poll_fd, 1, LIMIT_MS), 1);
	assert_int_equal(recv(fd, buf, len, 0), len);
}

static void start_owner(bool any)
{
	int fds[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	owner.pid = fork();
	assert_true(owner.pid >= 0);
	if (!owner.pid) {
		(void)dup2(fds[1], STDIN_FILENO);
		(void)execl("/proc/self/exe", "owner", any ? "any" : "one",
			    (char *)NULL);
		_exit(1);
	}
	(void)close(fds[1]);
	owner.fd = fds[0];
	receive_bytes(owner.fd, &owner.prefix, sizeof(owner.prefix));
	assert_int_not_equal(owner.prefix, 0);
}

static void end_owner(void)
{
	int status;

	assert_int_equal(shutdown(owner.fd, SHUT_WR), 0);
	assert_int_equal(waitpid(owner.pid, &status, 0), owner.pid);
	assert_int_equal(status, 0);
	(void)close(owner.fd);
}

/* Sends a MAD of this process, and returns it. */
static struct received send_mad(uint8_t attribute, uint32_t local_id,
				uint32_t remote_id, uint64_t service_id)
{
	struct received sent;
	uint8_t *mad = sent.mad;

	memset(&sent, 0, sizeof(sent));
	memcpy(mad, "\x01\x07\x02\x03", 4);
	memcpy(mad + 8, "\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11", 8);
	mad[17] = attribute;
	local_id = htobe32(local_id);
	remote_id = htobe32(remote_id);
	service_id = htobe64(service_id);
	memcpy(mad + 24, &local_id, sizeof(local_id));
	memcpy(mad + 28, &remote_id, sizeof(remote_id));
	memcpy(mad + 32, &service_id, sizeof(service_id));
	mad[255] = 0x77;
	sent.address.local_gid = test.gid;
	sent.address.remote_gid = test.gid;
	assert_int_equal(test.ops->send(test.gsi, &sent.address, mad), 0);
	return sent;
}

/* The id of this process that MADs name. */
static uint32_t own_id(void)
{
	return test.ops->id_prefix(test.gsi) | 0x1234;
}

static void assert_receives(int fd, const struct received *sent)
{
	struct received received;

	receive_bytes(fd, &received, sizeof(received));
	assert_memory_equal(received.mad, sent->mad, VERBS_MAD_SIZE);
	assert_memory_equal(&received.address.local_gid, &test.gid,
			    sizeof(test.gid));
	assert_memory_equal(&received.address.remote_gid, &test.gid,
			    sizeof(test.gid));
}

/* Waits for a reply with @data behind the header. */
static void assert_reply(const struct received *sent, uint8_t attribute,
			 const uint8_t *data, size_t len)
{
	uint8_t want[VERBS_MAD_SIZE] = {};
	struct received received;

	receive_bytes(inbox, &received, sizeof(received));
	memcpy(want, sent->mad, 16);
	want[17] = attribute;
	memcpy(want + 24, data, len);
	assert_memory_equal(received.mad, want, VERBS_MAD_SIZE);
}

static void gsi_ops_of_unknown_version_are_null(void **state)
{
	assert_null(verbs_get_gsi_ops(test.context, VERBS_GSI_VERSION + 1));
	assert_int_equal(test.ops->version, VERBS_GSI_VERSION);
}

static void gsi_id_prefix_has_upper_bits_only(void **state)
{
	uint32_t prefix = test.ops->id_prefix(test.gsi);

	assert_int_equal(prefix & 0xffff, 0);
	assert_int_not_equal(prefix, 0);
}

static void gsi_open_of_unknown_port_fails(void **state)
{
	const struct verbs_gsi_handler handler = {
		.receive = write_mad,
		.owner_ended = write_end,
		.owner = &test,
	};
	struct verbs_gsi *gsi = NULL;

	assert_int_equal(test.ops->open(test.context, 2, &handler, &gsi),
			 EINVAL);
	assert_null(gsi);
}

static void gsi_foreign_address_is_refused(void **state)
{
	struct verbs_gsi_address address = {
		.remote_gid = test.gid,
		.local_gid.raw = { 0x20, 0x01, 0x0d, 0xb8 },
	};
	static const uint8_t mad[VERBS_MAD_SIZE];

	assert_int_equal(test.ops->send(test.gsi, &address, mad),
			 EADDRNOTAVAIL);
	assert_int_equal(test.ops->claim_service(test.gsi, &address.local_gid,
						 SERVICE_ID),
			 EADDRNOTAVAIL);
}

static void gsi_service_of_process_is_not_claimed_twice(void **state)
{
	start_owner(false);
	assert_int_equal(
		test.ops->claim_service(test.gsi, &test.gid, SERVICE_ID),
		EADDRINUSE);
	assert_int_equal(
		test.ops->claim_service(test.gsi, &test.gid, SERVICE_ID + 1),
		0);
	test.ops->release_service(test.gsi, &test.gid, SERVICE_ID + 1);
	end_owner();
}

static void gsi_service_of_killed_process_is_free(void **state)
{
	start_owner(false);
	assert_int_equal(kill(owner.pid, SIGKILL), 0);
	assert_int_equal(waitpid(owner.pid, NULL, 0), owner.pid);
	(void)close(owner.fd);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(test.ops->claim_service(test.gsi, &test.gid,
							 SERVICE_ID),
				 0);
		test.ops->release_service(test.gsi, &test.gid, SERVICE_ID);
	}
}

static void gsi_request_reaches_owner_of_address(void **state)
{
	static const uint8_t requests[] = { REQ, SIDR_REQ };

	start_owner(false);
	for (size_t i = 0; i < sizeof(requests); i++) {
		struct received sent =
			send_mad(requests[i], own_id(), 0, SERVICE_ID);

		assert_receives(owner.fd, &sent);
	}
	end_owner();
}

static void gsi_request_reaches_owner_of_all_addresses(void **state)
{
	struct received sent;

	start_owner(true);
	sent = send_mad(REQ, own_id(), 0, SERVICE_ID);
	assert_receives(owner.fd, &sent);
	end_owner();
}

static void gsi_many_requests_reach_owner_in_order(void **state)
{
	start_owner(false);
	for (uint32_t i = 0; i < 200; i++) {
		struct received sent =
			send_mad(REQ, own_id() + i, 0, SERVICE_ID);

		assert_receives(owner.fd, &sent);
	}
	end_owner();
}

/*
 * A thousand connections, for example, send two messages each to one process.
 * The owner's callback writes to a socket that the test does not read yet, so
 * the requests wait for the owner. A message of the test to itself arrives
 * after all of the requests before it have left the socket of QP 1, whose size
 * differs between machines.
 */
static void gsi_burst_of_requests_waits_for_owner(void **state)
{
	static bool arrived[BURST];
	struct received received;
	uint32_t id;

	memset(arrived, 0, sizeof(arrived));
	start_owner(false);
	for (uint32_t i = 0; i < BURST; i++) {
		(void)send_mad(REQ, i, 0, SERVICE_ID);
		if (i % 100 == 99) {
			struct received last = send_mad(REP, 1, own_id(), 0);

			assert_receives(inbox, &last);
		}
	}
	for (uint32_t i = 0; i < BURST; i++) {
		receive_bytes(owner.fd, &received, sizeof(received));
		memcpy(&id, received.mad + 24, sizeof(id));
		id = be32toh(id);
		assert_in_range(id, 0, BURST - 1);
		assert_false(arrived[id]);
		arrived[id] = true;
	}
	end_owner();
}

static void gsi_message_reaches_owner_of_id(void **state)
{
	struct received sent;

	start_owner(false);
	sent = send_mad(REP, own_id(), owner.prefix | 0xffff, 0);
	assert_receives(owner.fd, &sent);
	sent = send_mad(REP, 1, own_id(), 0);
	assert_receives(inbox, &sent);
	end_owner();
}

static void gsi_request_of_own_service_reaches_process(void **state)
{
	struct received sent;

	assert_int_equal(
		test.ops->claim_service(test.gsi, &any_gid, SERVICE_ID), 0);
	sent = send_mad(REQ, own_id(), 0, SERVICE_ID);
	assert_receives(inbox, &sent);
	test.ops->release_service(test.gsi, &any_gid, SERVICE_ID);
}

static void gsi_req_without_owner_is_rejected(void **state)
{
	struct received sent = send_mad(REQ, own_id(), 0, SERVICE_ID + 2);
	uint8_t data[12] = { [11] = 8 };

	memcpy(data + 4, sent.mad + 24, 4);
	assert_reply(&sent, REJ, data, sizeof(data));
}

static void gsi_sidr_req_without_owner_is_rejected(void **state)
{
	struct received sent = send_mad(SIDR_REQ, own_id(), 0, SERVICE_ID + 2);
	uint8_t data[20] = { [4] = 1 };

	memcpy(data, sent.mad + 24, 4);
	memcpy(data + 12, sent.mad + 32, 8);
	assert_reply(&sent, SIDR_REP, data, sizeof(data));
}

static void gsi_dreq_without_owner_gets_drep(void **state)
{
	struct received sent = send_mad(DREQ, own_id(), 5, 0);
	uint8_t data[8];

	memcpy(data, sent.mad + 28, 4);
	memcpy(data + 4, sent.mad + 24, 4);
	assert_reply(&sent, DREP, data, sizeof(data));
}

/* The MAD after those that are dropped arrives, and no other. */
static void gsi_message_without_owner_is_dropped(void **state)
{
	struct received sent;

	(void)send_mad(REP, 1, 5, 0);
	(void)send_mad(0x30, own_id(), own_id(), SERVICE_ID);
	sent = send_mad(REP, 2, own_id(), 0);
	assert_receives(inbox, &sent);
}

static void gsi_end_of_killed_owner_is_reported(void **state)
{
	uint32_t id, prefix;
	int status;

	start_owner(false);
	id = owner.prefix | 7;
	assert_int_equal(test.ops->watch_owner(test.gsi, &test.gid, id), 0);
	assert_int_equal(test.ops->watch_owner(test.gsi, &test.gid, id), 0);
	assert_int_equal(kill(owner.pid, SIGKILL), 0);
	receive_bytes(inbox, &prefix, sizeof(prefix));
	assert_int_equal(prefix, owner.prefix);
	/* The kernel closes connections before the name is free. */
	assert_int_equal(waitpid(owner.pid, &status, 0), owner.pid);
	assert_int_equal(test.ops->watch_owner(test.gsi, &test.gid, id), ESRCH);
	(void)close(owner.fd);
}

static void gsi_owner_at_address_of_no_device_is_not_watched(void **state)
{
	static const union ibv_gid foreign = {
		.raw = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
	};

	assert_int_equal(test.ops->watch_owner(test.gsi, &foreign, own_id()),
			 EADDRNOTAVAIL);
}

static void gsi_in_child_of_fork_fails(void **state)
{
	struct verbs_gsi_address address = { .local_gid = test.gid,
					     .remote_gid = test.gid };
	static const uint8_t mad[VERBS_MAD_SIZE];
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		bool good = test.ops->send(test.gsi, &address, mad) == EIO &&
			    test.ops->claim_service(test.gsi, &test.gid,
						    SERVICE_ID) == EIO &&
			    test.ops->watch_owner(test.gsi, &test.gid, 1) ==
				    EIO;

		test.ops->close(test.gsi);
		_exit(!good);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int setup(void **state)
{
	int fds[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	test.fd = fds[0];
	inbox = fds[1];
	process_open(&test);
	return 0;
}

static int teardown(void **state)
{
	process_close(&test);
	(void)close(test.fd);
	(void)close(inbox);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(gsi_ops_of_unknown_version_are_null),
		TEST(gsi_id_prefix_has_upper_bits_only),
		TEST(gsi_open_of_unknown_port_fails),
		TEST(gsi_foreign_address_is_refused),
		TEST(gsi_service_of_process_is_not_claimed_twice),
		TEST(gsi_service_of_killed_process_is_free),
		TEST(gsi_request_reaches_owner_of_address),
		TEST(gsi_request_reaches_owner_of_all_addresses),
		TEST(gsi_many_requests_reach_owner_in_order),
		TEST(gsi_burst_of_requests_waits_for_owner),
		TEST(gsi_message_reaches_owner_of_id),
		TEST(gsi_request_of_own_service_reaches_process),
		TEST(gsi_req_without_owner_is_rejected),
		TEST(gsi_sidr_req_without_owner_is_rejected),
		TEST(gsi_dreq_without_owner_gets_drep),
		TEST(gsi_message_without_owner_is_dropped),
		TEST(gsi_end_of_killed_owner_is_reported),
		TEST(gsi_owner_at_address_of_no_device_is_not_watched),
		TEST(gsi_in_child_of_fork_fails),
	};

	if (argc > 1)
		return run_owner(strcmp(argv[1], "any") == 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
