/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of foreign providers in each layout:
 * libibverbs/foreign/foreign_context.c, and the functions of foreign_device.c
 * that open and close. Each test runs in its own process.
 *
 * Linked with WRAP foreign_detect verbs_open_node ioctl write fstat close.
 */
#include "foreign/foreign_context.h"

#include <errno.h>
#include <fcntl.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/device_list.h"
#include "foreign/foreign_device.h"
#include "foreign/foreign_state.h"
#include "libibverbs/core/own_process.h"
#include "libibverbs/foreign/fake_foreign.h"
#include "support/alloc_fail.h"
#include "support/fake_discover.h"
#include "support/fake_kernel.h"
#include "support/leak_check.h"

#define ASYNC_FD 77

static int open_node_ret;
static unsigned int nr_closed; /* closed descriptors of the fake kernel */
static mode_t imported_mode = S_IFCHR;
static unsigned int imported_device; /* index of the discovery record */

int __wrap_verbs_open_node(const struct verbs_kernel_device *device,
			   int *ret_fd);
int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_verbs_open_node(const struct verbs_kernel_device *device,
			   int *ret_fd)
{
	if (open_node_ret)
		return open_node_ret;
	*ret_fd = fake_kernel_fd();
	return 0;
}

int __wrap_fstat(int fd, struct stat *st)
{
	if (fd != fake_kernel_fd())
		return __real_fstat(fd, st);
	*st = (struct stat){
		.st_mode = imported_mode | 0600,
		.st_rdev = fake_discover_record(imported_device).cdev,
	};
	return 0;
}

int __wrap_close(int fd)
{
	if (fd != fake_kernel_fd())
		return __real_close(fd);
	nr_closed++;
	return 0;
}

/* ------------------------------------------------------------------------ */

static const struct fake_layout *layout;
static struct verbs_device *dev;
static struct leak_check leaks;

/*
 * Register the provider and look up its device fake0 in dev. The tests compare
 * with the memory allocated until here.
 */
static void start_provider(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct ibv_device **array;
	int count;

	layout = *state;
	fake_kernel_start();
	fake_foreign_start(layout);
	fake_discover_add(&record);
	assert_int_equal(verbs_device_list_get(&array, &count), 0);
	assert_int_equal(count, 1);
	dev = verbs_device_of(array[0]);
	leak_check_begin(&leaks);
}

static void expect_async_fd(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_ASYNC_EVENT,
		.method = UVERBS_METHOD_ASYNC_EVENT_ALLOC,
		FAKE_ATTRS(FAKE_NUM_OUT(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
					ASYNC_FD)),
		.err = err,
	};

	/* The driver id of the provider is sent, not the one from netlink. */
	fake_kernel_driver_id(RDMA_DRIVER_SIW);
	fake_kernel_expect_ioctl(&cmd);
	if (!err)
		assert_int_equal(dup2(STDERR_FILENO, ASYNC_FD), ASYNC_FD);
}

static struct ibv_context *open_test_device(void)
{
	struct ibv_context *ctx;

	expect_async_fd(0);
	assert_int_equal(verbs_core_open(dev, &ctx), 0);
	fake_kernel_finish();
	return ctx;
}

static void assert_nothing_is_left(void)
{
	fake_kernel_finish();
	assert_int_equal(nr_closed, 1);
	assert_int_equal(atomic_load(&dev->refs),
			 2); /* references of the list and of the array */
	leak_check_end(&leaks);
}

static void close_test_device(struct ibv_context *ctx)
{
	verbs_core_close(ctx);
	assert_int_equal(fake_foreign.nr_free_context, 1);
	assert_nothing_is_left();
}

static void assert_open_fails(int err)
{
	struct ibv_context *ctx = (void *)&leaks;

	assert_int_equal(verbs_core_open(dev, &ctx), err);
	assert_ptr_equal(ctx, &leaks);
}

/* ------------------------------------------------------------------------ */
/* Opening and closing                                                       */
/* ------------------------------------------------------------------------ */

