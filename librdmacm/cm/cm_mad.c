/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The codec of CM messages. One table per message lists its fields (IBTA 12.6
 * to 12.11) and is used in both directions; everything that it does not list is
 * reserved. Called by the state machine; calls nothing.
 */
#include "cm/cm_mad.h"

#include "cm/cm_bytes.h"

#include <errno.h>
#include <string.h>

/* The MAD header (IBTA 13.4.3) */
#define MAD_BASE_VERSION  1
#define MAD_CLASS_CM	  0x07
#define MAD_CLASS_VERSION 2
#define MAD_METHOD_SEND	  0x03
#define MAD_TID		  8
#define MAD_ATTR	  16
#define MAD_ATTR_MOD	  20
#define MAD_HEADER_LEN	  24

/*
 * A field, and the member that holds it. bits is 0 if the field is an array of
 * bytes; otherwise it is a part of the big-endian integer in its bytes.
 */
struct mad_field {
	uint8_t byte;	 /* the first, after the MAD header */
	uint8_t len;	 /* in bytes */
	uint8_t shift;	 /* its lowest bit in the integer */
	uint8_t bits;	 /* width */
	uint8_t part;	 /* its lowest bit in the member, if it is divided */
	bool lower;	 /* another field has the higher bits of the member */
	uint16_t member; /* offset in struct cm_mad */
	uint8_t size;	 /* of the member: 1, 2, 4 or 8 bytes */
};

#define MEMBER(m) offsetof(struct cm_mad, m)
#define SIZE(m)	  sizeof(((struct cm_mad *)0)->m)

/* A field of whole bytes, of some bits, and of bytes that are no integer */
#define WHOLE(byte, len, m)                                                  \
	{                                                                    \
		byte, len, 0, (len)*8, 0, false, MEMBER(m), (uint8_t)SIZE(m) \
	}
#define BITS(byte, len, high, low, m)                                    \
	{                                                                \
		byte, len, low, (high) - (low) + 1, 0, false, MEMBER(m), \
			(uint8_t)SIZE(m)                                 \
	}
#define ARRAY(byte, m)                                               \
	{                                                            \
		byte, (uint8_t)SIZE(m), 0, 0, 0, false, MEMBER(m), 0 \
	}
/* One byte of a vendor id that is not contiguous */
#define VENDOR(byte, part, m)                                                 \
	{                                                                     \
		byte, 1, 0, 8, part, (part) < 16, MEMBER(m), (uint8_t)SIZE(m) \
	}

/* A path of a REQ; the alternate one has the same fields 44 bytes later. */
#define REQ_PATH(at, m)                                       \
	WHOLE((at) + 0, 2, req.m.local_lid),                  \
		WHOLE((at) + 2, 2, req.m.remote_lid),         \
		ARRAY((at) + 4, req.m.local_gid),             \
		ARRAY((at) + 20, req.m.remote_gid),           \
		BITS((at) + 36, 3, 23, 4, req.m.flow_label),  \
		BITS((at) + 39, 1, 5, 0, req.m.packet_rate),  \
		WHOLE((at) + 40, 1, req.m.traffic_class),     \
		WHOLE((at) + 41, 1, req.m.hop_limit),         \
		BITS((at) + 42, 1, 7, 4, req.m.sl),           \
		BITS((at) + 42, 1, 3, 3, req.m.subnet_local), \
		BITS((at) + 43, 1, 7, 3, req.m.local_ack_timeout)

static const struct mad_field req_fields[] = {
	WHOLE(0, 4, req.local_comm_id),
	WHOLE(5, 3, req.vendor_id),
	WHOLE(8, 8, req.service_id),
	WHOLE(16, 8, req.local_ca_guid),
	WHOLE(28, 4, req.local_qkey),
	WHOLE(32, 3, req.local_qpn),
	WHOLE(35, 1, req.responder_resources),
	WHOLE(36, 3, req.local_eecn),
	WHOLE(39, 1, req.initiator_depth),
	WHOLE(40, 3, req.remote_eecn),
	BITS(43, 1, 7, 3, req.remote_cm_timeout),
	BITS(43, 1, 2, 1, req.service_type),
	BITS(43, 1, 0, 0, req.flow_control),
	WHOLE(44, 3, req.starting_psn),
	BITS(47, 1, 7, 3, req.local_cm_timeout),
	BITS(47, 1, 2, 0, req.retry_count),
	WHOLE(48, 2, req.pkey),
	BITS(50, 1, 7, 4, req.path_mtu),
	BITS(50, 1, 3, 3, req.rdc_exists),
	BITS(50, 1, 2, 0, req.rnr_retry_count),
	BITS(51, 1, 7, 4, req.max_cm_retries),
	BITS(51, 1, 3, 3, req.srq),
	BITS(51, 1, 2, 0, req.extended_type),
	REQ_PATH(52, primary),
	REQ_PATH(96, alternate),
	BITS(139, 1, 2, 2, req.sap_supported),
	ARRAY(140, req.private_data),
};

