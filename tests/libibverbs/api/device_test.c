/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_get_device_list(3) and the queries of listed devices:
 * libibverbs/api/device.c. Linked with WRAP verbs_library_init.
 */
#include "core/library_init.h"
#include "core/provider_registry.h"
#include "libibverbs/api/api_fixture.h"
#include "support/alloc_fail.h"
#include "support/fake_discover.h"
#include "support/leak_check.h"

static unsigned int nr_inits;
static struct leak_check check;

void __wrap_verbs_library_init(void);

void __wrap_verbs_library_init(void)
{
	nr_inits++;
}

static int device_setup(void **state)
{
	nr_inits = 0;
	fake_discover_reset();
	fake_provider_reset();
	assert_int_equal(verbs_provider_register(&verbs_provider_fake), 0);
	leak_check_begin(&check);
	return 0;
}

static int device_teardown(void **state)
{
	struct ibv_device **list;

	fake_discover_reset();
	fake_provider_reset();
	list = ibv_get_device_list(NULL); /* removes the devices */
	assert_non_null(list);
	ibv_free_device_list(list);
	leak_check_end(&check);
	return 0;
}

static void add_devices(unsigned int count)
{
	for (unsigned int n = 0; n < count; n++) {
		struct verbs_kernel_device record = fake_discover_record(n);

		fake_discover_add(&record);
	}
}

static void get_device_list_is_counted_and_null_terminated(void **state)
{
	struct ibv_device **list;
	int count = -1;

	add_devices(3);
	list = ibv_get_device_list(&count);
	assert_non_null(list);
	assert_int_equal(count, 3);
	for (int i = 0; i < 3; i++)
		assert_non_null(list[i]);
	assert_null(list[3]);
	ibv_free_device_list(list);
}

static void get_device_list_count_pointer_is_optional(void **state)
{
	struct ibv_device **list;

	add_devices(1);
	list = ibv_get_device_list(NULL);
	assert_non_null(list);
	assert_non_null(list[0]);
	assert_null(list[1]);
	ibv_free_device_list(list);
}

static void get_device_list_empty_is_not_null(void **state)
{
	struct ibv_device **list;
	int count = -1;

	list = ibv_get_device_list(&count);
	assert_non_null(list);
	assert_null(list[0]);
	assert_int_equal(count, 0);
	ibv_free_device_list(list);
}

static void get_device_list_success_keeps_errno(void **state)
{
	struct ibv_device **list;

	add_devices(1);
	errno = SOME_ERRNO;
	list = ibv_get_device_list(NULL);
	assert_int_equal(errno, SOME_ERRNO);
	ibv_free_device_list(list);
	assert_int_equal(errno, SOME_ERRNO);
}

static void assert_list_fails(int err)
{
	int count = -1;

	add_devices(1);
	fake_discover_fail(-err);
	ASSERT_NULL(ibv_get_device_list(&count), err);
	assert_int_equal(count, 0);
	ASSERT_NULL(ibv_get_device_list(NULL), err);
}

static void get_device_list_kernel_without_rdma_is_enosys(void **state)
{
	assert_list_fails(ENOSYS);
}

static void get_device_list_forbidden_is_eperm(void **state)
{
	assert_list_fails(EPERM);
}

static void get_device_list_without_memory_is_enomem(void **state)
{
	assert_list_fails(ENOMEM);
}

static void get_device_list_allocation_failure_is_enomem(void **state)
{
	for (unsigned int n = 1;; n++) {
		struct ibv_device **list;
		int count = -1;
		bool failed;

		fake_discover_reset();
		list = ibv_get_device_list(NULL);
		ibv_free_device_list(list);
		add_devices(2);
		alloc_fail_at(n);
		list = ibv_get_device_list(&count);
		failed = alloc_fail_done();
		if (!failed) {
			assert_non_null(list);
			ibv_free_device_list(list);
			assert_in_range(n, 4, 20);
			break;
		}
		assert_null(list);
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(count, 0);
	}
}

static void get_device_list_initializes_library(void **state)
{
	ibv_free_device_list(ibv_get_device_list(NULL));
	assert_true(nr_inits > 0);
}

static void free_device_list_null_is_harmless(void **state)
{
	ibv_free_device_list(NULL);
}

static void get_device_name_returns_name(void **state)
{
	struct ibv_device **list;

	add_devices(1);
	list = ibv_get_device_list(NULL);
	assert_string_equal(ibv_get_device_name(list[0]), "fake0");
	ibv_free_device_list(list);
}

static void get_device_guid_returns_guid(void **state)
{
	struct ibv_device **list;

	add_devices(2);
	list = ibv_get_device_list(NULL);
	assert_true(ibv_get_device_guid(list[1]) == htobe64(2));
	ibv_free_device_list(list);
}

static void get_device_index_returns_index(void **state)
{
	struct ibv_device **list;

	add_devices(2);
	list = ibv_get_device_list(NULL);
	assert_int_equal(ibv_get_device_index(list[0]), 0);
	assert_int_equal(ibv_get_device_index(list[1]), 1);
	ibv_free_device_list(list);
}

static void get_device_index_without_netlink_is_minus_1(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct ibv_device **list;

	record.ibdev_index = -1;
	fake_discover_add(&record);
	list = ibv_get_device_list(NULL);
	assert_int_equal(ibv_get_device_index(list[0]), -1);
	ibv_free_device_list(list);
}

static void get_device_index_of_user_space_device_is_minus_1(void **state)
{
	struct ibv_device **list;

	fake_provider.offers[0] = "soft0";
	list = ibv_get_device_list(NULL);
	assert_int_equal(ibv_get_device_index(list[0]), -1);
	ibv_free_device_list(list);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, device_setup, device_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(get_device_list_is_counted_and_null_terminated),
		TEST(get_device_list_count_pointer_is_optional),
		TEST(get_device_list_empty_is_not_null),
		TEST(get_device_list_success_keeps_errno),
		TEST(get_device_list_kernel_without_rdma_is_enosys),
		TEST(get_device_list_forbidden_is_eperm),
		TEST(get_device_list_without_memory_is_enomem),
		TEST(get_device_list_allocation_failure_is_enomem),
		TEST(get_device_list_initializes_library),
		TEST(free_device_list_null_is_harmless),
		TEST(get_device_name_returns_name),
		TEST(get_device_guid_returns_guid),
		TEST(get_device_index_returns_index),
		TEST(get_device_index_without_netlink_is_minus_1),
		TEST(get_device_index_of_user_space_device_is_minus_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
