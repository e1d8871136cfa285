/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two parts of the headers that few programs use: the form of
 * ibv_get_device_list() that names providers for static linking, and
 * <infiniband/arch.h>, which warns by design and is compiled with that warning
 * off.
 *
 * The library is not linked; the test defines what libibverbs.a would define.
 * inline_static_list.c, which is compiled once per list of providers, provides
 * list_all_providers() and its like.
 */
#define RDMA_STATIC_PROVIDERS rxe, uroce
#include <infiniband/arch.h>
#include <infiniband/verbs.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct verbs_device_ops {
	const char *name;
};

#define DEFINE_PROVIDER(p) \
	const struct verbs_device_ops verbs_provider_##p = { #p }

DEFINE_PROVIDER(bnxt_re);
DEFINE_PROVIDER(cxgb4);
DEFINE_PROVIDER(efa);
DEFINE_PROVIDER(erdma);
DEFINE_PROVIDER(hfi1verbs);
DEFINE_PROVIDER(hns);
DEFINE_PROVIDER(ionic);
DEFINE_PROVIDER(ipathverbs);
DEFINE_PROVIDER(irdma);
DEFINE_PROVIDER(mana);
DEFINE_PROVIDER(mlx4);
DEFINE_PROVIDER(mlx5);
DEFINE_PROVIDER(mthca);
DEFINE_PROVIDER(ocrdma);
DEFINE_PROVIDER(qedr);
DEFINE_PROVIDER(rxe);
DEFINE_PROVIDER(siw);
DEFINE_PROVIDER(uroce);
DEFINE_PROVIDER(vmw_pvrdma);
DEFINE_PROVIDER(all);
DEFINE_PROVIDER(none);

/* More than any list of the tests has. */
#define MAX_REFERENCES 32

static const struct verbs_device_ops *references[MAX_REFERENCES];
static size_t nr_references;
static struct ibv_device *no_devices[1];

/* The lists of inline_static_list.c */
struct ibv_device **list_no_providers(int *num_devices);
struct ibv_device **list_all_providers(int *num_devices);
struct ibv_device **list_one_provider(int *num_devices);
struct ibv_device **list_20_providers(int *num_devices);
struct ibv_device **list_24_providers(int *num_devices);

void ibv_static_providers(void *unused, ...)
{
	const struct verbs_device_ops *ops;
	va_list args;

	assert_null(unused);
	nr_references = 0;
	va_start(args, unused);
	while ((ops = va_arg(args, const struct verbs_device_ops *)) != NULL) {
		assert_true(nr_references < MAX_REFERENCES);
		references[nr_references++] = ops;
	}
	va_end(args);
}

struct ibv_device **(ibv_get_device_list)(int *num_devices)
{
	*num_devices = 0;
	return no_devices;
}

/* Calls @list and checks that it passed the providers @names, in order. */
static void assert_list_passes(struct ibv_device **(*list)(int *num_devices),
			       const char *const *names, size_t nr_names)
{
	int num = -1;
	size_t i;

	assert_ptr_equal(list(&num), no_devices);
	assert_int_equal(num, 0);
	assert_int_equal(nr_references, nr_names);
	for (i = 0; i < nr_names; i++)
		assert_string_equal(references[i]->name, names[i]);
}

static const char *const all_names[] = {
	"rxe",	      "siw",	   "uroce", "bnxt_re", "cxgb4",	     "efa",
	"erdma",      "hfi1verbs", "hns",   "ionic",   "ipathverbs", "irdma",
	"mana",	      "mlx4",	   "mlx5",  "mthca",   "ocrdma",     "qedr",
	"vmw_pvrdma", "none",	   "rxe",   "siw",     "uroce",	     "efa",
};

static void static_device_list_passes_named_providers(void **state)
{
	int num = -1;

	(void)state;
	assert_ptr_equal(ibv_get_device_list(&num), no_devices);
	assert_int_equal(num, 0);
	assert_int_equal(nr_references, 2);
	assert_ptr_equal(references[0], &verbs_provider_rxe);
	assert_ptr_equal(references[1], &verbs_provider_uroce);
}

static void static_device_list_passes_keyword_none(void **state)
{
	static const char *const names[] = { "none" };

	(void)state;
	assert_list_passes(list_no_providers, names, 1);
	assert_ptr_equal(references[0], &verbs_provider_none);
}

static void static_device_list_passes_keyword_all(void **state)
{
	static const char *const names[] = { "all" };

	(void)state;
	assert_list_passes(list_all_providers, names, 1);
	assert_ptr_equal(references[0], &verbs_provider_all);
}

static void static_device_list_passes_lone_provider(void **state)
{
	static const char *const names[] = { "siw" };

	(void)state;
	assert_list_passes(list_one_provider, names, 1);
}

static void static_device_list_passes_20_providers(void **state)
{
	(void)state;
	assert_list_passes(list_20_providers, all_names, 20);
}

static void static_device_list_passes_24_providers(void **state)
{
	(void)state;
	assert_list_passes(list_24_providers, all_names, 24);
}

static void static_device_list_macro_has_named_function(void **state)
{
	int num = -1;

	(void)state;
	assert_ptr_equal(__ibv_get_device_list(&num), no_devices);
}

static void arch_byte_order_macros_convert_to_network_order(void **state)
{
	static const unsigned char wire[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint64_t value;

	(void)state;
	memcpy(&value, wire, sizeof(value));
	assert_true(ntohll(value) == 0x0102030405060708);
	assert_true(htonll(0x0102030405060708) == value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(static_device_list_passes_named_providers),
		cmocka_unit_test(static_device_list_passes_keyword_none),
		cmocka_unit_test(static_device_list_passes_keyword_all),
		cmocka_unit_test(static_device_list_passes_lone_provider),
		cmocka_unit_test(static_device_list_passes_20_providers),
		cmocka_unit_test(static_device_list_passes_24_providers),
		cmocka_unit_test(static_device_list_macro_has_named_function),
		cmocka_unit_test(
			arch_byte_order_macros_convert_to_network_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
