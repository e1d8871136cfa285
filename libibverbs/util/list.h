/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Circular doubly linked list with nodes embedded in its elements. An empty
 * list is a node that points to itself.
 */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_node {
	struct list_node *next, *prev;
};

#define LIST_INIT(name)          \
	{                        \
		&(name), &(name) \
	}

#define list_entry(node, type, member) \
	((type *)(void *)((char *)(node)-offsetof(type, member)))

/* @pos: struct list_node *; the loop must not change the list */
#define list_for_each(pos, list) \
	for ((pos) = (list)->next; (pos) != (list); (pos) = (pos)->next)

/* The loop may remove @pos; @tmp is another struct list_node *. */
#define list_for_each_safe(pos, tmp, list)                               \
	for ((pos) = (list)->next, (tmp) = (pos)->next; (pos) != (list); \
	     (pos) = (tmp), (tmp) = (pos)->next)

static inline void list_init(struct list_node *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_node *list)
{
	return list->next == list;
}

static inline void list_insert_before(struct list_node *pos,
				      struct list_node *node)
{
	node->prev = pos->prev;
	node->next = pos;
	pos->prev->next = node;
	pos->prev = node;
}

static inline void list_add_tail(struct list_node *list, struct list_node *node)
{
	list_insert_before(list, node);
}

static inline void list_add(struct list_node *list, struct list_node *node)
{
	/* The analyzer does not see that freed nodes have left the list. */
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
	list_insert_before(list->next, node);
}

/* Makes @node an empty list, so that a second list_del() has no effect. */
static inline void list_del(struct list_node *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#endif
