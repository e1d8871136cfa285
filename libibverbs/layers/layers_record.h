/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records: what the layers know of an object, by its address. The record of a
 * QP or MR is also found by its number or lkey, which is all that a completion
 * or an SGE contains. The data path finds a record without a lock.
 *
 * Records are never freed: a thread may read one while another thread destroys
 * a different object. The record of a destroyed object is used again, after
 * those of its kind that were destroyed before.
 */
#ifndef LAYERS_LAYERS_RECORD_H
#define LAYERS_LAYERS_RECORD_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/layer_hooks.h"
#include "layers/layers_track.h"
#include "layers/validate/validate_cq.h"
#include "layers/validate/validate_qp.h"
#include "util/lock.h"

struct trace_qp;

struct layers_qp {
	/* The provider's function, or NULL if it is not replaced. */
	int (*_Atomic wr_complete)(struct ibv_qp_ex *qp);
	struct trace_qp *trace; /* constant; NULL: not traced */
	struct ibv_qp_cap cap;	/* constant; all 0: unknown */
	struct validate_qp validate;

	/* The other members are protected by layers_mutex. */
	enum ibv_qp_type type;
	struct ibv_qp_attr attr;
	int attr_mask;		/* members of attr that are known */
	union ibv_gid own_gid;	/* of attr.ah_attr; zero: unknown */
	bool program_set_error; /* by ibv_modify_qp() */
	bool has_failed;	/* first_status and first_wr_id are valid */
	bool flush_is_explained;
	enum ibv_wc_status first_status;
	uint64_t first_wr_id;

	/* Last, since these members outlive the QP. */
	struct layers_track send, recv;
};

struct layers_cq {
	/* The provider's functions; NULL: they are not replaced. */
	int (*start_poll)(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr);
	int (*next_poll)(struct ibv_cq_ex *cq);
	atomic_uint nr_events; /* that the program took */
	atomic_uint nr_polls;
	struct validate_cq validate;
};

struct layers_srq {
	uint32_t max_wr, max_sge;
	const struct ibv_pd *pd;  /* of the layer validate; NULL: unknown */
	struct layers_track recv; /* last, since it outlives the SRQ */
};

/*
 * A memory region. A wrong request may read one that changes, hence the atomic
 * members.
 */
struct layers_mr {
	_Atomic(const struct ibv_pd *) pd; /* NULL: unknown */
	atomic_uint_least64_t begin;	   /* the address that requests use */
	atomic_uint_least64_t length;	   /* bytes; UINT64_MAX: unknown */
	atomic_uint access;
	atomic_uint rkey;
};

struct layers_ah {
	union ibv_gid dgid;	      /* constant; zero: unknown */
	atomic_uint_least64_t target; /* the last one that was checked */
};

/* Objects that an object uses. A parent domain uses its PD. */
enum layers_used {
	LAYERS_USED_PD,
	LAYERS_USED_SEND_CQ,
	LAYERS_USED_RECV_CQ,
	LAYERS_USED_SRQ,
	LAYERS_MAX_USED,
};

struct layers_record {
	uint64_t serial; /* of the object; older ones are lower */
	const void *used[LAYERS_MAX_USED]; /* objects, or NULL */
	const void *former; /* the address of an object that was destroyed */
	struct layers_record *next_gone;
	struct layers_record *next_of_kind; /* constant */
	bool is_adopted;		    /* the creation was not observed */

	/* What the data path reads begins a cache line. */
	_Alignas(64) _Atomic(const void *) object; /* NULL: it was destroyed */
	_Atomic(const struct ibv_context *) ctx;
	atomic_uint number;    /* QP number, lkey, rkey or handle */
	enum layers_kind kind; /* constant */
	union { /* its member, if any, is as long as the kind requires */
		struct layers_qp qp;
		struct layers_cq cq;
		struct layers_srq srq;
		struct layers_mr mr;
		struct layers_ah ah;
	};
};

/*
 * Protects changes of the tables and the members of records that say so. A
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

/**
 * layers_record_find_number() - return the record of a QP or MR, or NULL
 * @kind: LAYERS_QP or LAYERS_MR
 * @number: QP number or lkey
 *
 * Context: as layers_record_find().
 */
struct layers_record *layers_record_find_number(const struct ibv_context *ctx,
						enum layers_kind kind,
						uint32_t number);

/* A new object. */
struct layers_made {
	enum layers_kind kind;
	const struct ibv_context *ctx;
	const void *object;
	const void *used[LAYERS_MAX_USED];
	uint32_t number;
	bool is_adopted;
	const struct layers_mr *mr; /* if it is a memory region */
	union ibv_gid dgid;	    /* of an address handle, or zero */
};

/**
 * layers_record_add() - make the record of an object
 *
 * Its member of the union is zeroed, except mr.
 *
 * Return: the record, or NULL if there is no memory.
 */
struct layers_record *layers_record_add(const struct layers_made *made);

/**
 * layers_record_add_qp() - make the record of a QP; NULL: no memory
 * @attr: of its creation; NULL: it was not observed
 */
struct layers_record *
layers_record_add_qp(const struct ibv_qp *qp,
		     const struct ibv_qp_init_attr_ex *attr);

/** layers_record_add_srq() - make the record of an SRQ; NULL: no memory */
struct layers_record *
layers_record_add_srq(const struct ibv_srq *srq,
		      const struct ibv_srq_init_attr_ex *attr);

/**
 * layers_record_adopt_qp() - find the record of a QP, or make it
 *
 * A vendor library creates QPs that the op table does not show. The sizes of
 * their queues are unknown.
 *
 * Return: the record, or NULL if there is no memory.
 */
struct layers_record *layers_record_adopt_qp(const struct ibv_qp *qp);

/** layers_record_set_number() - an MR has another lkey */
void layers_record_set_number(struct layers_record *record, uint32_t number);

/** layers_records_are_complete() - whether no object lacks memory */
bool layers_records_are_complete(void);

/**
 * layers_record_next_locked() - return the next record of an existing object
 * @from: the one before, or NULL
 *
 * Newer objects are not always before older ones.
 */
struct layers_record *
layers_record_next_locked(enum layers_kind kind,
			  const struct layers_record *from)
	REQUIRES(layers_mutex);

/**
 * layers_record_next_gone_locked() - return the next record of a kind whose
 * object was destroyed
 * @from: the one before, or NULL
 *
 * Only some of the last ones exist.
 */
struct layers_record *
layers_record_next_gone_locked(enum layers_kind kind,
			       const struct layers_record *from)
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
