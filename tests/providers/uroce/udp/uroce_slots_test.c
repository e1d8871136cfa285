/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sharing of port 4791: members are structs of this process, or processes that
 * are killed. The tests use the real kernel, which must deliver each packet to
 * the slot of its QPN.
 */
#include "uroce/udp/uroce_slots.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/udp/uroce_socket.h"
#include "uroce_members.h"
#include "uroce_netns.h"

/* A socket with the port, which other sockets cannot share yet. */
static int unshared_fd = -1;
static unsigned int nr_pauses;

int __real_uroce_slots_await(int fd, int stop_fd, unsigned int timeout_ms);
int __wrap_uroce_slots_await(int fd, int stop_fd, unsigned int timeout_ms);

/* In its first pause the socket is shared, in the second it is closed. */
int __wrap_uroce_slots_await(int fd, int stop_fd, unsigned int timeout_ms)
{
	nr_pauses++;
	if (unshared_fd >= 0 && nr_pauses == 1) {
		assert_int_equal(uroce_socket_share(unshared_fd), 0);
	} else if (unshared_fd >= 0) {
		(void)close(unshared_fd);
		unshared_fd = -1;
	}
	return __real_uroce_slots_await(fd, stop_fd, timeout_ms);
}

static void serve(void *arg)
{
	(void)uroce_slots_serve(arg);
}

/* Claims a slot and joins; on failure @slots has neither. */
static int claim_and_join(struct uroce_slots *slots)
{
	int ret;

	uroce_slots_init(slots);
	ret = uroce_slots_claim(slots, 0);
	if (!ret)
		ret = uroce_slots_join(slots, -1);
	if (ret)
		uroce_slots_leave(slots);
	return ret;
}

static struct uroce_slots *join(void)
{
	struct uroce_slots *slots = calloc(1, sizeof(*slots));

	assert_non_null(slots);
	assert_int_equal(claim_and_join(slots), 0);
	uroce_members_add(slots->listener, serve, slots);
	return slots;
}

static void leave(struct uroce_slots *slots)
{
	uroce_members_remove(slots->listener);
	uroce_slots_leave(slots);
	free(slots);
}

/* Sends a datagram that looks like one for a QP in @slot. */
static void send_to(uint32_t slot, uint8_t mark)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(UROCE_UDP_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	uint8_t bytes[16] = { [5] = (uint8_t)slot, [7] = 9, [15] = mark };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* from many flows: hashing must not matter */
	assert_int_equal(sendto(fd, bytes, sizeof(bytes), 0,
				(struct sockaddr *)&to, sizeof(to)),
			 sizeof(bytes));
	(void)close(fd);
}

/* Mark of the next datagram at the member's socket; -1: none. */
static int next_mark(const struct uroce_slots *slots)
{
	uint8_t bytes[64];
	ssize_t len = recv(slots->fds[slots->slot], bytes, sizeof(bytes), 0);

	if (len < 0) {
		assert_int_equal(errno, EAGAIN);
		return -1;
	}
	assert_int_equal(len, 16);
	return bytes[15];
}

static void assert_comes_to(const struct uroce_slots *slots)
{
	for (uint8_t mark = 0; mark < 20; mark++) {
		send_to(slots->slot, mark);
		assert_int_equal(next_mark(slots), mark);
	}
	assert_int_equal(next_mark(slots), -1);
}

static void slots_first_member_gets_slot_0(void **state)
{
	struct uroce_slots *slots = join();

	assert_int_equal(slots->slot, 0);
	assert_int_equal(slots->nr, UROCE_SLOT_BLOCK);
	assert_comes_to(slots);
	leave(slots);
}

static void slots_packet_reaches_slot_of_qpn(void **state)
{
	struct uroce_slots *members[5];

	for (uint32_t i = 0; i < 5; i++) {
		members[i] = join();
		assert_int_equal(members[i]->slot, i);
	}
	for (uint32_t i = 5; i-- > 0;)
		assert_comes_to(members[i]);
	for (uint32_t i = 0; i < 5; i++)
		leave(members[i]);
}

