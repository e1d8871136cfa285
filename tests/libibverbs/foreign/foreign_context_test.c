/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of foreign providers, in each layout:
 * libibverbs/foreign/foreign_context.c and the half of foreign_device.c that
 * opens and closes. Each test has a process of its own.
 *
 * Linked with WRAP foreign_detect verbs_open_node ioctl write fstat
 * close.
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
static unsigned int nr_closed; /* descriptors of the fake kernel */
static mode_t imported_mode = S_IFCHR;
static unsigned int imported_device; /* number of the record */

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
static struct leak_check check;

/* dev is fake0; what is there from now on must go again. */
static void start(void **state)
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
	leak_check_begin(&check);
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

	/* What the provider says, whatever netlink does. */
	fake_kernel_driver_id(RDMA_DRIVER_SIW);
	fake_kernel_expect_ioctl(&cmd);
	if (!err)
		assert_int_equal(dup2(STDERR_FILENO, ASYNC_FD), ASYNC_FD);
}

static struct ibv_context *open_dev(void)
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
	assert_int_equal(atomic_load(&dev->refs), 2); /* list and array */
	leak_check_end(&check);
}

static void close_dev(struct ibv_context *ctx)
{
	verbs_core_close(ctx);
	assert_int_equal(fake_foreign.nr_free_context, 1);
	assert_nothing_is_left();
}

static void assert_open_fails(int err)
{
	struct ibv_context *ctx = (void *)&check;

	assert_int_equal(verbs_core_open(dev, &ctx), err);
	assert_ptr_equal(ctx, &check);
}

/* ------------------------------------------------------------------------ */
/* Opening and closing                                                       */
/* ------------------------------------------------------------------------ */

static void opened_context_is_whole(void **state)
{
	const struct verbs_context *vctx;
	struct ibv_context *ctx;

	start(state);
	ctx = open_dev();
	assert_ptr_equal(fake_foreign.device, dev->pub);
	assert_int_equal(fake_foreign.cmd_fd, fake_kernel_fd());
	assert_null(fake_foreign.private_data);
	assert_ptr_equal(ctx->device, dev->pub);
	assert_int_equal(ctx->cmd_fd, fake_kernel_fd());
	assert_int_equal(ctx->async_fd, ASYNC_FD);
	assert_ptr_equal(ctx->abi_compat, __VERBS_ABI_IS_EXTENDED);
	vctx = verbs_get_ctx(ctx);
	assert_int_equal(vctx->sz, fake_size(layout));
	assert_ptr_equal(verbs_priv(ctx)->dev, dev);
	assert_int_equal(foreign_variant(ctx)->node, layout->node);
	assert_int_equal(foreign_release(ctx), layout->release);
	close_dev(ctx);
}

static void ops_arrive_under_their_names(void **state)
{
	struct ibv_port_attr attr = {};
	struct ibv_context *ctx;
	struct ibv_pd *pd;

	start(state);
	ctx = open_dev();
	assert_ptr_equal(foreign_ops(ctx)->poll_cq, fake_foreign_poll_cq);
	assert_ptr_equal(foreign_ops(ctx)->post_send, fake_foreign_post_send);
	assert_null(foreign_ops(ctx)->post_recv);
	assert_ptr_equal(ctx->ops.poll_cq, fake_foreign_poll_cq);
	assert_ptr_equal(ctx->ops.post_send, fake_foreign_post_send);
	assert_int_equal(verbs_ops(ctx)->alloc_pd(ctx, &pd), 0);
	assert_int_equal(verbs_ops(ctx)->dealloc_pd(pd), 0);
	assert_int_equal(verbs_ops(ctx)->query_port(ctx, 1, &attr), 0);
	assert_int_equal(attr.lid, 0x1234);
	close_dev(ctx);
}

static int other_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr)
{
	return 1;
}

static void table_may_be_set_again(void **state)
{
	void *table[FAKE_MAX_SLOTS] = {};
	struct ibv_context *ctx;

	start(state);
	ctx = open_dev();
	table[layout->slot[FAKE_POST_SEND]] = (void *)other_post_send;
	fake_node_of(layout)->set_ops(fake_foreign_vctx(layout, ctx), table);
	assert_ptr_equal(ctx->ops.post_send, other_post_send);
	assert_ptr_equal(foreign_ops(ctx)->post_send, other_post_send);
	assert_ptr_equal(ctx->ops.poll_cq, fake_foreign_poll_cq);
	assert_non_null(foreign_ops(ctx)->alloc_pd);
	close_dev(ctx);
}

static void alloc_async_fd(struct ibv_context *ctx)
{
	int fd;

	assert_ptr_equal(ctx->device, dev->pub);
	assert_int_equal(ctx->cmd_fd, fake_kernel_fd());
	assert_int_equal(ctx->async_fd, -1);
	assert_int_equal(verbs_cmd_alloc_async_fd(ctx, &fd), 0);
	assert_int_equal(fd, ASYNC_FD);
}

