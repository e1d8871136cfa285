/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Posts of the extended API. If rules act on posts or requests, the functions
 * of a QP collect the requests between wr_start and wr_complete. Then they are
 * posted as those of ibv_post_send(), if rules act on requests of the QP, or by
 * the provider's functions otherwise.
 */
#ifndef LAYERS_FAULT_WR_H
#define LAYERS_FAULT_WR_H

#include "layers/fault/fault_objects.h"
#include "util/lock.h"

struct fault_wr {
	struct ibv_qp_ex below;	  /* functions of the provider */
	struct verbs_mutex mutex; /* held from wr_start to wr_complete */
	uint32_t max_wr, max_sge, max_inline;
	uint32_t nr;
	int error; /* of a function that has no result; > 0 */
	/* For @max_wr requests each. */
	struct ibv_send_wr *wrs;
	struct ibv_sge *sges;
	uint8_t *inline_data;
};

typedef int (*fault_wr_complete_function)(struct ibv_qp_ex *qpx);

/** fault_wr_watch() - replace the functions of a new QP, if rules need it */
void fault_wr_watch(struct fault_object *object, struct ibv_qp_ex *qpx,
		    const struct ibv_qp_init_attr_ex *attr);

/** fault_wr_free() - the QP was destroyed; @wr: of its object, or NULL */
void fault_wr_free(struct fault_wr *wr);

/**
 * fault_wr_modifying() - call before the provider modifies a QP
 *
 * The provider of mlx5 sets wr_complete when it modifies a QP.
 *
 * Return: for fault_wr_modified(), which restores it.
 */
fault_wr_complete_function fault_wr_modifying(struct ibv_qp *qp);
void fault_wr_modified(struct ibv_qp *qp, fault_wr_complete_function complete);

/** fault_wr_replace_builders() - make functions add to fault_wr.wrs */
void fault_wr_replace_builders(struct ibv_qp_ex *qpx);

/** fault_wr_replay() - let the provider post the requests; positive errno */
int fault_wr_replay(const struct fault_wr *wr, struct ibv_qp_ex *qpx);

#endif