static void slots_stay_when_first_member_leaves(void **state)
{
	struct uroce_slots *first = join();
	struct uroce_slots *second = join();
	struct uroce_slots *third = join();

	leave(first);
	assert_comes_to(second);
	assert_comes_to(third);
	/* unread datagrams of slot 0 must not reach its next owner */
	send_to(0, 77);
	first = join();
	assert_int_equal(first->slot, 0);
	assert_int_equal(next_mark(first), -1);
	assert_comes_to(first);
	assert_comes_to(third);
	leave(second);
	leave(third);
	leave(first);
}

static void slots_second_block_is_added(void **state)
{
	enum { NR = UROCE_SLOT_BLOCK + 3 };
	struct uroce_slots *members[NR];

	for (uint32_t i = 0; i < NR; i++) {
		members[i] = join();
		assert_int_equal(members[i]->slot, i);
	}
	assert_int_equal(members[NR - 1]->nr, 2 * UROCE_SLOT_BLOCK);
	for (uint32_t i = 0; i < NR; i++)
		assert_comes_to(members[i]);
	/* every member has all blocks, so their creators may leave */
	for (uint32_t i = 1; i < NR - 1; i++)
		leave(members[i]);
	assert_int_equal(members[0]->nr, 2 * UROCE_SLOT_BLOCK);
	assert_comes_to(members[0]);
	assert_comes_to(members[NR - 1]);
	leave(members[NR - 1]);
	leave(members[0]);
}

static void lose_second_block(struct uroce_slots *slots)
{
	for (uint32_t at = UROCE_SLOT_BLOCK; at < slots->nr; at++) {
		(void)close(slots->fds[at]);
		slots->fds[at] = -1;
	}
	slots->nr = UROCE_SLOT_BLOCK;
}

/*
 * Such a member was stopped when the second block was created, and is the only
 * one left.
 */
static void slots_member_learns_missed_block(void **state)
{
	struct uroce_slots *members[UROCE_SLOT_BLOCK + 2];
	const uint32_t nr = UROCE_SLOT_BLOCK + 2;

	for (uint32_t i = 0; i < UROCE_SLOT_BLOCK + 1; i++)
		members[i] = join();
	lose_second_block(members[0]);
	/* gets sockets from number 0, and must learn the other ones */
	members[nr - 1] = join();
	assert_int_equal(members[nr - 1]->slot, nr - 1);
	assert_int_equal(members[nr - 1]->nr, 2 * UROCE_SLOT_BLOCK);
	assert_comes_to(members[nr - 1]);
	assert_comes_to(members[nr - 2]);
	for (uint32_t i = 0; i < nr; i++)
		leave(members[i]);
}

/*
 * Only members that do not respond have the second block: a block that the new
 * process created would get wrong indexes.
 */
static void slots_block_of_silent_member_is_not_created_again(void **state)
{
	struct uroce_slots *members[UROCE_SLOT_BLOCK + 1], *last;
	struct uroce_slots slots;
	const uint32_t nr = UROCE_SLOT_BLOCK + 1;

	for (uint32_t i = 0; i < nr; i++)
		members[i] = join();
	lose_second_block(members[0]);
	for (uint32_t i = 1; i < nr; i++)
		uroce_members_remove(members[i]->listener);
	assert_int_equal(claim_and_join(&slots), -ETIMEDOUT);
	for (uint32_t i = 1; i < nr; i++)
		uroce_members_add(members[i]->listener, serve, members[i]);
	last = join();
	assert_int_equal(last->slot, nr);
	assert_comes_to(last);
	leave(last);
	for (uint32_t i = 0; i < nr; i++)
		leave(members[i]);
}

