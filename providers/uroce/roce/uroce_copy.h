/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The payload of a received packet: its copy to the destination, and the ICRC
 * verification. Received data is copied only once. And the payload of a packet
 * to send, if it is in an on-demand region.
 */
#ifndef UROCE_COPY_H
#define UROCE_COPY_H

#include "uroce/qp/uroce_qp.h"
#include "uroce/qp/uroce_sge.h"
#include "uroce/roce/uroce_roce.h"
#include "uroce/wire/uroce_packet.h"

/**
 * uroce_copy_in() - copy the payload of a packet to resolved addresses
 * @qp: the QP; in chaos mode, the data is stored later
 * @iovecs: the addresses
 * @packet: a SEND, a WRITE or a READ response; a pending ICRC verification is
 * done during the copy
 * @in_order: the packets of the message are stored in order and in one region,
 * so data for an on-demand region may be stored with a later packet of the
 * message, by the last one at the latest
 *
 * The addresses are those of as many bytes as the payload has.
 *
 * Return: 0; -EBADMSG: the ICRC is wrong; -EFAULT: a page of an on-demand
 * region is invalid, for this packet or for an earlier one whose data was
 * gathered. The memory may have been written to even then, so its contents must
 * be undefined before the call.
 */
int uroce_copy_in(struct uroce_qp *qp, const struct uroce_iovecs *iovecs,
		  struct uroce_packet *packet, bool in_order);

/**
 * uroce_gather_store() - store the data that uroce_copy_in() has gathered
 * @gather: of the requests or the responses of @qp
 *
 * Return: 0, also without data; -EFAULT: a page is invalid, and the caller
 * fails the message in progress, to which the data belongs.
 */
int uroce_gather_store(struct uroce_qp *qp, struct uroce_gather *gather);

/** uroce_gather_drop() - forget all gathered data of a QP */
void uroce_gather_drop(struct uroce_qp *qp);

/**
 * uroce_copy_bytes() - copy other bytes than a payload to resolved addresses
 *
 * Return: 0, or -EFAULT: a page of an on-demand region is invalid.
 */
int uroce_copy_bytes(const struct uroce_iovecs *iovecs, const uint8_t *from);

/**
 * uroce_copy_out() - copy the payload of a packet or a run from on-demand
 * regions
 * @iovecs: its addresses; receives that of the copy
 * @copy: receives the payload; UROCE_MAX_COPIED_RUN bytes
 *
 * Return: 0, or -EFAULT: a page is invalid.
 */
int uroce_copy_out(struct uroce_iovecs *iovecs, uint8_t *copy);

/**
 * uroce_packet_check() - verify the ICRC of a packet if that is still pending
 *
 * Return: 0, or -EBADMSG.
 */
int uroce_packet_check(struct uroce_packet *packet);

#endif
