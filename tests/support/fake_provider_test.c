/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of support/fake_provider.c: its operations answer what they are told,
 * and write down what they were given.
 */
#include "support/fake_provider.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "core/op_table.h"

/* last: it needs those above */
#include <cmocka.h>

static struct ibv_context ctx;

static int start(void **state)
{
	fake_provider_reset();
	return 0;
}

static int finish(void **state)
{
	assert_int_equal(fake_provider.nr_objects, 0);
	fake_provider_reset();
	return 0;
}

static void has_every_control_operation(void **state)
{
	struct verbs_context_ops table, defaults;
	void (*ours)(void), (*theirs)(void);
	size_t size = offsetof(struct verbs_context_ops, poll_cq);

	verbs_op_table_init(&defaults, false);
	/* These two are left to the library. */
	defaults.get_srq_num = NULL;
	defaults.qp_to_ex = NULL;
	verbs_op_table_init(&table, false);
	verbs_op_table_merge(&table, &fake_provider_ops);
	verbs_op_table_merge(&table, &fake_provider_memory_ops);
	verbs_op_table_merge(&table, &fake_provider_queue_ops);
	verbs_op_table_merge(&table, &fake_provider_flow_ops);
	for (size_t i = 0; i < size; i += sizeof(ours)) {
		memcpy(&ours, (char *)&table + i, sizeof(ours));
		memcpy(&theirs, (char *)&defaults + i, sizeof(theirs));
		if (ours == theirs)
			fail_msg("no operation at offset %zu", i);
	}
}

static void operation_writes_down_its_name_and_arguments(void **state)
{
	struct ibv_port_attr attr;

	assert_int_equal(fake_provider_ops.query_port(&ctx, 3, &attr), 0);
	assert_string_equal(fake_provider.last_op, "query_port");
	assert_ptr_equal(fake_provider.args.ctx, &ctx);
	assert_int_equal(fake_provider.args.port_num, 3);
}

static void next_operation_forgets_the_arguments_of_the_last(void **state)
{
	struct ibv_port_attr attr;
	struct ibv_pd *pd;

	(void)fake_provider_ops.query_port(&ctx, 3, &attr);
	assert_int_equal(fake_provider_ops.alloc_pd(&ctx, &pd), 0);
	assert_int_equal(fake_provider.args.port_num, 0);
	assert_int_equal(fake_provider_ops.dealloc_pd(pd), 0);
}

static void operation_fails_as_it_is_told(void **state)
{
	struct ibv_pd *pd = (void *)&ctx;

	fake_provider.ret = -EBUSY;
	assert_int_equal(fake_provider_ops.alloc_pd(&ctx, &pd), -EBUSY);
	assert_string_equal(fake_provider.last_op, "alloc_pd");
	assert_ptr_equal(pd, &ctx);
	assert_int_equal(fake_provider.nr_objects, 0);
}

static void objects_are_counted(void **state)
{
	struct ibv_pd *pd;

	assert_int_equal(fake_provider_ops.alloc_pd(&ctx, &pd), 0);
	assert_int_equal(fake_provider.nr_objects, 1);
	fake_provider.ret = -EBUSY;
	assert_int_equal(fake_provider_ops.dealloc_pd(pd), -EBUSY);
	assert_int_equal(fake_provider.nr_objects, 1);
	fake_provider.ret = 0;
	assert_int_equal(fake_provider_ops.dealloc_pd(pd), 0);
	assert_int_equal(fake_provider.nr_objects, 0);
}

static void queries_answer_what_they_are_told(void **state)
{
	struct ibv_port_attr attr = {};

	fake_provider.port_attr.lid = 17;
	assert_int_equal(fake_provider_ops.query_port(&ctx, 1, &attr), 0);
	assert_int_equal(attr.lid, 17);
}

static void event_descriptor_is_a_pipe(void **state)
{
	char byte = 0;
	int fd = -1;

	assert_int_equal(fake_provider_ops.alloc_async_fd(&ctx, &fd), 0);
	assert_int_equal(write(fake_provider.async_write_fd, "x", 1), 1);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(close(fd), 0);
}

static void reset_closes_the_pipes(void **state)
{
	int fd = -1, write_fd;

	assert_int_equal(fake_provider_ops.create_comp_channel(&ctx, &fd), 0);
	write_fd = fake_provider.comp_write_fd;
	fake_provider_reset();
	assert_int_equal(fcntl(write_fd, F_GETFD), -1);
	assert_int_equal(close(fd), 0);
}

static unsigned int nr_offered;

static int take_two(void *arg, const char *name, int node_type,
		    __be64 node_guid)
{
	return ++nr_offered > 2 ? -ENOMEM : 0;
}

static void offers_stop_at_the_first_error(void **state)
{
	nr_offered = 0;
	for (int i = 0; i < FAKE_PROVIDER_MAX_OFFERS; i++)
		fake_provider.offers[i] = "soft";
	assert_int_equal(verbs_provider_fake.list_devices(take_two, NULL),
			 -ENOMEM);
	assert_int_equal(nr_offered, 3);
}

static void no_offer_is_no_error(void **state)
{
	nr_offered = 0;
	assert_int_equal(verbs_provider_fake.list_devices(take_two, NULL), 0);
	assert_int_equal(nr_offered, 0);
}

static void failed_open_closes_the_descriptor(void **state)
{
	struct verbs_context *vctx;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	fake_provider.open_ret = -EACCES;
	assert_int_equal(verbs_provider_fake.open_context(NULL, fd, &vctx),
			 -EACCES);
	assert_int_equal(fake_provider.last_cmd_fd, fd);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(has_every_control_operation),
		TEST(operation_writes_down_its_name_and_arguments),
		TEST(next_operation_forgets_the_arguments_of_the_last),
		TEST(operation_fails_as_it_is_told),
		TEST(objects_are_counted),
		TEST(queries_answer_what_they_are_told),
		TEST(event_descriptor_is_a_pipe),
		TEST(reset_closes_the_pipes),
		TEST(offers_stop_at_the_first_error),
		TEST(no_offer_is_no_error),
		TEST(failed_open_closes_the_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
