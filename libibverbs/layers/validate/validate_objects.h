/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Searches of all records. Not for the data path: they take layers_mutex. */
#ifndef LAYERS_VALIDATE_OBJECTS_H
#define LAYERS_VALIDATE_OBJECTS_H

#include "layers/explain.h"
#include "layers/layers_record.h"

/* Objects that were found: how many, and which one is the oldest. */
struct validate_found {
	unsigned int nr;
	enum layers_kind kind;
	uint32_t number;
	uint64_t serial;
};

/** validate_objects_find_users() - find the objects that use @object */
struct validate_found validate_objects_find_users(const void *object);

/**
 * validate_objects_find_all() - find the objects of a context
 *
 * Without those whose creation was not observed.
 */
struct validate_found validate_objects_find_all(const struct ibv_context *ctx);

/** validate_add_object() - append "QP 0x11", "MR with the lkey 0x12" */
void validate_add_object(struct explain_text *text, enum layers_kind kind,
			 uint32_t number);

/** validate_add_kind() - append "the MR" */
void validate_add_kind(struct explain_text *text, enum layers_kind kind);

/** validate_add_found() - append "1 object, QP 0x11" or "2 objects, the ..." */
void validate_add_found(struct explain_text *text,
			const struct validate_found *found);

/* An object that was destroyed. */
struct validate_gone {
	const struct ibv_context *ctx; /* exists */
	uint32_t number;
};

/**
 * validate_find_gone() - find the last object of a kind at an address
 * @object: of which there is no record
 *
 * Return: whether it certainly was destroyed. A vendor library, or another
 * process with the descriptor of the context, may make objects at this address
 * that are not observed.
 */
bool validate_find_gone(enum layers_kind kind, const void *object,
			struct validate_gone *ret);

/* Access flags of a region of which they are unknown. */
#define VALIDATE_ANY_ACCESS UINT32_MAX

/** validate_region_was_freed() - whether a destroyed region had the lkey */
bool validate_region_was_freed(const struct ibv_context *ctx, uint32_t lkey);

/** validate_region_is_of_other() - whether another context has the lkey */
bool validate_region_is_of_other(const struct ibv_context *ctx, uint32_t lkey);

#endif
