/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Verbs objects of the device, and the functions that the files of this folder
 * share: one file per verbs object, the data path in uroce_post.c, uroce_wr.c,
 * uroce_cq.c and uroce_cq_ex.c. The op table is in ../uroce_provider.c.
 *
 * Locks, in the order in which they may be held together:
 *  1. locks that the application may hold between two calls: poll_lock of a
 *     CQ, from ibv_start_poll() to ibv_end_poll(), and sq_lock of a QP, from
 *     ibv_wr_start() to ibv_wr_complete();
 *  2. the engine lock (../progress/uroce_worker.h). It protects the objects of
 * the engine and, in this folder, the lists of a context, the event pipes and
 * the counts of raised events;
 *  3. the lock of a receive queue, for a few stores.
 * The engine's callbacks run with lock 2 held and take no other lock.
 */
#ifndef UROCE_VERBS_H
#define UROCE_VERBS_H

#include <infiniband/verbs.h>
#include <provider/provider.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "uroce/progress/uroce_instance.h"
#include "uroce/qp/uroce_lock.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/verbs/uroce_import.h"
#include "util/list.h"

#define UROCE_PORT 1

/* Limits that the device reports and enforces. */
#define UROCE_MAX_QP_WR	 16384
#define UROCE_MAX_SRQ_WR 16384
#define UROCE_MAX_CQE	 (1 << 20)

/* Minimum time before the QPN of a connected QP is used again. */
#define UROCE_QUARANTINE_NS UINT64_C(1000000000)

/*
 * Public fields of an object, as set at its creation. For other devices the
 * kernel looks up an object by its handle, and the driver reads no field that
 * the application can write. Here, control verbs compare the public fields with
 * these (uroce_object.c).
 */
struct uroce_identity {
	const struct ibv_context *context;
	uint32_t handle;
};

/* A lock that is not taken if the application promised to use one thread. */
struct uroce_spin {
	struct uroce_lock lock;
	bool off;
};

/* A pipe of event records in the kernel's format; uroce_event.c. */
struct uroce_event_pipe {
	int read_fd;  /* owned by the application, which closes it */
	int write_fd; /* -1: no pipe */
};

/* A completion channel: no op reports that the application destroyed it. */
struct uroce_comp_channel {
	struct list_node entry;
	struct uroce_event_pipe pipe;
	uint32_t nr_cqs;
};

struct uroce_context {
	struct verbs_context vctx;
	struct uroce_instance *instance;
	struct uroce_memory *memory; /* with uroce_instance_lock() */
	/* Protected by uroce_instance_lock(); events by any engine lock: */
	struct uroce_event_pipe async;
	struct list_node channels;
	struct list_node qps, cqs, srqs, mrs, mws; /* existing objects */
	struct list_node xrcds;
	struct list_node pds, dms; /* those that can be imported */

	uint64_t dm_bytes;	/* of all device memory; atomic */
	uint32_t nr_comp_cntrs; /* atomic */

	struct uroce_cmd cmd;		 /* with uroce_instance_lock() */
	struct uroce_exporter *exporter; /* of a context of another process */
	struct list_node imports;	 /* MRs of the exporter */
};

/*
 * An XRC domain. All opens of one file in the process share it, if the device
 * is the same; with uroce_instance_lock().
 */
struct uroce_xrc_domain {
	struct list_node entry; /* in struct uroce_xrc */
	uint32_t nr_opens;
	const char *device_name; /* NULL: no file */
	uint64_t file_device, file_inode;
};

struct uroce_xrcd {
	struct verbs_xrcd vxrcd;
	struct list_node entry; /* in the context */
	struct uroce_identity identity;
	struct uroce_xrc_domain *domain;
	uint32_t users; /* atomic: QPs and SRQs */
};

struct uroce_td {
	struct ibv_td td;
	struct uroce_identity identity;
	uint32_t users; /* atomic */
};

