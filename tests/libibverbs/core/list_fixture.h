/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the tests of the device list: one array that
 * verbs_device_list_get() returned, and checks of it.
 */
#ifndef CORE_TEST_LIST_FIXTURE_H
#define CORE_TEST_LIST_FIXTURE_H

#include <infiniband/verbs.h>

#include "core/device_list.h"

struct list {
	struct ibv_device **array;
	int count;
};

/** list_start() - set up: no devices, the fake provider is registered */
void list_start(void);

/** list_get() - scan; a failure fails the test */
struct list list_get(void);

/** list_put() - drop the references */
void list_put(const struct list *list);

/** list_appear() - add devices <first> to <last> of support/fake_discover.h */
void list_appear(unsigned int first, unsigned int last);

/**
 * list_assert_error() - check that a scan fails with @err and returns nothing
 */
void list_assert_error(int err);

/** list_assert_names() - check the names and their order; NULL-terminated */
void list_assert_names(const struct list *list, const char *const *names);

/* The same for a new scan. */
void list_assert_names_now(const char *const *names);

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_NAMES   ((const char *const[]){ NULL })

#endif
