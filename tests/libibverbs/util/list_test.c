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

/* The numbers of the list as decimal digits. */
static int digits(void)
{
	struct list_node *pos;
	int number = 0;

	list_for_each (pos, &list)
		number = number * 10 +
			 list_entry(pos, struct item, node)->number;
	return number;
}

static void new_list_is_empty(void **state)
{
	static struct list_node fresh = LIST_INIT(fresh);

	assert_true(list_empty(&fresh));
	assert_true(list_empty(&list));
}

static void tail_is_behind_and_head_in_front(void **state)
{
	list_add_tail(&list, &items[1].node);
	list_add_tail(&list, &items[2].node);
	assert_int_equal(digits(), 12);
	list_del(&items[1].node);
	list_add(&list, &items[1].node);
	assert_int_equal(digits(), 12);
	list_del(&items[1].node);
	list_add_tail(&list, &items[1].node);
	assert_int_equal(digits(), 21);
	assert_false(list_empty(&list));
}

static void node_goes_before_another(void **state)
{
	list_add_tail(&list, &items[1].node);
	list_insert_before(&items[1].node, &items[2].node);
	assert_int_equal(digits(), 21);
}

static void removing_twice_is_harmless(void **state)
{
	list_add_tail(&list, &items[1].node);
	list_add_tail(&list, &items[2].node);
	list_del(&items[1].node);
	list_del(&items[1].node);
	assert_int_equal(digits(), 2);
	list_del(&items[2].node);
	assert_true(list_empty(&list));
}

static void members_may_be_removed_in_a_safe_loop(void **state)
{
	struct list_node *pos, *tmp;

	for (int i = 0; i < 3; i++)
		list_add_tail(&list, &items[i].node);
	list_for_each_safe (pos, tmp, &list)
		if (list_entry(pos, struct item, node)->number != 1)
			list_del(pos);
	assert_int_equal(digits(), 1);
	assert_ptr_equal(list.next, &items[1].node);
	assert_ptr_equal(list.prev, &items[1].node);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_list_is_empty),
		TEST(tail_is_behind_and_head_in_front),
		TEST(node_goes_before_another),
		TEST(removing_twice_is_harmless),
		TEST(members_may_be_removed_in_a_safe_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
