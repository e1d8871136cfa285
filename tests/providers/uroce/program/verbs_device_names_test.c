/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices with chosen names (UROCE_DEVICES), of which several have one address:
 * their list, and traffic between two of them in one process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs_fixture.h"

#define RAILS  "mlx5_0=lo,mlx5_1=127.0.0.1"
#define BYTES  64
#define NR_QPS 16

static struct ibv_device **devices;

/* For cmocka: no list, and the variable of the test. */
static int setup(void **state)
{
	assert_int_equal(setenv("UROCE_DEVICES", RAILS, 1), 0);
	devices = NULL;
	return 0;
}

static void list_with(const char *setting)
{
	assert_int_equal(setenv("UROCE_DEVICES", setting, 1), 0);
	devices = ibv_get_device_list(NULL);
	assert_non_null(devices);
}

static struct ibv_context *open_by_name(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	assert_non_null(list);
	for (int i = 0; list[i]; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	assert_non_null(ctx);
	return ctx;
}

/* -- the list -- */

static void device_names_chosen_follow_default_ones(void **state)
{
	static const char *const names[] = { "uroce_lo", "mlx5_1", "mlx5_0" };
	int i;

	list_with("mlx5_1=lo, bad/name=lo,lo,mlx5_0=127.0.0.1,mlx5_1=127.0.0.1,"
		  "mlx5_2=no_such_if");
	for (i = 0; i < 3; i++) {
		assert_non_null(devices[i]);
		assert_string_equal(ibv_get_device_name(devices[i]), names[i]);
	}
	assert_null(devices[i]);
	ibv_free_device_list(devices);
}

static void device_names_invalid_entry_is_logged(void **state)
{
	const char *path = getenv("VERBS_LOG_FILE");
	char text[4096] = {};
	FILE *log;

	assert_non_null(path);
	assert_int_equal(truncate(path, 0), 0);
	list_with("lo,bad/name=lo,a=lo,a=lo");
	ibv_free_device_list(devices);
	log = fopen(path, "re");
	assert_non_null(log);
	(void)!fread(text, 1, sizeof(text) - 1, log);
	(void)fclose(log);
	assert_non_null(strstr(text, "bad/name=lo"));
	assert_non_null(strstr(text, "a=lo"));
	assert_non_null(strstr(text, "an earlier entry has this name"));
}

static void device_names_of_same_interface_have_own_guids(void **state)
{
	struct ibv_device_attr attrs[2];

	list_with(RAILS);
	for (int i = 0; i < 2; i++) {
		struct ibv_context *ctx;

		assert_non_null(devices[i]);
		ctx = ibv_open_device(devices[i]);
		assert_non_null(ctx);
		assert_int_equal(ibv_query_device(ctx, &attrs[i]), 0);
		assert_true(attrs[i].node_guid ==
			    ibv_get_device_guid(devices[i]));
		assert_int_equal(ibv_close_device(ctx), 0);
	}
	assert_true(attrs[0].node_guid != attrs[1].node_guid);
	assert_true(attrs[0].sys_image_guid == attrs[1].sys_image_guid);
	ibv_free_device_list(devices);
}

static void device_names_removed_name_cannot_be_opened(void **state)
{
	list_with(RAILS);
	assert_int_equal(setenv("UROCE_DEVICES", "mlx5_1=lo", 1), 0);
	errno = 0;
	assert_null(ibv_open_device(devices[0]));
	assert_int_equal(errno, ENODEV);
	ibv_free_device_list(devices);
}

/* -- two devices with one address -- */

/* Objects of each device; QPs called "left" are connected with each other. */
static struct verbs_fixture rails[2];

static void rails_set_up(void)
{
	static const char *const names[] = { "mlx5_0", "mlx5_1" };

	for (int i = 0; i < 2; i++) {
		fixture_set_up_on(open_by_name(names[i]));
		assert_string_equal(ibv_get_device_name(fixture.ctx->device),
				    names[i]);
		rails[i] = fixture;
	}
	fixture_connect(rails[0].left, rails[1].left);
}

static void rail_tear_down(int i)
{
	fixture = rails[i];
	assert_int_equal(fixture_teardown(NULL), 0);
}

/* A SEND from a QP of @from to one of @to, which may be the same device. */
static void expect_sent(const struct verbs_fixture *from, struct ibv_qp *source,
			const struct verbs_fixture *to, struct ibv_qp *target)
{
	uint8_t *sent = from->memory + BYTES;
	struct ibv_sge sge = {
		.addr = (uintptr_t)to->memory,
		.length = BYTES,
		.lkey = to->mr->lkey,
	};
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND };
	struct ibv_recv_wr *bad;
	unsigned int opcodes = 0;

	memset(to->memory, 0, BYTES);
	memset(sent, 'a', BYTES);
	assert_int_equal(ibv_post_recv(target, &recv, &bad), 0);
	fixture = *from; /* fixture_post() takes its lkey */
	assert_int_equal(fixture_post(source, send, sent, BYTES), 0);
	for (int i = 0; i < 2; i++) {
		struct ibv_wc wc = fixture_poll(i ? from->cq : to->cq);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.qp_num, wc.opcode == IBV_WC_RECV
						    ? target->qp_num
						    : source->qp_num);
		opcodes |= wc.opcode == IBV_WC_RECV ? 2 : 1;
	}
	assert_int_equal(opcodes, 3);
	assert_memory_equal(to->memory, sent, BYTES);
}

