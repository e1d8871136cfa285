/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares: memory files of this process that peers may map. A share is a file of
 * memfd_create(2) in which the application has registered an MR. Peers find the
 * id of a share in the MR directory (uroce_shm_directory.h), request it and
 * receive a descriptor. When the last MR of the share is deregistered, this
 * process reports the end of the share to these peers.
 *
 * A share must not shrink, since a signal (SIGBUS) kills a process that
 * accesses a page behind the end. Files of huge pages are no shares, since a
 * huge page may be unavailable at the first access.
 */
#ifndef UROCE_SHARE_H
#define UROCE_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "uroce/shm/uroce_vma.h"
#include "util/lock.h"

/* Shares at the same time; the low bits of an id are the index. */
#define UROCE_SHARES 128

struct uroce_share {
	uint64_t id; /* 0: none; never reused */
	int fd;
	dev_t dev;
	uint64_t inode;
	uint64_t bytes; /* size of the file when the share was added */
	uint32_t uses;	/* MRs in it */
};

/* Of the process: the peers of all its workers map the same files. */
struct uroce_shares {
	struct verbs_mutex mutex; /* a leaf; for all members but maps */
	int maps;    /* constant: of uroce_vma_open(); -1: no lookup */
	uint64_t nr; /* shares that were ever added */
	struct uroce_share share[UROCE_SHARES];
};

/** uroce_shares_init() - initialise an empty table */
void uroce_shares_init(struct uroce_shares *shares);

/**
 * uroce_shares_open() - permit uroce_shares_get()
 *
 * Without this call the table stays empty.
 */
void uroce_shares_open(struct uroce_shares *shares);

/** uroce_shares_fini() - close all descriptors; also in a child of fork() */
void uroce_shares_fini(struct uroce_shares *shares);

/**
 * uroce_shares_get() - find the memory file that a region lies in
 * @memory: start of the region
 * @bytes: length of the region
 * @ret_share: receives the id of the share, to be given back to
 *	uroce_shares_put(); unchanged if the region lies in no file
 * @ret_offset: receives the offset of the region in the file; likewise
 *
 * Context: any thread; some system calls.
 */
void uroce_shares_get(struct uroce_shares *shares, const void *memory,
		      uint64_t bytes, uint64_t *ret_share,
		      uint64_t *ret_offset);

/**
 * uroce_shares_put() - drop the reference of a region on its share
 * @id: 0: the region lies in no file
 *
 * Context: any thread.
 * Return: whether it was the last one: then the share is closed.
 */
bool uroce_shares_put(struct uroce_shares *shares, uint64_t id);

/**
 * uroce_share_open() - open the file of a span once more
 * @span: part of the file
 * @ret_bytes: receives the size of the file
 *
 * Searches the descriptors of the process for the file.
 *
 * Context: any thread.
 * Return: a descriptor of the caller, closed on exec; -ENOENT if the process
 * has no descriptor of the file or it is not shareable; or -errno.
 */
int uroce_share_open(const struct uroce_span *span, uint64_t *ret_bytes);

/**
 * uroce_shares_use() - add an MR to an existing share
 * @span: of the MR
 * @bytes: length of the MR
 *
 * Context: with the mutex, or before other threads use the table.
 * Return: the id of the share; 0 if no share contains the span.
 */
uint64_t uroce_shares_use(struct uroce_shares *shares,
			  const struct uroce_span *span, uint64_t bytes);

/**
 * uroce_shares_add() - add a share with one MR
 * @span: of the MR
 * @fd: of its file; the share owns it on success
 * @bytes: size of the file
 *
 * Context: as uroce_shares_use().
 * Return: the id; 0 if the table is full: the caller keeps @fd.
 */
uint64_t uroce_shares_add(struct uroce_shares *shares,
			  const struct uroce_span *span, int fd,
			  uint64_t bytes);

/**
 * uroce_shares_fd() - get the descriptor of a share; -ENOENT: no such share
 *
 * Context: as uroce_shares_use(); the descriptor is valid until the unlock.
 */
int uroce_shares_fd(const struct uroce_shares *shares, uint64_t id);

#endif
