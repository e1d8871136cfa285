/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_open_device(3), ibv_import_device(3) and ibv_close_device(3):
 * libibverbs/api/context.c. Linked with WRAP verbs_open_node verbs_core_import.
 */
#include <fcntl.h>
#include <provider/device.h>
#include <string.h>

#include "core/core_context.h"
#include "libibverbs/api/api_fixture.h"
#include "support/alloc_fail.h"
#include "support/fake_discover.h"
#include "support/leak_check.h"

static int open_node_ret;

int __wrap_verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd);

int __wrap_verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd)
{
	if (open_node_ret)
		return open_node_ret;
	*ret_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return *ret_fd < 0 ? -errno : 0;
}

/* A kernel device in its own list. */
static struct ibv_device **list_kernel_device(void)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct ibv_device **list;

	fake_discover_add(&record);
	fake_provider.offers[0] = NULL;
	list = ibv_get_device_list(NULL);
	assert_non_null(list);
	assert_non_null(list[0]);
	assert_string_equal(list[0]->name, "fake0");
	return list;
}

/* Removes the device again, so that no memory stays. */
static void forget_kernel_device(struct ibv_device **list)
{
	ibv_free_device_list(list);
	fake_discover_reset();
	ibv_free_device_list(ibv_get_device_list(NULL));
}

static void open_device_null_is_einval(void **state)
{
	ASSERT_NULL(ibv_open_device(NULL), EINVAL);
}

static void open_device_success_keeps_errno(void **state)
{
	struct ibv_context *ctx;

	errno = SOME_ERRNO;
	ctx = ibv_open_device(api.list[0]);
	assert_non_null(ctx);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OK(ibv_close_device(ctx));
}

static void open_device_sets_context_device(void **state)
{
	assert_ptr_equal(api.ctx->device, api.list[0]);
}

static void open_device_forbidden_node_is_eacces(void **state)
{
	struct ibv_device **list = list_kernel_device();

	open_node_ret = -EACCES;
	ASSERT_NULL(ibv_open_device(list[0]), EACCES);
	open_node_ret = -ENODEV;
	ASSERT_NULL(ibv_open_device(list[0]), ENODEV);
	open_node_ret = 0;
	forget_kernel_device(list);
}

static void open_device_provider_failure_is_errno(void **state)
{
	fake_provider.open_ret = -EMLINK;
	ASSERT_NULL(ibv_open_device(api.list[0]), EMLINK);
}

static void open_device_async_fd_failure_is_errno(void **state)
{
	fake_provider.alloc_async_fd_ret = -ENFILE;
	ASSERT_NULL(ibv_open_device(api.list[0]), ENFILE);
}

static void open_device_allocation_failure_is_enomem(void **state)
{
	struct leak_check check;
	struct ibv_context *ctx;

	leak_check_begin(&check);
	for (unsigned int n = 1;; n++) {
		alloc_fail_at(n);
		errno = 0;
		ctx = ibv_open_device(api.list[0]);
		if (!alloc_fail_done())
			break;
		assert_null(ctx);
		assert_int_equal(errno, ENOMEM);
		leak_check_end(&check);
	}
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* ------------------------------------------------------------------------ */
/* Import                                                                   */
/* ------------------------------------------------------------------------ */

static int import_ret;
static int import_fd;

static unsigned int nr_library_inits;

void __wrap_verbs_library_init(void);

void __wrap_verbs_library_init(void)
{
	nr_library_inits++;
}

int __wrap_verbs_core_import(int cmd_fd, struct ibv_context **ret_ctx);

int __wrap_verbs_core_import(int cmd_fd, struct ibv_context **ret_ctx)
{
	import_fd = cmd_fd;
	if (import_ret)
		return import_ret;
	return verbs_core_open(verbs_device_of(api.list[0]), ret_ctx);
}

static void import_device_fills_abi_tables(void **state)
{
	struct ibv_context *ctx;
	struct ibv_pd *pd;

	import_ret = 0;
	nr_library_inits = 0;
	errno = SOME_ERRNO;
	ctx = ibv_import_device(77);
	assert_non_null(ctx);
	/* without a device list, the import initializes the library */
	assert_int_equal(nr_library_inits, 1);
	assert_int_equal(errno, SOME_ERRNO);
	assert_int_equal(import_fd, 77);
	assert_non_null(verbs_get_ctx_op(ctx, query_port));
	pd = ibv_alloc_pd(ctx);
	assert_non_null(pd);
	ASSERT_OK(ibv_dealloc_pd(pd));
	ASSERT_OK(ibv_close_device(ctx));
}

static void import_device_failure_is_null(void **state)
{
	import_ret = -ENODEV;
	ASSERT_NULL(ibv_import_device(77), ENODEV);
	import_ret = -EOPNOTSUPP;
	ASSERT_NULL(ibv_import_device(77), EOPNOTSUPP);
}

static void open_device_context_survives_list_free(void **state)
{
	struct ibv_device **list = list_kernel_device();
	struct ibv_context *ctx = ibv_open_device(list[0]);
	struct ibv_port_attr attr;

	assert_non_null(ctx);
	forget_kernel_device(list);
	assert_string_equal(ibv_get_device_name(ctx->device), "fake0");
	ASSERT_OK(ibv_query_port(ctx, 1, &attr));
	ASSERT_OK(ibv_close_device(ctx));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(open_device_null_is_einval),
		API_TEST(open_device_success_keeps_errno),
		API_TEST(open_device_sets_context_device),
		API_TEST(open_device_forbidden_node_is_eacces),
		API_TEST(open_device_provider_failure_is_errno),
		API_TEST(open_device_async_fd_failure_is_errno),
		API_TEST(open_device_allocation_failure_is_enomem),
		API_TEST(import_device_fills_abi_tables),
		API_TEST(import_device_failure_is_null),
		API_TEST(open_device_context_survives_list_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
