/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See validate_keys.h: chains of entries, which are never freed. A request uses
 * a region that exists, so its entry does not change meanwhile. A wrong request
 * may read an entry that changes, hence the atomic members.
 */
#include "layers/validate/validate_keys.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "layers/layers_record.h"
#include "layers/validate/validate_qp.h"

#define NR_CHAINS 8192U /* power of two */

/* Entries of destroyed regions in a chain, which explain old keys. */
#define MAX_FREED 2

struct key_entry {
	struct key_entry *next; /* constant */
	/* NULL: the entry is free */
	_Atomic(const struct ibv_context *) ctx;
	atomic_uint lkey;
	atomic_uint state; /* enum validate_key_state */
	_Atomic(const struct ibv_pd *) pd;
	atomic_uint_least64_t begin, length;
	atomic_uint access, rkey;
	uint64_t serial; /* protected by layers_mutex */
};

static _Atomic(struct key_entry *) key_chains[NR_CHAINS];
static atomic_bool memory_was_short;

/* Fibonacci hashing. The low bits of a key are often a counter. */
static _Atomic(struct key_entry *) *key_chain(uint32_t lkey)
{
	return &key_chains[(lkey * 2654435769U) >> 19];
}

static struct key_entry *key_first(uint32_t lkey)
{
	/* Pairs with the release in key_new_locked(). */
	return atomic_load_explicit(key_chain(lkey), memory_order_acquire);
}

/* Return: an entry of the key, the valid one if there are several, or NULL. */
static struct key_entry *key_find(const struct ibv_context *ctx, uint32_t lkey)
{
	struct key_entry *entry = key_first(lkey);

	/* Pairs with the release in validate_key_add(). */
	while (entry &&
	       (VALIDATE_LOAD(entry->lkey) != lkey ||
		atomic_load_explicit(&entry->ctx, memory_order_acquire) != ctx))
		entry = entry->next;
	return entry;
}

enum validate_key_state validate_key_find(const struct ibv_context *ctx,
					  uint32_t lkey,
					  struct validate_region *ret_region)
{
	const struct key_entry *entry = key_find(ctx, lkey);

	if (!entry)
		return VALIDATE_KEY_UNKNOWN;
	*ret_region = (struct validate_region){
		.pd = VALIDATE_LOAD(entry->pd),
		.begin = VALIDATE_LOAD(entry->begin),
		.length = VALIDATE_LOAD(entry->length),
		.access = VALIDATE_LOAD(entry->access),
		.rkey = VALIDATE_LOAD(entry->rkey),
	};
	return (enum validate_key_state)VALIDATE_LOAD(entry->state);
}

bool validate_keys_are_complete(void)
{
	return !VALIDATE_LOAD(memory_was_short);
}

/* ------------------------------------------------------------------------ */
/* Changes                                                                   */
/* ------------------------------------------------------------------------ */

/* Return: a free entry, or the oldest one of a destroyed region if enough. */
static struct key_entry *key_reuse_locked(uint32_t lkey) REQUIRES(layers_mutex)
{
	struct key_entry *oldest = NULL;
	unsigned int nr_freed = 0;

	for (struct key_entry *entry = key_first(lkey); entry;
	     entry = entry->next) {
		if (!VALIDATE_LOAD(entry->ctx))
			return entry;
		if (VALIDATE_LOAD(entry->state) != VALIDATE_KEY_FREED)
			continue;
		nr_freed++;
		if (!oldest || entry->serial < oldest->serial)
			oldest = entry;
	}
	return nr_freed >= MAX_FREED ? oldest : NULL;
}

static struct key_entry *key_new_locked(uint32_t lkey) REQUIRES(layers_mutex)
{
	struct key_entry *entry = key_reuse_locked(lkey);

