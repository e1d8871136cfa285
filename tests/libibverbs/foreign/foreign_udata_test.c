/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Driver data and attributes in the buffers of a provider:
 * libibverbs/foreign/foreign_udata.c.
 */
#include "foreign/foreign_udata.h"

#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

/* Bytes of the request structs in modules, header included. */
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_get_context) == 16, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_query_port) == 24, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_alloc_pd) == 16, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_open_xrcd) == 24, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_reg_mr) == 48, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_rereg_mr) == 56, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_alloc_mw) == 24, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_create_cq) == 40, "request");
_Static_assert(FOREIGN_EX_CMD_LEN(ib_uverbs_ex_create_cq) == 56, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_resize_cq) == 24, "request");
_Static_assert(FOREIGN_EX_CMD_LEN(ib_uverbs_ex_modify_cq) == 40, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_create_srq) == 40, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_create_xsrq) == 56, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_modify_srq) == 24, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_query_srq) == 24, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_create_qp) == 64, "request");
_Static_assert(FOREIGN_EX_CMD_LEN(ib_uverbs_ex_create_qp) == 88, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_open_qp) == 40, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_query_qp) == 24, "request");
_Static_assert(FOREIGN_CMD_LEN(ib_uverbs_modify_qp) == 120, "request");
_Static_assert(FOREIGN_EX_CMD_LEN(ib_uverbs_ex_modify_qp) == 144, "request");
_Static_assert(FOREIGN_EX_CMD_LEN(ib_uverbs_ex_create_wq) == 64, "request");
_Static_assert(FOREIGN_EX_CMD_LEN(ib_uverbs_ex_modify_wq) == 48, "request");

/* Bytes of the core structs of the responses. */
_Static_assert(sizeof(struct ib_uverbs_get_context_resp) == 8, "response");
_Static_assert(sizeof(struct ib_uverbs_ex_query_device_resp) == 304,
	       "response");
_Static_assert(sizeof(struct ib_uverbs_alloc_pd_resp) == 4, "response");
_Static_assert(sizeof(struct ib_uverbs_open_xrcd_resp) == 4, "response");
_Static_assert(sizeof(struct ib_uverbs_reg_mr_resp) == 12, "response");
_Static_assert(sizeof(struct ib_uverbs_rereg_mr_resp) == 8, "response");
_Static_assert(sizeof(struct ib_uverbs_alloc_mw_resp) == 8, "response");
_Static_assert(sizeof(struct ib_uverbs_create_ah_resp) == 4, "response");
_Static_assert(sizeof(struct ib_uverbs_create_cq_resp) == 8, "response");
_Static_assert(sizeof(struct ib_uverbs_ex_create_cq_resp) == 16, "response");
_Static_assert(sizeof(struct ib_uverbs_resize_cq_resp) == 8, "response");
_Static_assert(sizeof(struct ib_uverbs_create_srq_resp) == 16, "response");
_Static_assert(sizeof(struct ib_uverbs_create_qp_resp) == 32, "response");
_Static_assert(sizeof(struct ib_uverbs_ex_create_qp_resp) == 40, "response");
_Static_assert(sizeof(struct ib_uverbs_ex_modify_qp_resp) == 8, "response");
_Static_assert(sizeof(struct ib_uverbs_ex_create_wq_resp) == 24, "response");
_Static_assert(sizeof(struct ib_uverbs_ex_create_rwq_ind_table_resp) == 16,
	       "response");

#define CORE_LEN 24

static void foreign_udata_init_driver_data_follows_core(void **state)
{
	char cmd[CORE_LEN + 8] = {}, resp[CORE_LEN + 12] = {};
	struct verbs_udata udata;

	assert_int_equal(foreign_udata_init(cmd, sizeof(cmd), CORE_LEN, resp,
					    sizeof(resp), CORE_LEN, &udata),
			 0);
	assert_ptr_equal(udata.in, cmd + CORE_LEN);
	assert_int_equal(udata.in_len, 8);
	assert_ptr_equal(udata.out, resp + CORE_LEN);
	assert_int_equal(udata.out_len, 12);
	assert_null(udata.attrs);
	assert_int_equal(udata.nr_attrs, 0);
	assert_false(udata.ioctl_only);
}

