/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of flow actions. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <string.h>

static struct ibv_flow_action_esp esp = {
	.spi = 0x11111111,
	.seq = 0x22222222,
	.tfc_pad = 3,
	.flags = IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ENCRYPT,
	.hard_limit_pkts = UINT64_C(0x4444444444),
};

static struct ib_uverbs_flow_action_esp_keymat_aes_gcm keymat = {
	.iv = UINT64_C(0x5555555555),
	.salt = 6,
	.icv_len = 16,
	.key_len = 32,
	.aes_key = { 1, 2, 3, 4, 5, 6, 7, 8 },
};

static struct ib_uverbs_flow_action_esp_replay_bmp replay = { .size = 64 };

static struct ibv_flow_ipv4_ext_filter ip = { .proto = 50 };

static struct ibv_flow_action_esp_encap encap = {
	.len = sizeof(ip),
	.type = IBV_FLOW_SPEC_IPV4,
};

/* Parts of the attribute struct. */
enum {
	PART_ESP = 1,
	PART_KEYMAT = 2,
	PART_REPLAY = 4,
	PART_ENCAP = 8,
	PART_ESN = 16,
	ALL_PARTS = 31,
};

static struct ibv_flow_action_esp_attr attr_of(int parts)
{
	struct ibv_flow_action_esp_attr attr = { .esn = 0x77777777 };

	encap.val_ptr = &ip;
	if (parts & PART_ESP)
		attr.esp_attr = &esp;
	if (parts & PART_KEYMAT) {
		attr.keymat_proto = IB_UVERBS_FLOW_ACTION_ESP_KEYMAT_AES_GCM;
		attr.keymat_len = sizeof(keymat);
		attr.keymat_ptr = &keymat;
	}
	if (parts & PART_REPLAY) {
		attr.replay_proto = IB_UVERBS_FLOW_ACTION_ESP_REPLAY_BMP;
		attr.replay_len = sizeof(replay);
		attr.replay_ptr = &replay;
	}
	if (parts & PART_ENCAP)
		attr.esp_encap = &encap;
	if (parts & PART_ESN)
		attr.comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN;
	return attr;
}

static void expect_esp(uint16_t method, struct fake_attr handle, int parts,
		       bool driver_attrs, int err)
{
	const struct fake_attr esp_attr =
		FAKE_BYTES_IN(UVERBS_ATTR_FLOW_ACTION_ESP_ATTRS, 24, &esp);
	const struct fake_attr keymat_attr =
		FAKE_BYTES_IN(UVERBS_ATTR_FLOW_ACTION_ESP_KEYMAT, 56, &keymat);
	struct fake_attr replay_attr =
		FAKE_BYTES_IN(UVERBS_ATTR_FLOW_ACTION_ESP_REPLAY, 4, &replay);
	const struct fake_attr encap_attr =
		FAKE_BYTES_IN(UVERBS_ATTR_FLOW_ACTION_ESP_ENCAP, 24, &encap);
	const struct fake_attr esn_attr =
		FAKE_U32_IN(UVERBS_ATTR_FLOW_ACTION_ESP_ESN, 0x77777777);
	const struct fake_attr drivers[] = { TEST_DRIVER_ATTRS };
	struct fake_attr attrs[8] = { handle };
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_FLOW_ACTION,
		.method = method,
		.attrs = attrs,
		.nr_attrs = 1,
		.err = err,
	};

	replay_attr.elem = 1; /* bitmap window; 0: no check */
	if (parts & PART_ESP)
		attrs[cmd.nr_attrs++] = esp_attr;
	if (parts & PART_KEYMAT)
		attrs[cmd.nr_attrs++] = keymat_attr;
	if (parts & PART_REPLAY)
		attrs[cmd.nr_attrs++] = replay_attr;
	if (parts & PART_ENCAP)
		attrs[cmd.nr_attrs++] = encap_attr;
	if (parts & PART_ESN)
		attrs[cmd.nr_attrs++] = esn_attr;
	if (driver_attrs) {
		attrs[cmd.nr_attrs++] = drivers[0];
		attrs[cmd.nr_attrs++] = drivers[1];
	}
	fake_kernel_expect_ioctl(&cmd);
}

