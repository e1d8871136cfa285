/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_create_flow_action(3): libibverbs/api/flow_action.c. */
#include "libibverbs/api/api_fixture.h"

static struct ibv_flow_action_esp_attr attr;

static int flow_action_setup(void **state)
{
	attr = (struct ibv_flow_action_esp_attr){
		.comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN,
	};
	return api_open(state);
}

static struct ibv_flow_action *create_action(void)
{
	struct ibv_flow_action *action =
		ibv_create_flow_action_esp(api.ctx, &attr);

	assert_non_null(action);
	return action;
}

static void create_flow_action_returns_action_of_context(void **state)
{
	struct ibv_flow_action *action;

	errno = SOME_ERRNO;
	action = create_action();
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("create_flow_action_esp");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(action->context, api.ctx);
	ASSERT_OK(ibv_destroy_flow_action(action));
	ASSERT_OP("destroy_flow_action");
}

static void modify_flow_action_calls_provider(void **state)
{
	struct ibv_flow_action *action = create_action();

	ASSERT_OK(ibv_modify_flow_action_esp(action, &attr));
	ASSERT_OP("modify_flow_action_esp");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(fake_provider.args.object, action);
	ASSERT_OK(ibv_destroy_flow_action(action));
}

static void assert_flow_action_refused(struct ibv_flow_action_esp_attr *bad,
				       int err)
{
	struct ibv_flow_action action = { .context = api.ctx };

	ASSERT_NULL(ibv_create_flow_action_esp(api.ctx, bad), err);
	ASSERT_ERRNO(ibv_modify_flow_action_esp(&action, bad), err);
	ASSERT_OP("alloc_pd");
}

static void flow_action_unknown_attribute_is_eopnotsupp(void **state)
{
	attr.comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN << 1;
	assert_flow_action_refused(&attr, EOPNOTSUPP);
}

static void flow_action_missing_keymat_or_replay_is_einval(void **state)
{
	assert_flow_action_refused(NULL, EINVAL);
	attr.keymat_len = 8;
	assert_flow_action_refused(&attr, EINVAL);
	attr.keymat_len = 0;
	attr.replay_len = 8;
	assert_flow_action_refused(&attr, EINVAL);
}

static void flow_action_provider_failure_is_reported(void **state)
{
	struct ibv_flow_action *action = create_action();

	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_flow_action_esp(api.ctx, &attr), EBUSY);
	ASSERT_ERRNO(ibv_modify_flow_action_esp(action, &attr), EBUSY);
	ASSERT_ERRNO(ibv_destroy_flow_action(action), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_flow_action(action));
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, flow_action_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_flow_action_returns_action_of_context),
		TEST(modify_flow_action_calls_provider),
		TEST(flow_action_unknown_attribute_is_eopnotsupp),
		TEST(flow_action_missing_keymat_or_replay_is_einval),
		TEST(flow_action_provider_failure_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
