/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of uroce_gsi.c, uroce_gsi_claim.c and uroce_gsi_conn.c: queue, claims
 * and delivery, in one process. The service ids contain the process id, since
 * all processes of the user share the names of claims.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/gsi/uroce_gsi.h"
#include "uroce/gsi/uroce_gsi_conn.h"
#include "uroce/ipc/uroce_identity.h"
#include "uroce/wire/uroce_bytes.h"

#define IFINDEX	   1000001
#define QUEUE_SIZE 64
#define NR_WAITING 32	/* connections, fewer than the backlog */
#define NR_OF_FULL 2000 /* MADs that no connection has room for */

static struct uroce_gsi *gsi;
static struct uroce_gsi_user user;
static struct uroce_gsi_mad last;
static unsigned int nr_received, nr_replies, nr_ended;
static uint32_t ended_prefix;
static bool remove_claim; /* in receive() */

static uint64_t service_id(void)
{
	return (uint64_t)getpid() << 32 | 5;
}

static struct uroce_gsi_interface find_interface(void *arg, const uint8_t *gid)
{
	return (struct uroce_gsi_interface){ IFINDEX, true };
}

static int send_reply(void *arg, const struct uroce_gsi_mad *mad)
{
	last = *mad;
	nr_replies++;
	return 0;
}

static void receive(void *arg, const struct uroce_gsi_mad *mad)
{
	assert_ptr_equal(arg, &user);
	last = *mad;
	nr_received++;
	if (remove_claim)
		uroce_gsi_release(gsi, &user, NULL, IFINDEX, service_id());
}

static void owner_ended(void *arg, uint32_t prefix)
{
	assert_ptr_equal(arg, &user);
	ended_prefix = prefix;
	nr_ended++;
}

static struct uroce_gsi_mad make_req(void)
{
	struct uroce_gsi_mad mad = { .hop_limit = 7 };

	mad.local_gid[15] = 1;
	memcpy(mad.bytes, "\x01\x07\x02\x03", 4);
	mad.bytes[17] = 0x10;
	uroce_put64(mad.bytes + 32, service_id());
	return mad;
}

static struct uroce_gsi_counters counters(void)
{
	struct uroce_gsi_counters result;

	uroce_gsi_counters(gsi, &result);
	return result;
}

static bool is_readable(void)
{
	struct pollfd poll_fd = { .fd = uroce_gsi_fd(gsi), .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1;
}

/* Works until no MAD waits, as the helper thread does. */
static void work(void)
{
	uint32_t nr_unowned;

	do
		(void)uroce_gsi_work(gsi, is_readable(), &nr_unowned);
	while (is_readable());
}

static int setup(void **state)
{
	const struct uroce_gsi_config config = {
		.find_interface = find_interface,
		.send_reply = send_reply,
	};

	uroce_identity_take();
	nr_received = 0;
	nr_replies = 0;
	nr_ended = 0;
	remove_claim = false;
	user = (struct uroce_gsi_user){
		.receive = receive,
		.owner_ended = owner_ended,
		.arg = &user,
	};
	assert_int_equal(uroce_gsi_new(&config, &gsi), 0);
	assert_int_equal(uroce_gsi_add_user(gsi, &user), 0);
	return 0;
}

static int teardown(void **state)
{
	uroce_gsi_remove_user(gsi, &user);
	uroce_gsi_free(gsi);
	return 0;
}

static void gsi_request_is_delivered_with_addresses(void **state)
{
	struct uroce_gsi_mad mad = make_req();

	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	uroce_gsi_push(gsi, &mad);
	work();
	assert_int_equal(nr_received, 1);
	assert_memory_equal(&last, &mad, sizeof(mad));
	assert_int_equal(counters().forwarded, 1);
	assert_int_equal(counters().delivered, 1);
}

static void gsi_message_to_prefix_is_delivered(void **state)
{
	struct uroce_gsi_mad mad = make_req();

	mad.bytes[17] = 0x13;
	uroce_put32(mad.bytes + 28, user.prefix | 0xbeef);
	uroce_gsi_push(gsi, &mad);
	work();
	assert_int_equal(nr_received, 1);
}

/*
 * A client that has one connection established requests the next one: RTU, REQ.
 * The descriptor of an earlier REQ may be the first in the set.
 */
static void gsi_message_before_request_is_delivered_first(void **state)
{
	struct uroce_gsi_mad req = make_req(), rtu = make_req();
	uint32_t nr_unowned;

	rtu.bytes[17] = 0x14;
	uroce_put32(rtu.bytes + 28, user.prefix | 0xbeef);
	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	uroce_gsi_push(gsi, &req);
	/* Connects both, and leaves the descriptor of REQs in the set. */
	uroce_gsi_push(gsi, &rtu);
	work();
	uroce_gsi_push(gsi, &req);
	(void)uroce_gsi_work(gsi, true, &nr_unowned);

	nr_received = 0;
	uroce_gsi_send_local(gsi, &rtu);
	uroce_gsi_send_local(gsi, &req);
	work();
	assert_int_equal(nr_received, 2);
	assert_int_equal(last.bytes[17], 0x10);
}

static void gsi_users_have_different_prefixes(void **state)
{
	struct uroce_gsi_user more = { .receive = receive, .arg = &more };

	assert_int_equal(uroce_gsi_add_user(gsi, &more), 0);
	assert_int_not_equal(more.prefix, user.prefix);
	assert_int_equal(more.prefix & 0xffff, 0);
	assert_int_not_equal(more.prefix, 0);
	uroce_gsi_remove_user(gsi, &more);
}

static void gsi_claim_taken_is_refused_until_released(void **state)
{
	static const uint8_t gid[UROCE_GID_LEN] = { [15] = 1 };

	assert_int_equal(uroce_gsi_claim(gsi, &user, gid, 0, service_id()), 0);
	assert_int_equal(uroce_gsi_claim(gsi, &user, gid, 0, service_id()),
			 -EADDRINUSE);
	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	uroce_gsi_release(gsi, &user, gid, 0, service_id());
	assert_int_equal(uroce_gsi_claim(gsi, &user, gid, 0, service_id()), 0);
	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()),
		-EADDRINUSE);
}

