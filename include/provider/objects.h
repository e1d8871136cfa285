/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects that a provider allocates. Each begins with the public struct
 * that applications see, followed by members of the library. A provider embeds
 * them as the first member of its own struct.
 *
 * Their layout equals that of the same wrappers in modules built for existing
 * releases (tests/abi/), so objects of such a module need no translation.
 */
#ifndef PROVIDER_OBJECTS_H
#define PROVIDER_OBJECTS_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/* Pointer to the struct that embeds *ptr as its member @member. */
#define verbs_container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

enum verbs_mr_type {
	VERBS_MR_TYPE_MR,
	VERBS_MR_TYPE_NULL_MR,
	VERBS_MR_TYPE_IMPORTED_MR,
	VERBS_MR_TYPE_DMABUF_MR,
};

struct verbs_mr {
	struct ibv_mr ibv_mr;
	enum verbs_mr_type mr_type;
	int access; /* IBV_ACCESS_* as registered */
};

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

enum verbs_xrcd_mask {
	VERBS_XRCD_MASK_HANDLE = 1 << 0,
};

struct verbs_xrcd {
	struct ibv_xrcd xrcd;
	uint32_t comp_mask; /* enum verbs_xrcd_mask */
	uint32_t handle;
};

struct verbs_srq {
	struct ibv_srq srq;
	enum ibv_srq_type srq_type;
	struct verbs_xrcd *xrcd; /* type XRC */
	struct ibv_cq *cq;	 /* types XRC and TM */
	uint32_t srq_num;	 /* type XRC */
};

enum verbs_qp_mask {
	VERBS_QP_MASK_XRCD = 1 << 0, /* xrcd is valid */
	VERBS_QP_MASK_EX = 1 << 1,   /* qp_ex is usable: ibv_wr_*() */
};

struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint32_t comp_mask; /* enum verbs_qp_mask */
	struct verbs_xrcd *xrcd;
};

struct verbs_dm {
	struct ibv_dm dm;
	uint32_t handle;
};

struct verbs_dmah {
	struct ibv_dmah dmah;
	uint32_t handle;
};

struct verbs_counters {
	struct ibv_counters counters;
	uint32_t handle;
};

enum verbs_flow_action_type {
	VERBS_FLOW_ACTION_UNSPECIFIED,
	VERBS_FLOW_ACTION_ESP = 1,
};

struct verbs_flow_action {
	struct ibv_flow_action action;
	uint32_t handle;
	enum verbs_flow_action_type type;
};

/* The object of ibv_alloc_buf(3), opaque to applications. */
struct ibv_buf {
	void *addr;
	size_t size; /* bytes */
	struct ibv_pd *pd;
	int dmabuf_fd; /* -1: plain memory */
};

/**
 * verbs_init_cq() - set the fields of a CQ that do not come from the device
 * @cq: zeroed object of the provider
 * @ctx: its context
 * @channel: completion channel or NULL; api/ increments its use count
 * @cq_context: the application's pointer
 *
 * Call it before the device can raise an event for @cq.
 */
void verbs_init_cq(struct ibv_cq *cq, struct ibv_context *ctx,
		   struct ibv_comp_channel *channel, void *cq_context);

/** verbs_init_srq() - set the same fields of an SRQ from @attr */
void verbs_init_srq(struct verbs_srq *vsrq, struct ibv_context *ctx,
		    const struct ibv_srq_init_attr_ex *attr);

/** verbs_init_qp() - set the same fields of a QP; its state becomes RESET */
void verbs_init_qp(struct verbs_qp *vqp, struct ibv_context *ctx,
		   const struct ibv_qp_init_attr_ex *attr);

/** verbs_fini_cq() - undo verbs_init_cq(); the provider frees the memory */
void verbs_fini_cq(struct ibv_cq *cq);
void verbs_fini_srq(struct ibv_srq *srq);
void verbs_fini_qp(struct ibv_qp *qp);

/*
 * Number of events that the device has raised for an object. The destroy op
 * waits until the application has acknowledged as many: see
 * ibv_ack_cq_events(3) and ibv_get_async_event(3).
 */
struct verbs_event_count {
	uint32_t comp_events;  /* completion events; CQ only */
	uint32_t async_events; /* asynchronous events */
};

/**
 * verbs_wait_cq_acked() - wait until all events of a destroyed CQ are acked
 * @cq: CQ that is already destroyed in the device
 * @raised: as returned by the destroy command
 *
 * Context: blocks; no lock may be held.
 */
void verbs_wait_cq_acked(struct ibv_cq *cq,
			 const struct verbs_event_count *raised);
void verbs_wait_srq_acked(struct ibv_srq *srq,
			  const struct verbs_event_count *raised);
void verbs_wait_qp_acked(struct ibv_qp *qp,
			 const struct verbs_event_count *raised);
/*
 * The application's inline function initializes the lock and the count of a WQ
 * after create_wq(): a WQ that was never returned to it has neither.
 */
void verbs_wait_wq_acked(struct ibv_wq *wq,
			 const struct verbs_event_count *raised);

#endif
