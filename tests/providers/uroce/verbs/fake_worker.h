/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces uroce_worker.c below the verbs: one engine whose packets return to
 * itself, in order and at once, and a clock that only the test moves. Checks
 * that the engine lock is used as uroce_worker.h requires.
 */
#ifndef UROCE_TEST_FAKE_WORKER_H
#define UROCE_TEST_FAKE_WORKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "uroce/verbs/uroce_verbs.h"

/* last: needs the headers above */
#include <cmocka.h>

struct fake_worker {
	struct uroce_memory regions;
	struct uroce_engine engine;
	struct uroce_netdev dev;
	uint64_t now;
	bool locked;
	bool dead;
	int port_error;
	struct uroce_instance_counters counters;
	int join_ret;
	unsigned int nr_joined; /* joins without leave */
	unsigned int nr_posts, nr_polls, nr_arms;
	uint32_t last_pd;
	/* uroce_worker_connect(): -ENOENT, unless the test provides a channel
	 */
	int connect_ret;
	struct uroce_path connect_path;
	uint32_t connect_qpn;
	struct uroce_channel channel;
	/* uroce_instance_is_here(), and arguments of
	 * uroce_worker_resolve_ud_peer() */
	bool here;
	struct uroce_path met_path;
	uint32_t met_qpn;
	unsigned int nr_met;
	unsigned int nr_channels; /* channels not released */
	unsigned int nr_settled;  /* calls of uroce_worker_flush_qp() */
	unsigned int
		nr_withdrawn;	/* calls of uroce_instance_withdraw_region() */
	int copies_error;	/* result of the copy functions */
	uint64_t share;		/* for regions; 0: none */
	unsigned int nr_shares; /* shares not released */
	int file_error;		/* of uroce_instance_new_file(), or 0 */
	/* gets each packet before it returns; may be NULL */
	void (*on_packet)(const struct uroce_packet *packet);
};

extern struct fake_worker fake_worker;

/** fake_worker_context() - create a context of the device, with its async pipe
 */
struct uroce_context *fake_worker_context(void);

/** fake_worker_close() - close a context; fails if objects are left */
void fake_worker_close(struct uroce_context *ctx);

/** fake_worker_pass() - advance the clock */
void fake_worker_pass(uint64_t ns);

/* GIDs of the interface: fe80::1, ::ffff:192.0.2.1, 2001:db8::1 */
enum fake_gid {
	FAKE_GID_LINK_LOCAL,
	FAKE_GID_IPV4,
	FAKE_GID_IPV6,
	FAKE_NR_GIDS,
};

/* Objects that most tests need. */
struct ibv_pd *new_pd(struct uroce_context *ctx);
struct ibv_mr *new_mr(struct ibv_pd *pd, void *addr, size_t len, int access);
struct ibv_cq *new_cq(struct uroce_context *ctx, uint32_t cqe,
		      struct ibv_comp_channel *channel);
struct ibv_ah *new_ah(struct ibv_pd *pd);

/* Creates a QP of any type with 8 WQEs, 4 SGEs, 64 bytes inline. */
struct ibv_qp *new_qp(struct ibv_pd *pd, struct ibv_cq *cq,
		      enum ibv_qp_type type, struct ibv_srq *srq);
/* The same for an extended QP. */
struct ibv_qp *new_qp_ex(struct ibv_pd *pd, struct ibv_cq *cq,
			 enum ibv_qp_type type);

/** connect_qp() - move a QP from RESET to RTS, connected to @peer */
void connect_qp(struct ibv_qp *qp, const struct ibv_qp *peer);

/** poll_one() - get exactly one completion */
struct ibv_wc poll_one(struct ibv_cq *cq);

/** assert_no_completion() - check that the CQ is empty */
void assert_no_completion(struct ibv_cq *cq);

#endif
