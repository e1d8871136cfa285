/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects of each observed context, and which objects they use. Not for the
 * data path: all functions take layers_mutex.
 */
#ifndef LAYERS_VALIDATE_OBJECTS_H
#define LAYERS_VALIDATE_OBJECTS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "layers/explain.h"

enum validate_kind {
	VALIDATE_PD,
	VALIDATE_MR,
	VALIDATE_MW,
	VALIDATE_AH,
	VALIDATE_CQ,
	VALIDATE_SRQ,
	VALIDATE_QP,
	VALIDATE_NR_KINDS,
};

#define VALIDATE_MAX_USED 4

struct validate_object {
	struct validate_object *next; /* in its chain */
	const void *object;
	enum validate_kind kind;
	const struct ibv_context *ctx;
	const void *used[VALIDATE_MAX_USED]; /* objects, or NULL */
	uint32_t number;		     /* for messages */
	uint64_t serial;
	uint32_t nr_events; /* of a CQ */
};

/**
 * validate_object_add() - remember a new object
 * @from: its members are copied, except next, serial and nr_events
 *
 * Without memory, the object is unknown, and rules about it are not checked.
 */
void validate_object_add(const struct validate_object *from);

/**
 * validate_object_mark() - find an object before it is destroyed
 *
 * Return: its serial number, or 0.
 */
uint64_t validate_object_mark(const void *object);

/**
 * validate_object_drop() - forget a destroyed object
 * @serial: of validate_object_mark(); a new object at the address stays
 */
void validate_object_drop(const void *object, uint64_t serial);

/** validate_object_used() - return an object that @object uses, or NULL */
const void *validate_object_used(const void *object, unsigned int index);

/** validate_object_count_event() - count an event that the program took */
void validate_object_count_event(const void *object);

/** validate_object_events() - return whether @object is known */
bool validate_object_events(const void *object, uint32_t *ret_nr);

/* Objects that were found: how many, and a copy of one. */
struct validate_found {
	unsigned int nr;
	struct validate_object first; /* the oldest */
};

/** validate_objects_find_users() - find the objects that use @object */
struct validate_found validate_objects_find_users(const void *object);

/** validate_objects_close() - find the objects of a context; forget them */
struct validate_found validate_objects_close(const struct ibv_context *ctx);

/** validate_add_object() - append "QP 0x11", "MR with the lkey 0x12" */
void validate_add_object(struct explain_text *text,
			 const struct validate_object *object);

/** validate_add_found() - append "1 object, QP 0x11" or "2 objects, the ..." */
void validate_add_found(struct explain_text *text,
			const struct validate_found *found);

#endif
