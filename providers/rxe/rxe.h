/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of the soft-RoCE provider, and the functions that its files share:
 * one file per verbs object. The data path is in rxe_post.c, rxe_wr.c and the
 * poll functions of rxe_cq.c and rxe_cq_ex.c. The op table is in
 * rxe_provider.c.
 *
 * Locks. All are spinlocks, because each covers only a few stores:
 *  - rxe_wq.lock protects the ring of a send, receive or shared receive queue
 *    and, for a send queue, the state of an open ibv_wr_start() section. The
 *    doorbell command is sent after the lock has been released.
 *  - rxe_cq.lock protects the ring of a CQ. It is held from ibv_start_poll()
 *    to ibv_end_poll(), unless the CQ is single-threaded.
 * No thread holds two of these locks at once. Resizing a CQ or SRQ keeps the
 * lock during the command: no thread may use the old ring while the kernel
 * moves its elements to the new one.
 */
#ifndef RXE_H
#define RXE_H

#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <provider/provider.h>
#include <pthread.h>
#include <rdma/rdma_user_rxe.h>
#include <stdbool.h>
#include <stdint.h>

#include "rxe/rxe_queue.h"

struct rxe_context {
	struct verbs_context base;
	/*
	 * device_cap_flags_ex, queried when a work request first depends on
	 * it; 0 until then. Atomic.
	 */
	uint64_t caps;
};

struct rxe_ah {
	struct ibv_ah ah;
	uint32_t ah_num; /* from the kernel; 0: before 5.16, av is used */
	struct rxe_av av;
};

struct rxe_cq {
	/* Protects ring and current. First: see rxe_cq_lock_and_poll(). */
	pthread_spinlock_t lock;
	struct verbs_cq vcq;
	struct rxe_ring ring;
	/* Between start_poll and end_poll: the CQE being read, in the ring. */
	struct ib_uverbs_wc *current;
};

/* A work queue. */
struct rxe_wq {
	struct rxe_ring ring;
	pthread_spinlock_t lock; /* see the opening comment */
	uint32_t max_sge;
	uint32_t max_inline; /* bytes; send queues */
};

struct rxe_srq {
	struct verbs_srq vsrq;
	struct rxe_wq rq;
};

struct rxe_qp {
	struct verbs_qp vqp;
	struct rxe_wq sq;
	struct rxe_wq rq; /* no ring when the QP has an SRQ */
	uint32_t opcodes; /* opcodes the QP may post: 1 << enum ibv_wr_opcode */
	uint32_t ssn;	  /* sequence number of the next send WQE */

	/* An open ibv_wr_start() section; protected by sq.lock. */
	uint32_t wr_next;	     /* index of the next free slot */
	struct rxe_send_wqe *wr_wqe; /* WQE that setters fill, or NULL */
	uint32_t wr_opcodes;	     /* subset of opcodes that may follow now */
	int wr_err;		     /* positive errno that ends the section */
	bool wr_needs_ud_addr;	     /* UD: wr_set_ud_addr() is missing */
	bool wr_has_bind; /* an mw->rkey has changed: see rxe_wqe.h */
};

static inline struct rxe_context *to_rxe_context(struct ibv_context *ctx)
{
	return verbs_container_of(ctx, struct rxe_context, base.context);
}

static inline struct rxe_ah *to_rxe_ah(struct ibv_ah *ah)
{
	return verbs_container_of(ah, struct rxe_ah, ah);
}

static inline struct rxe_cq *to_rxe_cq(struct ibv_cq *cq)
{
	return verbs_container_of(cq, struct rxe_cq, vcq.cq);
}

static inline struct rxe_cq *to_rxe_cq_ex(struct ibv_cq_ex *cq)
{
	return verbs_container_of(cq, struct rxe_cq, vcq.cq_ex);
}

static inline struct rxe_srq *to_rxe_srq(struct ibv_srq *srq)
{
	return verbs_container_of(srq, struct rxe_srq, vsrq.srq);
}

static inline struct rxe_qp *to_rxe_qp(struct ibv_qp *qp)
{
	return verbs_container_of(qp, struct rxe_qp, vqp.qp);
}

static inline struct rxe_qp *to_rxe_qp_ex(struct ibv_qp_ex *qp)
{
	return verbs_container_of(qp, struct rxe_qp, vqp.qp_ex);
}

/* -- rxe_device.c -- */

/* Capability bits of operations that the first rxe drivers lack. */
#define RXE_CAP_FLUSH	     (UINT64_C(3) << 38) /* global, persistent; 6.2 */
#define RXE_CAP_ATOMIC_WRITE (UINT64_C(1) << 40) /* 6.2 */

/**
 * rxe_device_has() - test for any of the capability bits @caps
 *
 * Queries the device on the first call, and again after a failed query.
 *
 * Context: any thread; blocks.
 */
bool rxe_device_has(struct ibv_context *ctx, uint64_t caps);

/* -- rxe_mr.c -- */

int rxe_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
	       int access, struct ibv_mr **ret_mr);
int rxe_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
		      uint64_t iova, int fd, int access,
		      struct ibv_mr **ret_mr);
int rxe_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access);
int rxe_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
		  uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge);

/* -- rxe_mw.c -- */

int rxe_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		 struct ibv_mw **ret_mw);
int rxe_dealloc_mw(struct ibv_mw *mw);

/* -- rxe_ah.c -- */

int rxe_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
		  struct ibv_ah **ret_ah);
int rxe_destroy_ah(struct ibv_ah *ah);

/* -- rxe_cq.c -- */

int rxe_create_cq(struct ibv_context *ctx,
		  const struct ibv_cq_init_attr_ex *attr, bool extended,
		  struct verbs_cq **ret_vcq);
int rxe_resize_cq(struct ibv_cq *cq, int cqe);
int rxe_destroy_cq(struct ibv_cq *cq);
int rxe_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int rxe_req_notify_cq(struct ibv_cq *cq, int solicited_only);

/* -- rxe_cq_ex.c -- */

/* Completion fields that an extended CQ supports. */
#define RXE_WC_FLAGS IBV_WC_STANDARD_FLAGS

/**
 * rxe_cq_ex_init() - set the poll and read functions of an extended CQ
 * @single_threaded: one thread at a time uses the CQ, so no lock is taken
 */
void rxe_cq_ex_init(struct ibv_cq_ex *cq, bool single_threaded);

/* -- rxe_srq.c -- */

int rxe_create_srq(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr,
		   struct verbs_srq **ret_vsrq);
int rxe_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		   int attr_mask);
int rxe_destroy_srq(struct ibv_srq *srq);

/* -- rxe_qp.c -- */

int rxe_create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
		  struct verbs_qp **ret_vqp);
int rxe_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int rxe_destroy_qp(struct ibv_qp *qp);

/* -- rxe_post.c -- */

int rxe_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr);
int rxe_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr);
int rxe_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr);
int rxe_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);

/* -- rxe_wr.c -- */

/** rxe_wr_init() - set the ibv_wr_*() functions of a QP */
void rxe_wr_init(struct ibv_qp_ex *qp);

#endif