struct uroce_pd {
	struct ibv_pd pd;
	struct uroce_identity identity;
	uint32_t number;	/* in the engine; parent domain: its PD's */
	uint32_t users;		/* atomic; also the imports of the PD */
	struct list_node entry; /* in pds of the context */
	bool imported;
	struct uroce_pd *origin; /* of a PD imported from this process */
	uint32_t exported;	 /* of one from another process: number there */
	struct uroce_pd *parent; /* of a parent domain, else NULL */
	struct uroce_td *td;	 /* of a parent domain, or NULL */
};

struct uroce_mr {
	struct verbs_mr vmr;
	struct uroce_identity identity; /* the handle is the key */
	struct list_node entry;
	struct uroce_pd *pd;	     /* its users count this object */
	uint64_t share;		     /* uroce_instance_get_share() */
	struct uroce_dmabuf *dmabuf; /* NULL: ordinary memory */
	struct uroce_dm *dm;	     /* its users count this region, or NULL */
	struct uroce_import *import; /* of a region of another process */
};

/* Device memory, which is memory of the process. */
struct uroce_dm {
	struct ibv_dm dm;
	struct uroce_identity identity;
	struct list_node entry;	 /* in dms of the context */
	struct uroce_dm *origin; /* of imported device memory, else NULL */
	uint32_t users;		 /* atomic: MRs and imports */
	size_t length;		 /* as the application asked for */
	size_t charged;		 /* whole pages */
	uint8_t *base;
	void *map; /* contains @base, of @map_bytes */
	size_t map_bytes;
};

struct uroce_mw {
	struct ibv_mw mw;
	struct uroce_identity identity;
	struct list_node entry;
	struct uroce_region *region;
	/*
	 * Key after all posted binds. Not locked: the application serializes
	 * the binds of a window.
	 */
	uint32_t key;
};

struct uroce_ah {
	struct ibv_ah ah;
	struct uroce_path path; /* source port: not specific to a QP */
	struct uroce_identity identity;
};

struct uroce_verbs_cq {
	struct verbs_cq vcq;
	struct uroce_context *ctx;
	struct list_node entry;
	struct uroce_cq cq;
	/*
	 * The worker of its QPs; NULL: no QP has used it yet, or QPs of several
	 * workers use it. Atomic; written with uroce_instance_lock()
	 */
	struct uroce_worker *worker;
	struct uroce_spin poll_lock;
	unsigned int in_vain; /* see uroce_polled(); atomic */
	/* Between start_poll and end_poll: */
	struct uroce_cqe current;
	int64_t wall_offset_ns; /* CLOCK_REALTIME - now; never decreases */
	struct uroce_comp_channel *channel;
	struct verbs_event_count raised;
	uint32_t users; /* atomic: QPs */
	struct uroce_identity identity;
};

/* A receive queue, and the lock for posting to it. */
struct uroce_verbs_rq {
	struct uroce_rq rq;
	struct uroce_spin lock;
};

struct uroce_verbs_srq {
	struct verbs_srq vsrq;
	struct uroce_context *ctx;
	struct list_node entry;
	struct uroce_verbs_rq recv;
	/* of all its QPs; NULL: there was none. With uroce_instance_lock() */
	struct uroce_worker *worker;
	struct verbs_event_count raised;
	uint32_t users; /* atomic: QPs */
	struct uroce_identity identity;
};

struct uroce_verbs_qp {
	struct verbs_qp vqp;
	struct uroce_context *ctx;
	struct list_node entry;
	struct uroce_qp *qp;
	struct uroce_worker *worker;
	struct uroce_spin sq_lock;
	struct uroce_verbs_rq recv; /* empty with an SRQ */
	struct uroce_verbs_srq *srq;
	/*
	 * XRC target: the handles of the same QP (ibv_open_qp()), in a ring.
	 * With uroce_instance_lock(); events by any engine lock
	 */
	struct list_node handles;
	uint32_t max_send_sge, max_inline;
	uint8_t op_trait; /* enum uroce_op_trait of the type */
	bool sig_all;
	struct verbs_event_count raised;