static void gsi_queue_overflow_is_counted(void **state)
{
	struct uroce_gsi_mad mad = make_req();

	for (int i = 0; i < QUEUE_SIZE + 3; i++)
		uroce_gsi_push(gsi, &mad);
	work();
	assert_int_equal(counters().received, QUEUE_SIZE + 3);
	assert_int_equal(counters().overflow, 3);
	assert_int_equal(counters().replies, QUEUE_SIZE);
	assert_int_equal(nr_replies, QUEUE_SIZE);
}

static void gsi_work_counts_mads_without_owner(void **state)
{
	struct uroce_gsi_mad mad = make_req();
	uint32_t nr_unowned;

	uroce_gsi_push(gsi, &mad);
	uroce_gsi_push(gsi, &mad);
	assert_int_equal(uroce_gsi_work(gsi, false, &nr_unowned), 0);
	assert_int_equal(nr_unowned, 2);
	assert_int_equal(uroce_gsi_work(gsi, false, &nr_unowned), 0);
	assert_int_equal(nr_unowned, 0);
}

static void gsi_work_delivers_bounded_number_of_mads(void **state)
{
	struct uroce_gsi_mad mad = make_req();
	uint32_t nr_unowned = 1;

	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	for (int i = 0; i < QUEUE_SIZE; i++)
		uroce_gsi_push(gsi, &mad);
	assert_int_equal(uroce_gsi_work(gsi, false, &nr_unowned), 0);
	assert_int_equal(nr_unowned, 0);
	assert_int_equal(nr_received, 0);
	assert_int_equal(uroce_gsi_work(gsi, true, &nr_unowned),
			 UROCE_GSI_MAX_DELIVERED);
	assert_int_equal(nr_received, UROCE_GSI_MAX_DELIVERED);
	work();
	assert_int_equal(nr_received, counters().forwarded);
	assert_int_equal(counters().forwarded + counters().lost, QUEUE_SIZE);
}

static void gsi_claim_released_in_callback_ends_delivery(void **state)
{
	struct uroce_gsi_mad mad = make_req();

	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	remove_claim = true;
	uroce_gsi_push(gsi, &mad);
	uroce_gsi_push(gsi, &mad);
	work();
	assert_int_equal(nr_received, 1);
	uroce_gsi_push(gsi, &mad);
	work();
	assert_int_equal(nr_received, 1);
	assert_int_equal(nr_replies, 1);
}

/* Connects to the owner of the prefix. */
static int connect_raw(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un name;
	socklen_t name_len;
	char text[32];

	(void)snprintf(text, sizeof(text), "i.%x", user.prefix >> 16);
	name_len = uroce_identity_gsi_name(text, &name);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&name, name_len), 0);
	return fd;
}