static const struct mad_field mra_fields[] = {
	WHOLE(0, 4, mra.local_comm_id), WHOLE(4, 4, mra.remote_comm_id),
	BITS(8, 1, 7, 6, mra.message),	BITS(9, 1, 7, 3, mra.service_timeout),
	ARRAY(10, mra.private_data),
};

static const struct mad_field rej_fields[] = {
	WHOLE(0, 4, rej.local_comm_id), WHOLE(4, 4, rej.remote_comm_id),
	BITS(8, 1, 7, 6, rej.message),	BITS(9, 1, 7, 1, rej.ari_len),
	WHOLE(10, 2, rej.reason),	ARRAY(12, rej.ari),
	ARRAY(84, rej.private_data),
};

static const struct mad_field rep_fields[] = {
	WHOLE(0, 4, rep.local_comm_id),
	WHOLE(4, 4, rep.remote_comm_id),
	WHOLE(8, 4, rep.local_qkey),
	WHOLE(12, 3, rep.local_qpn),
	VENDOR(15, 16, rep.vendor_id),
	WHOLE(16, 3, rep.local_eecn),
	VENDOR(19, 8, rep.vendor_id),
	WHOLE(20, 3, rep.starting_psn),
	VENDOR(23, 0, rep.vendor_id),
	WHOLE(24, 1, rep.responder_resources),
	WHOLE(25, 1, rep.initiator_depth),
	BITS(26, 1, 7, 3, rep.target_ack_delay),
	BITS(26, 1, 2, 1, rep.failover),
	BITS(26, 1, 0, 0, rep.flow_control),
	BITS(27, 1, 7, 5, rep.rnr_retry_count),
	BITS(27, 1, 4, 4, rep.srq),
	WHOLE(28, 8, rep.local_ca_guid),
	ARRAY(36, rep.private_data),
};

static const struct mad_field rtu_fields[] = {
	WHOLE(0, 4, rtu.local_comm_id),
	WHOLE(4, 4, rtu.remote_comm_id),
	ARRAY(8, rtu.private_data),
};

static const struct mad_field dreq_fields[] = {
	WHOLE(0, 4, dreq.local_comm_id),
	WHOLE(4, 4, dreq.remote_comm_id),
	WHOLE(8, 3, dreq.remote_qpn),
	ARRAY(12, dreq.private_data),
};

static const struct mad_field drep_fields[] = {
	WHOLE(0, 4, drep.local_comm_id),
	WHOLE(4, 4, drep.remote_comm_id),
	ARRAY(8, drep.private_data),
};

static const struct mad_field sidr_req_fields[] = {
	WHOLE(0, 4, sidr_req.request_id),
	WHOLE(4, 2, sidr_req.pkey),
	WHOLE(8, 8, sidr_req.service_id),
	ARRAY(16, sidr_req.private_data),
};

static const struct mad_field sidr_rep_fields[] = {
	WHOLE(0, 4, sidr_rep.request_id),  WHOLE(4, 1, sidr_rep.status),
	WHOLE(5, 1, sidr_rep.info_len),	   VENDOR(6, 16, sidr_rep.vendor_id),
	VENDOR(7, 8, sidr_rep.vendor_id),  WHOLE(8, 3, sidr_rep.qpn),
	VENDOR(11, 0, sidr_rep.vendor_id), WHOLE(12, 8, sidr_rep.service_id),
	WHOLE(20, 4, sidr_rep.qkey),	   ARRAY(24, sidr_rep.info),
	ARRAY(96, sidr_rep.private_data),
};

#define LAYOUT(attr, fields) \
	[(attr)-CM_REQ] = { fields, sizeof(fields) / sizeof(struct mad_field) }

static const struct mad_layout {
	const struct mad_field *fields;
	size_t nr_fields;
} mad_layouts[] = {
	LAYOUT(CM_REQ, req_fields),
	LAYOUT(CM_MRA, mra_fields),
	LAYOUT(CM_REJ, rej_fields),
	LAYOUT(CM_REP, rep_fields),
	LAYOUT(CM_RTU, rtu_fields),
	LAYOUT(CM_DREQ, dreq_fields),
	LAYOUT(CM_DREP, drep_fields),
	LAYOUT(CM_SIDR_REQ, sidr_req_fields),
	LAYOUT(CM_SIDR_REP, sidr_rep_fields),
};

