/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See validate_objects.h. */
#include "layers/validate/validate_objects.h"

#include "layers/validate/validate.h"

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

/* The context, if it exists, is not closed while the mutex is held. */
static bool gone_is_certain_locked(const struct layers_record *record)
	REQUIRES(layers_mutex)
{
	const struct ibv_context *ctx = VALIDATE_LOAD(record->ctx);

	return ctx && validate_knows_keys(ctx);
}

bool validate_find_gone(enum layers_kind kind, const void *object,
			struct validate_gone *ret)
{
	const struct layers_record *record = NULL;
	bool found;

	if (!layers_records_are_complete())
		return false;
	layers_lock();
	do
		record = layers_record_next_gone_locked(kind, record);
	while (record &&
	       (record->former != object || !gone_is_certain_locked(record)));
	found = record != NULL;
	if (found)
		*ret = (struct validate_gone){ VALIDATE_LOAD(record->ctx),
					       VALIDATE_LOAD(record->number) };
	layers_unlock();
	return found;
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

static const struct object_name {
	const char *kind;
	const char *number; /* NULL: the record has none */
} object_names[LAYERS_NR_KINDS] = {
	[LAYERS_PD] = { "PD", "handle" },
	[LAYERS_MR] = { "MR", "lkey" },
	[LAYERS_MW] = { "MW", "rkey" },
	[LAYERS_AH] = { "AH", "handle" },
	[LAYERS_CQ] = { "CQ", "handle" },
	[LAYERS_SRQ] = { "SRQ", "handle" },
	[LAYERS_QP] = { "QP", "number" },
	[LAYERS_WQ] = { "WQ", "number" },
	[LAYERS_TABLE] = { "RWQ indirection table", "number" },
	[LAYERS_FLOW] = { "flow", "handle" },
	[LAYERS_ACTION] = { "flow action", NULL },
	[LAYERS_COUNTERS] = { "object of counters", NULL },
	[LAYERS_COMP_CNTR] = { "completion counter", NULL },
	[LAYERS_TD] = { "thread domain", NULL },
	[LAYERS_XRCD] = { "XRC domain", NULL },
	[LAYERS_DM] = { "DM", "handle" },
	[LAYERS_DMAH] = { "DMA hint", NULL },
	[LAYERS_CHANNEL] = { "completion channel", NULL },
};

void validate_add_kind(struct explain_text *text, enum layers_kind kind)
{
	explain_add(text, "the %s", object_names[kind].kind);
}

void validate_add_object(struct explain_text *text, enum layers_kind kind,
			 uint32_t number)
{
	if (kind == LAYERS_QP) {
		explain_add(text, "QP 0x%x", number);
		return;
	}
	validate_add_kind(text, kind);
	if (object_names[kind].number)
		explain_add(text, " with the %s 0x%x",
			    object_names[kind].number, number);
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
