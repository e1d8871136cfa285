/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lookup in the MR directory of a peer. The peer can write any value at any
 * time: values are copied before they are checked, and the result of a lookup
 * is an address in the peer's own memory.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "uroce/shm/uroce_memfd.h"
#include "uroce/shm/uroce_shm_directory.h"
#include "uroce/shm/uroce_shm_directory_layout.h"

#define SIZE	    sizeof(struct uroce_shm_directory_memory)
#define INDEX_SHIFT 8 /* of a key: the low bits are the tag */

int uroce_shm_remote_open(int fd, struct uroce_shm_remote *ret_remote)
{
	const struct uroce_shm_directory_memory *memory;
	void *mapped = NULL;
	int ret = uroce_memfd_check(fd, SIZE);

	if (!ret)
		ret = uroce_memfd_map(fd, SIZE, PROT_READ, &mapped);
	if (ret)
		return ret;
	memory = mapped;
	if (memory->magic != UROCE_SHM_DIRECTORY_MAGIC) {
		(void)munmap(mapped, SIZE);
		return -EPROTO;
	}
	ret_remote->memory = memory;
	return 0;
}

void uroce_shm_remote_close(struct uroce_shm_remote *remote)
{
	if (remote->memory)
		(void)munmap((void *)remote->memory, SIZE);
	remote->memory = NULL;
}

struct uroce_nonce uroce_shm_remote_nonce(const struct uroce_shm_remote *remote)
{
	return (struct uroce_nonce){
		.value = remote->memory->nonce,
		.address = remote->memory->nonce_address,
		.is_unique = remote->memory->nonce_is_unique,
	};
}

const uint32_t *
uroce_shm_remote_nr_shared(const struct uroce_shm_remote *remote)
{
	return &remote->memory->nr_shared;
}

uint64_t uroce_shm_remote_polled(const struct uroce_shm_remote *remote)
{
	/* a hint: relaxed, since no other access depends on it */
	return __atomic_load_n(&remote->memory->polled.ns, __ATOMIC_RELAXED);
}

uint32_t uroce_shm_remote_copying(const struct uroce_shm_remote *remote,
				  uint32_t slot)
{
	/* pairs with the store in uroce_shm_directory_begin() */
	return __atomic_load_n(&remote->memory->copying[slot].count,
			       __ATOMIC_SEQ_CST);
}

uint32_t uroce_shm_remote_importing(const struct uroce_shm_remote *remote,
				    uint32_t slot)
{
	/* pairs with the store in uroce_shm_directory_begin_import() */
	return __atomic_load_n(&remote->memory->copying[slot].imports,
			       __ATOMIC_SEQ_CST);
}

bool uroce_shm_remote_waits(const struct uroce_shm_remote *remote,
			    uint32_t slot, uint64_t token)
{
	return __atomic_load_n(&remote->memory->copying[slot].token,
			       __ATOMIC_SEQ_CST) == token;
}

static uint32_t shm_remote_get32(const uint32_t *member)
{
	/* pairs with the release in uroce_shm_directory.c */
	return __atomic_load_n(member, __ATOMIC_ACQUIRE);
}

static uint64_t shm_remote_get64(const uint64_t *member)
{
	/* pairs with the release in uroce_shm_directory.c */
	return __atomic_load_n(member, __ATOMIC_ACQUIRE);
}

/* Return: whether the QP is connected to the local QP and permits access. */
static bool find_qp(const struct uroce_shm_directory_memory *memory,
		    const struct uroce_wanted *wanted,
		    struct uroce_shm_directory_qp *ret_qp)
{
	const struct uroce_shm_directory_qp *row =
		&memory->qps[wanted->dest_qpn % UROCE_SHM_DIRECTORY_QPS];
	uint32_t sequence = __atomic_load_n(&row->sequence, __ATOMIC_SEQ_CST);
	struct uroce_shm_directory_qp qp = {
		.qpn = shm_remote_get32(&row->qpn),
		.dest_qpn = shm_remote_get32(&row->dest_qpn),
		.pd = shm_remote_get32(&row->pd),
		.access = shm_remote_get32(&row->access),
		.pulls = shm_remote_get32(&row->pulls),
		.token = shm_remote_get64(&row->token),
	};

	if (sequence % 2 || shm_remote_get32(&row->sequence) != sequence)
		return false;
	*ret_qp = qp;
	return qp.qpn == wanted->dest_qpn && qp.dest_qpn == wanted->qpn &&
	       qp.token == wanted->token &&
	       (qp.access & wanted->access) == wanted->access;
}

