/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Wire headers of tag matching, for applications that build tag-matching
 * messages in software (see ibv_create_srq_ex(3), IBV_SRQT_TM). A message
 * begins with a struct ibv_tmh; a rendezvous request continues with a
 * struct ibv_rvh. All fields are in network byte order.
 */
#ifndef _TM_TYPES_H
#define _TM_TYPES_H

#include <stdint.h>

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kind of message: ibv_tmh.opcode. */
enum ibv_tmh_op {
	IBV_TMH_NO_TAG = 0, /* not subject to matching */
	IBV_TMH_RNDV = 1,   /* rendezvous: the receiver reads the payload */
	IBV_TMH_FIN = 2, /* end of a rendezvous; the sender's buffer is free */
	IBV_TMH_EAGER = 3, /* the payload follows */
};

/* Tag matching header. */
struct ibv_tmh {
	uint8_t opcode;	     /* enum ibv_tmh_op */
	uint8_t reserved[3]; /* 0 */
	__be32 app_ctx;	     /* delivered to the receiver untouched */
	__be64 tag;
};

/* Rendezvous header: where the receiver finds the payload. */
struct ibv_rvh {
	__be64 va;
	__be32 rkey;
	__be32 len; /* bytes */
};

#ifdef __cplusplus
}
#endif

#endif /* _TM_TYPES_H */
