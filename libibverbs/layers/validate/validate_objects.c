/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See validate_objects.h: chains of objects by address. */
#include "layers/validate/validate_objects.h"

#include <stdlib.h>

#define NR_CHAINS 4096U /* power of two */

static struct validate_object *
	object_chains[NR_CHAINS] GUARDED_BY(layers_mutex);

/* Fibonacci hashing; objects have at least 16 bytes. */
static struct validate_object **object_chain_locked(const void *object)
	REQUIRES(layers_mutex)
{
	uint64_t product =
		(uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);

	return &object_chains[(size_t)(product >> 32) % NR_CHAINS];
}

/* Return: the link to the object; the last link of the chain if unknown. */
static struct validate_object **object_link_locked(const void *object)
	REQUIRES(layers_mutex)
{
	struct validate_object **link = object_chain_locked(object);

	while (*link && (*link)->object != object)
		link = &(*link)->next;
	return link;
}

static void object_unlink_locked(struct validate_object **link)
	REQUIRES(layers_mutex)
{
	struct validate_object *object = *link;

	*link = object->next;
	free(object);
}

void validate_object_add(const struct validate_object *from)
{
	struct validate_object *object = malloc(sizeof(*object));
	static uint64_t last_serial GUARDED_BY(layers_mutex);
	struct validate_object **link;

	layers_lock();
	link = object_link_locked(from->object);
	/* Another thread has destroyed it and will drop it. */
	if (*link)
		object_unlink_locked(link);
	if (object) {
		link = object_chain_locked(from->object);
		*object = *from;
		object->serial = ++last_serial;
		object->nr_events = 0;
		object->next = *link;
		*link = object;
	}
	layers_unlock();
}

uint64_t validate_object_mark(const void *object)
{
	const struct validate_object *found;
	uint64_t serial;

	layers_lock();
	found = *object_link_locked(object);
	serial = found ? found->serial : 0;
	layers_unlock();
	return serial;
}

void validate_object_drop(const void *object, uint64_t serial)
{
	struct validate_object **link;

	layers_lock();
	link = object_link_locked(object);
	if (*link && (*link)->serial == serial)
		object_unlink_locked(link);
	layers_unlock();
}

const void *validate_object_used(const void *object, unsigned int index)
{
	const struct validate_object *found;
	const void *used;

	layers_lock();
	found = *object_link_locked(object);
	used = found ? found->used[index] : NULL;
	layers_unlock();
	return used;
}

void validate_object_count_event(const void *object)
{
	struct validate_object *found;

	layers_lock();
	found = *object_link_locked(object);
	if (found)
		found->nr_events++;
	layers_unlock();
}

bool validate_object_events(const void *object, uint32_t *ret_nr)
{
	const struct validate_object *found;

	layers_lock();
	found = *object_link_locked(object);
	if (found)
		*ret_nr = found->nr_events;
	layers_unlock();
	return found != NULL;
}

/* ------------------------------------------------------------------------ */
/* Searches of all objects                                                   */
/* ------------------------------------------------------------------------ */

static void found_add(struct validate_found *found,
		      const struct validate_object *object)
{
	if (found->nr++ == 0 || object->serial < found->first.serial)
		found->first = *object;
}

static bool object_uses(const struct validate_object *object, const void *used)
{
	for (int i = 0; i < VALIDATE_MAX_USED; i++)
		if (object->used[i] == used)
			return true;
	return false;
}

struct validate_found validate_objects_find_users(const void *object)
{
	struct validate_found found = {};

	layers_lock();
	for (size_t i = 0; i < NR_CHAINS; i++)
		for (const struct validate_object *user = object_chains[i];
		     user; user = user->next)
			if (object_uses(user, object))
				found_add(&found, user);
	layers_unlock();
	return found;
}

struct validate_found validate_objects_close(const struct ibv_context *ctx)
{
	struct validate_found found = {};

	layers_lock();
	for (size_t i = 0; i < NR_CHAINS; i++) {
		struct validate_object **link = &object_chains[i];

		while (*link) {
			if ((*link)->ctx != ctx) {
				link = &(*link)->next;
				continue;
			}
			found_add(&found, *link);
			object_unlink_locked(link);
		}
	}
	layers_unlock();
	return found;
}

/* ------------------------------------------------------------------------ */
/* Texts                                                                     */
/* ------------------------------------------------------------------------ */

void validate_add_object(struct explain_text *text,
			 const struct validate_object *object)
{
	static const char *const names[VALIDATE_NR_KINDS] = {
		[VALIDATE_PD] = "the PD with the handle",
		[VALIDATE_MR] = "the MR with the lkey",
		[VALIDATE_MW] = "the MW with the rkey",
		[VALIDATE_AH] = "the AH with the handle",
		[VALIDATE_CQ] = "the CQ with the handle",
		[VALIDATE_SRQ] = "the SRQ with the handle",
		[VALIDATE_QP] = "QP",
	};

	explain_add(text, "%s 0x%x", names[object->kind], object->number);
}

void validate_add_found(struct explain_text *text,
			const struct validate_found *found)
{
	explain_add(text, "%u object%s: ", found->nr,
		    found->nr == 1 ? "" : "s");
	validate_add_object(text, &found->first);
	if (found->nr > 1)
		explain_add(text, " and later ones");
}
