/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registered memory: keys, what they give access to, and the check of an
 * access. Nothing is pinned or translated: a region is application memory.
 *
 * key = index << 8 | tag. The tag changes whenever an index is used again, and
 * indices are used again in the order in which they came free, so that an old
 * key meets nothing for a long time. 0 is never a key. Local and remote key of
 * a region are the same number. For a window of type 2 the tag belongs to the
 * application, which chooses it with each bind (IBTA 10.6.7.2.6).
 *
 * Nothing here takes a lock; see uroce_engine.h.
 */
#ifndef UROCE_MEMORY_H
#define UROCE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

enum uroce_region_kind {
	UROCE_REGION_NONE, /* index is free */
	UROCE_REGION_MEMORY,
	UROCE_REGION_NULL, /* reads zeros, swallows writes */
	UROCE_REGION_WINDOW_1,
	UROCE_REGION_WINDOW_2,
	UROCE_REGION_DMABUF, /* as MEMORY, but only uroce_memory_local() and
			      * uroce_memory_remote() give access to it */
};

struct uroce_region {
	uint8_t *base;	/* where iova is; NULL if kind is NULL */
	uint64_t iova;	/* first address, as requests use it */
	uint64_t bytes; /* 0: a window that is not bound */
	uint32_t key;
	uint32_t pd;
	unsigned int access; /* enum ibv_access_flags */
	enum uroce_region_kind kind;
	uint32_t qpn;		     /* window of type 2: its QP, while bound */
	bool hidden;		     /* uroce_memory_hide() */
	struct uroce_dmabuf *dmabuf; /* DMABUF */
	/* memory: that on_change() may tell others (local/uroce_share.h) */
	uint64_t share, share_offset;

	struct uroce_region *memory; /* bound window: what it looks into */
	uint32_t nr_windows;	     /* memory: windows that are bound to it */
	uint32_t next_free;	     /* NONE: index of the next one; 0: last */
};

struct uroce_memory {
	struct uroce_region **regions; /* by index */
	uint32_t nr_regions;	       /* indices in use or free */
	uint32_t first_free, last_free;
	uint8_t tag; /* of the next new index */
	/* accesses began, and uroce_memory_end_access() is to end them */
	struct uroce_dmabuf *open_dmabufs;
	/*
	 * on_change() - a region or window has come, has changed, or is about
	 * to go: then its kind is NONE. NULL: nobody wants to know
	 */
	void (*on_change)(void *arg, const struct uroce_region *region);
	void *arg;
};

#define UROCE_MEMORY_TAG_MASK 0xffu

/** uroce_memory_new_tag() - @key with the low 8 bits of @tag */
static inline uint32_t uroce_memory_new_tag(uint32_t key, uint32_t tag)
{
	return (key & ~UROCE_MEMORY_TAG_MASK) | (tag & UROCE_MEMORY_TAG_MASK);
}

/** uroce_memory_init() - no regions; @seed makes keys differ between runs */
void uroce_memory_init(struct uroce_memory *memory, uint32_t seed);

/** uroce_memory_fini() - forget all regions; their memory is the caller's */
void uroce_memory_fini(struct uroce_memory *memory);

/**
 * uroce_memory_add() - a new region or window
 * @memory: the table
 * @region: kind, pd, and but for windows base, iova, bytes, access
 * @ret_key: receives its key
 *
 * Return: 0, -ENOMEM, or -EINVAL if it ends behind the last address.
 */
int uroce_memory_add(struct uroce_memory *memory,
		     const struct uroce_region *region, uint32_t *ret_key);

/**
 * uroce_memory_change() - give a region other memory, rights or PD
 * @memory: the table
 * @key: a region, not a window
 * @region: pd, base, iova, bytes, access and share that it is to have
 *
 * Return: 0, -ENOENT, -EINVAL, or -EBUSY if windows are bound to it.
 */
int uroce_memory_change(struct uroce_memory *memory, uint32_t key,
			const struct uroce_region *region);

/**
 * uroce_memory_hide() - a region is going to change or to be taken out
 *
 * Nothing of it is shown to peers until it has changed (uroce_split.h): who
 * waits for those that were shown it waits for all of them. A key that nothing
 * has does no harm.
 */
void uroce_memory_hide(const struct uroce_memory *memory, uint32_t key);

