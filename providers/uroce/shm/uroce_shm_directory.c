/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The MR directory of this process: creation, seals, and publication of rows.
 * A thread that changes a row holds the engine lock.
 */
#include "uroce/shm/uroce_shm_directory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uroce/shm/uroce_memfd.h"
#include "uroce/shm/uroce_shm_directory_layout.h"
#include "util/nocancel.h"

#define SIZE	    sizeof(struct uroce_shm_directory_memory)
#define INDEX_SHIFT 8 /* of a key: the low bits are the tag */

/* Interval in which at most one poll is published. */
#define POLLED_EVERY_NS 256

void uroce_shm_directory_init(struct uroce_shm_directory *directory)
{
	*directory = (struct uroce_shm_directory){ .fd = -1 };
}

/* After F_SEAL_FUTURE_WRITE only this mapping is writable, no later one. */
static int map_and_seal(int fd, void **ret_memory)
{
	const int seals = UROCE_MEMFD_SEALS | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
	void *memory = NULL;
	int ret = uroce_memfd_map(fd, SIZE, PROT_READ | PROT_WRITE, &memory);

	if (ret)
		return ret;
	if (fcntl(fd, F_ADD_SEALS, seals)) {
		ret = -errno;
		(void)munmap(memory, SIZE);
		return ret;
	}
	*ret_memory = memory;
	return 0;
}

int uroce_shm_directory_open(struct uroce_shm_directory *directory,
			     uint64_t nonce)
{
	int fd = uroce_memfd_create(SIZE);
	void *memory = NULL;
	int ret;

	if (fd < 0)
		return fd;
	ret = map_and_seal(fd, &memory);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	*directory = (struct uroce_shm_directory){
		.memory = memory,
		.fd = fd,
	};
	/* without a nonce, peers send requests and do not use CMA */
	if (nonce)
		(void)uroce_nonce_open(nonce, &directory->nonce);
	directory->memory->nonce = directory->nonce.value;
	directory->memory->nonce_address = directory->nonce.address;
	directory->memory->nonce_is_unique = directory->nonce.is_unique;
	directory->memory->magic = UROCE_SHM_DIRECTORY_MAGIC;
	return 0;
}

void uroce_shm_directory_close(struct uroce_shm_directory *directory)
{
	if (!directory->memory)
		return;
	(void)munmap(directory->memory, SIZE);
	(void)close(directory->fd);
	uroce_nonce_close(&directory->nonce);
	uroce_shm_directory_init(directory);
}

void uroce_shm_directory_forget(struct uroce_shm_directory *directory)
{
	if (directory->fd >= 0)
		(void)close(directory->fd);
	uroce_shm_directory_init(directory);
}

static void set32(uint32_t *member, uint32_t value)
{
	/* pairs with the acquire in uroce_shm_remote.c */
	__atomic_store_n(member, value, __ATOMIC_RELEASE);
}

static void set64(uint64_t *member, uint64_t value)
{
	/* pairs with the acquire in uroce_shm_remote.c */
	__atomic_store_n(member, value, __ATOMIC_RELEASE);
}

/* A hint: with 0 shared MRs a peer skips the lookup of mapped memory. */
static void count_shared(struct uroce_shm_directory *directory, int more)
{
	uint32_t *nr = &directory->memory->nr_shared;

	if (more)
		__atomic_store_n(nr, *nr + (uint32_t)more, __ATOMIC_RELAXED);
}

void uroce_shm_directory_publish_region(
	struct uroce_shm_directory *directory,
	const struct uroce_published_region *region)
{
	uint32_t index = region->key >> INDEX_SHIFT;
	struct uroce_shm_directory_region *row;

	if (!directory->memory || index >= UROCE_SHM_DIRECTORY_REGIONS)
		return;
	row = &directory->memory->regions[index];
	/* do not allocate a page of memory for an MR without any right */
	if (__atomic_load_n(&row->key, __ATOMIC_RELAXED)) {
		__atomic_store_n(&row->key, 0, __ATOMIC_SEQ_CST);
		count_shared(directory, row->share ? -1 : 0);
	}
	if (!region->access && !region->import)
		return;
	set32(&row->pd, region->pd);
	set32(&row->access, region->access);
	set32(&row->import, region->import);
	set64(&row->base, region->base);
	set64(&row->iova, region->iova);
	set64(&row->bytes, region->bytes);
	set64(&row->share, region->share);
	set64(&row->share_offset, region->share_offset);
	count_shared(directory, region->share ? 1 : 0);
	__atomic_store_n(&row->key, region->key, __ATOMIC_SEQ_CST);
}

