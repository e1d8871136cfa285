/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* QPs that are traced. Private to layers/trace/. */
#ifndef LAYERS_TRACE_QP_H
#define LAYERS_TRACE_QP_H

#include "layers/trace/trace.h"

/** trace_qp_find() - return the QP with a number, or NULL; takes no lock */
struct trace_qp *trace_qp_find(const struct ibv_context *ctx, uint32_t number);

#endif
