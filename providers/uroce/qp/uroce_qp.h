/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A queue pair: what does not depend on packets. verbs/ creates it through
 * roce/uroce_engine.h; outside of qp/ and roce/ it is only read.
 */
#ifndef UROCE_QP_H
#define UROCE_QP_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "uroce/qp/uroce_core.h"
#include "uroce/qp/uroce_cq_ring.h"
#include "uroce/qp/uroce_qp_ops.h"
#include "uroce/qp/uroce_qp_state.h"
#include "uroce/qp/uroce_sge.h"
#include "uroce/qp/uroce_wqe.h"
#include "uroce/wire/uroce_address.h"
#include "util/list.h"

#define UROCE_NEVER UINT64_MAX /* no deadline */

#define UROCE_NR_COUNTED_OPS 6 /* of enum ibv_qp_attach_comp_cntr_op */

/* Copy of the receive WQE in use; other QPs continue to use the SRQ. */
struct uroce_receive {
	bool in_use; /* a receive WQE is in use */
	uint64_t wr_id;
	uint32_t length;
	uint32_t nr_sge;
	struct ibv_sge sge[UROCE_MAX_SGE];
};

/* Which work request completes with an error; all others are flushed. */
enum uroce_fault_side {
	UROCE_FAULT_NONE,
	UROCE_FAULT_SQ, /* the oldest send WQE */
	UROCE_FAULT_RQ, /* the receive WQE in use */
	UROCE_FAULT_QP, /* none */
};

/* Why a QP fails. uroce_qp_fault() records it, and nothing else happens. */
struct uroce_fault {
	uint8_t side;	/* enum uroce_fault_side */
	uint8_t status; /* enum ibv_wc_status of the work request */
	bool fatal;	/* ERR, also if a send of a UC or UD QP fails */
};

/*
 * Wait until the peer no longer accesses memory that was withdrawn; only then
 * are work requests completed, because the application may reuse the memory.
 */
struct uroce_quiesce {
	uint32_t accesses; /* of uroce_qp_ops.withdraw(); 0: no wait */
	uint64_t until_ns; /* then the wait is given up */
};

/* The side of an XRC connection; the other QP types have both. */
enum uroce_xrc_side {
	UROCE_XRC_NONE,
	UROCE_XRC_INITIATOR, /* IBV_QPT_XRC_SEND: no responder */
	UROCE_XRC_TARGET,    /* IBV_QPT_XRC_RECV: no requester */
};

/* The second path of a QP; uroce_migration.h. */
struct uroce_alternate {
	bool loaded;  /* there is one */
	bool refused; /* IBV_EVENT_PATH_MIG_ERR was raised since REARM */
	uint8_t timeout;
	struct ibv_ah_attr ah_attr;
	struct uroce_path path;
};

struct uroce_comp_cntr;
struct uroce_roce;

struct uroce_qp {
	/* Used for each message. */
	uint32_t qpn;
	uint32_t dest_qpn;
	uint8_t type;  /* enum ibv_qp_type; RC also for XRC */
	uint8_t state; /* enum ibv_qp_state; qp/ writes it; atomic */
	bool sig_all;
	uint8_t xrc; /* enum uroce_xrc_side */
	uint16_t pkey;
	uint16_t mtu; /* maximum payload of a packet, bytes */
	uint32_t pd;
	uint32_t qkey;
	unsigned int access;	  /* enum ibv_access_flags */
	struct uroce_fault fault; /* until it has been applied */
	uint8_t counted_ops;	  /* enum ibv_qp_attach_comp_cntr_op */
	uint8_t mig_state;	  /* enum ibv_mig_state */
	struct uroce_core *core;
	const struct uroce_qp_ops *ops;
	struct uroce_roce *roce; /* its state in the RoCE protocol */

	struct uroce_ring sq; /* verbs/ adds WQEs, roce/ removes them */
	uint32_t cur; /* index in the send ring: first WQE not fully sent */
	struct uroce_rq *rq; /* own or shared; XRC target: of the message */
	struct uroce_receive receive;
	struct uroce_cq *send_cq, *recv_cq;

