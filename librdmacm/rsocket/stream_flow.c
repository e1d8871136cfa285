/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stream protocol. A half of the receive buffer and the entry that
 * describes it have the same index, since both alternate with each grant.
 */
#include "rsocket/stream_flow.h"

#include "util/min.h"

#include <errno.h>
#include <string.h>

void stream_flow_init(struct stream_flow *flow,
		      const struct stream_sizes *sizes, uint32_t *messages)
{
	*flow = (struct stream_flow){
		.sizes = *sizes,
		.messages = messages,
		.next_index = 1,
		.grant_index = 1,
		.nr_granted = sizes->half_len,
		.nr_free = sizes->half_len,
	};
}

void stream_flow_start(struct stream_flow *flow,
		       const struct stream_setup *local,
		       const struct stream_setup *peer)
{
	flow->local = *local;
	flow->peer = *peer;
	flow->send_limit = peer->credits;
	flow->target[0] = (struct stream_sge){
		.address = peer->data_address,
		.rkey = peer->data_rkey,
		.len = peer->data_len,
	};
	flow->is_started = true;
	flow->can_read = true;
	flow->can_write = true;
}

void stream_flow_hold(struct stream_flow *flow)
{
	flow->is_held = true;
}

static uint32_t send_buffer_free(const struct stream_flow *flow)
{
	return flow->sizes.send_len - flow->send_used;
}

bool stream_flow_can_send(const struct stream_flow *flow)
{
	return flow->can_write && !flow->is_held &&
	       flow->send_seq != flow->send_limit &&
	       flow->target[flow->target_index].len &&
	       flow->nr_outstanding < flow->sizes.nr_sends &&
	       send_buffer_free(flow) >= STREAM_FIRST_MESSAGE;
}

/* Takes @len bytes of the send buffer and a slot of the send queue. */
static void send_buffer_take(struct stream_flow *flow, uint32_t len,
			     bool is_inline, struct stream_message *message)
{
	message->len = len;
	message->send_at = flow->send_at;
	flow->nr_outstanding++;
	if (is_inline)
		return;
	flow->send_used += len;
	flow->send_at = (flow->send_at + len) % flow->sizes.send_len;
}

static uint32_t send_len(const struct stream_flow *flow, size_t wanted,
			 uint32_t max, bool is_inline)
{
	uint32_t len = wanted < max ? (uint32_t)wanted : max;

	return is_inline ? len : min_u32(len, send_buffer_free(flow));
}

bool stream_flow_take_data(struct stream_flow *flow, size_t wanted,
			   uint32_t max, bool is_inline,
			   struct stream_message *ret_message)
{
	struct stream_sge *target = &flow->target[flow->target_index];
	uint32_t len;

	if (!stream_flow_can_send(flow))
		return false;
	len = min_u32(send_len(flow, wanted, max, is_inline), target->len);
	*ret_message = (struct stream_message){
		.remote_address = target->address,
		.rkey = target->rkey,
		.imm = stream_imm(STREAM_DATA, len),
	};
	send_buffer_take(flow, len, is_inline, ret_message);
	flow->send_seq++;
	target->address += len;
	target->len -= len;
	if (!target->len)
		flow->target_index ^= 1;
	return true;
}

bool stream_flow_take_write(struct stream_flow *flow, size_t wanted,
			    uint32_t max, bool is_inline,
			    struct stream_message *ret_message)
{
	uint32_t len = send_len(flow, wanted, max, is_inline);

	if (!flow->can_write || !len ||
	    flow->nr_outstanding >= flow->sizes.nr_sends)
		return false;
	*ret_message = (struct stream_message){ 0 };
	send_buffer_take(flow, len, is_inline, ret_message);
	return true;
}

void stream_flow_data_done(struct stream_flow *flow, uint32_t len)
{
	flow->nr_outstanding--;
	flow->send_used -= len;
}

static bool grant_is_due(const struct stream_flow *flow)
{
	uint16_t nr_consumed = (uint16_t)(flow->recv_seq - flow->granted_seq);

	return flow->can_read && (flow->nr_free >= flow->sizes.half_len ||
				  nr_consumed >= flow->sizes.nr_recvs / 2);
}

