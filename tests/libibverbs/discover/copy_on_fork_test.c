/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The COPY_ON_FORK query of libibverbs/discover/copy_on_fork.c, against a fake
 * netlink socket.
 */
#include "discover/copy_on_fork.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

/* Must follow the headers above. */
#include <cmocka.h>

#include "support/fake_netlink.h"

static int setup(void **state)
{
	fake_netlink_reset();
	fake_netlink.reports_copy_on_fork = true;
	fake_netlink.copy_on_fork = 1;
	return 0;
}

static int teardown(void **state)
{
	fake_netlink_check_closed();
	return 0;
}

static void copy_on_fork_attr_1_returns_true(void **state)
{
	assert_true(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_system_queries, 1);
	assert_int_equal(fake_netlink.nr_polls, 0);
}

static void copy_on_fork_each_call_sends_query(void **state)
{
	assert_true(verbs_copy_on_fork());
	fake_netlink.copy_on_fork = 0;
	assert_false(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_system_queries, 2);
}

static void copy_on_fork_missing_attr_returns_false(void **state)
{
	fake_netlink.reports_copy_on_fork = false;
	assert_false(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_system_queries, 1);
}

static void copy_on_fork_refused_query_returns_false(void **state)
{
	fake_netlink.system_error = EPERM;
	assert_false(verbs_copy_on_fork());
}

static void copy_on_fork_kernel_without_rdma_returns_false(void **state)
{
	fake_netlink.socket_errno = EPROTONOSUPPORT;
	assert_false(verbs_copy_on_fork());
}

static void copy_on_fork_send_error_returns_false(void **state)
{
	fake_netlink.send_errno = ECONNREFUSED;
	assert_false(verbs_copy_on_fork());
}

static void copy_on_fork_late_response_is_received(void **state)
{
	fake_netlink.late = true;
	assert_true(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_polls, 1);
}

static void copy_on_fork_missing_response_times_out(void **state)
{
	fake_netlink.silent = true;
	assert_false(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_polls, 1);
}

static void copy_on_fork_receive_error_returns_false(void **state)
{
	fake_netlink.recv_errno = ENOBUFS;
	assert_false(verbs_copy_on_fork());
	fake_netlink.recv_errno = EINTR;
	assert_false(verbs_copy_on_fork());
}

static void set_foreign_sender(struct fake_netlink_datagram *datagram,
			       unsigned int nr)
{
	datagram->sender = 4711;
}

static void copy_on_fork_datagram_of_foreign_sender_is_ignored(void **state)
{
	fake_netlink.edit = set_foreign_sender;
	assert_false(verbs_copy_on_fork());
}

static void truncate_datagram(struct fake_netlink_datagram *datagram,
			      unsigned int nr)
{
	datagram->len -= 4;
}

static void copy_on_fork_malformed_response_returns_false(void **state)
{
	fake_netlink.edit = truncate_datagram;
	assert_false(verbs_copy_on_fork());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(copy_on_fork_attr_1_returns_true),
		TEST(copy_on_fork_each_call_sends_query),
		TEST(copy_on_fork_missing_attr_returns_false),
		TEST(copy_on_fork_refused_query_returns_false),
		TEST(copy_on_fork_kernel_without_rdma_returns_false),
		TEST(copy_on_fork_send_error_returns_false),
		TEST(copy_on_fork_late_response_is_received),
		TEST(copy_on_fork_missing_response_times_out),
		TEST(copy_on_fork_receive_error_returns_false),
		TEST(copy_on_fork_datagram_of_foreign_sender_is_ignored),
		TEST(copy_on_fork_malformed_response_returns_false),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
