/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which IP identifications a source may use. The ICRC of IPv4 covers the
 * identification and DF, which a UDP socket does not report, so the receiver
 * computes them from the ICRC (uroce_icrc.h). A receiver that accepted every
 * result would verify 15 bits only. Sources use few identifications:
 *
 * - uroce, and any Linux program that does not connect its socket: DF, and 0 or
 *   the number of the segment in a GSO message. Always accepted.
 * - rdma_rxe: DF, and a counter that the kernel keeps for the two addresses. It
 *   advances by one for a packet, and in addition by a random number that is
 *   smaller than the clock ticks since the last packet.
 * - adapters: a counter, as far as is known.
 *
 * So the identification must be close to that of the last accepted packet of
 * the source. A wrong identification is remembered: if the next wrong one is
 * close to it, the source has changed (it restarted, or many packets were
 * lost), and the second packet is accepted. A source to which this happens
 * again and again, without a packet that is wrong in any case in between,
 * counts in no order that this process can see (packets to other processes
 * advance the counter, too). Every identification of such a source is accepted.
 *
 * Called by uroce_icrc.c for each packet of IPv4, and by the port for each
 * source. The caller brings the clock.
 */
#ifndef UROCE_IP_ID_H
#define UROCE_IP_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/wire/uroce_packet.h"

/* Segments in a GSO message, and so identifications that count up from 0. */
#define UROCE_IP_ID_NR_SEGMENTS 64

enum uroce_ip_id_state {
	UROCE_IP_ID_UNKNOWN, /* no packet was accepted */
	UROCE_IP_ID_SEGMENT, /* the last one had the number of a segment */
	UROCE_IP_ID_COUNTER,
};

struct uroce_ip_id_table;

struct uroce_ip_id_counters {
	uint64_t refused;   /* packets with an identification out of order */
	uint64_t unordered; /* accepted from a source that has no order */
};

/* An identification, the packet's DF, and when it was seen. */
struct uroce_ip_id_seen {
	uint16_t ip_id;
	bool df;
	uint64_t ms;
};

/* What is known of a source; all 0: nothing. */
struct uroce_ip_id_source {
	uint64_t addresses; /* source and destination; 0: none */
	uint64_t used;	    /* by the table: when it was looked up last */
	/*
	 * Packets wait in the socket, so the last one was sent before it was
	 * accepted: after this time, when one that came before it was.
	 */
	uint64_t sent_after_ms;
	uint64_t nr_empty; /* of the table, at the last accepted packet */
	struct uroce_ip_id_seen last;	 /* accepted */
	struct uroce_ip_id_seen refused; /* the last one, if has_refused */
	uint16_t nr_ordered;		 /* accepted near the last one; wraps */
	uint8_t state;			 /* enum uroce_ip_id_state */
	uint8_t nr_breaks;		 /* of the order, up to a limit */
	bool has_refused;
	bool is_suspect; /* a wrong ICRC has come since the last packet */
	struct uroce_ip_id_table *table;
};

/* A clock that never goes back, in milliseconds. */
typedef uint64_t uroce_ip_id_clock_fn(void);

/**
 * uroce_ip_id_new_table() - memory for sources
 * @clock_ms: called for packets of sources that count, and unexpected ones
 *
 * Return: the table, freed with free(); or NULL.
 */
struct uroce_ip_id_table *uroce_ip_id_new_table(uroce_ip_id_clock_fn *clock_ms);

/**
 * uroce_ip_id_find() - the source of packets
 * @table: the table, which forgets the source that was not used for longest
 * @path: from where to where; IPv4
 *
 * Return: the source, valid until the next call.
 */
struct uroce_ip_id_source *uroce_ip_id_find(struct uroce_ip_id_table *table,
					    const struct uroce_path *path);

/** uroce_ip_id_note_empty() - all packets that had come were checked */
void uroce_ip_id_note_empty(struct uroce_ip_id_table *table);

/** uroce_ip_id_table_counters() - what was counted for all sources */
const struct uroce_ip_id_counters *
uroce_ip_id_table_counters(const struct uroce_ip_id_table *table);

/** uroce_ip_id_expected() - what the first packet of a message probably has */
static inline uint16_t
uroce_ip_id_expected(const struct uroce_ip_id_source *source)
{
	return source->state == UROCE_IP_ID_COUNTER
		       ? (uint16_t)(source->last.ip_id + 1)
		       : 0;
}

/**
 * uroce_ip_id_check() - whether a packet may have an identification
 * @source: where it comes from; NULL: of unknown order, so only numbers of
 *	segments are accepted
 * @ip_id: the identification with which its ICRC is right
 * @df: whether it is right with DF
 *
 * Return: 0, or -EBADMSG.
 */
int uroce_ip_id_check(struct uroce_ip_id_source *source, uint16_t ip_id,
		      bool df);

/** uroce_ip_id_note_bad() - a packet of @source has a wrong ICRC in any case */
void uroce_ip_id_note_bad(struct uroce_ip_id_source *source);

#endif