	/*
	 * UD: destination in a process of this host to which there is no shm
	 * connection yet; uroce_sq_post() opens it.
	 */
	struct uroce_path pending_ud_path; /* protected by sq_lock */
	uint32_t pending_ud_qpn; /* 0: none. Atomic; written with sq_lock */

	/* An open ibv_wr_start() section; sq_lock is held. */
	uint32_t wr_nr;		       /* filled slots */
	struct uroce_send_wqe *wr_wqe; /* slot for the setters, or NULL */
	bool wr_wants_addr;	       /* UD: the address is not set yet */
	int wr_err;		       /* first error, positive errno */

	/* Nested sections of signal handlers; they post nothing. */
	uint32_t wr_nested;
	struct { /* the fields above, of the interrupted section */
		uint32_t nr;
		struct uroce_send_wqe *wqe;
		bool wants_addr;
		int err;
	} wr_interrupted;
	struct uroce_identity identity;
};

static inline struct uroce_context *to_uroce_context(struct ibv_context *ctx)
{
	return verbs_container_of(ctx, struct uroce_context, vctx.context);
}

static inline struct uroce_xrcd *to_uroce_xrcd(struct ibv_xrcd *xrcd)
{
	return verbs_container_of(xrcd, struct uroce_xrcd, vxrcd.xrcd);
}

static inline struct uroce_td *to_uroce_td(struct ibv_td *td)
{
	return verbs_container_of(td, struct uroce_td, td);
}

static inline struct uroce_pd *to_uroce_pd(struct ibv_pd *pd)
{
	return verbs_container_of(pd, struct uroce_pd, pd);
}

static inline struct uroce_mr *to_uroce_mr(struct ibv_mr *mr)
{
	return verbs_container_of(mr, struct uroce_mr, vmr.ibv_mr);
}

static inline struct uroce_dm *to_uroce_dm(struct ibv_dm *dm)
{
	return verbs_container_of(dm, struct uroce_dm, dm);
}

static inline struct uroce_mw *to_uroce_mw(struct ibv_mw *mw)
{
	return verbs_container_of(mw, struct uroce_mw, mw);
}

static inline struct uroce_ah *to_uroce_ah(struct ibv_ah *ah)
{
	return verbs_container_of(ah, struct uroce_ah, ah);
}

static inline struct uroce_verbs_cq *to_uroce_cq(struct ibv_cq *cq)
{
	return verbs_container_of(cq, struct uroce_verbs_cq, vcq.cq);
}

static inline struct uroce_verbs_cq *to_uroce_cq_ex(struct ibv_cq_ex *cq)
{
	return verbs_container_of(cq, struct uroce_verbs_cq, vcq.cq_ex);
}

static inline struct uroce_verbs_srq *to_uroce_srq(struct ibv_srq *srq)
{
	return verbs_container_of(srq, struct uroce_verbs_srq, vsrq.srq);
}

static inline struct uroce_verbs_qp *to_uroce_qp(struct ibv_qp *qp)
{
	return verbs_container_of(qp, struct uroce_verbs_qp, vqp.qp);
}

static inline struct uroce_verbs_qp *to_uroce_qp_ex(struct ibv_qp_ex *qp)
{
	return verbs_container_of(qp, struct uroce_verbs_qp, vqp.qp_ex);
}

/** uroce_cq_worker() - the worker of all QPs of a CQ, or NULL */
static inline struct uroce_worker *
uroce_cq_worker(const struct uroce_verbs_cq *cq)
{
	return __atomic_load_n(&cq->worker, __ATOMIC_RELAXED);
}

/** uroce_cq_progress() - make progress in the workers of a CQ */
static inline enum uroce_pass uroce_cq_progress(struct uroce_verbs_cq *cq)
{
	struct uroce_worker *worker = uroce_cq_worker(cq);

	return worker ? uroce_worker_poll(worker)
		      : uroce_instance_poll(cq->ctx->instance);
}

/** uroce_cq_poll_other() - poll another worker after a poll in vain */
static inline void uroce_cq_poll_other(const struct uroce_verbs_cq *cq)
{
	struct uroce_worker *worker = uroce_cq_worker(cq);

	if (worker)
		uroce_worker_poll_other(worker);
}