/* The descriptor limit of the user: join fails without partial state. */
static void slots_join_without_descriptors_fails_cleanly(void **state)
{
	struct uroce_slots *first = join();
	struct uroce_slots second = {};
	struct rlimit limit, tight;
	int probe = dup(0);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	tight = limit;
	/* names and a connection fit, the 16 sockets do not */
	tight.rlim_cur = (rlim_t)probe + 12;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	assert_int_equal(claim_and_join(&second), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	/* all descriptors are closed again */
	(void)close(probe);
	assert_int_equal(dup(0), probe);
	(void)close(probe);
	assert_int_equal(claim_and_join(&second), 0);
	assert_comes_to(&second);
	uroce_slots_leave(&second);
	leave(first);
}

/* Forks a process with a slot, which runs until it is killed. */
static pid_t fork_member(void)
{
	struct uroce_slots slots;
	struct pollfd fd = { .events = POLLIN };
	pid_t parent = getpid(), pid;
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* ends the process if the test fails */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent ||
		    claim_and_join(&slots))
			_exit(1);
		(void)!write(ready[1], "x", 1);
		fd.fd = slots.listener;
		for (;;)
			if (poll(&fd, 1, -1) > 0)
				uroce_slots_serve(&slots);
	}
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	return pid;
}

static void kill_member(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void slots_survive_killed_creator(void **state)
{
	/* first, so that it inherits no descriptor of the group */
	pid_t creator = fork_member();
	struct uroce_slots *slots = join();

	assert_int_equal(slots->slot, 1);
	assert_comes_to(slots);
	kill_member(creator);
	assert_comes_to(slots);
	leave(slots);
}

/*
 * A new group must not start while sockets of the old one exist. This may take
 * a while, since a killed process must run to end.
 */
static void slots_new_group_starts_after_all_members_died(void **state)
{
	for (int i = 0; i < 20; i++) {
		pid_t creator = fork_member();
		struct uroce_slots slots;
		int ret;

		assert_int_equal(kill(creator, SIGKILL), 0);
		do
			ret = claim_and_join(&slots);
		while (ret == -EADDRINUSE || ret == -ETIMEDOUT);
		assert_int_equal(ret, 0);
		assert_comes_to(&slots);
		uroce_slots_leave(&slots);
		assert_int_equal(waitpid(creator, NULL, 0), creator);
	}
}

/*
 * A dying process may lose its names before its sockets. A new process must not
 * join a group whose slots will change.
 */
static void slots_old_group_without_listener_is_not_joined(void **state)
{
	struct uroce_slots old, slots;

	assert_int_equal(claim_and_join(&old), 0);
	(void)close(old.listener);
	(void)close(old.inbox);
	assert_int_equal(claim_and_join(&slots), -EADDRINUSE);
	for (uint32_t i = 0; i < old.nr; i++)
		(void)close(old.fds[i]);
	assert_int_equal(claim_and_join(&slots), 0);
	assert_comes_to(&slots);
	uroce_slots_leave(&slots);
}

static void slots_port_in_use_returns_eaddrinuse(void **state)
{
	struct uroce_slots slots;
	int fd = uroce_socket_sender();

	assert_int_equal(uroce_socket_bind(fd, UROCE_UDP_PORT), 0);
	assert_int_equal(claim_and_join(&slots), -EADDRINUSE);
	(void)close(fd);
	/* nothing is left open */
	assert_int_equal(claim_and_join(&slots), 0);
	assert_int_equal(slots.slot, 0);
	uroce_slots_leave(&slots);
}

/*
 * Claims a slot for @first, and binds a socket that has the port alone. Return:
 * the socket.
 */
static int claim_beside_port(struct uroce_slots *first)
{
	int fd = uroce_socket_sender();

	uroce_slots_init(first);
	assert_int_equal(uroce_slots_claim(first, 0), 0);
	assert_int_equal(uroce_socket_bind(fd, UROCE_UDP_PORT), 0);
	nr_pauses = 0;
	return fd;
}

/* Both processes have a slot; the port may belong to any user. */
static void slots_port_in_use_beside_member_returns_eaddrinuse(void **state)
{
	struct uroce_slots first, slots;
	int fd = claim_beside_port(&first);

	assert_int_equal(claim_and_join(&slots), -EADDRINUSE);
	assert_in_range(nr_pauses, 1, 5); /* 155 ms at most */
	(void)close(fd);
	uroce_slots_leave(&first);
}

/* Another process has bound the first socket of the group this very moment. */
static void slots_first_socket_is_awaited_until_shared(void **state)
{
	struct uroce_slots first, slots;

	unshared_fd = claim_beside_port(&first);
	assert_int_equal(claim_and_join(&slots), 0);
	assert_int_equal(slots.slot, 1);
	assert_comes_to(&slots);
	uroce_slots_leave(&slots);
	uroce_slots_leave(&first);
}

static void slots_silent_member_is_skipped(void **state)
{
	struct uroce_slots silent;
	struct uroce_slots *second, *third;

	assert_int_equal(claim_and_join(&silent), 0);
	uroce_members_add(silent.listener, serve, &silent);
	second = join();
	uroce_members_remove(silent.listener);
	third = join();
	assert_int_equal(third->slot, 2);
	assert_comes_to(third);
	leave(third);
	leave(second);
	uroce_slots_leave(&silent);
}

static void slots_forward_delivers_packet(void **state)
{
	struct uroce_slots *a = join(), *b = join();
	char buf[32];

	assert_int_equal(uroce_slots_inbox(b, buf, sizeof(buf)), -EAGAIN);
	assert_int_equal(uroce_slots_forward(a, b->slot, "hello", 5), 0);
	assert_int_equal(uroce_slots_inbox(b, buf, sizeof(buf)), 5);
	assert_memory_equal(buf, "hello", 5);
	assert_int_equal(uroce_slots_inbox(a, buf, sizeof(buf)), -EAGAIN);
	assert_int_equal(uroce_slots_forward(a, b->slot, "hello", 5), 0);
	assert_int_equal(uroce_slots_inbox(b, buf, 4), -EMSGSIZE);
	assert_int_equal(uroce_slots_forward(a, 200, "hello", 5),
			 -ECONNREFUSED);
	leave(a);
	leave(b);
}

/* A malformed request gets no response, and the member continues. */
static void slots_malformed_request_gets_no_response(void **state)
{
	struct uroce_slots *slots = join();
	int fds[UROCE_MAX_PASSED], pass[2];
	char junk[12] = "junk";
	int fd = uroce_rendezvous_connect(UROCE_NAME_MEMBER, 0, 1000);

	assert_true(fd >= 0);
	assert_int_equal(pipe(pass), 0);
	assert_int_equal(uroce_message_send(fd, junk, sizeof(junk), pass, 2),
			 0);
	assert_int_equal(uroce_message_receive(fd, junk, sizeof(junk), fds),
			 -EPROTO);
	(void)close(fd);
	fd = uroce_rendezvous_connect(UROCE_NAME_MEMBER, 0, 1000);
	assert_int_equal(uroce_message_send(fd, junk, 3, NULL, 0), 0);
	assert_int_equal(uroce_message_receive(fd, junk, sizeof(junk), fds),
			 -EPROTO);
	(void)close(fd);
	(void)close(pass[0]);
	(void)close(pass[1]);
	assert_comes_to(slots);
	leave(slots);
}

/* The number of sockets that the member in slot 0 has after TAKE of @fds. */
static uint32_t nr_after_take(const int *fds)
{
	/* magic, TAKE, number of sockets afterwards; see uroce_slots.c */
	uint32_t message[3] = { 0x75726f32, 2, 2 * UROCE_SLOT_BLOCK };
	int none[UROCE_MAX_PASSED];
	int fd = uroce_rendezvous_connect(UROCE_NAME_MEMBER, 0, 1000);

	assert_true(fd >= 0);
	assert_int_equal(uroce_message_send(fd, message, sizeof(message), fds,
					    UROCE_SLOT_BLOCK),
			 0);
	assert_int_equal(
		uroce_message_receive(fd, message, sizeof(message), none), 0);
	(void)close(fd);
	return message[2];
}

/* Another process of this user sends descriptors that are no new sockets. */
static void slots_wrong_descriptors_are_not_taken(void **state)
{
	const uint32_t last = UROCE_SLOT_BLOCK - 1;
	struct uroce_slots *slots = join();
	int fds[UROCE_SLOT_BLOCK], fd;

	for (uint32_t i = 0; i < UROCE_SLOT_BLOCK; i++)
		fds[i] = dup(slots->fds[i]);
	assert_int_equal(nr_after_take(fds), UROCE_SLOT_BLOCK);
	for (uint32_t i = 0; i < UROCE_SLOT_BLOCK; i++) {
		(void)close(fds[i]);
		fds[i] = uroce_socket_receiver();
		assert_int_equal(uroce_socket_bind(fds[i], UROCE_UDP_PORT), 0);
	}
	fd = fds[last];
	fds[last] = fds[0];
	assert_int_equal(nr_after_take(fds), UROCE_SLOT_BLOCK);
	fds[last] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(nr_after_take(fds), UROCE_SLOT_BLOCK);
	(void)close(fds[last]);
	fds[last] = uroce_socket_receiver();
	assert_int_equal(uroce_socket_bind(fds[last], 4792), 0);
	assert_int_equal(nr_after_take(fds), UROCE_SLOT_BLOCK);
	(void)close(fds[last]);
	fds[last] = fd;
	assert_int_equal(nr_after_take(fds), 2 * UROCE_SLOT_BLOCK);
	for (uint32_t i = 0; i < UROCE_SLOT_BLOCK; i++)
		(void)close(fds[i]);
	assert_comes_to(slots);
	leave(slots);
}

#define OTHER_USER     65533
#define NR_CONNECTIONS (UROCE_RENDEZVOUS_BATCH + 8)

/* Another user connects to the listener; false if this user is not root. */
static bool connect_as_other_user(int listener)
{
	struct sockaddr_un name;
	socklen_t len = sizeof(name);
	int status;
	pid_t pid;

	assert_int_equal(getsockname(listener, (struct sockaddr *)&name, &len),
			 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (setuid(OTHER_USER))
			_exit(77);
		for (int i = 0; i < NR_CONNECTIONS; i++) {
			int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK,
					0);

			if (connect(fd, (struct sockaddr *)&name, len))
				_exit(1);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return false;
	assert_int_equal(status, 0);
	return true;
}

/* The rest stays in the kernel's queue until after a pause. */
static void slots_flood_of_foreign_user_is_rejected_in_batches(void **state)
{
	struct uroce_slots slots;
	bool is_root;

	assert_int_equal(claim_and_join(&slots), 0);
	is_root = connect_as_other_user(slots.listener);
	if (is_root) {
		assert_true(uroce_slots_serve(&slots));
		assert_true(uroce_slots_serve(&slots));
	}
	assert_false(uroce_slots_serve(&slots));
	uroce_slots_leave(&slots);
	if (!is_root)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_first_member_gets_slot_0),
		cmocka_unit_test(slots_packet_reaches_slot_of_qpn),
		cmocka_unit_test(slots_stay_when_first_member_leaves),
		cmocka_unit_test(slots_second_block_is_added),
		cmocka_unit_test(slots_member_learns_missed_block),
		cmocka_unit_test(
			slots_block_of_silent_member_is_not_created_again),
		cmocka_unit_test(slots_join_without_descriptors_fails_cleanly),
		cmocka_unit_test(slots_survive_killed_creator),
		cmocka_unit_test(slots_new_group_starts_after_all_members_died),
		cmocka_unit_test(
			slots_old_group_without_listener_is_not_joined),
		cmocka_unit_test(slots_port_in_use_returns_eaddrinuse),
		cmocka_unit_test(
			slots_port_in_use_beside_member_returns_eaddrinuse),
		cmocka_unit_test(slots_first_socket_is_awaited_until_shared),
		cmocka_unit_test(slots_silent_member_is_skipped),
		cmocka_unit_test(slots_forward_delivers_packet),
		cmocka_unit_test(slots_malformed_request_gets_no_response),
		cmocka_unit_test(slots_wrong_descriptors_are_not_taken),
		cmocka_unit_test(
			slots_flood_of_foreign_user_is_rejected_in_batches),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, uroce_members_start,
				      uroce_members_stop);
}
