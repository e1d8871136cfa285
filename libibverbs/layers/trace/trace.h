/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layer trace: records each call, request and completion in a file
 * (trace_format.h). The functions that replace ops call this file. While the
 * layer is disabled, trace_begin() returns 0 and the other functions return at
 * once.
 *
 * No function here calls a verb or changes errno. Those of the data path take
 * no lock that a signal handler could wait for.
 */
#ifndef LAYERS_TRACE_TRACE_H
#define LAYERS_TRACE_TRACE_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layers/trace/trace_format.h"

/* Whether the layer is requested; constant after the start of the host. */
extern bool trace_is_requested;
/* Whether this process has a file. */
extern atomic_bool trace_is_on;

/**
 * trace_request() - enable the layer
 * @settings: value of VERBS_TRACE, or NULL
 */
void trace_request(const char *settings);

/**
 * trace_open() - create the file of the process, unless it has one
 *
 * Failure costs one warning.
 */
void trace_open(void);

/** trace_forked() - end the trace in a child, which has no file */
void trace_forked(void);

/** trace_begin() - return the time, which is > 0, or 0: not traced */
uint64_t trace_begin(void);

/**
 * trace_call() - record a call that ends now
 * @key: handle or lkey of the object
 * @result: 0, or -errno
 */
void trace_call(enum trace_op op, uint64_t begin, uint32_t key, uint64_t bytes,
		int result);

struct trace_qp;

/* An asynchronous event. */
struct trace_event {
	enum ibv_event_type type;
	struct trace_qp *qp; /* or NULL */
	uint32_t number;     /* of the QP, WQ or port, or handle */
};

/** trace_event() - record an event that the program has read */
void trace_event(const struct trace_event *event, uint64_t begin);

/** trace_count() - count a call that succeeded, without a record */
void trace_count(enum trace_op op, uint64_t begin);

/* ------------------------------------------------------------------------ */
/* Queues                                                                    */
/* ------------------------------------------------------------------------ */

/*
 * Requests in flight. The memory of entries and state may be in the file. It is
 * never freed while pollers may use it.
 */
struct trace_queue {
	atomic_flag lock; /* of the head */
	_Atomic(struct trace_entry *) entries;
	_Atomic(struct trace_queue_state *) state;
	struct trace_queue_state own; /* if the file has no room */
	uint32_t size;		      /* power of two */
	uint32_t max_sge;	      /* of a request that a provider accepts */
};

struct trace_qp {
	struct trace_qp *next; /* constant */
	atomic_bool used;
	const struct ibv_context *ctx;
	uint32_t number;
	uint32_t index;		      /* in the file, or TRACE_NO_QP */
	struct trace_qp_stats *stats; /* NULL: the file has no room */
	struct trace_queue send, recv;
	struct trace_queue *recv_queue;	   /* recv, or that of the SRQ */
	struct trace_srq_stats *srq_stats; /* NULL: none in the file */
	/* The request that is being built, under the rules of wr_start(). */
	struct trace_wr *building;
};

struct trace_srq {
	struct trace_srq *next; /* constant */
	_Atomic(const struct ibv_srq *) srq;
	uint32_t index;		       /* in the file, or TRACE_NO_SRQ */
	struct trace_srq_stats *stats; /* NULL: the file has no room */
	struct trace_queue queue;
};

/* A post that has begun. */
struct trace_post {
	uint64_t begin;
	struct trace_queue *queue;
	struct trace_qp *qp; /* or NULL: SRQ */
	struct trace_qp_stats *stats;
	struct trace_srq_stats *srq_stats;
	uint32_t index;
	uint32_t first, nr; /* entries */
	enum trace_op op;
};

/** trace_qp_add() - observe a new QP; NULL: not traced, or no memory */
struct trace_qp *trace_qp_add(const struct ibv_qp *qp,
			      const struct ibv_qp_init_attr_ex *attr);
/**
 * trace_qp_modified() - note the attributes of a QP; @qp may be NULL
 * @own_gid: of the path, or zero
 */
void trace_qp_modified(struct trace_qp *qp, const struct ibv_qp_attr *attr,
		       int attr_mask, const union ibv_gid *own_gid);
void trace_qp_drop(struct trace_qp *qp);
void trace_srq_add(const struct ibv_srq *srq, const struct ibv_srq_attr *attr);
/** trace_srq_find() - return an SRQ, or NULL; takes no lock */
struct trace_srq *trace_srq_find(const struct ibv_srq *srq);
/** trace_srq_drop() - forget a destroyed SRQ; @entry may be NULL */
void trace_srq_drop(struct trace_srq *entry, const struct ibv_srq *srq);

/* Before and after a post; @qp may be NULL. */
void trace_send_begin(struct trace_post *post, struct trace_qp *qp,
		      const struct ibv_send_wr *wr, uint64_t begin);
void trace_send_end(const struct trace_post *post, const struct ibv_send_wr *wr,
		    const struct ibv_send_wr *bad, int error);
/** trace_bind_end() - trace_send_end() of a request without ibv_post_send() */
void trace_bind_end(struct trace_post *post, const struct ibv_send_wr *wr,
		    int error);
void trace_recv_begin(struct trace_post *post, struct trace_qp *qp,
		      const struct ibv_srq *srq, const struct ibv_recv_wr *wr,
		      uint64_t begin);
void trace_recv_end(const struct trace_post *post, const struct ibv_recv_wr *wr,
		    const struct ibv_recv_wr *bad, int error);

/** trace_polled() - record completions; @nr < 0: an error */
void trace_polled(const struct ibv_context *ctx, uint64_t begin,
		  const struct ibv_wc *wc, int nr);

/** trace_polled_ex() - record the current completion of an extended CQ */
void trace_polled_ex(struct ibv_cq_ex *cq, enum trace_op op, uint64_t begin,
		     int ret);

/* ------------------------------------------------------------------------ */
/* Replaced functions                                                        */
/* ------------------------------------------------------------------------ */

/** trace_watch_wr() - replace the functions that build requests */
void trace_watch_wr(struct trace_qp *qp, struct ibv_qp_ex *qpx);

/* The requests of a wr_complete(). */
struct trace_wr_list {
	uint64_t begin; /* 0: not traced */
	uint32_t first, nr;
};

/* Before and after wr_complete(); @qp may be NULL. @error: its result. */
struct trace_wr_list trace_wr_completing(struct trace_qp *qp);
void trace_wr_completed(struct trace_qp *qp, const struct trace_wr_list *list,
			int error);

#endif
