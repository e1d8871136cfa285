/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sentences about errors of the kernel, which the fake provider returns: limits
 * of the process, and calls that follow the rules. The module's objects are
 * linked. Linked with WRAP secure_getenv and verbs_open_node.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "core/core_context.h"
#include "core/device_open.h"
#include "libibverbs/core/fake_layer.h"
#include "libibverbs/core/list_fixture.h"
#include "libibverbs/layers/explain_fixture.h"
#include "support/fake_provider.h"

static int open_node_ret;
static struct ibv_device *device;
static struct ibv_context *ctx;

char *__wrap_secure_getenv(const char *name);
int __wrap_verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd);

char *__wrap_secure_getenv(const char *name)
{
	static char one[] = "1";

	return strcmp(name, "VERBS_EXPLAIN") == 0 ? one : NULL;
}

int __wrap_verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd)
{
	if (open_node_ret)
		return open_node_ret;
	*ret_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return *ret_fd < 0 ? -errno : 0;
}

static int errno_setup(void **state)
{
	struct list list;

	fake_layer_hooks = &verbs_layer_hooks;
	list_start();
	list_appear(0, 0);
	list = list_get();
	device = list.array[0];
	explain_capture_start();
	return 0;
}

static int errno_setup_open(void **state)
{
	(void)errno_setup(state);
	ctx = ibv_open_device(device);
	return ctx ? 0 : -1;
}

static void open_permission_denied_names_node(void **state)
{
	open_node_ret = -EACCES;
	assert_null(ibv_open_device(device));
	assert_int_equal(errno, EACCES);
	assert_explained("ibv_open_device(fake0): EACCES",
			 "may not open /dev/infiniband/uverbs0", "udev", NULL);
}

static void open_node_missing_names_module(void **state)
{
	open_node_ret = -ENOENT;
	assert_null(ibv_open_device(device));
	assert_explained("there is no node /dev/infiniband/uverbs0",
			 "ib_uverbs", NULL);
}

static void open_descriptors_used_up_names_limit(void **state)
{
	open_node_ret = -EMFILE;
	assert_null(ibv_open_device(device));
	assert_explained("EMFILE", "RLIMIT_NOFILE is ", NULL);
}

static void reg_mr_locked_memory_limited_names_numbers(void **state)
{
	struct rlimit limit = { 65536, 65536 };
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	static char memory[1 << 20];

	assert_non_null(pd);
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	fake_provider.ret = -ENOMEM;
	assert_null(
		ibv_reg_mr(pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, ENOMEM);
	assert_explained("ENOMEM", "RLIMIT_MEMLOCK is 65536 bytes",
			 "this region needs 1048576 more", NULL);
}

static void alloc_mw_type_unsupported_is_named(void **state)
{
	struct ibv_pd *pd = ibv_alloc_pd(ctx);

	assert_non_null(pd);
	fake_provider.ret = -EOPNOTSUPP;
	assert_null(ibv_alloc_mw(pd, IBV_MW_TYPE_2));
	assert_explained("ibv_alloc_mw(fake0): EOPNOTSUPP", "windows of type 2",
			 NULL);
}

static void alloc_pd_no_memory_is_explained(void **state)
{
	fake_provider.ret = -ENOMEM;
	assert_null(ibv_alloc_pd(ctx));
	assert_explained("ibv_alloc_pd(fake0): ENOMEM", "RLIMIT_MEMLOCK", NULL);
}

/* A call that follows the rules: the errno is explained. */
static void modify_qp_errno_of_kernel_is_explained(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_cq *cq = ibv_create_cq(ctx, 8, NULL, NULL, 0);
	struct ibv_qp_init_attr init_attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init_attr);

	assert_non_null(qp);
	fake_provider.ret = -ETIMEDOUT;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), ETIMEDOUT);
	assert_explained("ETIMEDOUT", "no route to the GID of the peer", NULL);
	fake_provider.ret = -EINVAL;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL);
	assert_explained("the driver refused a value", NULL);
	fake_provider.ret = -EIO;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EIO);
	assert_explained("the device has failed", NULL);
}

static void context_close_forgets_objects(void **state)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 8, NULL, NULL, 0);

	assert_non_null(cq);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
	assert_silent();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(open_permission_denied_names_node,
				       errno_setup),
		cmocka_unit_test_setup(open_node_missing_names_module,
				       errno_setup),
		cmocka_unit_test_setup(open_descriptors_used_up_names_limit,
				       errno_setup),
		cmocka_unit_test_setup(
			reg_mr_locked_memory_limited_names_numbers,
			errno_setup_open),
		cmocka_unit_test_setup(alloc_mw_type_unsupported_is_named,
				       errno_setup_open),
		cmocka_unit_test_setup(alloc_pd_no_memory_is_explained,
				       errno_setup_open),
		cmocka_unit_test_setup(modify_qp_errno_of_kernel_is_explained,
				       errno_setup_open),
		cmocka_unit_test_setup(context_close_forgets_objects,
				       errno_setup_open),
	};

	return own_process_run_group_tests(tests);
}
