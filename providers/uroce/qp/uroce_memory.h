/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions and windows, their keys, and access checks. Memory is neither
 * pinned nor translated: a region is memory of the application.
 *
 * key = index << 8 | tag. The tag changes with each reuse of an index, and free
 * indices are reused in FIFO order, so an old key stays invalid for a long
 * time. No key is 0. The lkey and the rkey of a region are equal. For a window
 * of type 2 the application chooses the tag with each bind (IBTA 10.6.7.2.6).
 *
 * These functions take no lock; the caller has the engine lock
 * (uroce_engine.h).
 */
#ifndef UROCE_MEMORY_H
#define UROCE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

enum uroce_region_kind {
	UROCE_REGION_NONE, /* the index is free */
	UROCE_REGION_MEMORY,
	UROCE_REGION_NULL, /* reads return 0, writes are discarded */
	UROCE_REGION_WINDOW_1,
	UROCE_REGION_WINDOW_2,
	UROCE_REGION_DMABUF,	/* as MEMORY, but only uroce_memory_local() and
				 * uroce_memory_remote() return its address */
	UROCE_REGION_ON_DEMAND, /* its pages may be invalid: uroce_odp.h */
	UROCE_REGION_IMPORTED,	/* of another process: uroce_odp.h */
};

struct uroce_region {
	uint8_t *base;	/* address of iova; NULL for a NULL region */
	uint64_t iova;	/* first address in work requests */
	uint64_t bytes; /* 0: a window that is not bound */
	uint32_t key;
	uint32_t pd;
	unsigned int access; /* enum ibv_access_flags */
	enum uroce_region_kind kind;
	uint32_t qpn;		     /* window of type 2: QP that bound it */
	bool withdrawn;		     /* uroce_memory_withdraw() */
	struct uroce_dmabuf *dmabuf; /* DMABUF */
	/* memory: mappable file and offset in it (shm/uroce_share.h) */
	uint64_t share, share_offset;

	struct uroce_region *memory; /* bound window: its region */
	uint32_t nr_windows;	     /* memory: windows bound to it */
	uint32_t next_free;	     /* NONE: next free index; 0: last */
};

struct uroce_memory {
	struct uroce_region **regions; /* by index */
	uint32_t nr_regions;	       /* indices in use or free */
	uint32_t first_free, last_free;
	uint8_t tag;	     /* of the next new index */
	uint32_t nr_dmabufs; /* regions of kind DMABUF */
	uint32_t nr_windows; /* windows, bound or not */
	/* with an access that uroce_memory_end_access() must end */
	struct uroce_dmabuf *open_dmabufs;
	/*
	 * on_change() - report a region or window that was added or changed, or
	 * that is about to be removed: its kind is NONE then. NULL: no report
	 */
	void (*on_change)(void *arg, const struct uroce_region *region);
	void *arg;
};

#define UROCE_MEMORY_TAG_MASK 0xffu

/*
 * Result of uroce_memory_local() and uroce_memory_remote(): a valid access to
 * an on-demand or imported region. Only the functions of uroce_odp.h access the
 * address.
 */
#define UROCE_MEMORY_ON_DEMAND 1

/** uroce_memory_new_tag() - @key with the low 8 bits of @tag */
static inline uint32_t uroce_memory_new_tag(uint32_t key, uint32_t tag)
{
	return (key & ~UROCE_MEMORY_TAG_MASK) | (tag & UROCE_MEMORY_TAG_MASK);
}

/** uroce_memory_init() - empty table; @seed makes keys differ between runs */
void uroce_memory_init(struct uroce_memory *memory, uint32_t seed);

/** uroce_memory_fini() - free the table; memory of regions is the caller's */
void uroce_memory_fini(struct uroce_memory *memory);

/**
 * uroce_memory_add() - add a region or window
 * @memory: the table
 * @region: kind and pd; of a region also base, iova, bytes, access and share;
 *	copied
 * @ret_key: receives the key
 *
 * Return: 0, -ENOMEM, or -EINVAL if the range ends behind the last address.
 */
int uroce_memory_add(struct uroce_memory *memory,
		     const struct uroce_region *region, uint32_t *ret_key);

/**
 * uroce_memory_change() - change memory, access rights or PD of a region
 * @memory: the table
 * @key: key of a region, not of a window
 * @region: new kind (MEMORY or ON_DEMAND), pd, base, iova, bytes, access, share
 *	and share_offset
 *
 * Return: 0, -ENOENT, -EINVAL, or -EBUSY if windows are bound to it.
 */
int uroce_memory_change(struct uroce_memory *memory, uint32_t key,
			const struct uroce_region *region);

/**
 * uroce_memory_withdraw() - prepare the change or removal of a region
 *
 * Until the change no address in the region is published to peers as the target
 * of a rendezvous (uroce_rndv.h), so a caller that quiesces the peers waits
 * for all accesses. An unknown key is ignored.
 */
