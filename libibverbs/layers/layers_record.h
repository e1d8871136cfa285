/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records: what the layers know of a QP, CQ or SRQ, by the address of the
 * object. The data path finds a record without a lock. A QP is also found by
 * its number, which is all that a completion contains.
 *
 * Records are never freed: a thread may read one while another thread destroys
 * a different object. The record of a destroyed object is used again.
 */
#ifndef LAYERS_LAYERS_RECORD_H
#define LAYERS_LAYERS_RECORD_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/validate/validate_qp.h"
#include "util/lock.h"

struct trace_qp;

/*
 * A send request that was posted. Threads may write an entry at the same time,
 * hence the atomic members; such an entry is possibly mixed.
 */
struct layers_request {
	atomic_uint_least64_t wr_id;
	atomic_uint_least64_t remote_addr;
	atomic_uint_least64_t local_addr; /* of the first SGE */
	atomic_uint rkey;
	atomic_uint lkey;   /* of the first SGE */
	atomic_uint length; /* of all SGEs, bytes */
	atomic_uint opcode; /* enum ibv_wr_opcode, plus 1; 0: never used */
};

/* The entries of a QP: the last requests, at most as many as this. */
#define LAYERS_MAX_REQUESTS 1024U

struct layers_qp {
	/* The provider's function, or NULL if it is not replaced. */
	int (*_Atomic wr_complete)(struct ibv_qp_ex *qp);
	struct trace_qp *trace;		 /* constant; NULL: not traced */
	struct layers_request *requests; /* NULL: none are recorded */
	unsigned int nr_requests;	 /* power of two */
	atomic_uint next_request;
	struct ibv_qp_cap cap; /* constant; all 0: unknown */
	struct validate_qp validate;

	/* The other members are protected by layers_mutex. */
	struct layers_record *next_number; /* in the chain of its number */
	uint32_t number;
	enum ibv_qp_type type;
	struct ibv_qp_attr attr;
	int attr_mask;		/* members of attr that are known */
	bool program_set_error; /* by ibv_modify_qp() */
	bool has_failed;	/* first_status and first_wr_id are valid */
	bool flush_is_explained;
	enum ibv_wc_status first_status;
	uint64_t first_wr_id;
};

struct layers_cq {
	/* The provider's functions. */
	int (*start_poll)(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr);
	int (*next_poll)(struct ibv_cq_ex *cq);
};

struct layers_srq {
	uint32_t max_wr, max_sge;
	const struct ibv_pd *pd; /* of the layer validate; NULL: unknown */
};

struct layers_record {
	_Atomic(const void *) object; /* NULL: the record is free */
	struct layers_record *next; /* in the chain of its address; constant */
	uint64_t serial;	    /* of the object */
	const struct ibv_context *ctx;
	bool is_qp;
	union {
		struct layers_qp qp;
		struct layers_cq cq;
		struct layers_srq srq;
	};
};

/*
 * Protects the chains by number and the members of records that say so. A
 * leaf: no verb and no system call is called under it, except memory
 * allocation.
 */
extern struct verbs_mutex layers_mutex;

/**
 * layers_lock() - lock layers_mutex and block signals
 *
 * A signal handler may poll and post, if the provider permits that, and its
 * messages need the mutex. So no handler runs in a thread that holds it.
 */
void layers_lock(void) LOCK_ATTRIBUTE(acquire_capability(layers_mutex));

/** layers_unlock() - undo layers_lock() */
void layers_unlock(void) LOCK_ATTRIBUTE(release_capability(layers_mutex));

/**
 * layers_record_find() - return the record of an object, or NULL
 *
 * The caller may use the object, so no thread destroys it meanwhile.
 *
 * Context: any thread; takes no lock.
 */
struct layers_record *layers_record_find(const void *object);

/** layers_record_add_cq() - make the record of a CQ; NULL: no memory */
struct layers_record *layers_record_add_cq(const struct ibv_context *ctx,
					   const void *object,
					   const struct layers_cq *cq);

/** layers_record_add_srq() - make the record of an SRQ; NULL: no memory */
struct layers_record *layers_record_add_srq(const struct ibv_context *ctx,
					    const void *object,
					    const struct layers_srq *srq);

/**
 * layers_record_add_qp() - make the record of a new QP; NULL: no memory
 * @cap: sizes of its queues
 */
struct layers_record *layers_record_add_qp(const struct ibv_qp *qp,
					   const struct ibv_qp_cap *cap);

/**
 * layers_record_adopt_qp() - find the record of a QP, or make it
 *
 * A vendor library creates QPs that the op table does not show. The sizes of
 * their queues are unknown.
 *
 * Return: the record, or NULL if there is no memory.
 */
struct layers_record *layers_record_adopt_qp(const struct ibv_qp *qp);

/** layers_record_find_number() - return the record of a QP, or NULL */
struct layers_record *layers_record_find_number(const struct ibv_context *ctx,
						uint32_t number)
	REQUIRES(layers_mutex);

/* The record of an object that is about to be destroyed. */
struct layers_mark {
	struct layers_record *record; /* or NULL */
	uint64_t serial;
};

/**
 * layers_record_mark() - find the record before the object is destroyed
 *
 * The record stays, since the destroy op may fail. After it has succeeded, call
 * layers_record_drop(). The memory may already belong to a new object, whose
 * record has another serial number and is not dropped.
 */
struct layers_mark layers_record_mark(const void *object);
void layers_record_drop(struct layers_mark mark);

/** layers_record_drop_context() - drop the records of all objects of @ctx */
void layers_record_drop_context(const struct ibv_context *ctx);

#endif
