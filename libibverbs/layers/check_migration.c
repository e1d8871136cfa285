/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of ibv_modify_qp(3) for the alternate path and the path migration state
 * (IBTA 17.2.8).
 */
#include <stdint.h>

#include "layers/checks.h"
#include "layers/layers.h"

static bool migration_is_possible(struct ibv_context *ctx)
{
	struct ibv_device_attr_ex attr = {};

	return LAYERS_CALL_BELOW(ctx, query_device, ctx, NULL, &attr,
				 sizeof(attr)) != 0 ||
	       (attr.orig_attr.device_cap_flags & IBV_DEVICE_AUTO_PATH_MIG);
}

static enum layers_rule migration_check_path(struct explain_text *text,
					     const struct check_modify *call)
{
	const struct ibv_qp_attr *attr = call->attr;
	uint8_t port = attr->alt_port_num;
	enum layers_rule rule;

	rule = check_port(text, call->qp->context, port);
	if (!rule)
		rule = check_address(text, call->qp->context, port,
				     &attr->alt_ah_attr);
	if (rule)
		explain_add(text, " (alternate path)");
	return rule;
}

static enum layers_rule migration_check_rearm(struct explain_text *text,
					      const struct check_modify *call,
					      const struct ibv_qp_attr *now)
{
	if ((call->mask & IBV_QP_ALT_PATH) || now->alt_port_num)
		return LAYERS_RULE_NONE;
	explain_add(text, "path_mig_state is IBV_MIG_REARM, but the QP has no "
			  "alternate path; set alt_ah_attr and alt_port_num, "
			  "and add IBV_QP_ALT_PATH to attr_mask");
	return AV_QP_018;
}

static enum layers_rule migration_check_migrated(struct explain_text *text,
						 const struct ibv_qp_attr *now)
{
	if (now->path_mig_state != IBV_MIG_REARM)
		return LAYERS_RULE_NONE;
	explain_add(text, "path_mig_state is IBV_MIG_MIGRATED, but the QP is "
			  "in IBV_MIG_REARM; it can migrate in IBV_MIG_ARMED, "
			  "which it enters with a packet of the peer once the "
			  "peer has rearmed, too");
	return AV_QP_018;
}

static enum layers_rule migration_check_state(struct explain_text *text,
					      const struct check_modify *call)
{
	struct ibv_qp_init_attr init_attr = {};
	struct ibv_qp_attr now = {};

	if (LAYERS_CALL_BELOW(call->qp->context, query_qp, call->qp, &now,
			      IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE,
			      &init_attr) != 0)
		return LAYERS_RULE_NONE;
	switch (call->attr->path_mig_state) {
	case IBV_MIG_REARM:
		return migration_check_rearm(text, call, &now);
	case IBV_MIG_MIGRATED:
		return migration_check_migrated(text, &now);
	case IBV_MIG_ARMED:
		explain_add(text, "path_mig_state is IBV_MIG_ARMED, which only "
				  "the device enters; request IBV_MIG_REARM at "
				  "both ends");
		return AV_QP_018;
	default:
		explain_add(text,
			    "path_mig_state is %d, which is no value of enum "
			    "ibv_mig_state",
			    (int)call->attr->path_mig_state);
		return AV_QP_018;
	}
}

enum layers_rule check_migration(struct explain_text *text,
				 const struct check_modify *call)
{
	enum layers_rule rule = LAYERS_RULE_NONE;

	if (!(call->mask & (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)))
		return LAYERS_RULE_NONE;
	if (!migration_is_possible(call->qp->context)) {
		explain_add(text, "the device has no alternate paths: "
				  "IBV_DEVICE_AUTO_PATH_MIG is not set");
		return AV_QP_018;
	}
	if (call->mask & IBV_QP_ALT_PATH)
		rule = migration_check_path(text, call);
	if (!rule && (call->mask & IBV_QP_PATH_MIG_STATE))
		rule = migration_check_state(text, call);
	return rule;
}
