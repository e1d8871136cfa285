/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The codec of CM messages: captured MADs of the kernel, one bit at a time, and
 * values that do not fit.
 */
#include "cm/cm_mad.h"
#include "librdmacm/cm/sample_mads.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A text in the form of the annotations: fields that are not zero. */
struct text {
	char buf[SAMPLE_TEXT_LEN];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void
text_add(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->buf + text->len, sizeof(text->buf) - text->len,
		      format, args);
	va_end(args);
	assert_true(n >= 0 && text->len + (size_t)n < sizeof(text->buf));
	text->len += (size_t)n;
}

static void text_number(struct text *text, const char *name, uint64_t value)
{
	if (value)
		text_add(text, "%s%s 0x%" PRIx64, text->len ? "; " : "", name,
			 value);
}

/* @has_zeros: an array with trailing zeros, whose number follows */
static void text_bytes(struct text *text, const char *name,
		       const uint8_t *bytes, size_t len, bool has_zeros)
{
	size_t used = len;

	while (used && !bytes[used - 1])
		used--;
	if (!used)
		return;
	if (!has_zeros)
		used = len;
	text_add(text, "; %s ", name);
	for (size_t i = 0; i < used; i++)
		text_add(text, "%02x", bytes[i]);
	if (used < len)
		text_add(text, " +%zu zero bytes", len - used);
}

static void text_path(struct text *text, const struct cm_req_path *path)
{
	text_number(text, "primary local port lid", path->local_lid);
	text_number(text, "primary remote port lid", path->remote_lid);
	text_bytes(text, "primary local port gid", path->local_gid, CM_GID_LEN,
		   false);
	text_bytes(text, "primary remote port gid", path->remote_gid,
		   CM_GID_LEN, false);
	text_number(text, "primary flow label", path->flow_label);
	text_number(text, "primary packet rate", path->packet_rate);
	text_number(text, "primary traffic class", path->traffic_class);
	text_number(text, "primary hop limit", path->hop_limit);
	text_number(text, "primary sl", path->sl);
	text_number(text, "primary subnet local", path->subnet_local);
	text_number(text, "primary local ack timeout", path->local_ack_timeout);
}

static void text_req(struct text *text, const struct cm_req *req)
{
	static const struct cm_req_path none;

	text_number(text, "local comm id", req->local_comm_id);
	text_number(text, "service id", req->service_id);
	text_number(text, "local ca guid", req->local_ca_guid);
	text_number(text, "local q key", req->local_qkey);
	text_number(text, "local qpn", req->local_qpn);
	text_number(text, "responder resources", req->responder_resources);
	text_number(text, "initiator depth", req->initiator_depth);
	text_number(text, "remote cm response timeout", req->remote_cm_timeout);
	text_number(text, "transport service type", req->service_type);
	text_number(text, "starting psn", req->starting_psn);
	text_number(text, "local cm response timeout", req->local_cm_timeout);
	text_number(text, "retry count", req->retry_count);
	text_number(text, "partition key", req->pkey);
	text_number(text, "path packet payload mtu", req->path_mtu);
	text_number(text, "rnr retry count", req->rnr_retry_count);
	text_number(text, "max cm retries", req->max_cm_retries);
	text_number(text, "srq", req->srq);
	text_path(text, &req->primary);
	assert_memory_equal(&req->alternate, &none, sizeof(none));
	/* the IP header, and no private data of the application */
	text_add(text, "; private data ");
	for (size_t i = 0; i < 36; i++)
		text_add(text, "%02x", req->private_data[i]);
	text_add(text, " +56 zero bytes");
}

