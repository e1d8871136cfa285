/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow, flow action and flow counter commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_flow*.c and foreign_cmd_counters.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

static void expect_flow(struct foreign_cmd_test *t, enum test_form form,
			int err)
{
	const struct ib_uverbs_create_flow in = {
		.qp_handle = 31,
		.flow_attr = { .type = IBV_FLOW_ATTR_ALL_DEFAULT,
			       .priority = 5,
			       .port = 2 },
	};
	const struct ib_uverbs_create_flow_resp out = { .flow_handle = 41 };

	foreign_cmd_test_force_form(t, form);
	foreign_cmd_test_expect(
		t, form,
		(struct fake_write){
			.command = IB_USER_VERBS_EX_CMD_CREATE_FLOW | EXTENDED,
			.in = &in,
			.in_len = sizeof(in),
			.out = &out,
			.out_len = sizeof(out),
			.err = err,
		});
}

/* The driver data of this command has no core struct in front of it. */
static void foreign_cmd_create_flow_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 31 };
	struct ibv_flow_attr attr = {
		.type = IBV_FLOW_ATTR_ALL_DEFAULT,
		.size = sizeof(attr),
		.priority = 5,
		.port = 2,
	};

	caller_init(&t->caller, 8, 0);
	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ibv_flow flow = {};

		expect_flow(t, form, 0);
		assert_succeeds(foreign_cmd_create_flow(&qp, &flow, &attr,
							t->caller.cmd + 8,
							CALLER_DRIVER_LEN));
		assert_ptr_equal(flow.context, t->ctx);
		assert_int_equal(flow.handle, 41);
		expect_flow(t, form, ENOMEM);
		assert_fails(foreign_cmd_create_flow(&qp, &flow, &attr,
						     t->caller.cmd + 8,
						     CALLER_DRIVER_LEN),
			     ENOMEM);
	}
	/* No driver data. */
	t->caller.cmd_core = 0;
	expect_flow(t, WRITE, 0);
	assert_succeeds(foreign_cmd_create_flow(&qp, &(struct ibv_flow){},
						&attr, NULL, 0));
}

/* -- flow actions -- */

static const struct ib_uverbs_flow_action_esp esp = { .spi = 0x1234 };

static void foreign_cmd_create_flow_action_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_flow_action_esp esp_attr = { .spi = 0x1234 };
	struct ibv_flow_action_esp_attr attr = {
		.esp_attr = &esp_attr,
		.comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN,
		.esn = 9,
	};
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_FLOW_ACTION,
		.method = UVERBS_METHOD_FLOW_ACTION_ESP_CREATE,
		FAKE_ATTRS(
			FAKE_NUM_OUT(UVERBS_ATTR_CREATE_FLOW_ACTION_ESP_HANDLE,
				     51),
			FAKE_BYTES_IN(UVERBS_ATTR_FLOW_ACTION_ESP_ATTRS,
				      sizeof(esp), &esp),
			FAKE_U32_IN(UVERBS_ATTR_FLOW_ACTION_ESP_ESN, 9),
			TEST_LINK_EXPECTED),
	};
	struct verbs_flow_action action = {};
	struct caller_buffer link;

	foreign_cmd_test_link(&link, UVERBS_OBJECT_FLOW_ACTION,
			      UVERBS_METHOD_FLOW_ACTION_ESP_CREATE);
	cmd.err = EINVAL;
	fake_kernel_expect_ioctl(&cmd);
	assert_fails(foreign_cmd_create_flow_action_esp(t->ctx, &attr, &action,
							TEST_LINK(&link)),
		     EINVAL);
	assert_int_equal(link.attrs[0].data, 0);
	cmd.err = 0;
	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(foreign_cmd_create_flow_action_esp(
		t->ctx, &attr, &action, TEST_LINK(&link)));
	assert_ptr_equal(action.action.context, t->ctx);
	assert_int_equal(action.type, VERBS_FLOW_ACTION_ESP);
	assert_int_equal(action.handle, 51);
	foreign_cmd_test_check_link(&link);
}

