/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct access to the memory of a peer, and the protocol that makes it safe:
 *
 *   requester                         owner of the memory
 *   ---------                         -------------------
 *   announces an access               withdraws the MR or the QP
 *   looks up the MR, copies           looks for announced accesses,
 *   announces the end                 and waits until they end
 *
 * The first two steps of each process are sequentially consistent, so at least
 * one of the two processes sees the first step of the other.
 */
#include "uroce/shm/uroce_shm_direct.h"

#include <errno.h>
#include <time.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_state.h"
#include "util/clock.h"
#include "util/nocancel.h"

/* Interval at which the owner checks whether an access has ended. */
#define NAP_NS 20000

/*
 * A peer whose last published poll is older does not count as polling. The
 * limit includes the interval between published polls, and the time between
 * reading the clock and polling. Longer copies raise the limit: CMA takes some
 * 40 ns more for a KB than a copy that both processes share.
 */
#define ATTENDED_NS 4000
#define BYTES_A_NS  32

/* A request shows that the peer polls for this many polls of this process. */
#define PACKET_POLLS 1

static int copy_find(const struct uroce_peer *peer,
		     const struct uroce_direct_access *copy,
		     struct uroce_found *ret_found)
{
	const struct uroce_wanted wanted = {
		.qpn = copy->qpn,
		.token = peer->shm->token,
		.dest_qpn = copy->dest_qpn,
		.rkey = copy->rkey,
		.va = copy->va,
		.bytes = copy->bytes,
		.access = copy->access,
	};

	return uroce_shm_remote_find(&peer->remote, &wanted, ret_found);
}

static int copy_locked(const struct uroce_peer *peer,
		       const struct uroce_direct_access *copy)
{
	struct uroce_found found;
	struct uroce_transfer transfer = {
		.bytes = copy->chunk,
		.write = !copy->read,
		.iov = copy->iov,
		.nr_iov = copy->nr_iov,
	};

	if (copy_find(peer, copy, &found))
		return -EACCES;
	transfer.address = found.address + copy->offset;
	return uroce_cma_copy(&peer->cma, &transfer);
}

static void copy_count(struct uroce_shm *shm, bool by_pid, uint32_t bytes)
{
	if (by_pid)
		shm->counters.copies_vm++;
	else
		shm->counters.copies_mem++;
	shm->counters.copied_bytes += bytes;
}

int uroce_shm_direct_copy(struct uroce_channel *channel,
			  const struct uroce_direct_access *copy)
{
	struct uroce_peer *peer = uroce_peer_of(channel);
	struct uroce_shm *shm = peer->shm;
	int ret;

	/* the owner cannot see, or does not wait for, an access */
	if (!shm->directory.memory || peer->protocol_error || peer->dying)
		return -ENOTCONN;
	uroce_shm_directory_begin(&shm->directory, peer->slot);
	ret = copy_locked(peer, copy);
	uroce_shm_directory_end(&shm->directory, peer->slot);
	if (ret == -EPERM) /* CMA is no longer permitted */
		channel->direct_copy = NULL;
	if (!ret)
		copy_count(shm, uroce_cma_is_by_pid(&peer->cma, copy->chunk),
			   copy->chunk);
	return ret;
}

/* NULL: denied or not mapped. The first lookup of a share requests its file. */
static uint8_t *find_mapped(struct uroce_peer *peer,
			    const struct uroce_direct_access *copy)
{
	struct uroce_found found;
	uint8_t *memory;

	if (copy_find(peer, copy, &found))
		return NULL;
	if (peer->is_own_memory)
		return (uint8_t *)(uintptr_t)found.address + copy->offset;
	if (!found.share)
		return NULL;
	memory = uroce_mappings_find(&peer->mappings, found.share,
				     found.share_offset, copy->bytes);
	if (memory)
		return memory + copy->offset;
	if (uroce_mappings_want(&peer->mappings, found.share))
		(void)uroce_pairing_send_share(
			peer->fd, UROCE_PAIRING_FILE_REQUEST, found.share, -1);
	return NULL;
}

/* With unread news, a mapping may have ended and must not be used. */
uint8_t *uroce_shm_direct_begin(struct uroce_channel *channel,
				const struct uroce_direct_access *copy)
{
	struct uroce_peer *peer = uroce_peer_of(channel);
	struct uroce_shm *shm = peer->shm;
	uint8_t *memory;

	if (!shm->directory.memory || peer->protocol_error || peer->dying ||
	    __atomic_load_n(&shm->news, __ATOMIC_RELAXED) != shm->seen_news)
		return NULL;
	uroce_shm_directory_begin(&shm->directory, peer->slot);
	memory = find_mapped(peer, copy);
	if (memory)
		shm->counters.mapped++;
	else
		uroce_shm_directory_end(&shm->directory, peer->slot);
	return memory;
}

