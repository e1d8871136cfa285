/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Steps that break one rule of the layer validate. With @mistake, a step breaks
 * the rule once. Without, it makes the same calls with the mistake corrected,
 * and breaks no rule. The fixture exists before and is removed afterwards.
 */
#ifndef VALIDATE_STEPS_H
#define VALIDATE_STEPS_H

#include <stdbool.h>

#include "layers/rules.h"
#include "providers/uroce/program/verbs_fixture.h"

struct validate_step {
	enum layers_rule rule;
	const char *variant; /* of the step, if a rule has several, or "" */
	void (*run)(bool mistake);
	const char *settings; /* NULL: all rules are enabled */
	bool uses_packets;    /* the device sends packets to the own process */
};

/* A step is run by this function of a table entry. */
#define VALIDATE_STEP(group, number)                          \
	{                                                     \
		.rule = AV_##group##_##number, .variant = "", \
		.run = step_##group##_##number                \
	}

/* One of several steps of a rule, by step_GROUP_NUMBER_NAME(). */
#define VALIDATE_VARIANT(group, number, name)                        \
	{                                                            \
		.rule = AV_##group##_##number, .variant = "_" #name, \
		.run = step_##group##_##number##_##name              \
	}

/* Each ends with an entry of LAYERS_RULE_NONE. */
extern const struct validate_step validate_steps_modify[];
extern const struct validate_step validate_steps_objects[];
extern const struct validate_step validate_steps_posts[];
extern const struct validate_step validate_steps_requests[];
extern const struct validate_step validate_steps_built[];
extern const struct validate_step validate_steps_windows[];
extern const struct validate_step validate_steps_flight[];
extern const struct validate_step validate_steps_statuses[];
extern const struct validate_step validate_steps_peers[];
extern const struct validate_step validate_steps_arming[];

/** step_set_clock() - set the seconds by which all clocks are ahead */
void step_set_clock(int seconds);

/** validate_step_attr() - attributes of a transition to @state that succeed */
struct ibv_qp_attr validate_step_attr(enum ibv_qp_state state,
				      int *ret_attr_mask);

/** step_sge() - an SGE at the begin of the fixture's memory */
struct ibv_sge step_sge(uint32_t length);

/**
 * step_write() - a request with one SGE of 8 bytes
 * @sge: is set; it must stay until the request is posted
 *
 * Needs no receive request.
 */
struct ibv_send_wr step_write(struct ibv_sge *sge);

/** step_connect_to_itself() - move a QP in RESET to RTS */
void step_connect_to_itself(struct ibv_qp *qp);

/** step_new_qp_to_itself() - make an RC QP in RTS */
struct ibv_qp *step_new_qp_to_itself(void);

/* A UD QP in RTS, an address handle, and a request to the QP itself. */
struct step_datagram {
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
};

void step_datagram_begin(struct step_datagram *step);
void step_datagram_end(const struct step_datagram *step);

#endif
