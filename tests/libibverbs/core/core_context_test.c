/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/core_context.c with the fake provider. Each test
 * runs in its own process. Linked with WRAP verbs_open_node.
 */
#include "core/core_context.h"

#include <errno.h>
#include <fcntl.h>
#include <provider/kernel.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libibverbs/core/list_fixture.h"
#include "libibverbs/core/own_process.h"
#include "support/alloc_fail.h"
#include "support/fake_discover.h"
#include "support/fake_provider.h"
#include "support/leak_check.h"

static int open_node_ret;
static unsigned int nr_open_node;

int __wrap_verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd);

/* Opens /dev/null as the node. */
int __wrap_verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd)
{
	int fd;

	nr_open_node++;
	assert_string_equal(dev->uverbs_name, "uverbs0");
	if (open_node_ret)
		return open_node_ret;
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	*ret_fd = fd;
	return 0;
}

static struct list list;
static struct verbs_device *dev;
static struct leak_check check;

/*
 * dev is fake0. The test must release everything that it allocates from here
 * on.
 */
static void context_setup(void)
{
	list_start();
	list_appear(0, 0);
	list = list_get();
	dev = verbs_device_of(list.array[0]);
	leak_check_begin(&check);
}

/* dev is a device without a kernel driver. */
static void context_setup_user_space_device(void)
{
	list_start();
	fake_provider.offers[0] = "soft0";
	list = list_get();
	dev = verbs_device_of(list.array[0]);
	leak_check_begin(&check);
}

static struct ibv_context *context_open(void)
{
	struct ibv_context *ctx = NULL;

	assert_int_equal(verbs_core_open(dev, &ctx), 0);
	assert_non_null(ctx);
	return ctx;
}

/* Closes the fake provider's end of the event pipe as well. */
static void assert_nothing_leaked(void)
{
	fake_provider_reset();
	leak_check_end(&check);
}

static void assert_open_fails(int err)
{
	struct ibv_context *ctx = (void *)&list;

	assert_int_equal(verbs_core_open(dev, &ctx), err);
	assert_ptr_equal(ctx, &list);
	assert_int_equal(atomic_load(&dev->refs),
			 2); /* references of the list and the array */
	assert_nothing_leaked();
}

static void context_open_and_close_leaks_nothing(void **state)
{
	context_setup();
	verbs_core_close(context_open());
	assert_int_equal(fake_provider.nr_opens, 1);
	assert_int_equal(fake_provider.nr_closes, 1);
	assert_nothing_leaked();
}

static void context_repeated_open_leaks_nothing(void **state)
{
	context_setup();
	for (int i = 0; i < 20; i++)
		verbs_core_close(context_open());
	assert_nothing_leaked();
}

static void context_open_fills_public_fields(void **state)
{
	struct verbs_context *vctx;
	struct ibv_context *ctx;

	context_setup();
	ctx = context_open();
	vctx = verbs_container_of(ctx, struct verbs_context, context);
	assert_ptr_equal(ctx->device, dev->pub);
	assert_int_equal(ctx->cmd_fd, fake_provider.last_cmd_fd);
	assert_true(ctx->async_fd >= 0);
	assert_ptr_equal(ctx->abi_compat, __VERBS_ABI_IS_EXTENDED);
	assert_int_equal(vctx->sz, sizeof(*vctx));
	assert_int_equal(pthread_mutex_lock(&ctx->mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&ctx->mutex), 0);
	verbs_core_close(ctx);
}

static void context_open_copies_discovery_record(void **state)
{
	struct ibv_context *ctx;

	context_setup();
	ctx = context_open();
	assert_int_equal(verbs_priv(ctx)->kernel.driver_id, FAKE_DRIVER_ID);
	assert_int_equal(verbs_context_nr_ports(ctx), 1);
	assert_int_equal(verbs_core_support(ctx), 0);
	assert_ptr_equal(verbs_kernel_state(ctx), &verbs_priv(ctx)->kernel);
	verbs_core_close(ctx);
}