static void foreign_udata_init_core_only_has_no_driver_data(void **state)
{
	char cmd[CORE_LEN] = {}, resp[CORE_LEN] = {};
	struct verbs_udata udata;

	assert_int_equal(foreign_udata_init(cmd, CORE_LEN, CORE_LEN, resp,
					    CORE_LEN, CORE_LEN, &udata),
			 0);
	assert_null(udata.in);
	assert_int_equal(udata.in_len, 0);
	assert_null(udata.out);
	assert_int_equal(udata.out_len, 0);
	/* The size of a NULL buffer is ignored. */
	assert_int_equal(foreign_udata_init(NULL, 100, CORE_LEN, NULL, 1,
					    CORE_LEN, &udata),
			 0);
	assert_int_equal(udata.in_len, 0);
	assert_int_equal(udata.out_len, 0);
}

static void foreign_udata_init_short_buffer_returns_einval(void **state)
{
	const struct verbs_udata before = { .in_len = 5 };
	struct verbs_udata udata = before;
	char buf[CORE_LEN];

	for (size_t size = 0; size < CORE_LEN; size++) {
		assert_int_equal(foreign_udata_init(buf, size, CORE_LEN, NULL,
						    0, CORE_LEN, &udata),
				 -EINVAL);
		assert_int_equal(foreign_udata_init(NULL, 0, CORE_LEN, buf,
						    size, CORE_LEN, &udata),
				 -EINVAL);
	}
	assert_memory_equal(&udata, &before, sizeof(before));
}

static void foreign_link_collect_and_write_back_attributes(void **state)
{
	static const uint64_t bytes[2] = { 1, 2 };
	struct caller_buffer first, second;
	struct verbs_udata udata = {};
	struct foreign_link link;

	caller_buffer_init(&second, 1, 2, 2, NULL);
	caller_attr_in(&second, 0x1003, bytes, sizeof(bytes))->flags = 0;
	caller_buffer_init(&first, 1, 2, 3, &second);
	caller_attr_num(&first, 0x1001 + 0x10, 5);
	caller_attr_num(&first, 0x1002 + 0x10, 6);

	assert_int_equal(foreign_link_collect(TEST_LINK(&first),
					      FOREIGN_METHOD_WITH_UHW, &link,
					      &udata),
			 0);
	assert_int_equal(udata.nr_attrs, 3);
	assert_ptr_equal(udata.attrs, link.attrs);
	assert_int_equal(udata.attrs[0].attr_id, 0x1011);
	assert_int_equal(udata.attrs[0].data, 5);
	assert_int_equal(udata.attrs[1].data, 6);
	assert_int_equal(udata.attrs[2].attr_id, 0x1003);
	assert_int_equal(udata.attrs[2].len, sizeof(bytes));
	assert_int_equal(udata.attrs[2].flags, 0);
	assert_int_equal(udata.attrs[2].data, (uintptr_t)bytes);

	udata.attrs[1].data = 66;
	udata.attrs[2].flags = UVERBS_ATTR_F_VALID_OUTPUT;
	foreign_link_write_back(&link);
	assert_int_equal(first.attrs[0].data, 5);
	assert_int_equal(first.attrs[1].data, 66);
	assert_int_equal(second.attrs[0].flags, UVERBS_ATTR_F_VALID_OUTPUT);
}

static void foreign_link_collect_null_chain_adds_no_attribute(void **state)
{
	struct verbs_udata udata = {};
	struct foreign_link link;

	assert_int_equal(foreign_link_collect(NULL, FOREIGN_METHOD_WITH_UHW,
					      &link, &udata),
			 0);
	assert_int_equal(udata.nr_attrs, 0);
	assert_false(udata.ioctl_only);
	foreign_link_write_back(&link);
}

