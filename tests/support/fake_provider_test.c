/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of support/fake_provider.c: its operations return the values that the
 * test sets, and record their arguments.
 */
#include "support/fake_provider.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "core/op_table.h"

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

static struct ibv_context ctx;

static int setup(void **state)
{
	fake_provider_reset();
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(fake_provider.nr_objects, 0);
	fake_provider_reset();
	return 0;
}

static void fake_provider_has_every_control_operation(void **state)
{
	struct verbs_context_ops table, defaults;
	void (*ours)(void), (*theirs)(void);
	size_t size = offsetof(struct verbs_context_ops, poll_cq);

	verbs_op_table_init(&defaults, false);
	/* The library's defaults of these three stay in place. */
	defaults.get_async_event = NULL;
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

static void fake_provider_operation_records_name_and_arguments(void **state)
{
	struct ibv_port_attr attr;

	assert_int_equal(fake_provider_ops.query_port(&ctx, 3, &attr), 0);
	assert_string_equal(fake_provider.last_op, "query_port");
	assert_ptr_equal(fake_provider.args.ctx, &ctx);
	assert_int_equal(fake_provider.args.port_num, 3);
}

static void fake_provider_operation_clears_previous_arguments(void **state)
{
	struct ibv_port_attr attr;
	struct ibv_pd *pd;

	(void)fake_provider_ops.query_port(&ctx, 3, &attr);
	assert_int_equal(fake_provider_ops.alloc_pd(&ctx, &pd), 0);
	assert_int_equal(fake_provider.args.port_num, 0);
	assert_int_equal(fake_provider_ops.dealloc_pd(pd), 0);
}

static void fake_provider_operation_returns_the_requested_error(void **state)
{
	struct ibv_pd *pd = (void *)&ctx;

	fake_provider.ret = -EBUSY;
	assert_int_equal(fake_provider_ops.alloc_pd(&ctx, &pd), -EBUSY);
	assert_string_equal(fake_provider.last_op, "alloc_pd");
	assert_ptr_equal(pd, &ctx);
	assert_int_equal(fake_provider.nr_objects, 0);
}

static void fake_provider_objects_are_counted(void **state)
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

static void fake_provider_query_returns_the_values_of_the_test(void **state)
{
	struct ibv_port_attr attr = {};

	fake_provider.port_attr.lid = 17;
	assert_int_equal(fake_provider_ops.query_port(&ctx, 1, &attr), 0);
	assert_int_equal(attr.lid, 17);
}

static void fake_provider_event_descriptor_is_pipe(void **state)
{
	char byte = 0;
	int fd = -1;

	assert_int_equal(fake_provider_ops.alloc_async_fd(&ctx, &fd), 0);
	assert_int_equal(write(fake_provider.async_write_fd, "x", 1), 1);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(close(fd), 0);
}

static void fake_provider_reset_closes_the_event_pipes(void **state)
{
	int fd = -1, write_fd;

	assert_int_equal(fake_provider_ops.create_comp_channel(&ctx, &fd), 0);
	write_fd = fake_provider.comp_write_fd;
	fake_provider_reset();
	assert_int_equal(fcntl(write_fd, F_GETFD), -1);
	assert_int_equal(close(fd), 0);
}

static unsigned int nr_offered;

static int accept_two_devices(void *arg, const char *name, int node_type,
			      __be64 node_guid)
{
	return ++nr_offered > 2 ? -ENOMEM : 0;
}

static void fake_provider_list_devices_stops_at_the_first_error(void **state)
{
	nr_offered = 0;
	for (int i = 0; i < FAKE_PROVIDER_MAX_OFFERS; i++)
		fake_provider.offers[i] = "soft";
	assert_int_equal(
		verbs_provider_fake.list_devices(accept_two_devices, NULL),
		-ENOMEM);
	assert_int_equal(nr_offered, 3);
}

static void fake_provider_list_devices_without_offers_succeeds(void **state)
{
	nr_offered = 0;
	assert_int_equal(
		verbs_provider_fake.list_devices(accept_two_devices, NULL), 0);
	assert_int_equal(nr_offered, 0);
}

static void fake_provider_failed_open_closes_the_descriptor(void **state)
{
	struct verbs_context *vctx;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	fake_provider.open_ret = -EACCES;
	assert_int_equal(
		verbs_provider_fake.open_context(
			NULL, (struct verbs_cmd_file){ .fd = fd }, &vctx),
		-EACCES);
	assert_int_equal(fake_provider.last_cmd_fd, fd);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fake_provider_has_every_control_operation),
		TEST(fake_provider_operation_records_name_and_arguments),
		TEST(fake_provider_operation_clears_previous_arguments),
		TEST(fake_provider_operation_returns_the_requested_error),
		TEST(fake_provider_objects_are_counted),
		TEST(fake_provider_query_returns_the_values_of_the_test),
		TEST(fake_provider_event_descriptor_is_pipe),
		TEST(fake_provider_reset_closes_the_event_pipes),
		TEST(fake_provider_list_devices_stops_at_the_first_error),
		TEST(fake_provider_list_devices_without_offers_succeeds),
		TEST(fake_provider_failed_open_closes_the_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
