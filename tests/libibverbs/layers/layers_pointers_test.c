/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pointers of the data path, on the user-space device: layers_pointers_test
 * MODULE. Without VERBS_EXPLAIN all are of the provider, and with it those that
 * are observed are of the module of the layers.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "providers/uroce/program/verbs_fixture.h"

static const char *observed_module;

#define PROVIDER "liburoce-anyverbs1.so"

static void assert_in_module(const void *function, const char *module)
{
	Dl_info info;

	assert_int_not_equal(dladdr(function, &info), 0);
	assert_non_null(strstr(info.dli_fname, module));
}

#define assert_observed(function) \
	assert_in_module(*(const void *const *)&(function), observed_module)
#define assert_provider(function) \
	assert_in_module(*(const void *const *)&(function), PROVIDER)

static void context_pointers_belong_to_expected_module(void **state)
{
	const struct ibv_context_ops *ops = &fixture.ctx->ops;

	assert_observed(ops->post_send);
	assert_observed(ops->post_recv);
	assert_observed(ops->post_srq_recv);
	assert_observed(ops->poll_cq);
	assert_provider(ops->req_notify_cq);
}

static void qp_ex_pointers_belong_to_expected_module(void **state)
{
	struct ibv_qp *qp = fixture_new_qp_ex(IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	assert_non_null(qpx);
	assert_observed(qpx->wr_complete);
	assert_provider(qpx->wr_start);
	assert_provider(qpx->wr_send);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void cq_ex_pointers_belong_to_expected_module(void **state)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 8 };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(fixture.ctx, &attr);

	assert_non_null(cq);
	assert_observed(cq->start_poll);
	assert_observed(cq->next_poll);
	assert_provider(cq->end_poll);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

/* Whether a loaded module has the name of the layers. */
static int module_is_layers(struct dl_phdr_info *info, size_t size, void *arg)
{
	return strstr(info->dlpi_name, "layers-anyverbs1.so") != NULL;
}

static void module_is_loaded_only_on_request(void **state)
{
	assert_int_equal(dl_iterate_phdr(module_is_layers, NULL),
			 strcmp(observed_module, PROVIDER) != 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(context_pointers_belong_to_expected_module),
		cmocka_unit_test(qp_ex_pointers_belong_to_expected_module),
		cmocka_unit_test(cq_ex_pointers_belong_to_expected_module),
		cmocka_unit_test(module_is_loaded_only_on_request),
	};

	if (argc != 2)
		return EXIT_FAILURE;
	observed_module = argv[1];
	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
