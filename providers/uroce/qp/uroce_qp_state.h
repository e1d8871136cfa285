/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Transitions between QP states, with their required and optional attributes.
 * This file has tables and bounds only; uroce_qp.h executes a transition.
 */
#ifndef UROCE_QP_STATE_H
#define UROCE_QP_STATE_H

#include <infiniband/verbs.h>

/* Limits that the device reports and uroce_qp_state_check() enforces. */
#define UROCE_MAX_RD_ATOMIC 128
#define UROCE_MAX_KBPS	    100000000 /* rate limit: 100 Gbit/s */
#define UROCE_NR_PORTS	    1
#define UROCE_NR_PKEYS	    1

/**
 * uroce_qp_state_used() - remove attributes of the side that XRC QPs lack
 * @type: type of the QP
 * @mask: enum ibv_qp_attr_mask
 *
 * The kernel ignores them before it checks a transition, and programs set them.
 *
 * Return: @mask, without them.
 */
int uroce_qp_state_used(enum ibv_qp_type type, int mask);

/**
 * uroce_qp_state_check() - check the arguments of ibv_modify_qp()
 * @type: type of the QP
 * @from: current state
 * @attr: new attributes
 * @mask: enum ibv_qp_attr_mask of the valid members of @attr
 * @max_mtu: MTU of the port
 * @ret_to: receives the new state
 *
 * Return: 0; -EINVAL for a transition or attribute that the tables do not have,
 * a missing attribute, or a value out of range; -EOPNOTSUPP for resizing and
 * alternate paths, which this device does not support.
 */
int uroce_qp_state_check(enum ibv_qp_type type, enum ibv_qp_state from,
			 const struct ibv_qp_attr *attr, int mask,
			 enum ibv_mtu max_mtu, enum ibv_qp_state *ret_to);

#endif
