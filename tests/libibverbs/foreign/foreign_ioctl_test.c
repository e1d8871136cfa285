/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Command buffers that a provider fills itself:
 * libibverbs/foreign/foreign_ioctl.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

#define OBJECT 0x1001
#define METHOD 0x1002

#define EXPECT_IOCTL(...)                                    \
	fake_kernel_expect_ioctl(&(const struct fake_ioctl){ \
		.object = OBJECT, .method = METHOD, FAKE_ATTRS(__VA_ARGS__) })

static void
foreign_ioctl_execute_sends_attributes_and_stores_response(void **state)
{
	struct foreign_cmd_test *t = *state;
	static const uint64_t bytes[2] = { 1, 2 };
	static const uint32_t number = 0x12345678;
	struct caller_buffer buf;
	uint32_t response = 0;

	caller_buffer_init(&buf, OBJECT, METHOD, 4, NULL);
	caller_attr_num(&buf, 0x1000 + 0x10, 0);
	caller_attr_in(&buf, 0x1011, bytes, sizeof(bytes));
	caller_attr_in(&buf, 0x1012, &number, sizeof(number))->flags = 0;
	caller_attr_out(&buf, 0x1013, &response, sizeof(response));
	EXPECT_IOCTL(FAKE_NUM_OUT(0x1010, 55),
		     FAKE_BYTES_IN(0x1011, sizeof(bytes), bytes),
		     { .id = 0x1012,
		       .kind = FAKE_IN_BYTES,
		       .len = 4,
		       .bytes = &number,
		       .optional = true },
		     FAKE_U32_OUT(0x1013, 66));
	assert_succeeds(foreign_execute_ioctl(t->ctx, TEST_LINK(&buf)));
	assert_int_equal(buf.attrs[0].data, 55);
	assert_int_equal(response, 66);
}

static void foreign_ioctl_execute_appends_links_and_writes_back(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct caller_buffer first, second, third;

	caller_buffer_init(&third, OBJECT, METHOD, 2, NULL);
	caller_attr_num(&third, 0x1014, 4);
	caller_attr_num(&third, 0x1015, 0);
	caller_buffer_init(&second, OBJECT, METHOD, 2, &third);
	caller_buffer_init(&first, OBJECT, METHOD, 4, &second);
	caller_attr_num(&first, 0x1010, 0);
	caller_attr_num(&first, 0x1011, 1);
	EXPECT_IOCTL(FAKE_NUM_OUT(0x1010, 9), FAKE_NUM_IN(0x1011, 1),
		     FAKE_NUM_IN(0x1014, 4), FAKE_NUM_OUT(0x1015, 8));
	assert_succeeds(foreign_execute_ioctl(t->ctx, TEST_LINK(&first)));
	assert_int_equal(first.attrs[0].data, 9);
	assert_int_equal(third.attrs[0].data, 4);
	assert_int_equal(third.attrs[1].data, 8);
}

static void foreign_ioctl_execute_short_driver_input_is_inline(void **state)
{
	struct foreign_cmd_test *t = *state;
	static const uint64_t input = 0x1122334455667788;
	static const uint64_t long_input[2] = { 7, 8 };

	/* Twice, because a provider may send a buffer again. */
	for (uint16_t len = 1; len <= sizeof(input); len++) {
		struct caller_buffer buf;

		caller_buffer_init(&buf, OBJECT, METHOD, 2, NULL);
		caller_attr_num(&buf, 0x1010, 5);
		caller_attr_uhw_in(&buf, &input, len);
		for (int i = 0; i < 2; i++) {
			EXPECT_IOCTL(
				FAKE_NUM_IN(0x1010, 5),
				FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, len, &input));
			assert_succeeds(
				foreign_execute_ioctl(t->ctx, TEST_LINK(&buf)));
		}
	}
	for (int i = 0; i < 2; i++) {
		struct caller_buffer buf;

		caller_buffer_init(&buf, OBJECT, METHOD, 1, NULL);
		caller_attr_uhw_in(&buf, long_input, sizeof(long_input));
		EXPECT_IOCTL(FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN,
					   sizeof(long_input), long_input));
		assert_succeeds(foreign_execute_ioctl(t->ctx, TEST_LINK(&buf)));
	}
}