/* UHW attributes become driver data, because a write command can carry that. */
static void foreign_link_collect_uhw_attributes_become_driver_data(void **state)
{
	static const uint64_t bytes[2] = { 1, 2 };
	struct caller_buffer buf;
	struct verbs_udata udata = {};
	struct foreign_link link;
	uint32_t out;

	caller_buffer_init(&buf, 1, 2, 4, NULL);
	caller_attr_num(&buf, 0x1011, 5);
	caller_attr_in(&buf, UVERBS_ATTR_UHW_IN, bytes, sizeof(bytes));
	caller_attr_out(&buf, UVERBS_ATTR_UHW_OUT, &out, sizeof(out));
	caller_attr_num(&buf, 0x1012, 6);

	assert_int_equal(foreign_link_collect(TEST_LINK(&buf),
					      FOREIGN_METHOD_WITH_UHW, &link,
					      &udata),
			 0);
	assert_int_equal(udata.nr_attrs, 2);
	assert_ptr_equal(udata.in, bytes);
	assert_int_equal(udata.in_len, sizeof(bytes));
	assert_ptr_equal(udata.out, &out);
	assert_int_equal(udata.out_len, sizeof(out));

	udata.attrs[1].data = 66;
	foreign_link_write_back(&link);
	assert_int_equal(buf.attrs[1].data, (uintptr_t)bytes);
	assert_int_equal(buf.attrs[2].data, (uintptr_t)&out);
	assert_int_equal(buf.attrs[3].data, 66);
}

/* In a method without UHW, the first driver attributes have the same ids. */
static void foreign_link_collect_without_uhw_keeps_attributes(void **state)
{
	uint64_t offset;
	uint16_t index;
	struct caller_buffer buf;
	struct verbs_udata udata = {};
	struct foreign_link link;

	caller_buffer_init(&buf, 1, 2, 2, NULL);
	caller_attr_out(&buf, 0x1000, &offset, sizeof(offset));
	caller_attr_out(&buf, 0x1001, &index, sizeof(index));
	assert_int_equal(foreign_link_collect(TEST_LINK(&buf),
					      FOREIGN_METHOD_WITHOUT_UHW, &link,
					      &udata),
			 0);
	assert_int_equal(udata.in_len, 0);
	assert_int_equal(udata.out_len, 0);
	assert_int_equal(udata.nr_attrs, 2);
	assert_int_equal(udata.attrs[0].attr_id, 0x1000);
	assert_int_equal(udata.attrs[0].data, (uintptr_t)&offset);
	assert_int_equal(udata.attrs[1].attr_id, 0x1001);
	udata.attrs[1].flags = UVERBS_ATTR_F_VALID_OUTPUT;
	foreign_link_write_back(&link);
	assert_int_equal(buf.attrs[1].flags, UVERBS_ATTR_F_VALID_OUTPUT);
}

static void
foreign_link_collect_short_driver_input_is_inline_or_address(void **state)
{
	static const uint32_t input = 0x12345678;
	struct caller_buffer buf;
	struct verbs_udata udata = {};
	struct foreign_link link;

	caller_buffer_init(&buf, 1, 2, 1, NULL);
	caller_attr_in(&buf, UVERBS_ATTR_UHW_IN, &input, sizeof(input));
	assert_int_equal(foreign_link_collect(TEST_LINK(&buf),
					      FOREIGN_METHOD_WITH_UHW, &link,
					      &udata),
			 0);
	assert_memory_equal(udata.in, &input, sizeof(input));
	assert_ptr_not_equal(udata.in, &input);

	udata = (struct verbs_udata){};
	caller_buffer_init(&buf, 1, 2, 1, NULL);
	caller_attr_uhw_in(&buf, &input, sizeof(input));
	assert_int_equal(foreign_link_collect(TEST_LINK(&buf),
					      FOREIGN_METHOD_WITH_UHW, &link,
					      &udata),
			 0);
	assert_ptr_equal(udata.in, &input);
	assert_int_equal(udata.in_len, sizeof(input));
}

static void foreign_link_collect_second_driver_data_returns_einval(void **state)
{
	uint64_t bytes[2] = {};
	struct caller_buffer buf;
	struct verbs_udata has_in = { .in = bytes, .in_len = 16 };
	struct verbs_udata has_out = { .out = bytes, .out_len = 16 };
	struct foreign_link link;

	caller_buffer_init(&buf, 1, 2, 2, NULL);
	caller_attr_in(&buf, UVERBS_ATTR_UHW_IN, bytes, sizeof(bytes));
	assert_int_equal(foreign_link_collect(TEST_LINK(&buf),
					      FOREIGN_METHOD_WITH_UHW, &link,
					      &has_in),
			 -EINVAL);
	caller_buffer_init(&buf, 1, 2, 2, NULL);
	caller_attr_out(&buf, UVERBS_ATTR_UHW_OUT, bytes, sizeof(bytes));
	assert_int_equal(foreign_link_collect(TEST_LINK(&buf),
					      FOREIGN_METHOD_WITH_UHW, &link,
					      &has_out),
			 -EINVAL);
}