static void foreign_context_open_initialises_all_members(void **state)
{
	const struct verbs_context *vctx;
	struct ibv_context *ctx;

	start_provider(state);
	ctx = open_test_device();
	assert_ptr_equal(fake_foreign.device, dev->pub);
	assert_int_equal(fake_foreign.cmd_fd, fake_kernel_fd());
	assert_null(fake_foreign.private_data);
	assert_ptr_equal(ctx->device, dev->pub);
	assert_int_equal(ctx->cmd_fd, fake_kernel_fd());
	assert_int_equal(ctx->async_fd, ASYNC_FD);
	assert_ptr_equal(ctx->abi_compat, __VERBS_ABI_IS_EXTENDED);
	vctx = verbs_get_ctx(ctx);
	assert_int_equal(vctx->sz, fake_context_size(layout));
	assert_ptr_equal(verbs_priv(ctx)->dev, dev);
	assert_int_equal(foreign_variant(ctx)->node, layout->node);
	assert_int_equal(foreign_release(ctx), layout->release);
	close_test_device(ctx);
}

static void foreign_context_set_ops_sets_ops_by_name(void **state)
{
	struct ibv_port_attr attr = {};
	struct ibv_context *ctx;
	struct ibv_pd *pd;

	start_provider(state);
	ctx = open_test_device();
	assert_ptr_equal(foreign_ops(ctx)->poll_cq, fake_foreign_poll_cq);
	assert_ptr_equal(foreign_ops(ctx)->post_send, fake_foreign_post_send);
	assert_null(foreign_ops(ctx)->post_recv);
	assert_ptr_equal(ctx->ops.poll_cq, fake_foreign_poll_cq);
	assert_ptr_equal(ctx->ops.post_send, fake_foreign_post_send);
	assert_int_equal(verbs_ops(ctx)->alloc_pd(ctx, &pd), 0);
	assert_int_equal(verbs_ops(ctx)->dealloc_pd(pd), 0);
	assert_int_equal(verbs_ops(ctx)->query_port(ctx, 1, &attr), 0);
	assert_int_equal(attr.lid, 0x1234);
	close_test_device(ctx);
}

static int second_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			    struct ibv_send_wr **bad_wr)
{
	return 1;
}

static void foreign_context_set_ops_second_call_replaces_ops(void **state)
{
	void *table[FAKE_MAX_SLOTS] = {};
	struct ibv_context *ctx;

	start_provider(state);
	ctx = open_test_device();
	table[layout->slot[FAKE_POST_SEND]] = (void *)second_post_send;
	fake_node_of(layout)->set_ops(fake_foreign_vctx(layout, ctx), table);
	assert_ptr_equal(ctx->ops.post_send, second_post_send);
	assert_ptr_equal(foreign_ops(ctx)->post_send, second_post_send);
	assert_ptr_equal(ctx->ops.poll_cq, fake_foreign_poll_cq);
	assert_non_null(foreign_ops(ctx)->alloc_pd);
	close_test_device(ctx);
}

static void send_alloc_async_fd(struct ibv_context *ctx)
{
	int fd;

	assert_ptr_equal(ctx->device, dev->pub);
	assert_int_equal(ctx->cmd_fd, fake_kernel_fd());
	assert_int_equal(ctx->async_fd, -1);
	assert_int_equal(verbs_cmd_alloc_async_fd(ctx, &fd), 0);
	assert_int_equal(fd, ASYNC_FD);
}

/* mlx5 sends commands before verbs_set_ops(). */
static void foreign_context_command_before_set_ops_is_sent(void **state)
{
	start_provider(state);
	fake_foreign.before_set_ops = send_alloc_async_fd;
	expect_async_fd(0);
	close_test_device(open_test_device());
}

static void foreign_context_without_set_ops_has_default_ops(void **state)
{
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_wc wc;

	start_provider(state);
	fake_foreign.sets_nothing = true;
	ctx = open_test_device();
	assert_int_equal(VERBS_CALL_OP(ctx, alloc_pd, ctx, &pd), -EOPNOTSUPP);
	assert_int_not_equal(ctx->ops.poll_cq(NULL, 1, &wc), 0);
	verbs_core_close(ctx); /* calls no op of the provider */
	assert_int_equal(fake_foreign.nr_free_context, 0);
}

