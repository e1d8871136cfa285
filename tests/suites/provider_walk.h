/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The walk of provider_walk.c over one device: its objects, and its stages. A
 * stage makes all its objects, and prints "-" for an object whose prerequisites
 * are missing; the stages that drop objects run in reverse order.
 */
#ifndef SUITES_PROVIDER_WALK_H
#define SUITES_PROVIDER_WALK_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "step_lines.h"

#define WALK_BUFFER_LEN 8192

struct walk {
	struct ibv_context *context;
	bool is_ethernet;

	char *buffer;
	struct ibv_pd *pd;
	struct ibv_td *td;
	struct ibv_pd *parent_domain;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_xrcd *xrcd;
	struct ibv_ah *ah, *local_ah;
	struct ibv_dm *dm;
	struct ibv_mr *dm_mr;
	struct ibv_counters *counters;

	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;
	struct ibv_srq *srq, *xrc_srq;

	struct ibv_qp *rc, *uc, *ud, *rc_srq, *rc_ex, *ud_ex, *xrc_target;

	struct ibv_wq *wq;
	struct ibv_rwq_ind_table *table;
	struct ibv_qp *rss, *raw;
	struct ibv_flow *flow;
};

void walk_make_memory(struct walk *w);
void walk_make_cqs(struct walk *w);
void walk_make_qps(struct walk *w);
void walk_make_wqs(struct walk *w);
void walk_drop_wqs(struct walk *w);
void walk_drop_qps(struct walk *w);
void walk_drop_cqs(struct walk *w);
void walk_drop_memory(struct walk *w);

/*
 * Destroys an existing object and prints the result; prints "-" without an
 * object.
 */
#define WALK_DROP(step, object, function)                   \
	do {                                                \
		errno = 0;                                  \
		if (!(object))                              \
			walk_skip(step);                    \
		else if (walk_done(step, function(object))) \
			(object) = NULL;                    \
	} while (0)

#endif
