/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data path: packets in and out of the rings of all peers. All functions
 * need the engine lock and take no other lock. New and dead peers are noticed
 * by one word that is compared each time.
 */
#include <errno.h>
#include <sys/socket.h>

#include "uroce/shm/uroce_shm_state.h"
#include "uroce/wire/uroce_wire.h"
#include "util/prefetch.h"

/* Packets of one peer before the ring of the next one is polled. */
#define MAX_PACKETS 64

static bool is_used(const struct uroce_peer *peer)
{
	return __atomic_load_n(&peer->uses, __ATOMIC_ACQUIRE) > 0;
}

static void welcome(struct uroce_shm *shm)
{
	/* pairs with the release in push_arrived() */
	struct uroce_peer *peer =
		__atomic_exchange_n(&shm->arrived, NULL, __ATOMIC_ACQUIRE);

	while (peer) {
		list_add_tail(&shm->active, &peer->node);
		shm->nr_active++;
		peer = peer->next;
	}
}

/* A dead peer has been in the list before, or arrives now. */
static void see_news(struct uroce_shm *shm)
{
	uint32_t news = __atomic_load_n(&shm->news, __ATOMIC_ACQUIRE);
	struct list_node *pos;

	if (news == shm->seen_news)
		return;
	shm->seen_news = news;
	welcome(shm);
	list_for_each (pos, &shm->active) {
		struct uroce_peer *peer =
			list_entry(pos, struct uroce_peer, node);

		peer->dying = __atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE);
		uroce_mappings_update(&peer->mappings);
	}
}

/*
 * The end of the socket notifies both sides: the peer, and uroce_shm_serve()
 * of this process, which removes the peer.
 */
static void declare_protocol_error(struct uroce_peer *peer)
{
	if (peer->protocol_error)
		return;
	peer->protocol_error = true;
	peer->shm->counters.rx_bad++;
	(void)shutdown(peer->fd, SHUT_RDWR);
}

/* Counts a packet of @bytes. */
static void was_put(struct uroce_peer *peer, uint32_t bytes)
{
	struct uroce_shm *shm = peer->shm;

	shm->counters.tx_packets++;
	shm->counters.tx_bytes += bytes;
	if (list_empty(&peer->sent))
		list_add_tail(&shm->sent, &peer->sent);
}

void uroce_shm_put(struct uroce_channel *channel,
		   const struct uroce_packet *packet, const struct iovec *iov,
		   uint32_t nr_iov)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	uroce_shm_ring_put(&peer->out, packet, iov, nr_iov);
	was_put(peer, packet->payload_len);
}

const void *uroce_shm_next_put(struct uroce_channel *channel)
{
	return uroce_shm_ring_next_put(&uroce_peer_of(channel)->out);
}

void uroce_shm_put_eager(struct uroce_channel *channel,
			 const struct uroce_eager_entry *eager)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	uroce_shm_ring_put_eager(&peer->out, eager);
	was_put(peer, eager->payload_len);
}

bool uroce_shm_has_room(struct uroce_channel *channel)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	if (uroce_shm_ring_has_room(&peer->out))
		return true;
	if (peer->out.broken)
		declare_protocol_error(peer);
	return false;
}

void uroce_shm_flush(struct uroce_shm *shm)
{
	while (!list_empty(&shm->sent)) {
		struct uroce_peer *peer =
			list_entry(shm->sent.next, struct uroce_peer, sent);

		list_del(&peer->sent);
		uroce_shm_ring_publish(&peer->out);
		if (!uroce_shm_ring_seems_watched(&peer->out) || peer->fd < 0)
			continue;
		uroce_peer_ring(peer);
		shm->counters.tx_bells++;
	}
}

/*
 * Only an application posts requests; a peer that asks for a copy has done so,
 * too. It gets a response, or a message that is one.
 */
static void peer_note_activity(struct uroce_peer *peer, uint8_t opcode)
{
	if (uroce_wire_is_response(opcode))
		return;
	prefetch_for_write(uroce_shm_ring_next_put(&peer->out));
	peer->was_active = true;
	peer->packet_polls = peer->shm->polls;
}

