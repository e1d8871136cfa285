/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of ops of device memory, DMA handles and buffers:
 * libibverbs/foreign/foreign_adapt_dm.c.
 */
#include "libibverbs/foreign/adapt_fixture.h"

static struct ibv_dm device_memory;
static struct ibv_buf buffer;
static struct ibv_buf *buffer_answer; /* buffer that alloc_buf() stores */

static struct ibv_dm *alloc_dm(struct ibv_context *ctx,
			       struct ibv_alloc_dm_attr *attr)
{
	ADAPT_RECORD("alloc_dm", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int free_dm(struct ibv_dm *dm)
{
	ADAPT_RECORD("free_dm", ADAPT_PTR(dm));
	return adapt_result();
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
				uint64_t offset, size_t length,
				unsigned int access)
{
	ADAPT_RECORD("reg_dm_mr", ADAPT_PTR(pd), ADAPT_PTR(dm), offset, length,
		     access);
	return adapt_new_object();
}

static int dm_export_dmabuf_fd(struct ibv_dm *dm)
{
	ADAPT_RECORD("dm_export_dmabuf_fd", ADAPT_PTR(dm));
	return adapt_result();
}

static struct ibv_dm *import_dm(struct ibv_context *ctx, uint32_t handle)
{
	ADAPT_RECORD("import_dm", ADAPT_PTR(ctx), handle);
	return adapt_new_object();
}

static void unimport_dm(struct ibv_dm *dm)
{
	ADAPT_RECORD("unimport_dm", ADAPT_PTR(dm));
}

static struct ibv_dmah *alloc_dmah(struct ibv_context *ctx,
				   struct ibv_dmah_init_attr *attr)
{
	ADAPT_RECORD("alloc_dmah", ADAPT_PTR(ctx), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int dealloc_dmah(struct ibv_dmah *dmah)
{
	ADAPT_RECORD("dealloc_dmah", ADAPT_PTR(dmah));
	return adapt_result();
}

static void *alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf)
{
	ADAPT_RECORD("alloc_buf", ADAPT_PTR(pd), size);
	if (buffer_answer)
		*buf = buffer_answer;
	return adapt_new_object();
}

static void free_buf(struct ibv_buf *buf)
{
	ADAPT_RECORD("free_buf", ADAPT_PTR(buf));
}

static int setup_provider(void **state)
{
	adapt_fixture_start(&(struct foreign_ops){
		.alloc_dm = alloc_dm,
		.free_dm = free_dm,
		.reg_dm_mr = reg_dm_mr,
		.dm_export_dmabuf_fd = dm_export_dmabuf_fd,
		.import_dm = import_dm,
		.unimport_dm = unimport_dm,
		.alloc_dmah = alloc_dmah,
		.dealloc_dmah = dealloc_dmah,
		.alloc_buf = alloc_buf,
		.free_buf = free_buf,
	});
	device_memory = (struct ibv_dm){ .context = adapt.ctx };
	return 0;
}

static void foreign_adapt_dm_is_allocated_and_freed(void **state)
{
	struct ibv_alloc_dm_attr attr = {};
	struct ibv_dm *dm = NULL;

	ADAPT_CREATES(&device_memory,
		      adapt.ops.alloc_dm(adapt.ctx, &attr, &dm));
	ADAPT_CHECK_CALL("alloc_dm", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&attr));
	assert_ptr_equal(dm, &device_memory);

	ADAPT_FAILS(adapt.ops.free_dm(dm));
	ADAPT_OK(adapt.ops.free_dm(dm));
	ADAPT_CHECK_CALL("free_dm", ADAPT_PTR(dm));

	dm = NULL;
	ADAPT_FAILS(adapt.ops.alloc_dm(adapt.ctx, &attr, &dm));
	assert_null(dm);
}

static void foreign_adapt_reg_dm_mr_passes_arguments(void **state)
{
	struct ibv_mr *mr = NULL, made = {};

	ADAPT_CREATES(&made, adapt.ops.reg_dm_mr(&adapt.pd, &device_memory, 16,
						 64, 5, &mr));
	ADAPT_CHECK_CALL("reg_dm_mr", ADAPT_PTR(&adapt.pd),
			 ADAPT_PTR(&device_memory), 16, 64, 5);
	assert_ptr_equal(mr, &made);

	mr = NULL;
	ADAPT_FAILS(
		adapt.ops.reg_dm_mr(&adapt.pd, &device_memory, 16, 64, 5, &mr));
	assert_null(mr);
}

static void foreign_adapt_dm_export_dmabuf_fd_returns_descriptor(void **state)
{
	int fd = -7;

	adapt.ret = 12;
	errno = ADAPT_ERRNO_BEFORE;
	adapt_check_result(0,
			   adapt.ops.dm_export_dmabuf_fd(&device_memory, &fd));
	ADAPT_CHECK_CALL("dm_export_dmabuf_fd", ADAPT_PTR(&device_memory));
	assert_int_equal(fd, 12);

	/* A descriptor may be larger than any error number. */
	adapt.ret = 70000;
	adapt_check_result(0,
			   adapt.ops.dm_export_dmabuf_fd(&device_memory, &fd));
	assert_int_equal(fd, 70000);

	adapt.ret = -1;
	adapt.err = EMFILE;
	assert_int_equal(adapt.ops.dm_export_dmabuf_fd(&device_memory, &fd),
			 -EMFILE);
	adapt.ret = -ENOTTY;
	assert_int_equal(adapt.ops.dm_export_dmabuf_fd(&device_memory, &fd),
			 -ENOTTY);
	assert_int_equal(fd, 70000);
}

static void foreign_adapt_dm_is_imported_and_unimported(void **state)
{
	struct ibv_dm *dm = NULL;

	ADAPT_CREATES(&device_memory, adapt.ops.import_dm(adapt.ctx, 71, &dm));
	ADAPT_CHECK_CALL("import_dm", ADAPT_PTR(adapt.ctx), 71);
	assert_ptr_equal(dm, &device_memory);
	adapt.ops.unimport_dm(dm);
	ADAPT_CHECK_CALL("unimport_dm", ADAPT_PTR(dm));

	dm = NULL;
	ADAPT_FAILS(adapt.ops.import_dm(adapt.ctx, 71, &dm));
	assert_null(dm);
}

static void foreign_adapt_dmah_is_allocated_and_freed(void **state)
{
	struct ibv_dmah *dmah = NULL, made = { .context = adapt.ctx };
	struct ibv_dmah_init_attr attr = {};

	ADAPT_CREATES(&made, adapt.ops.alloc_dmah(adapt.ctx, &attr, &dmah));
	ADAPT_CHECK_CALL("alloc_dmah", ADAPT_PTR(adapt.ctx), ADAPT_PTR(&attr));
	assert_ptr_equal(dmah, &made);

	ADAPT_FAILS(adapt.ops.dealloc_dmah(dmah));
	ADAPT_OK(adapt.ops.dealloc_dmah(dmah));
	ADAPT_CHECK_CALL("dealloc_dmah", ADAPT_PTR(dmah));

	dmah = NULL;
	ADAPT_FAILS(adapt.ops.alloc_dmah(adapt.ctx, &attr, &dmah));
	assert_null(dmah);
}

static void foreign_adapt_alloc_buf_returns_buffer(void **state)
{
	struct ibv_buf *buf = NULL;
	char memory[1];

	buffer_answer = &buffer;
	ADAPT_CREATES(memory, adapt.ops.alloc_buf(&adapt.pd, 4096, &buf));
	ADAPT_CHECK_CALL("alloc_buf", ADAPT_PTR(&adapt.pd), 4096);
	assert_ptr_equal(buf, &buffer);
	adapt.ops.free_buf(buf);
	ADAPT_CHECK_CALL("free_buf", ADAPT_PTR(buf));
}

static void
foreign_adapt_alloc_buf_without_address_or_buffer_fails(void **state)
{
	struct ibv_buf *buf = NULL;
	char memory[1];

	buffer_answer = &buffer;
	ADAPT_FAILS(adapt.ops.alloc_buf(&adapt.pd, 4096, &buf));
	assert_null(buf);

	buffer_answer = NULL;
	adapt_will_create(memory);
	assert_int_equal(adapt.ops.alloc_buf(&adapt.pd, 4096, &buf), -EINTR);
	assert_null(buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(foreign_adapt_dm_is_allocated_and_freed,
				       setup_provider),
		cmocka_unit_test_setup(foreign_adapt_reg_dm_mr_passes_arguments,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_dm_export_dmabuf_fd_returns_descriptor,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_dm_is_imported_and_unimported,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_dmah_is_allocated_and_freed,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_alloc_buf_returns_buffer,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_alloc_buf_without_address_or_buffer_fails,
			setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