static void text_rep(struct text *text, const struct cm_rep *rep)
{
	text_number(text, "local comm id", rep->local_comm_id);
	text_number(text, "remote comm id", rep->remote_comm_id);
	text_number(text, "local qpn", rep->local_qpn);
	text_number(text, "starting psn", rep->starting_psn);
	text_number(text, "responder resources", rep->responder_resources);
	text_number(text, "initiator depth", rep->initiator_depth);
	text_number(text, "target ack delay", rep->target_ack_delay);
	text_number(text, "rnr retry count", rep->rnr_retry_count);
	text_number(text, "srq", rep->srq);
	text_number(text, "local ca guid", rep->local_ca_guid);
	text_bytes(text, "private data", rep->private_data,
		   sizeof(rep->private_data), true);
}

static void text_rej(struct text *text, const struct cm_rej *rej)
{
	text_number(text, "local comm id", rej->local_comm_id);
	text_number(text, "remote comm id", rej->remote_comm_id);
	text_number(text, "message rejected", rej->message);
	text_number(text, "rejected info length", rej->ari_len);
	text_number(text, "reason", rej->reason);
	text_bytes(text, "ari", rej->ari, sizeof(rej->ari), true);
	text_bytes(text, "private data", rej->private_data,
		   sizeof(rej->private_data), true);
}

static void text_sidr_rep(struct text *text, const struct cm_sidr_rep *rep)
{
	text_number(text, "requestid", rep->request_id);
	text_number(text, "status", rep->status);
	text_number(text, "qpn", rep->qpn);
	text_number(text, "serviceid", rep->service_id);
	text_number(text, "q key", rep->qkey);
	text_bytes(text, "private data", rep->private_data,
		   sizeof(rep->private_data), true);
}

static void text_mad(struct text *text, const struct cm_mad *mad)
{
	switch (mad->attr) {
	case CM_REQ:
		text_req(text, &mad->req);
		break;
	case CM_MRA:
		text_number(text, "local comm id", mad->mra.local_comm_id);
		text_number(text, "remote comm id", mad->mra.remote_comm_id);
		text_number(text, "message mraed", mad->mra.message);
		text_number(text, "service timeout", mad->mra.service_timeout);
		break;
	case CM_REJ:
		text_rej(text, &mad->rej);
		break;
	case CM_REP:
		text_rep(text, &mad->rep);
		break;
	case CM_RTU:
		text_number(text, "local comm id", mad->rtu.local_comm_id);
		text_number(text, "remote comm id", mad->rtu.remote_comm_id);
		break;
	case CM_DREQ:
		text_number(text, "local comm id", mad->dreq.local_comm_id);
		text_number(text, "remote comm id", mad->dreq.remote_comm_id);
		text_number(text, "remote qpn eecn", mad->dreq.remote_qpn);
		break;
	case CM_DREP:
		text_number(text, "local comm id", mad->drep.local_comm_id);
		text_number(text, "remote comm id", mad->drep.remote_comm_id);
		break;
	case CM_SIDR_REQ:
		text_number(text, "requestid", mad->sidr_req.request_id);
		text_number(text, "partition key", mad->sidr_req.pkey);
		text_number(text, "serviceid", mad->sidr_req.service_id);
		text_bytes(text, "private data", mad->sidr_req.private_data,
			   sizeof(mad->sidr_req.private_data), true);
		break;
	case CM_SIDR_REP:
		text_sidr_rep(text, &mad->sidr_rep);
		break;
	}
}

static void mad_captured_decodes_as_annotated(void **state)
{
	size_t nr;
	const struct sample_mad *samples = sample_mads_read(&nr);

	assert_int_equal(nr, 13);
	for (size_t i = 0; i < nr; i++) {
		struct text text = { .len = 0 };
		struct cm_mad mad;

		assert_int_equal(
			cm_mad_decode(samples[i].bytes, CM_MAD_LEN, &mad), 0);
		assert_int_equal(mad.tid >> 32, 2);
		text_mad(&text, &mad);
		assert_string_equal(text.buf, samples[i].fields);
	}
}

