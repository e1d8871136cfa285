/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MADs that the communication manager sends: those without values of the caller
 * are built here. The caller of the engine sends the output. Called by all
 * files of the state machine; calls the codec.
 */
#include "cm/cm_parts.h"

#include <assert.h>
#include <string.h>

#define NS_PER_MS 1000000ULL
/* Exponent of about 1 ms: 4.096 us * 2^8 */
#define TIME_EXPONENT_MS  8
#define TIME_EXPONENT_MAX 31 /* 5 bits; more only as an error of a caller */
/* ms(24) is 68.7 s; what Linux asks for while an application decides */
#define MRA_SERVICE_TIMEOUT 24

#define RESPONSE_HOP_LIMIT 64

uint64_t cm_time_ns(uint8_t exponent)
{
	if (exponent <= TIME_EXPONENT_MS)
		return NS_PER_MS;
	if (exponent > TIME_EXPONENT_MAX)
		exponent = TIME_EXPONENT_MAX;
	return NS_PER_MS << (exponent - TIME_EXPONENT_MS);
}

uint64_t cm_own_tid(const struct cm_engine *cm, uint32_t id)
{
	/* The byte order is that of the kernel on little-endian machines. */
	return (uint64_t)cm->config.tid_high << 32 | __builtin_bswap32(id);
}

void cm_path_reverse(const struct cm_path *path, struct cm_path *ret_path)
{
	struct cm_path reverse = *path;

	memcpy(reverse.sgid, path->dgid, CM_GID_LEN);
	memcpy(reverse.dgid, path->sgid, CM_GID_LEN);
	reverse.hop_limit = RESPONSE_HOP_LIMIT;
	*ret_path = reverse;
}

void cm_output_reset(struct cm_output *out)
{
	out->nr_sends = 0;
	out->event = (struct cm_event){ .type = CM_EVENT_NONE };
}

void cm_send_bytes(struct cm_output *out, const struct cm_path *path,
		   const uint8_t *bytes)
{
	struct cm_send *send = &out->sends[out->nr_sends];

	assert(out->nr_sends < CM_MAX_SENDS);
	send->path = *path;
	memcpy(send->bytes, bytes, CM_MAD_LEN);
	out->nr_sends++;
}

void cm_send_message(struct cm_output *out, const struct cm_path *path,
		     const struct cm_mad *message)
{
	uint8_t bytes[CM_MAD_LEN];
	int ret = cm_mad_encode(message, bytes);

	assert(ret == 0);
	(void)ret; /* without assert() */
	cm_send_bytes(out, path, bytes);
}

void cm_send_mra(const struct cm_conn *conn, enum cm_message about,
		 struct cm_output *out)
{
	struct cm_mad message = { .attr = CM_MRA, .tid = conn->tid };

	message.mra.local_comm_id = conn->local_comm_id;
	message.mra.remote_comm_id = conn->remote_comm_id;
	message.mra.message = (uint8_t)about;
	message.mra.service_timeout = MRA_SERVICE_TIMEOUT;
	cm_send_message(out, &conn->path, &message);
}

void cm_send_rtu(const struct cm_conn *conn, struct cm_output *out)
{
	struct cm_mad message = { .attr = CM_RTU, .tid = conn->tid };

	message.rtu.local_comm_id = conn->local_comm_id;
	message.rtu.remote_comm_id = conn->remote_comm_id;
	cm_send_message(out, &conn->path, &message);
}

void cm_conn_encode_dreq(const struct cm_engine *cm, struct cm_conn *conn)
{
	struct cm_mad message = { .attr = CM_DREQ };
	int ret;

	message.tid = cm_own_tid(cm, conn->local_comm_id);
	message.dreq.local_comm_id = conn->local_comm_id;
	message.dreq.remote_comm_id = conn->remote_comm_id;
	message.dreq.remote_qpn = conn->remote_qpn;
	ret = cm_mad_encode(&message, conn->unacknowledged);
	assert(ret == 0);
	(void)ret; /* without assert() */
}

void cm_send_drep(const struct cm_conn *conn, uint64_t tid,
		  struct cm_output *out)
{
	struct cm_mad message = { .attr = CM_DREP, .tid = tid };

	message.drep.local_comm_id = conn->local_comm_id;
	message.drep.remote_comm_id = conn->remote_comm_id;
	cm_send_message(out, &conn->path, &message);
}

void cm_send_rej(const struct cm_path *path, uint64_t tid,
		 uint32_t local_comm_id, uint32_t remote_comm_id,
		 enum cm_message about, enum cm_reject_reason reason,
		 struct cm_output *out)
{
	struct cm_mad message = { .attr = CM_REJ, .tid = tid };

	message.rej.local_comm_id = local_comm_id;
	message.rej.remote_comm_id = remote_comm_id;
	message.rej.message = (uint8_t)about;
	message.rej.reason = (uint16_t)reason;
	cm_send_message(out, path, &message);
}
