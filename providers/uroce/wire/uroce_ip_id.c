/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Check of the IP identifications of sources, and the table of sources. */
#include "uroce/wire/uroce_ip_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Accepted identifications: behind the last one, since the network reorders
 * packets; after the last one, since packets are lost or go to other processes;
 * after a refused one, or one that another table has accepted; and numbers of
 * segments. These are 251 values, so the ICRC verifies 24 bits. A pause adds
 * one value for each millisecond, as no kernel has more than 1000 clock ticks a
 * second, unless a packet with a wrong ICRC has arrived since.
 */
#define NR_BEHIND	 16
#define NR_AHEAD	 112
#define NR_AFTER_REFUSED 24
#define NR_AFTER_LATEST	 32
/*
 * Breaks of the order after which a source counts as unordered. 65536 packets
 * in order remove one break.
 */
#define MAX_BREAKS 4

/* Sources in a set, and number of sets; the addresses select the set. */
#define NR_WAYS	 4
#define SET_BITS 6
#define NR_SETS	 (1 << SET_BITS)

struct uroce_ip_id_table {
	uroce_ip_id_clock_fn *clock_ms;
	struct uroce_ip_id_latest *latest;
	uint64_t now;	   /* counts lookups */
	uint64_t nr_empty; /* calls of uroce_ip_id_note_empty() */
	struct uroce_ip_id_counters counters;
	struct uroce_ip_id_source sources[NR_SETS][NR_WAYS];
};

struct uroce_ip_id_table *
uroce_ip_id_new_table(uroce_ip_id_clock_fn *clock_ms,
		      struct uroce_ip_id_latest *latest)
{
	struct uroce_ip_id_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->clock_ms = clock_ms;
	table->latest = latest;
	return table;
}

const struct uroce_ip_id_counters *
uroce_ip_id_table_counters(const struct uroce_ip_id_table *table)
{
	return &table->counters;
}

void uroce_ip_id_note_empty(struct uroce_ip_id_table *table)
{
	table->nr_empty++;
}

static uint64_t addresses_of(const struct uroce_path *path)
{
	uint32_t from, to;

	memcpy(&from, path->sgid + UROCE_GID_LEN - sizeof(from), sizeof(from));
	memcpy(&to, path->dgid + UROCE_GID_LEN - sizeof(to), sizeof(to));
	return (uint64_t)from << 32 | to;
}

/* The multiplier is 2^64 divided by the golden ratio. */
static uint64_t hash_of(uint64_t addresses)
{
	return addresses * UINT64_C(0x9e3779b97f4a7c15);
}

struct uroce_ip_id_source *uroce_ip_id_find(struct uroce_ip_id_table *table,
					    const struct uroce_path *path)
{
	uint64_t addresses = addresses_of(path);
	uint64_t hash = hash_of(addresses);
	struct uroce_ip_id_source *set =
		table->sources[hash >> (64 - SET_BITS)];
	struct uroce_ip_id_source *found = &set[0];

	for (unsigned int i = 0; i < NR_WAYS; i++) {
		if (set[i].addresses == addresses) {
			found = &set[i];
			break;
		}
		if (set[i].used < found->used)
			found = &set[i];
	}
	if (found->addresses != addresses)
		*found = (struct uroce_ip_id_source){
			.addresses = addresses,
			.table = table,
		};
	found->used = ++table->now;
	return found;
}

static bool is_segment(uint16_t ip_id, bool df)
{
	return df && ip_id < UROCE_IP_ID_NR_SEGMENTS;
}

/* Whether @ip_id is that of @seen or one of the @nr values after it. */
static bool ip_id_follows(const struct uroce_ip_id_seen *seen, uint16_t ip_id,
			  bool df, uint64_t nr)
{
	return df == seen->df && (uint16_t)(ip_id - seen->ip_id) <= nr;
}

static bool precedes(const struct uroce_ip_id_seen *seen, uint16_t ip_id,
		     bool df)
{
	return df == seen->df && (uint16_t)(seen->ip_id - ip_id) <= NR_BEHIND;
}

/* Returns a lower bound of the time at which the current packet was sent. */
static uint64_t sent_after_ms(const struct uroce_ip_id_source *source,
			      uint64_t now_ms)
{
	if (source->state != UROCE_IP_ID_COUNTER)
		return now_ms; /* no time is known */
	return source->nr_empty == source->table->nr_empty
		       ? source->sent_after_ms
		       : source->last.ms;
}

/*
 * A slot of struct uroce_ip_id_latest: 15 bits of the hash that the index does
 * not contain, DF, the identification, and the time.
 */
static uint64_t pack_latest(const struct uroce_ip_id_source *source,
			    uint16_t ip_id, bool df, uint64_t now_ms)
{
	uint64_t hash = hash_of(source->addresses);

	return hash << UROCE_IP_ID_LATEST_BITS >> 49 << 49 |
	       (uint64_t)df << 48 | (uint64_t)ip_id << 32 | (uint32_t)now_ms;
}