static void foreign_ioctl_execute_failure_leaves_link_unchanged(void **state)
{
	static const int errors[] = { EPROTONOSUPPORT, ENOTTY, EINVAL, EIO };
	struct foreign_cmd_test *t = *state;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct caller_buffer buf, link;
		const struct fake_ioctl failed = {
			.object = OBJECT,
			.method = METHOD,
			FAKE_ATTRS(FAKE_NUM_OUT(0x1010, 3)),
			.err = errors[i],
		};

		caller_buffer_init(&link, OBJECT, METHOD, 1, NULL);
		caller_attr_num(&link, 0x1010, 0);
		caller_buffer_init(&buf, OBJECT, METHOD, 1, &link);
		fake_kernel_expect_ioctl(&failed);
		assert_fails(foreign_execute_ioctl(t->ctx, TEST_LINK(&buf)),
			     errors[i]);
		assert_int_equal(link.attrs[0].data, 0);
	}
}

static void check_execute_einval(struct foreign_cmd_test *t,
				 struct caller_buffer *buf)
{
	assert_fails(foreign_execute_ioctl(t->ctx, TEST_LINK(buf)), EINVAL);
}

static void foreign_ioctl_execute_invalid_buffer_returns_einval(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct caller_buffer buf, link;

	caller_buffer_init(&buf, OBJECT, METHOD, 1, NULL);
	buf.flags = CALLER_BUFFER_ERROR;
	check_execute_einval(t, &buf);

	/* More attributes than the array has. */
	caller_buffer_init(&buf, OBJECT, METHOD, 1, NULL);
	buf.next_attr = buf.attrs + 2;
	check_execute_einval(t, &buf);

	/*
	 * Links with a different method or object, with an error, with too many
	 * attributes, or in a cycle.
	 */
	caller_buffer_init(&link, OBJECT, METHOD + 1, 1, NULL);
	caller_buffer_init(&buf, OBJECT, METHOD, 2, &link);
	check_execute_einval(t, &buf);
	link.method_id = METHOD;
	link.object_id = OBJECT + 1;
	check_execute_einval(t, &buf);
	link.object_id = OBJECT;
	link.flags = CALLER_BUFFER_ERROR;
	check_execute_einval(t, &buf);
	link.flags = 0;
	caller_attr_num(&link, 0x1010, 0);
	buf.last_attr = buf.attrs;
	check_execute_einval(t, &buf);
	caller_buffer_init(&link, OBJECT, METHOD, 1, &link);
	buf.last_attr = buf.attrs + CALLER_ATTRS;
	check_execute_einval(t, &buf);
}

static void foreign_ioctl_final_num_attrs_counts_chain(void **state)
{
	struct caller_buffer first, second;

	caller_buffer_init(&second, OBJECT, METHOD, 4, NULL);
	caller_attr_num(&second, 0x1010, 0);
	caller_attr_num(&second, 0x1011, 0);
	caller_buffer_init(&first, OBJECT, METHOD, 4, &second);
	caller_attr_num(&first, 0x1012, 0);
	assert_int_equal(foreign_final_num_attrs(5, NULL), 5);
	assert_int_equal(foreign_final_num_attrs(5, TEST_LINK(&second)), 7);
	assert_int_equal(foreign_final_num_attrs(5, TEST_LINK(&first)), 8);
	/* Terminates for a cyclic chain. */
	second.next = &first;
	assert_true(foreign_final_num_attrs(5, TEST_LINK(&first)) >= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(
			foreign_ioctl_execute_sends_attributes_and_stores_response),
		FOREIGN_CMD_TEST(
			foreign_ioctl_execute_appends_links_and_writes_back),
		FOREIGN_CMD_TEST(
			foreign_ioctl_execute_short_driver_input_is_inline),
		FOREIGN_CMD_TEST(
			foreign_ioctl_execute_failure_leaves_link_unchanged),
		FOREIGN_CMD_TEST(
			foreign_ioctl_execute_invalid_buffer_returns_einval),
		cmocka_unit_test(foreign_ioctl_final_num_attrs_counts_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