static void send_raw(const void *data, size_t len)
{
	int fd = connect_raw();

	assert_int_equal(send(fd, data, len, MSG_NOSIGNAL), len);
	(void)close(fd);
}

static void gsi_invalid_messages_are_counted(void **state)
{
	static const uint8_t zero[4096];
	static const size_t lengths[] = { 1,   255, 256, 296,
					  299, 300, 301, sizeof(zero) };

	uint32_t nr_unowned;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		send_raw(zero, lengths[i]);
		assert_true(uroce_gsi_work(gsi, true, &nr_unowned) < 0);
		assert_int_equal(counters().bad, i + 1);
	}
	assert_int_equal(nr_received, 0);
}

static void gsi_connection_without_mad_is_not_counted(void **state)
{
	(void)close(connect_raw());
	work();
	assert_int_equal(counters().bad, 0);
}

static void gsi_connections_above_limit_lose_no_mad(void **state)
{
	struct uroce_gsi_message message = {
		.magic = UROCE_GSI_MAGIC,
		.mad = make_req(),
	};
	int fds[UROCE_GSI_MAX_CONNS / 2 * 3];
	const unsigned int nr = sizeof(fds) / sizeof(fds[0]);

	for (unsigned int i = 0; i < nr; i++) {
		fds[i] = connect_raw();
		assert_int_equal(
			send(fds[i], &message, sizeof(message), MSG_NOSIGNAL),
			sizeof(message));
		/* some wait while others are accepted */
		if (i % NR_WAITING == NR_WAITING - 1)
			work();
	}
	assert_int_equal(nr_received, nr);
	assert_int_equal(send(fds[0], &message, sizeof(message), MSG_NOSIGNAL),
			 -1);
	assert_int_equal(
		send(fds[nr - 1], &message, sizeof(message), MSG_NOSIGNAL),
		sizeof(message));
	work();
	assert_int_equal(nr_received, nr + 1);
	for (unsigned int i = 0; i < nr; i++)
		(void)close(fds[i]);
}

static void gsi_full_connection_loses_no_mad(void **state)
{
	struct uroce_gsi_mad mad = make_req();

	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	for (int i = 0; i < NR_OF_FULL; i++)
		uroce_gsi_send_local(gsi, &mad);
	work();
	assert_int_equal(nr_received, NR_OF_FULL);
	assert_int_equal(counters().lost, 0);
}

/* The GSI of another process, which ends after it has sent a MAD. */
static uint32_t run_other_process(unsigned int nr_mads)
{
	const struct uroce_gsi_config config = {
		.find_interface = find_interface,
		.send_reply = send_reply,
	};
	struct uroce_gsi_user other_user = { .receive = receive };
	struct uroce_gsi_mad mad = make_req();
	struct uroce_gsi *other;

	mad.bytes[17] = 0x13;
	uroce_put32(mad.bytes + 28, user.prefix | 1);
	assert_int_equal(uroce_gsi_new(&config, &other), 0);
	assert_int_equal(uroce_gsi_add_user(other, &other_user), 0);
	assert_int_equal(uroce_gsi_watch_owner(gsi, other_user.prefix | 9), 0);
	assert_int_equal(uroce_gsi_watch_owner(gsi, other_user.prefix), 0);
	work();
	assert_int_equal(nr_ended, 0);
	for (unsigned int i = 0; i < nr_mads; i++)
		uroce_gsi_send_local(other, &mad);
	uroce_gsi_remove_user(other, &other_user);
	uroce_gsi_free(other);
	return other_user.prefix;
}

static void gsi_end_of_watched_owner_is_reported_once(void **state)
{
	uint32_t prefix = run_other_process(0);

	assert_true(is_readable());
	work();
	assert_int_equal(nr_ended, 1);
	assert_int_equal(ended_prefix, prefix);
	assert_int_equal(uroce_gsi_watch_owner(gsi, prefix), -ECONNREFUSED);
}

static void gsi_end_of_watched_owner_follows_sent_mads(void **state)
{
	uint32_t nr_unowned;

	(void)run_other_process(2 * UROCE_GSI_MAX_DELIVERED);
	for (unsigned int i = 1; i <= 2; i++) {
		assert_int_equal(uroce_gsi_work(gsi, true, &nr_unowned),
				 UROCE_GSI_MAX_DELIVERED);
		assert_int_equal(nr_received, i * UROCE_GSI_MAX_DELIVERED);
		assert_int_equal(nr_ended, 0);
	}
	work();
	assert_int_equal(nr_ended, 1);
}

