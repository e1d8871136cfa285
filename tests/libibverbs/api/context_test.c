/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_open_device(3) and ibv_close_device(3), and the tables of an open
 * context: libibverbs/api/context.c, abi_tables.c. Linked with WRAP
 * verbs_open_node.
 */
#include <fcntl.h>
#include <provider/device.h>
#include <string.h>

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

/* A device of the kernel, in a list of its own. */
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

/* And without it again, so that nothing of it stays. */
static void forget_kernel_device(struct ibv_device **list)
{
	ibv_free_device_list(list);
	fake_discover_reset();
	ibv_free_device_list(ibv_get_device_list(NULL));
}

static void no_device_is_einval(void **state)
{
	ASSERT_NULL(ibv_open_device(NULL), EINVAL);
}

static void opening_leaves_errno_alone(void **state)
{
	struct ibv_context *ctx;

	errno = SOME_ERRNO;
	ctx = ibv_open_device(api.list[0]);
	assert_non_null(ctx);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OK(ibv_close_device(ctx));
}

static void context_belongs_to_its_device(void **state)
{
	assert_ptr_equal(api.ctx->device, api.list[0]);
}

static void forbidden_node_stays_eacces(void **state)
{
	struct ibv_device **list = list_kernel_device();

	open_node_ret = -EACCES;
	ASSERT_NULL(ibv_open_device(list[0]), EACCES);
	open_node_ret = -ENODEV;
	ASSERT_NULL(ibv_open_device(list[0]), ENODEV);
	open_node_ret = 0;
	forget_kernel_device(list);
}

static void failure_of_the_provider_is_told(void **state)
{
	fake_provider.open_ret = -EMLINK;
	ASSERT_NULL(ibv_open_device(api.list[0]), EMLINK);
}

static void failure_of_async_events_is_told(void **state)
{
	fake_provider.alloc_async_fd_ret = -ENFILE;
	ASSERT_NULL(ibv_open_device(api.list[0]), ENFILE);
}

static void each_allocation_may_fail(void **state)
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

static void context_outlives_the_list(void **state)
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

/* ------------------------------------------------------------------------ */
/* Tables                                                                    */
/* ------------------------------------------------------------------------ */

static void context_is_extended(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);

	assert_non_null(vctx);
	assert_ptr_equal(&vctx->context, api.ctx);
	assert_int_equal(vctx->sz, sizeof(*vctx));
}

static void data_path_leads_to_the_provider(void **state)
{
	const struct ibv_context_ops *ops = &api.ctx->ops;

	assert_non_null(ops->poll_cq);
	assert_non_null(ops->req_notify_cq);
	assert_non_null(ops->post_send);
	assert_non_null(ops->post_recv);
	assert_non_null(ops->post_srq_recv);
	assert_non_null(ops->bind_mw);
}

static void slots_that_inlines_call_unchecked_are_filled(void **state)
{
	assert_non_null(api.ctx->ops.alloc_mw);
	assert_non_null(api.ctx->ops.dealloc_mw);
}

static void what_the_library_has_is_in_the_extended_table(void **state)
{
	assert_non_null(verbs_get_ctx_op(api.ctx, query_port));
	assert_non_null(verbs_get_ctx_op(api.ctx, query_device_ex));
	assert_non_null(verbs_get_ctx_op(api.ctx, advise_mr));
	assert_non_null(verbs_get_ctx_op(api.ctx, create_cq_ex));
	assert_non_null(verbs_get_ctx_op(api.ctx, modify_cq));
	assert_non_null(verbs_get_ctx_op(api.ctx, create_srq_ex));
	assert_non_null(verbs_get_ctx_op(api.ctx, get_srq_num));
	assert_non_null(verbs_get_ctx_op(api.ctx, create_qp_ex));
	assert_non_null(verbs_get_ctx_op(api.ctx, open_qp));
	assert_non_null(verbs_get_ctx_op(api.ctx, open_xrcd));
	assert_non_null(verbs_get_ctx_op(api.ctx, close_xrcd));
}

static void what_nobody_has_is_not_supported(void **state)
{
	struct ibv_td_init_attr attr = {};

	ASSERT_NULL(ibv_alloc_td(api.ctx, &attr), EOPNOTSUPP);
}

static void compat_slots_lead_to_the_exported_functions(void **state)
{
	struct ibv_device_attr attr;

	fake_provider.device_attr.orig_attr.max_qp = 9;
	ASSERT_OK(api.ctx->ops._compat_query_device(api.ctx, &attr));
	assert_int_equal(attr.max_qp, 9);
	/* Those of libibverbs 1.0 that programs may still call. */
	assert_non_null(api.ctx->ops._compat_query_port);
	assert_non_null(api.ctx->ops._compat_alloc_pd);
	assert_non_null(api.ctx->ops._compat_create_qp);
	assert_non_null(api.ctx->ops._compat_detach_mcast);
}

static void setting_ops_later_leaves_the_library_s_slots(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);
	struct ibv_context_ops before = api.ctx->ops;

	verbs_context_set_ops(vctx, &fake_provider_ops);
	assert_memory_equal(&api.ctx->ops, &before, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(no_device_is_einval),
		API_TEST(opening_leaves_errno_alone),
		API_TEST(context_belongs_to_its_device),
		API_TEST(forbidden_node_stays_eacces),
		API_TEST(failure_of_the_provider_is_told),
		API_TEST(failure_of_async_events_is_told),
		API_TEST(each_allocation_may_fail),
		API_TEST(context_outlives_the_list),
		API_TEST(context_is_extended),
		API_TEST(data_path_leads_to_the_provider),
		API_TEST(slots_that_inlines_call_unchecked_are_filled),
		API_TEST(what_the_library_has_is_in_the_extended_table),
		API_TEST(what_nobody_has_is_not_supported),
		API_TEST(compat_slots_lead_to_the_exported_functions),
		API_TEST(setting_ops_later_leaves_the_library_s_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