static void device_names_on_same_address_exchange_messages(void **state)
{
	rails_set_up();
	for (int i = 0; i < 200; i++) {
		const struct verbs_fixture *from = &rails[i % 2];
		const struct verbs_fixture *to = &rails[1 - i % 2];

		expect_sent(from, from->left, to, to->left);
	}
	rail_tear_down(0);
	rail_tear_down(1);
}

static void device_names_on_same_address_have_distinct_qpns(void **state)
{
	struct ibv_qp *qps[2 * NR_QPS];

	rails_set_up();
	for (int i = 0; i < 2 * NR_QPS; i++) {
		fixture = rails[i % 2];
		qps[i] = fixture_new_qp(IBV_QPT_RC);
		for (int before = 0; before < i; before++)
			assert_int_not_equal(qps[i]->qp_num,
					     qps[before]->qp_num);
	}
	for (int i = 0; i < 2 * NR_QPS; i++)
		assert_int_equal(ibv_destroy_qp(qps[i]), 0);
	rail_tear_down(0);
	rail_tear_down(1);
}

/* The rkey of one device is invalid for a QP of the other device. */
static void device_names_on_same_address_share_no_memory_region(void **state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	rails_set_up();
	fixture = rails[0];
	wr.wr.rdma.remote_addr = (uintptr_t)rails[0].memory;
	wr.wr.rdma.rkey = rails[0].mr->rkey;
	memset(rails[0].memory, 'a', BYTES);
	memset(rails[0].memory + BYTES, 'b', BYTES);
	assert_int_equal(
		fixture_post(rails[0].left, wr, rails[0].memory + BYTES, BYTES),
		0);
	assert_int_equal(fixture_poll(rails[0].cq).status,
			 IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(rails[0].memory[0], 'a');
	rail_tear_down(0);
	rail_tear_down(1);
}

static void device_names_closed_device_keeps_shared_address(void **state)
{
	struct ibv_context *ctx = open_by_name("mlx5_0");

	rails_set_up();
	assert_int_equal(ibv_close_device(ctx), 0);
	expect_sent(&rails[0], rails[0].left, &rails[1], rails[1].left);
	rail_tear_down(0);
	fixture_connect(rails[1].left, rails[1].right);
	expect_sent(&rails[1], rails[1].left, &rails[1], rails[1].right);
	rail_tear_down(1);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(device_names_chosen_follow_default_ones),
		TEST(device_names_invalid_entry_is_logged),
		TEST(device_names_of_same_interface_have_own_guids),
		TEST(device_names_removed_name_cannot_be_opened),
		TEST(device_names_on_same_address_exchange_messages),
		TEST(device_names_on_same_address_have_distinct_qpns),
		TEST(device_names_on_same_address_share_no_memory_region),
		TEST(device_names_closed_device_keeps_shared_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
