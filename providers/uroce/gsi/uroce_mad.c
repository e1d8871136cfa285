/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads and makes MADs. Called by uroce_gsi_route.c; calls nothing. */
#include "uroce/gsi/uroce_mad.h"

#include <stddef.h>
#include <string.h>

#include "uroce/wire/uroce_bytes.h"

/* The header (IBTA 13.4.3). */
enum {
	MAD_BASE_VERSION = 0,
	MAD_CLASS = 1,
	MAD_CLASS_VERSION = 2,
	MAD_METHOD = 3,
	MAD_TID = 8,
	MAD_ATTRIBUTE = 16,
	MAD_DATA = 24,
};

#define BASE_VERSION	 1
#define CLASS_CM	 0x07
#define CLASS_VERSION_CM 2
#define METHOD_SEND	 0x03
#define TID_LEN		 8

/* Attribute ids (IBTA 12.6). */
enum {
	CM_ATTR_REQ = 0x10,
	CM_ATTR_MRA = 0x11,
	CM_ATTR_REJ = 0x12,
	CM_ATTR_REP = 0x13,
	CM_ATTR_RTU = 0x14,
	CM_ATTR_DREQ = 0x15,
	CM_ATTR_DREP = 0x16,
	CM_ATTR_SIDR_REQ = 0x17,
	CM_ATTR_SIDR_REP = 0x18,
	CM_ATTR_LAP = 0x19,
	CM_ATTR_APR = 0x1a,
};

/* Fields of the messages: offsets in the MAD. */
enum {
	LOCAL_ID = MAD_DATA,	    /* all but SIDR */
	REMOTE_ID = MAD_DATA + 4,   /* all but REQ and SIDR */
	REQUEST_ID = MAD_DATA,	    /* SIDR */
	SERVICE_ID = MAD_DATA + 8,  /* REQ, SIDR_REQ */
	REJ_REASON = MAD_DATA + 10, /* two bytes */
	SIDR_REP_STATUS = MAD_DATA + 4,
	SIDR_REP_SERVICE_ID = MAD_DATA + 12,
};

#define REASON_INVALID_SERVICE_ID   8
#define STATUS_SERVICE_ID_NOT_FOUND 1

static bool is_cm_mad(const uint8_t *bytes)
{
	return bytes[MAD_BASE_VERSION] == BASE_VERSION &&
	       bytes[MAD_CLASS] == CLASS_CM &&
	       bytes[MAD_CLASS_VERSION] == CLASS_VERSION_CM &&
	       bytes[MAD_METHOD] == METHOD_SEND;
}

struct uroce_mad_key uroce_mad_read_key(const uint8_t *bytes)
{
	struct uroce_mad_key key = { .owner = UROCE_MAD_NO_OWNER };

	if (!is_cm_mad(bytes))
		return key;
	switch (uroce_get16(bytes + MAD_ATTRIBUTE)) {
	case CM_ATTR_REQ:
	case CM_ATTR_SIDR_REQ:
		key.owner = UROCE_MAD_OF_SERVICE;
		key.service_id = uroce_get64(bytes + SERVICE_ID);
		break;
	case CM_ATTR_SIDR_REP:
		key.owner = UROCE_MAD_OF_ID;
		key.id = uroce_get32(bytes + REQUEST_ID);
		break;
	case CM_ATTR_MRA:
	case CM_ATTR_REJ:
	case CM_ATTR_REP:
	case CM_ATTR_RTU:
	case CM_ATTR_DREQ:
	case CM_ATTR_DREP:
	case CM_ATTR_LAP:
	case CM_ATTR_APR:
		key.owner = UROCE_MAD_OF_ID;
		key.id = uroce_get32(bytes + REMOTE_ID);
		break;
	default:
		break;
	}
	return key;
}

/* The transaction id of a reply is that of the MAD. */
static void mad_start_reply(const uint8_t *bytes, uint16_t attribute,
			    uint8_t *ret_reply)
{
	memset(ret_reply, 0, UROCE_MAD_BYTES);
	ret_reply[MAD_BASE_VERSION] = BASE_VERSION;
	ret_reply[MAD_CLASS] = CLASS_CM;
	ret_reply[MAD_CLASS_VERSION] = CLASS_VERSION_CM;
	ret_reply[MAD_METHOD] = METHOD_SEND;
	memcpy(ret_reply + MAD_TID, bytes + MAD_TID, TID_LEN);
	uroce_put16(ret_reply + MAD_ATTRIBUTE, attribute);
}

bool uroce_mad_reply(const uint8_t *bytes, uint8_t *ret_reply)
{
	if (!is_cm_mad(bytes))
		return false;
	switch (uroce_get16(bytes + MAD_ATTRIBUTE)) {
	case CM_ATTR_REQ:
		mad_start_reply(bytes, CM_ATTR_REJ, ret_reply);
		/* no local id; the message rejected is 0, a REQ */
		memcpy(ret_reply + REMOTE_ID, bytes + LOCAL_ID, 4);
		uroce_put16(ret_reply + REJ_REASON, REASON_INVALID_SERVICE_ID);
		return true;
	case CM_ATTR_SIDR_REQ:
		mad_start_reply(bytes, CM_ATTR_SIDR_REP, ret_reply);
		memcpy(ret_reply + REQUEST_ID, bytes + REQUEST_ID, 4);
		ret_reply[SIDR_REP_STATUS] = STATUS_SERVICE_ID_NOT_FOUND;
		memcpy(ret_reply + SIDR_REP_SERVICE_ID, bytes + SERVICE_ID, 8);
		return true;
	case CM_ATTR_DREQ:
		mad_start_reply(bytes, CM_ATTR_DREP, ret_reply);
		memcpy(ret_reply + LOCAL_ID, bytes + REMOTE_ID, 4);
		memcpy(ret_reply + REMOTE_ID, bytes + LOCAL_ID, 4);
		return true;
	default:
		return false;
	}
}