	if (entry) {
		VALIDATE_STORE(entry->ctx, NULL);
		return entry;
	}
	entry = calloc(1, sizeof(*entry));
	if (entry) {
		entry->next = key_first(lkey);
		/* Pairs with the acquire in key_first(). */
		atomic_store_explicit(key_chain(lkey), entry,
				      memory_order_release);
	}
	return entry;
}

void validate_key_add(const struct ibv_context *ctx, uint32_t lkey,
		      const struct validate_region *region)
{
	static uint64_t last_serial GUARDED_BY(layers_mutex);
	struct key_entry *entry;

	layers_lock();
	/* Another thread has destroyed the former region, and will drop it. */
	entry = key_find(ctx, lkey);
	if (!entry)
		entry = key_new_locked(lkey);
	if (entry) {
		entry->serial = ++last_serial;
		VALIDATE_STORE(entry->lkey, lkey);
		VALIDATE_STORE(entry->pd, region->pd);
		VALIDATE_STORE(entry->begin, region->begin);
		VALIDATE_STORE(entry->length, region->length);
		VALIDATE_STORE(entry->access, region->access);
		VALIDATE_STORE(entry->rkey, region->rkey);
		VALIDATE_STORE(entry->state, VALIDATE_KEY_VALID);
		/* Pairs with the acquire in key_find(). */
		atomic_store_explicit(&entry->ctx, ctx, memory_order_release);
	} else {
		VALIDATE_STORE(memory_was_short, true);
	}
	layers_unlock();
}

uint64_t validate_key_mark(const struct ibv_context *ctx, uint32_t lkey)
{
	const struct key_entry *entry;
	uint64_t serial;

	layers_lock();
	entry = key_find(ctx, lkey);
	serial = entry ? entry->serial : 0;
	layers_unlock();
	return serial;
}

void validate_key_drop(const struct ibv_context *ctx, uint32_t lkey,
		       uint64_t serial)
{
	struct key_entry *entry;

	layers_lock();
	entry = key_find(ctx, lkey);
	if (entry && entry->serial == serial)
		VALIDATE_STORE(entry->state, VALIDATE_KEY_FREED);
	layers_unlock();
}

/* ------------------------------------------------------------------------ */
/* Searches of all regions                                                   */
/* ------------------------------------------------------------------------ */

void validate_keys_close(const struct ibv_context *ctx)
{
	layers_lock();
	for (size_t i = 0; i < NR_CHAINS; i++)
		for (struct key_entry *entry = VALIDATE_LOAD(key_chains[i]);
		     entry; entry = entry->next)
			if (VALIDATE_LOAD(entry->ctx) == ctx)
				VALIDATE_STORE(entry->ctx, NULL);
	layers_unlock();
}

uint32_t validate_key_find_rkey(const struct ibv_context *ctx, uint32_t rkey)
{
	uint32_t lkey = 0;

	layers_lock();
	for (size_t i = 0; i < NR_CHAINS; i++)
		for (const struct key_entry *entry =
			     VALIDATE_LOAD(key_chains[i]);
		     entry; entry = entry->next)
			if (VALIDATE_LOAD(entry->ctx) == ctx &&
			    VALIDATE_LOAD(entry->state) == VALIDATE_KEY_VALID &&
			    VALIDATE_LOAD(entry->rkey) == rkey)
				lkey = VALIDATE_LOAD(entry->lkey);
	layers_unlock();
	return lkey;
}

bool validate_key_is_of_other(const struct ibv_context *ctx, uint32_t lkey)
{
	bool found = false;

	layers_lock();
	for (const struct key_entry *entry = key_first(lkey); entry;
	     entry = entry->next)
		if (VALIDATE_LOAD(entry->lkey) == lkey &&
		    VALIDATE_LOAD(entry->ctx) &&
		    VALIDATE_LOAD(entry->ctx) != ctx &&
		    VALIDATE_LOAD(entry->state) == VALIDATE_KEY_VALID)
			found = true;
	layers_unlock();
	return found;
}
