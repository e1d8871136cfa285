/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Polls of extended completion queues. If rules act on polls or requests, the
 * functions of a CQ call poll_cq of this layer for each completion, and return
 * the members of struct ibv_wc. So both functions have the same faults.
 */
#ifndef LAYERS_FAULT_CQ_EX_H
#define LAYERS_FAULT_CQ_EX_H

#include "layers/fault/fault_objects.h"

/** fault_cq_ex_watch() - replace the functions of a new CQ, if rules need it */
void fault_cq_ex_watch(struct fault_object *object, struct ibv_cq_ex *cq,
		       const struct ibv_cq_init_attr_ex *attr);

/** fault_cq_ex_free() - the CQ was destroyed; @cq_ex: of its object, or NULL */
void fault_cq_ex_free(struct fault_cq_ex *cq_ex);

#endif
