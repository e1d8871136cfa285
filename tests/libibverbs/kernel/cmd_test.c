/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The attribute builder; the tests read its buffer. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "kernel/cmd.h"

static void cmd_init_sets_object_and_method_of_row(void **state)
{
	struct cmd cmd;

	memset(&cmd, 0xff, sizeof(cmd));
	cmd_init(&cmd, KERNEL_CAP_DESTROY_SRQ);
	assert_int_equal(cmd.error, 0);
	assert_int_equal(cmd.msg.object_id, UVERBS_OBJECT_SRQ);
	assert_int_equal(cmd.msg.method_id, UVERBS_METHOD_SRQ_DESTROY);
	assert_int_equal(cmd.msg.num_attrs, 0);
	assert_int_equal(cmd.msg.reserved1, 0);
	assert_int_equal(cmd.msg.reserved2, 0);
}

static void cmd_in_ptr_up_to_8_bytes_are_inline(void **state)
{
	static const uint8_t bytes[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

	for (size_t len = 0; len <= sizeof(bytes); len++) {
		uint8_t inside[8] = {};
		struct cmd cmd;

		cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
		cmd_in_ptr(&cmd, 3, bytes, len);
		assert_int_equal(cmd.msg.attrs[0].attr_id, 3);
		assert_int_equal(cmd.msg.attrs[0].len, len);
		if (len > 8) {
			assert_int_equal(cmd.msg.attrs[0].data,
					 cmd_addr(bytes));
			continue;
		}
		memcpy(inside, bytes, len);
		assert_memory_equal(&cmd.msg.attrs[0].data, inside, 8);
	}
}

static void cmd_in_numbers_have_declared_width(void **state)
{
	const uint32_t word = 0xabcd1234;
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_u8(&cmd, 0, 0x5a);
	cmd_in_u32(&cmd, 1, word);
	cmd_in_u64(&cmd, 2, UINT64_C(0x1122334455667788));
	assert_int_equal(cmd.msg.attrs[0].len, 1);
	assert_int_equal(*(uint8_t *)&cmd.msg.attrs[0].data, 0x5a);
	assert_int_equal(cmd.msg.attrs[1].len, 4);
	assert_memory_equal(&cmd.msg.attrs[1].data, &word, 4);
	assert_int_equal(cmd.msg.attrs[2].len, 8);
	assert_int_equal(cmd.msg.attrs[2].data, UINT64_C(0x1122334455667788));
}

static void cmd_in_obj_and_fd_have_length_0(void **state)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_obj(&cmd, 0, UINT32_MAX);
	cmd_in_fd(&cmd, 1, 12);
	assert_int_equal(cmd.msg.attrs[0].len, 0);
	assert_int_equal(cmd.msg.attrs[0].data, UINT32_MAX);
	assert_int_equal(cmd.msg.attrs[1].len, 0);
	assert_int_equal(cmd.msg.attrs[1].data_s64, 12);
}

static void cmd_in_fd_minus_1_adds_no_attr(void **state)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_fd(&cmd, 1, -1);
	assert_int_equal(cmd.msg.num_attrs, 0);
}

static void cmd_in_enum_sets_element_and_data(void **state)
{
	const uint32_t value = 9;
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_enum(&cmd, 4, 2, &value, sizeof(value));
	assert_int_equal(cmd.msg.attrs[0].attr_data.enum_data.elem_id, 2);
	assert_int_equal(cmd.msg.attrs[0].len, 4);
	assert_memory_equal(&cmd.msg.attrs[0].data, &value, 4);
}

static void cmd_in_attrs_are_mandatory(void **state)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_u32(&cmd, 0, 1);
	cmd_in_obj(&cmd, 1, 1);
	assert_int_equal(cmd.msg.attrs[0].flags, UVERBS_ATTR_F_MANDATORY);
	assert_int_equal(cmd.msg.attrs[1].flags, UVERBS_ATTR_F_MANDATORY);
}

static void cmd_in_async_fd_is_optional(void **state)
{
	struct kernel_test *t = *state;
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
	cmd_in_async_fd(&cmd, 7, t->ctx);
	assert_int_equal(cmd.msg.attrs[0].data_s64, TEST_ASYNC_FD);
	assert_int_equal(cmd.msg.attrs[0].flags, 0);
}

static void cmd_in_async_fd_of_imported_context_is_mandatory(void **state)
{
	struct kernel_test *t = *state;
	struct cmd cmd;

	t->state.imported = true;
	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
	cmd_in_async_fd(&cmd, 7, t->ctx);
	assert_int_equal(cmd.msg.attrs[0].flags, UVERBS_ATTR_F_MANDATORY);
}

