/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The MR directory of this process: creation, seals, and publication of rows.
 * A thread that changes a row holds the engine lock.
 */
#include "uroce/shm/uroce_tables.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uroce/shm/uroce_memfd.h"
#include "uroce/shm/uroce_tables_layout.h"
#include "util/nocancel.h"

#define SIZE	    sizeof(struct uroce_tables_memory)
#define INDEX_SHIFT 8 /* of a key: the low bits are the tag */

/* Interval in which at most one poll is published. */
#define POLLED_EVERY_NS 256

void uroce_tables_init(struct uroce_tables *tables)
{
	*tables = (struct uroce_tables){ .fd = -1 };
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

int uroce_tables_open(struct uroce_tables *tables, uint64_t nonce)
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
	*tables = (struct uroce_tables){
		.memory = memory,
		.fd = fd,
	};
	/* without a nonce, peers send requests and do not use CMA */
	if (nonce)
		(void)uroce_nonce_open(nonce, &tables->nonce);
	tables->memory->nonce = tables->nonce.value;
	tables->memory->nonce_address = tables->nonce.address;
	tables->memory->nonce_is_unique = tables->nonce.is_unique;
	tables->memory->magic = UROCE_TABLES_MAGIC;
	return 0;
}

void uroce_tables_close(struct uroce_tables *tables)
{
	if (!tables->memory)
		return;
	(void)munmap(tables->memory, SIZE);
	(void)close(tables->fd);
	uroce_nonce_close(&tables->nonce);
	uroce_tables_init(tables);
}

void uroce_tables_forget(struct uroce_tables *tables)
{
	if (tables->fd >= 0)
		(void)close(tables->fd);
	uroce_tables_init(tables);
}

static void set32(uint32_t *member, uint32_t value)
{
	/* pairs with the acquire in uroce_view.c */
	__atomic_store_n(member, value, __ATOMIC_RELEASE);
}

static void set64(uint64_t *member, uint64_t value)
{
	/* pairs with the acquire in uroce_view.c */
	__atomic_store_n(member, value, __ATOMIC_RELEASE);
}

/* A hint: with 0 shared MRs a peer skips the lookup of mapped memory. */
static void count_shared(struct uroce_tables *tables, int more)
{
	uint32_t *nr = &tables->memory->nr_shared;

	if (more)
		__atomic_store_n(nr, *nr + (uint32_t)more, __ATOMIC_RELAXED);
}

void uroce_tables_show_region(struct uroce_tables *tables,
			      const struct uroce_shown_region *region)
{
	uint32_t index = region->key >> INDEX_SHIFT;
	struct uroce_tables_region *row;

	if (!tables->memory || index >= UROCE_TABLES_REGIONS)
		return;
	row = &tables->memory->regions[index];
	/* do not allocate a page of memory for an MR without access rights */
	if (__atomic_load_n(&row->key, __ATOMIC_RELAXED)) {
		__atomic_store_n(&row->key, 0, __ATOMIC_SEQ_CST);
		count_shared(tables, row->share ? -1 : 0);
	}
	if (!region->access)
		return;
	set32(&row->pd, region->pd);
	set32(&row->access, region->access);
	set64(&row->base, region->base);
	set64(&row->iova, region->iova);
	set64(&row->bytes, region->bytes);
	set64(&row->share, region->share);
	set64(&row->share_offset, region->share_offset);
	count_shared(tables, region->share ? 1 : 0);
	__atomic_store_n(&row->key, region->key, __ATOMIC_SEQ_CST);
}

void uroce_tables_show_qp(struct uroce_tables *tables,
			  const struct uroce_shown_qp *qp)
{
	struct uroce_tables_qp *row;
	uint32_t sequence;

	if (!tables->memory)
		return;
	row = &tables->memory->qps[qp->qpn % UROCE_TABLES_QPS];
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

void uroce_tables_show_landing(struct uroce_tables *tables, uint32_t qpn,
			       enum uroce_landing_kind kind,
			       const struct uroce_landing *landing)
{
	struct uroce_tables_qp *row;

	if (!tables->memory)
		return;
	row = &tables->memory->qps[qpn % UROCE_TABLES_QPS];
	__atomic_store_n(&row->landing[kind].psn, 0, __ATOMIC_SEQ_CST);
	if (!landing->bytes)
		return;
	set32(&row->landing[kind].bytes, landing->bytes);
	set64(&row->landing[kind].address, landing->address);
	__atomic_store_n(&row->landing[kind].psn,
			 landing->psn | UROCE_TABLES_LANDED, __ATOMIC_RELEASE);
}

void uroce_tables_polled(struct uroce_tables *tables, uint64_t now)
{
	if (!tables->memory || now - tables->polled_ns < POLLED_EVERY_NS)
		return;
	tables->polled_ns = now;
	/* a hint: relaxed, since no other access depends on it */
	__atomic_store_n(&tables->memory->polled.ns, now, __ATOMIC_RELAXED);
}

void uroce_tables_begin(struct uroce_tables *tables, uint32_t slot)
{
	uint32_t *count = &tables->memory->copying[slot].count;

	__atomic_store_n(count, *count + 1, __ATOMIC_SEQ_CST);
}

void uroce_tables_end(struct uroce_tables *tables, uint32_t slot)
{
	uint32_t *count = &tables->memory->copying[slot].count;

	/* release: the copied data precedes it; later accesses need no order */
	__atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
}