static void expect_create(int parts, bool driver_attrs, int err)
{
	const struct fake_attr handle =
		FAKE_NUM_OUT(UVERBS_ATTR_CREATE_FLOW_ACTION_ESP_HANDLE, 48);

	expect_esp(UVERBS_METHOD_FLOW_ACTION_ESP_CREATE, handle, parts,
		   driver_attrs, err);
}

static void expect_modify(int parts, bool driver_attrs, int err)
{
	const struct fake_attr handle =
		FAKE_NUM_IN(UVERBS_ATTR_MODIFY_FLOW_ACTION_ESP_HANDLE, 48);

	expect_esp(UVERBS_METHOD_FLOW_ACTION_ESP_MODIFY, handle, parts,
		   driver_attrs, err);
}

static void create_flow_action_sends_present_parts(void **state)
{
	struct kernel_test *t = *state;

	for (int parts = 0; parts <= ALL_PARTS; parts++) {
		const struct ibv_flow_action_esp_attr attr = attr_of(parts);
		struct verbs_flow_action action = {};

		expect_create(parts, false, 0);
		assert_int_equal(verbs_cmd_create_flow_action_esp(
					 t->ctx, &action, &attr, NULL),
				 0);
		assert_ptr_equal(action.action.context, t->ctx);
		assert_int_equal(action.handle, 48);
		assert_int_equal(action.type, VERBS_FLOW_ACTION_ESP);
	}
}

static void create_flow_action_passes_driver_attrs(void **state)
{
	const struct ibv_flow_action_esp_attr attr = attr_of(PART_ESP);
	struct kernel_test *t = *state;
	struct verbs_flow_action action = {};

	expect_create(PART_ESP, true, 0);
	assert_int_equal(verbs_cmd_create_flow_action_esp(
				 t->ctx, &action, &attr, &t->attrs_only),
			 0);
	assert_true(kernel_test_driver_attrs_updated(t));
	assert_int_equal(verbs_cmd_create_flow_action_esp(t->ctx, &action,
							  &attr, &t->udata),
			 -EOPNOTSUPP);
}

static void create_flow_action_error_leaves_object_unchanged(void **state)
{
	const struct ibv_flow_action_esp_attr attr = attr_of(ALL_PARTS);
	const struct verbs_flow_action before = { .handle = 99 };
	struct kernel_test *t = *state;
	struct verbs_flow_action action = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_create(ALL_PARTS, false, kernel_test_errors[i]);
		assert_int_equal(verbs_cmd_create_flow_action_esp(
					 t->ctx, &action, &attr, NULL),
				 -kernel_test_errors[i]);
	}
	expect_create(ALL_PARTS, false, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(verbs_cmd_create_flow_action_esp(
					 t->ctx, &action, &attr, NULL),
				 -EOPNOTSUPP);
	assert_memory_equal(&action, &before, sizeof(before));
}

static void modify_flow_action_sends_present_parts(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_flow_action action = { .action.context = t->ctx,
					    .handle = 48 };

	for (int parts = 0; parts <= ALL_PARTS; parts++) {
		const struct ibv_flow_action_esp_attr attr = attr_of(parts);

		expect_modify(parts, false, 0);
		assert_int_equal(
			verbs_cmd_modify_flow_action_esp(&action, &attr, NULL),
			0);
	}
}

