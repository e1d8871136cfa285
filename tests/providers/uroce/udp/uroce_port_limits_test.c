/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conditions that prevent sending: a kernel without GSO, a sandbox, a full
 * socket, a slow receiver.
 */
#include "uroce/udp/uroce_port.h"

#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "uroce_members.h"
#include "uroce_netns.h"
#include "uroce_port_pair.h"

/* sendmsg() and sendmmsg() reject messages with GSO. */
static bool refuse_gso;
/* Errors that they return first. */
static int fail_with, fail_times;

ssize_t __real_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags);
int __real_nocancel_sendmmsg(int fd, struct mmsghdr *headers, unsigned int nr,
			     int flags);
int __wrap_nocancel_sendmmsg(int fd, struct mmsghdr *headers, unsigned int nr,
			     int flags);

static bool wants_gso(const struct msghdr *msg)
{
	struct msghdr copy = *msg; /* CMSG_NXTHDR() needs a non-const one */
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(&copy, cmsg))
		if (cmsg->cmsg_level == IPPROTO_UDP)
			return true;
	return false;
}

/* Return: whether this call fails. */
static bool fails(void)
{
	if (fail_times <= 0)
		return false;
	fail_times--;
	errno = fail_with;
	return true;
}

/* The error of sendmmsg() and recvmmsg(); 0: none. */
static int forbid_many;
static unsigned int nr_forbidden;

static bool is_forbidden(void)
{
	if (!forbid_many)
		return false;
	nr_forbidden++;
	errno = forbid_many;
	return true;
}

ssize_t __wrap_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (fails())
		return -1;
	if (refuse_gso && wants_gso(msg)) {
		errno = EIO;
		return -1;
	}
	return __real_nocancel_sendmsg(fd, msg, flags);
}

int __wrap_nocancel_sendmmsg(int fd, struct mmsghdr *headers, unsigned int nr,
			     int flags)
{
	if (fails() || is_forbidden())
		return -1;
	for (unsigned int i = 0; i < nr && refuse_gso; i++)
		if (wants_gso(&headers[i].msg_hdr)) {
			errno = EIO;
			return i ? (int)i : -1;
		}
	return __real_nocancel_sendmmsg(fd, headers, nr, flags);
}

int __real_nocancel_recvmmsg(int fd, struct mmsghdr *headers, unsigned int nr,
			     int flags);
int __wrap_nocancel_recvmmsg(int fd, struct mmsghdr *headers, unsigned int nr,
			     int flags);

int __wrap_nocancel_recvmmsg(int fd, struct mmsghdr *headers, unsigned int nr,
			     int flags)
{
	return is_forbidden()
		       ? -1
		       : __real_nocancel_recvmmsg(fd, headers, nr, flags);
}

static int setup(void **state)
{
	forbid_many = 0;
	nr_forbidden = 0;
	refuse_gso = false;
	fail_times = 0;
	return port_pair_setup(state);
}

static void port_without_gso_sends_single_packets(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");

	refuse_gso = true;
	put_message(pair, &path, 60, 1024, 17);
	for (uint32_t i = 0; i < 60; i++)
		assert_int_equal(pair->seen.ip_id[i], 0);
	assert_int_equal(counters(pair, 0).tx_failed, 0);
	/* not tried again: 60 messages in two calls */
	pair->seen.nr = 0;
	refuse_gso = false;
	put_message(pair, &path, 60, 1024, 17);
	assert_int_equal(pair->seen.ip_id[59], 0);
}

static void port_without_gso_sends_run_as_packets(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");

	refuse_gso = true;
	for (int again = 0; again < 2; again++) {
		put_run(pair, &path, qpn_of(pair->port[1], 5), 100, 1024);
		flush(pair);
		assert_int_equal(pair->seen.nr, 101);
		for (uint32_t i = 0; i <= 100; i++) {
			assert_int_equal(pair->seen.packets[i].psn, i);
			assert_int_equal(pair->seen.ip_id[i], 0);
		}
	}
	assert_int_equal(counters(pair, 0).tx_failed, 0);
}

