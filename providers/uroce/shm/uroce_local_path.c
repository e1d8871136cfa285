/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data path: packets in and out of the inboxes of all peers. All functions
 * need the engine lock and take no other lock. New and dead peers are noticed
 * by one word that is compared each time.
 */
#include <errno.h>
#include <sys/socket.h>

#include "uroce/shm/uroce_local_state.h"
#include "uroce/wire/uroce_wire.h"
#include "util/prefetch.h"

/* Packets of one peer before the inbox of the next one is polled. */
#define MAX_PACKETS 64

static bool is_used(const struct uroce_peer *peer)
{
	return __atomic_load_n(&peer->uses, __ATOMIC_ACQUIRE) > 0;
}

static void welcome(struct uroce_local *local)
{
	/* pairs with the release in push_arrived() */
	struct uroce_peer *peer =
		__atomic_exchange_n(&local->arrived, NULL, __ATOMIC_ACQUIRE);

	while (peer) {
		list_add_tail(&local->active, &peer->node);
		local->nr_active++;
		peer = peer->next;
	}
}

/* A dead peer has been in the list before, or arrives now. */
static void see_news(struct uroce_local *local)
{
	uint32_t news = __atomic_load_n(&local->news, __ATOMIC_ACQUIRE);
	struct list_node *pos;

	if (news == local->seen_news)
		return;
	local->seen_news = news;
	welcome(local);
	list_for_each (pos, &local->active) {
		struct uroce_peer *peer =
			list_entry(pos, struct uroce_peer, node);

		peer->dying = __atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE);
		uroce_mappings_update(&peer->mappings);
	}
}

/*
 * The end of the socket notifies both sides: the peer, and uroce_local_serve()
 * of this process, which removes the peer.
 */
static void declare_mad(struct uroce_peer *peer)
{
	if (peer->mad)
		return;
	peer->mad = true;
	peer->local->counters.rx_bad++;
	(void)shutdown(peer->fd, SHUT_RDWR);
}

/* Counts a packet of @bytes. */
static void was_put(struct uroce_peer *peer, uint32_t bytes)
{
	struct uroce_local *local = peer->local;

	local->counters.tx_packets++;
	local->counters.tx_bytes += bytes;
	if (list_empty(&peer->sent))
		list_add_tail(&local->sent, &peer->sent);
}

void uroce_local_put(struct uroce_channel *channel,
		     const struct uroce_packet *packet, const struct iovec *iov,
		     uint32_t nr_iov)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	uroce_inbox_put(&peer->out, packet, iov, nr_iov);
	was_put(peer, packet->payload_len);
}

const void *uroce_local_next_put(struct uroce_channel *channel)
{
	return uroce_inbox_next_put(&uroce_peer_of(channel)->out);
}

void uroce_local_put_brief(struct uroce_channel *channel,
			   const struct uroce_brief *brief)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	uroce_inbox_put_brief(&peer->out, brief);
	was_put(peer, brief->payload_len);
}

bool uroce_local_has_room(struct uroce_channel *channel)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	if (uroce_inbox_has_room(&peer->out))
		return true;
	if (peer->out.broken)
		declare_mad(peer);
	return false;
}

void uroce_local_flush(struct uroce_local *local)
{
	while (!list_empty(&local->sent)) {
		struct uroce_peer *peer =
			list_entry(local->sent.next, struct uroce_peer, sent);

		list_del(&peer->sent);
		uroce_inbox_publish(&peer->out);
		if (!uroce_inbox_seems_watched(&peer->out) || peer->fd < 0)
			continue;
		uroce_peer_ring(peer);
		local->counters.tx_bells++;
	}
}

/*
 * Only an application posts requests; a peer that asks for a copy has done so,
 * too. It gets a response, or a message that is one.
 */
static void hear(struct uroce_peer *peer, uint8_t opcode)
{
	if (uroce_wire_is_response(opcode))
		return;
	prefetch_for_write(uroce_inbox_next_put(&peer->out));
	peer->heard = true;
	peer->heard_polls = peer->local->polls;
}