/* The enum element for "no replay check" has no data. */
static void modify_flow_action_disables_replay_check(void **state)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_FLOW_ACTION,
		.method = UVERBS_METHOD_FLOW_ACTION_ESP_MODIFY,
		FAKE_ATTRS(
			FAKE_NUM_IN(UVERBS_ATTR_MODIFY_FLOW_ACTION_ESP_HANDLE,
				    48),
			FAKE_BYTES_IN(UVERBS_ATTR_FLOW_ACTION_ESP_REPLAY, 0,
				      NULL)),
	};
	const struct ibv_flow_action_esp_attr attr = {
		.replay_proto = IB_UVERBS_FLOW_ACTION_ESP_REPLAY_NONE,
		.replay_ptr = &replay,
	};
	struct kernel_test *t = *state;
	struct verbs_flow_action action = { .action.context = t->ctx,
					    .handle = 48 };

	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(verbs_cmd_modify_flow_action_esp(&action, &attr, NULL),
			 0);
}

static void modify_flow_action_passes_driver_attrs(void **state)
{
	const struct ibv_flow_action_esp_attr attr = attr_of(PART_ESN);
	struct kernel_test *t = *state;
	struct verbs_flow_action action = { .action.context = t->ctx,
					    .handle = 48 };

	expect_modify(PART_ESN, true, 0);
	assert_int_equal(verbs_cmd_modify_flow_action_esp(&action, &attr,
							  &t->attrs_only),
			 0);
	assert_true(kernel_test_driver_attrs_updated(t));
}

static void modify_flow_action_returns_kernel_error(void **state)
{
	const struct ibv_flow_action_esp_attr attr = attr_of(PART_ESN);
	struct kernel_test *t = *state;
	struct verbs_flow_action action = { .action.context = t->ctx,
					    .handle = 48 };

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_modify(PART_ESN, false, kernel_test_errors[i]);
		assert_int_equal(
			verbs_cmd_modify_flow_action_esp(&action, &attr, NULL),
			-kernel_test_errors[i]);
	}
	expect_modify(PART_ESN, false, EPROTONOSUPPORT);
	assert_int_equal(verbs_cmd_modify_flow_action_esp(&action, &attr, NULL),
			 -EOPNOTSUPP);
}

static void flow_action_esp_unknown_attrs_are_refused(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_flow_action action = { .action.context = t->ctx };

	for (int i = 0; i < 3; i++) {
		struct ibv_flow_action_esp_attr attr = attr_of(ALL_PARTS);
		int ret = i == 0 ? -EOPNOTSUPP : -EINVAL;

		attr.comp_mask |= i == 0 ? 2 : 0;
		if (i == 1)
			attr.keymat_proto = 256;
		if (i == 2)
			attr.replay_proto = 256;
		assert_int_equal(verbs_cmd_create_flow_action_esp(
					 t->ctx, &action, &attr, NULL),
				 ret);
		assert_int_equal(
			verbs_cmd_modify_flow_action_esp(&action, &attr, NULL),
			ret);
	}
}

static int run_destroy(struct kernel_test *t)
{
	struct verbs_flow_action action = { .action.context = t->ctx,
					    .handle = 48 };

	return verbs_cmd_destroy_flow_action(&action);
}

static const struct destroy_case destroy_flow_action_case = {
	.cap = KERNEL_CAP_DESTROY_FLOW_ACTION,
	.handle_attr = UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE,
	.ioctl_only = true,
	.handle = 48,
	.run = run_destroy,
};

DESTROY_IOCTL_ONLY_TESTS(destroy_flow_action)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_flow_action_sends_present_parts),
		KERNEL_TEST(create_flow_action_passes_driver_attrs),
		KERNEL_TEST(create_flow_action_error_leaves_object_unchanged),
		KERNEL_TEST(modify_flow_action_sends_present_parts),
		KERNEL_TEST(modify_flow_action_disables_replay_check),
		KERNEL_TEST(modify_flow_action_passes_driver_attrs),
		KERNEL_TEST(modify_flow_action_returns_kernel_error),
		KERNEL_TEST(flow_action_esp_unknown_attrs_are_refused),
		DESTROY_IOCTL_ONLY_TEST_LIST(destroy_flow_action),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
