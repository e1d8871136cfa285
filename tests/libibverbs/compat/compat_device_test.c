/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists and devices of libibverbs 1.0: libibverbs/compat/compat_device.c. */
#include <string.h>

#include "core/provider_registry.h"
#include "libibverbs/compat/compat_fixture.h"
#include "support/alloc_fail.h"
#include "support/fake_discover.h"
#include "support/leak_check.h"

static struct leak_check check;

static int compat_device_setup(void **state)
{
	fake_discover_reset();
	fake_provider_reset();
	assert_int_equal(verbs_provider_register(&verbs_provider_fake), 0);
	leak_check_begin(&check);
	fake_provider.offers[0] = "soft0";
	fake_provider.offers[1] = "soft1";
	fake_provider.offer_guid = htobe64(0x1234);
	return 0;
}

static int compat_device_teardown(void **state)
{
	fake_provider_reset();
	compat_ibv_free_device_list(compat_ibv_get_device_list(NULL));
	leak_check_end(&check);
	return 0;
}

static struct ibv_device_1_0 **compat_list_get(void)
{
	struct ibv_device_1_0 **list;
	int count = -1;

	errno = SOME_ERRNO;
	list = compat_ibv_get_device_list(&count);
	assert_non_null(list);
	assert_int_equal(errno, SOME_ERRNO);
	assert_int_equal(count, 2);
	return list;
}

static void compat_device_list_is_counted_and_null_terminated(void **state)
{
	struct ibv_device_1_0 **list = compat_list_get();

	assert_non_null(list[0]);
	assert_non_null(list[1]);
	assert_null(list[2]);
	compat_ibv_free_device_list(list);
}

static void compat_device_list_count_pointer_is_optional(void **state)
{
	struct ibv_device_1_0 **list = compat_ibv_get_device_list(NULL);

	assert_non_null(list);
	assert_non_null(list[1]);
	compat_ibv_free_device_list(list);
}

static void compat_device_has_name_and_guid(void **state)
{
	struct ibv_device_1_0 **list = compat_list_get();

	assert_string_equal(compat_ibv_get_device_name(list[0]), "soft0");
	assert_string_equal(compat_ibv_get_device_name(list[1]), "soft1");
	assert_int_equal(compat_ibv_get_device_guid(list[0]), htobe64(0x1234));
	compat_ibv_free_device_list(list);
}

static void compat_device_null_has_no_name(void **state)
{
	assert_null(compat_ibv_get_device_name(NULL));
	assert_int_equal(compat_ibv_get_device_guid(NULL), 0);
	ASSERT_NULL(compat_ibv_open_device(NULL), EINVAL);
	compat_ibv_free_device_list(NULL);
}

/* Freeing one list leaves the devices of another list valid. */
static void compat_device_lists_coexist(void **state)
{
	struct ibv_device_1_0 **first = compat_list_get(),
			      **second = compat_list_get();

	assert_ptr_not_equal(first, second);
	compat_ibv_free_device_list(first);
	assert_string_equal(compat_ibv_get_device_name(second[1]), "soft1");
	compat_ibv_free_device_list(second);
}

static void compat_device_of_context_survives_list_free(void **state)
{
	struct ibv_device_1_0 **list = compat_list_get();
	struct ibv_context_1_0 *ctx = compat_ibv_open_device(list[1]);

	assert_non_null(ctx);
	assert_ptr_equal(ctx->device, list[1]);
	compat_ibv_free_device_list(list);
	fake_provider.offers[1] = NULL;
	compat_ibv_free_device_list(compat_ibv_get_device_list(NULL));

	assert_string_equal(compat_ibv_get_device_name(ctx->device), "soft1");
	assert_int_equal(compat_ibv_close_device(ctx), 0);
}

static void compat_device_list_survives_context_close(void **state)
{
	struct ibv_device_1_0 **list = compat_list_get();
	struct ibv_context_1_0 *ctx = compat_ibv_open_device(list[0]);

	assert_non_null(ctx);
	assert_int_equal(compat_ibv_close_device(ctx), 0);
	assert_string_equal(compat_ibv_get_device_name(list[0]), "soft0");
	compat_ibv_free_device_list(list);
}

static void compat_device_list_discovery_failure_is_errno(void **state)
{
	int count = -1;

	fake_provider.offers[0] = NULL;
	fake_discover_fail(-ENOSYS);
	ASSERT_NULL(compat_ibv_get_device_list(&count), ENOSYS);
	assert_int_equal(count, 0);
	fake_discover_fail(0);
}

static void compat_device_list_without_memory_is_null(void **state)
{
	struct ibv_device_1_0 **list;
	unsigned int n;

	for (n = 1;; n++) {
		int count = -1;

		alloc_fail_at(n);
		errno = 0;
		list = compat_ibv_get_device_list(&count);
		if (!alloc_fail_done())
			break;
		assert_null(list);
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(count, 0);
	}
	assert_in_range(n, 4, 100); /* the list and two devices at least */
	compat_ibv_free_device_list(list);
}

#define DEVICE_TEST(name)                                          \
	cmocka_unit_test_setup_teardown(name, compat_device_setup, \
					compat_device_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DEVICE_TEST(compat_device_list_is_counted_and_null_terminated),
		DEVICE_TEST(compat_device_list_count_pointer_is_optional),
		DEVICE_TEST(compat_device_has_name_and_guid),
		DEVICE_TEST(compat_device_null_has_no_name),
		DEVICE_TEST(compat_device_lists_coexist),
		DEVICE_TEST(compat_device_of_context_survives_list_free),
		DEVICE_TEST(compat_device_list_survives_context_close),
		DEVICE_TEST(compat_device_list_discovery_failure_is_errno),
		DEVICE_TEST(compat_device_list_without_memory_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
