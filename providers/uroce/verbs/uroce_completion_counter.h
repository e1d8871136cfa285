/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion counters of verbs: ibv_create_comp_cntr(3). */
#ifndef UROCE_COMPLETION_COUNTER_H
#define UROCE_COMPLETION_COUNTER_H

#include "uroce/qp/uroce_comp_cntr.h"
#include "uroce/verbs/uroce_verbs.h"

struct uroce_completion_counter {
	struct ibv_comp_cntr cntr;
	struct uroce_identity identity;
	struct uroce_comp_cntr counter;
	/*
	 * The worker of the attached QPs; NULL: there was none yet, or QPs of
	 * several workers. Atomic; written with uroce_instance_lock()
	 */
	struct uroce_worker *worker;
	bool attached;	      /* a QP was; with uroce_instance_lock() */
	unsigned int in_vain; /* see uroce_polled(); atomic */
	uint64_t last_read;   /* sum of both numbers; atomic */
};

static inline struct uroce_completion_counter *
to_uroce_comp_cntr(struct ibv_comp_cntr *cntr)
{
	return verbs_container_of(cntr, struct uroce_completion_counter, cntr);
}

/** uroce_check_comp_cntr() - as the functions of uroce_verbs.h */
int uroce_check_comp_cntr(const struct ibv_comp_cntr *cntr);

#define UROCE_MAX_COMP_CNTRS 65536 /* of a context */

int uroce_query_comp_cntr_caps(struct ibv_context *ctx,
			       struct ibv_comp_cntr_caps *ret_caps);
int uroce_create_comp_cntr(struct ibv_context *ctx,
			   struct ibv_comp_cntr_init_attr *attr,
			   struct ibv_comp_cntr **ret_cntr);
int uroce_destroy_comp_cntr(struct ibv_comp_cntr *cntr);
int uroce_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
			      struct ibv_qp_attach_comp_cntr_attr *attr);
int uroce_read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value);
int uroce_set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value);
int uroce_inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount);
int uroce_read_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value);
int uroce_set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value);
int uroce_inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount);

#endif
