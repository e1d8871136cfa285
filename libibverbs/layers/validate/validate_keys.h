/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions by their local keys. Requests are checked against them without
 * a lock.
 */
#ifndef LAYERS_VALIDATE_KEYS_H
#define LAYERS_VALIDATE_KEYS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct validate_region {
	const struct ibv_pd *pd; /* NULL: unknown */
	uint64_t begin;		 /* the address that requests use */
	uint64_t length;	 /* bytes; UINT64_MAX: unknown */
	unsigned int access;
	uint32_t rkey;
};

/* Access flags of a region of which they are unknown. */
#define VALIDATE_ANY_ACCESS UINT32_MAX

/** validate_key_add() - remember a new or changed region */
void validate_key_add(const struct ibv_context *ctx, uint32_t lkey,
		      const struct validate_region *region);

/**
 * validate_key_mark() - find a region before it is destroyed
 *
 * Return: its serial number, or 0.
 */
uint64_t validate_key_mark(const struct ibv_context *ctx, uint32_t lkey);

/** validate_key_drop() - the region was destroyed; @serial: of the mark */
void validate_key_drop(const struct ibv_context *ctx, uint32_t lkey,
		       uint64_t serial);

/** validate_keys_close() - forget the regions of a context */
void validate_keys_close(const struct ibv_context *ctx);

enum validate_key_state {
	VALIDATE_KEY_UNKNOWN,
	VALIDATE_KEY_VALID,
	VALIDATE_KEY_FREED,
};

/**
 * validate_key_find() - find a region
 *
 * Context: any thread; takes no lock.
 */
enum validate_key_state validate_key_find(const struct ibv_context *ctx,
					  uint32_t lkey,
					  struct validate_region *ret_region);

/** validate_keys_are_complete() - whether all regions are known */
bool validate_keys_are_complete(void);

/** validate_key_find_rkey() - find a region by its rkey; return its lkey or 0
 */
uint32_t validate_key_find_rkey(const struct ibv_context *ctx, uint32_t rkey);

/** validate_key_is_of_other() - whether another context has the lkey */
bool validate_key_is_of_other(const struct ibv_context *ctx, uint32_t lkey);

#endif
