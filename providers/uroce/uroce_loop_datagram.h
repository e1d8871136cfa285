/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Datagrams to processes of this host go through the memory that is shared with
 * them, as packets of connected QPs do. A UD QP has no peer, so that the way is
 * chosen for each datagram: a process that was met gets it through memory, if
 * there is room, all others over the network. Either may be lost or overtaken
 * by another one, as the Unreliable Datagram service allows.
 *
 * With the engine lock.
 */
#ifndef UROCE_LOOP_DATAGRAM_H
#define UROCE_LOOP_DATAGRAM_H

#include "uroce/uroce_loop_state.h"

/*
 * What datagrams have in an inbox in front of their payload: the path, of which
 * applications get a GRH. Both ends are of one machine, so it is as it lies.
 */
struct uroce_datagram_path {
	uint8_t sgid[UROCE_GID_LEN];
	uint8_t dgid[UROCE_GID_LEN];
	uint32_t flow_label;
	uint8_t tclass;
	uint8_t hop_limit;
	uint8_t zero[2];
};

/**
 * uroce_loop_datagram_way() - the channel to the process that a packet is for
 * @packet: a datagram that is to be sent
 *
 * Return: a channel with room; NULL: send it over the network.
 */
struct uroce_channel *
uroce_loop_datagram_way(struct uroce_loop *loop,
			const struct uroce_packet *packet);

/** uroce_loop_pack_datagram() - what goes in front of the payload */
void uroce_loop_pack_datagram(const struct uroce_packet *packet,
			      struct uroce_datagram_path *ret_path);

/**
 * uroce_loop_unpack_datagram() - a datagram that has come through memory
 * @packet: loses what is in front of its payload, and gets @ret_path
 * @ret_path: receives the path; must live as long as the packet
 *
 * Return: false: it has none, or is not for an address of ours; drop it.
 */
bool uroce_loop_unpack_datagram(struct uroce_loop *loop,
				struct uroce_packet *packet,
				struct uroce_path *ret_path);

/** uroce_loop_forget_datagrams() - nobody is at the other end of @channel */
void uroce_loop_forget_datagrams(struct uroce_loop *loop,
				 const struct uroce_channel *channel);

/** uroce_loop_part() - give back all that uroce_loop_meet() has got */
void uroce_loop_part(struct uroce_loop *loop);

#endif
