/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Table of memory regions and windows. verbs/ adds and removes entries, the
 * requester checks lkeys and binds windows, the responder checks rkeys.
 */
#include "uroce/qp/uroce_memory.h"

#include <errno.h>
#include <stdlib.h>

#include "uroce/qp/uroce_dmabuf.h"

#define INDEX_SHIFT 8
#define MAX_REGIONS (1u << 24) /* an index has 24 bits */
#define GROW_BY	    256

#define WINDOW_RIGHTS                                         \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |   \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_FLUSH_GLOBAL | \
	 IBV_ACCESS_FLUSH_PERSISTENT | IBV_ACCESS_ZERO_BASED)

void uroce_memory_init(struct uroce_memory *memory, uint32_t seed)
{
	*memory = (struct uroce_memory){
		.nr_regions = 1, /* index 0 with tag 0 would be the key 0 */
		.tag = (uint8_t)seed,
	};
}

void uroce_memory_fini(struct uroce_memory *memory)
{
	for (uint32_t i = 1; i < memory->nr_regions; i++)
		free(memory->regions[i]);
	free(memory->regions);
	memory->regions = NULL;
	memory->nr_regions = 0;
}

static void tell(const struct uroce_memory *memory,
		 const struct uroce_region *region)
{
	if (memory->on_change)
		memory->on_change(memory->arg, region);
}

static uint32_t key_index(uint32_t key)
{
	return key >> INDEX_SHIFT;
}

/* Whether the range overflows neither IOVAs nor addresses of this process. */
static bool range_is_possible(const struct uroce_region *region)
{
	uint64_t end;

	if (__builtin_add_overflow(region->iova, region->bytes, &end))
		return false;
	/* a NULL region has no memory, so its length is not limited */
	return region->kind == UROCE_REGION_NULL ||
	       region->bytes <= UINTPTR_MAX - (uintptr_t)region->base;
}

static struct uroce_region *new_index(struct uroce_memory *memory)
{
	uint32_t index = memory->nr_regions;
	struct uroce_region *region;

	if (index == MAX_REGIONS)
		return NULL;
	if (!memory->regions || index % GROW_BY == 0) {
		size_t nr = (index / GROW_BY + 1) * GROW_BY;
		struct uroce_region **grown =
			reallocarray(memory->regions, nr, sizeof(*grown));

		if (!grown)
			return NULL;
		memory->regions = grown;
	}
	region = calloc(1, sizeof(*region));
	if (!region)
		return NULL;
	region->key = index << INDEX_SHIFT | memory->tag;
	memory->tag = (uint8_t)(memory->tag * 5 + 3); /* period 256 */
	memory->regions[index] = region;
	memory->nr_regions++;
	return region;
}

static struct uroce_region *take_free(struct uroce_memory *memory)
{
	struct uroce_region *region = memory->regions[memory->first_free];

	memory->first_free = region->next_free;
	if (!memory->first_free)
		memory->last_free = 0;
	region->key = uroce_memory_new_tag(region->key, region->key + 1);
	return region;
}

static bool is_window(const struct uroce_region *region)
{
	return region->kind == UROCE_REGION_WINDOW_1 ||
	       region->kind == UROCE_REGION_WINDOW_2;
}

int uroce_memory_add(struct uroce_memory *memory,
		     const struct uroce_region *region, uint32_t *ret_key)
{
	struct uroce_region *added;
	uint32_t key;

	if (!range_is_possible(region))
		return -EINVAL;
	added = memory->first_free ? take_free(memory) : new_index(memory);
	if (!added)
		return -ENOMEM;
	key = added->key;
	*added = *region;
	added->key = key;
	added->memory = NULL;
	added->nr_windows = 0;
	if (added->kind == UROCE_REGION_DMABUF)
		memory->nr_dmabufs++;
	if (is_window(added))
		memory->nr_windows++;
	tell(memory, added);
	*ret_key = key;
	return 0;
}

/* The entry in use with this index, whatever its tag is; or NULL. */
static struct uroce_region *memory_find_index(const struct uroce_memory *memory,
					      uint32_t index)
{
	if (!index || index >= memory->nr_regions ||
	    memory->regions[index]->kind == UROCE_REGION_NONE)
		return NULL;
	return memory->regions[index];
}

struct uroce_region *uroce_memory_find(const struct uroce_memory *memory,
				       uint32_t key)
{
	struct uroce_region *region = memory_find_index(memory, key_index(key));

	return region && region->key == key ? region : NULL;
}