static void cmd_udata_adds_nonempty_driver_data(void **state)
{
	struct kernel_test *t = *state;
	const struct verbs_udata in_only = { .in = t->driver_in, .in_len = 4 };
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
	cmd_udata(&cmd, NULL);
	assert_int_equal(cmd.msg.num_attrs, 0);
	cmd_udata(&cmd, &in_only);
	assert_int_equal(cmd.msg.num_attrs, 1);
	assert_memory_equal(&cmd.msg.attrs[0].data, t->driver_in, 4);

	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
	cmd_udata(&cmd, &t->udata);
	assert_int_equal(cmd.msg.num_attrs, 2);
	assert_int_equal(cmd.msg.attrs[0].attr_id, UVERBS_ATTR_UHW_IN);
	assert_int_equal(cmd.msg.attrs[0].data, cmd_addr(t->driver_in));
	assert_int_equal(cmd.msg.attrs[1].attr_id, UVERBS_ATTR_UHW_OUT);
	assert_int_equal(cmd.msg.attrs[1].data, cmd_addr(t->driver_out));
}

static void cmd_udata_driver_attrs_follow_method_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct cmd cmd;

	t->udata.attrs = t->driver_attrs;
	t->udata.nr_attrs = 2;
	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
	cmd_in_u32(&cmd, 1, 1);
	cmd_udata(&cmd, &t->udata);
	assert_int_equal(cmd.error, 0);
	assert_int_equal(cmd.msg.num_attrs, 5);
	assert_memory_equal(&cmd.msg.attrs[3], t->driver_attrs,
			    sizeof(t->driver_attrs));

	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
	cmd_uhw(&cmd, &t->udata);
	assert_int_equal(cmd.msg.num_attrs, 2);
}

static void cmd_udata_excess_driver_attrs_return_e2big(void **state)
{
	static struct ib_uverbs_attr attrs[CMD_MAX_ATTRS];
	struct verbs_udata udata = { .attrs = attrs };
	struct cmd cmd;

	for (size_t nr = CMD_MAX_ATTRS - 1; nr <= CMD_MAX_ATTRS; nr++) {
		udata.nr_attrs = nr;
		cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
		cmd_in_u32(&cmd, 1, 1);
		cmd_udata(&cmd, &udata);
		assert_int_equal(cmd.error, nr < CMD_MAX_ATTRS ? 0 : -E2BIG);
	}
	udata.nr_attrs = SIZE_MAX;
	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
	cmd_udata(&cmd, &udata);
	assert_int_equal(cmd.error, -E2BIG);
	assert_int_equal(cmd.msg.num_attrs, 0);
}

static void cmd_driver_attrs_with_driver_data_return_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	const struct verbs_udata in = { .in = t->driver_in, .in_len = 4 };
	const struct verbs_udata out = { .out = t->driver_out, .out_len = 4 };
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_QUERY_MR);
	cmd_driver_attrs(&cmd, NULL);
	cmd_driver_attrs(&cmd, &t->attrs_only);
	assert_int_equal(cmd.error, 0);
	assert_int_equal(cmd.msg.num_attrs, 2);
	cmd_driver_attrs(&cmd, &in);
	assert_int_equal(cmd.error, -EOPNOTSUPP);

	cmd_init(&cmd, KERNEL_CAP_QUERY_MR);
	cmd_driver_attrs(&cmd, &out);
	assert_int_equal(cmd.error, -EOPNOTSUPP);
}

static void cmd_needs_ioctl_for_mandatory_attrs_or_ioctl_only(void **state)
{
	struct kernel_test *t = *state;

	assert_false(cmd_needs_ioctl(NULL));
	assert_false(cmd_needs_ioctl(&t->udata));
	assert_true(cmd_needs_ioctl(&t->attrs_only));
	t->driver_attrs[0].flags = 0;
	assert_false(cmd_needs_ioctl(&t->attrs_only));
	t->driver_attrs[1].flags = UVERBS_ATTR_F_MANDATORY;
	assert_true(cmd_needs_ioctl(&t->attrs_only));
	t->udata.ioctl_only = true;
	assert_true(cmd_needs_ioctl(&t->udata));
}

static void cmd_excess_attrs_return_e2big(void **state)
{
	struct {
		struct cmd cmd;
		uint8_t behind[32];
	} buf;
	const uint8_t untouched[32] = {};

	memset(&buf, 0, sizeof(buf));
	cmd_init(&buf.cmd, KERNEL_CAP_DEALLOC_PD);
	for (uint16_t i = 0; i < CMD_MAX_ATTRS; i++)
		cmd_in_u64(&buf.cmd, i, UINT64_MAX);
	assert_int_equal(buf.cmd.error, 0);
	cmd_in_u64(&buf.cmd, CMD_MAX_ATTRS, UINT64_MAX);
	cmd_in_enum(&buf.cmd, CMD_MAX_ATTRS, 1, NULL, 0);
	cmd_in_obj(&buf.cmd, CMD_MAX_ATTRS, 1);
	cmd_in_fd(&buf.cmd, CMD_MAX_ATTRS, 1);
	cmd_out_ptr(&buf.cmd, CMD_MAX_ATTRS, NULL, 1);
	assert_int_equal(buf.cmd.error, -E2BIG);
	assert_int_equal(buf.cmd.msg.num_attrs, CMD_MAX_ATTRS);
	assert_memory_equal(buf.behind, untouched, sizeof(untouched));
}

