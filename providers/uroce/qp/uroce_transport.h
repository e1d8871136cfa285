/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A transport: how the messages of a QP travel. qp/ has everything that does
 * not depend on it, and calls these functions. A transport reports what happens
 * by the functions of uroce_completion.h, and by uroce_qp_fault() and
 * uroce_qp_event().
 *
 * All functions need the engine lock, and none of them blocks.
 */
#ifndef UROCE_TRANSPORT_H
#define UROCE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

struct uroce_qp;
struct uroce_send_wqe;
struct uroce_transport_ops;

/* A transport that a worker polls; the first member of its own state. */
struct uroce_transport_base {
	const struct uroce_transport_ops *ops;
};

struct uroce_transport_ops {
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
	/* query() - set rq_psn, sq_psn and sq_draining as they are now */
	void (*query)(const struct uroce_qp *qp, struct ibv_qp_attr *attr);

	/*
	 * The rest is NULL in the RoCE transport: the worker knows its engine.
	 *
	 * post() - WQEs were added: send what can be sent now, and leave the
	 * rest in the send queue until progress()
	 */
	void (*post)(struct uroce_qp *qp);
	/* owes() - whether a response of the QP waits for room or a pass */
	bool (*owes)(const struct uroce_qp *qp);
	/*
	 * poll() - receive and send, without the time and without system calls
	 * unless a peer sleeps. Returns the number of messages received
	 */
	unsigned int (*poll)(struct uroce_transport_base *transport);
	/*
	 * progress() - likewise, and expire timers. @now: ns, never older than
	 * the last one; @receive: false: only send and expire
	 */
	unsigned int (*progress)(struct uroce_transport_base *transport,
				 uint64_t now, bool receive);
	/*
	 * flush() - send deferred responses now. Returns whether all have found
	 * room
	 */
	bool (*flush)(struct uroce_transport_base *transport);
	/*
	 * deadline() - when progress() has something to do even if nothing
	 * arrives: in ns, 0: now, or UROCE_NEVER
	 */
	uint64_t (*deadline)(const struct uroce_transport_base *transport);
	/*
	 * arm() - peers ring the doorbell from now on. Returns whether a
	 * message is there already: then do not sleep
	 */
	bool (*arm)(struct uroce_transport_base *transport, bool on);
	/* close() - free it; no QP uses it */
	void (*close)(struct uroce_transport_base *transport);
};

#endif