/** uroce_memory_show() - undo uroce_memory_hide(): the region is unchanged */
void uroce_memory_show(const struct uroce_memory *memory, uint32_t key);

/**
 * uroce_memory_remove() - take a region or window out
 *
 * Return: 0, -ENOENT, or -EBUSY if windows are bound to it (IBTA 10.6.7.3).
 */
int uroce_memory_remove(struct uroce_memory *memory, uint32_t key);

/** uroce_memory_find() - the region with exactly this key, or NULL */
struct uroce_region *uroce_memory_find(const struct uroce_memory *memory,
				       uint32_t key);

/**
 * uroce_memory_local() - check an access of a work request of our own
 * @memory: the table; the access to a dma-buf begins
 * @pd: of the QP or SRQ
 * @sge: the piece; a length of 0 is not checked (IBTA 10.7.2.3)
 * @write: whether it is written to
 * @ret_ptr: receives the address; NULL if there is nothing behind it
 *
 * Return: 0, or -EACCES.
 */
int uroce_memory_local(struct uroce_memory *memory, uint32_t pd,
		       const struct ibv_sge *sge, bool write,
		       uint8_t **ret_ptr);

/**
 * uroce_memory_end_dmabufs() - no address of a dma-buf is used any more
 *
 * Use uroce_memory_end_access().
 */
void uroce_memory_end_dmabufs(struct uroce_memory *memory);

/**
 * uroce_memory_end_access() - addresses found so far are not used any more
 *
 * To be called before a completion or a packet says that memory was written to,
 * and before the caller gives the engine lock back.
 */
static inline void uroce_memory_end_access(struct uroce_memory *memory)
{
	if (memory->open_dmabufs)
		uroce_memory_end_dmabufs(memory);
}

/** uroce_memory_is_dmabuf() - whether a key is that of a region in a dma-buf */
bool uroce_memory_is_dmabuf(const struct uroce_memory *memory, uint32_t key);

/* An access by the peer, as its packets ask for it. */
struct uroce_remote_access {
	uint64_t va;
	uint64_t bytes;
	uint32_t rkey;
	uint32_t pd;  /* of the QP it came to */
	uint32_t qpn; /* of the QP it came to */
	/* rights that are needed: enum ibv_access_flags */
	unsigned int access;
};

/**
 * uroce_memory_remote() - check an access by the peer (IBTA 9.7.4.1.7)
 * @memory: the table; the access to a dma-buf begins
 * @access: what it wants; if that is 0 bytes nothing is checked
 * @ret_ptr: receives the address; NULL if there is nothing behind it
 *
 * Return: 0; -ENOENT if nothing has the key, -EPERM if it is of another PD,
 * -EACCES without the right, or for a window of another QP, -ERANGE.
 */
int uroce_memory_remote(struct uroce_memory *memory,
			const struct uroce_remote_access *access,
			uint8_t **ret_ptr);

/* What a window is to show. */
struct uroce_bind {
	uint32_t window_key; /* any that it had; the tag does not count */
	uint32_t new_tag;    /* low 8 bits count */
	uint32_t memory_key; /* ignored if bytes is 0 */
	unsigned int access;
	uint64_t va;
	uint64_t bytes; /* 0: nothing more */
	uint32_t pd;	/* of the QP */
	uint32_t qpn;
};

/**
 * uroce_window_bind() - let a window show a piece of a region
 * @memory: the table
 * @bind: which, what, and on behalf of whom
 * @ret_key: receives its new key
 *
 * Rules of IBTA 10.6.7.2: same PD, a region that allows it, local write if the
 * window is to be written to, and a window of type 2 must not be bound already.
 *
 * Return: 0, or -EACCES.
 */
int uroce_window_bind(struct uroce_memory *memory,
		      const struct uroce_bind *bind, uint32_t *ret_key);

/**
 * uroce_window_invalidate() - close a window of type 2 (IBTA 10.6.7.2.5)
 * @memory: the table
 * @key: its key
 * @pd: of the QP that asks, or whose peer does
 * @qpn: the QP
 *
 * Return: 0, or -EACCES.
 */
int uroce_window_invalidate(struct uroce_memory *memory, uint32_t key,
			    uint32_t pd, uint32_t qpn);

#endif
