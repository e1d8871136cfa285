/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does the kernel copy registered memory for children:
 * libibverbs/discover/copy_on_fork.c.
 */
#include "discover/copy_on_fork.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

/* last: it needs those above */
#include <cmocka.h>

#include "support/fake_netlink.h"

static int start(void **state)
{
	fake_netlink_reset();
	fake_netlink.tells_copy_on_fork = true;
	fake_netlink.copy_on_fork = 1;
	return 0;
}

static int finish(void **state)
{
	fake_netlink_check_closed();
	return 0;
}

static void a_kernel_says_that_it_copies(void **state)
{
	assert_true(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_system_queries, 1);
	assert_int_equal(fake_netlink.nr_polls, 0);
}

static void it_is_asked_each_time(void **state)
{
	assert_true(verbs_copy_on_fork());
	fake_netlink.copy_on_fork = 0;
	assert_false(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_system_queries, 2);
}

static void an_older_kernel_does_not_mention_it(void **state)
{
	fake_netlink.tells_copy_on_fork = false;
	assert_false(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_system_queries, 1);
}

static void a_kernel_may_refuse_the_question(void **state)
{
	fake_netlink.system_error = EPERM;
	assert_false(verbs_copy_on_fork());
}

static void a_kernel_without_rdma_does_not_copy(void **state)
{
	fake_netlink.socket_errno = EPROTONOSUPPORT;
	assert_false(verbs_copy_on_fork());
}

static void a_question_that_cannot_be_sent_has_no_answer(void **state)
{
	fake_netlink.send_errno = ECONNREFUSED;
	assert_false(verbs_copy_on_fork());
}

static void an_answer_is_waited_for(void **state)
{
	fake_netlink.late = true;
	assert_true(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_polls, 1);
}

static void an_answer_is_not_waited_for_for_ever(void **state)
{
	fake_netlink.silent = true;
	assert_false(verbs_copy_on_fork());
	assert_int_equal(fake_netlink.nr_polls, 1);
}

static void an_answer_that_is_lost_is_none(void **state)
{
	fake_netlink.recv_errno = ENOBUFS;
	assert_false(verbs_copy_on_fork());
	fake_netlink.recv_errno = EINTR;
	assert_false(verbs_copy_on_fork());
}

static void come_from_a_stranger(struct fake_netlink_datagram *datagram,
				 unsigned int nr)
{
	datagram->sender = 4711;
}

static void strangers_are_not_believed(void **state)
{
	fake_netlink.edit = come_from_a_stranger;
	assert_false(verbs_copy_on_fork());
}

static void spoil(struct fake_netlink_datagram *datagram, unsigned int nr)
{
	datagram->len -= 4;
}

static void a_spoiled_answer_is_none(void **state)
{
	fake_netlink.edit = spoil;
	assert_false(verbs_copy_on_fork());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_kernel_says_that_it_copies),
		TEST(it_is_asked_each_time),
		TEST(an_older_kernel_does_not_mention_it),
		TEST(a_kernel_may_refuse_the_question),
		TEST(a_kernel_without_rdma_does_not_copy),
		TEST(a_question_that_cannot_be_sent_has_no_answer),
		TEST(an_answer_is_waited_for),
		TEST(an_answer_is_not_waited_for_for_ever),
		TEST(an_answer_that_is_lost_is_none),
		TEST(strangers_are_not_believed),
		TEST(a_spoiled_answer_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