static inline void uroce_spin_lock(struct uroce_spin *spin)
{
	if (!spin->off)
		uroce_lock_take(&spin->lock);
}

/*
 * Takes the lock, for the data path, which signal handlers may call.
 *
 * Return: whether it was taken; false in a signal handler that has interrupted
 * the lock holder.
 */
static inline __attribute__((warn_unused_result)) bool
uroce_spin_lock_unless_own(struct uroce_spin *spin)
{
	return spin->off || uroce_lock_take_unless_own(&spin->lock);
}

static inline void uroce_spin_unlock(struct uroce_spin *spin)
{
	if (!spin->off)
		(void)uroce_lock_drop(&spin->lock);
}

/* Counts a user of an object, which is not destroyed while it has users. */
static inline void uroce_use(uint32_t *users)
{
	(void)__atomic_fetch_add(users, 1, __ATOMIC_SEQ_CST);
}

/* Return: the number of users that are left. */
static inline uint32_t uroce_unuse(uint32_t *users)
{
	return __atomic_sub_fetch(users, 1, __ATOMIC_SEQ_CST);
}

static inline bool uroce_in_use(const uint32_t *users)
{
	return __atomic_load_n(users, __ATOMIC_SEQ_CST);
}

/* -- uroce_device.c -- */

/**
 * uroce_device_guid() - return the node GUID of a device
 * @name: name of the device
 * @dev: its interface
 *
 * The GUID of the interface, or one that depends on the name too if the user
 * has chosen the name, so that all devices of an interface differ.
 */
__be64 uroce_device_guid(const char *name, const struct uroce_netdev *dev);

int uroce_query_device(struct ibv_context *ctx,
		       const struct ibv_query_device_ex_input *input,
		       struct ibv_device_attr_ex *attr, size_t attr_size);
int uroce_query_rt_values(struct ibv_context *ctx,
			  struct ibv_values_ex *values);

/* -- uroce_ports.c -- */

/** uroce_port_mtu() - get the largest path MTU of an interface */
enum ibv_mtu uroce_port_mtu(const struct uroce_netdev *dev);

/**
 * uroce_port_static_kbps() - get the rate limit of a static rate
 * @dev: the interface
 * @code: enum ibv_rate
 *
 * Return: kbit/s; 0 if the code is unknown, or the rate is not below that of
 * the interface.
 */
uint32_t uroce_port_static_kbps(const struct uroce_netdev *dev, uint8_t code);

int uroce_query_port(struct ibv_context *ctx, uint8_t port_num,
		     struct ibv_port_attr *attr);
int uroce_query_port_speed(struct ibv_context *ctx, uint32_t port_num,
			   uint64_t *ret_speed);
int uroce_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
			  uint32_t gid_index, struct ibv_gid_entry *ret_entry);
ssize_t uroce_query_gid_table(struct ibv_context *ctx,
			      struct ibv_gid_entry *entries,
			      size_t max_entries);
int uroce_query_pkey(struct ibv_context *ctx, uint8_t port_num, int index,
		     __be16 *ret_pkey);

/* -- uroce_event.c -- */

/* Callbacks for uroce_instance_attach(). */
extern const struct uroce_worker_ops uroce_worker_callbacks;

int uroce_alloc_async_fd(struct ibv_context *ctx, int *ret_fd);
int uroce_create_comp_channel(struct ibv_context *ctx, int *ret_fd);

/**
 * uroce_comp_channel_find() - find the channel of a descriptor
 *
 * Context: with the engine lock.
 * Return: the channel, or NULL if this context has none with @fd.
 */
struct uroce_comp_channel *uroce_comp_channel_find(struct uroce_context *ctx,
						   int fd);

/** uroce_comp_channels_free() - free all channels, close the async pipe */
void uroce_comp_channels_free(struct uroce_context *ctx);

