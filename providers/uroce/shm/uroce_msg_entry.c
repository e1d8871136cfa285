/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of ring entries, which another process can fill with anything. */
#include "uroce/shm/uroce_msg_entry.h"

#include <errno.h>
#include <string.h>

#define NUMBER_MASK 0xffffffu /* of QPNs and MSNs */

#define WHOLE (UROCE_MSG_FIRST | UROCE_MSG_LAST)

struct rule {
	uint8_t allowed;    /* flags */
	uint8_t needed;	    /* flags */
	uint16_t max_bytes; /* of the payload */
};

static const struct rule rules[UROCE_MSG_NR_TYPES] = {
	[UROCE_MSG_SEND] = { WHOLE | UROCE_MSG_IMM | UROCE_MSG_INV |
				     UROCE_MSG_SOLICITED | UROCE_MSG_ACK |
				     UROCE_MSG_AREA | UROCE_MSG_UC,
			     0, UROCE_MSG_FRAGMENT },
	[UROCE_MSG_WRITE] = { WHOLE | UROCE_MSG_IMM | UROCE_MSG_SOLICITED |
				      UROCE_MSG_ACK | UROCE_MSG_AREA |
				      UROCE_MSG_UC,
			      0, UROCE_MSG_FRAGMENT },
	[UROCE_MSG_ATOMIC_WRITE] = { WHOLE | UROCE_MSG_ACK, WHOLE,
				     sizeof(uint64_t) },
	[UROCE_MSG_READ_REQ] = { WHOLE | UROCE_MSG_ACK, WHOLE, 0 },
	[UROCE_MSG_FLUSH] = { WHOLE | UROCE_MSG_ACK, WHOLE, 0 },
	[UROCE_MSG_ATOMIC_REQ] = { WHOLE | UROCE_MSG_ACK, WHOLE, 0 },
	[UROCE_MSG_READ_RESP] = { WHOLE | UROCE_MSG_AREA, 0,
				  UROCE_MSG_FRAGMENT },
	[UROCE_MSG_ATOMIC_RESP] = { WHOLE, WHOLE, 0 },
	[UROCE_MSG_RESP] = { WHOLE, WHOLE, 0 },
	[UROCE_MSG_SEND_CHUNK] = { WHOLE | UROCE_MSG_IMM | UROCE_MSG_INV |
					   UROCE_MSG_SOLICITED | UROCE_MSG_ACK,
				   0, 0 },
	/* the last bytes are payload, since they must be stored last */
	[UROCE_MSG_WRITE_CHUNK] = { UROCE_MSG_FIRST | UROCE_MSG_ACK, 0, 0 },
};

/* The flags that only the last entry of a message has. */
#define LAST_ONLY (UROCE_MSG_IMM | UROCE_MSG_INV | UROCE_MSG_SOLICITED)
/* The flags that UC does not have. */
#define RELIABLE_ONLY (UROCE_MSG_INV | UROCE_MSG_ACK)

static bool entry_flags_are_valid(const struct uroce_msg_entry *entry,
				  const struct rule *rule)
{
	uint8_t flags = entry->flags;

	if ((flags & ~rule->allowed) || (flags & rule->needed) != rule->needed)
		return false;
	if ((flags & LAST_ONLY) && !(flags & UROCE_MSG_LAST))
		return false;
	if ((flags & UROCE_MSG_UC) && (flags & RELIABLE_ONLY))
		return false;
	return (flags & (UROCE_MSG_IMM | UROCE_MSG_INV)) !=
	       (UROCE_MSG_IMM | UROCE_MSG_INV);
}

static bool entry_chunk_is_valid(const struct uroce_msg_entry *entry)
{
	struct uroce_msg_chunk chunk;

	memcpy(&chunk, entry->body + uroce_msg_payload_at(entry->type),
	       sizeof(chunk));
	return chunk.source && chunk.bytes && chunk.bytes <= UROCE_MSG_CHUNK;
}

/* All fragments of a message but the last are full; a last is not empty. */
static bool entry_length_is_valid(const struct uroce_msg_entry *entry,
				  const struct rule *rule)
{
	if (uroce_msg_is_chunk(entry))
		return !entry->bytes && entry_chunk_is_valid(entry);
	if (entry->bytes > rule->max_bytes)
		return false;
	if (!(entry->flags & UROCE_MSG_LAST))
		return entry->bytes == UROCE_MSG_FRAGMENT;
	return (entry->flags & UROCE_MSG_FIRST) || entry->bytes;
}

/* Return: the payload; NULL: out of bounds. */
static const uint8_t *entry_find_payload(const struct uroce_msg_entry *entry,
					 const uint8_t *area)
{
	uint32_t at = uroce_msg_payload_at(entry->type);
	uint32_t place;

	if (!(entry->flags & UROCE_MSG_AREA))
		return at + entry->bytes <= UROCE_MSG_BODY ? entry->body + at
							   : NULL;
	memcpy(&place, entry->body + at, sizeof(place));
	if (place >= UROCE_MSG_AREA_BYTES / UROCE_MSG_LINE ||
	    place * UROCE_MSG_LINE + entry->bytes > UROCE_MSG_AREA_BYTES)
		return NULL;
	return area + (uint64_t)place * UROCE_MSG_LINE;
}

int uroce_msg_entry_check(const struct uroce_msg_entry *entry,
			  const uint8_t *area, const uint8_t **ret_payload)
{
	const struct rule *rule;

	if (!entry->type || entry->type >= UROCE_MSG_NR_TYPES)
		return -EBADMSG;
	if ((entry->qpn | entry->msn | entry->ack_msn) & ~NUMBER_MASK)
		return -EBADMSG;
	rule = &rules[entry->type];
	if (!entry_flags_are_valid(entry, rule) ||
	    !entry_length_is_valid(entry, rule))
		return -EBADMSG;
	*ret_payload = entry_find_payload(entry, area);
	return *ret_payload ? 0 : -EBADMSG;
}
