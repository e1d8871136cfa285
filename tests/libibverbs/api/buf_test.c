/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_buf(3), ibv_export_buf_dmabuf_fd(3): libibverbs/api/buf.c. */
#include <fcntl.h>
#include <unistd.h>

#include "core/core_context.h"
#include "core/op_table.h"
#include "libibverbs/api/api_fixture.h"

static void address_and_buffer_are_returned(void **state)
{
	struct ibv_buf *buf = UNTOUCHED;
	void *addr;

	errno = SOME_ERRNO;
	addr = ibv_alloc_buf(api.pd, 100, &buf);
	assert_non_null(addr);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("alloc_buf");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	assert_int_equal(fake_provider.args.size, 100);
	assert_ptr_equal(buf->addr, addr);
	assert_ptr_equal(buf->pd, api.pd);
	ibv_free_buf(buf);
	ASSERT_OP("free_buf");
	assert_ptr_equal(fake_provider.args.attr, buf);
	assert_int_equal(fake_provider.nr_objects, 1);
}

static void failure_leaves_the_buffer_alone(void **state)
{
	struct ibv_buf *buf = UNTOUCHED;

	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_alloc_buf(api.pd, 100, &buf), ENOMEM);
	assert_ptr_equal(buf, UNTOUCHED);
}

static void provider_without_buffers_gets_memory_of_the_process(void **state)
{
	struct ibv_buf *buf;
	void *addr;

	verbs_op_table_init(&verbs_priv(api.ctx)->ops, false);
	addr = ibv_alloc_buf(api.pd, 100, &buf);
	assert_non_null(addr);
	ASSERT_MINUS1(ibv_export_buf_dmabuf_fd(buf), ENODATA);
	ibv_free_buf(buf);
	verbs_context_set_ops(verbs_get_ctx(api.ctx), &fake_provider_ops);
}

static void plain_memory_has_no_dmabuf(void **state)
{
	struct ibv_buf *buf;

	assert_non_null(ibv_alloc_buf(api.pd, 100, &buf));
	ASSERT_MINUS1(ibv_export_buf_dmabuf_fd(buf), ENODATA);
	ibv_free_buf(buf);
}

static void exported_descriptor_is_a_new_one(void **state)
{
	int dmabuf = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct ibv_buf *buf;
	int fd;

	fake_provider.buf_dmabuf_fd = dmabuf;
	assert_non_null(ibv_alloc_buf(api.pd, 100, &buf));
	errno = SOME_ERRNO;
	fd = ibv_export_buf_dmabuf_fd(buf);
	assert_true(fd >= 0);
	assert_int_equal(errno, SOME_ERRNO);
	assert_int_not_equal(fd, dmabuf);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(close(fd), 0);
	ibv_free_buf(buf);
	assert_int_equal(close(dmabuf), 0);
}

static void dead_descriptor_is_told(void **state)
{
	struct ibv_buf *buf;

	fake_provider.buf_dmabuf_fd = 1000000; /* above any limit */
	assert_non_null(ibv_alloc_buf(api.pd, 100, &buf));
	ASSERT_MINUS1(ibv_export_buf_dmabuf_fd(buf), EBADF);
	ibv_free_buf(buf);
}

static void freeing_nothing_is_allowed(void **state)
{
	ibv_free_buf(NULL);
	ASSERT_OP("alloc_pd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(address_and_buffer_are_returned),
		API_TEST(failure_leaves_the_buffer_alone),
		API_TEST(provider_without_buffers_gets_memory_of_the_process),
		API_TEST(plain_memory_has_no_dmabuf),
		API_TEST(exported_descriptor_is_a_new_one),
		API_TEST(dead_descriptor_is_told),
		API_TEST(freeing_nothing_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