static uint64_t *latest_slot(const struct uroce_ip_id_source *source)
{
	uint64_t hash = hash_of(source->addresses);

	return &source->table->latest
			->slots[hash >> (64 - UROCE_IP_ID_LATEST_BITS)];
}

static bool follows_latest(const struct uroce_ip_id_source *source,
			   uint16_t ip_id, bool df, uint64_t now_ms)
{
	uint64_t latest =
		__atomic_load_n(latest_slot(source), __ATOMIC_RELAXED);
	uint64_t same = pack_latest(source, 0, df, 0) >> 48;
	uint64_t age_ms = (uint32_t)now_ms - (uint32_t)latest;
	uint16_t step = (uint16_t)(ip_id - (uint16_t)(latest >> 32));

	if (source->state == UROCE_IP_ID_SEGMENT || source->is_suspect)
		age_ms = 0;
	return latest && latest >> 48 == same && step &&
	       step <= NR_AFTER_LATEST + age_ms;
}

/* Numbers of segments follow no order, and end that of a counter. */
static void note_latest(struct uroce_ip_id_source *source, uint16_t ip_id,
			bool df, uint64_t now_ms)
{
	if (!is_segment(ip_id, df))
		__atomic_store_n(latest_slot(source),
				 pack_latest(source, ip_id, df, now_ms),
				 __ATOMIC_RELAXED);
	else if (source->state == UROCE_IP_ID_COUNTER)
		__atomic_store_n(latest_slot(source), 0, __ATOMIC_RELAXED);
}

static void accept_id(struct uroce_ip_id_source *source, uint16_t ip_id,
		      bool df, uint64_t now_ms)
{
	note_latest(source, ip_id, df, now_ms);
	source->sent_after_ms = sent_after_ms(source, now_ms);
	source->nr_empty = source->table->nr_empty;
	source->last = (struct uroce_ip_id_seen){
		.ip_id = ip_id,
		.df = df,
		.ms = now_ms,
	};
	source->state = is_segment(ip_id, df) ? UROCE_IP_ID_SEGMENT
					      : UROCE_IP_ID_COUNTER;
	source->has_refused = false;
	source->is_suspect = false;
}

static void note_ordered(struct uroce_ip_id_source *source)
{
	if (++source->nr_ordered == 0 && source->nr_breaks)
		source->nr_breaks--;
}

/* Handles an identification out of order; returns whether it is accepted. */
static bool accept_break(struct uroce_ip_id_source *source, uint16_t ip_id,
			 bool df, uint64_t now_ms)
{
	bool confirmed =
		source->has_refused &&
		ip_id_follows(&source->refused, ip_id, df,
			      NR_AFTER_REFUSED + now_ms - source->refused.ms);
	bool unordered = source->nr_breaks == MAX_BREAKS;

	if (confirmed || unordered) {
		source->table->counters.unordered += unordered;
		accept_id(source, ip_id, df, now_ms);
		return true;
	}
	source->nr_breaks++;
	source->refused = (struct uroce_ip_id_seen){
		.ip_id = ip_id,
		.df = df,
		.ms = sent_after_ms(source, now_ms),
	};
	source->has_refused = true;
	source->table->counters.refused++;
	return false;
}

/* Returns how many values after the last accepted one are in order. */
static uint64_t nr_ahead(const struct uroce_ip_id_source *source,
			 uint64_t now_ms)
{
	/* no time is known for numbers of segments */
	if (source->state == UROCE_IP_ID_SEGMENT || source->is_suspect)
		return NR_AHEAD;
	return NR_AHEAD + now_ms - source->sent_after_ms;
}

int uroce_ip_id_check(struct uroce_ip_id_source *source, uint16_t ip_id,
		      bool df)
{
	uint64_t now_ms;

	if (is_segment(ip_id, df)) {
		if (source)
			accept_id(source, ip_id, df, 0);
		return 0;
	}
	if (!source)
		return -EBADMSG;
	now_ms = source->table->clock_ms();
	if (source->state != UROCE_IP_ID_UNKNOWN) {
		/* a reordered packet does not change the last one */
		if (precedes(&source->last, ip_id, df)) {
			note_ordered(source);
			return 0;
		}
		if (!ip_id_follows(&source->last, ip_id, df,
				   nr_ahead(source, now_ms)) &&
		    !follows_latest(source, ip_id, df, now_ms))
			return accept_break(source, ip_id, df, now_ms)
				       ? 0
				       : -EBADMSG;
		note_ordered(source);
	}
	accept_id(source, ip_id, df, now_ms);
	return 0;
}

void uroce_ip_id_note_bad(struct uroce_ip_id_source *source)
{
	source->nr_breaks = 0;
	source->has_refused = false;
	source->is_suspect = true;
}
