/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks the parts of the interface in include/provider/provider.h that need no
 * device: the registration of a provider, its match table, and the op table
 * that it sets when a context is opened. Compiled once per provider. The test
 * replaces the functions that open a context; all other functions are the
 * library's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <provider/provider.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct verbs_device_ops PROVIDER;

/* Contexts are opened on this device: the first one listed, if any. */
static struct ibv_device device;

/* Arguments and results of the replaced functions. */
static const struct verbs_context_ops *ops;
static unsigned int nr_contexts;
static bool no_memory;
static int get_context_err;

struct verbs_context *verbs_context_new(struct verbs_device *dev,
					struct verbs_cmd_file cmd_file,
					size_t size)
{
	struct verbs_context *vctx;

	assert_true(size >= sizeof(*vctx));
	vctx = no_memory ? NULL : calloc(1, size);
	if (!vctx) {
		if (cmd_file.fd >= 0)
			(void)close(cmd_file.fd);
		return NULL;
	}
	vctx->context.device = &device;
	vctx->context.cmd_fd = cmd_file.fd;
	vctx->context.async_fd = -1;
	nr_contexts++;
	return vctx;
}

void verbs_context_free(struct verbs_context *vctx)
{
	if (vctx->context.cmd_fd >= 0)
		(void)close(vctx->context.cmd_fd);
	nr_contexts--;
	free(vctx);
}

void verbs_context_set_ops(struct verbs_context *vctx,
			   const struct verbs_context_ops *new_ops)
{
	ops = new_ops;
}

int verbs_cmd_get_context(struct ibv_context *ctx,
			  const struct verbs_udata *udata)
{
	return get_context_err;
}

/* A kernel device needs a descriptor that the provider can close. */
static struct verbs_cmd_file cmd_file_new(void)
{
	return (struct verbs_cmd_file){
		.fd = PROVIDER.match ? dup(STDERR_FILENO) : -1,
	};
}

static struct verbs_context *context_open(void)
{
	struct verbs_context *vctx = NULL;

	ops = NULL;
	assert_int_equal(PROVIDER.open_context(NULL, cmd_file_new(), &vctx), 0);
	assert_non_null(vctx);
	assert_int_equal(nr_contexts, 1);
	return vctx;
}

/* add() callback of list_devices(). */
static int device_keep_first(void *arg, const char *name, int node_type,
			     __be64 node_guid)
{
	if (!device.name[0])
		(void)strncpy(device.name, name, sizeof(device.name) - 1);
	return 0;
}

static int setup(void **state)
{
	device = (struct ibv_device){};
	if (PROVIDER.list_devices)
		assert_int_equal(PROVIDER.list_devices(device_keep_first, NULL),
				 0);
	no_memory = false;
	get_context_err = 0;
	nr_contexts = 0;
	return 0;
}

/* -- registration -- */

static void provider_name_matches_declaration(void **state)
{
	assert_int_equal(PROVIDER.provider_abi, VERBS_PROVIDER_ABI);
	assert_string_equal(PROVIDER.name, PROVIDER_NAME);
	assert_null(PROVIDER.members); /* of verbs_provider_all only */
}

static void provider_has_match_table_or_list_devices(void **state)
{
	assert_true(PROVIDER.match || PROVIDER.list_devices);
	assert_true(PROVIDER.min_abi_version <= PROVIDER.max_abi_version);
}

static void provider_match_table_entries_are_valid(void **state)
{
	const struct verbs_match *match = PROVIDER.match;
	unsigned int nr = 0;

	if (!match)
		skip();
	for (; match->kind != VERBS_MATCH_END; match++, nr++) {
		assert_true(nr < 1000); /* VERBS_MATCH_END is missing */
		switch (match->kind) {
		case VERBS_MATCH_DRIVER_ID:
			assert_int_not_equal(match->driver_id, 0);
			break;
		case VERBS_MATCH_NAME:
			assert_non_null(match->prefix);
			assert_true(strlen(match->prefix) > 0);
			break;
		default:
			fail_msg("entry %u has kind %d", nr, (int)match->kind);
		}
	}
	assert_true(nr > 0);
}

static int device_count(void *arg, const char *name, int node_type,
			__be64 node_guid)
{
	unsigned int *nr = arg;

	assert_true(strlen(name) > 0);
	assert_true(strlen(name) < VERBS_DEVICE_NAME_LEN);
	(*nr)++;
	return 0;
}

static int device_refuse(void *arg, const char *name, int node_type,
			 __be64 node_guid)
{
	return -E2BIG;
}

static void provider_list_devices_returns_names(void **state)
{
	unsigned int nr = 0;

	if (!PROVIDER.list_devices)
		skip();
	assert_int_equal(PROVIDER.list_devices(device_count, &nr), 0);
	if (nr > 0)
		assert_int_equal(PROVIDER.list_devices(device_refuse, NULL),
				 -E2BIG);
}

/* -- contexts -- */

static void provider_open_context_sets_ops(void **state)
{
	struct verbs_context *vctx = context_open();

	assert_non_null(ops);
	PROVIDER.close_context(vctx);
	assert_int_equal(nr_contexts, 0);
}

static void provider_open_context_without_memory_returns_enomem(void **state)
{
	struct verbs_context *vctx = NULL;

	no_memory = true;
	assert_int_equal(PROVIDER.open_context(NULL, cmd_file_new(), &vctx),
			 -ENOMEM);
	assert_null(vctx);
}