	/* Attributes as set; the others are next to the code that uses them. */
	uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
	uint8_t max_rd_atomic, max_dest_rd_atomic;
	uint8_t path_mtu; /* enum ibv_mtu */
	uint8_t port_num;
	uint32_t rq_psn, sq_psn;
	/* RESET keeps these two, since messages of the peer may still arrive.
	 */
	bool was_connected; /* the QP was in RTR */
	uint8_t longest_timeout;
	bool sqd_notify;
	struct ibv_ah_attr ah_attr; /* as the application gave it */
	struct uroce_path path;	    /* of packets to the peer */
	struct uroce_alternate alternate;

	struct list_node faulted; /* in the QPs whose fault is not applied */
	struct uroce_quiesce quiesce;

	/* Asynchronous events for the worker: 1 << enum ibv_event_type. */
	uint32_t events;
	bool in_events;
	struct uroce_qp *next_event;
	const void *xrc_domain;	    /* XRC target: of its SRQs */
	struct list_node xrc_entry; /* XRC target: in struct uroce_xrc */
	struct uroce_comp_cntr *comp_cntrs[UROCE_NR_COUNTED_OPS];
	void *owner; /* object of verbs/; the core only stores it */
};

/** uroce_qp_state() - return the state of a QP; any thread */
static inline enum ibv_qp_state uroce_qp_state(const struct uroce_qp *qp)
{
	return (enum ibv_qp_state)__atomic_load_n(&qp->state, __ATOMIC_RELAXED);
}

/** uroce_qp_is_stopped() - whether a fault waits until it can be applied */
static inline bool uroce_qp_is_stopped(const struct uroce_qp *qp)
{
	return qp->fault.side != UROCE_FAULT_NONE;
}

/** uroce_qp_is_running() - whether a QP is in RTS and has no fault */
static inline bool uroce_qp_is_running(const struct uroce_qp *qp)
{
	return qp->state == IBV_QPS_RTS && !uroce_qp_is_stopped(qp);
}

/** uroce_qp_tell() - publish the state of a QP, which may have changed */
void uroce_qp_tell(const struct uroce_qp *qp);

/**
 * uroce_qp_modify() - change attributes and state
 * @qp: the QP
 * @attr: new attributes
 * @mask: enum ibv_qp_attr_mask of the valid members of @attr
 * @max_mtu: MTU of the port
 * @paths: for attr->ah_attr and attr->alt_ah_attr; one is ignored without
 * IBV_QP_AV, the other one without IBV_QP_ALT_PATH
 * @now: ns
 *
 * Return: 0, -ENOMEM, or what uroce_qp_state_check() or
 * uroce_migration_check() returns.
 */
int uroce_qp_modify(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
		    int mask, enum ibv_mtu max_mtu,
		    const struct uroce_path *paths, uint64_t now);

/** uroce_qp_query() - read all attributes but cap; with the engine lock */
void uroce_qp_query(const struct uroce_qp *qp, struct ibv_qp_attr *ret_attr);

/** uroce_qp_event() - raise an asynchronous event of the QP */
void uroce_qp_event(struct uroce_qp *qp, enum ibv_event_type event);

/**
 * uroce_qp_fault() - record that a QP fails
 * @qp: the QP; nothing happens if it has a fault already or is in ERR
 * @side: which work request fails
 * @status: status of its completion; ignored for UROCE_FAULT_QP
 *
 * The QP then sends no request and accepts no packet, but still sends a NAK.
 * uroce_core_apply_faults() applies it later: packets that are not sent yet may
 * point to memory of the work requests.
 */
__attribute__((cold)) void uroce_qp_fault(struct uroce_qp *qp,
					  enum uroce_fault_side side,
					  enum ibv_wc_status status);

/** uroce_qp_check_quiet() - complete the work requests if the peer is quiet */
void uroce_qp_check_quiet(struct uroce_qp *qp, uint64_t now);

/** uroce_qp_flush() - flush WQEs that were posted after the failure */
void uroce_qp_flush(struct uroce_qp *qp);

#endif
