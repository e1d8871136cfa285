/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libibverbs 1.0 of 2006: the objects that differ from the current ones, the 33
 * functions in their old version, and the data path, which was inline. A
 * program that includes this header imports ibv_X@IBVERBS_1.0 from
 * libibverbs.so.1. Functions and structs begin with v10_ here, since unchanged
 * declarations come from the current header.
 */
#ifndef VERBS_1_0_H
#define VERBS_1_0_H

#include <infiniband/verbs.h>

struct v10_context;
struct v10_cq;
struct v10_device;
struct v10_qp;
struct v10_recv_wr;
struct v10_send_wr;
struct v10_srq;

/* 27 slots; programs knew these by name, and called five. */
struct v10_ops {
	void *query_device, *query_port;
	void *alloc_pd, *dealloc_pd;
	void *reg_mr, *dereg_mr;
	void *create_cq;
	int (*poll_cq)(struct v10_cq *cq, int num_entries, struct ibv_wc *wc);
	int (*req_notify_cq)(struct v10_cq *cq, int solicited_only);
	void *cq_event, *resize_cq, *destroy_cq;
	void *create_srq, *modify_srq, *query_srq, *destroy_srq;
	int (*post_srq_recv)(struct v10_srq *srq, struct v10_recv_wr *wr,
			     struct v10_recv_wr **bad_wr);
	void *create_qp, *query_qp, *modify_qp, *destroy_qp;
	int (*post_send)(struct v10_qp *qp, struct v10_send_wr *wr,
			 struct v10_send_wr **bad_wr);
	int (*post_recv)(struct v10_qp *qp, struct v10_recv_wr *wr,
			 struct v10_recv_wr **bad_wr);
	void *create_ah, *destroy_ah;
	void *attach_mcast, *detach_mcast;
};

struct v10_context {
	struct v10_device *device;
	struct v10_ops ops;
	int cmd_fd;
	int async_fd;
	int num_comp_vectors;
};

struct v10_pd {
	struct v10_context *context;
	uint32_t handle;
};

struct v10_mr {
	struct v10_context *context;
	struct v10_pd *pd;
	uint32_t handle;
	uint32_t lkey;
	uint32_t rkey;
};

struct v10_ah {
	struct v10_context *context;
	struct v10_pd *pd;
	uint32_t handle;
};

struct v10_cq {
	struct v10_context *context;
	void *cq_context;
	uint32_t handle;
	int cqe;
};

struct v10_srq {
	struct v10_context *context;
	void *srq_context;
	struct v10_pd *pd;
	uint32_t handle;
};

struct v10_qp {
	struct v10_context *context;
	void *qp_context;
	struct v10_pd *pd;
	struct v10_cq *send_cq;
	struct v10_cq *recv_cq;
	struct v10_srq *srq;
	uint32_t handle;
	uint32_t qp_num;
	enum ibv_qp_state state;
	enum ibv_qp_type qp_type;
};

struct v10_qp_init_attr {
	void *qp_context;
	struct v10_cq *send_cq;
	struct v10_cq *recv_cq;
	struct v10_srq *srq;
	struct ibv_qp_cap cap;
	enum ibv_qp_type qp_type;
	int sq_sig_all;
};

struct v10_send_wr {
	struct v10_send_wr *next;
	uint64_t wr_id;
	struct ibv_sge *sg_list;
	int num_sge;
	enum ibv_wr_opcode opcode;
	int send_flags;
	uint32_t imm_data;
	union {
		struct {
			uint64_t remote_addr;
			uint32_t rkey;
		} rdma;
		struct {
			uint64_t remote_addr;
			uint64_t compare_add;
			uint64_t swap;
			uint32_t rkey;
		} atomic;
		struct {
			struct v10_ah *ah;
			uint32_t remote_qpn;
			uint32_t remote_qkey;
		} ud;
	} wr;
};

struct v10_recv_wr {
	struct v10_recv_wr *next;
	uint64_t wr_id;
	struct ibv_sge *sg_list;
	int num_sge;
};

