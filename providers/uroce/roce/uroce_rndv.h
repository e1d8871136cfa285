/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rendezvous protocol for long RC messages between two processes of one host.
 * Both copy with CMA: the receiver pulls one chunk out of the sender's memory,
 * while the sender pushes the next chunk to the sink (struct uroce_sink),
 * the memory that the receiver has published for the message. A chunk is a
 * number of packets that are sent as one packet without payload. PSNs, ACKs and
 * losses are those of any message; a retransmitted packet contains its payload.
 *
 *   sender                              receiver
 *   ------                              --------
 *   first packet, with payload   -->    publishes the sink
 *   chunk 1: source address      -->    pulls chunk 1
 *   pushes chunk 2
 *   chunk 2: no address          -->    advances epsn
 *   ...
 *   last packet, with payload    -->    completion
 *
 * The requester of a READ publishes the sink when it starts the READ; the sink
 * of a WRITE is the region. The sender never pushes data that it has sent
 * before, so no message completes during a push. Before a WQE fails or a region
 * goes, the sink is withdrawn and the owner waits for a push in progress.
 *
 * The protocol is faster between CPUs without a shared cache, where data passes
 * between the caches twice if it goes through the ring. Sampling selects it.
 */
#ifndef UROCE_RNDV_H
#define UROCE_RNDV_H

#include "uroce/roce/uroce_roce.h"

struct uroce_out;

/* For shorter messages the system calls cost more than the protocol saves. */
#define UROCE_RNDV_MIN (256 * 1024)
/**
 * uroce_rndv_begin() - select the protocol of a message that starts
 *
 * Publishes the sink of a READ.
 *
 * Return: true: use rendezvous, if the peer can as well.
 */
bool uroce_rndv_begin(struct uroce_qp *qp, const struct uroce_send_wqe *wqe);

/**
 * uroce_rndv_request() - try to make a chunk of a packet of a SEND or WRITE
 * @qp: QP whose cursor is behind the packet
 * @wqe: WQE of the packet
 * @out: the packet; may become a chunk: many packets in one, without payload
 *
 * Return: number of packets that @out represents.
 */
uint32_t uroce_rndv_request(struct uroce_qp *qp,
			    const struct uroce_send_wqe *wqe,
			    struct uroce_out *out);

/**
 * uroce_rndv_response() - try to make a chunk of a READ response packet
 * @qp: the QP
 * @res: resource of the READ; next_psn is the PSN of the packet
 * @out: the packet; may become a chunk
 *
 * Return: number of packets that @out represents.
 */
uint32_t uroce_rndv_response(struct uroce_qp *qp,
			     const struct uroce_resource *res,
			     struct uroce_out *out);

/** uroce_rndv_count() - number of packets that a received one represents */
static inline uint32_t uroce_rndv_count(const struct uroce_packet *packet)
{
	return packet->nr_absent ? packet->nr_absent : 1;
}

/**
 * uroce_rndv_end() - a send WQE is about to complete
 *
 * Withdraws the sink of a READ. The duration of a success is a sample.
 */
void uroce_rndv_end(struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
		    bool failed);

/** uroce_rndv_publish_receive() - publish the receive WQE in use as a sink */
void uroce_rndv_publish_receive(struct uroce_qp *qp, uint32_t psn);

/**
 * uroce_rndv_end_receive() - withdraw the sink of the receive WQE in use
 *
 * No push is in progress: the message is complete, or uroce_rndv_withdraw()
 * was called before.
 */
void uroce_rndv_end_receive(struct uroce_qp *qp);

/**
 * uroce_rndv_withdraw() - withdraw all sinks of a QP
 *
 * Return: number of the access of the peer that is in progress, for
 * uroce_rndv_is_quiet(); 0: none.
 */
uint32_t uroce_rndv_withdraw(struct uroce_qp *qp);

/** uroce_rndv_is_quiet() - whether the access number @accesses has ended */
bool uroce_rndv_is_quiet(const struct uroce_qp *qp, uint32_t accesses);

/** uroce_rndv_give_up() - regard the access as ended, for all QPs */
void uroce_rndv_give_up(const struct uroce_qp *qp, uint32_t accesses);

/**
 * uroce_rndv_withdraw_all() - withdraw all sinks; the caller waits for pushes
 */
void uroce_rndv_withdraw_all(struct uroce_engine *engine);

/**
 * uroce_rndv_copy() - copy the payload of a chunk to resolved addresses
 * @qp: the QP
 * @packet: the chunk; its source is 0 if the sender has pushed the payload
 *
 * Return: 0, or -errno: treat the packets as lost.
 */
int uroce_rndv_copy(const struct uroce_qp *qp,
		    const struct uroce_packet *packet,
		    const struct uroce_iovecs *iovecs);

#endif
