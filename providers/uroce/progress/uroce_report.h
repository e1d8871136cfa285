/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Log output for the diagnosis of missing traffic. */
#ifndef UROCE_REPORT_H
#define UROCE_REPORT_H

#include <infiniband/verbs.h>

#include "uroce/progress/uroce_instance.h"

/**
 * uroce_report_counters() - log all counters that are not 0
 * @ctx: context that is about to be closed
 * @instance: its device
 *
 * Counters are those of the process since its first device was opened.
 */
void uroce_report_counters(const struct ibv_context *ctx,
			   struct uroce_instance *instance);

/** uroce_report_port() - log the reason if the port is down */
void uroce_report_port(const struct ibv_context *ctx,
		       const struct uroce_instance *instance);

#endif