/* The last packet of a dead peer was received. */
static void shm_path_finish(struct uroce_shm *shm, struct uroce_peer *peer)
{
	list_del(&peer->node);
	shm->nr_active--;
	shm->counters.pairs_lost++;
	if (!is_used(peer)) {
		/*
		 * no QP is bound, but the channel may still be in the list of
		 * full ones
		 */
		list_del(&peer->channel.entry);
		uroce_peer_free(peer);
		return;
	}
	peer->channel.failed = true;
	peer->channel.nr_shared = NULL;
	uroce_mappings_close(&peer->mappings);
	uroce_peer_hang_up(peer);
	list_add_tail(&shm->failed, &peer->node);
}

void uroce_shm_begin(struct uroce_shm *shm)
{
	see_news(shm);
	shm->turn = shm->active.next;
	shm->left = MAX_PACKETS;
}

static void next_turn(struct uroce_shm *shm)
{
	shm->turn = shm->turn->next;
	shm->left = MAX_PACKETS;
}

/* Returns whether there was a packet; a malformed one is a protocol error. */
static bool take_from(struct uroce_peer *peer,
		      struct uroce_eager_entry *ret_eager)
{
	int ret;

	if (peer->protocol_error)
		return false;
	ret = uroce_shm_ring_take_eager(&peer->in, ret_eager);
	if (ret < 0)
		declare_protocol_error(peer);
	return ret > 0;
}

struct uroce_channel *uroce_shm_take(struct uroce_shm *shm,
				     struct uroce_eager_entry *ret_eager)
{
	while (shm->turn != &shm->active) {
		struct uroce_peer *peer =
			list_entry(shm->turn, struct uroce_peer, node);

		bool may_have_more = !shm->left;

		if (!may_have_more && take_from(peer, ret_eager)) {
			if (shm->left-- < MAX_PACKETS)
				uroce_shm_ring_expect_more(&peer->in);
			return &peer->channel;
		}
		next_turn(shm);
		if (peer->dying && !may_have_more)
			shm_path_finish(shm, peer);
	}
	return NULL;
}

void uroce_shm_done(struct uroce_channel *channel,
		    const struct uroce_eager_entry *eager, bool is_packet)
{
	struct uroce_peer *peer = uroce_peer_of(channel);
	struct uroce_shm_counters *counters = &peer->shm->counters;

	if (!is_packet) {
		declare_protocol_error(peer);
		return;
	}
	counters->rx_packets++;
	counters->rx_bytes += eager->payload_len;
	peer_note_activity(peer, eager->header[0]);
	uroce_shm_ring_done(&peer->in);
}

bool uroce_shm_seems_empty(const struct uroce_shm *shm)
{
	struct list_node *pos;

	if (__atomic_load_n(&shm->news, __ATOMIC_ACQUIRE) != shm->seen_news ||
	    !list_empty(&shm->failed))
		return false;
	list_for_each (pos, &shm->active) {
		const struct uroce_peer *peer =
			list_entry(pos, struct uroce_peer, node);

		if (peer->dying || uroce_shm_ring_has_any(&peer->in))
			return false;
	}
	return true;
}

struct uroce_channel *uroce_shm_take_failed(struct uroce_shm *shm)
{
	struct uroce_peer *peer;

	if (list_empty(&shm->failed))
		return NULL;
	peer = list_entry(shm->failed.next, struct uroce_peer, node);
	list_del(&peer->node);
	list_add_tail(&shm->reported, &peer->node);
	return &peer->channel;
}

/* A failed channel gets no new references. */
void uroce_shm_put_channel(struct uroce_shm *shm, struct uroce_channel *channel)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	if (__atomic_sub_fetch(&peer->uses, 1, __ATOMIC_ACQ_REL) == 0 &&
	    channel->failed)
		uroce_peer_free(peer);
}

bool uroce_shm_watch(struct uroce_shm *shm, bool watched)
{
	struct list_node *pos;
	bool found = false;

	see_news(shm);
	list_for_each (pos, &shm->active) {
		struct uroce_peer *peer =
			list_entry(pos, struct uroce_peer, node);

		if (!peer->protocol_error &&
		    uroce_shm_ring_watch(&peer->in, watched))
			found = true;
		if (peer->dying)
			found = true;
	}
	return found || !list_empty(&shm->failed);
}

bool uroce_shm_is_empty(const struct uroce_shm *shm)
{
	return !shm->nr_active && list_empty(&shm->failed) &&
	       __atomic_load_n(&shm->news, __ATOMIC_ACQUIRE) == shm->seen_news;
}

void uroce_shm_counters(const struct uroce_shm *shm,
			struct uroce_shm_counters *ret_counters)
{
	*ret_counters = shm->counters;
	ret_counters->pairs = shm->nr_active;
}