/**
 * uroce_events_forget() - remove the unread events of an object
 * @ctx: its context
 * @element: address of the public object
 * @channel: of a CQ, or NULL
 * @raised: number of raised events; reduced by those that are removed
 *
 * Call this before the object is removed from the engine.
 *
 * Context: with the engine lock.
 * Return: 0, -ENOMEM, -EMFILE or -ENFILE; after a failure it may be called
 * again.
 */
int uroce_events_forget(struct uroce_context *ctx, const void *element,
			struct uroce_comp_channel *channel,
			struct verbs_event_count *raised);

/* -- uroce_pd.c -- */

int uroce_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd);
int uroce_dealloc_pd(struct ibv_pd *pd);
int uroce_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr,
		   struct ibv_td **ret_td);
int uroce_dealloc_td(struct ibv_td *td);
int uroce_alloc_parent_domain(struct ibv_context *ctx,
			      struct ibv_parent_domain_init_attr *attr,
			      struct ibv_pd **ret_pd);

/* -- uroce_mr.c -- */

/**
 * uroce_mr_check_access() - check access flags of a region that is not on
 * demand, of any kind
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP for IBV_ACCESS_ON_DEMAND.
 */
int uroce_mr_check_access(unsigned int access);

/**
 * uroce_mr_set_key() - set the keys and the PD of an object
 * @mr: the object; a further user of @pd
 * @pd: PD of the region
 * @key: of the region, in the engine
 */
void uroce_mr_set_key(struct uroce_mr *mr, struct ibv_pd *pd, uint32_t key);

/**
 * uroce_mr_add() - add a region to the engine, its context and its PD
 * @mr: receives the keys
 * @pd: PD of the region
 * @region: as for uroce_memory_add()
 *
 * Return: 0, or an error of uroce_memory_add().
 */
int uroce_mr_add(struct uroce_mr *mr, struct ibv_pd *pd,
		 const struct uroce_region *region);

/**
 * uroce_mr_new() - create a region whose memory peers may map
 * @pd: PD of the region
 * @region: as for uroce_memory_add(); receives its share
 * @ret_mr: receives the region; the caller sets its type
 *
 * Return: 0, -ENOMEM, or an error of uroce_memory_add().
 */
int uroce_mr_new(struct ibv_pd *pd, struct uroce_region *region,
		 struct uroce_mr **ret_mr);

int uroce_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
		 int access, struct ibv_mr **ret_mr);
int uroce_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		   void *addr, size_t length, int access);
int uroce_dereg_mr(struct verbs_mr *vmr);
int uroce_alloc_null_mr(struct ibv_pd *pd, struct ibv_mr **ret_mr);

/* -- uroce_odp_mr.c -- */

/* Whether the struct of the application, of attr_size bytes, has @member. */
#define UROCE_ATTR_HAS(attr_size, member)              \
	((attr_size) >=                                \
	 offsetof(struct ibv_device_attr_ex, member) + \
		 sizeof(((struct ibv_device_attr_ex *)0)->member))

/** uroce_odp_query() - the members of @attr about on-demand paging; all are 0
 * if the kernel does not permit it
 */
void uroce_odp_query(struct ibv_device_attr_ex *attr, size_t attr_size);
int uroce_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
		    uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge);

/* -- uroce_dmabuf_mr.c -- */

int uroce_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			uint64_t iova, int fd, int access,
			struct ibv_mr **ret_mr);

/* -- uroce_dm.c -- */

/* Device memory of a context: enough for tests of programs. */
#define UROCE_MAX_DM_BYTES (UINT64_C(16) << 20)

int uroce_alloc_dm(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr,
		   struct ibv_dm **ret_dm);
int uroce_free_dm(struct ibv_dm *dm);
int uroce_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
		    size_t length, unsigned int access, struct ibv_mr **ret_mr);

/* -- uroce_xrcd.c -- */

int uroce_open_xrcd(struct ibv_context *ctx,
		    const struct ibv_xrcd_init_attr *attr,
		    struct ibv_xrcd **ret_xrcd);
int uroce_close_xrcd(struct ibv_xrcd *xrcd);

/**
 * uroce_xrcd_close_locked() - give up the use of the domain
 *
 * With uroce_instance_lock(). The caller frees @xrcd.
 */