/* The owner ends the oldest connections above its limit. */
static void gsi_owner_that_ends_connection_is_not_reported(void **state)
{
	int fds[UROCE_GSI_MAX_CONNS];
	const unsigned int nr = sizeof(fds) / sizeof(fds[0]);

	assert_int_equal(uroce_gsi_watch_owner(gsi, user.prefix), 0);
	work();
	for (unsigned int i = 0; i < nr; i++) {
		fds[i] = connect_raw();
		work();
	}
	assert_int_equal(nr_ended, 0);
	assert_false(is_readable());
	for (unsigned int i = 0; i < nr; i++)
		(void)close(fds[i]);
}

static void gsi_local_mad_is_delivered_with_addresses_swapped(void **state)
{
	struct uroce_gsi_mad mad = make_req();

	mad.remote_gid[15] = 2;
	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	uroce_gsi_send_local(gsi, &mad);
	work();
	assert_int_equal(nr_received, 1);
	assert_int_equal(last.local_gid[15], 2);
	assert_int_equal(last.remote_gid[15], 1);
	assert_memory_equal(last.bytes, mad.bytes, sizeof(mad.bytes));
}

static void gsi_new_claim_receives_after_release_of_old_claim(void **state)
{
	struct uroce_gsi_mad mad = make_req();

	for (unsigned int i = 1; i <= 2; i++) {
		assert_int_equal(uroce_gsi_claim(gsi, &user, NULL, IFINDEX,
						 service_id()),
				 0);
		uroce_gsi_push(gsi, &mad);
		work();
		assert_int_equal(nr_received, i);
		uroce_gsi_release(gsi, &user, NULL, IFINDEX, service_id());
	}
	uroce_gsi_push(gsi, &mad);
	work();
	assert_int_equal(nr_received, 2);
	assert_int_equal(nr_replies, 1);
}

static void gsi_abandoned_has_no_descriptors(void **state)
{
	struct uroce_gsi_user other = { .receive = receive, .arg = &other };
	struct uroce_gsi *parent = gsi;

	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	uroce_gsi_lock(gsi);
	uroce_gsi_abandon(gsi);
	uroce_gsi_unlock(gsi);
	assert_int_equal(uroce_gsi_fd(gsi), -1);
	/* the names are free */
	assert_int_equal(uroce_gsi_new(&(struct uroce_gsi_config){}, &gsi), 0);
	assert_int_equal(uroce_gsi_add_user(gsi, &other), 0);
	assert_int_equal(
		uroce_gsi_claim(gsi, &other, NULL, IFINDEX, service_id()), 0);
	uroce_gsi_remove_user(gsi, &other);
	uroce_gsi_free(gsi);
	gsi = parent;
}

/* A process that exits passes on what it has received. */
static void gsi_drain_passes_on_queued_mads(void **state)
{
	struct uroce_gsi_mad mad = make_req();

	assert_int_equal(
		uroce_gsi_claim(gsi, &user, NULL, IFINDEX, service_id()), 0);
	assert_false(uroce_gsi_drain(gsi));
	uroce_gsi_push(gsi, &mad);
	uroce_gsi_push(gsi, &mad);
	assert_false(uroce_gsi_drain(gsi));
	assert_int_equal(counters().forwarded, 2);
	assert_int_equal(nr_received, 0);
	work();
	assert_int_equal(nr_received, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(gsi_request_is_delivered_with_addresses),
		TEST(gsi_message_to_prefix_is_delivered),
		TEST(gsi_message_before_request_is_delivered_first),
		TEST(gsi_users_have_different_prefixes),
		TEST(gsi_claim_taken_is_refused_until_released),
		TEST(gsi_queue_overflow_is_counted),
		TEST(gsi_work_counts_mads_without_owner),
		TEST(gsi_work_delivers_bounded_number_of_mads),
		TEST(gsi_claim_released_in_callback_ends_delivery),
		TEST(gsi_invalid_messages_are_counted),
		TEST(gsi_connection_without_mad_is_not_counted),
		TEST(gsi_connections_above_limit_lose_no_mad),
		TEST(gsi_full_connection_loses_no_mad),
		TEST(gsi_end_of_watched_owner_is_reported_once),
		TEST(gsi_end_of_watched_owner_follows_sent_mads),
		TEST(gsi_owner_that_ends_connection_is_not_reported),
		TEST(gsi_local_mad_is_delivered_with_addresses_swapped),
		TEST(gsi_new_claim_receives_after_release_of_old_claim),
		TEST(gsi_abandoned_has_no_descriptors),
		TEST(gsi_drain_passes_on_queued_mads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
