/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MADs of communication management (IBTA 12.6 to 12.11), as far as they must be
 * read to find their owner, and the replies to MADs without one. Pure
 * functions; all bytes of a MAD are untrusted.
 */
#ifndef UROCE_MAD_H
#define UROCE_MAD_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/wire/uroce_packet.h"

/* How to find the process that owns a MAD. */
enum uroce_mad_owner {
	UROCE_MAD_NO_OWNER,   /* not communication management, or unknown */
	UROCE_MAD_OF_SERVICE, /* by a service id */
	UROCE_MAD_OF_ID,      /* by a communication id or request id */
};

struct uroce_mad_key {
	enum uroce_mad_owner owner;
	uint64_t service_id; /* UROCE_MAD_OF_SERVICE */
	uint32_t id;	     /* UROCE_MAD_OF_ID: of the receiver */
};

/**
 * uroce_mad_read_key() - read what identifies the owner of a received MAD
 * @bytes: UROCE_MAD_BYTES bytes
 */
struct uroce_mad_key uroce_mad_read_key(const uint8_t *bytes);

/**
 * uroce_mad_reply() - make the reply to a MAD that no process owns
 * @bytes: UROCE_MAD_BYTES bytes
 * @ret_reply: receives as many
 *
 * The reply to a REQ is a REJ with reason 8, invalid service id; to a SIDR_REQ
 * a SIDR_REP with status 1; to a DREQ a DREP, so that the peer of a process
 * that has ended need not repeat it.
 *
 * Return: false if there is no reply.
 */
bool uroce_mad_reply(const uint8_t *bytes, uint8_t *ret_reply);

#endif
