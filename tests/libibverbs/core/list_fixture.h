/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of the device list have in common: one array that
 * verbs_device_list_get() returned, and a look at it.
 */
#ifndef CORE_TEST_LIST_FIXTURE_H
#define CORE_TEST_LIST_FIXTURE_H

#include <infiniband/verbs.h>

#include "core/device_list.h"

struct list {
	struct ibv_device **array;
	int count;
};

/** list_start() - no devices; the fake provider is registered */
void list_start(void);

/** list_get() - scan; fails the test if that fails */
struct list list_get(void);

/** list_put() - give the references back */
void list_put(const struct list *list);

/** list_appear() - devices <first> to <last> of support/fake_discover.h appear
 */
void list_appear(unsigned int first, unsigned int last);

/** list_assert_error() - scanning fails with @err and returns nothing */
void list_assert_error(int err);

/** list_assert_names() - exactly these names, up to a NULL, in this order */
void list_assert_names(const struct list *list, const char *const *names);

/* The same of a scan that is made for it. */
void list_assert_names_now(const char *const *names);

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_NAMES   ((const char *const[]){ NULL })

#endif