/* To many QPs, so that packets cannot share a message; everything twice. */
static void check_forbidden(struct port_pair *pair, int err)
{
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");

	forbid_many = err;
	for (uint32_t i = 0; i < 20; i++)
		put(pair, &path, qpn_of(pair->port[1], i), UROCE_SEND_ONLY, i,
		    64);
	flush(pair);
	assert_int_equal(pair->seen.nr, 20);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(pair->seen.packets[i].psn, i);
	assert_int_equal(counters(pair, 0).tx_failed, 0);
	pair->seen.nr = 0;
}

static void port_sendmmsg_denied_falls_back(void **state)
{
	struct port_pair *pair = *state;

	check_forbidden(pair, EPERM);
	/* each call is tried once */
	assert_int_equal(nr_forbidden, 2);
	check_forbidden(pair, ENOSYS);
	assert_int_equal(nr_forbidden, 2);
}

static void port_sendmmsg_unknown_falls_back(void **state)
{
	struct port_pair *pair = *state;

	check_forbidden(pair, ENOSYS);
	assert_int_equal(nr_forbidden, 2);
}

static void port_full_socket_is_retried(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");

	fail_with = EAGAIN;
	fail_times = 3;
	put_message(pair, &path, 3, 1024, 17);
	pair->seen.nr = 0;
	fail_with = EINTR;
	fail_times = 3;
	put_message(pair, &path, 3, 1024, 17);
	assert_int_equal(counters(pair, 0).tx_failed, 0);
}

/* Puts packets until there is no room. Return: their number. */
static uint32_t fill_receiver(struct port_pair *pair, uint64_t now_ns)
{
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");
	uint32_t nr = 0;

	while (nr < 10000 && uroce_port_has_room(pair->port[0], now_ns)) {
		put(pair, &path, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 0,
		    4096);
		uroce_port_flush(pair->port[0]);
		nr++;
	}
	return nr;
}

static void receive_all(struct port_pair *pair)
{
	do
		pair->seen.nr = 0;
	while (uroce_port_receive(pair->port[1], on_packet, &pair->seen));
}

static void port_slow_receiver_delays_sender(void **state)
{
	const uint64_t now_ns = 5000, far_ns = 1000000000;
	struct port_pair *pair = *state;
	uint64_t lost = counters(pair, 1).rx_overflow;
	uint32_t nr = fill_receiver(pair, now_ns);

	assert_in_range(nr, 10, 9999);
	assert_false(uroce_port_has_room(pair->port[0], now_ns + 1000));
	receive_all(pair);
	assert_int_equal(counters(pair, 1).rx_datagrams, nr);
	assert_true(uroce_port_has_room(pair->port[0], now_ns + 2000));

	/* a receiver without progress is given up, once */
	assert_true(fill_receiver(pair, now_ns) < 10000);
	/* time without a check does not count as waiting */
	for (uint64_t ms = 1; ms < 100; ms++)
		assert_false(uroce_port_has_room(pair->port[0],
						 now_ns + ms * far_ns));
	assert_true(uroce_port_has_room(pair->port[0], now_ns + 100 * far_ns));
	assert_int_equal(fill_receiver(pair, now_ns), 10000);
	/* until the receiver makes progress */
	receive_all(pair);
	assert_true(fill_receiver(pair, now_ns) < 10000);
	receive_all(pair);
	assert_true(counters(pair, 1).rx_overflow > lost);
}

/* The own socket cannot be read while the sender waits for it. */
static void port_own_full_socket_delays_no_sender(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");

	for (int i = 0; i < 5000; i++) {
		put(pair, &path, qpn_of(pair->port[0], 5), UROCE_SEND_ONLY, 0,
		    4096);
		uroce_port_flush(pair->port[0]);
		assert_true(uroce_port_has_room(pair->port[0], 1));
	}
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup, port_pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(port_without_gso_sends_single_packets),
		TEST(port_without_gso_sends_run_as_packets),
		TEST(port_sendmmsg_denied_falls_back),
		TEST(port_sendmmsg_unknown_falls_back),
		TEST(port_full_socket_is_retried),
		TEST(port_slow_receiver_delays_sender),
		TEST(port_own_full_socket_delays_no_sender),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, uroce_members_start,
				      uroce_members_stop);
}