void uroce_memory_for_each(const struct uroce_memory *memory,
			   void (*fn)(void *arg,
				      const struct uroce_region *region),
			   void *arg)
{
	for (uint32_t i = 1; i < memory->nr_regions; i++)
		if (memory->regions[i]->kind != UROCE_REGION_NONE &&
		    !memory->regions[i]->withdrawn)
			fn(arg, memory->regions[i]);
}

int uroce_memory_change(struct uroce_memory *memory, uint32_t key,
			const struct uroce_region *region)
{
	struct uroce_region *found = uroce_memory_find(memory, key);

	if (!found || is_window(found))
		return -ENOENT;
	if (!range_is_possible(region))
		return -EINVAL;
	if (found->nr_windows)
		return -EBUSY;
	found->kind = region->kind;
	found->base = region->base;
	found->iova = region->iova;
	found->bytes = region->bytes;
	found->access = region->access;
	found->pd = region->pd;
	found->share = region->share;
	found->share_offset = region->share_offset;
	found->withdrawn = false;
	tell(memory, found);
	return 0;
}

void uroce_memory_withdraw(const struct uroce_memory *memory, uint32_t key)
{
	struct uroce_region *region = uroce_memory_find(memory, key);

	if (region)
		region->withdrawn = true;
}

void uroce_memory_publish(const struct uroce_memory *memory, uint32_t key)
{
	struct uroce_region *region = uroce_memory_find(memory, key);

	if (!region || !region->withdrawn)
		return;
	region->withdrawn = false;
	tell(memory, region);
}

static void close_window(struct uroce_region *window)
{
	if (window->memory)
		window->memory->nr_windows--;
	window->memory = NULL;
	window->base = NULL;
	window->iova = 0;
	window->bytes = 0;
	window->access = 0;
	window->qpn = 0;
}

int uroce_memory_remove(struct uroce_memory *memory, uint32_t key)
{
	struct uroce_region *region = uroce_memory_find(memory, key);
	uint32_t index = key_index(key);

	if (!region)
		return -ENOENT;
	if (region->nr_windows)
		return -EBUSY;
	if (is_window(region)) {
		close_window(region);
		memory->nr_windows--;
	}
	if (region->kind == UROCE_REGION_DMABUF)
		memory->nr_dmabufs--;
	region->kind = UROCE_REGION_NONE;
	tell(memory, region);
	region->next_free = 0;
	if (memory->last_free)
		memory->regions[memory->last_free]->next_free = index;
	else
		memory->first_free = index;
	memory->last_free = index;
	return 0;
}

/* Bounds check of @bytes from @va; returns 0 and the address, or -ERANGE. */
static int inside(const struct uroce_region *region, uint64_t va,
		  uint64_t bytes, uint8_t **ret_ptr)
{
	uint64_t offset = va - region->iova;

	if (va < region->iova || offset > region->bytes ||
	    bytes > region->bytes - offset)
		return -ERANGE;
	/* a region of all addresses begins at address 0 */
	*ret_ptr = region->kind == UROCE_REGION_NULL
			   ? NULL
			   : (uint8_t *)((uintptr_t)region->base +
					 (uintptr_t)offset);
	return 0;
}

bool uroce_memory_is_dmabuf(const struct uroce_memory *memory, uint32_t key)
{
	const struct uroce_region *region = uroce_memory_find(memory, key);

	return region && region->kind == UROCE_REGION_DMABUF;
}

static int begin_dmabuf(struct uroce_memory *memory,
			struct uroce_dmabuf *dmabuf)
{
	if (dmabuf->open)
		return 0;
	if (uroce_dmabuf_begin(dmabuf))
		return -EACCES;
	dmabuf->open = true;
	dmabuf->next_open = memory->open_dmabufs;
	memory->open_dmabufs = dmabuf;
	return 0;
}

/* @ptr: the address that inside() has found */
static int begin_access(struct uroce_memory *memory,
			const struct uroce_region *region, const uint8_t *ptr)
{
	if (region->kind == UROCE_REGION_DMABUF)
		return begin_dmabuf(memory, region->dmabuf);
	if (region->memory) /* of a window */
		region = region->memory;
	if (region->kind != UROCE_REGION_ON_DEMAND &&
	    region->kind != UROCE_REGION_IMPORTED)
		return 0;
	/* NULL would mean a NULL region; that page is never valid */
	return ptr ? UROCE_MEMORY_ON_DEMAND : -EACCES;
}

void uroce_memory_end_dmabufs(struct uroce_memory *memory)
{
	struct uroce_dmabuf *dmabuf;

	while ((dmabuf = memory->open_dmabufs)) {
		memory->open_dmabufs = dmabuf->next_open;
		dmabuf->open = false;
		uroce_dmabuf_end(dmabuf);
	}
}