/* ------------------------------------------------------------------------ */
/* Failures                                                                  */
/* ------------------------------------------------------------------------ */

static void foreign_context_open_device_node_failure_is_returned(void **state)
{
	start_provider(state);
	open_node_ret = -EACCES;
	assert_open_fails(-EACCES);
	assert_int_equal(fake_foreign.nr_alloc_context, 0);
}

static void foreign_context_open_provider_failure_returns_errno(void **state)
{
	start_provider(state);
	fake_foreign.open_errno = ENODEV;
	assert_open_fails(-ENODEV);
	assert_nothing_is_left();
}

static void
foreign_context_open_provider_failure_without_errno_returns_eio(void **state)
{
	start_provider(state);
	fake_foreign.open_errno = 1;
	fake_foreign.keeps_errno = true;
	errno = EAGAIN; /* left over from an earlier call */
	assert_open_fails(-EIO);
	assert_nothing_is_left();
}

static void
foreign_context_open_provider_failure_after_allocation_frees_context(
	void **state)
{
	start_provider(state);
	fake_foreign.fails_late = true;
	fake_foreign.open_errno = ENOSPC;
	assert_open_fails(-ENOSPC);
	assert_nothing_is_left();
}

static void foreign_context_open_async_fd_failure_closes_context(void **state)
{
	start_provider(state);
	expect_async_fd(EMFILE);
	assert_open_fails(-EMFILE);
	assert_int_equal(fake_foreign.nr_free_context, 1);
	assert_nothing_is_left();
}

static void foreign_context_open_without_memory_leaks_nothing(void **state)
{
	start_provider(state);
	for (unsigned int n = 1; n <= 2; n++) {
		alloc_fail_at(n);
		assert_open_fails(-ENOMEM);
		assert_true(alloc_fail_done());
		assert_nothing_is_left();
		nr_closed = 0;
	}
	close_test_device(open_test_device());
}

static void foreign_context_init_short_struct_returns_einval(void **state)
{
	static const size_t at[] = { 0, 8, 1000, SIZE_MAX, SIZE_MAX - 700 };

	start_provider(state);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		size_t size = at[i] > 1000
				      ? 2000
				      : at[i] + fake_context_size(layout) - 1;

		errno = 0;
		assert_null(foreign_init_and_alloc_context(
			dev->pub, fake_kernel_fd(), size, (void *)at[i], 0));
		assert_int_equal(errno, EINVAL);
		assert_nothing_is_left();
		nr_closed = 0;
	}
}

