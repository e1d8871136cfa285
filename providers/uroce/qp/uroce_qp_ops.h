/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of roce/ that qp/ calls: the protocol with its packets, PSNs and
 * timers. The only implementation is uroce_roce.c; the pointers keep qp/ free
 * of roce/, which includes and calls qp/. The protocol reports events by the
 * functions of uroce_completion.h, and by uroce_qp_fault() and
 * uroce_qp_event().
 *
 * All functions need the engine lock, and none of them blocks.
 */
#ifndef UROCE_QP_OPS_H
#define UROCE_QP_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

struct uroce_qp;
struct uroce_send_wqe;

struct uroce_qp_ops {
	/*
	 * prepare() - allocate what new attributes need, before they are set;
	 * 0 or -ENOMEM
	 */
	int (*prepare)(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
		       int mask);
	/*
	 * start_receive() - INIT to RTR, and to RESET: expect the message with
	 * the PSN qp->rq_psn. Before RTR it sets qp->mtu
	 */
	void (*start_receive)(struct uroce_qp *qp);
	/*
	 * start_send() - RTR to RTS, and to RESET: the next message has the PSN
	 * qp->sq_psn
	 */
	void (*start_send)(struct uroce_qp *qp);
	/* wake() - WQEs of the send queue may be sent now */
	void (*wake)(struct uroce_qp *qp);
	/*
	 * stop() - the QP is in SQE or ERR: send no request, wait for no
	 * response; in ERR, receive no message either
	 */
	void (*stop)(struct uroce_qp *qp);
	/*
	 * withdraw() - end the permission of peers to access memory of work
	 * requests. Returns the number of an access that is in progress; 0:
	 * none
	 */
	uint32_t (*withdraw)(struct uroce_qp *qp);
	/* is_quiet() - whether the access @accesses of withdraw() has ended */
	bool (*is_quiet)(const struct uroce_qp *qp, uint32_t accesses);
	/* give_up() - regard that access as ended, for all QPs */
	void (*give_up)(const struct uroce_qp *qp, uint32_t accesses);
	/* set_timer() - call uroce_qp_check_quiet() at this time, in ns */
	void (*set_timer)(struct uroce_qp *qp, uint64_t at_ns);
	/* cancel_responses() - send no more data of memory that peers read */
	void (*cancel_responses)(struct uroce_qp *qp);
	/* detach() - RESET: forget the peer and free what prepare() allocated
	 */
	void (*detach)(struct uroce_qp *qp);
	/* end_send() - @wqe, the oldest one, is about to complete */
	void (*end_send)(struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
			 bool failed);
	/* end_receive() - qp->receive is about to complete */
	void (*end_receive)(struct uroce_qp *qp);
	/*
	 * migration_changed() - qp->mig_state has; @moved: and the path
	 */
	void (*migration_changed)(struct uroce_qp *qp, bool moved);
	/*
	 * query() - set rq_psn, sq_psn, sq_draining and rate_limit as they are
	 * now
	 */
	void (*query)(const struct uroce_qp *qp, struct ibv_qp_attr *attr);
};

#endif