/* The last packet of a dead peer was received. */
static void finish(struct uroce_local *local, struct uroce_peer *peer)
{
	list_del(&peer->node);
	local->nr_active--;
	local->counters.pairs_lost++;
	if (!is_used(peer)) {
		/*
		 * no QP is bound, but the channel may still be in the list of
		 * full ones
		 */
		list_del(&peer->channel.entry);
		uroce_peer_free(peer);
		return;
	}
	peer->channel.lost = true;
	peer->channel.nr_shared = NULL;
	uroce_mappings_close(&peer->mappings);
	uroce_peer_hang_up(peer);
	list_add_tail(&local->lost, &peer->node);
}

void uroce_local_begin(struct uroce_local *local)
{
	see_news(local);
	local->turn = local->active.next;
	local->left = MAX_PACKETS;
}

static void next_turn(struct uroce_local *local)
{
	local->turn = local->turn->next;
	local->left = MAX_PACKETS;
}

/* Returns whether there was a packet; a malformed one is a protocol error. */
static bool take_from(struct uroce_peer *peer, struct uroce_brief *ret_brief)
{
	int ret;

	if (peer->mad)
		return false;
	ret = uroce_inbox_take_brief(&peer->in, ret_brief);
	if (ret < 0)
		declare_mad(peer);
	return ret > 0;
}

struct uroce_channel *uroce_local_take(struct uroce_local *local,
				       struct uroce_brief *ret_brief)
{
	while (local->turn != &local->active) {
		struct uroce_peer *peer =
			list_entry(local->turn, struct uroce_peer, node);

		bool may_have_more = !local->left;

		if (!may_have_more && take_from(peer, ret_brief)) {
			if (local->left-- < MAX_PACKETS)
				uroce_inbox_expect_more(&peer->in);
			return &peer->channel;
		}
		next_turn(local);
		if (peer->dying && !may_have_more)
			finish(local, peer);
	}
	return NULL;
}

void uroce_local_done(struct uroce_channel *channel,
		      const struct uroce_brief *brief, bool is_packet)
{
	struct uroce_peer *peer = uroce_peer_of(channel);
	struct uroce_local_counters *counters = &peer->local->counters;

	if (!is_packet) {
		declare_mad(peer);
		return;
	}
	counters->rx_packets++;
	counters->rx_bytes += brief->payload_len;
	hear(peer, brief->header[0]);
	uroce_inbox_done(&peer->in);
}

bool uroce_local_seems_empty(const struct uroce_local *local)
{
	struct list_node *pos;

	if (__atomic_load_n(&local->news, __ATOMIC_ACQUIRE) !=
		    local->seen_news ||
	    !list_empty(&local->lost))
		return false;
	list_for_each (pos, &local->active) {
		const struct uroce_peer *peer =
			list_entry(pos, struct uroce_peer, node);

		if (peer->dying || uroce_inbox_has_any(&peer->in))
			return false;
	}
	return true;
}

struct uroce_channel *uroce_local_take_lost(struct uroce_local *local)
{
	struct uroce_peer *peer;

	if (list_empty(&local->lost))
		return NULL;
	peer = list_entry(local->lost.next, struct uroce_peer, node);
	list_del(&peer->node);
	list_add_tail(&local->told, &peer->node);
	return &peer->channel;
}

/* A lost channel gets no new references. */
void uroce_local_put_channel(struct uroce_local *local,
			     struct uroce_channel *channel)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	if (__atomic_sub_fetch(&peer->uses, 1, __ATOMIC_ACQ_REL) == 0 &&
	    channel->lost)
		uroce_peer_free(peer);
}

bool uroce_local_watch(struct uroce_local *local, bool watched)
{
	struct list_node *pos;
	bool found = false;

	see_news(local);
	list_for_each (pos, &local->active) {
		struct uroce_peer *peer =
			list_entry(pos, struct uroce_peer, node);

		if (!peer->mad && uroce_inbox_watch(&peer->in, watched))
			found = true;
		if (peer->dying)
			found = true;
	}
	return found || !list_empty(&local->lost);
}

bool uroce_local_is_empty(const struct uroce_local *local)
{
	return !local->nr_active && list_empty(&local->lost) &&
	       __atomic_load_n(&local->news, __ATOMIC_ACQUIRE) ==
		       local->seen_news;
}

void uroce_local_counters(const struct uroce_local *local,
			  struct uroce_local_counters *ret_counters)
{
	*ret_counters = local->counters;
	ret_counters->pairs = local->nr_active;
}
