/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the layer validate knows of a QP, as a part of its record
 * (layers/layers_record.h). Threads may post at the same time, hence the atomic
 * members.
 */
#ifndef LAYERS_VALIDATE_QP_H
#define LAYERS_VALIDATE_QP_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct validate_wr;

struct validate_qp {
	/* Constant. All 0 if the creation of the QP was not observed. */
	const struct ibv_pd *pd;     /* of regions; NULL: unknown */
	const struct ibv_pd *own_pd; /* the same, or a parent domain */
	bool is_known;
	bool signals_all;      /* sq_sig_all */
	bool has_unseen_posts; /* by ibv_wr_start() */

	struct validate_wr *built; /* freed with the record; may be NULL */

	/* Send requests since the last one that is signaled. */
	atomic_uint nr_unsignaled;

	/* The first post after the last poll of the CQ that was observed. */
	atomic_uint noted_polls;
	atomic_uint noted_s;

	/* It is in ERR or RESET, so its requests are not executed. */
	atomic_bool is_stopped;
	/* The first completion with an error; 0: none. */
	atomic_uint failed_status;
	atomic_uint_least64_t failed_wr_id;
	atomic_uint nr_failed_posts; /* since then */
	atomic_bool flush_is_reported;
	/* A mistake was reported, which possibly causes errors. */
	atomic_bool has_mistake;

	/* Attributes; 0: unknown. */
	atomic_uint port;
	atomic_uint max_bytes;	   /* of a message */
	atomic_uint max_rd_atomic; /* plus 1 */
};

#define VALIDATE_LOAD(member) \
	atomic_load_explicit(&(member), memory_order_relaxed)
#define VALIDATE_STORE(member, value) \
	atomic_store_explicit(&(member), value, memory_order_relaxed)

#endif