static void foreign_link_collect_ioctl_only_flag_is_set(void **state)
{
	struct caller_buffer first, second;
	struct verbs_udata udata = {};
	struct foreign_link link;

	caller_buffer_init(&second, 1, 2, 1, NULL);
	second.flags = CALLER_IOCTL_ONLY;
	caller_buffer_init(&first, 1, 2, 1, &second);
	assert_int_equal(foreign_link_collect(TEST_LINK(&first),
					      FOREIGN_METHOD_WITH_UHW, &link,
					      &udata),
			 0);
	assert_true(udata.ioctl_only);
}

static void check_collect_result(struct caller_buffer *buf, int err)
{
	struct verbs_udata udata = {};
	struct foreign_link link;

	assert_int_equal(foreign_link_collect(TEST_LINK(buf),
					      FOREIGN_METHOD_WITH_UHW, &link,
					      &udata),
			 err);
}

static void foreign_link_collect_invalid_chain_is_rejected(void **state)
{
	struct caller_buffer buf, many[FOREIGN_MAX_LINKS + 1];

	caller_buffer_init(&buf, 1, 2, 1, NULL);
	buf.flags = CALLER_BUFFER_ERROR;
	check_collect_result(&buf, -EINVAL);

	caller_buffer_init(&buf, 1, 2, 1, &buf);
	check_collect_result(&buf, -EINVAL);

	caller_buffer_init(&buf, 1, 2, 1, NULL);
	buf.next_attr = buf.attrs + 2; /* behind the end of the array */
	check_collect_result(&buf, -EINVAL);
	buf.next_attr = (void *)&buf.reserved1; /* in front of the array */
	check_collect_result(&buf, -EINVAL);
	buf.last_attr = buf.attrs + 4;
	buf.next_attr = (void *)((char *)buf.attrs + 5);
	check_collect_result(&buf, -EINVAL);

	/* One buffer more than the maximum, then the maximum. */
	for (int i = 0; i <= FOREIGN_MAX_LINKS; i++)
		caller_buffer_init(&many[i], 1, 2, 0, i ? &many[i - 1] : NULL);
	check_collect_result(&many[FOREIGN_MAX_LINKS], -EINVAL);
	check_collect_result(&many[FOREIGN_MAX_LINKS - 1], 0);

	/* More attributes than a command can have. */
	for (int i = 0; i < FOREIGN_MAX_LINKS; i++) {
		caller_buffer_init(&many[i], 1, 2, CALLER_ATTRS,
				   i ? &many[i - 1] : NULL);
		for (int k = 0; k < CALLER_ATTRS; k++)
			caller_attr_num(&many[i], 0x1010, 0);
	}
	check_collect_result(&many[FOREIGN_MAX_LINKS - 1], -E2BIG);
	assert_true(FOREIGN_MAX_LINKS * CALLER_ATTRS > CMD_MAX_ATTRS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_udata_init_driver_data_follows_core),
		cmocka_unit_test(
			foreign_udata_init_core_only_has_no_driver_data),
		cmocka_unit_test(
			foreign_udata_init_short_buffer_returns_einval),
		cmocka_unit_test(
			foreign_link_collect_and_write_back_attributes),
		cmocka_unit_test(
			foreign_link_collect_null_chain_adds_no_attribute),
		cmocka_unit_test(
			foreign_link_collect_uhw_attributes_become_driver_data),
		cmocka_unit_test(
			foreign_link_collect_without_uhw_keeps_attributes),
		cmocka_unit_test(
			foreign_link_collect_short_driver_input_is_inline_or_address),
		cmocka_unit_test(
			foreign_link_collect_second_driver_data_returns_einval),
		cmocka_unit_test(foreign_link_collect_ioctl_only_flag_is_set),
		cmocka_unit_test(
			foreign_link_collect_invalid_chain_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