static void provider_open_context_kernel_error_frees_context(void **state)
{
	struct verbs_context *vctx = NULL;

	if (!PROVIDER.match)
		skip();
	get_context_err = -ENODEV;
	assert_int_equal(PROVIDER.open_context(NULL, cmd_file_new(), &vctx),
			 -ENODEV);
	assert_null(vctx);
	assert_int_equal(nr_contexts, 0);
}

/* -- ops -- */

static void provider_ops_include_query_device_and_port(void **state)
{
	PROVIDER.close_context(context_open());
	assert_non_null(ops->query_device);
	assert_non_null(ops->query_port);
}

/* Both ops are set, or neither. */
#define PAIR(make, unmake)                                                     \
	do {                                                                   \
		if (!ops->make != !ops->unmake)                                \
			fail_msg("%s without %s", ops->make ? #make : #unmake, \
				 ops->make ? #unmake : #make);                 \
	} while (0)

/* @op is useless without @other. */
#define NEEDS(op, other)                                        \
	do {                                                    \
		if (ops->op && !ops->other)                     \
			fail_msg("%s without %s", #op, #other); \
	} while (0)

static void provider_ops_pair_create_with_destroy(void **state)
{
	PROVIDER.close_context(context_open());
	PAIR(alloc_pd, dealloc_pd);
	PAIR(open_xrcd, close_xrcd);
	PAIR(reg_mr, dereg_mr);
	PAIR(alloc_mw, dealloc_mw);
	PAIR(create_ah, destroy_ah);
	PAIR(attach_mcast, detach_mcast);
	PAIR(create_cq, destroy_cq);
	PAIR(create_srq, destroy_srq);
	PAIR(create_qp, destroy_qp);
	PAIR(set_ece, query_ece);
}

static void provider_ops_include_required_ops(void **state)
{
	PROVIDER.close_context(context_open());
	NEEDS(reg_mr, alloc_pd);
	NEEDS(reg_dmabuf_mr, dereg_mr);
	NEEDS(rereg_mr, reg_mr);
	NEEDS(create_ah, alloc_pd);
	NEEDS(create_cq, poll_cq);
	NEEDS(create_cq, req_notify_cq);
	NEEDS(resize_cq, create_cq);
	NEEDS(modify_cq, create_cq);
	NEEDS(create_srq, post_srq_recv);
	NEEDS(create_srq, query_srq);
	NEEDS(modify_srq, create_srq);
	NEEDS(create_qp, create_cq);
	NEEDS(create_qp, modify_qp);
	NEEDS(create_qp, query_qp);
	NEEDS(create_qp, post_send);
	NEEDS(create_qp, post_recv);
	NEEDS(open_qp, open_xrcd);
	NEEDS(bind_mw, alloc_mw);
	NEEDS(attach_mcast, create_qp);
}

/* The library's defaults send kernel commands and cannot be used. */
static void provider_without_kernel_device_has_own_event_ops(void **state)
{
	if (PROVIDER.match)
		skip();
	PROVIDER.close_context(context_open());
	assert_non_null(ops->alloc_async_fd);
	NEEDS(create_cq, create_comp_channel);
	NEEDS(create_qp, query_gid_entry);
	NEEDS(create_qp, query_gid_table);
	NEEDS(create_qp, query_pkey);
}

static void provider_without_kernel_device_allocates_pd(void **state)
{
	struct verbs_context *vctx;
	struct ibv_pd *pd = NULL;

	if (PROVIDER.match)
		skip(); /* the test has no kernel device */
	vctx = context_open();
	if (ops->alloc_pd) {
		assert_int_equal(ops->alloc_pd(&vctx->context, &pd), 0);
		assert_non_null(pd);
		assert_int_equal(ops->dealloc_pd(pd), 0);
	}
	PROVIDER.close_context(vctx);
}

static void provider_alloc_async_fd_sets_cloexec(void **state)
{
	struct verbs_context *vctx;
	int fd = -1;

	if (PROVIDER.match)
		skip();
	vctx = context_open();
	assert_int_equal(ops->alloc_async_fd(&vctx->context, &fd), 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(close(fd), 0);
	PROVIDER.close_context(vctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(provider_name_matches_declaration,
				       setup),
		cmocka_unit_test_setup(provider_has_match_table_or_list_devices,
				       setup),
		cmocka_unit_test_setup(provider_match_table_entries_are_valid,
				       setup),
		cmocka_unit_test_setup(provider_list_devices_returns_names,
				       setup),
		cmocka_unit_test_setup(provider_open_context_sets_ops, setup),
		cmocka_unit_test_setup(
			provider_open_context_without_memory_returns_enomem,
			setup),
		cmocka_unit_test_setup(
			provider_open_context_kernel_error_frees_context,
			setup),
		cmocka_unit_test_setup(
			provider_ops_include_query_device_and_port, setup),
		cmocka_unit_test_setup(provider_ops_pair_create_with_destroy,
				       setup),
		cmocka_unit_test_setup(provider_ops_include_required_ops,
				       setup),
		cmocka_unit_test_setup(
			provider_without_kernel_device_has_own_event_ops,
			setup),
		cmocka_unit_test_setup(
			provider_without_kernel_device_allocates_pd, setup),
		cmocka_unit_test_setup(provider_alloc_async_fd_sets_cloexec,
				       setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