/* sysfs does not contain the driver id. */
static void context_unknown_driver_takes_id_of_match_table(void **state)
{
	struct ibv_context *ctx;

	context_setup();
	dev->kernel.driver_id = RDMA_DRIVER_UNKNOWN;
	ctx = context_open();
	assert_int_equal(verbs_priv(ctx)->kernel.driver_id, FAKE_DRIVER_ID);
	verbs_core_close(ctx);
}

static void context_driver_without_match_table_stays_unknown(void **state)
{
	static struct verbs_device_ops ops;
	struct ibv_context *ctx;

	context_setup();
	ops = verbs_provider_fake;
	ops.match = NULL;
	dev->provider = &ops;
	dev->kernel.driver_id = RDMA_DRIVER_UNKNOWN;
	ctx = context_open();
	assert_int_equal(verbs_priv(ctx)->kernel.driver_id,
			 RDMA_DRIVER_UNKNOWN);
	verbs_core_close(ctx);
}

static void context_open_takes_device_reference(void **state)
{
	struct ibv_context *ctx;

	context_setup();
	ctx = context_open();
	assert_int_equal(atomic_load(&dev->refs), 3);
	fake_discover_remove("fake0");
	list_assert_names_now(NO_NAMES);
	list_put(&list);
	assert_string_equal(ctx->device->name, "fake0");
	assert_int_equal(atomic_load(&dev->refs), 1);
	verbs_core_close(ctx);
}

static void context_two_of_same_device_are_independent(void **state)
{
	struct ibv_context *first, *second;

	context_setup();
	first = context_open();
	second = context_open();
	assert_ptr_not_equal(first, second);
	assert_int_not_equal(first->cmd_fd, second->cmd_fd);
	assert_int_not_equal(first->async_fd, second->async_fd);
	verbs_core_close(first);
	assert_true(fcntl(second->cmd_fd, F_GETFD) >= 0);
	verbs_core_close(second);
	assert_nothing_leaked();
}

static void context_descriptors_close_on_exec(void **state)
{
	struct ibv_context *ctx;

	context_setup();
	ctx = context_open();
	assert_int_equal(fcntl(ctx->cmd_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(ctx->async_fd, F_GETFD), FD_CLOEXEC);
	verbs_core_close(ctx);
}

static void context_device_without_node_has_no_cmd_fd(void **state)
{
	struct ibv_context *ctx;

	context_setup_user_space_device();
	ctx = context_open();
	assert_int_equal(nr_open_node, 0);
	assert_int_equal(fake_provider.last_cmd_fd, -1);
	assert_int_equal(ctx->cmd_fd, -1);
	assert_true(ctx->async_fd >= 0);
	verbs_core_close(ctx);
	assert_nothing_leaked();
}

static void context_open_node_failure_is_returned(void **state)
{
	context_setup();
	open_node_ret = -EACCES;
	assert_open_fails(-EACCES);
	assert_int_equal(fake_provider.nr_opens, 0);
}

static void context_open_provider_failure_is_returned(void **state)
{
	context_setup();
	fake_provider.open_ret = -EBADMSG;
	assert_open_fails(-EBADMSG);
}

static void context_open_provider_init_failure_leaks_nothing(void **state)
{
	context_setup();
	fake_provider.open_ret_late = -ENOSPC;
	assert_open_fails(-ENOSPC);
}

static void context_open_without_async_fd_closes_context(void **state)
{
	context_setup();
	fake_provider.alloc_async_fd_ret = -EMFILE;
	assert_open_fails(-EMFILE);
}

static void context_open_allocation_failure_is_enomem(void **state)
{
	unsigned int n;

	context_setup();
	for (n = 1;; n++) {
		struct ibv_context *ctx = NULL;
		int ret;

		alloc_fail_at(n);
		ret = verbs_core_open(dev, &ctx);
		if (!alloc_fail_done()) {
			assert_int_equal(ret, 0);
			verbs_core_close(ctx);
			break;
		}
		assert_int_equal(ret, -ENOMEM);
		assert_null(ctx);
		assert_int_equal(atomic_load(&dev->refs), 2);
		leak_check_end(&check);
	}
	assert_int_equal(n - 1, 1); /* the context with its private block */
	assert_nothing_leaked();
}

static void context_new_without_memory_closes_descriptor(void **state)
{
	int fd;

	context_setup();
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	alloc_fail_at(1);
	assert_null(verbs_context_new(dev, (struct verbs_cmd_file){ .fd = fd },
				      sizeof(struct verbs_context)));
	assert_true(alloc_fail_done());
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	leak_check_end(&check);
}

/* A provider's struct with its own members behind the context. */
struct larger_context {
	struct verbs_context vctx;
	uint64_t own[100];
};

static void context_new_zeroes_provider_part(void **state)
{
	struct larger_context *larger;
	struct verbs_context *vctx;

	context_setup();
	vctx = verbs_context_new(dev, (struct verbs_cmd_file){ .fd = -1 },
				 sizeof(*larger));
	assert_non_null(vctx);
	larger = verbs_container_of(vctx, struct larger_context, vctx);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(larger->own[i], 0);
	assert_int_equal(vctx->context.cmd_fd, -1);
	assert_int_equal(vctx->context.async_fd, -1);
	verbs_context_free(vctx);
	assert_nothing_leaked();
}

static int own_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	return 7;
}

