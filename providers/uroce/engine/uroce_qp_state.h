/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * States of a QP: which transitions there are, and which attributes each needs
 * and allows. Tables and bounds only; uroce_qp.h carries a transition out.
 */
#ifndef UROCE_QP_STATE_H
#define UROCE_QP_STATE_H

#include <infiniband/verbs.h>

/* Limits that the device reports, and that a modify is checked against. */
#define UROCE_MAX_RD_ATOMIC 128
#define UROCE_NR_PORTS	    1
#define UROCE_NR_PKEYS	    1

/**
 * uroce_qp_state_check() - whether a modify is allowed
 * @type: of the QP
 * @from: its state
 * @attr: what the application wants
 * @mask: which members of it are valid
 * @max_mtu: of the port
 * @ret_to: receives the state it goes to
 *
 * Return: 0; -EINVAL for a transition or attribute that the tables do not have,
 * one that is missing, or a value out of range; -EOPNOTSUPP for what this
 * device does not do, which is rate limits, resizing, and alternate paths.
 */
int uroce_qp_state_check(enum ibv_qp_type type, enum ibv_qp_state from,
			 const struct ibv_qp_attr *attr, int mask,
			 enum ibv_mtu max_mtu, enum ibv_qp_state *ret_to);

#endif