static void cmd_oversized_attr_returns_einval(void **state)
{
	static const char bytes[UINT16_MAX + 1];
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_ptr(&cmd, 0, bytes, UINT16_MAX);
	assert_int_equal(cmd.error, 0);
	cmd_in_ptr(&cmd, 1, bytes, UINT16_MAX + 1);
	assert_int_equal(cmd.error, -EINVAL);
}

static void cmd_first_error_is_reported(void **state)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_out_ptr(&cmd, 1, NULL, SIZE_MAX);
	for (uint16_t i = 0; i <= CMD_MAX_ATTRS; i++)
		cmd_in_u8(&cmd, i, 0);
	assert_int_equal(cmd.error, -EINVAL);
}

static void cmd_second_result_attr_returns_einval(void **state)
{
	uint32_t handle;
	struct cmd cmd;
	int fd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_out_obj(&cmd, 0, &handle);
	cmd_out_fd(&cmd, 1, &fd);
	assert_int_equal(cmd.error, -EINVAL);
}

static void cmd_read_results_copies_handle_and_descriptor(void **state)
{
	uint32_t handle = 0;
	struct cmd cmd;
	int fd = -1;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_out_obj(&cmd, 0, &handle);
	cmd.msg.attrs[0].data = UINT32_MAX;
	assert_int_equal(cmd_read_results(&cmd), 0);
	assert_int_equal(handle, UINT32_MAX);

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_out_fd(&cmd, 0, &fd);
	cmd.msg.attrs[0].data_s64 = INT_MAX;
	assert_int_equal(cmd_read_results(&cmd), 0);
	assert_int_equal(fd, INT_MAX);
	/* Descriptor 0 is valid in a process without standard input. */
	cmd.msg.attrs[0].data_s64 = 0;
	assert_int_equal(cmd_read_results(&cmd), 0);
	assert_int_equal(fd, 0);
}

static void cmd_read_results_invalid_handle_or_fd_returns_eproto(void **state)
{
	uint32_t handle = 5;
	struct cmd cmd;
	int fd = 6;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_out_obj(&cmd, 0, &handle);
	cmd.msg.attrs[0].data = UINT64_C(1) << 32;
	assert_int_equal(cmd_read_results(&cmd), -EPROTO);
	assert_int_equal(handle, 5);

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_out_fd(&cmd, 0, &fd);
	cmd.msg.attrs[0].data_s64 = -1;
	assert_int_equal(cmd_read_results(&cmd), -EPROTO);
	cmd.msg.attrs[0].data_s64 = (int64_t)INT_MAX + 1;
	assert_int_equal(cmd_read_results(&cmd), -EPROTO);
	assert_int_equal(fd, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(cmd_init_sets_object_and_method_of_row),
		KERNEL_TEST(cmd_in_ptr_up_to_8_bytes_are_inline),
		KERNEL_TEST(cmd_in_numbers_have_declared_width),
		KERNEL_TEST(cmd_in_obj_and_fd_have_length_0),
		KERNEL_TEST(cmd_in_fd_minus_1_adds_no_attr),
		KERNEL_TEST(cmd_in_enum_sets_element_and_data),
		KERNEL_TEST(cmd_in_attrs_are_mandatory),
		KERNEL_TEST(cmd_in_async_fd_is_optional),
		KERNEL_TEST(cmd_in_async_fd_of_imported_context_is_mandatory),
		KERNEL_TEST(cmd_udata_adds_nonempty_driver_data),
		KERNEL_TEST(cmd_udata_driver_attrs_follow_method_attrs),
		KERNEL_TEST(cmd_udata_excess_driver_attrs_return_e2big),
		KERNEL_TEST(
			cmd_driver_attrs_with_driver_data_return_eopnotsupp),
		KERNEL_TEST(cmd_needs_ioctl_for_mandatory_attrs_or_ioctl_only),
		KERNEL_TEST(cmd_excess_attrs_return_e2big),
		KERNEL_TEST(cmd_oversized_attr_returns_einval),
		KERNEL_TEST(cmd_first_error_is_reported),
		KERNEL_TEST(cmd_second_result_attr_returns_einval),
		KERNEL_TEST(cmd_read_results_copies_handle_and_descriptor),
		KERNEL_TEST(
			cmd_read_results_invalid_handle_or_fd_returns_eproto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
