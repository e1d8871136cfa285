/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_buf(3), ibv_export_buf_dmabuf_fd(3): libibverbs/api/buf.c. */
#include <fcntl.h>
#include <unistd.h>

#include "core/core_context.h"
#include "core/op_table.h"
#include "libibverbs/api/api_fixture.h"

static void buf_alloc_returns_address_and_object(void **state)
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

static void buf_alloc_failure_keeps_output(void **state)
{
	struct ibv_buf *buf = UNTOUCHED;

	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_alloc_buf(api.pd, 100, &buf), ENOMEM);
	assert_ptr_equal(buf, UNTOUCHED);
}

static void buf_alloc_default_is_process_memory(void **state)
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

static void buf_export_of_plain_memory_is_enodata(void **state)
{
	struct ibv_buf *buf;

	assert_non_null(ibv_alloc_buf(api.pd, 100, &buf));
	ASSERT_MINUS1(ibv_export_buf_dmabuf_fd(buf), ENODATA);
	ibv_free_buf(buf);
}

static void buf_export_duplicates_descriptor(void **state)
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

static void buf_export_closed_descriptor_is_ebadf(void **state)
{
	struct ibv_buf *buf;

	/* a descriptor above the limit of the process */
	fake_provider.buf_dmabuf_fd = 1000000;
	assert_non_null(ibv_alloc_buf(api.pd, 100, &buf));
	ASSERT_MINUS1(ibv_export_buf_dmabuf_fd(buf), EBADF);
	ibv_free_buf(buf);
}

static void buf_free_of_null_is_harmless(void **state)
{
	ibv_free_buf(NULL);
	ASSERT_OP("alloc_pd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(buf_alloc_returns_address_and_object),
		API_TEST(buf_alloc_failure_keeps_output),
		API_TEST(buf_alloc_default_is_process_memory),
		API_TEST(buf_export_of_plain_memory_is_enodata),
		API_TEST(buf_export_duplicates_descriptor),
		API_TEST(buf_export_closed_descriptor_is_ebadf),
		API_TEST(buf_free_of_null_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