static void grant_fill_half(struct stream_flow *flow,
			    struct stream_message *message)
{
	uint32_t half_len = flow->sizes.half_len;
	struct stream_sge sge = {
		.address = flow->local.data_address +
			   (uint64_t)flow->grant_index * half_len,
		.rkey = flow->local.data_rkey,
		.len = half_len,
	};

	message->remote_address = flow->peer.sgl_address +
				  (uint64_t)flow->grant_index * STREAM_SGE_LEN;
	message->rkey = flow->peer.sgl_rkey;
	message->len = STREAM_SGE_LEN;
	stream_sge_encode(&sge, flow->peer.is_big_endian, message->payload);
	flow->grant_index ^= 1;
	flow->nr_free -= half_len;
	flow->nr_granted += half_len;
}

static bool control_is_possible(const struct stream_flow *flow)
{
	return !flow->is_held && flow->nr_controls < STREAM_MAX_CONTROLS;
}

bool stream_flow_take_control(struct stream_flow *flow,
			      struct stream_message *ret_message)
{
	uint16_t limit;

	if (!flow->is_started || flow->error || !control_is_possible(flow))
		return false;
	*ret_message = (struct stream_message){ 0 };
	if (grant_is_due(flow)) {
		limit = (uint16_t)(flow->recv_seq + flow->sizes.nr_recvs);
		ret_message->imm = stream_imm(STREAM_SGL, limit);
		if (flow->nr_free >= flow->sizes.half_len)
			grant_fill_half(flow, ret_message);
		flow->granted_seq = flow->recv_seq;
	} else if (flow->has_ctrl) {
		ret_message->imm = stream_imm(STREAM_CTRL, flow->ctrl);
		flow->has_ctrl = false;
	} else {
		return false;
	}
	flow->nr_controls++;
	return true;
}

bool stream_flow_take_iomap(struct stream_flow *flow, uint32_t index,
			    const struct stream_iomap *iomap,
			    struct stream_message *ret_message)
{
	if (!flow->can_write || index >= flow->peer.nr_iomaps ||
	    !control_is_possible(flow))
		return false;
	*ret_message = (struct stream_message){
		.remote_address = flow->peer.sgl_address +
				  STREAM_NR_SGES * STREAM_SGE_LEN +
				  (uint64_t)index * STREAM_IOMAP_LEN,
		.rkey = flow->peer.sgl_rkey,
		.imm = stream_imm(STREAM_IOMAP, index),
		.len = STREAM_IOMAP_LEN,
	};
	stream_iomap_encode(iomap, flow->peer.is_big_endian,
			    ret_message->payload);
	flow->nr_controls++;
	return true;
}

bool stream_flow_take_keepalive(struct stream_flow *flow)
{
	if (!flow->is_started || flow->error ||
	    (!flow->can_read && !flow->can_write) || !control_is_possible(flow))
		return false;
	flow->nr_controls++;
	return true;
}

void stream_flow_control_done(struct stream_flow *flow)
{
	flow->nr_controls--;
}

static int data_receive(struct stream_flow *flow, uint32_t len)
{
	uint32_t half_len = flow->sizes.half_len;
	uint32_t last;

	if (!len || len > flow->nr_granted ||
	    len > half_len - flow->write_at % half_len ||
	    flow->nr_messages == flow->sizes.nr_recvs)
		return -EPROTO;
	last = (flow->first_message + flow->nr_messages) % flow->sizes.nr_recvs;
	flow->messages[last] = len;
	flow->nr_messages++;
	flow->nr_granted -= len;
	flow->nr_readable += len;
	flow->write_at = (flow->write_at + len) % (2 * half_len);
	return 0;
}

/* The length of the write decides whether the message has an entry. */
static int grant_receive(struct stream_flow *flow, uint32_t limit, uint32_t len,
			 const uint8_t *sges)
{
	struct stream_sge *target = &flow->target[flow->next_index];

	if (len != 0 && len != STREAM_SGE_LEN)
		return -EPROTO;
	if (len) {
		if (target->len)
			return -EPROTO; /* it is not used up */
		stream_sge_decode(&sges[flow->next_index * STREAM_SGE_LEN],
				  target);
		flow->next_index ^= 1;
	}
	flow->send_limit = (uint16_t)limit;
	return 0;
}

