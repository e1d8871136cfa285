/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two things that most programs do not use: the form of ibv_get_device_list()
 * that names providers for static linking, and <infiniband/arch.h>, which
 * warns by design and so has to be compiled with that warning off.
 *
 * Nothing of the library is linked. What libibverbs.a defines is defined
 * here, with one provider missing from the references on purpose: mlx5 is not
 * asked for, so the program must link without it.
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

const struct verbs_device_ops verbs_provider_rxe = { "rxe" };
const struct verbs_device_ops verbs_provider_uroce = { "uroce" };
const struct verbs_device_ops verbs_provider_none = { NULL };

#define NR_REFERENCES 20

static const struct verbs_device_ops *references[NR_REFERENCES + 1];
static struct ibv_device *no_devices[1];

void ibv_static_providers(void *unused, ...)
{
	va_list args;
	size_t i;

	assert_null(unused);
	va_start(args, unused);
	for (i = 0; i <= NR_REFERENCES; i++)
		references[i] = va_arg(args, const struct verbs_device_ops *);
	va_end(args);
}

struct ibv_device **(ibv_get_device_list)(int *num_devices)
{
	*num_devices = 0;
	return no_devices;
}

static void device_list_refers_to_the_named_providers(void **state)
{
	int num = -1;
	size_t i;

	(void)state;
	assert_ptr_equal(ibv_get_device_list(&num), no_devices);
	assert_int_equal(num, 0);
	assert_ptr_equal(references[0], &verbs_provider_rxe);
	assert_ptr_equal(references[1], &verbs_provider_uroce);
	for (i = 2; i < NR_REFERENCES; i++)
		assert_ptr_equal(references[i], &verbs_provider_none);
	assert_null(references[NR_REFERENCES]);
}

static void function_behind_the_macro_has_a_name(void **state)
{
	int num = -1;

	(void)state;
	assert_ptr_equal(__ibv_get_device_list(&num), no_devices);
}

static void old_byte_order_functions_go_to_network_order(void **state)
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
		cmocka_unit_test(device_list_refers_to_the_named_providers),
		cmocka_unit_test(function_behind_the_macro_has_a_name),
		cmocka_unit_test(old_byte_order_functions_go_to_network_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
