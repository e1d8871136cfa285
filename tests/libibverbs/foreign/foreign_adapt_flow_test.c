/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of ops of flows, flow actions and flow counters:
 * libibverbs/foreign/foreign_adapt_flow.c.
 */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_flow *create_flow(struct ibv_qp *qp,
				    struct ibv_flow_attr *attr)
{
	ADAPT_RECORD("create_flow", ADAPT_PTR(qp), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int destroy_flow(struct ibv_flow *flow)
{
	ADAPT_RECORD("destroy_flow", ADAPT_PTR(flow));
	return adapt_result();
}

static struct ibv_flow_action *
create_flow_action_esp(struct ibv_context *ctx,
		       struct ibv_flow_action_esp_attr *attr)
{
	ADAPT_RECORD("create_flow_action_esp", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int modify_flow_action_esp(struct ibv_flow_action *action,
				  struct ibv_flow_action_esp_attr *attr)
{
	ADAPT_RECORD("modify_flow_action_esp", ADAPT_PTR(action),
		     ADAPT_PTR(attr));
	return adapt_result();
}

static int destroy_flow_action(struct ibv_flow_action *action)
{
	ADAPT_RECORD("destroy_flow_action", ADAPT_PTR(action));
	return adapt_result();
}

static struct ibv_counters *create_counters(struct ibv_context *ctx,
					    struct ibv_counters_init_attr *attr)
{
	ADAPT_RECORD("create_counters", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int destroy_counters(struct ibv_counters *counters)
{
	ADAPT_RECORD("destroy_counters", ADAPT_PTR(counters));
	return adapt_result();
}

static int attach_counters_point_flow(struct ibv_counters *counters,
				      struct ibv_counter_attach_attr *attr,
				      struct ibv_flow *flow)
{
	ADAPT_RECORD("attach_counters_point_flow", ADAPT_PTR(counters),
		     ADAPT_PTR(attr), ADAPT_PTR(flow));
	return adapt_result();
}

static int read_counters(struct ibv_counters *counters, uint64_t *values,
			 uint32_t nr_values, uint32_t flags)
{
	ADAPT_RECORD("read_counters", ADAPT_PTR(counters), ADAPT_PTR(values),
		     nr_values, flags);
	return adapt_result();
}

static int setup_provider(void **state)
{
	adapt_fixture_start(&(struct foreign_ops){
		.create_flow = create_flow,
		.destroy_flow = destroy_flow,
		.create_flow_action_esp = create_flow_action_esp,
		.modify_flow_action_esp = modify_flow_action_esp,
		.destroy_flow_action = destroy_flow_action,
		.create_counters = create_counters,
		.destroy_counters = destroy_counters,
		.attach_counters_point_flow = attach_counters_point_flow,
		.read_counters = read_counters,
	});
	return 0;
}

static void foreign_adapt_flow_is_created_and_destroyed(void **state)
{
	struct ibv_flow *flow = NULL, made = { .context = adapt.ctx };
	struct ibv_qp qp = { .context = adapt.ctx };
	struct ibv_flow_attr attr = {};

	ADAPT_CREATES(&made, adapt.ops.create_flow(&qp, &attr, &flow));
	ADAPT_CHECK_CALL("create_flow", ADAPT_PTR(&qp), ADAPT_PTR(&attr));
	assert_ptr_equal(flow, &made);

	ADAPT_FAILS(adapt.ops.destroy_flow(flow));
	ADAPT_OK(adapt.ops.destroy_flow(flow));
	ADAPT_CHECK_CALL("destroy_flow", ADAPT_PTR(flow));

	flow = NULL;
	ADAPT_FAILS(adapt.ops.create_flow(&qp, &attr, &flow));
	assert_null(flow);
}

static void
foreign_adapt_flow_action_is_created_modified_and_destroyed(void **state)
{
	struct ibv_flow_action *action = NULL;
	struct ibv_flow_action made = { .context = adapt.ctx };
	struct ibv_flow_action_esp_attr attr = {};

	ADAPT_CREATES(&made, adapt.ops.create_flow_action_esp(adapt.ctx, &attr,
							      &action));
	ADAPT_CHECK_CALL("create_flow_action_esp", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&attr));
	assert_ptr_equal(action, &made);

	ADAPT_OK(adapt.ops.modify_flow_action_esp(action, &attr));
	ADAPT_CHECK_CALL("modify_flow_action_esp", ADAPT_PTR(action),
			 ADAPT_PTR(&attr));
	ADAPT_FAILS(adapt.ops.modify_flow_action_esp(action, &attr));

	ADAPT_FAILS(adapt.ops.destroy_flow_action(action));
	ADAPT_OK(adapt.ops.destroy_flow_action(action));
	ADAPT_CHECK_CALL("destroy_flow_action", ADAPT_PTR(action));

	action = NULL;
	ADAPT_FAILS(
		adapt.ops.create_flow_action_esp(adapt.ctx, &attr, &action));
	assert_null(action);
}

static void
foreign_adapt_counters_are_created_attached_read_and_destroyed(void **state)
{
	struct ibv_counters *counters = NULL, made = { .context = adapt.ctx };
	struct ibv_counter_attach_attr attach = {};
	struct ibv_counters_init_attr attr = {};
	struct ibv_flow flow = {};
	uint64_t values[3] = {};

	ADAPT_CREATES(&made,
		      adapt.ops.create_counters(adapt.ctx, &attr, &counters));
	ADAPT_CHECK_CALL("create_counters", ADAPT_PTR(adapt.ctx),
			 ADAPT_PTR(&attr));
	assert_ptr_equal(counters, &made);

	ADAPT_OK(
		adapt.ops.attach_counters_point_flow(counters, &attach, &flow));
	ADAPT_CHECK_CALL("attach_counters_point_flow", ADAPT_PTR(counters),
			 ADAPT_PTR(&attach), ADAPT_PTR(&flow));
	ADAPT_FAILS(
		adapt.ops.attach_counters_point_flow(counters, &attach, &flow));

	ADAPT_OK(adapt.ops.read_counters(counters, values, 3, 1));
	ADAPT_CHECK_CALL("read_counters", ADAPT_PTR(counters),
			 ADAPT_PTR(values), 3, 1);
	ADAPT_FAILS(adapt.ops.read_counters(counters, values, 3, 1));

	ADAPT_FAILS(adapt.ops.destroy_counters(counters));
	ADAPT_OK(adapt.ops.destroy_counters(counters));
	ADAPT_CHECK_CALL("destroy_counters", ADAPT_PTR(counters));

	counters = NULL;
	ADAPT_FAILS(adapt.ops.create_counters(adapt.ctx, &attr, &counters));
	assert_null(counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			foreign_adapt_flow_is_created_and_destroyed,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_flow_action_is_created_modified_and_destroyed,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_counters_are_created_attached_read_and_destroyed,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
