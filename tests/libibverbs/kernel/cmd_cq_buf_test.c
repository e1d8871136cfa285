/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CQs in memory of the driver. Other CQ commands: cmd_cq_test.c. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/uapi_newer.h"

#define ATTR(x) VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_##x

static char memory[8192];
static struct ibv_comp_channel channel = { .fd = TEST_CHANNEL_FD };

static const struct ibv_cq_init_attr_ex cq_attr = {
	.cqe = 100,
	.channel = &channel,
	.comp_vector = 3,
	.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
};

static const struct verbs_cq_buf va_buf = {
	.addr = memory,
	.fd = -1,
	.fd_offset = 77, /* ignored for this memory type */
	.length = sizeof(memory),
};

static const struct verbs_cq_buf dmabuf_buf = {
	.fd = 19,
	.fd_offset = 0x3000,
	.length = sizeof(memory),
};

static void expect_create(struct kernel_test *t, const struct ibv_cq *cq,
			  const struct verbs_cq_buf *buf, bool driver_attrs,
			  int err)
{
	const struct fake_attr va = FAKE_U64_IN(ATTR(VA), (uintptr_t)memory);
	const struct fake_attr fd = FAKE_NUM_IN(ATTR(FD), 19);
	const struct fake_attr offset = FAKE_U64_IN(ATTR(OFFSET), 0x3000);
	const struct fake_attr uhw[] = {
		FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, 16, t->driver_in),
		FAKE_BYTES_OUT(UVERBS_ATTR_UHW_OUT, 16,
			       kernel_test_driver_resp),
	};
	const struct fake_attr drivers[] = { TEST_DRIVER_ATTRS };
	struct fake_attr attrs[16] = {
		FAKE_NUM_OUT(UVERBS_ATTR_CREATE_CQ_HANDLE, 81),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_CQE, 100),
		FAKE_U64_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, (uintptr_t)cq),
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL,
			    TEST_CHANNEL_FD),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 3),
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_CQ_EVENT_FD,
				     TEST_ASYNC_FD),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_FLAGS,
			    IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION),
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, 127),
		FAKE_U64_IN(ATTR(LENGTH), sizeof(memory)),
	};
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_CQ,
		.method = UVERBS_METHOD_CQ_CREATE,
		.attrs = attrs,
		.nr_attrs = 9,
		.err = err,
	};

	if (buf->fd == -1) {
		attrs[cmd.nr_attrs++] = va;
	} else {
		attrs[cmd.nr_attrs++] = fd;
		attrs[cmd.nr_attrs++] = offset;
	}
	for (int i = 0; i < 2; i++)
		attrs[cmd.nr_attrs++] = driver_attrs ? drivers[i] : uhw[i];
	fake_kernel_expect_ioctl(&cmd);
}

static void create_cq_buf_sends_attrs_of_memory_type(void **state)
{
	const struct verbs_cq_buf *const bufs[] = { &va_buf, &dmabuf_buf };
	struct kernel_test *t = *state;

	for (int i = 0; i < 2; i++) {
		struct ibv_cq cq = {};

		memset(t->driver_out, 0, sizeof(t->driver_out));
		expect_create(t, &cq, bufs[i], false, 0);
		assert_int_equal(verbs_cmd_create_cq_buf(t->ctx, &cq, &cq_attr,
							 bufs[i], &t->udata),
				 0);
		assert_int_equal(cq.handle, 81);
		assert_int_equal(cq.cqe, 127);
		assert_memory_equal(t->driver_out, kernel_test_driver_resp,
				    sizeof(kernel_test_driver_resp));
	}
}

static void create_cq_buf_passes_driver_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = {};

	expect_create(t, &cq, &va_buf, true, 0);
	assert_int_equal(verbs_cmd_create_cq_buf(t->ctx, &cq, &cq_attr, &va_buf,
						 &t->attrs_only),
			 0);
	assert_true(kernel_test_driver_attrs_updated(t));
}

/* A kernel without the buffer attributes still has CQ_CREATE. */
static void create_cq_buf_refused_keeps_create_cq_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = { .handle = 99 };

	expect_create(t, &cq, &va_buf, false, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(verbs_cmd_create_cq_buf(t->ctx, &cq, &cq_attr,
							 &va_buf, &t->udata),
				 -EOPNOTSUPP);
	assert_true(kernel_test_refused(t, KERNEL_CAP_CREATE_CQ_BUF));
	assert_false(kernel_test_refused(t, KERNEL_CAP_CREATE_CQ));
	assert_int_equal(cq.handle, 99);
}

static void create_cq_buf_error_leaves_object_unchanged(void **state)
{
	const struct ibv_cq before = { .handle = 99, .cqe = 98 };
	struct kernel_test *t = *state;
	struct ibv_cq cq = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_create(t, &cq, &dmabuf_buf, false,
			      kernel_test_errors[i]);
		assert_int_equal(verbs_cmd_create_cq_buf(t->ctx, &cq, &cq_attr,
							 &dmabuf_buf,
							 &t->udata),
				 -kernel_test_errors[i]);
	}
	assert_memory_equal(&cq, &before, sizeof(before));
}

static void create_cq_buf_invalid_buf_is_refused(void **state)
{
	static const struct {
		struct verbs_cq_buf buf;
		int ret;
	} cases[] = {
		{ { .fd = -1 }, -EINVAL },
		{ { .addr = memory, .fd = 19 }, -EINVAL },
		{ { .fd = -2 }, -EBADF },
	};
	struct kernel_test *t = *state;
	struct ibv_cq_init_attr_ex attr = cq_attr;
	struct ibv_cq cq = {};

	for (int i = 0; i < 3; i++)
		assert_int_equal(verbs_cmd_create_cq_buf(t->ctx, &cq, &attr,
							 &cases[i].buf, NULL),
				 cases[i].ret);
	attr.comp_mask = 4;
	assert_int_equal(
		verbs_cmd_create_cq_buf(t->ctx, &cq, &attr, &va_buf, NULL),
		-EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_cq_buf_sends_attrs_of_memory_type),
		KERNEL_TEST(create_cq_buf_passes_driver_attrs),
		KERNEL_TEST(create_cq_buf_refused_keeps_create_cq_ioctl),
		KERNEL_TEST(create_cq_buf_error_leaves_object_unchanged),
		KERNEL_TEST(create_cq_buf_invalid_buf_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
