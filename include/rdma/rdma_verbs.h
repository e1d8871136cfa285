/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Verbs by rdma_cm_id: memory registration, one work request per call, and
 * waiting for one completion. The inline functions are compiled into
 * applications, so the members of the id that they read are part of the ABI.
 *
 * Functions that return int return -1 with errno on failure, as those of
 * rdma_cma.h do. The data path checks nothing: an id without the queue or CQ
 * that a function needs is an error of the caller.
 */
#ifndef RDMA_RDMA_VERBS_H
#define RDMA_RDMA_VERBS_H

/* Applications rely on the headers that this file includes. */
#include <assert.h>
#include <errno.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a verb, which is an errno value, in the form of rdma_cma.h. */
static inline int rdma_seterrno(int ret)
{
	if (!ret)
		return 0;
	errno = ret;
	return -1;
}

/* ------------------------------------------------------------------------
 * Shared receive queues
 */

int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd,
		    struct ibv_srq_init_attr *attr);
int rdma_create_srq_ex(struct rdma_cm_id *id,
		       struct ibv_srq_init_attr_ex *attr);
void rdma_destroy_srq(struct rdma_cm_id *id);

/* ------------------------------------------------------------------------
 * Memory, in the protection domain of the id
 */

/* For messages. */
static inline struct ibv_mr *rdma_reg_msgs(struct rdma_cm_id *id, void *addr,
					   size_t length)
{
	return ibv_reg_mr(id->pd, addr, length, IBV_ACCESS_LOCAL_WRITE);
}

