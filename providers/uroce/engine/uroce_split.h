/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A long message of RC between two processes of one host, copied by both: one
 * part of it is pulled out of the sender's memory by who receives, while the
 * next part is pushed by the sender to where it belongs, and so on. A part is
 * some packets of the message, which travel as one without their payload. So
 * PSNs, acknowledgements, losses and repeats are those of any message; what is
 * sent again is sent with its payload.
 *
 *   sender                              receiver
 *   ------                              --------
 *   first packet, with payload   -->    shows where the message is to land
 *   part 1: where it is          -->    pulls it
 *   pushes part 2
 *   part 2: it is there          -->    goes on
 *   ...
 *   last packet, with payload    -->    completion
 *
 * For a READ the landing is shown with the request, and for a WRITE it is the
 * region. What is pushed was never sent before, so a message cannot complete
 * while its sender pushes. A landing is hidden, and its sender waited for,
 * before a request fails or a region goes.
 *
 * It pays off where two processors share no cache: through the inbox all bytes
 * would travel twice. Which way is faster is tried out.
 */
#ifndef UROCE_SPLIT_H
#define UROCE_SPLIT_H

#include "uroce/engine/uroce_qp.h"

struct uroce_out;

/* Of shorter messages the system calls cost more than is won. */
#define UROCE_SPLIT_MIN (256 * 1024)
/**
 * uroce_split_begin() - a message of @wqe begins
 *
 * Return: whether it is to be split, as far as that depends on this side.
 */
bool uroce_split_begin(struct uroce_qp *qp, const struct uroce_send_wqe *wqe);

/**
 * uroce_split_request() - a packet of a SEND or WRITE was made
 * @qp: the QP; its cursor stands behind the packet
 * @wqe: the request
 * @out: the packet; may become some in one, without payload
 *
 * Return: how many packets it is.
 */
uint32_t uroce_split_request(struct uroce_qp *qp,
			     const struct uroce_send_wqe *wqe,
			     struct uroce_out *out);

/**
 * uroce_split_answer() - a packet of the answer to a READ was made
 * @res: of the READ; next_psn is that of the packet
 * @out: as above
 *
 * Return: as above.
 */
uint32_t uroce_split_answer(struct uroce_qp *qp,
			    const struct uroce_resource *res,
			    struct uroce_out *out);

/** uroce_split_count() - of how many packets one that was received stands for
 */
static inline uint32_t uroce_split_count(const struct uroce_packet *packet)
{
	return packet->nr_absent ? packet->nr_absent : 1;
}

/** uroce_split_end() - a send request is about to complete */
void uroce_split_end(struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
		     bool failed);

/** uroce_split_show_receive() - the first packet has met a receive request */
void uroce_split_show_receive(struct uroce_qp *qp, uint32_t psn);

/** uroce_split_end_receive() - the receive request is about to complete */
void uroce_split_end_receive(struct uroce_qp *qp, bool failed);

/** uroce_split_hide() - no landing of a QP is shown any more; waits */
void uroce_split_hide(struct uroce_qp *qp);

/** uroce_split_hide_all() - a region may go; the caller waits */
void uroce_split_hide_all(struct uroce_engine *engine);

/**
 * uroce_split_take() - the payload of some packets that are without
 * @packet: them
 * @pieces: where it belongs
 *
 * Return: 0, or -errno: as if they were lost.
 */
int uroce_split_take(const struct uroce_qp *qp,
		     const struct uroce_packet *packet,
		     const struct uroce_pieces *pieces);

#endif
