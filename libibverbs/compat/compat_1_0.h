/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libibverbs 1.0: the objects of programs that were linked before 2007, and
 * the 33 functions that take or return them. Each object is a shadow that the
 * program sees. A pointer to the real object is at its end (for a device: in
 * place of the driver pointer). The program reads members and calls the data
 * path through the table of its context, so no member may move; tests/abi
 * asserts the offsets.
 *
 * A function of 1.0 and its current namesake with the same arguments return
 * the same and set the same errno.
 */
#ifndef COMPAT_COMPAT_1_0_H
#define COMPAT_COMPAT_1_0_H

#include <infiniband/verbs.h>

struct ibv_ah_1_0;
struct ibv_context_1_0;
struct ibv_cq_1_0;
struct ibv_pd_1_0;
struct ibv_qp_1_0;
struct ibv_recv_wr_1_0;
struct ibv_send_wr_1_0;
struct ibv_srq_1_0;

struct ibv_device_1_0 {
	void *obsolete_sysfs_dev;
	void *obsolete_sysfs_ibdev;
	struct ibv_device *real_device;
	struct _ibv_device_ops _ops;
};

/* Programs call the five data path members; the others keep their offsets. */
struct ibv_context_ops_1_0 {
	int (*query_device)(struct ibv_context *context,
			    struct ibv_device_attr *attr);
	int (*query_port)(struct ibv_context *context, uint8_t port_num,
			  struct ibv_port_attr *attr);
	struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
	int (*dealloc_pd)(struct ibv_pd *pd);
	struct ibv_mr *(*reg_mr)(struct ibv_pd *pd, void *addr, size_t length,
				 int access);
	int (*dereg_mr)(struct ibv_mr *mr);
	struct ibv_cq *(*create_cq)(struct ibv_context *context, int cqe,
				    struct ibv_comp_channel *channel,
				    int comp_vector);
	int (*poll_cq)(struct ibv_cq_1_0 *cq, int num_entries,
		       struct ibv_wc *wc);
	int (*req_notify_cq)(struct ibv_cq_1_0 *cq, int solicited_only);
	void (*cq_event)(struct ibv_cq *cq);
	int (*resize_cq)(struct ibv_cq *cq, int cqe);
	int (*destroy_cq)(struct ibv_cq *cq);
	struct ibv_srq *(*create_srq)(struct ibv_pd *pd,
				      struct ibv_srq_init_attr *attr);
	int (*modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  int attr_mask);
	int (*query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr);
	int (*destroy_srq)(struct ibv_srq *srq);
	int (*post_srq_recv)(struct ibv_srq_1_0 *srq,
			     struct ibv_recv_wr_1_0 *wr,
			     struct ibv_recv_wr_1_0 **bad_wr);
	struct ibv_qp *(*create_qp)(struct ibv_pd *pd,
				    struct ibv_qp_init_attr *attr);
	int (*query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask, struct ibv_qp_init_attr *init_attr);
	int (*modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask);
	int (*destroy_qp)(struct ibv_qp *qp);
	int (*post_send)(struct ibv_qp_1_0 *qp, struct ibv_send_wr_1_0 *wr,
			 struct ibv_send_wr_1_0 **bad_wr);
	int (*post_recv)(struct ibv_qp_1_0 *qp, struct ibv_recv_wr_1_0 *wr,
			 struct ibv_recv_wr_1_0 **bad_wr);
	struct ibv_ah *(*create_ah)(struct ibv_pd *pd,
				    struct ibv_ah_attr *attr);
	int (*destroy_ah)(struct ibv_ah *ah);
	int (*attach_mcast)(struct ibv_qp *qp, union ibv_gid *gid,
			    uint16_t lid);
	int (*detach_mcast)(struct ibv_qp *qp, union ibv_gid *gid,
			    uint16_t lid);
};

/* Has no mutex; compat_context.c describes the memory behind it. */
struct ibv_context_1_0 {
	struct ibv_device_1_0 *device;
	struct ibv_context_ops_1_0 ops;
	int cmd_fd;
	int async_fd;
	int num_comp_vectors;
	struct ibv_context *real_context;
};

struct ibv_pd_1_0 {
	struct ibv_context_1_0 *context;
	uint32_t handle;
	struct ibv_pd *real_pd;
};

struct ibv_mr_1_0 {
	struct ibv_context_1_0 *context;
	struct ibv_pd_1_0 *pd;
	uint32_t handle;
	uint32_t lkey;
	uint32_t rkey;
	struct ibv_mr *real_mr;
};

struct ibv_ah_1_0 {
	struct ibv_context_1_0 *context;
	struct ibv_pd_1_0 *pd;
	uint32_t handle;
	struct ibv_ah *real_ah;
};

/*
 * The locks and counters of CQs, SRQs and QPs are unused: those of the real
 * objects are used. The cq_context, srq_context or qp_context of the real
 * object points to the shadow; the shadow has the program's pointer.
 */
struct ibv_cq_1_0 {
	struct ibv_context_1_0 *context;
	void *cq_context;
	uint32_t handle;
	int cqe;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t comp_events_completed;
	uint32_t async_events_completed;
	struct ibv_cq *real_cq;
};

struct ibv_srq_1_0 {
	struct ibv_context_1_0 *context;
	void *srq_context;
	struct ibv_pd_1_0 *pd;
	uint32_t handle;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t events_completed;
	struct ibv_srq *real_srq;
};