/* The fields of a message, or NULL if the attribute is none of these. */
static const struct mad_layout *mad_layout_find(uint32_t attr)
{
	uint32_t index = attr - CM_REQ;

	if (index >= sizeof(mad_layouts) / sizeof(mad_layouts[0]))
		return NULL;
	return &mad_layouts[index];
}

static uint64_t mad_member_load(const void *member, uint8_t size)
{
	uint8_t v8;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		memcpy(&v8, member, size);
		return v8;
	case 2:
		memcpy(&v16, member, size);
		return v16;
	case 4:
		memcpy(&v32, member, size);
		return v32;
	default:
		memcpy(&v64, member, sizeof(v64));
		return v64;
	}
}

static void mad_member_store(void *member, uint8_t size, uint64_t value)
{
	uint8_t v8 = (uint8_t)value;
	uint16_t v16 = (uint16_t)value;
	uint32_t v32 = (uint32_t)value;

	switch (size) {
	case 1:
		memcpy(member, &v8, size);
		break;
	case 2:
		memcpy(member, &v16, size);
		break;
	case 4:
		memcpy(member, &v32, size);
		break;
	default:
		memcpy(member, &value, sizeof(value));
	}
}

static uint64_t mad_field_mask(const struct mad_field *field)
{
	return UINT64_MAX >> (64 - field->bits);
}

static int mad_field_encode(const struct mad_field *field, const void *member,
			    uint8_t *at)
{
	uint64_t value;

	if (!field->bits) {
		memcpy(at, member, field->len);
		return 0;
	}
	value = mad_member_load(member, field->size) >> field->part;
	if (field->lower)
		value &= mad_field_mask(field);
	if (value > mad_field_mask(field))
		return -ERANGE;
	/* Other fields of the same bytes stay. */
	value = value << field->shift | cm_bytes_get(at, field->len);
	cm_bytes_put(at, field->len, value);
	return 0;
}

static void mad_field_decode(const struct mad_field *field, const uint8_t *at,
			     void *member)
{
	uint64_t value;

	if (!field->bits) {
		memcpy(member, at, field->len);
		return;
	}
	value = cm_bytes_get(at, field->len) >> field->shift;
	value = (value & mad_field_mask(field)) << field->part;
	/* Other fields of the same member stay. */
	value |= mad_member_load(member, field->size);
	mad_member_store(member, field->size, value);
}

int cm_mad_encode(const struct cm_mad *message, uint8_t *ret_bytes)
{
	const struct mad_layout *layout = mad_layout_find(message->attr);
	size_t i;
	int ret;

	if (!layout)
		return -EINVAL;
	memset(ret_bytes, 0, CM_MAD_LEN);
	ret_bytes[0] = MAD_BASE_VERSION;
	ret_bytes[1] = MAD_CLASS_CM;
	ret_bytes[2] = MAD_CLASS_VERSION;
	ret_bytes[3] = MAD_METHOD_SEND;
	cm_bytes_put(ret_bytes + MAD_TID, 8, message->tid);
	cm_bytes_put(ret_bytes + MAD_ATTR, 2, message->attr);
	cm_bytes_put(ret_bytes + MAD_ATTR_MOD, 4, message->attr_mod);
	for (i = 0; i < layout->nr_fields; i++) {
		const struct mad_field *field = &layout->fields[i];

		ret = mad_field_encode(
			field, (const uint8_t *)message + field->member,
			ret_bytes + MAD_HEADER_LEN + field->byte);
		if (ret)
			return ret;
	}
	return 0;
}

int cm_mad_decode(const uint8_t *bytes, size_t len, struct cm_mad *ret_mad)
{
	const struct mad_layout *layout;
	uint32_t attr;
	size_t i;

	if (len != CM_MAD_LEN)
		return -EMSGSIZE;
	if (bytes[0] != MAD_BASE_VERSION || bytes[1] != MAD_CLASS_CM ||
	    bytes[2] != MAD_CLASS_VERSION || bytes[3] != MAD_METHOD_SEND)
		return -EPROTO;
	attr = (uint32_t)cm_bytes_get(bytes + MAD_ATTR, 2);
	layout = mad_layout_find(attr);
	if (!layout)
		return -EOPNOTSUPP;
	memset(ret_mad, 0, sizeof(*ret_mad));
	ret_mad->attr = (enum cm_attr)attr;
	ret_mad->attr_mod = (uint32_t)cm_bytes_get(bytes + MAD_ATTR_MOD, 4);
	ret_mad->tid = cm_bytes_get(bytes + MAD_TID, 8);
	for (i = 0; i < layout->nr_fields; i++) {
		const struct mad_field *field = &layout->fields[i];

		mad_field_decode(field, bytes + MAD_HEADER_LEN + field->byte,
				 (uint8_t *)ret_mad + field->member);
	}
	return 0;
}