void uroce_memory_withdraw(const struct uroce_memory *memory, uint32_t key);

/**
 * uroce_memory_publish() - undo uroce_memory_withdraw() of an unchanged region
 */
void uroce_memory_publish(const struct uroce_memory *memory, uint32_t key);

/**
 * uroce_memory_remove() - remove a region or window
 *
 * Return: 0, -ENOENT, or -EBUSY if windows are bound to it (IBTA 10.6.7.3).
 */
int uroce_memory_remove(struct uroce_memory *memory, uint32_t key);

/**
 * uroce_memory_for_each() - call a function for all regions and windows
 *
 * Leaves out regions that are withdrawn.
 */
void uroce_memory_for_each(const struct uroce_memory *memory,
			   void (*fn)(void *arg,
				      const struct uroce_region *region),
			   void *arg);

/** uroce_memory_find() - return the entry with exactly this key, or NULL */
struct uroce_region *uroce_memory_find(const struct uroce_memory *memory,
				       uint32_t key);

/**
 * uroce_memory_local() - check an SGE of a local work request
 * @memory: the table; begins the access to a dma-buf
 * @pd: PD of the QP or SRQ
 * @sge: the SGE; a length of 0 is not checked (IBTA 10.7.2.3)
 * @write: whether the memory will be written to
 * @ret_ptr: receives the address; NULL for a NULL region or a length of 0
 *
 * Return: 0, UROCE_MEMORY_ON_DEMAND, or -EACCES.
 */
int uroce_memory_local(struct uroce_memory *memory, uint32_t pd,
		       const struct ibv_sge *sge, bool write,
		       uint8_t **ret_ptr);

/**
 * uroce_memory_end_dmabufs() - end the open accesses to dma-bufs
 *
 * Only for uroce_memory_end_access().
 */
void uroce_memory_end_dmabufs(struct uroce_memory *memory);

/**
 * uroce_memory_end_access() - end the use of all addresses found so far
 *
 * Call it before a completion or a packet reports that memory was written to,
 * and before the engine lock is dropped.
 */
static inline void uroce_memory_end_access(struct uroce_memory *memory)
{
	if (memory->open_dmabufs)
		uroce_memory_end_dmabufs(memory);
}

/** uroce_memory_is_dmabuf() - whether a key belongs to a region in a dma-buf */
bool uroce_memory_is_dmabuf(const struct uroce_memory *memory, uint32_t key);

/* Access that a packet of the peer requests. */
struct uroce_remote_access {
	uint64_t va;
	uint64_t bytes;
	uint32_t rkey;
	uint32_t pd;  /* of the responder's QP */
	uint32_t qpn; /* of the responder's QP */
	/* required rights: enum ibv_access_flags */
	unsigned int access;
};

/**
 * uroce_memory_remote() - check an access by the peer (IBTA 9.7.4.1.7)
 * @memory: the table; begins the access to a dma-buf
 * @access: the access; 0 bytes are not checked
 * @ret_ptr: receives the address; NULL for a NULL region or 0 bytes
 *
 * Return: 0 or UROCE_MEMORY_ON_DEMAND; -ENOENT for an unknown key; -EPERM for
 * another PD; -EACCES for a
 * missing right, a window of another QP or a dma-buf that the CPU cannot
 * access; -ERANGE.
 */
int uroce_memory_remote(struct uroce_memory *memory,
			const struct uroce_remote_access *access,
			uint8_t **ret_ptr);

/* Arguments of a bind. */
struct uroce_bind {
	uint32_t window_key; /* any key that it had; the tag is ignored */
	uint32_t new_tag;    /* low 8 bits are used */
	uint32_t memory_key; /* ignored if bytes is 0 */
	unsigned int access;
	uint64_t va;
	uint64_t bytes; /* 0: unbind */
	uint32_t pd;	/* of the QP */
	uint32_t qpn;
};

/**
 * uroce_window_bind() - bind a window to a part of a region, or unbind it
 * @memory: the table
 * @bind: window, region, range, rights and QP
 * @ret_key: receives the new key of the window
 *
 * Rules of IBTA 10.6.7.2: window and region have the same PD, the region has
 * IBV_ACCESS_MW_BIND, remote write or atomic rights need local write, and a
 * window of type 2 is not bound yet.
 *
 * Return: 0, or -EACCES.
 */
int uroce_window_bind(struct uroce_memory *memory,
		      const struct uroce_bind *bind, uint32_t *ret_key);

/**
 * uroce_window_invalidate() - unbind a window of type 2 (IBTA 10.6.7.2.5)
 * @memory: the table
 * @key: key of the window
 * @pd: PD of the QP that executes LOCAL_INV or receives SEND_WITH_INV
 * @qpn: number of that QP
 *
 * Return: 0, or -EACCES.
 */
int uroce_window_invalidate(struct uroce_memory *memory, uint32_t key,
			    uint32_t pd, uint32_t qpn);

#endif
