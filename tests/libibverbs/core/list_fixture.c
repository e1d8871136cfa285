/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Helpers for tests of the device list: see list_fixture.h. */
#include "libibverbs/core/list_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/provider_registry.h"
#include "libibverbs/core/fake_load.h"
#include "support/fake_discover.h"
#include "support/fake_provider.h"

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

void list_start(void)
{
	fake_discover_reset();
	fake_provider_reset();
	fake_load = (struct fake_load){};
	assert_int_equal(verbs_provider_register(&verbs_provider_fake), 0);
}

struct list list_get(void)
{
	struct list list = { .count = -1 };

	assert_int_equal(verbs_device_list_get(&list.array, &list.count), 0);
	assert_non_null(list.array);
	for (int i = 0; i < list.count; i++)
		assert_non_null(list.array[i]);
	assert_null(list.array[list.count]);
	return list;
}

void list_put(const struct list *list)
{
	verbs_device_list_put(list->array);
}

void list_appear(unsigned int first, unsigned int last)
{
	for (unsigned int n = first; n <= last; n++) {
		struct verbs_kernel_device record = fake_discover_record(n);

		fake_discover_add(&record);
	}
}

void list_assert_error(int err)
{
	struct ibv_device *nobody = NULL;
	struct ibv_device **array = &nobody;
	int count = 12345;

	assert_int_equal(verbs_device_list_get(&array, &count), err);
	assert_ptr_equal(array, &nobody);
	assert_int_equal(count, 12345);
}

void list_assert_names(const struct list *list, const char *const *names)
{
	int i;

	for (i = 0; names[i]; i++) {
		if (i >= list->count)
			fail_msg("no %s in the list", names[i]);
		assert_string_equal(list->array[i]->name, names[i]);
	}
	assert_int_equal(list->count, i);
}

void list_assert_names_now(const char *const *names)
{
	struct list list = list_get();

	list_assert_names(&list, names);
	list_put(&list);
}
