/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules of verbs that the layers know. The layer validate reports a broken
 * rule by its identifier, such as AV-QP-001; the layer explain only describes
 * it. An identifier is never used for a different rule. The texts are in
 * layers/validate/validate_rules.c.
 */
#ifndef LAYERS_RULES_H
#define LAYERS_RULES_H

enum layers_rule {
	LAYERS_RULE_NONE,    /* no rule is broken; 0 */
	LAYERS_RULE_UNNAMED, /* a rule without an identifier */

	/* address vectors */
	AV_AD_001,
	AV_AD_002,
	AV_AD_005,
	AV_AD_006,
	AV_AD_008,
	/* atomics */
	AV_AT_001,
	AV_AT_002,
	/* completion queues */
	AV_CQ_003,
	AV_CQ_005,
	AV_CQ_006,
	AV_CQ_007,
	AV_CQ_008,
	AV_CQ_009,
	AV_CQ_010,
	/* events */
	AV_EV_003,
	/* requests of the extended API */
	AV_EX_007,
	/* keys and memory */
	AV_KY_001,
	AV_KY_002,
	AV_KY_003,
	AV_KY_004,
	AV_KY_005,
	AV_KY_006,
	AV_KY_008,
	AV_KY_009,
	AV_KY_011,
	AV_KY_012,
	/* lifetime of objects */
	AV_LT_001,
	AV_LT_002,
	AV_LT_003,
	AV_LT_004,
	AV_LT_005,
	AV_LT_006,
	AV_LT_007,
	AV_LT_008,
	/* memory windows */
	AV_MW_001,
	AV_MW_002,
	AV_MW_003,
	AV_MW_004,
	/* posts */
	AV_PO_001,
	AV_PO_002,
	AV_PO_003,
	AV_PO_004,
	AV_PO_005,
	AV_PO_006,
	AV_PO_007,
	AV_PO_008,
	AV_PO_009,
	AV_PO_010,
	/* queue pairs */
	AV_QP_001,
	AV_QP_002,
	AV_QP_003,
	AV_QP_004,
	AV_QP_005,
	AV_QP_006,
	AV_QP_007,
	AV_QP_008,
	AV_QP_009,
	AV_QP_011,
	AV_QP_012,
	AV_QP_013,
	AV_QP_014,
	AV_QP_015,
	AV_QP_016,
	AV_QP_017,
	AV_QP_018,
	/* reliable connections */
	AV_RC_001,
	AV_RC_002,
	AV_RC_003,
	AV_RC_004,
	AV_RC_005,
	AV_RC_006,
	AV_RC_007,
	AV_RC_008,
	AV_RC_009,
	AV_RC_010,
	AV_RC_011,
	/* shared receive queues */
	AV_SR_001,
	AV_SR_002,
	AV_SR_005,
	/* datagrams */
	AV_UD_001,
	AV_UD_002,
	AV_UD_003,
	AV_UD_004,
	AV_UD_005,
	/* completions with an error */
	AV_WC_001,
	AV_WC_002,
	AV_WC_003,
	AV_WC_004,
	AV_WC_005,
	AV_WC_006,
	AV_WC_007,
	AV_WC_008,
	AV_WC_009,
	AV_WC_010,
	AV_WC_011,

	LAYERS_NR_RULES,
};

#endif
