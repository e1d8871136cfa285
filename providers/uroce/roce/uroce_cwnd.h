/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The window of a requester: how many packets may be in flight. It grows and
 * shrinks as that of CUBIC (RFC 9438), so that flows of TCP and of this device
 * share a network. There is no flow control by the receiver, so the window has
 * a limit. It is proportional to the RTT if that is 2 ms or more.
 */
#ifndef UROCE_CWND_H
#define UROCE_CWND_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/roce/uroce_rtt.h"

struct uroce_cwnd {
	uint32_t packets;   /* the window */
	uint32_t acked;	    /* packets acknowledged since it grew */
	uint32_t most;	    /* before the last loss */
	uint32_t least;	    /* after it */
	uint32_t before;    /* window that an undone loss restores; 0: none */
	bool was_steady;    /* at that time */
	uint32_t rounds;    /* windows acknowledged since then */
	bool steady;	    /* slow start has ended */
	uint8_t css_rounds; /* left, of conservative slow start; 0: none */
	uint64_t css_ns;    /* RTT with which conservative slow start began */
	uint32_t delivered; /* packets, and those of them that were lost: */
	uint32_t lost;	    /* both are halved now and then */
	uint64_t since_ns;  /* time of the last loss, or end of slow start */
	uint32_t rise_ms;   /* from since_ns until the window is @most again */
	struct uroce_rtt rtt;
};

/* An acknowledgement. */
struct uroce_acked {
	uint32_t una_psn;    /* first PSN that is not acknowledged */
	uint32_t nr_packets; /* that it acknowledges */
	uint32_t in_flight;  /* packets before it, with these */
	uint32_t limit;	     /* of the window if the RTT is below 2 ms */
};

/**
 * uroce_cwnd_acked() - grow after an acknowledgement
 * @cwnd: the window
 * @acked: the acknowledgement
 * @now: ns
 *
 * A window of which less than a half was used does not grow: nothing shows that
 * the network has room for more.
 */
void uroce_cwnd_acked(struct uroce_cwnd *cwnd, const struct uroce_acked *acked,
		      uint64_t now);

/**
 * uroce_cwnd_is_congested() - whether the loss of a packet shows congestion
 * @cwnd: the window
 * @path_ns: the least RTT of any window of the path
 *
 * A loss is random if the RTT shows no queue, and few packets are lost. It must
 * not shrink the window.
 */
bool uroce_cwnd_is_congested(const struct uroce_cwnd *cwnd, uint64_t path_ns);

/**
 * uroce_cwnd_lost() - shrink after a loss
 * @cwnd: the window
 * @now: ns
 */
void uroce_cwnd_lost(struct uroce_cwnd *cwnd, uint64_t now);

/**
 * uroce_cwnd_undo() - restore the window before the last loss, which was none
 * @cwnd: the window
 *
 * The packet was only late (Eifel, RFC 4015). No effect if the window has
 * shrunk for another reason since then.
 */
void uroce_cwnd_undo(struct uroce_cwnd *cwnd);

/**
 * uroce_cwnd_restart() - begin again after the loss of the first window
 * @cwnd: the window
 *
 * Slow start begins with two packets, as that of TCP after the loss of a SYN
 * (RFC 5681): the first windows of all senders were too much for the network.
 */
void uroce_cwnd_restart(struct uroce_cwnd *cwnd);

/**
 * uroce_cwnd_marked() - shrink after an ECN mark
 * @cwnd: the window
 * @now: ns
 */
void uroce_cwnd_marked(struct uroce_cwnd *cwnd, uint64_t now);

#endif
