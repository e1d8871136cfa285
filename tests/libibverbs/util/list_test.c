/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The linked list. */
#include "util/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct item {
	int number;
	struct list_node node;
};

static struct list_node list = LIST_INIT(list);
static struct item items[3];

static int setup(void **state)
{
	list_init(&list);
	for (int i = 0; i < 3; i++)
		items[i].number = i;
	return 0;
}

/* Returns the numbers of the list as decimal digits. */
static int list_digits(void)
{
	struct list_node *pos;
	int number = 0;

	list_for_each (pos, &list)
		number = number * 10 +
			 list_entry(pos, struct item, node)->number;
	return number;
}

static void list_new_is_empty(void **state)
{
	static struct list_node fresh = LIST_INIT(fresh);

	assert_true(list_empty(&fresh));
	assert_true(list_empty(&list));
}

static void list_add_prepends_and_add_tail_appends(void **state)
{
	list_add_tail(&list, &items[1].node);
	list_add_tail(&list, &items[2].node);
	assert_int_equal(list_digits(), 12);
	list_del(&items[1].node);
	list_add(&list, &items[1].node);
	assert_int_equal(list_digits(), 12);
	list_del(&items[1].node);
	list_add_tail(&list, &items[1].node);
	assert_int_equal(list_digits(), 21);
	assert_false(list_empty(&list));
}

static void list_insert_before_keeps_order(void **state)
{
	list_add_tail(&list, &items[1].node);
	list_insert_before(&items[1].node, &items[2].node);
	assert_int_equal(list_digits(), 21);
}

static void list_del_twice_has_no_effect(void **state)
{
	list_add_tail(&list, &items[1].node);
	list_add_tail(&list, &items[2].node);
	list_del(&items[1].node);
	list_del(&items[1].node);
	assert_int_equal(list_digits(), 2);
	list_del(&items[2].node);
	assert_true(list_empty(&list));
}

static void list_for_each_safe_allows_removal(void **state)
{
	struct list_node *pos, *tmp;

	for (int i = 0; i < 3; i++)
		list_add_tail(&list, &items[i].node);
	list_for_each_safe (pos, tmp, &list)
		if (list_entry(pos, struct item, node)->number != 1)
			list_del(pos);
	assert_int_equal(list_digits(), 1);
	assert_ptr_equal(list.next, &items[1].node);
	assert_ptr_equal(list.prev, &items[1].node);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(list_new_is_empty),
		TEST(list_add_prepends_and_add_tail_appends),
		TEST(list_insert_before_keeps_order),
		TEST(list_del_twice_has_no_effect),
		TEST(list_for_each_safe_allows_removal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