static void foreign_cmd_modify_flow_action_sends_chain(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_flow_action_esp_attr attr = {
		.comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN,
		.esn = 9,
	};
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_FLOW_ACTION,
		.method = UVERBS_METHOD_FLOW_ACTION_ESP_MODIFY,
		FAKE_ATTRS(
			FAKE_NUM_IN(UVERBS_ATTR_MODIFY_FLOW_ACTION_ESP_HANDLE,
				    51),
			FAKE_U32_IN(UVERBS_ATTR_FLOW_ACTION_ESP_ESN, 9),
			TEST_LINK_EXPECTED),
	};
	struct verbs_flow_action action = { .action.context = t->ctx,
					    .handle = 51 };
	struct caller_buffer link;

	foreign_cmd_test_link(&link, UVERBS_OBJECT_FLOW_ACTION,
			      UVERBS_METHOD_FLOW_ACTION_ESP_MODIFY);
	cmd.err = EBUSY;
	fake_kernel_expect_ioctl(&cmd);
	assert_fails(foreign_cmd_modify_flow_action_esp(&action, &attr,
							TEST_LINK(&link)),
		     EBUSY);
	cmd.err = 0;
	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(foreign_cmd_modify_flow_action_esp(&action, &attr,
							   TEST_LINK(&link)));
	foreign_cmd_test_check_link(&link);
}

/* -- counters -- */

static void foreign_cmd_create_counters_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_counters_init_attr attr = {};
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_COUNTERS,
		.method = UVERBS_METHOD_COUNTERS_CREATE,
		FAKE_ATTRS(FAKE_NUM_OUT(UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 61),
			   TEST_LINK_EXPECTED),
	};
	struct verbs_counters counters = {};
	struct caller_buffer link;

	foreign_cmd_test_link(&link, UVERBS_OBJECT_COUNTERS,
			      UVERBS_METHOD_COUNTERS_CREATE);
	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(foreign_cmd_create_counters(t->ctx, &attr, &counters,
						    TEST_LINK(&link)));
	assert_ptr_equal(counters.counters.context, t->ctx);
	assert_int_equal(counters.handle, 61);
	foreign_cmd_test_check_link(&link);
	attr.comp_mask = 1;
	assert_fails(
		foreign_cmd_create_counters(t->ctx, &attr, &counters, NULL),
		EOPNOTSUPP);
}

static void foreign_cmd_read_counters_fills_values(void **state)
{
	struct foreign_cmd_test *t = *state;
	static const uint64_t values[3] = { 71, 72, 73 };
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_COUNTERS,
		.method = UVERBS_METHOD_COUNTERS_READ,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_READ_COUNTERS_HANDLE, 61),
			   FAKE_BYTES_OUT(UVERBS_ATTR_READ_COUNTERS_BUFF,
					  sizeof(values), values),
			   FAKE_U32_IN(UVERBS_ATTR_READ_COUNTERS_FLAGS, 1),
			   TEST_LINK_EXPECTED),
	};
	struct verbs_counters counters = { .counters.context = t->ctx,
					   .handle = 61 };
	struct caller_buffer link;
	uint64_t got[3] = {};

	foreign_cmd_test_link(&link, UVERBS_OBJECT_COUNTERS,
			      UVERBS_METHOD_COUNTERS_READ);
	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(foreign_cmd_read_counters(&counters, got, 3, 1,
						  TEST_LINK(&link)));
	assert_memory_equal(got, values, sizeof(values));
	foreign_cmd_test_check_link(&link);
	cmd.err = EIO;
	fake_kernel_expect_ioctl(&cmd);
	assert_fails(foreign_cmd_read_counters(&counters, got, 3, 1,
					       TEST_LINK(&link)),
		     EIO);
}

static void foreign_cmd_flow_invalid_chain_is_not_sent(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_flow_action_esp_attr esp_attr = {};
	struct ibv_counters_init_attr attr = {};
	struct verbs_flow_action action = {};
	struct verbs_counters counters = {};
	struct caller_buffer link;
	uint64_t value;

	caller_buffer_init(&link, 1, 2, 1, NULL);
	link.flags = CALLER_BUFFER_ERROR;
	assert_fails(foreign_cmd_create_flow_action_esp(
			     t->ctx, &esp_attr, &action, TEST_LINK(&link)),
		     EINVAL);
	assert_fails(foreign_cmd_modify_flow_action_esp(&action, &esp_attr,
							TEST_LINK(&link)),
		     EINVAL);
	assert_fails(foreign_cmd_create_counters(t->ctx, &attr, &counters,
						 TEST_LINK(&link)),
		     EINVAL);
	assert_fails(foreign_cmd_read_counters(&counters, &value, 1, 0,
					       TEST_LINK(&link)),
		     EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_create_flow_fills_object),
		FOREIGN_CMD_TEST(foreign_cmd_create_flow_action_fills_object),
		FOREIGN_CMD_TEST(foreign_cmd_modify_flow_action_sends_chain),
		FOREIGN_CMD_TEST(foreign_cmd_create_counters_fills_object),
		FOREIGN_CMD_TEST(foreign_cmd_read_counters_fills_values),
		FOREIGN_CMD_TEST(foreign_cmd_flow_invalid_chain_is_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
