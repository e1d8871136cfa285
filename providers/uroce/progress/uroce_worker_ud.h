/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Datagrams to processes of this host use shared memory, as packets of
 * connected QPs do. A UD QP has no peer, so the way is selected for each
 * datagram: shared memory if the destination process is connected and its ring
 * has room, else the network. The Unreliable Datagram service permits loss and
 * reordering on both.
 *
 * All functions need the engine lock.
 */
#ifndef UROCE_WORKER_UD_H
#define UROCE_WORKER_UD_H

#include "uroce/progress/uroce_worker_state.h"

/*
 * The path in front of the payload of a datagram in a ring. The receiver makes
 * the GRH from it. Both processes are on one machine: native byte order.
 */
struct uroce_datagram_path {
	uint8_t sgid[UROCE_GID_LEN];
	uint8_t dgid[UROCE_GID_LEN];
	uint32_t flow_label;
	uint8_t tclass;
	uint8_t hop_limit;
	uint8_t zero[2];
};

/** uroce_worker_find_ud_peer() - find the process of a QP; NULL: multicast */
struct uroce_ud_peer *uroce_worker_find_ud_peer(struct uroce_worker *worker,
						uint32_t qpn);

/**
 * uroce_ud_peer_set_channel() - set the channel to a process
 * @channel: NULL: the network
 * @next_ns: time of the next handshake; UROCE_NEVER: there is a channel
 */
void uroce_ud_peer_set_channel(struct uroce_ud_peer *ud_peer,
			       struct uroce_channel *channel, uint64_t next_ns);

/**
 * uroce_worker_datagram_way() - find the channel to the destination process
 * @packet: the datagram to send
 *
 * Return: a channel with room; NULL: use the network.
 */
struct uroce_channel *
uroce_worker_datagram_way(struct uroce_worker *worker,
			  const struct uroce_packet *packet);

/** uroce_worker_pack_datagram() - make the path in front of the payload */
void uroce_worker_pack_datagram(const struct uroce_packet *packet,
				struct uroce_datagram_path *ret_path);

/**
 * uroce_worker_unpack_datagram() - remove the path of a received datagram
 * @packet: its payload begins behind the path afterwards; refers to @ret_path
 * @ret_path: receives the path; must live as long as the packet
 *
 * Return: false if the path is missing or its destination is not an address of
 * this process; drop the datagram.
 */
bool uroce_worker_unpack_datagram(struct uroce_worker *worker,
				  struct uroce_packet *packet,
				  struct uroce_path *ret_path);

/** uroce_worker_forget_datagrams() - drop a UD peer that has ended */
void uroce_worker_forget_datagrams(struct uroce_worker *worker,
				   const struct uroce_channel *channel);

/**
 * uroce_worker_release_ud_peers() - release all channels that
 *	uroce_worker_resolve_ud_peer() got
 */
void uroce_worker_release_ud_peers(struct uroce_worker *worker);

#endif
