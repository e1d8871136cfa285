/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs with the layer fault, on the user-space device. Each test runs in
 * its own process, since the settings are read once.
 */
#ifndef FAULT_FIXTURE_H
#define FAULT_FIXTURE_H

#include "libibverbs/layers/explain_fixture.h"
#include "providers/uroce/program/verbs_fixture.h"

/** fault_use() - use these settings; captures standard error */
void fault_use(const char *settings);

/** fault_start() - fault_use() and fixture_setup() */
void fault_start(const char *settings);

/** fault_stop() - fixture_teardown() */
void fault_stop(void);

/** assert_log() - standard error has exactly this text since the last check */
void assert_log(const char *text);

/** fault_post() - post a SEND without data, which has a completion */
int fault_post(struct ibv_qp *qp, uint64_t wr_id);

/** fault_post_recv() - post a receive request without memory */
int fault_post_recv(struct ibv_qp *qp, uint64_t wr_id);

#endif