static void mad_captured_encodes_to_same_bytes(void **state)
{
	size_t nr;
	const struct sample_mad *samples = sample_mads_read(&nr);

	for (size_t i = 0; i < nr; i++) {
		uint8_t bytes[CM_MAD_LEN];
		struct cm_mad mad;

		assert_int_equal(
			cm_mad_decode(samples[i].bytes, CM_MAD_LEN, &mad), 0);
		assert_int_equal(cm_mad_encode(&mad, bytes), 0);
		assert_memory_equal(bytes, samples[i].bytes, CM_MAD_LEN);
	}
}

/* Number of bits that each message transports after its header. */
static unsigned int mad_defined_bits(enum cm_attr attr)
{
	unsigned int bits = 0;

	for (unsigned int bit = 24 * 8; bit < CM_MAD_LEN * 8; bit++) {
		uint8_t bytes[CM_MAD_LEN] = { 1, 7, 2, 3 };
		uint8_t again[CM_MAD_LEN];
		struct cm_mad mad;

		bytes[17] = (uint8_t)attr;
		bytes[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
		assert_int_equal(cm_mad_decode(bytes, CM_MAD_LEN, &mad), 0);
		assert_int_equal(cm_mad_encode(&mad, again), 0);
		if (memcmp(bytes, again, CM_MAD_LEN) == 0) {
			bits++;
			continue;
		}
		/* A reserved bit: it is ignored, and no other bit changes. */
		bytes[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
		assert_memory_equal(bytes, again, CM_MAD_LEN);
	}
	return bits;
}

static void mad_single_bit_survives_unless_reserved(void **state)
{
	/* Sums of the field widths in IBTA 12.6 to 12.11. */
	const unsigned int path =
		16 + 16 + 128 + 128 + 20 + 6 + 8 + 8 + 4 + 1 + 5;

	assert_int_equal(mad_defined_bits(CM_REQ),
			 32 + 24 + 64 + 64 + 32 + 24 + 8 + 24 + 8 + 24 + 8 +
				 24 + 8 + 16 + 8 + 8 + 2 * path + 1 + 92 * 8);
	assert_int_equal(mad_defined_bits(CM_MRA), 64 + 2 + 5 + 222 * 8);
	assert_int_equal(mad_defined_bits(CM_REJ),
			 64 + 2 + 7 + 16 + (72 + 148) * 8);
	assert_int_equal(mad_defined_bits(CM_REP), 64 + 32 + 24 + 24 + 24 + 24 +
							   16 + 8 + 4 + 64 +
							   196 * 8);
	assert_int_equal(mad_defined_bits(CM_RTU), 64 + 224 * 8);
	assert_int_equal(mad_defined_bits(CM_DREQ), 64 + 24 + 220 * 8);
	assert_int_equal(mad_defined_bits(CM_DREP), 64 + 224 * 8);
	assert_int_equal(mad_defined_bits(CM_SIDR_REQ), 32 + 16 + 64 + 216 * 8);
	assert_int_equal(mad_defined_bits(CM_SIDR_REP),
			 32 + 8 + 8 + 24 + 24 + 64 + 32 + (72 + 136) * 8);
}

static void mad_vendor_id_is_divided_in_replies(void **state)
{
	struct cm_mad mad = { .attr = CM_REP, .attr_mod = 0x01020304 };
	uint8_t bytes[CM_MAD_LEN];

	mad.rep.vendor_id = 0xabcdef;
	assert_int_equal(cm_mad_encode(&mad, bytes), 0);
	assert_int_equal(bytes[20], 1);
	assert_int_equal(bytes[23], 4);
	assert_int_equal(bytes[24 + 15], 0xab);
	assert_int_equal(bytes[24 + 19], 0xcd);
	assert_int_equal(bytes[24 + 23], 0xef);
	mad = (struct cm_mad){ .attr = CM_SIDR_REP };
	mad.sidr_rep.vendor_id = 0xabcdef;
	assert_int_equal(cm_mad_encode(&mad, bytes), 0);
	assert_int_equal(bytes[24 + 6], 0xab);
	assert_int_equal(bytes[24 + 7], 0xcd);
	assert_int_equal(bytes[24 + 11], 0xef);
	assert_int_equal(cm_mad_decode(bytes, CM_MAD_LEN, &mad), 0);
	assert_int_equal(mad.sidr_rep.vendor_id, 0xabcdef);
	mad.sidr_rep.vendor_id = 0x1000000;
	assert_int_equal(cm_mad_encode(&mad, bytes), -ERANGE);
}

static void mad_value_too_large_is_refused(void **state)
{
	struct cm_mad mad = { .attr = CM_REQ };
	uint8_t bytes[CM_MAD_LEN];

	mad.req.local_qpn = CM_QPN_MASK;
	mad.req.primary.flow_label = 0xfffff;
	mad.req.retry_count = 7;
	assert_int_equal(cm_mad_encode(&mad, bytes), 0);
	mad.req.local_qpn = CM_QPN_MASK + 1;
	assert_int_equal(cm_mad_encode(&mad, bytes), -ERANGE);
	mad.req.local_qpn = 0;
	mad.req.primary.flow_label = 0x100000;
	assert_int_equal(cm_mad_encode(&mad, bytes), -ERANGE);
	mad.req.primary.flow_label = 0;
	mad.req.retry_count = 8;
	assert_int_equal(cm_mad_encode(&mad, bytes), -ERANGE);
}

static void mad_unknown_attribute_is_refused(void **state)
{
	const struct sample_mad *rtu = sample_mads_find("rtu");
	struct cm_mad mad;
	uint8_t bytes[CM_MAD_LEN];

	memcpy(bytes, rtu->bytes, CM_MAD_LEN);
	for (unsigned int attr = 0; attr <= UINT16_MAX; attr++) {
		bytes[16] = (uint8_t)(attr >> 8);
		bytes[17] = (uint8_t)attr;
		assert_int_equal(cm_mad_decode(bytes, CM_MAD_LEN, &mad),
				 attr >= 0x10 && attr <= 0x18 ? 0
							      : -EOPNOTSUPP);
	}
	mad.attr = (enum cm_attr)0x19;
	assert_int_equal(cm_mad_encode(&mad, bytes), -EINVAL);
}

static void mad_foreign_header_is_refused(void **state)
{
	const struct sample_mad *rtu = sample_mads_find("rtu");
	struct cm_mad mad;
	uint8_t bytes[CM_MAD_LEN];

	assert_int_equal(cm_mad_decode(rtu->bytes, CM_MAD_LEN - 1, &mad),
			 -EMSGSIZE);
	assert_int_equal(cm_mad_decode(rtu->bytes, CM_MAD_LEN + 1, &mad),
			 -EMSGSIZE);
	assert_int_equal(cm_mad_decode(rtu->bytes, 0, &mad), -EMSGSIZE);
	for (int i = 0; i < 4; i++) {
		memcpy(bytes, rtu->bytes, CM_MAD_LEN);
		bytes[i] ^= 0x80;
		assert_int_equal(cm_mad_decode(bytes, CM_MAD_LEN, &mad),
				 -EPROTO);
	}
	/* the status and the class-specific bytes */
	memcpy(bytes, rtu->bytes, CM_MAD_LEN);
	memset(bytes + 4, 0xff, 4);
	assert_int_equal(cm_mad_decode(bytes, CM_MAD_LEN, &mad), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mad_captured_decodes_as_annotated),
		cmocka_unit_test(mad_captured_encodes_to_same_bytes),
		cmocka_unit_test(mad_single_bit_survives_unless_reserved),
		cmocka_unit_test(mad_vendor_id_is_divided_in_replies),
		cmocka_unit_test(mad_value_too_large_is_refused),
		cmocka_unit_test(mad_unknown_attribute_is_refused),
		cmocka_unit_test(mad_foreign_header_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