void uroce_xrcd_close_locked(struct uroce_xrcd *xrcd);

/* -- uroce_qp_object.c -- */

/**
 * uroce_qp_object_new() - allocate a QP of verbs/, without one of the engine
 * @attr: its attributes, without those that the type does not use
 * @cap: its capacities
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_qp_object_new(struct ibv_context *ctx,
			const struct ibv_qp_init_attr_ex *attr,
			const struct ibv_qp_cap *cap,
			struct uroce_verbs_qp **ret_qp);

/** uroce_qp_object_free() - undo uroce_qp_object_new() */
void uroce_qp_object_free(struct uroce_verbs_qp *qp);

/** uroce_qp_object_identify() - set number and handle; it is complete */
void uroce_qp_object_identify(struct uroce_verbs_qp *qp);

/* -- uroce_qp_handle.c -- */

int uroce_open_qp(struct ibv_context *ctx, struct ibv_qp_open_attr *attr,
		  struct verbs_qp **ret_vqp);

/**
 * uroce_qp_handle_close_locked() - free the QP of the engine
 *
 * If the QP has further handles, they keep it. With uroce_instance_lock().
 */
void uroce_qp_handle_close_locked(struct uroce_verbs_qp *qp,
				  uint64_t quarantine_ns);

/* -- uroce_mw.c -- */

int uroce_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		   struct ibv_mw **ret_mw);
int uroce_dealloc_mw(struct ibv_mw *mw);

/* -- uroce_ah.c -- */

/**
 * uroce_path_resolve() - convert an address vector to a path
 * @ctx: context
 * @attr: address vector of the application
 * @qpn, @dest_qpn: as for uroce_instance_sport()
 * @ret_path: receives the path; its member "here" is false
 *
 * Context: without the engine lock.
 * Return: 0, or -EINVAL.
 */
int uroce_path_resolve(struct uroce_context *ctx,
		       const struct ibv_ah_attr *attr, uint32_t qpn,
		       uint32_t dest_qpn, struct uroce_path *ret_path);

int uroce_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
		    struct ibv_ah **ret_ah);
int uroce_destroy_ah(struct ibv_ah *ah);

/* -- uroce_mcast.c -- */

int uroce_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
		       uint16_t lid);
int uroce_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
		       uint16_t lid);

/** uroce_mcast_has_any() - test for groups of a QP; with the engine lock */
bool uroce_mcast_has_any(const struct uroce_verbs_qp *qp);

/** uroce_mcast_leave_locked() - leave the groups of a QP, before it is freed */
void uroce_mcast_leave_locked(struct uroce_verbs_qp *qp);

/* -- uroce_cq.c -- */

int uroce_create_cq(struct ibv_context *ctx,
		    const struct ibv_cq_init_attr_ex *attr, bool extended,
		    struct verbs_cq **ret_vcq);
int uroce_resize_cq(struct ibv_cq *cq, int cqe);
int uroce_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int uroce_destroy_cq(struct ibv_cq *cq);

/**
 * uroce_cq_forget_qp() - discard the completions of a QP
 *
 * Context: without locks.
 */
void uroce_cq_forget_qp(struct uroce_verbs_cq *cq, uint32_t qpn);

int uroce_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int uroce_req_notify_cq(struct ibv_cq *cq, int solicited_only);

/* -- uroce_cq_ex.c -- */

/* wc_flags that an extended CQ supports. */
#define UROCE_WC_FLAGS                                                 \
	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
	 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

/** uroce_cq_ex_init() - set the poll and read functions of an extended CQ */
void uroce_cq_ex_init(struct ibv_cq_ex *cq);

/* -- uroce_srq.c -- */

int uroce_create_srq(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr,
		     struct verbs_srq **ret_vsrq);
int uroce_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		     int attr_mask);
int uroce_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int uroce_destroy_srq(struct ibv_srq *srq);

/**
 * uroce_srq_leave_xrc_locked() - let no XRC request find an XRC SRQ
 *
 * With uroce_instance_lock().
 */
