/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of flow steering rules; the specifications: flow_spec_test.c. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/flow_spec.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

/*
 * A rule as applications build it. The specifications follow one another
 * without padding, so the pointer in the third one is not aligned.
 */
static struct verbs_counters counters = { .handle = 41 };

struct __attribute__((packed)) rule {
	struct ibv_flow_attr attr;
	struct ibv_flow_spec_eth eth;
	struct ibv_flow_spec_ipv4_ext ip;
	struct ibv_flow_spec_counter_action count;
	struct ibv_flow_spec_action_drop drop;
};

static struct rule rule(uint8_t nr_specs)
{
	return (struct rule){
		.attr = {
			.comp_mask = 0,
			.type = IBV_FLOW_ATTR_SNIFFER,
			.size = sizeof(struct rule),
			.priority = 9,
			.num_of_specs = nr_specs,
			.port = 2,
			.flags = IBV_FLOW_ATTR_FLAGS_EGRESS,
		},
		.eth = {
			.type = IBV_FLOW_SPEC_ETH,
			.size = sizeof(struct ibv_flow_spec_eth),
			.val.ether_type = 0x0008,
			.mask.ether_type = 0xffff,
		},
		.ip = {
			.type = IBV_FLOW_SPEC_IPV4_EXT | IBV_FLOW_SPEC_INNER,
			.size = sizeof(struct ibv_flow_spec_ipv4_ext),
			.val.proto = 17,
			.mask.proto = 0xff,
		},
		.count = {
			.type = IBV_FLOW_SPEC_ACTION_COUNT,
			.size = sizeof(struct ibv_flow_spec_counter_action),
			.counters = &counters.counters,
		},
		.drop = {
			.type = IBV_FLOW_SPEC_ACTION_DROP,
			.size = sizeof(struct ibv_flow_spec_action_drop),
		},
	};
}

/* The same rule in the kernel's structs. */
struct kernel_header {
	uint32_t comp_mask, qp_handle;
	uint32_t type;
	uint16_t size, priority;
	uint8_t num_of_specs, reserved[2], port;
	uint32_t flags;
};

struct kernel_rule {
	struct kernel_header header;
	struct ib_uverbs_flow_spec_eth eth;
	struct ib_uverbs_flow_spec_ipv4 ip;
	struct ib_uverbs_flow_spec_action_count count;
	struct ib_uverbs_flow_spec_action_drop drop;
};

#define HEADER_LEN sizeof(struct kernel_header)

_Static_assert(HEADER_LEN == sizeof(struct ib_uverbs_create_flow), "head");

static struct kernel_rule kernel_rule(uint8_t nr_specs, size_t specs_len)
{
	return (struct kernel_rule){
		.header = {
			.qp_handle = 61,
			.type = 3,
			.size = (uint16_t)specs_len,
			.priority = 9,
			.num_of_specs = nr_specs,
			.port = 2,
			.flags = 4,
		},
		.eth = {
			.type = 0x20,
			.size = 40,
			.val.ether_type = 0x0008,
			.mask.ether_type = 0xffff,
		},
		.ip = {
			.type = 0x130,
			.size = 32,
			.val.proto = 17,
			.mask.proto = 0xff,
		},
		.count = { .type = 0x1003, .size = 16, .handle = 41 },
		.drop = { .type = 0x1001, .size = 8 },
	};
}

static void expect_create(struct kernel_test *t, enum test_form form,
			  const void *in, size_t in_len, int err)
{
	static const struct ib_uverbs_create_flow_resp out = {
		.flow_handle = 55,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_FLOW | EXTENDED,
		.in = in,
		.in_len = in_len,
		.out = &out,
		.out_len = sizeof(out),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};

	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
}

static int run_create(struct kernel_test *t, const void *attr,
		      struct ibv_flow *flow)
{
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };

	return verbs_cmd_create_flow(&qp, flow, attr, &t->udata);
}

static void create_flow_sends_header_and_specs(void **state)
{
	static const size_t lens[] = { 0, 40, 72, 88, 96 };
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		for (uint8_t nr = 0; nr <= 4; nr++) {
			const struct kernel_rule in = kernel_rule(nr, lens[nr]);
			const struct rule attr = rule(nr);
			struct ibv_flow flow = {};

			memset(t->driver_out, 0, sizeof(t->driver_out));
			expect_create(t, form, &in, HEADER_LEN + lens[nr], 0);
			assert_int_equal(run_create(t, &attr, &flow), 0);
			assert_ptr_equal(flow.context, t->ctx);
			assert_int_equal(flow.handle, 55);
			assert_int_equal(flow.comp_mask, 0);
			assert_memory_equal(t->driver_out,
					    kernel_test_driver_resp,
					    sizeof(kernel_test_driver_resp));
		}
	}
}