void uroce_shm_directory_publish_qp(struct uroce_shm_directory *directory,
				    const struct uroce_published_qp *qp)
{
	struct uroce_shm_directory_qp *row;
	uint32_t sequence;

	if (!directory->memory)
		return;
	row = &directory->memory->qps[qp->qpn % UROCE_SHM_DIRECTORY_QPS];
	if (!qp->ready && !__atomic_load_n(&row->qpn, __ATOMIC_RELAXED))
		return;
	sequence = __atomic_load_n(&row->sequence, __ATOMIC_RELAXED);
	__atomic_store_n(&row->sequence, sequence + 1, __ATOMIC_SEQ_CST);
	set32(&row->qpn, qp->ready ? qp->qpn : 0);
	set32(&row->dest_qpn, qp->dest_qpn);
	set32(&row->pd, qp->pd);
	set32(&row->access, qp->access);
	set32(&row->pulls, qp->pulls);
	set64(&row->token, qp->token);
	__atomic_store_n(&row->sequence, sequence + 2, __ATOMIC_SEQ_CST);
}

void uroce_shm_directory_publish_sink(struct uroce_shm_directory *directory,
				      uint32_t qpn, enum uroce_sink_kind kind,
				      const struct uroce_sink *sink)
{
	struct uroce_shm_directory_qp *row;

	if (!directory->memory)
		return;
	row = &directory->memory->qps[qpn % UROCE_SHM_DIRECTORY_QPS];
	__atomic_store_n(&row->sink[kind].psn, 0, __ATOMIC_SEQ_CST);
	if (!sink->bytes)
		return;
	set32(&row->sink[kind].bytes, sink->bytes);
	set64(&row->sink[kind].address, sink->address);
	__atomic_store_n(&row->sink[kind].psn,
			 sink->psn | UROCE_SHM_DIRECTORY_PUBLISHED,
			 __ATOMIC_RELEASE);
}

void uroce_shm_directory_publish_pd(struct uroce_shm_directory *directory,
				    uint32_t context, uint32_t pd, bool exists)
{
	const uint64_t value = (uint64_t)context << 32 | pd;
	uint64_t *pds;

	if (!directory->memory)
		return;
	pds = directory->memory->pds;
	for (uint32_t i = 0; i < UROCE_SHM_DIRECTORY_PDS; i++)
		if (pds[i] == (exists ? 0 : value)) {
			set64(&pds[i], exists ? value : 0);
			return;
		}
}

void uroce_shm_directory_publish_peer(struct uroce_shm_directory *directory,
				      uint32_t slot, uint64_t token)
{
	if (directory->memory)
		__atomic_store_n(&directory->memory->copying[slot].token, token,
				 __ATOMIC_SEQ_CST);
}

void uroce_shm_directory_polled(struct uroce_shm_directory *directory,
				uint64_t now)
{
	if (!directory->memory || now - directory->polled_ns < POLLED_EVERY_NS)
		return;
	directory->polled_ns = now;
	/* a hint: relaxed, since no other access depends on it */
	__atomic_store_n(&directory->memory->polled.ns, now, __ATOMIC_RELAXED);
}

static void access_begin(uint32_t *count)
{
	__atomic_store_n(count, *count + 1, __ATOMIC_SEQ_CST);
}

static void access_end(uint32_t *count)
{
	/* release: the copied data precedes it; later accesses need no order */
	__atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
}

void uroce_shm_directory_begin(struct uroce_shm_directory *directory,
			       uint32_t slot)
{
	access_begin(&directory->memory->copying[slot].count);
}

void uroce_shm_directory_end(struct uroce_shm_directory *directory,
			     uint32_t slot)
{
	access_end(&directory->memory->copying[slot].count);
}

void uroce_shm_directory_begin_import(struct uroce_shm_directory *directory,
				      uint32_t slot)
{
	access_begin(&directory->memory->copying[slot].imports);
}

void uroce_shm_directory_end_import(struct uroce_shm_directory *directory,
				    uint32_t slot)
{
	access_end(&directory->memory->copying[slot].imports);
}
