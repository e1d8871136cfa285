/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of ours that peers may map: files of memfd_create(2) that cannot
 * shrink, in which the application has registered something. Peers see the id
 * of a share in the rows of its regions (uroce_tables.h), ask for it, and are
 * given its descriptor; when its last region is gone they are told.
 *
 * What can shrink is no share: who looks at what is not there any more is
 * killed by a signal. Nor are huge pages, which may be missing when they are
 * touched.
 */
#ifndef UROCE_SHARE_H
#define UROCE_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "uroce/local/uroce_vma.h"

/* At the same time; the low bits of an id say which of them it is. */
#define UROCE_SHARES 128

/* One of them. */
struct uroce_share {
	uint64_t id; /* 0: none; never used again */
	int fd;
	dev_t dev;
	uint64_t inode;
	uint64_t bytes; /* of the file, when it was found */
	uint32_t uses;	/* regions in it */
};

/* Guarded by the caller, but for @maps. */
struct uroce_shares {
	int maps;    /* of uroce_vma.h; -1: nothing is found */
	uint64_t nr; /* that there ever were */
	struct uroce_share share[UROCE_SHARES];
};

/** uroce_shares_init() - no shares */
void uroce_shares_init(struct uroce_shares *shares);

/** uroce_shares_fini() - close all descriptors; in a child of fork(), too */
void uroce_shares_fini(struct uroce_shares *shares);

/**
 * uroce_share_open() - a descriptor of our own of the file of a span
 * @span: in which file
 * @ret_bytes: receives the size of the file
 *
 * Looks for it among those of the process.
 *
 * Context: any thread.
 * Return: the descriptor, closed on exec; -ENOENT if there is none, or the file
 * is not one that may be shared; or -errno.
 */
int uroce_share_open(const struct uroce_span *span, uint64_t *ret_bytes);

/**
 * uroce_shares_use() - one more region in a share that is there
 * @span: of the region
 * @bytes: of the region
 *
 * Return: its id; 0 if there is no such share.
 */
uint64_t uroce_shares_use(struct uroce_shares *shares,
			  const struct uroce_span *span, uint64_t bytes);

/**
 * uroce_shares_add() - a share with one region
 * @span: of the region
 * @fd: of its file; is the share's then
 * @bytes: of the file
 *
 * Return: its id; 0 if there are too many: @fd stays the caller's.
 */
uint64_t uroce_shares_add(struct uroce_shares *shares,
			  const struct uroce_span *span, int fd,
			  uint64_t bytes);

/**
 * uroce_shares_put() - one region less
 *
 * Return: whether that was the last one: the share is gone.
 */
bool uroce_shares_put(struct uroce_shares *shares, uint64_t id);

/** uroce_shares_fd() - the descriptor of a share; -ENOENT if it is none */
int uroce_shares_fd(const struct uroce_shares *shares, uint64_t id);

#endif
