/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of device, port and event ops:
 * libibverbs/foreign/foreign_adapt_device.c and foreign_port_attr.c.
 */
#include "foreign/foreign_port_attr.h"
#include "libibverbs/foreign/adapt_fixture.h"

static size_t room_in_op;    /* size of the buffer that query_port() received */
static size_t room_of_local; /* size of a different buffer at that time */
static bool query_inside;    /* query_port() calls the public function */

static int query_device_ex(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size)
{
	ADAPT_RECORD("query_device_ex", ADAPT_PTR(ctx), ADAPT_PTR(input),
		     ADAPT_PTR(attr), attr_size);
	return adapt_result();
}

static int query_port(struct ibv_context *ctx, uint8_t port_num,
		      struct ibv_port_attr *attr)
{
	struct ibv_port_attr local = {};

	if (query_inside) {
		query_inside = false;
		assert_int_equal(adapt.ops.query_port(ctx, 9, &local), 0);
	}
	room_in_op = foreign_port_attr_size(attr);
	room_of_local = foreign_port_attr_size(&local);
	ADAPT_RECORD("query_port", ADAPT_PTR(ctx), port_num, ADAPT_PTR(attr));
	return adapt_result();
}

static int query_port_speed(struct ibv_context *ctx, uint32_t port_num,
			    uint64_t *speed)
{
	ADAPT_RECORD("query_port_speed", ADAPT_PTR(ctx), port_num,
		     ADAPT_PTR(speed));
	return adapt_result();
}

static int query_rt_values(struct ibv_context *ctx,
			   struct ibv_values_ex *values)
{
	ADAPT_RECORD("query_rt_values", ADAPT_PTR(ctx), ADAPT_PTR(values));
	return adapt_result();
}

static void cq_event(struct ibv_cq *cq)
{
	ADAPT_RECORD("cq_event", ADAPT_PTR(cq));
}

static void async_event(struct ibv_context *ctx, struct ibv_async_event *event)
{
	ADAPT_RECORD("async_event", ADAPT_PTR(ctx), ADAPT_PTR(event));
}

static const struct foreign_ops ops = {
	.query_device_ex = query_device_ex,
	.query_port = query_port,
	.query_port_speed = query_port_speed,
	.query_rt_values = query_rt_values,
	.cq_event = cq_event,
	.async_event = async_event,
};

static int setup_provider(void **state)
{
	adapt_fixture_start(&ops);
	room_in_op = room_of_local = 0;
	query_inside = false;
	return 0;
}

static void foreign_adapt_query_device_passes_struct_size(void **state)
{
	struct ibv_query_device_ex_input input = {};
	struct ibv_device_attr_ex attr = {};

	ADAPT_OK(adapt.ops.query_device(adapt.ctx, &input, &attr, 240));
	ADAPT_CHECK_CALL("query_device_ex", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&input), ADAPT_PTR(&attr), 240);
	ADAPT_FAILS(adapt.ops.query_device(adapt.ctx, NULL, &attr, 232));
	ADAPT_CHECK_CALL("query_device_ex", ADAPT_PTR(adapt.ctx), 0,
			 ADAPT_PTR(&attr), 232);
}

static void foreign_adapt_query_port_passes_arguments(void **state)
{
	struct ibv_port_attr attr = {};

	ADAPT_OK(adapt.ops.query_port(adapt.ctx, 2, &attr));
	ADAPT_CHECK_CALL("query_port", ADAPT_PTR(adapt.ctx), 2,
			 ADAPT_PTR(&attr));
	ADAPT_FAILS(adapt.ops.query_port(adapt.ctx, 2, &attr));
}

static void foreign_port_attr_size_is_full_for_library_buffer_only(void **state)
{
	struct ibv_port_attr attr = {};

	assert_int_equal(FOREIGN_PORT_ATTR_MIN_SIZE, 52);
	assert_int_equal(foreign_port_attr_size(&attr), 52);
	ADAPT_OK(adapt.ops.query_port(adapt.ctx, 1, &attr));
	assert_int_equal(room_in_op, 56);
	assert_int_equal(room_of_local, 52);
	assert_int_equal(foreign_port_attr_size(&attr), 52);

	ADAPT_FAILS(adapt.ops.query_port(adapt.ctx, 1, &attr));
	assert_int_equal(foreign_port_attr_size(&attr), 52);
}

static void foreign_port_attr_size_nested_query_restores_buffer(void **state)
{
	struct ibv_port_attr attr = {};

	query_inside = true;
	ADAPT_OK(adapt.ops.query_port(adapt.ctx, 1, &attr));
	assert_int_equal(room_in_op, 56);
	assert_int_equal(room_of_local, 52);
}

static void foreign_adapt_query_port_speed_calls_provider(void **state)
{
	uint64_t speed = 0;

	ADAPT_OK(adapt.ops.query_port_speed(adapt.ctx, 300, &speed));
	ADAPT_CHECK_CALL("query_port_speed", ADAPT_PTR(adapt.ctx), 300,
			 ADAPT_PTR(&speed));
	ADAPT_FAILS(adapt.ops.query_port_speed(adapt.ctx, 300, &speed));
}

static void foreign_adapt_query_port_speed_without_op_calls_kernel(void **state)
{
	struct foreign_ops older = ops;
	uint64_t speed = 0;

	older.query_port_speed = NULL;
	adapt_fixture_start(&older);
	ADAPT_OK(adapt.ops.query_port_speed(adapt.ctx, 3, &speed));
	ADAPT_CHECK_CALL("kernel query_port_speed", ADAPT_PTR(adapt.ctx), 3);
	assert_int_equal(speed, 4000);
	ADAPT_FAILS(adapt.ops.query_port_speed(adapt.ctx, 3, &speed));
}

static void
foreign_adapt_query_port_speed_without_cmd_fd_returns_eopnotsupp(void **state)
{
	uint64_t speed = 7;

	adapt_fixture_start(&(struct foreign_ops){});
	adapt.ctx->cmd_fd = -1;
	assert_int_equal(adapt.ops.query_port_speed(adapt.ctx, 3, &speed),
			 -EOPNOTSUPP);
	assert_null(adapt.op);
	assert_int_equal(speed, 7);
}

static void foreign_adapt_query_rt_values_passes_arguments(void **state)
{
	struct ibv_values_ex values = {};

	ADAPT_OK(adapt.ops.query_rt_values(adapt.ctx, &values));
	ADAPT_CHECK_CALL("query_rt_values", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&values));
	ADAPT_FAILS(adapt.ops.query_rt_values(adapt.ctx, &values));
}

static void foreign_adapt_event_ops_are_provider_functions(void **state)
{
	struct ibv_async_event event = {};
	struct ibv_cq cq = {};

	adapt.ops.cq_event(&cq);
	ADAPT_CHECK_CALL("cq_event", ADAPT_PTR(&cq));
	adapt.ops.async_event(adapt.ctx, &event);
	ADAPT_CHECK_CALL("async_event", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&event));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			foreign_adapt_query_device_passes_struct_size,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_query_port_passes_arguments,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_port_attr_size_is_full_for_library_buffer_only,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_port_attr_size_nested_query_restores_buffer,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_query_port_speed_calls_provider,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_query_port_speed_without_op_calls_kernel,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_query_port_speed_without_cmd_fd_returns_eopnotsupp,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_query_rt_values_passes_arguments,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_event_ops_are_provider_functions,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
