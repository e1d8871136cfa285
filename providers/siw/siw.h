/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of the soft-iWARP provider, and the functions that its files share:
 * one file per verbs object. The data path is in siw_post.c, siw_wr.c,
 * siw_cq.c and siw_cq_ex.c. The op table is in siw_provider.c, the rings
 * shared with the kernel are in siw_ring.h.
 *
 * Locks. All are spinlocks, because each covers only a few stores:
 *  - siw_wq.lock protects a send, receive or shared receive queue and, for a
 *    send queue, the state of an open ibv_wr_start() section. The doorbell
 *    command is sent after the lock has been released.
 *  - siw_cq.lock protects the ring of a CQ. It is held from ibv_start_poll()
 *    to ibv_end_poll(). An application may post in between, so a thread that
 *    holds the lock of a queue never takes siw_cq.lock.
 *  - siw_flushed.lock protects the CQEs that the library generates. A thread
 *    may hold any of the other locks when it takes this one, and takes no
 *    other lock while it holds it.
 */
#ifndef SIW_H
#define SIW_H

#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <provider/provider.h>
#include <pthread.h>
#include <rdma/siw-abi.h>
#include <stdbool.h>
#include <stdint.h>

#include "siw/siw_ring.h"

/* CQEs that the library generates instead of the kernel: siw_flush.c. */
struct siw_flushed {
	pthread_spinlock_t lock;
	struct siw_cqe *cqes; /* as many as in the kernel's ring */
	uint32_t head;	      /* free running; next CQE to return */
	uint32_t nr;	      /* also read without the lock */
};

struct siw_cq {
	struct verbs_cq vcq;
	struct siw_ring ring; /* of struct siw_cqe, then one siw_cq_ctrl */
	struct siw_cq_ctrl *ctrl;
	pthread_spinlock_t lock; /* ring, current */
	bool single_threaded;	 /* one thread at a time: no lock is taken */
	/* Between start_poll and end_poll: copy of the CQE being read. */
	struct siw_cqe current;
	struct siw_flushed flushed;
};

/* A work queue. */
struct siw_wq {
	struct siw_ring ring; /* of struct siw_sqe or siw_rqe */
	pthread_spinlock_t lock;
	uint32_t max_sge;
	/* The QP when it is in ERR: work requests complete at once. Or NULL. */
	struct siw_qp *failed;
};

struct siw_srq {
	struct verbs_srq vsrq;
	struct siw_wq rq;
};

struct siw_qp {
	struct verbs_qp vqp;
	struct siw_wq sq;
	struct siw_wq rq;    /* no ring when the QP has an SRQ */
	uint32_t max_inline; /* bytes */
	bool signal_all;     /* sq_sig_all */
	/*
	 * WQEs of the send ring whose doorbell failed, as free-running indices.
	 * post_send has reported them as not posted.
	 */
	uint32_t refused_from, refused_to;

	/* An open ibv_wr_start() section; protected by sq.lock. */
	uint32_t wr_next;	/* index of the next free slot */
	struct siw_sqe *wr_sqe; /* WQE that setters fill, or NULL */
	uint16_t *wr_flags;	/* one per slot; NULL: no ibv_wr_*() */
	int wr_err;		/* positive errno that ends the section */
};

static inline struct siw_cq *to_siw_cq(struct ibv_cq *cq)
{
	return verbs_container_of(cq, struct siw_cq, vcq.cq);
}

static inline struct siw_cq *to_siw_cq_ex(struct ibv_cq_ex *cq)
{
	return verbs_container_of(cq, struct siw_cq, vcq.cq_ex);
}

static inline struct siw_srq *to_siw_srq(struct ibv_srq *srq)
{
	return verbs_container_of(srq, struct siw_srq, vsrq.srq);
}

static inline struct siw_qp *to_siw_qp(struct ibv_qp *qp)
{
	return verbs_container_of(qp, struct siw_qp, vqp.qp);
}