static void ctrl_receive(struct stream_flow *flow, uint32_t code)
{
	if (code == STREAM_CTRL_DISCONNECT)
		flow->can_write = false;
	if (code == STREAM_CTRL_DISCONNECT || code == STREAM_CTRL_SHUTDOWN)
		flow->can_read = false;
}

int stream_flow_receive(struct stream_flow *flow, uint32_t imm, uint32_t len,
			const uint8_t *sges)
{
	flow->is_held = false;
	switch (stream_imm_op(imm)) {
	case STREAM_DATA:
		if (stream_imm_data(imm) != len)
			return -EPROTO;
		return data_receive(flow, len);
	case STREAM_SGL:
		return grant_receive(flow, stream_imm_data(imm), len, sges);
	case STREAM_IOMAP: /* riowrite() reads the entry from memory. */
		return stream_imm_data(imm) < flow->local.nr_iomaps ? 0
								    : -EPROTO;
	case STREAM_CTRL:
		ctrl_receive(flow, stream_imm_data(imm));
		return 0;
	default:
		return -EPROTO;
	}
}

int stream_flow_receive_word(struct stream_flow *flow, uint32_t imm,
			     uint8_t *sges)
{
	uint8_t *entry = &sges[flow->next_index * STREAM_SGE_LEN];
	struct stream_sge sge;
	uint32_t len = 0;
	int ret;

	if (stream_imm_op(imm) == STREAM_DATA)
		len = stream_imm_data(imm);
	if (stream_imm_op(imm) != STREAM_SGL)
		return stream_flow_receive(flow, imm, len, sges);
	stream_sge_decode(entry, &sge);
	len = sge.len ? STREAM_SGE_LEN : 0;
	ret = stream_flow_receive(flow, imm, len, sges);
	/* The peer writes it again when it is used up. */
	if (!ret && len)
		memset(entry, 0, STREAM_SGE_LEN);
	return ret;
}

struct stream_span stream_flow_readable(const struct stream_flow *flow,
					uint32_t skip)
{
	uint32_t ring_len = 2 * flow->sizes.half_len;
	struct stream_span span = { 0 };

	if (skip >= flow->nr_readable)
		return span;
	span.at = (flow->read_at + skip) % ring_len;
	span.len = min_u32(flow->nr_readable - skip, ring_len - span.at);
	return span;
}

void stream_flow_consume(struct stream_flow *flow, uint32_t len)
{
	flow->read_at = (flow->read_at + len) % (2 * flow->sizes.half_len);
	flow->nr_readable -= len;
	flow->nr_free += len;
	flow->message_read += len;
	while (flow->nr_messages &&
	       flow->message_read >= flow->messages[flow->first_message]) {
		flow->message_read -= flow->messages[flow->first_message];
		flow->first_message =
			(flow->first_message + 1) % flow->sizes.nr_recvs;
		flow->nr_messages--;
		flow->recv_seq++;
	}
}

void stream_flow_shutdown(struct stream_flow *flow, bool read, bool write)
{
	bool ends_read = read && flow->can_read;
	bool ends_write = write && flow->can_write;

	if (ends_read)
		flow->can_read = false;
	if (ends_write)
		flow->can_write = false;
	if ((ends_read || ends_write) && !flow->can_read && !flow->can_write) {
		flow->has_ctrl = true;
		flow->ctrl = STREAM_CTRL_DISCONNECT;
	} else if (ends_write) {
		flow->has_ctrl = true;
		flow->ctrl = STREAM_CTRL_SHUTDOWN;
	}
}

void stream_flow_end(struct stream_flow *flow, int error)
{
	flow->can_read = false;
	flow->can_write = false;
	flow->has_ctrl = false;
	if (!flow->error)
		flow->error = error;
}

bool stream_flow_is_idle(const struct stream_flow *flow)
{
	return !flow->nr_outstanding && !flow->nr_controls && !flow->has_ctrl;
}