struct ibv_qp_init_attr_1_0 {
	void *qp_context;
	struct ibv_cq_1_0 *send_cq;
	struct ibv_cq_1_0 *recv_cq;
	struct ibv_srq_1_0 *srq;
	struct ibv_qp_cap cap;
	enum ibv_qp_type qp_type;
	int sq_sig_all;
};

struct ibv_qp_1_0 {
	struct ibv_context_1_0 *context;
	void *qp_context;
	struct ibv_pd_1_0 *pd;
	struct ibv_cq_1_0 *send_cq;
	struct ibv_cq_1_0 *recv_cq;
	struct ibv_srq_1_0 *srq;
	uint32_t handle;
	uint32_t qp_num;
	enum ibv_qp_state state;
	enum ibv_qp_type qp_type;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t events_completed;
	struct ibv_qp *real_qp;
};

struct ibv_send_wr_1_0 {
	struct ibv_send_wr_1_0 *next;
	uint64_t wr_id;
	struct ibv_sge *sg_list;
	int num_sge;
	enum ibv_wr_opcode opcode;
	int send_flags;
	__be32 imm_data;
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
			struct ibv_ah_1_0 *ah;
			uint32_t remote_qpn;
			uint32_t remote_qkey;
		} ud;
	} wr;
};

struct ibv_recv_wr_1_0 {
	struct ibv_recv_wr_1_0 *next;
	uint64_t wr_id;
	struct ibv_sge *sg_list;
	int num_sge;
};

/* -- ibv_X@IBVERBS_1.0 is compat_ibv_X() -- */

struct ibv_device_1_0 **compat_ibv_get_device_list(int *num);
void compat_ibv_free_device_list(struct ibv_device_1_0 **list);
const char *compat_ibv_get_device_name(struct ibv_device_1_0 *device);
__be64 compat_ibv_get_device_guid(struct ibv_device_1_0 *device);

struct ibv_context_1_0 *compat_ibv_open_device(struct ibv_device_1_0 *device);
int compat_ibv_close_device(struct ibv_context_1_0 *context);
int compat_ibv_query_device(struct ibv_context_1_0 *context,
			    struct ibv_device_attr *device_attr);
int compat_ibv_query_port(struct ibv_context_1_0 *context, uint8_t port_num,
			  struct ibv_port_attr *port_attr);
int compat_ibv_query_gid(struct ibv_context_1_0 *context, uint8_t port_num,
			 int index, union ibv_gid *gid);
int compat_ibv_query_pkey(struct ibv_context_1_0 *context, uint8_t port_num,
			  int index, __be16 *pkey);

int compat_ibv_get_async_event(struct ibv_context_1_0 *context,
			       struct ibv_async_event *event);
void compat_ibv_ack_async_event(struct ibv_async_event *event);
int compat_ibv_get_cq_event(struct ibv_comp_channel *channel,
			    struct ibv_cq_1_0 **cq, void **cq_context);
void compat_ibv_ack_cq_events(struct ibv_cq_1_0 *cq, unsigned int nevents);

struct ibv_pd_1_0 *compat_ibv_alloc_pd(struct ibv_context_1_0 *context);
int compat_ibv_dealloc_pd(struct ibv_pd_1_0 *pd);
struct ibv_mr_1_0 *compat_ibv_reg_mr(struct ibv_pd_1_0 *pd, void *addr,
				     size_t length, int access);
int compat_ibv_dereg_mr(struct ibv_mr_1_0 *mr);
struct ibv_ah_1_0 *compat_ibv_create_ah(struct ibv_pd_1_0 *pd,
					struct ibv_ah_attr *attr);
int compat_ibv_destroy_ah(struct ibv_ah_1_0 *ah);

struct ibv_cq_1_0 *compat_ibv_create_cq(struct ibv_context_1_0 *context,
					int cqe, void *cq_context,
					struct ibv_comp_channel *channel,
					int comp_vector);
int compat_ibv_resize_cq(struct ibv_cq_1_0 *cq, int cqe);
int compat_ibv_destroy_cq(struct ibv_cq_1_0 *cq);

struct ibv_srq_1_0 *
compat_ibv_create_srq(struct ibv_pd_1_0 *pd,
		      struct ibv_srq_init_attr *srq_init_attr);
int compat_ibv_modify_srq(struct ibv_srq_1_0 *srq,
			  struct ibv_srq_attr *srq_attr, int srq_attr_mask);
int compat_ibv_query_srq(struct ibv_srq_1_0 *srq,
			 struct ibv_srq_attr *srq_attr);
int compat_ibv_destroy_srq(struct ibv_srq_1_0 *srq);

struct ibv_qp_1_0 *
compat_ibv_create_qp(struct ibv_pd_1_0 *pd,
		     struct ibv_qp_init_attr_1_0 *qp_init_attr);
int compat_ibv_modify_qp(struct ibv_qp_1_0 *qp, struct ibv_qp_attr *attr,
			 int attr_mask);
int compat_ibv_query_qp(struct ibv_qp_1_0 *qp, struct ibv_qp_attr *attr,
			int attr_mask, struct ibv_qp_init_attr_1_0 *init_attr);
int compat_ibv_destroy_qp(struct ibv_qp_1_0 *qp);
int compat_ibv_attach_mcast(struct ibv_qp_1_0 *qp, union ibv_gid *gid,
			    uint16_t lid);
int compat_ibv_detach_mcast(struct ibv_qp_1_0 *qp, union ibv_gid *gid,
			    uint16_t lid);

#endif