static void context_new_data_path_has_default_ops(void **state)
{
	struct verbs_context *vctx;
	struct ibv_send_wr wr = {}, *bad_wr = NULL;

	context_setup();
	vctx = verbs_context_new(dev, (struct verbs_cmd_file){ .fd = -1 },
				 sizeof(*vctx));
	assert_non_null(vctx);
	assert_int_equal(vctx->context.ops.post_send(NULL, &wr, &bad_wr),
			 EOPNOTSUPP);
	assert_ptr_equal(bad_wr, &wr);
	verbs_context_free(vctx);
}

static void context_set_ops_updates_public_data_path(void **state)
{
	static const struct verbs_context_ops ops = {
		.poll_cq = own_poll_cq,
	};
	struct ibv_context *ctx;

	context_setup();
	ctx = context_open();
	verbs_context_set_ops(
		verbs_container_of(ctx, struct verbs_context, context), &ops);
	assert_ptr_equal(ctx->ops.poll_cq, own_poll_cq);
	assert_ptr_equal(verbs_ops(ctx)->poll_cq, own_poll_cq);
	/* Ops that are not set keep their value. */
	assert_ptr_equal(verbs_ops(ctx)->alloc_pd, fake_provider_ops.alloc_pd);
	verbs_core_close(ctx);
}

static const struct verbs_gsi_ops own_gsi_ops = { .version = 3 };

static const struct verbs_gsi_ops *own_get_gsi_ops(struct ibv_context *ctx,
						   uint32_t version)
{
	return version == own_gsi_ops.version ? &own_gsi_ops : NULL;
}

static void get_gsi_ops_calls_provider_with_version(void **state)
{
	static const struct verbs_context_ops ops = {
		.get_gsi_ops = own_get_gsi_ops,
	};
	struct ibv_context *ctx;

	context_setup();
	ctx = context_open();
	assert_null(verbs_get_gsi_ops(ctx, 3));
	verbs_context_set_ops(
		verbs_container_of(ctx, struct verbs_context, context), &ops);
	assert_ptr_equal(verbs_get_gsi_ops(ctx, 3), &own_gsi_ops);
	assert_null(verbs_get_gsi_ops(ctx, 4));
	verbs_core_close(ctx);
}

