/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of another process with any content. A step of the input: rows of a
 * QP, with its sink, and of a region, in their memory layout, and the
 * lookup: distances from the correct values, so that 0 is correct.
 */
#include <stddef.h>

#include "fuzz/hostile.h"
#include "uroce/shm/uroce_shm_directory.h"
#include "uroce/shm/uroce_shm_directory_layout.h"

#define QPN   0x10002 /* the peer's */
#define TOKEN UINT64_C(0x0123456789abcdef)
#define KEY   0x200

static struct uroce_shm_directory directory;
static struct uroce_shm_remote remote;

static void open_both(void)
{
	if (remote.memory)
		return;
	uroce_shm_directory_init(&directory);
	fuzz_assert(!uroce_shm_directory_open(&directory, 1));
	fuzz_assert(!uroce_shm_remote_open(directory.fd, &remote));
}

static void take(struct fuzz_reader *reader, void *to, size_t bytes)
{
	size_t len;
	const uint8_t *from = fuzz_take(reader, bytes, &len);

	memset(to, 0, bytes);
	memcpy(to, from, len);
}

/* A number of 8 bytes; mostly a small one. */
static uint64_t take_distance(struct fuzz_reader *reader)
{
	uint8_t bytes = fuzz_take_u8(reader);
	uint64_t distance;

	if (bytes < 0xf0)
		return bytes;
	take(reader, &distance, sizeof(distance));
	return distance;
}

/* The directory of the peer has not changed, so the result can be checked. */
static void check(const struct uroce_shm_directory_region *region,
		  const struct uroce_wanted *wanted,
		  const struct uroce_found *found)
{
	uint64_t address = found->address, end, last;

	fuzz_assert(!__builtin_add_overflow(address, wanted->bytes, &end));
	fuzz_assert(address - region->base == wanted->va - region->iova);
	fuzz_assert(found->share == region->share);
	fuzz_assert(found->share_offset >= region->share_offset);
	fuzz_assert(found->share_offset - region->share_offset ==
		    address - region->base);
	if (!__builtin_add_overflow(region->base, region->bytes, &last))
		fuzz_assert(address >= region->base && end <= last);
}

/* Hints about rendezvous messages. */
static void look_at_rndv(const struct uroce_shm_directory_qp *qp,
			 const struct uroce_wanted *wanted, bool scribbles)
{
	bool pulls = false;
	bool is_open = uroce_shm_remote_is_open(&remote, wanted, &pulls);
	struct uroce_sink sink;

	if (!scribbles && is_open)
		fuzz_assert(qp->sequence % 2 == 0 &&
			    qp->qpn == wanted->dest_qpn &&
			    qp->dest_qpn == wanted->qpn && qp->token == TOKEN &&
			    pulls == !!qp->pulls);
	for (int i = 0; i < UROCE_NR_SINKS; i++) {
		bool found = uroce_shm_remote_sink(
			&remote, QPN, (enum uroce_sink_kind)i, &sink);

		if (scribbles)
			continue;
		fuzz_assert(found == !!qp->sink[i].psn);
		fuzz_assert(sink.bytes == qp->sink[i].bytes);
		fuzz_assert(sink.address == qp->sink[i].address);
		fuzz_assert(sink.psn < UROCE_SHM_DIRECTORY_PUBLISHED);
	}
}

static void step(struct fuzz_reader *reader, bool scribbles)
{
	struct uroce_shm_directory_region *region =
		&directory.memory->regions[KEY >> 8];
	struct uroce_shm_directory_qp *qp =
		&directory.memory->qps[QPN % UROCE_SHM_DIRECTORY_QPS];
	struct uroce_wanted wanted;
	struct uroce_found found;
	uint64_t end;
	int ret;

	take(reader, qp, sizeof(*qp));
	take(reader, region, sizeof(*region));
	take(reader, &directory.memory->polled.ns, sizeof(uint64_t));
	qp->token ^= TOKEN;
	qp->qpn ^= QPN;
	region->key ^= KEY;
	wanted = (struct uroce_wanted){
		.qpn = (uint32_t)(qp->dest_qpn + take_distance(reader)),
		.token = TOKEN,
		.dest_qpn = (uint32_t)(QPN + take_distance(reader)),
		.rkey = (uint32_t)(KEY + take_distance(reader)),
		.va = region->iova + take_distance(reader),
		.bytes = region->bytes - take_distance(reader),
		.access = fuzz_take_u8(reader) & 7,
	};
	(void)uroce_shm_remote_polled(&remote);
	(void)uroce_shm_remote_copying(&remote, fuzz_take_u8(reader));
	if (scribbles)
		scribbler_start(qp, sizeof(*qp), (uint32_t)reader->len);
	look_at_rndv(qp, &wanted, scribbles);
	scribbler_stop();
	if (scribbles)
		scribbler_start(region, sizeof(*region), (uint32_t)reader->len);
	ret = uroce_shm_remote_find(&remote, &wanted, &found);
	scribbler_stop();
	if (ret)
		return;
	fuzz_assert(!__builtin_add_overflow(found.address, wanted.bytes, &end));
	if (!scribbles)
		check(region, &wanted, &found);
}

void hostile_directory(struct fuzz_reader *reader, bool scribbles)
{
	open_both();
	while (reader->len)
		step(reader, scribbles);
}