static bool find_region(const struct uroce_shm_directory_memory *memory,
			uint32_t key,
			struct uroce_shm_directory_region *ret_region)
{
	uint32_t index = key >> INDEX_SHIFT;
	const struct uroce_shm_directory_region *row;

	if (!key || index >= UROCE_SHM_DIRECTORY_REGIONS)
		return false;
	row = &memory->regions[index];
	if (__atomic_load_n(&row->key, __ATOMIC_SEQ_CST) != key)
		return false;
	*ret_region = (struct uroce_shm_directory_region){
		.pd = shm_remote_get32(&row->pd),
		.access = shm_remote_get32(&row->access),
		.import = shm_remote_get32(&row->import),
		.base = shm_remote_get64(&row->base),
		.iova = shm_remote_get64(&row->iova),
		.bytes = shm_remote_get64(&row->bytes),
		.share = shm_remote_get64(&row->share),
		.share_offset = shm_remote_get64(&row->share_offset),
	};
	return shm_remote_get32(&row->key) == key;
}

bool uroce_shm_remote_region(const struct uroce_shm_remote *remote,
			     uint32_t key,
			     struct uroce_published_region *ret_region)
{
	struct uroce_shm_directory_region region;

	if (!find_region(remote->memory, key, &region))
		return false;
	*ret_region = (struct uroce_published_region){
		.key = key,
		.pd = region.pd,
		.access = region.access,
		.import = region.import,
		.base = region.base,
		.iova = region.iova,
		.bytes = region.bytes,
		.share = region.share,
		.share_offset = region.share_offset,
	};
	return true;
}

bool uroce_shm_remote_has_pd(const struct uroce_shm_remote *remote,
			     uint32_t context, uint32_t pd)
{
	const uint64_t value = (uint64_t)context << 32 | pd;

	for (uint32_t i = 0; value && i < UROCE_SHM_DIRECTORY_PDS; i++)
		if (shm_remote_get64(&remote->memory->pds[i]) == value)
			return true;
	return false;
}

int uroce_shm_remote_find(const struct uroce_shm_remote *remote,
			  const struct uroce_wanted *wanted,
			  struct uroce_found *ret_found)
{
	struct uroce_shm_directory_region region;
	uint64_t offset, address, in_share, end;
	struct uroce_shm_directory_qp qp;

	if (!find_qp(remote->memory, wanted, &qp) ||
	    !find_region(remote->memory, wanted->rkey, &region))
		return -EACCES;
	/* a row without rights of peers is for imports only */
	if (region.pd != qp.pd || !region.access ||
	    (region.access & wanted->access) != wanted->access)
		return -EACCES;
	offset = wanted->va - region.iova;
	if (wanted->va < region.iova || offset > region.bytes ||
	    wanted->bytes > region.bytes - offset)
		return -EACCES;
	if (__builtin_add_overflow(region.base, offset, &address) ||
	    __builtin_add_overflow(address, wanted->bytes, &end) ||
	    __builtin_add_overflow(region.share_offset, offset, &in_share))
		return -EACCES;
	*ret_found = (struct uroce_found){
		.address = address,
		.share = region.share,
		.share_offset = in_share,
	};
	return 0;
}

bool uroce_shm_remote_is_open(const struct uroce_shm_remote *remote,
			      const struct uroce_wanted *wanted,
			      bool *ret_pulls)
{
	struct uroce_shm_directory_qp qp;

	if (!find_qp(remote->memory, wanted, &qp))
		return false;
	*ret_pulls = qp.pulls;
	return true;
}

bool uroce_shm_remote_sink(const struct uroce_shm_remote *remote,
			   uint32_t dest_qpn, enum uroce_sink_kind kind,
			   struct uroce_sink *ret_sink)
{
	const struct uroce_shm_directory_qp *row =
		&remote->memory->qps[dest_qpn % UROCE_SHM_DIRECTORY_QPS];
	uint32_t psn = __atomic_load_n(&row->sink[kind].psn, __ATOMIC_SEQ_CST);

	*ret_sink = (struct uroce_sink){
		.psn = psn & ~UROCE_SHM_DIRECTORY_PUBLISHED,
		.bytes = shm_remote_get32(&row->sink[kind].bytes),
		.address = shm_remote_get64(&row->sink[kind].address),
	};
	return psn && shm_remote_get32(&row->sink[kind].psn) == psn;
}
