/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Accesses to imported regions. uroce_shm_direct.c describes why the lookup is
 * safe: accesses are announced, and the owner withdraws the row before it waits
 * for them. The announcement is one of its own, since the thread may have the
 * engine lock of another worker.
 *
 * Each access uses process_vm_*(), never /proc/<pid>/mem, because the nonce in
 * the same call shows that the exporter has not closed its last device
 * (uroce_cma.h).
 */
#include "uroce/shm/uroce_shm_import.h"

#include <errno.h>
#include <time.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_state.h"
#include "util/nocancel.h"

/* Interval at which the importer checks whether the exporter waits for it. */
#define NAP_NS 200000

struct uroce_shm_name uroce_shm_name(const struct uroce_shm *shm)
{
	return (struct uroce_shm_name){
		.token = shm->token,
		.slot = shm->config.slot,
	};
}

static bool import_is_possible(const struct uroce_peer *peer)
{
	return peer->shm->directory.memory && peer->remote.memory &&
	       peer->cma.vm && !__atomic_load_n(&peer->dead, __ATOMIC_RELAXED);
}

/* By process_vm_*() only. */
static int import_transfer(const struct uroce_peer *peer,
			   const struct uroce_transfer *transfer)
{
	struct uroce_cma cma = peer->cma;

	cma.mem = -1;
	return uroce_cma_copy(&cma, transfer);
}

/* The end of the socket of a dead exporter is noticed later. */
static bool exporter_is_alive(const struct uroce_peer *peer)
{
	uint64_t nonce;
	const struct iovec here = { &nonce, sizeof(nonce) };
	const struct uroce_transfer transfer = {
		.address = peer->cma.nonce.address,
		.bytes = sizeof(nonce),
		.iov = &here,
		.nr_iov = 1,
	};

	return import_is_possible(peer) && !import_transfer(peer, &transfer);
}

static bool exporter_waits(const struct uroce_peer *peer)
{
	return uroce_shm_remote_waits(&peer->remote, peer->shm->config.slot,
				      peer->shm->token);
}

/*
 * The exporter enters this process into its table after the handshake. If it
 * could not map the directory of this process, it never waits.
 */
int uroce_shm_import_await(struct uroce_channel *channel, uint64_t token)
{
	const struct uroce_peer *peer = uroce_peer_of(channel);
	const struct timespec nap = { .tv_nsec = NAP_NS };
	const uint64_t until_ms =
		uroce_pairing_now_ms() + peer->shm->config.patience_ms;

	while (peer->token == token && import_is_possible(peer)) {
		if (exporter_waits(peer))
			return 0;
		if (uroce_pairing_now_ms() >= until_ms)
			break;
		(void)nanosleep(&nap, NULL);
	}
	return -EOPNOTSUPP;
}

bool uroce_shm_import_has_pd(struct uroce_channel *channel, uint32_t context,
			     uint32_t pd)
{
	const struct uroce_peer *peer = uroce_peer_of(channel);

	return exporter_is_alive(peer) &&
	       uroce_shm_remote_has_pd(&peer->remote, context, pd);
}

int uroce_shm_import_find(struct uroce_channel *channel, uint32_t pd,
			  uint32_t key,
			  struct uroce_published_region *ret_region)
{
	const struct uroce_peer *peer = uroce_peer_of(channel);

	if (!exporter_is_alive(peer) ||
	    !uroce_shm_remote_region(&peer->remote, key, ret_region) ||
	    ret_region->pd != pd ||
	    !(ret_region->import & UROCE_IMPORT_POSSIBLE))
		return -ENOENT;
	return 0;
}

/* Whether the region is still what it was when it was imported. */
static bool is_unchanged(const struct uroce_peer *peer,
			 const struct uroce_published_region *region)
{
	struct uroce_published_region now;

	return uroce_shm_remote_region(&peer->remote, region->key, &now) &&
	       now.pd == region->pd && now.import == region->import &&
	       now.base == region->base && now.iova == region->iova &&
	       now.bytes == region->bytes;
}

int uroce_shm_import_copy(struct uroce_channel *channel,
			  const struct uroce_published_region *region,
			  uint64_t offset, const struct iovec *here, bool write)
{
	const struct uroce_peer *peer = uroce_peer_of(channel);
	struct uroce_shm_directory *own = &peer->shm->directory;
	struct uroce_transfer transfer = {
		.bytes = (uint32_t)here->iov_len,
		.write = write,
		.iov = here,
		.nr_iov = 1,
	};
	int ret = -EACCES;

	if (!import_is_possible(peer) ||
	    __builtin_add_overflow(region->base, offset, &transfer.address))
		return -EACCES;
	uroce_shm_directory_begin_import(own, peer->slot);
	if (exporter_waits(peer) && is_unchanged(peer, region))
		ret = import_transfer(peer, &transfer);
	uroce_shm_directory_end_import(own, peer->slot);
	return ret;
}
