/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The IP identifications that a source may use. The ICRC of IPv4 covers the
 * identification and DF, which a UDP socket does not report, so the receiver
 * computes them from the ICRC (uroce_icrc.h). A receiver that accepted every
 * result would verify 15 bits only. Sources use few identifications:
 *
 * - uroce, and any Linux program that does not connect its socket: DF, and 0 or
 *   the number of the segment in a GSO message. Always accepted.
 * - rdma_rxe: DF, and a counter that the kernel keeps for the two addresses.
 *   Each packet advances it by one, and in addition by a random number that is
 *   smaller than the clock ticks since the last packet.
 * - adapters: a counter, as far as is published.
 *
 * Therefore the identification must be close to that of the last accepted
 * packet of the source. The packets of a source may go to several sockets of
 * the process, each with a table of its own, so a packet that another table has
 * accepted counts, too. The table stores a refused identification: if the next
 * one out of order is close to it, the source has changed (it restarted, or
 * many packets were lost), and the second packet is accepted. If this happens
 * repeatedly to a source, without a packet in between whose ICRC is wrong for
 * every identification, this process sees no order in the source (packets to
 * other processes advance the counter, too), and accepts all its values.
 *
 * uroce_icrc.c calls the check for IPv4 packets; the port looks up the sources
 * and provides the clock.
 */
#ifndef UROCE_IP_ID_H
#define UROCE_IP_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/wire/uroce_packet.h"

/* Segments in a GSO message; their identifications count up from 0. */
#define UROCE_IP_ID_NR_SEGMENTS 64

enum uroce_ip_id_state {
	UROCE_IP_ID_UNKNOWN, /* no packet was accepted */
	UROCE_IP_ID_SEGMENT, /* the last packet had a segment number */
	UROCE_IP_ID_COUNTER,
};

struct uroce_ip_id_table;

/*
 * The last accepted packets of sources, by a hash of the addresses; for all
 * tables of a process. Atomic; all 0 at first.
 */
#define UROCE_IP_ID_LATEST_BITS 8
struct uroce_ip_id_latest {
	uint64_t slots[1 << UROCE_IP_ID_LATEST_BITS];
};

struct uroce_ip_id_counters {
	uint64_t refused;   /* packets with an identification out of order */
	uint64_t unordered; /* accepted from an unordered source */
};

/* An identification, the packet's DF, and when it was seen. */
struct uroce_ip_id_seen {
	uint16_t ip_id;
	bool df;
	uint64_t ms;
};

/* State of a source; all 0: a new one. */
struct uroce_ip_id_source {
	uint64_t addresses; /* source and destination; 0: none */
	uint64_t used;	    /* value of table->now at the last lookup */
	/*
	 * Packets wait in the socket, so the last one was sent some time before
	 * it was accepted. This is a time before it was sent: the time at which
	 * an earlier packet was accepted.
	 */
	uint64_t sent_after_ms;
	uint64_t nr_empty; /* of the table at the last accepted packet */
	struct uroce_ip_id_seen last;	 /* accepted */
	struct uroce_ip_id_seen refused; /* valid if has_refused */
	uint16_t nr_ordered;		 /* packets in order; wraps */
	uint8_t state;			 /* enum uroce_ip_id_state */
	uint8_t nr_breaks;		 /* of the order, up to a limit */
	bool has_refused;
	bool is_suspect; /* a packet had a wrong ICRC since the last one */
	struct uroce_ip_id_table *table;
};

/* A clock that never goes back, in milliseconds. */
typedef uint64_t uroce_ip_id_clock_fn(void);

/**
 * uroce_ip_id_new_table() - allocate a table of sources
 * @clock_ms: called for packets whose identification is no segment number
 * @latest: of the process; any thread may use its other tables
 *
 * Return: the table, to be freed by the caller with free(); or NULL.
 */
struct uroce_ip_id_table *
uroce_ip_id_new_table(uroce_ip_id_clock_fn *clock_ms,
		      struct uroce_ip_id_latest *latest);

/**
 * uroce_ip_id_find() - find or create the source of packets
 * @table: the table; a new source replaces the least recently used of its set
 * @path: source and destination address; IPv4
 *
 * Return: the source, valid until the next call.
 */
struct uroce_ip_id_source *uroce_ip_id_find(struct uroce_ip_id_table *table,
					    const struct uroce_path *path);

/** uroce_ip_id_note_empty() - record that the socket was read until empty */
void uroce_ip_id_note_empty(struct uroce_ip_id_table *table);

/** uroce_ip_id_table_counters() - return the counters of all sources */
const struct uroce_ip_id_counters *
uroce_ip_id_table_counters(const struct uroce_ip_id_table *table);

/** uroce_ip_id_expected() - guess the id of the first packet of a message */
static inline uint16_t
uroce_ip_id_expected(const struct uroce_ip_id_source *source)
{
	return source->state == UROCE_IP_ID_COUNTER
		       ? (uint16_t)(source->last.ip_id + 1)
		       : 0;
}

/**
 * uroce_ip_id_check() - check the identification of a packet
 * @source: of the packet, updated; NULL: unknown, so only numbers of segments
 *	are accepted
 * @ip_id: identification for which the ICRC is correct
 * @df: DF for which the ICRC is correct
 *
 * Return: 0, or -EBADMSG if the source may not use it.
 */
int uroce_ip_id_check(struct uroce_ip_id_source *source, uint16_t ip_id,
		      bool df);

/** uroce_ip_id_note_bad() - record a packet whose ICRC has no solution */
void uroce_ip_id_note_bad(struct uroce_ip_id_source *source);

#endif