static inline struct siw_qp *to_siw_qp_ex(struct ibv_qp_ex *qp)
{
	return verbs_container_of(qp, struct siw_qp, vqp.qp_ex);
}

static inline void siw_cq_lock(struct siw_cq *cq)
{
	if (!cq->single_threaded)
		(void)pthread_spin_lock(&cq->lock); /* fails on misuse only */
}

static inline void siw_cq_unlock(struct siw_cq *cq)
{
	if (!cq->single_threaded)
		(void)pthread_spin_unlock(&cq->lock);
}

/* -- siw_mr.c -- */

int siw_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
	       int access, struct ibv_mr **ret_mr);

/* -- siw_cq.c -- */

int siw_create_cq(struct ibv_context *ctx,
		  const struct ibv_cq_init_attr_ex *attr, bool extended,
		  struct verbs_cq **ret_vcq);
int siw_destroy_cq(struct ibv_cq *cq);
int siw_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int siw_req_notify_cq(struct ibv_cq *cq, int solicited_only);

/* -- siw_cq_ex.c -- */

/* Completion fields that an extended CQ supports. */
#define SIW_WC_FLAGS IBV_WC_STANDARD_FLAGS

/** siw_cq_ex_init() - set the poll and read functions of an extended CQ */
void siw_cq_ex_init(struct ibv_cq_ex *cq);

/* -- siw_flush.c -- */

/**
 * siw_flushed_init() - prepare the list of generated CQEs
 * @cq: its ring is mapped
 *
 * Return: 0; or -errno, then nothing stays allocated.
 */
int siw_flushed_init(struct siw_cq *cq);

/** siw_flushed_fini() - undo siw_flushed_init() */
void siw_flushed_fini(struct siw_cq *cq);

/** siw_flushed_take() - remove the oldest generated CQE, if there is one */
bool siw_flushed_take(struct siw_cq *cq, struct siw_cqe *ret_cqe);

/**
 * siw_flush_sends() - complete WQEs of the send ring with WR_FLUSH_ERR
 * @first: index of the first WQE
 * @nr: number of WQEs
 *
 * Context: the caller holds sq.lock.
 * Return: 0; or ENOMEM when the CQ has no room for all of them, then none is
 * completed.
 */
int siw_flush_sends(struct siw_qp *qp, uint32_t first, uint32_t nr);

/**
 * siw_flush_recv() - complete a receive work request with WR_FLUSH_ERR
 * @id: wr_id of the work request
 *
 * Return: 0; or ENOMEM when the CQ is full.
 */
int siw_flush_recv(struct siw_qp *qp, uint64_t id);

/** siw_sq_mark_refused() - remember WQEs whose doorbell has failed */
void siw_sq_mark_refused(struct siw_qp *qp, uint32_t first, uint32_t nr);

/**
 * siw_flush_qp() - complete the WQEs of a QP that has moved to ERR
 *
 * Work requests that are posted later complete at once.
 */
void siw_flush_qp(struct siw_qp *qp);

/* -- siw_srq.c -- */

int siw_create_srq(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr,
		   struct verbs_srq **ret_vsrq);
int siw_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		   int attr_mask);
int siw_destroy_srq(struct ibv_srq *srq);

/* -- siw_qp.c -- */

int siw_create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
		  struct verbs_qp **ret_vqp);
int siw_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int siw_destroy_qp(struct ibv_qp *qp);

/* -- siw_post.c -- */

int siw_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr);
int siw_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr);
int siw_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr);

/* -- siw_wr.c -- */

/* Operations that a QP with ibv_wr_*() supports. */
#define SIW_SEND_OPS                                          \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_INV | \
	 IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ)

/**
 * siw_wr_init() - set the ibv_wr_*() functions of a QP
 * @qp: its send ring is mapped; siw_qp.c frees wr_flags
 *
 * Return: 0 or -ENOMEM.
 */
int siw_wr_init(struct siw_qp *qp);

#endif
