/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One step of direct access (uroce_direct.h), for any transport between two
 * processes of this host.
 */
#ifndef UROCE_DIRECT_STEP_H
#define UROCE_DIRECT_STEP_H

#include "uroce/qp/uroce_qp.h"

struct uroce_channel;

enum uroce_direct {
	UROCE_DIRECT_NO,   /* the request must be sent */
	UROCE_DIRECT_MORE, /* a chunk is done; any thread may continue */
	UROCE_DIRECT_DONE, /* complete; qp->cur is the next request */
};

/* Progress of the oldest request of a QP. */
struct uroce_direct_state {
	uint32_t copied; /* bytes; 0: it has not begun */
	bool always;	 /* use CMA even if the application of the peer polls */
};

/**
 * uroce_direct_step() - execute a request, or a chunk of it
 * @qp: the QP; nothing is outstanding, and its state permits requests
 * @channel: of its peer
 * @wqe: its oldest request, which has not begun
 * @state: progress; the function updates it
 *
 * Return: UROCE_DIRECT_NO: the request must be sent, and its memory may have
 * received some of the bytes that sending writes again; UROCE_DIRECT_DONE: the
 * caller completes it.
 */
enum uroce_direct uroce_direct_step(const struct uroce_qp *qp,
				    struct uroce_channel *channel,
				    struct uroce_send_wqe *wqe,
				    struct uroce_direct_state *state);

/**
 * uroce_direct_do_short() - execute a short request in mapped memory
 * @qp: as for uroce_direct_step()
 *
 * Return: false: the request does not qualify; nothing has happened.
 */
bool uroce_direct_do_short(const struct uroce_qp *qp,
			   struct uroce_channel *channel,
			   const struct uroce_send_wqe *wqe);

#endif