static void foreign_context_init_native_device_returns_einval(void **state)
{
	static const struct verbs_device_ops ours = {
		.provider_abi = VERBS_PROVIDER_ABI,
		.name = "ours",
	};
	struct verbs_device *other;

	start_provider(state);
	other = verbs_device_new(&ours, "soft0", IBV_NODE_CA);
	assert_null(foreign_init_and_alloc_context(other->pub, fake_kernel_fd(),
						   2000, NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_null(foreign_init_and_alloc_context(NULL, fake_kernel_fd(), 2000,
						   NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(nr_closed, 2);
	verbs_device_put(other);
}

/* ------------------------------------------------------------------------ */
/* Position of the context in verbs_context                                  */
/* ------------------------------------------------------------------------ */

static void foreign_context_of_wrong_node_returns_null(void **state)
{
	static const unsigned int nodes[] = { 34, 57, 59, 64, 65 };
	struct ibv_context *ctx;
	void *vctx;

	start_provider(state);
	ctx = open_test_device();
	vctx = fake_foreign_vctx(layout, ctx);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct ibv_context *found = foreign_context_of(nodes[i], vctx);

		assert_ptr_equal(found, nodes[i] == layout->node ? ctx : NULL);
	}
	assert_null(foreign_context_of(layout->node, NULL));
	assert_null(foreign_context_of(35, vctx));
	close_test_device(ctx);
}

/* Calls of functions of different nodes must not write outside the context. */
static void foreign_context_set_ops_wrong_node_is_ignored(void **state)
{
	void *table[FAKE_MAX_SLOTS] = {};
	struct ibv_context *ctx;
	void *vctx;

	start_provider(state);
	ctx = open_test_device();
	vctx = fake_foreign_vctx(layout, ctx);
	for (size_t i = 0; i < FAKE_MAX_SLOTS; i++)
		table[i] = (void *)second_post_send;
	for (size_t i = 0; i < FAKE_NR_LAYOUTS; i++) {
		if (fake_layouts[i].node == layout->node)
			continue;
		fake_node_of(&fake_layouts[i])->set_ops(vctx, table);
		fake_node_of(&fake_layouts[i])->uninit_context(vctx);
	}
	assert_ptr_equal(ctx->ops.post_send, fake_foreign_post_send);
	assert_int_equal(nr_closed, 0);
	close_test_device(ctx);
}

/* ------------------------------------------------------------------------ */
/* verbs_open_device(), import                                               */
/* ------------------------------------------------------------------------ */

static void foreign_open_device_passes_private_data(void **state)
{
	static int private_data;
	struct ibv_context *ctx;

	start_provider(state);
	expect_async_fd(0);
	ctx = foreign_open_device(dev->pub, &private_data);
	assert_non_null(ctx);
	assert_ptr_equal(fake_foreign.private_data, &private_data);
	verbs_core_close(ctx);
	nr_closed = 0;
	fake_foreign.nr_free_context = 0;

	/* The data is for that call only. */
	ctx = open_test_device();
	assert_null(fake_foreign.private_data);
	close_test_device(ctx);
}

static void open_device_again(struct ibv_context *ctx)
{
	struct ibv_context *inner;

	fake_foreign.before_set_ops = NULL;
	expect_async_fd(0);
	assert_int_equal(verbs_core_open(dev, &inner), 0);
	verbs_core_close(inner);
	nr_closed = 0;
	fake_foreign.nr_free_context = 0;
	expect_async_fd(0); /* of the outer context */
}

static void foreign_open_device_nested_open_has_no_private_data(void **state)
{
	static int private_data;
	struct ibv_context *ctx;

	start_provider(state);
	fake_foreign.before_set_ops = open_device_again;
	ctx = foreign_open_device(dev->pub, &private_data);
	assert_non_null(ctx);
	assert_int_equal(fake_foreign.nr_alloc_context, 2);
	assert_null(fake_foreign.private_data); /* of the second call */
	close_test_device(ctx);
}

static void foreign_open_device_failure_discards_private_data(void **state)
{
	static int private_data;

	start_provider(state);
	fake_foreign.open_errno = ENOTTY;
	assert_null(foreign_open_device(dev->pub, &private_data));
	assert_int_equal(errno, ENOTTY);
	assert_open_fails(-ENOTTY);
	assert_null(fake_foreign.private_data);
}

static void foreign_context_import_calls_import_context(void **state)
{
	struct ibv_context *ctx;

	start_provider(state);
	expect_async_fd(0);
	assert_int_equal(verbs_core_import(fake_kernel_fd(), &ctx), 0);
	assert_int_equal(fake_foreign.nr_import_context, 1);
	assert_int_equal(fake_foreign.nr_alloc_context, 0);
	assert_true(verbs_priv(ctx)->kernel.imported);
	assert_int_equal(ctx->async_fd, ASYNC_FD);
	assert_int_equal(atomic_load(&dev->refs), 3);
	verbs_core_close(ctx);
	nr_closed = 0;
	fake_foreign.nr_free_context = 0;

	ctx = open_test_device();
	assert_false(verbs_priv(ctx)->kernel.imported);
	close_test_device(ctx);
}

static void assert_import_fails(int err)
{
	struct ibv_context *ctx = (void *)&leaks;

	assert_int_equal(verbs_core_import(fake_kernel_fd(), &ctx), err);
	assert_ptr_equal(ctx, &leaks);
	assert_int_equal(nr_closed, 0);
	assert_int_equal(atomic_load(&dev->refs), 2);
	leak_check_end(&leaks);
}

static void foreign_context_import_without_op_returns_eopnotsupp(void **state)
{
	start_provider(state);
	fake_foreign_ops.import_context = NULL;
	assert_import_fails(-EOPNOTSUPP);
}

static void foreign_context_import_invalid_descriptor_fails(void **state)
{
	start_provider(state);
	imported_mode = S_IFREG;
	assert_import_fails(-EINVAL);
	imported_mode = S_IFCHR;
	imported_device = 1;
	assert_import_fails(-ENODEV);
}

/* A device outside the kernel, which the provider has allocated. */
static void
foreign_context_open_device_without_node_has_no_descriptor(void **state)
{
	struct foreign_device device = {};
	struct verbs_device *own;
	struct ibv_context *ctx;

	start_provider(state);
	fake_foreign_ops.uninit_device = NULL;
	device.ops = &fake_foreign_ops;
	own = verbs_device_of(&device.device);
	assert_non_null(own);
	assert_int_equal(verbs_core_open(own, &ctx), 0);
	assert_int_equal(fake_foreign.cmd_fd, -1);
	assert_int_equal(ctx->async_fd, -1);
	assert_ptr_equal(ctx->device, &device.device);
	verbs_core_close(ctx);
	verbs_device_put(own);
	assert_int_equal(nr_closed, 0);
	leak_check_end(&leaks);
}

/* ------------------------------------------------------------------------ */

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(foreign_context_open_initialises_all_members),
	cmocka_unit_test(foreign_context_set_ops_sets_ops_by_name),
	cmocka_unit_test(foreign_context_set_ops_second_call_replaces_ops),
	cmocka_unit_test(foreign_context_command_before_set_ops_is_sent),
	cmocka_unit_test(foreign_context_without_set_ops_has_default_ops),
	cmocka_unit_test(foreign_context_open_device_node_failure_is_returned),
	cmocka_unit_test(foreign_context_open_provider_failure_returns_errno),
	cmocka_unit_test(
		foreign_context_open_provider_failure_without_errno_returns_eio),
	cmocka_unit_test(
		foreign_context_open_provider_failure_after_allocation_frees_context),
	cmocka_unit_test(foreign_context_open_async_fd_failure_closes_context),
	cmocka_unit_test(foreign_context_open_without_memory_leaks_nothing),
	cmocka_unit_test(foreign_context_init_short_struct_returns_einval),
	cmocka_unit_test(foreign_context_init_native_device_returns_einval),
	cmocka_unit_test(foreign_context_of_wrong_node_returns_null),
	cmocka_unit_test(foreign_context_set_ops_wrong_node_is_ignored),
	cmocka_unit_test(foreign_open_device_passes_private_data),
	cmocka_unit_test(foreign_open_device_nested_open_has_no_private_data),
	cmocka_unit_test(foreign_open_device_failure_discards_private_data),
	cmocka_unit_test(foreign_context_import_calls_import_context),
	cmocka_unit_test(foreign_context_import_without_op_returns_eopnotsupp),
	cmocka_unit_test(foreign_context_import_invalid_descriptor_fails),
	cmocka_unit_test(
		foreign_context_open_device_without_node_has_no_descriptor),
};

#define NR_TESTS (sizeof(tests) / sizeof(tests[0]))

/* Run each test with each layout. */
int main(void)
{
	static struct CMUnitTest all[FAKE_NR_LAYOUTS * NR_TESTS];
	size_t count = 0;

	for (size_t i = 0; i < FAKE_NR_LAYOUTS; i++) {
		for (size_t t = 0; t < NR_TESTS; t++) {
			all[count] = tests[t];
			all[count++].initial_state = (void *)&fake_layouts[i];
		}
	}
	return own_process_group(all, count);
}
