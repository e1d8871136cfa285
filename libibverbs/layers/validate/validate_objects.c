/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See validate_objects.h. */
#include "layers/validate/validate_objects.h"

#include "layers/validate/validate_qp.h"

static void found_add(struct validate_found *found,
		      const struct layers_record *record)
{
	if (found->nr++ != 0 && record->serial > found->serial)
		return;
	found->kind = record->kind;
	found->number = VALIDATE_LOAD(record->number);
	found->serial = record->serial;
}

static bool object_uses(const struct layers_record *record, const void *used)
{
	for (int i = 0; i < LAYERS_MAX_USED; i++)
		if (record->used[i] == used)
			return true;
	return false;
}

struct validate_found validate_objects_find_users(const void *object)
{
	struct validate_found found = {};

	layers_lock();
	for (int kind = 0; kind < LAYERS_NR_KINDS; kind++) {
		const struct layers_record *record = NULL;

		while ((record = layers_record_next_locked(kind, record)) !=
		       NULL)
			if (object_uses(record, object))
				found_add(&found, record);
	}
	layers_unlock();
	return found;
}

struct validate_found validate_objects_find_all(const struct ibv_context *ctx)
{
	struct validate_found found = {};

	layers_lock();
	for (int kind = 0; kind < LAYERS_NR_KINDS; kind++) {
		const struct layers_record *record = NULL;

		while ((record = layers_record_next_locked(kind, record)) !=
		       NULL)
			if (VALIDATE_LOAD(record->ctx) == ctx &&
			    !record->is_adopted)
				found_add(&found, record);
	}
	layers_unlock();
	return found;
}

/* ------------------------------------------------------------------------ */
/* Memory regions                                                            */
/* ------------------------------------------------------------------------ */

bool validate_region_was_freed(const struct ibv_context *ctx, uint32_t lkey)
{
	const struct layers_record *record = NULL;

	layers_lock();
	do
		record = layers_record_next_gone_locked(LAYERS_MR, record);
	while (record && (VALIDATE_LOAD(record->ctx) != ctx ||
			  VALIDATE_LOAD(record->number) != lkey));
	layers_unlock();
	return record != NULL;
}

bool validate_was_destroyed(enum layers_kind kind, const void *object)
{
	const struct layers_record *record = NULL;

	layers_lock();
	do
		record = layers_record_next_gone_locked(kind, record);
	while (record && record->former != object);
	layers_unlock();
	return record != NULL;
}

bool validate_region_is_of_other(const struct ibv_context *ctx, uint32_t lkey)
{
	const struct layers_record *record = NULL;

	layers_lock();
	do
		record = layers_record_next_locked(LAYERS_MR, record);
	while (record && (VALIDATE_LOAD(record->ctx) == ctx ||
			  VALIDATE_LOAD(record->number) != lkey));
	layers_unlock();
	return record != NULL;
}

/* ------------------------------------------------------------------------ */
/* Texts                                                                     */
/* ------------------------------------------------------------------------ */

void validate_add_object(struct explain_text *text, enum layers_kind kind,
			 uint32_t number)
{
	static const char *const names[LAYERS_NR_KINDS] = {
		[LAYERS_PD] = "the PD with the handle",
		[LAYERS_MR] = "the MR with the lkey",
		[LAYERS_MW] = "the MW with the rkey",
		[LAYERS_AH] = "the AH with the handle",
		[LAYERS_CQ] = "the CQ with the handle",
		[LAYERS_SRQ] = "the SRQ with the handle",
		[LAYERS_QP] = "QP",
	};

	explain_add(text, "%s 0x%x", names[kind], number);
}

void validate_add_found(struct explain_text *text,
			const struct validate_found *found)
{
	explain_add(text, "%u object%s: ", found->nr,
		    found->nr == 1 ? "" : "s");
	validate_add_object(text, found->kind, found->number);
	if (found->nr > 1)
		explain_add(text, " and later ones");
}
