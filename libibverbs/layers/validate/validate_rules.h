/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of rules: one entry for each identifier of layers/rules.h. The
 * manual page verbs_validate(7) has the same texts, which a test compares.
 */
#ifndef LAYERS_VALIDATE_RULES_H
#define LAYERS_VALIDATE_RULES_H

#include "layers/rules.h"

enum validate_severity {
	VALIDATE_ERROR,	  /* breaks the specification */
	VALIDATE_WARNING, /* is allowed, but most likely a mistake */
	VALIDATE_HINT,	  /* works; printed on request */
	VALIDATE_NR_SEVERITIES,
};

enum validate_needs {
	VALIDATE_ANY,	  /* the call and queries of the device */
	VALIDATE_HISTORY, /* the object was observed since its creation */
	VALIDATE_SYSTEM,  /* a query of the operating system */
};

struct validate_rule {
	const char *id; /* "AV-QP-001" */
	enum validate_severity severity;
	enum validate_needs needs;
	const char *text;   /* one sentence or more */
	const char *source; /* manual page, or clause of IBTA volume 1 */
};

/* Without LAYERS_RULE_NONE and LAYERS_RULE_UNNAMED, whose id is NULL. */
extern const struct validate_rule validate_rules[LAYERS_NR_RULES];

/** validate_severity_name() - return "error", "warning" or "hint" */
const char *validate_severity_name(enum validate_severity severity);

#endif