/* The peer may read it. */
static inline struct ibv_mr *rdma_reg_read(struct rdma_cm_id *id, void *addr,
					   size_t length)
{
	return ibv_reg_mr(id->pd, addr, length,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
}

/* The peer may write to it. */
static inline struct ibv_mr *rdma_reg_write(struct rdma_cm_id *id, void *addr,
					    size_t length)
{
	return ibv_reg_mr(id->pd, addr, length,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
}

static inline int rdma_dereg_mr(struct ibv_mr *mr)
{
	return rdma_seterrno(ibv_dereg_mr(mr));
}

/* ------------------------------------------------------------------------
 * Work requests with a list of scatter/gather entries
 */

/* Posts to the SRQ of the id, if there is one. */
static inline int rdma_post_recvv(struct rdma_cm_id *id, void *context,
				  struct ibv_sge *sgl, int nsge)
{
	struct ibv_recv_wr *bad_wr;
	struct ibv_recv_wr wr;

	wr.wr_id = (uintptr_t)context;
	wr.next = NULL;
	wr.sg_list = sgl;
	wr.num_sge = nsge;
	if (id->srq)
		return rdma_seterrno(ibv_post_srq_recv(id->srq, &wr, &bad_wr));
	return rdma_seterrno(ibv_post_recv(id->qp, &wr, &bad_wr));
}

static inline int rdma_post_sendv(struct rdma_cm_id *id, void *context,
				  struct ibv_sge *sgl, int nsge, int flags)
{
	struct ibv_send_wr *bad_wr;
	struct ibv_send_wr wr;

	wr.wr_id = (uintptr_t)context;
	wr.next = NULL;
	wr.sg_list = sgl;
	wr.num_sge = nsge;
	wr.opcode = IBV_WR_SEND;
	wr.send_flags = (unsigned int)flags;
	return rdma_seterrno(ibv_post_send(id->qp, &wr, &bad_wr));
}

static inline int rdma_post_readv(struct rdma_cm_id *id, void *context,
				  struct ibv_sge *sgl, int nsge, int flags,
				  uint64_t remote_addr, uint32_t rkey)
{
	struct ibv_send_wr *bad_wr;
	struct ibv_send_wr wr;

	wr.wr_id = (uintptr_t)context;
	wr.next = NULL;
	wr.sg_list = sgl;
	wr.num_sge = nsge;
	wr.opcode = IBV_WR_RDMA_READ;
	wr.send_flags = (unsigned int)flags;
	wr.wr.rdma.remote_addr = remote_addr;
	wr.wr.rdma.rkey = rkey;
	return rdma_seterrno(ibv_post_send(id->qp, &wr, &bad_wr));
}

static inline int rdma_post_writev(struct rdma_cm_id *id, void *context,
				   struct ibv_sge *sgl, int nsge, int flags,
				   uint64_t remote_addr, uint32_t rkey)
{
	struct ibv_send_wr *bad_wr;
	struct ibv_send_wr wr;

	wr.wr_id = (uintptr_t)context;
	wr.next = NULL;
	wr.sg_list = sgl;
	wr.num_sge = nsge;
	wr.opcode = IBV_WR_RDMA_WRITE;
	wr.send_flags = (unsigned int)flags;
	wr.wr.rdma.remote_addr = remote_addr;
	wr.wr.rdma.rkey = rkey;
	return rdma_seterrno(ibv_post_send(id->qp, &wr, &bad_wr));
}

/* ------------------------------------------------------------------------
 * Work requests with one buffer
 *
 * @mr may be NULL if the data is sent inline, so not for receive and READ.
 */

static inline int rdma_post_recv(struct rdma_cm_id *id, void *context,
				 void *addr, size_t length, struct ibv_mr *mr)
{
	struct ibv_sge sge;

	assert((uintptr_t)addr >= (uintptr_t)mr->addr &&
	       (uintptr_t)addr + length <= (uintptr_t)mr->addr + mr->length);
	sge.addr = (uintptr_t)addr;
	sge.length = (uint32_t)length;
	sge.lkey = mr->lkey;
	return rdma_post_recvv(id, context, &sge, 1);
}

static inline int rdma_post_send(struct rdma_cm_id *id, void *context,
				 void *addr, size_t length, struct ibv_mr *mr,
				 int flags)
{
	struct ibv_sge sge;

	sge.addr = (uintptr_t)addr;
	sge.length = (uint32_t)length;
	sge.lkey = mr ? mr->lkey : 0;
	return rdma_post_sendv(id, context, &sge, 1, flags);
}

static inline int rdma_post_read(struct rdma_cm_id *id, void *context,
				 void *addr, size_t length, struct ibv_mr *mr,
				 int flags, uint64_t remote_addr, uint32_t rkey)
{
	struct ibv_sge sge;

	sge.addr = (uintptr_t)addr;
	sge.length = (uint32_t)length;
	sge.lkey = mr->lkey;
	return rdma_post_readv(id, context, &sge, 1, flags, remote_addr, rkey);
}

static inline int rdma_post_write(struct rdma_cm_id *id, void *context,
				  void *addr, size_t length, struct ibv_mr *mr,
				  int flags, uint64_t remote_addr,
				  uint32_t rkey)
{
	struct ibv_sge sge;

	sge.addr = (uintptr_t)addr;
	sge.length = (uint32_t)length;
	sge.lkey = mr ? mr->lkey : 0;
	return rdma_post_writev(id, context, &sge, 1, flags, remote_addr, rkey);
}

/* To a QP in the port space UDP. */
static inline int rdma_post_ud_send(struct rdma_cm_id *id, void *context,
				    void *addr, size_t length,
				    struct ibv_mr *mr, int flags,
				    struct ibv_ah *ah, uint32_t remote_qpn)
{
	struct ibv_send_wr *bad_wr;
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	sge.addr = (uintptr_t)addr;
	sge.length = (uint32_t)length;
	sge.lkey = mr ? mr->lkey : 0;
	wr.wr_id = (uintptr_t)context;
	wr.next = NULL;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.opcode = IBV_WR_SEND;
	wr.send_flags = (unsigned int)flags;
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = remote_qpn;
	wr.wr.ud.remote_qkey = RDMA_UDP_QKEY;
	return rdma_seterrno(ibv_post_send(id->qp, &wr, &bad_wr));
}

/* ------------------------------------------------------------------------
 * Completions
 */

/* Waits for one completion of a CQ that the library created for an id. */
static inline int _rdma_wait_comp(struct rdma_cm_id *id,
				  struct ibv_comp_channel *channel,
				  struct ibv_cq *cq, struct ibv_wc *wc)
{
	struct ibv_cq *event_cq;
	void *cq_context;
	int ret;

	for (;;) {
		ret = ibv_poll_cq(cq, 1, wc);
		if (ret)
			break;
		ret = ibv_req_notify_cq(cq, 0);
		if (ret)
			return rdma_seterrno(ret);
		/* A completion that came before the request has no event. */
		ret = ibv_poll_cq(cq, 1, wc);
		if (ret)
			break;
		ret = ibv_get_cq_event(channel, &event_cq, &cq_context);
		if (ret)
			return ret;
		assert(event_cq == cq && cq_context == id);
		ibv_ack_cq_events(event_cq, 1);
	}
	(void)id; /* without assert() */
	return ret < 0 ? rdma_seterrno(ret) : ret;
}

/* Returns 1, or -1 with errno. */
static inline int rdma_get_send_comp(struct rdma_cm_id *id, struct ibv_wc *wc)
{
	return _rdma_wait_comp(id, id->send_cq_channel, id->send_cq, wc);
}

static inline int rdma_get_recv_comp(struct rdma_cm_id *id, struct ibv_wc *wc)
{
	return _rdma_wait_comp(id, id->recv_cq_channel, id->recv_cq, wc);
}

#ifdef __cplusplus
}
#endif

#endif /* RDMA_RDMA_VERBS_H */
