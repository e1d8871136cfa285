/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was counted, for people who look for the reason why nothing comes. */
#ifndef UROCE_REPORT_H
#define UROCE_REPORT_H

#include <infiniband/verbs.h>

#include "uroce/uroce_loop.h"

/**
 * uroce_report_counters() - log all counters that are not 0
 * @ctx: that is about to be closed
 * @instance: its device
 *
 * They are those of the process since its first device was opened.
 */
void uroce_report_counters(const struct ibv_context *ctx,
			   struct uroce_instance *instance);

/** uroce_report_port() - log why no packets come and go, if that is so */
void uroce_report_port(const struct ibv_context *ctx,
		       const struct uroce_instance *instance);

#endif