/* mlx5 asks the kernel before it says what it can do. */
static void commands_work_before_the_table_is_set(void **state)
{
	start(state);
	fake_foreign.half_built = alloc_async_fd;
	expect_async_fd(0);
	close_dev(open_dev());
}

static void context_without_a_table_has_the_defaults(void **state)
{
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_wc wc;

	start(state);
	fake_foreign.sets_nothing = true;
	ctx = open_dev();
	assert_int_equal(verbs_ops(ctx)->alloc_pd(ctx, &pd), -EOPNOTSUPP);
	assert_int_not_equal(ctx->ops.poll_cq(NULL, 1, &wc), 0);
	verbs_core_close(ctx); /* nothing the provider would do */
	assert_int_equal(fake_foreign.nr_free_context, 0);
}

/* ------------------------------------------------------------------------ */
/* Failures                                                                  */
/* ------------------------------------------------------------------------ */

static void node_that_cannot_be_opened_is_told(void **state)
{
	start(state);
	open_node_ret = -EACCES;
	assert_open_fails(-EACCES);
	assert_int_equal(fake_foreign.nr_alloc_context, 0);
}

static void provider_that_fails_says_why(void **state)
{
	start(state);
	fake_foreign.open_errno = ENODEV;
	assert_open_fails(-ENODEV);
	assert_nothing_is_left();
}

static void provider_that_fails_for_no_reason_is_an_error(void **state)
{
	start(state);
	fake_foreign.open_errno = 1;
	fake_foreign.keeps_errno = true;
	errno = EAGAIN; /* of something else, long ago */
	assert_open_fails(-EIO);
	assert_nothing_is_left();
}

static void provider_may_fail_with_a_context_made(void **state)
{
	start(state);
	fake_foreign.fails_late = true;
	fake_foreign.open_errno = ENOSPC;
	assert_open_fails(-ENOSPC);
	assert_nothing_is_left();
}

static void failure_behind_the_provider_closes_it(void **state)
{
	start(state);
	expect_async_fd(EMFILE);
	assert_open_fails(-EMFILE);
	assert_int_equal(fake_foreign.nr_free_context, 1);
	assert_nothing_is_left();
}

static void out_of_memory_leaves_nothing(void **state)
{
	start(state);
	for (unsigned int n = 1; n <= 2; n++) {
		alloc_fail_at(n);
		assert_open_fails(-ENOMEM);
		assert_true(alloc_fail_done());
		assert_nothing_is_left();
		nr_closed = 0;
	}
	close_dev(open_dev());
}

static void struct_that_is_too_small_is_refused(void **state)
{
	static const size_t at[] = { 0, 8, 1000, SIZE_MAX, SIZE_MAX - 700 };

	start(state);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		size_t size = at[i] > 1000 ? 2000
					   : at[i] + fake_size(layout) - 1;

		errno = 0;
		assert_null(foreign_init_and_alloc_context(
			dev->pub, fake_kernel_fd(), size, (void *)at[i], 0));
		assert_int_equal(errno, EINVAL);
		assert_nothing_is_left();
		nr_closed = 0;
	}
}

static void device_of_somebody_else_is_refused(void **state)
{
	static const struct verbs_device_ops ours = {
		.provider_abi = VERBS_PROVIDER_ABI,
		.name = "ours",
	};
	struct verbs_device *other;

	start(state);
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
/* The context in a struct of the provider's                                 */
/* ------------------------------------------------------------------------ */

static void context_is_found_in_its_node_only(void **state)
{
	static const unsigned int nodes[] = { 34, 57, 59, 64, 65 };
	struct ibv_context *ctx;
	void *vctx;

	start(state);
	ctx = open_dev();
	vctx = fake_foreign_vctx(layout, ctx);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct ibv_context *found = foreign_context_of(nodes[i], vctx);

		assert_ptr_equal(found, nodes[i] == layout->node ? ctx : NULL);
	}
	assert_null(foreign_context_of(layout->node, NULL));
	assert_null(foreign_context_of(35, vctx));
	close_dev(ctx);
}

/* A module that mixes nodes must not make us write where nothing is ours. */
static void functions_of_another_node_do_nothing(void **state)
{
	void *table[FAKE_MAX_SLOTS] = {};
	struct ibv_context *ctx;
	void *vctx;

	start(state);
	ctx = open_dev();
	vctx = fake_foreign_vctx(layout, ctx);
	for (size_t i = 0; i < FAKE_MAX_SLOTS; i++)
		table[i] = (void *)other_post_send;
	for (size_t i = 0; i < FAKE_NR_LAYOUTS; i++) {
		if (fake_layouts[i].node == layout->node)
			continue;
		fake_node_of(&fake_layouts[i])->set_ops(vctx, table);
		fake_node_of(&fake_layouts[i])->uninit_context(vctx);
	}
	assert_ptr_equal(ctx->ops.post_send, fake_foreign_post_send);
	assert_int_equal(nr_closed, 0);
	close_dev(ctx);
}

