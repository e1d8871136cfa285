/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stream protocol of one connection: what may be sent, which memory of the
 * peer it goes to, what was received, and which space the peer is granted. It
 * performs no I/O: messages to send are results, messages that arrived and
 * completions are arguments. The caller provides locking.
 *
 * Each message is an RDMA write with immediate data; on iWARP, which has no
 * immediate data, a write and a message of one word. DATA messages go to one of
 * two entries that the peer grants alternately, and have a sequence number
 * below the peer's limit. All other messages are control messages.
 */
#ifndef RSOCKET_STREAM_FLOW_H
#define RSOCKET_STREAM_FLOW_H

#include "rsocket/stream_wire.h"

/* Control messages that may be outstanding */
#define STREAM_MAX_CONTROLS 4
/* The first DATA message of a call, and the longest one */
#define STREAM_FIRST_MESSAGE 2048
#define STREAM_MAX_MESSAGE   65536

struct stream_sizes {
	uint32_t half_len; /* of the receive buffer */
	uint32_t send_len; /* send buffer, >= STREAM_FIRST_MESSAGE */
	uint16_t
		nr_recvs; /* DATA messages that the peer may have outstanding */
	uint32_t nr_sends; /* outstanding writes, without control messages */
};

/* An RDMA write that the caller must post. */
struct stream_message {
	uint64_t remote_address;
	uint32_t rkey;
	uint32_t imm; /* host order */
	uint32_t len;
	uint32_t send_at;		   /* DATA: offset in the send buffer */
	uint8_t payload[STREAM_IOMAP_LEN]; /* of a control message */
};

/* A part of the receive buffer */
struct stream_span {
	uint32_t at;
	uint32_t len;
};

/* Members are private to stream_flow.c, but for tests. */
struct stream_flow {
	struct stream_sizes sizes;
	struct stream_setup local, peer;
	bool is_started;
	bool is_held; /* nothing is sent before the first message arrives */
	/* Sending */
	struct stream_sge target[STREAM_NR_SGES];
	unsigned int target_index; /* the entry in use */
	unsigned int next_index;   /* the entry that the peer writes next */
	uint16_t send_seq, send_limit;
	uint32_t nr_outstanding;
	uint32_t send_at, send_used; /* ring of sizes.send_len bytes */
	unsigned int nr_controls;    /* outstanding */
	bool has_ctrl;		     /* ctrl waits for a control slot */
	enum stream_ctrl ctrl;
	/* Receiving */
	uint32_t *messages; /* ring of sizes.nr_recvs lengths */
	uint32_t first_message, nr_messages;
	uint32_t message_read;	    /* consumed bytes of the first message */
	uint32_t write_at, read_at; /* in the receive buffer */
	uint32_t nr_readable;	    /* bytes */
	uint32_t nr_granted;	    /* bytes that the peer may still write */
	uint32_t nr_free;	    /* bytes that can be granted */
	unsigned int grant_index;   /* the entry, and the half, of the next */
	uint16_t recv_seq;	    /* consumed messages */
	uint16_t granted_seq;	    /* recv_seq in the last grant */
	/* State */
	bool can_read; /* the peer may send more data */
	bool can_write;
	int error; /* of the connection, -errno */
};

/**
 * stream_flow_init() - initialize the protocol before the connection exists
 * @messages: array of @sizes->nr_recvs, which the caller frees
 */
void stream_flow_init(struct stream_flow *flow,
		      const struct stream_sizes *sizes, uint32_t *messages);

/**
 * stream_flow_start() - begin with the setup data of both sides
 *
 * The peer may write to the first half of the receive buffer from now on.
 */
void stream_flow_start(struct stream_flow *flow,
		       const struct stream_setup *local,
		       const struct stream_setup *peer);

/**
 * stream_flow_hold() - send nothing before the first message of the peer
 *
 * On iWARP the active side sends first: it ends a connection whose peer sends
 * before it has handled the reply (RFC 5044, section 7.1.2). It grants the
 * second half of its receive buffer at once, so its first message does not
 * depend on the application.
 */
void stream_flow_hold(struct stream_flow *flow);

/** stream_flow_can_send() - whether a DATA message can be sent now */
bool stream_flow_can_send(const struct stream_flow *flow);

/**
 * stream_flow_take_data() - begin a DATA message
 * @wanted: bytes to send, > 0
 * @max: the longest message
 * @is_inline: the message needs no space in the send buffer if it is complete
 *
 * The caller copies the data to the send buffer, whose end the message may
 * cross, unless the data is inline.
 *
 * Return: whether there is a message.
 */
bool stream_flow_take_data(struct stream_flow *flow, size_t wanted,
			   uint32_t max, bool is_inline,
			   struct stream_message *ret_message);

/**
 * stream_flow_take_write() - reserve a write without a message
 *
 * Like stream_flow_take_data(), for data whose remote address the caller knows;
 * only len and send_at of @ret_message are set.
 */
bool stream_flow_take_write(struct stream_flow *flow, size_t wanted,
			    uint32_t max, bool is_inline,
			    struct stream_message *ret_message);

/**
 * stream_flow_data_done() - a write has completed
 * @len: bytes in the send buffer, 0 if the data was inline
 */
void stream_flow_data_done(struct stream_flow *flow, uint32_t len);

/**
 * stream_flow_take_control() - the next control message that is due
 *
 * Return: whether there is one, and a slot for it.
 */
bool stream_flow_take_control(struct stream_flow *flow,
			      struct stream_message *ret_message);

/** stream_flow_take_iomap() - a control message with an entry for the peer
 * @index: below the number of the peer's entries
 */
bool stream_flow_take_iomap(struct stream_flow *flow, uint32_t index,
			    const struct stream_iomap *iomap,
			    struct stream_message *ret_message);

/** stream_flow_take_keepalive() - reserve a write without data and message
 *
 * It completes like a control message.
 *
 * Return: whether there is a slot for it.
 */
bool stream_flow_take_keepalive(struct stream_flow *flow);

/** stream_flow_control_done() - a control message has completed */
void stream_flow_control_done(struct stream_flow *flow);

/**
 * stream_flow_receive() - a message of the peer has arrived
 * @len: bytes that the RDMA write has written
 * @sges: the STREAM_NR_SGES entries that the peer writes
 *
 * Return: 0; -EPROTO if the peer violates the protocol.
 */
int stream_flow_receive(struct stream_flow *flow, uint32_t imm, uint32_t len,
			const uint8_t *sges);

/**
 * stream_flow_receive_word() - the same on iWARP
 *
 * The length of the write is not known, so a grant has an entry if its memory
 * is not zero; this function clears it.
 */
int stream_flow_receive_word(struct stream_flow *flow, uint32_t imm,
			     uint8_t *sges);

/**
 * stream_flow_readable() - received bytes
 * @skip: bytes to leave out, of a reader that does not consume
 *
 * Return: the longest contiguous span; its length is 0 if there is no more.
 */
struct stream_span stream_flow_readable(const struct stream_flow *flow,
					uint32_t skip);

/** stream_flow_consume() - @len: bytes, at most the readable ones */
void stream_flow_consume(struct stream_flow *flow, uint32_t len);

/**
 * stream_flow_shutdown() - end sending, receiving or both
 * @read, @write: which
 *
 * A control message may become due.
 */
void stream_flow_shutdown(struct stream_flow *flow, bool read, bool write);

/** stream_flow_end() - the connection has ended
 * @error: 0 or -errno
 */
void stream_flow_end(struct stream_flow *flow, int error);

/** stream_flow_is_idle() - whether all messages have completed */
bool stream_flow_is_idle(const struct stream_flow *flow);

#endif
