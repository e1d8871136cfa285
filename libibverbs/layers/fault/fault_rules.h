/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The language of VERBS_FAULT: what faults the layer injects, and where.
 *
 *	plan     = item { ";" item }
 *	item     = "" | "seed=" NUMBER | "log=" FILE | "replay=" FILE | rule
 *	rule     = action "@" selector { "," selector }
 *	action   = "errno=" NAME | "delay=" TIME [ ".." TIME ] | "short=" NUMBER
 *	         | "disarm" | "cqe=" NUMBER | "wc=" STATUS [ ",late" ] |
 *"shuffle" | "hold=recv," TIME [ ".." TIME ] | "event=" EVENT selector =
 *"call=" FUNCTION | "op=" OPCODE | "qp=" object | "cq=" object | "srq=" object
 *| "port=" NUMBER | "dev=" NAME | "bytes=" NUMBER [ "-" NUMBER ] | "status="
 *STATUS | "nth=" NUMBER | "every=" NUMBER | "p=" PROBABILITY | "after=" TIME |
 *"before=" TIME | "limit=" NUMBER object   = NUMBER | "any"
 *
 * A line ends an item, too. "#" begins a comment, which the line ends.
 */
#ifndef LAYERS_FAULT_RULES_H
#define LAYERS_FAULT_RULES_H

#include <infiniband/verbs.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/fault_choice.h"

#define FAULT_MAX_RULES 64U
#define FAULT_ANY	0U

/* Calls that rules can select; fault_names.c has their names. */
enum fault_call {
	FAULT_NO_CALL,
	FAULT_QUERY_DEVICE,
	FAULT_QUERY_PORT,
	FAULT_QUERY_GID,
	FAULT_QUERY_PKEY,
	FAULT_CREATE_COMP_CHANNEL,
	FAULT_ALLOC_PD,
	FAULT_DEALLOC_PD,
	FAULT_OPEN_XRCD,
	FAULT_CLOSE_XRCD,
	FAULT_REG_MR,
	FAULT_REG_DMABUF_MR,
	FAULT_REREG_MR,
	FAULT_DEREG_MR,
	FAULT_ALLOC_MW,
	FAULT_DEALLOC_MW,
	FAULT_CREATE_AH,
	FAULT_DESTROY_AH,
	FAULT_ATTACH_MCAST,
	FAULT_DETACH_MCAST,
	FAULT_CREATE_CQ,
	FAULT_RESIZE_CQ,
	FAULT_MODIFY_CQ,
	FAULT_DESTROY_CQ,
	FAULT_CREATE_SRQ,
	FAULT_MODIFY_SRQ,
	FAULT_QUERY_SRQ,
	FAULT_DESTROY_SRQ,
	FAULT_CREATE_QP,
	FAULT_MODIFY_QP,
	FAULT_QUERY_QP,
	FAULT_DESTROY_QP,
	FAULT_POST_SEND,
	FAULT_POST_RECV,
	FAULT_POST_SRQ_RECV,
	FAULT_POLL_CQ,
	FAULT_REQ_NOTIFY_CQ,
	FAULT_NR_CALLS,
};

enum fault_action {
	FAULT_ERRNO,
	FAULT_DELAY,
	FAULT_SHORT,
	FAULT_DISARM,
	FAULT_CQE,
	FAULT_WC,
	FAULT_HOLD,
	FAULT_EVENT,
	FAULT_SHUFFLE,
};

/* Kinds of numbered objects (fault_objects.h). */
enum fault_kind {
	FAULT_CONTEXT,
	FAULT_QP,
	FAULT_CQ,
	FAULT_SRQ,
	FAULT_NR_KINDS,
};

/* Selectors of a rule; bits of its member selectors. */
enum fault_selector {
	FAULT_HAS_CALL = 1 << 0,
	FAULT_HAS_OP = 1 << 1,
	FAULT_HAS_QP = 1 << 2,
	FAULT_HAS_CQ = 1 << 3,
	FAULT_HAS_DEV = 1 << 4,
	FAULT_HAS_BYTES = 1 << 5,
	FAULT_HAS_STATUS = 1 << 6,
	FAULT_HAS_SRQ = 1 << 7,
	FAULT_HAS_PORT = 1 << 8,
};

struct fault_rule {
	enum fault_action action;
	int error;			/* FAULT_ERRNO: > 0 */
	uint64_t min_ns, max_ns;	/* FAULT_DELAY, FAULT_HOLD */
	uint32_t number;		/* FAULT_SHORT, FAULT_CQE: > 0 */
	enum ibv_wc_status status;	/* FAULT_WC */
	bool is_late;			/* FAULT_WC: the request is executed */
	enum ibv_event_type event_type; /* FAULT_EVENT */

	unsigned int selectors; /* the members that follow are valid */
	enum fault_call call;	/* NO_CALL: FAULT_EVENT, at a time */
	enum ibv_wr_opcode op;
	uint64_t qp, cq, srq; /* serial number, from 1, or FAULT_ANY */
	uint32_t port;	      /* 1 to 255 */
	char dev[IBV_SYSFS_NAME_MAX];
	uint64_t min_bytes, max_bytes;
	enum ibv_wc_status selected_status;
	struct fault_choice choice;

	struct fault_text text;
};

struct fault_plan {
	uint64_t seed;
	char log[PATH_MAX];    /* empty: standard error */
	char replay[PATH_MAX]; /* empty: the selectors decide */
	unsigned int nr_rules;
	struct fault_rule rules[FAULT_MAX_RULES];
};

/* The place of a mistake; line and column are numbered from 1. */
struct fault_mistake {
	unsigned int line, column;
	const char *message;
	struct fault_text text; /* the item that is wrong */
};

/**
 * fault_plan_parse() - read the settings
 * @text: the texts of the rules point into it
 * @ret_mistake: the first mistake
 *
 * Return: whether the settings are correct.
 */
bool fault_plan_parse(const char *text, struct fault_plan *ret_plan,
		      struct fault_mistake *ret_mistake);

/* ------------------------------------------------------------------------ */
/* fault_check.c                                                             */
/* ------------------------------------------------------------------------ */

/**
 * fault_rule_check() - check the combination of action and selectors
 *
 * Sets the call if the action implies it.
 *
 * Return: NULL, or a message.
 */
const char *fault_rule_check(struct fault_rule *rule);

/** fault_event_kind() - the kind of object that an asynchronous event has */
enum fault_kind fault_event_kind(enum ibv_event_type type);

/* ------------------------------------------------------------------------ */
/* fault_names.c                                                             */
/* ------------------------------------------------------------------------ */

/* Each function returns whether @name is known. */
bool fault_find_call(struct fault_text name, enum fault_call *ret_call);
bool fault_find_errno(struct fault_text name, int *ret_error);
bool fault_find_opcode(struct fault_text name, enum ibv_wr_opcode *ret_op);
bool fault_find_status(struct fault_text name, enum ibv_wc_status *ret_status);
bool fault_find_event_type(struct fault_text name,
			   enum ibv_event_type *ret_type);

/** fault_call_name() - return the name of a function without "ibv_" */
const char *fault_call_name(enum fault_call call);

/** fault_kind_name() - return the name of a kind of objects: "QP" */
const char *fault_kind_name(enum fault_kind kind);

/** fault_logged_text() - return the text of a rule as the log has it */
struct fault_text fault_logged_text(const struct fault_rule *rule);

#endif