/* ------------------------------------------------------------------------ */
/* Other ways to open                                                        */
/* ------------------------------------------------------------------------ */

static void vendor_s_own_open_has_a_word_with_the_provider(void **state)
{
	static int word;
	struct ibv_context *ctx;

	start(state);
	expect_async_fd(0);
	ctx = foreign_open_device(dev->pub, &word);
	assert_non_null(ctx);
	assert_ptr_equal(fake_foreign.private_data, &word);
	verbs_core_close(ctx);
	nr_closed = 0;
	fake_foreign.nr_free_context = 0;

	/* It is for that call only. */
	ctx = open_dev();
	assert_null(fake_foreign.private_data);
	close_dev(ctx);
}

static void open_device_again(struct ibv_context *ctx)
{
	struct ibv_context *inner;

	fake_foreign.half_built = NULL;
	expect_async_fd(0);
	assert_int_equal(verbs_core_open(dev, &inner), 0);
	verbs_core_close(inner);
	nr_closed = 0;
	fake_foreign.nr_free_context = 0;
	expect_async_fd(0); /* of the outer context */
}

static void open_device_nested_open_has_no_private_data(void **state)
{
	static int word;
	struct ibv_context *ctx;

	start(state);
	fake_foreign.half_built = open_device_again;
	ctx = foreign_open_device(dev->pub, &word);
	assert_non_null(ctx);
	assert_int_equal(fake_foreign.nr_alloc_context, 2);
	assert_null(fake_foreign.private_data); /* of the second call */
	close_dev(ctx);
}

static void word_is_forgotten_after_a_failure(void **state)
{
	static int word;

	start(state);
	fake_foreign.open_errno = ENOTTY;
	assert_null(foreign_open_device(dev->pub, &word));
	assert_int_equal(errno, ENOTTY);
	assert_open_fails(-ENOTTY);
	assert_null(fake_foreign.private_data);
}

static void device_is_imported(void **state)
{
	struct ibv_context *ctx;

	start(state);
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

	ctx = open_dev();
	assert_false(verbs_priv(ctx)->kernel.imported);
	close_dev(ctx);
}

static void assert_import_fails(int err)
{
	struct ibv_context *ctx = (void *)&check;

	assert_int_equal(verbs_core_import(fake_kernel_fd(), &ctx), err);
	assert_ptr_equal(ctx, &check);
	assert_int_equal(nr_closed, 0);
	assert_int_equal(atomic_load(&dev->refs), 2);
	leak_check_end(&check);
}

static void provider_that_cannot_import_says_so(void **state)
{
	start(state);
	fake_foreign_ops.import_context = NULL;
	assert_import_fails(-EOPNOTSUPP);
}

static void descriptor_of_no_device_cannot_be_imported(void **state)
{
	start(state);
	imported_mode = S_IFREG;
	assert_import_fails(-EINVAL);
	imported_mode = S_IFCHR;
	imported_device = 1;
	assert_import_fails(-ENODEV);
}

/* A device that the provider made by itself, without the kernel. */
static void device_without_a_node_needs_no_descriptor(void **state)
{
	struct foreign_device device = {};
	struct verbs_device *own;
	struct ibv_context *ctx;

	start(state);
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
	leak_check_end(&check);
}

/* ------------------------------------------------------------------------ */

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(opened_context_is_whole),
	cmocka_unit_test(ops_arrive_under_their_names),
	cmocka_unit_test(table_may_be_set_again),
	cmocka_unit_test(commands_work_before_the_table_is_set),
	cmocka_unit_test(context_without_a_table_has_the_defaults),
	cmocka_unit_test(node_that_cannot_be_opened_is_told),
	cmocka_unit_test(provider_that_fails_says_why),
	cmocka_unit_test(provider_that_fails_for_no_reason_is_an_error),
	cmocka_unit_test(provider_may_fail_with_a_context_made),
	cmocka_unit_test(failure_behind_the_provider_closes_it),
	cmocka_unit_test(out_of_memory_leaves_nothing),
	cmocka_unit_test(struct_that_is_too_small_is_refused),
	cmocka_unit_test(device_of_somebody_else_is_refused),
	cmocka_unit_test(context_is_found_in_its_node_only),
	cmocka_unit_test(functions_of_another_node_do_nothing),
	cmocka_unit_test(vendor_s_own_open_has_a_word_with_the_provider),
	cmocka_unit_test(open_device_nested_open_has_no_private_data),
	cmocka_unit_test(word_is_forgotten_after_a_failure),
	cmocka_unit_test(device_is_imported),
	cmocka_unit_test(provider_that_cannot_import_says_so),
	cmocka_unit_test(descriptor_of_no_device_cannot_be_imported),
	cmocka_unit_test(device_without_a_node_needs_no_descriptor),
};

#define NR_TESTS (sizeof(tests) / sizeof(tests[0]))

/* Each test with each layout. */
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
