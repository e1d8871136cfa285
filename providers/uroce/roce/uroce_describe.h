/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef UROCE_DESCRIBE_H
#define UROCE_DESCRIBE_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/** uroce_describe_error() - see verbs_context_ops.describe_error() */
int uroce_describe_error(struct ibv_context *ctx, uint32_t qp_num, char *buf,
			 size_t size);

#endif