static void context_new_kernel_device_has_kernel_ops(void **state)
{
	struct verbs_context *vctx;
	int fd;

	context_setup();
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	vctx = verbs_context_new(dev, (struct verbs_cmd_file){ .fd = fd },
				 sizeof(*vctx));
	assert_non_null(vctx);
	assert_ptr_equal(verbs_ops(&vctx->context)->alloc_async_fd,
			 verbs_cmd_alloc_async_fd);
	verbs_context_free(vctx);
	assert_nothing_leaked();
}

static void context_new_user_space_device_lacks_kernel_ops(void **state)
{
	struct verbs_context *vctx;
	int fd = -7;

	context_setup_user_space_device();
	vctx = verbs_context_new(dev, (struct verbs_cmd_file){ .fd = -1 },
				 sizeof(*vctx));
	assert_non_null(vctx);
	assert_int_equal(VERBS_CALL_OP(&vctx->context, alloc_async_fd,
				       &vctx->context, &fd),
			 -EOPNOTSUPP);
	assert_int_equal(fd, -7);
	verbs_context_free(vctx);
}

static int open_with_own_async_fd(struct verbs_device *device,
				  struct verbs_cmd_file cmd_file,
				  struct verbs_context **ret_vctx)
{
	int ret = verbs_provider_fake.open_context(device, cmd_file, ret_vctx);

	if (ret == 0)
		(*ret_vctx)->context.async_fd = dup(STDERR_FILENO);
	return ret;
}

static void context_open_keeps_async_fd_of_provider(void **state)
{
	static struct verbs_device_ops ops;
	struct ibv_context *ctx;

	context_setup();
	ops = verbs_provider_fake;
	ops.open_context = open_with_own_async_fd;
	dev->provider = &ops;
	fake_provider.alloc_async_fd_ret = -EIO; /* is not called */
	ctx = context_open();
	assert_true(ctx->async_fd >= 0);
	verbs_core_close(ctx);
	assert_nothing_leaked();
}

/* ------------------------------------------------------------------------ */
/* Import                                                                   */
/* ------------------------------------------------------------------------ */

/*
 * Makes dev a device with the number of /dev/null. Return: a descriptor of it.
 */
static int context_setup_import(void)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct stat st;
	int fd;

	list_start();
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	record.cdev = st.st_rdev;
	list_appear(1, 1);
	fake_discover_add(&record);
	list = list_get();
	dev = verbs_device_of(list.array[1]);
	leak_check_begin(&check);
	return fd;
}

static void context_import_opens_device_of_descriptor(void **state)
{
	int fd = context_setup_import();
	struct ibv_context *ctx;

	assert_int_equal(verbs_core_import(fd, &ctx), 0);
	assert_ptr_equal(ctx->device, dev->pub);
	assert_int_equal(ctx->cmd_fd, fd);
	assert_true(ctx->async_fd >= 0);
	assert_true(verbs_priv(ctx)->kernel.imported);
	assert_int_equal(nr_open_node, 0);
	assert_int_equal(atomic_load(&dev->refs), 3);
	verbs_core_close(ctx);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(atomic_load(&dev->refs), 2);
}

static void context_open_after_import_is_not_imported(void **state)
{
	int fd = context_setup_import();
	struct ibv_context *ctx;

	assert_int_equal(verbs_core_import(fd, &ctx), 0);
	verbs_core_close(ctx);
	ctx = context_open();
	assert_false(verbs_priv(ctx)->kernel.imported);
	verbs_core_close(ctx);
}

static void assert_import_fails(int fd, int err)
{
	struct ibv_context *ctx = (void *)&list;

	assert_int_equal(verbs_core_import(fd, &ctx), err);
	assert_ptr_equal(ctx, &list);
	assert_int_equal(atomic_load(&dev->refs), 2);
}