int uroce_memory_local(struct uroce_memory *memory, uint32_t pd,
		       const struct ibv_sge *sge, bool write, uint8_t **ret_ptr)
{
	const struct uroce_region *region;

	if (!sge->length) {
		*ret_ptr = NULL;
		return 0;
	}
	region = uroce_memory_find(memory, sge->lkey);
	if (!region || is_window(region) || region->pd != pd)
		return -EACCES;
	if (write && !(region->access & IBV_ACCESS_LOCAL_WRITE))
		return -EACCES;
	if (inside(region, sge->addr, sge->length, ret_ptr))
		return -EACCES;
	return begin_access(memory, region, *ret_ptr);
}

/*
 * Kinds that need more than the bounds check: windows, which may be bound to an
 * on-demand region, dma-bufs, on-demand and imported regions.
 */
static int find_special(struct uroce_memory *memory,
			const struct uroce_region *region,
			const struct uroce_remote_access *access,
			uint8_t **ret_ptr)
{
	int ret;

	if (region->kind == UROCE_REGION_WINDOW_2 && region->qpn != access->qpn)
		return -EACCES;
	ret = inside(region, access->va, access->bytes, ret_ptr);
	return ret ? ret : begin_access(memory, region, *ret_ptr);
}

int uroce_memory_remote(struct uroce_memory *memory,
			const struct uroce_remote_access *access,
			uint8_t **ret_ptr)
{
	const struct uroce_region *region;

	if (!access->bytes) {
		*ret_ptr = NULL;
		return 0;
	}
	region = uroce_memory_find(memory, access->rkey);
	if (!region)
		return -ENOENT;
	if (region->pd != access->pd)
		return -EPERM;
	if ((region->access & access->access) != access->access)
		return -EACCES;
	if (region->kind >= UROCE_REGION_WINDOW_1)
		return find_special(memory, region, access, ret_ptr);
	return inside(region, access->va, access->bytes, ret_ptr);
}

/* IBTA 10.6.7.2: whether a window may be bound to a region. */
static bool may_bind(const struct uroce_region *window,
		     const struct uroce_region *region,
		     const struct uroce_bind *bind)
{
	const unsigned int writes = IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_ATOMIC;

	if (!region ||
	    (region->kind != UROCE_REGION_MEMORY &&
	     region->kind != UROCE_REGION_ON_DEMAND) ||
	    region->pd != window->pd)
		return false;
	/* 10.6.6.2.1: the application knows no VA of a zero-based region */
	if (region->access & IBV_ACCESS_ZERO_BASED)
		return false;
	if (!(region->access & IBV_ACCESS_MW_BIND) ||
	    (bind->access & ~(unsigned int)WINDOW_RIGHTS))
		return false;
	return !(bind->access & writes) ||
	       (region->access & IBV_ACCESS_LOCAL_WRITE);
}

int uroce_window_bind(struct uroce_memory *memory,
		      const struct uroce_bind *bind, uint32_t *ret_key)
{
	struct uroce_region *window, *region = NULL;
	uint8_t *ptr = NULL;

	/* a bind names the window by its index; its key may have changed */
	window = memory_find_index(memory, key_index(bind->window_key));
	if (!window || !is_window(window) || window->pd != bind->pd)
		return -EACCES;
	/* 10.6.7.2.2: a window of type 2 must be invalidated first */
	if (window->kind == UROCE_REGION_WINDOW_2 && window->memory)
		return -EACCES;
	if (bind->bytes) {
		region = uroce_memory_find(memory, bind->memory_key);
		if (!may_bind(window, region, bind) ||
		    inside(region, bind->va, bind->bytes, &ptr))
			return -EACCES;
	}

	close_window(window);
	window->key = uroce_memory_new_tag(window->key, bind->new_tag);
	window->qpn = bind->qpn;
	if (region) {
		window->memory = region;
		window->base = ptr;
		window->iova = bind->access & IBV_ACCESS_ZERO_BASED ? 0
								    : bind->va;
		window->bytes = bind->bytes;
		window->access = bind->access;
		region->nr_windows++;
	}
	*ret_key = window->key;
	return 0;
}

int uroce_window_invalidate(struct uroce_memory *memory, uint32_t key,
			    uint32_t pd, uint32_t qpn)
{
	struct uroce_region *window = uroce_memory_find(memory, key);

	if (!window || window->kind != UROCE_REGION_WINDOW_2 ||
	    window->pd != pd || !window->memory || window->qpn != qpn)
		return -EACCES;
	close_window(window);
	return 0;
}
