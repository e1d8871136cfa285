/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of a context. A handle is 1000 times the type plus a number that
 * counts from 1 and is not used again, so the shim detects every stale handle
 * and every handle of another type. An object in use cannot be destroyed.
 */
#include <errno.h>

#include "shim.h"

/* Above the QP numbers that InfiniBand reserves. */
#define FIRST_NUMBER 0x10

static struct shim_object *find_handle(struct shim_file *file, uint32_t handle)
{
	struct shim_objects *objects = shim_file_objects(file);

	for (size_t i = 0; i < sizeof(objects->slots) / sizeof(*objects->slots);
	     i++)
		if (objects->slots[i].type != SHIM_NONE &&
		    objects->slots[i].handle == handle)
			return &objects->slots[i];
	return NULL;
}

struct shim_object *shim_find(struct shim_file *file, enum shim_type type,
			      uint32_t handle)
{
	struct shim_object *object = find_handle(file, handle);

	return object && object->type == type ? object : NULL;
}

size_t shim_nr_objects(struct shim_file *file)
{
	struct shim_objects *objects = shim_file_objects(file);
	size_t count = 0;

	for (size_t i = 0; i < sizeof(objects->slots) / sizeof(*objects->slots);
	     i++)
		count += objects->slots[i].type != SHIM_NONE;
	return count;
}

static void note_number(struct shim_call *call, const char *key,
			uint64_t number)
{
	if (number)
		shim_note(call, " %s=%#llx", key, (unsigned long long)number);
}

static void note_request(struct shim_call *call)
{
	const struct shim_request *request = &call->request;

	shim_note_object(call, "pd", request->pd);
	shim_note_object(call, "cq", request->cq);
	shim_note_object(call, "recv_cq", request->recv_cq);
	shim_note_object(call, "srq", request->srq);
	shim_note_object(call, "xrcd", request->xrcd);
	shim_note_object(call, "ind_table", request->ind_table);
	shim_note_object(call, "qp", request->qp);
	shim_note_object(call, "dm", request->dm);
	if (request->has_user_handle)
		shim_note(call, " user");
	if (request->has_channel)
		shim_note(call, " channel");
	if (request->sig_all)
		shim_note(call, " sig_all");
	note_number(call, "type", request->type);
	note_number(call, "flags", request->flags);
	note_number(call, "vector", request->vector);
	note_number(call, "depth", request->depth);
	note_number(call, "sge", request->sge);
	note_number(call, "limit", request->limit);
	note_number(call, "tags", request->tags);
	note_number(call, "source_qpn", request->source_qpn);
	note_number(call, "length", request->length);
	note_number(call, "access", request->access);
	note_number(call, "send_wr", request->cap.max_send_wr);
	note_number(call, "recv_wr", request->cap.max_recv_wr);
	note_number(call, "send_sge", request->cap.max_send_sge);
	note_number(call, "recv_sge", request->cap.max_recv_sge);
	note_number(call, "inline", request->cap.max_inline_data);
}

struct parent {
	enum shim_type type;
	uint32_t handle;
};

static int check_parents(struct shim_call *call, const struct parent *parents)
{
	for (size_t i = 0; i < SHIM_MAX_PARENTS; i++)
		if (parents[i].handle &&
		    !shim_find(call->file, parents[i].type, parents[i].handle))
			return -EINVAL;
	return 0;
}

static struct shim_object *free_slot(struct shim_file *file)
{
	struct shim_objects *objects = shim_file_objects(file);

	for (size_t i = 0; i < sizeof(objects->slots) / sizeof(*objects->slots);
	     i++)
		if (objects->slots[i].type == SHIM_NONE)
			return &objects->slots[i];
	return NULL;
}

int shim_make(struct shim_call *call, enum shim_type type)
{
	const struct shim_request *request = &call->request;
	const struct parent parents[SHIM_MAX_PARENTS] = {
		{ SHIM_PD, request->pd },
		{ SHIM_CQ, request->cq },
		{ SHIM_CQ, request->recv_cq },
		{ SHIM_SRQ, request->srq },
		{ SHIM_XRCD, request->xrcd },
		{ SHIM_IND_TABLE, request->ind_table },
	};
	struct shim_object *object = free_slot(call->file);
	uint32_t number;
	int ret;

	note_request(call);
	ret = check_parents(call, parents);
	if (ret)
		return ret;
	if (!object)
		return -ENOMEM;

	number = ++shim_file_objects(call->file)->nr_made[type];
	*object = (struct shim_object){
		.type = type,
		.handle = (uint32_t)type * 1000 + number,
		.number = FIRST_NUMBER + number,
		.cap = request->cap,
		.qp_type = request->type,
		.depth = request->depth,
		.sge = request->sge,
		.limit = request->limit,
	};
	for (size_t i = 0; i < SHIM_MAX_PARENTS; i++) {
		object->parents[i] = parents[i].handle;
		if (parents[i].handle)
			find_handle(call->file, parents[i].handle)->users++;
	}
	call->object = object;
	shim_note_object(call, "new", object->handle);
	(void)shim_fill_response(
		call); /* no driver refuses to make an object */
	return 0;
}

int shim_destroy(struct shim_call *call, enum shim_type type, uint32_t handle)
{
	struct shim_object *object = shim_find(call->file, type, handle);

	shim_note_object(call, "handle", handle);
	if (!object)
		return -ENOENT;
	if (object->users)
		return -EBUSY;
	for (size_t i = 0; i < SHIM_MAX_PARENTS; i++)
		if (object->parents[i])
			find_handle(call->file, object->parents[i])->users--;
	*object = (struct shim_object){};
	return 0;
}