void uroce_shm_direct_end(struct uroce_channel *channel)
{
	const struct uroce_peer *peer = uroce_peer_of(channel);

	uroce_shm_directory_end(&peer->shm->directory, peer->slot);
}

/*
 * A recent request of the peer shows that it polls. Then the cache line of its
 * directory is not loaded.
 */
bool uroce_shm_is_recently_polling(struct uroce_channel *channel,
				   uint32_t bytes)
{
	struct uroce_peer *peer = uroce_peer_of(channel);
	const int64_t long_ns = ATTENDED_NS + bytes / BYTES_A_NS;
	int64_t ago;

	if (peer->was_active) {
		peer->was_active = false;
		if (peer->shm->polls - peer->packet_polls <= PACKET_POLLS)
			return true;
	}
	ago = (int64_t)(verbs_now_ns() -
			uroce_shm_remote_polled(&peer->remote));
	return ago < long_ns && ago > -long_ns;
}

void uroce_shm_publish_region(struct uroce_shm *shm,
			      const struct uroce_published_region *region)
{
	uroce_shm_directory_publish_region(&shm->directory, region);
}

void uroce_shm_publish_pd(struct uroce_shm *shm, uint32_t context, uint32_t pd,
			  bool exists)
{
	uroce_shm_directory_publish_pd(&shm->directory, context, pd, exists);
}

/* Only peers that announce accesses in a directory get access to a QP. */
void uroce_shm_publish_qp(struct uroce_shm *shm,
			  const struct uroce_published_qp *qp,
			  struct uroce_channel *channel)
{
	struct uroce_published_qp published = *qp;

	if (channel && uroce_peer_of(channel)->remote.memory)
		published.token = uroce_peer_of(channel)->token;
	else
		published.ready = false;
	uroce_shm_directory_publish_qp(&shm->directory, &published);
}

void uroce_shm_polled(struct uroce_shm *shm, uint64_t now)
{
	shm->polls++;
	uroce_shm_directory_polled(&shm->directory, now);
}

/* The accesses that a peer announces; all 0 without a peer or its directory. */
struct announced {
	uint64_t token;
	uint32_t copying, importing; /* odd: one is in progress */
};

static struct announced announced_locked(const struct uroce_shm *shm,
					 uint32_t slot)
{
	const uint32_t own = shm->config.slot;
	const struct uroce_peer *peer = shm->table[slot];

	if (!peer || !peer->remote.memory)
		return (struct announced){};
	return (struct announced){
		.token = peer->token,
		.copying = uroce_shm_remote_copying(&peer->remote, own),
		.importing = uroce_shm_remote_importing(&peer->remote, own),
	};
}

static bool is_in_progress(const struct announced *before,
			   const struct announced *now)
{
	return now->token == before->token &&
	       ((before->copying % 2 && now->copying == before->copying) ||
		(before->importing % 2 && now->importing == before->importing));
}

/* An access that begins later does not find the withdrawn row. */
static bool is_still_copying(struct uroce_shm *shm, uint32_t slot,
			     const struct announced *before)
{
	struct announced now;

	verbs_mutex_lock(&shm->mutex);
	now = announced_locked(shm, slot);
	verbs_mutex_unlock(&shm->mutex);
	return is_in_progress(before, &now);
}

int uroce_shm_quiesce(struct uroce_shm *shm, uint64_t until_ms)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	struct announced before[UROCE_SHM_SLOTS];

	if (shm->abandoned || !shm->directory.memory)
		return 0;
	verbs_mutex_lock(&shm->mutex);
	for (uint32_t i = 0; i < UROCE_SHM_SLOTS; i++)
		before[i] = announced_locked(shm, i);
	verbs_mutex_unlock(&shm->mutex);
	for (uint32_t i = 0; i < UROCE_SHM_SLOTS; i++)
		while (is_in_progress(&before[i], &before[i]) &&
		       is_still_copying(shm, i, &before[i])) {
			if (uroce_pairing_now_ms() >= until_ms)
				return -EBUSY;
			(void)nanosleep(&nap, NULL);
		}
	return 0;
}
