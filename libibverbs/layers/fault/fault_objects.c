/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_objects.h: chains by address, which only grow. */
#include "layers/fault/fault_objects.h"

#include <stdlib.h>
#include <string.h>

#include "layers/layers_record.h"

struct verbs_mutex fault_async_mutex = VERBS_MUTEX_INIT;

#define NR_CHAINS 1024U /* power of two */

static _Atomic(struct fault_object *) chains[NR_CHAINS];

/* Fibonacci hashing; objects have at least 16 bytes. */
static size_t object_hash(const void *object)
{
	uint64_t product =
		(uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(product >> 32) % NR_CHAINS;
}

/* Return: the first one of the chain with this address, which may be NULL. */
static struct fault_object *object_find_in_chain(size_t chain,
						 const void *object)
{
	/* Pairs with the release in object_new_locked(). */
	struct fault_object *found =
		atomic_load_explicit(&chains[chain], memory_order_acquire);

	/* Pairs with the release in fault_object_add(). */
	while (found && atomic_load_explicit(&found->object,
					     memory_order_acquire) != object)
		found = found->next;
	return found;
}

struct fault_object *fault_object_find(const void *object)
{
	return object_find_in_chain(object_hash(object), object);
}

uint64_t fault_object_serial(const void *object)
{
	const struct fault_object *found = fault_object_find(object);

	return found ? found->serial : 0;
}

/* An object with this address is being destroyed, so its memory is used. */
static struct fault_object *object_new_locked(const void *object)
	REQUIRES(layers_mutex)
{
	size_t chain = object_hash(object);
	struct fault_object *found = object_find_in_chain(chain, object);

	if (!found)
		found = object_find_in_chain(chain, NULL);
	if (found)
		return found;
	found = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	found->next =
		atomic_load_explicit(&chains[chain], memory_order_relaxed);
	/* Pairs with the acquire in object_find_in_chain(). */
	atomic_store_explicit(&chains[chain], found, memory_order_release);
	return found;
}

struct fault_object *fault_object_add(enum fault_kind kind,
				      const struct ibv_context *ctx,
				      const void *object)
{
	static uint64_t last_serial[FAULT_NR_KINDS] GUARDED_BY(layers_mutex);
	struct fault_object *added;

	verbs_mutex_lock(&fault_async_mutex);
	layers_lock();
	added = object_new_locked(object);
	if (added) {
		added->kind = kind;
		added->serial = ++last_serial[kind];
		added->ctx = ctx;
		added->cq_ex = NULL;
		added->wr = NULL;
		added->is_opaque = false;
		memset(added->counts, 0, sizeof(added->counts));
		memset(added->nr_matching, 0, sizeof(added->nr_matching));
		added->is_going = false;
		added->nr_read = 0;
		added->nr_made_read = 0;
		/* Pairs with the acquire in object_find_in_chain(). */
		atomic_store_explicit(&added->object, object,
				      memory_order_release);
	}
	layers_unlock();
	verbs_mutex_unlock(&fault_async_mutex);
	return added;
}

void fault_object_drop(enum fault_kind kind, const void *object,
		       uint64_t serial)
{
	struct fault_object *found;

	verbs_mutex_lock(&fault_async_mutex);
	layers_lock();
	found = fault_object_find(object);
	if (found && found->kind == kind && found->serial == serial)
		atomic_store_explicit(&found->object, NULL,
				      memory_order_release);
	layers_unlock();
	verbs_mutex_unlock(&fault_async_mutex);
}

void fault_objects_visit(enum fault_kind kind,
			 void (*visit)(struct fault_object *object, void *arg),
			 void *arg)
{
	for (size_t i = 0; i < NR_CHAINS; i++) {
		/* Pairs with the release in object_new_locked(). */
		struct fault_object *object =
			atomic_load_explicit(&chains[i], memory_order_acquire);

		for (; object; object = object->next)
			/* Pairs with the release in fault_object_add(). */
			if (atomic_load_explicit(&object->object,
						 memory_order_acquire) &&
			    object->kind == kind)
				visit(object, arg);
	}
}

static void object_drop_of_context(struct fault_object *object, void *ctx)
{
	if (object->ctx == ctx)
		atomic_store_explicit(&object->object, NULL,
				      memory_order_release);
}

void fault_objects_drop_context(struct ibv_context *ctx)
{
	verbs_mutex_lock(&fault_async_mutex);
	for (int kind = 0; kind < FAULT_NR_KINDS; kind++)
		fault_objects_visit((enum fault_kind)kind,
				    object_drop_of_context, ctx);
	verbs_mutex_unlock(&fault_async_mutex);
}