static void context_import_rejects_descriptor_without_device(void **state)
{
	int fd = context_setup_import();
	int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_import_fails(-1, -EINVAL);
	assert_import_fails(ends[0], -EINVAL);
	assert_import_fails(zero, -ENODEV);
	assert_import_fails(eventfd(0, EFD_CLOEXEC), -EOPNOTSUPP);
	fake_discover_fail(-EPERM);
	assert_import_fails(fd, -ENODEV);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

static void context_import_provider_failure_is_returned(void **state)
{
	int fd = context_setup_import();

	fake_provider.open_ret = -EBUSY;
	assert_import_fails(fd, -EBUSY);
	fake_provider.open_ret = 0;
	fake_provider.alloc_async_fd_ret = -EMFILE;
	assert_import_fails(open("/dev/null", O_RDWR | O_CLOEXEC), -EMFILE);
}

static void context_import_of_file_asks_provider(void **state)
{
	struct ibv_context *ctx;
	int fd;

	context_setup_user_space_device();
	fd = memfd_create("test", MFD_CLOEXEC);
	assert_import_fails(fd, -EINVAL);
	fake_provider.cmd_file = fd;
	assert_int_equal(verbs_core_import(fd, &ctx), 0);
	assert_ptr_equal(ctx->device, dev->pub);
	assert_int_equal(ctx->cmd_fd, fd);
	assert_true(verbs_priv(ctx)->kernel.imported);
	verbs_core_close(ctx);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(atomic_load(&dev->refs), 2);
}

static bool close_returned;

static void *close_while_cancelled(void *ctx)
{
	(void)pthread_cancel(pthread_self());
	verbs_core_close(ctx);
	close_returned = true;
	pthread_testcancel();
	return NULL;
}

static void context_close_is_no_cancellation_point(void **state)
{
	struct ibv_context *ctx;
	pthread_t thread;
	void *result;

	context_setup();
	ctx = context_open();
	assert_int_equal(
		pthread_create(&thread, NULL, close_while_cancelled, ctx), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_true(close_returned);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_int_equal(atomic_load(&dev->refs), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(context_import_opens_device_of_descriptor),
		cmocka_unit_test(context_open_after_import_is_not_imported),
		cmocka_unit_test(
			context_import_rejects_descriptor_without_device),
		cmocka_unit_test(context_import_of_file_asks_provider),
		cmocka_unit_test(context_import_provider_failure_is_returned),
		cmocka_unit_test(context_open_and_close_leaks_nothing),
		cmocka_unit_test(context_close_is_no_cancellation_point),
		cmocka_unit_test(context_repeated_open_leaks_nothing),
		cmocka_unit_test(context_open_fills_public_fields),
		cmocka_unit_test(context_open_copies_discovery_record),
		cmocka_unit_test(
			context_unknown_driver_takes_id_of_match_table),
		cmocka_unit_test(
			context_driver_without_match_table_stays_unknown),
		cmocka_unit_test(context_open_takes_device_reference),
		cmocka_unit_test(context_two_of_same_device_are_independent),
		cmocka_unit_test(context_descriptors_close_on_exec),
		cmocka_unit_test(context_device_without_node_has_no_cmd_fd),
		cmocka_unit_test(context_open_node_failure_is_returned),
		cmocka_unit_test(context_open_provider_failure_is_returned),
		cmocka_unit_test(
			context_open_provider_init_failure_leaks_nothing),
		cmocka_unit_test(context_open_without_async_fd_closes_context),
		cmocka_unit_test(context_open_allocation_failure_is_enomem),
		cmocka_unit_test(context_new_without_memory_closes_descriptor),
		cmocka_unit_test(context_new_zeroes_provider_part),
		cmocka_unit_test(context_new_data_path_has_default_ops),
		cmocka_unit_test(context_set_ops_updates_public_data_path),
		cmocka_unit_test(get_gsi_ops_calls_provider_with_version),
		cmocka_unit_test(context_new_kernel_device_has_kernel_ops),
		cmocka_unit_test(
			context_new_user_space_device_lacks_kernel_ops),
		cmocka_unit_test(context_open_keeps_async_fd_of_provider),
	};

	return own_process_run_group_tests(tests);
}
