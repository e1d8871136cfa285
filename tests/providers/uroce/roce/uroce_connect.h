/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The states of a QP from RESET to RTS, as ibv_modify_qp() sets them. */
#ifndef UROCE_CONNECT_H
#define UROCE_CONNECT_H

#include "uroce/roce/uroce_engine.h"

#define CONNECT_ALL_RIGHTS                                   \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND | IBV_ACCESS_FLUSH_GLOBAL)

struct connect_options {
	enum ibv_mtu mtu;
	uint32_t rq_psn, sq_psn;
	uint32_t dest_qpn;
	uint8_t rd_atomic; /* in both directions */
	uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
	struct uroce_channel *channel; /* NULL: the network */
};

/* Returns 0, or the error of uroce_qp_modify(). UD needs no peer. */
int connect_to_peer(struct uroce_qp *qp, const struct connect_options *options,
		    const struct uroce_path *path, uint64_t now);

#endif
