/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Output of findings: a line of text on standard error or in a file, and a line
 * of JSON in a second file. No function here changes errno.
 */
#ifndef LAYERS_VALIDATE_REPORT_H
#define LAYERS_VALIDATE_REPORT_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "layers/explain.h"
#include "layers/rules.h"
#include "layers/validate/validate_settings.h"

/** validate_report_start() - use these settings; called once */
void validate_report_start(const struct validate_settings *settings);

/** validate_report_forked() - forget the findings of the parent process */
void validate_report_forked(void);

/** validate_wants() - whether findings of a rule are counted */
bool validate_wants(enum layers_rule rule);

/**
 * validate_report() - count and print a finding
 * @rule: nothing happens if it has no identifier or is disabled
 * @text: call, object and clause, without a full stop
 */
void validate_report(enum layers_rule rule, const struct ibv_context *ctx,
		     const struct explain_text *text);

#endif
