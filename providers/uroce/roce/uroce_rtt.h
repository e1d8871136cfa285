/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Round-trip times of a requester, from packets that request an ACK and are
 * sent once. Several packets of a window are measured at the same time: a
 * single RTT may be long because a processor was busy, but the least of a
 * round, in which the packets of a window are acknowledged, shows the queue
 * (RFC 6817, section 2.4.2; RFC 9406, section 4.2).
 */
#ifndef UROCE_RTT_H
#define UROCE_RTT_H

#include <stdbool.h>
#include <stdint.h>

#define UROCE_RTT_PACKETS 8u
/* An RTT that is so much and a quarter above the minimum shows a queue. */
#define UROCE_RTT_QUEUE_NS 500000u

struct uroce_rtt_packet {
	uint64_t sent_ns;
	uint32_t psn;
};

struct uroce_rtt {
	uint64_t min_ns;      /* of all RTTs; 0: none */
	uint64_t round_ns;    /* least of this round; 0: none */
	uint64_t previous_ns; /* least of the round before */
	uint32_t end_psn;   /* the ACK for the packet before it ends a round */
	uint8_t nr_taken;   /* RTTs of this round */
	uint8_t nr_packets; /* that are measured, by PSN: */
	struct uroce_rtt_packet packets[UROCE_RTT_PACKETS];
};

/**
 * uroce_rtt_sent() - measure a packet, unless enough are
 * @rtt: the RTTs
 * @psn: PSN of a packet that requests an ACK and is sent for the first time
 * @now: ns
 */
void uroce_rtt_sent(struct uroce_rtt *rtt, uint32_t psn, uint64_t now);

/**
 * uroce_rtt_acked() - take the RTT of the last packet that an ACK acknowledges
 * @rtt: the RTTs
 * @una_psn: first PSN that is not acknowledged
 * @sent_psn: first PSN that was not sent
 * @nr_rtts: a round goes on until it has so many
 * @now: ns
 *
 * Return: once in each round, the least RTT of the round so far; otherwise 0
 */
uint64_t uroce_rtt_acked(struct uroce_rtt *rtt, uint32_t una_psn,
			 uint32_t sent_psn, unsigned int nr_rtts, uint64_t now);

/** uroce_rtt_take() - take the RTT of packets[@index], which has arrived */
void uroce_rtt_take(struct uroce_rtt *rtt, unsigned int index, uint64_t now);

/**
 * uroce_rtt_stop() - measure neither the packet @psn nor later ones
 *
 * Call it before a retransmission: an ACK may be for either packet.
 */
void uroce_rtt_stop(struct uroce_rtt *rtt, uint32_t psn);

/** uroce_rtt_stop_packet() - do not measure the packet @psn */
void uroce_rtt_stop_packet(struct uroce_rtt *rtt, uint32_t psn);

/** uroce_rtt_stop_all() - measure no packet */
static inline void uroce_rtt_stop_all(struct uroce_rtt *rtt)
{
	rtt->nr_packets = 0;
}

/** uroce_rtt_has_queue() - whether @ns shows one; @least_ns: RTT without it */
static inline bool uroce_rtt_has_queue(uint64_t least_ns, uint64_t ns)
{
	return ns > least_ns + least_ns / 4 + UROCE_RTT_QUEUE_NS;
}

/** uroce_rtt_least() - the least RTT of this round and the one before; 0: none
 */
static inline uint64_t uroce_rtt_least(const struct uroce_rtt *rtt)
{
	if (!rtt->round_ns)
		return rtt->previous_ns;
	return rtt->previous_ns && rtt->previous_ns < rtt->round_ns
		       ? rtt->previous_ns
		       : rtt->round_ns;
}

#endif