void uroce_srq_leave_xrc_locked(struct uroce_verbs_srq *srq);

/* -- uroce_queue_pair.c -- */

/** uroce_bind_cq_locked() - let a worker serve a CQ; uroce_instance_lock() */
void uroce_bind_cq_locked(struct uroce_verbs_cq *cq,
			  struct uroce_worker *worker);

int uroce_create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
		    struct verbs_qp **ret_vqp);
int uroce_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int uroce_modify_qp_rate_limit(struct ibv_qp *qp,
			       struct ibv_qp_rate_limit_attr *attr);
int uroce_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr);
int uroce_destroy_qp(struct ibv_qp *qp);

/* -- uroce_post.c -- */

int uroce_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr);
int uroce_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr);
int uroce_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr);
int uroce_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind);

/* -- uroce_wr.c -- */

/* send_ops_flags that a QP with ibv_wr_*() supports, by type. */
#define UROCE_UD_SEND_OPS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define UROCE_UC_SEND_OPS                                                \
	(UROCE_UD_SEND_OPS | IBV_QP_EX_WITH_RDMA_WRITE |                 \
	 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_LOCAL_INV | \
	 IBV_QP_EX_WITH_BIND_MW)
#define UROCE_XRC_SEND_OPS                                               \
	(UROCE_UD_SEND_OPS | IBV_QP_EX_WITH_RDMA_WRITE |                 \
	 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |                             \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define UROCE_RC_SEND_OPS                                                     \
	(UROCE_UC_SEND_OPS | IBV_QP_EX_WITH_RDMA_READ |                       \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |                                  \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_SEND_WITH_INV | \
	 IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE)

/** uroce_wr_init() - set the ibv_wr_*() functions of an extended QP */
void uroce_wr_init(struct ibv_qp_ex *qp);

/* -- uroce_object.c -- */

/**
 * uroce_handle_new() - make a handle for an object without number or key
 *
 * Unique in the process, as contexts can share objects.
 */
uint32_t uroce_handle_new(void);

/*
 * uroce_check_*() - check the public fields of an object against its identity
 *
 * Control verbs call this first, for the object itself and for each object
 * among their arguments. NULL is valid.
 *
 * Return: 0, -EINVAL (another context) or -ENOENT (another handle).
 */
int uroce_check_td(const struct ibv_td *td);
int uroce_check_pd(const struct ibv_pd *pd);
int uroce_check_mr(const struct ibv_mr *mr);
int uroce_check_mw(const struct ibv_mw *mw);
int uroce_check_dm(const struct ibv_dm *dm);
int uroce_check_ah(const struct ibv_ah *ah);
int uroce_check_cq(const struct ibv_cq *cq);
int uroce_check_srq(const struct ibv_srq *srq);
int uroce_check_xrcd(const struct ibv_xrcd *xrcd);
int uroce_check_qp(const struct ibv_qp *qp);

/**
 * uroce_object_new() - allocate zeroed memory for an object with rings
 *
 * Aligned to cache lines, because its rings are. The caller frees it with
 * free().
 */
void *uroce_object_new(size_t size);

/**
 * uroce_spin_init() - initialize a lock; nothing undoes it
 * @spin: memory of the caller
 * @off: one thread only uses it, so the lock is never taken
 */
void uroce_spin_init(struct uroce_spin *spin, bool off);

/**
 * uroce_pd_put() - end a use of a PD
 *
 * Frees an imported PD (uroce_import.h) after its last use, also after
 * ibv_unimport_pd().
 */
void uroce_pd_put(struct uroce_pd *pd);

/** uroce_dm_put() - end a use of device memory, as uroce_pd_put() */
void uroce_dm_put(struct uroce_dm *dm);

/** uroce_context_init() - initialize the lists and pipes of a context */
void uroce_context_init(struct uroce_context *ctx);

/**
 * uroce_context_abandon() - remove objects from the engine at context close
 *
 * For objects that the application did not destroy. Their memory is leaked.
 */
void uroce_context_abandon(struct uroce_context *ctx);

#endif