/* Some programs do not set these members. */
static void create_flow_ignores_size_and_comp_mask(void **state)
{
	const struct kernel_rule in = kernel_rule(4, 96);
	struct rule attr = rule(4);
	struct ibv_flow flow = {};

	attr.attr.size = 1;
	attr.attr.comp_mask = UINT32_MAX;
	expect_create(*state, FORM_INVOKE_WRITE, &in, HEADER_LEN + 96, 0);
	assert_int_equal(run_create(*state, &attr, &flow), 0);
}

static void create_flow_error_leaves_object_unchanged(void **state)
{
	static const struct {
		int err, ret;
	} cases[] = { { EINVAL, -EINVAL }, { ENOSYS, -EOPNOTSUPP } };
	const struct kernel_rule in = kernel_rule(4, 96);
	const struct rule attr = rule(4);
	const struct ibv_flow before = { .handle = 99 };
	struct kernel_test *t = *state;
	struct ibv_flow flow = before;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		for (int i = 0; i < 2; i++) {
			expect_create(t, form, &in, HEADER_LEN + 96,
				      cases[i].err);
			assert_int_equal(run_create(t, &attr, &flow),
					 cases[i].ret);
			assert_memory_equal(&flow, &before, sizeof(before));
		}
	}
}

static void create_flow_invalid_spec_is_refused(void **state)
{
	struct ibv_flow flow = {};
	struct rule attr = rule(4);

	attr.drop.type = (enum ibv_flow_spec_type)0x1004;
	assert_int_equal(run_create(*state, &attr, &flow), -EINVAL);
	attr = rule(4);
	attr.eth.size = 37;
	assert_int_equal(run_create(*state, &attr, &flow), -EINVAL);
}

/* The maximum number of specifications of maximum length, and one more. */
static void create_flow_excess_specs_are_refused(void **state)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_ipv6 specs[FLOW_SPEC_MAX + 1];
	} attr = { .attr.num_of_specs = FLOW_SPEC_MAX };
	static struct {
		struct kernel_header header;
		struct ib_uverbs_flow_spec_ipv6 specs[FLOW_SPEC_MAX];
	} in;
	struct kernel_test *t = *state;
	struct ibv_flow flow = {};

	in.header.qp_handle = 61;
	in.header.num_of_specs = FLOW_SPEC_MAX;
	in.header.size = sizeof(in.specs);
	for (int i = 0; i < FLOW_SPEC_MAX; i++) {
		attr.specs[i].type = IBV_FLOW_SPEC_IPV6;
		attr.specs[i].size = sizeof(attr.specs[i]);
		attr.specs[i].mask.next_hdr = (uint8_t)(i + 1);
		in.specs[i].type = 0x31;
		in.specs[i].size = 88;
		in.specs[i].mask.next_hdr = (uint8_t)(i + 1);
	}
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		expect_create(t, form, &in, sizeof(in), 0);
		assert_int_equal(run_create(t, &attr, &flow), 0);
	}
	attr.attr.num_of_specs++;
	assert_int_equal(run_create(t, &attr, &flow), -EINVAL);
	attr.attr.num_of_specs = 255;
	assert_int_equal(run_create(t, &attr, &flow), -EINVAL);
}

static int run_destroy(struct kernel_test *t)
{
	struct ibv_flow flow = { .context = t->ctx, .handle = 55 };

	return verbs_cmd_destroy_flow(&flow);
}

static const struct destroy_case destroy_flow_case = {
	.cap = KERNEL_CAP_DESTROY_FLOW,
	.handle_attr = UVERBS_ATTR_DESTROY_FLOW_HANDLE,
	.write_command = IB_USER_VERBS_EX_CMD_DESTROY_FLOW | EXTENDED,
	.handle = 55,
	.run = run_destroy,
};

DESTROY_TESTS(destroy_flow)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_flow_sends_header_and_specs),
		KERNEL_TEST(create_flow_ignores_size_and_comp_mask),
		KERNEL_TEST(create_flow_error_leaves_object_unchanged),
		KERNEL_TEST(create_flow_invalid_spec_is_refused),
		KERNEL_TEST(create_flow_excess_specs_are_refused),
		DESTROY_TEST_LIST(destroy_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