/* Declares v10_<name>() and imports it as ibv_<name>@IBVERBS_1.0. */
#define V10(type, name, ...)                                        \
	__asm__(".symver v10_" #name ",ibv_" #name "@IBVERBS_1.0"); \
	type v10_##name(__VA_ARGS__)

V10(struct v10_device **, get_device_list, int *num);
V10(void, free_device_list, struct v10_device **list);
V10(const char *, get_device_name, struct v10_device *device);
V10(uint64_t, get_device_guid, struct v10_device *device);
V10(struct v10_context *, open_device, struct v10_device *device);
V10(int, close_device, struct v10_context *context);
V10(int, get_async_event, struct v10_context *context,
    struct ibv_async_event *event);
V10(void, ack_async_event, struct ibv_async_event *event);
V10(int, query_device, struct v10_context *context,
    struct ibv_device_attr *attr);
V10(int, query_port, struct v10_context *context, uint8_t port_num,
    struct ibv_port_attr *attr);
V10(int, query_gid, struct v10_context *context, uint8_t port_num, int index,
    union ibv_gid *gid);
V10(int, query_pkey, struct v10_context *context, uint8_t port_num, int index,
    uint16_t *pkey);
V10(struct v10_pd *, alloc_pd, struct v10_context *context);
V10(int, dealloc_pd, struct v10_pd *pd);
V10(struct v10_mr *, reg_mr, struct v10_pd *pd, void *addr, size_t length,
    int access);
V10(int, dereg_mr, struct v10_mr *mr);
V10(struct v10_cq *, create_cq, struct v10_context *context, int cqe,
    void *cq_context, struct ibv_comp_channel *channel, int comp_vector);
V10(int, resize_cq, struct v10_cq *cq, int cqe);
V10(int, destroy_cq, struct v10_cq *cq);
V10(int, get_cq_event, struct ibv_comp_channel *channel, struct v10_cq **cq,
    void **cq_context);
V10(void, ack_cq_events, struct v10_cq *cq, unsigned int nevents);
V10(struct v10_srq *, create_srq, struct v10_pd *pd,
    struct ibv_srq_init_attr *init);
V10(int, modify_srq, struct v10_srq *srq, struct ibv_srq_attr *attr, int mask);
V10(int, query_srq, struct v10_srq *srq, struct ibv_srq_attr *attr);
V10(int, destroy_srq, struct v10_srq *srq);
V10(struct v10_qp *, create_qp, struct v10_pd *pd,
    struct v10_qp_init_attr *init);
V10(int, modify_qp, struct v10_qp *qp, struct ibv_qp_attr *attr, int mask);
V10(int, query_qp, struct v10_qp *qp, struct ibv_qp_attr *attr, int mask,
    struct v10_qp_init_attr *init);
V10(int, destroy_qp, struct v10_qp *qp);
V10(struct v10_ah *, create_ah, struct v10_pd *pd, struct ibv_ah_attr *attr);
V10(int, destroy_ah, struct v10_ah *ah);
V10(int, attach_mcast, struct v10_qp *qp, union ibv_gid *gid, uint16_t lid);
V10(int, detach_mcast, struct v10_qp *qp, union ibv_gid *gid, uint16_t lid);

/* -- functions that were inline -- */

static inline int v10_poll_cq(struct v10_cq *cq, int num_entries,
			      struct ibv_wc *wc)
{
	return cq->context->ops.poll_cq(cq, num_entries, wc);
}

static inline int v10_req_notify_cq(struct v10_cq *cq, int solicited_only)
{
	return cq->context->ops.req_notify_cq(cq, solicited_only);
}

static inline int v10_post_send(struct v10_qp *qp, struct v10_send_wr *wr,
				struct v10_send_wr **bad_wr)
{
	return qp->context->ops.post_send(qp, wr, bad_wr);
}

static inline int v10_post_recv(struct v10_qp *qp, struct v10_recv_wr *wr,
				struct v10_recv_wr **bad_wr)
{
	return qp->context->ops.post_recv(qp, wr, bad_wr);
}

static inline int v10_post_srq_recv(struct v10_srq *srq, struct v10_recv_wr *wr,
				    struct v10_recv_wr **bad_wr)
{
	return srq->context->ops.post_srq_recv(srq, wr, bad_wr);
}

#endif
