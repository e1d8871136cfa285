/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of ibv_modify_qp(3). First the transition and its attributes are
 * checked (IBTA 11.2.4.2, and the tables of the manual page), then the value of
 * each attribute against the device and the port.
 */
#include <stdint.h>

#include "layers/checks.h"
#include "layers/layers.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Numbers of QPs and packets have 24 bits. */
#define MAX_24_BITS 0xffffffU

/* IBTA: 5 bits for the two timers, 3 bits for the two counters */
#define MAX_TIMER   31U
#define MAX_RETRIES 7U

/* ------------------------------------------------------------------------ */
/* Transitions                                                               */
/* ------------------------------------------------------------------------ */

/* Sets of QP types. */
enum modify_types {
	RC = 1 << 0,
	UC = 1 << 1,
	UD = 1 << 2,
	XRC_SEND = 1 << 3,
	XRC_RECV = 1 << 4,
	RAW = 1 << 5,
	CONNECTED = RC | UC | XRC_SEND | XRC_RECV,
	ALL = CONNECTED | UD | RAW,
};

/* Attributes of these names are used as IBV_QP_<name>. */
#define ALWAYS	  (IBV_QP_STATE | IBV_QP_CUR_STATE)
#define ALTERNATE (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)
#define PATH	  (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RESPONDER (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define REQUESTER                                               \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
	 IBV_QP_MAX_QP_RD_ATOMIC)

struct modify_transition {
	enum ibv_qp_state from, to;
	int types; /* enum modify_types */
	int required, optional;
};

static const struct modify_transition transitions[] = {
	{ IBV_QPS_RESET, IBV_QPS_INIT, CONNECTED,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0 },
	{ IBV_QPS_RESET, IBV_QPS_INIT, UD,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0 },
	{ IBV_QPS_RESET, IBV_QPS_INIT, RAW, IBV_QP_PORT, 0 },

	{ IBV_QPS_INIT, IBV_QPS_INIT, CONNECTED, 0,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
	{ IBV_QPS_INIT, IBV_QPS_INIT, UD, 0,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY },
	{ IBV_QPS_INIT, IBV_QPS_INIT, RAW, 0, IBV_QP_PORT },

	{ IBV_QPS_INIT, IBV_QPS_RTR, RC | XRC_RECV, PATH | RESPONDER,
	  IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | ALTERNATE },
	{ IBV_QPS_INIT, IBV_QPS_RTR, UC | XRC_SEND, PATH,
	  IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | ALTERNATE },
	{ IBV_QPS_INIT, IBV_QPS_RTR, UD, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },
	{ IBV_QPS_INIT, IBV_QPS_RTR, RAW, 0, 0 },

	{ IBV_QPS_RTR, IBV_QPS_RTS, RC, IBV_QP_SQ_PSN | REQUESTER,
	  IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | ALTERNATE },
	{ IBV_QPS_RTR, IBV_QPS_RTS, XRC_SEND, IBV_QP_SQ_PSN | REQUESTER,
	  IBV_QP_ACCESS_FLAGS | ALTERNATE },
	{ IBV_QPS_RTR, IBV_QPS_RTS, XRC_RECV, IBV_QP_SQ_PSN | IBV_QP_TIMEOUT,
	  IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | ALTERNATE },
	{ IBV_QPS_RTR, IBV_QPS_RTS, UC, IBV_QP_SQ_PSN,
	  IBV_QP_ACCESS_FLAGS | ALTERNATE },
	{ IBV_QPS_RTR, IBV_QPS_RTS, UD, IBV_QP_SQ_PSN, IBV_QP_QKEY },
	{ IBV_QPS_RTR, IBV_QPS_RTS, RAW, 0, 0 },

	{ IBV_QPS_RTS, IBV_QPS_RTS, RC | XRC_RECV, 0,
	  IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | ALTERNATE },
	{ IBV_QPS_RTS, IBV_QPS_RTS, UC | XRC_SEND, 0,
	  IBV_QP_ACCESS_FLAGS | ALTERNATE },
	{ IBV_QPS_RTS, IBV_QPS_RTS, UD, 0, IBV_QP_QKEY },
	{ IBV_QPS_RTS, IBV_QPS_RTS, RAW, 0, 0 },

	{ IBV_QPS_RTS, IBV_QPS_SQD, ALL, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },

	{ IBV_QPS_SQD, IBV_QPS_RTS, RC | XRC_RECV, 0,
	  IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | ALTERNATE },
	{ IBV_QPS_SQD, IBV_QPS_RTS, UC | XRC_SEND, 0,
	  IBV_QP_ACCESS_FLAGS | ALTERNATE },
	{ IBV_QPS_SQD, IBV_QPS_RTS, UD, 0, IBV_QP_QKEY },
	{ IBV_QPS_SQD, IBV_QPS_RTS, RAW, 0, 0 },

	{ IBV_QPS_SQD, IBV_QPS_SQD, RC | XRC_SEND | XRC_RECV, 0,
	  IBV_QP_AV | REQUESTER | RESPONDER | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
		  IBV_QP_ACCESS_FLAGS | ALTERNATE },
	{ IBV_QPS_SQD, IBV_QPS_SQD, UC, 0,
	  IBV_QP_AV | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | ALTERNATE },
	{ IBV_QPS_SQD, IBV_QPS_SQD, UD, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },

	{ IBV_QPS_SQE, IBV_QPS_RTS, UC, 0, IBV_QP_ACCESS_FLAGS },
	{ IBV_QPS_SQE, IBV_QPS_RTS, UD, 0, IBV_QP_QKEY },
};

static int modify_type_bit(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return RC;
	case IBV_QPT_UC:
		return UC;
	case IBV_QPT_UD:
		return UD;
	case IBV_QPT_XRC_SEND:
		return XRC_SEND;
	case IBV_QPT_XRC_RECV:
		return XRC_RECV;
	case IBV_QPT_RAW_PACKET:
		return RAW;
	default:
		return 0;
	}
}

static const struct modify_transition *
modify_find_transition(int type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	/* from any state (IBTA 10.3.1.1, 10.3.1.8) */
	static const struct modify_transition to_reset = { .types = ALL };

	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return &to_reset;
	for (size_t i = 0; i < NR(transitions); i++)
		if (transitions[i].from == from && transitions[i].to == to &&
		    (transitions[i].types & type))
			return &transitions[i];
	return NULL;
}

struct modify_attribute {
	int mask;
	const char *name;   /* in attr_mask */
	const char *member; /* of struct ibv_qp_attr */
};

static const struct modify_attribute attributes[] = {
	{ IBV_QP_EN_SQD_ASYNC_NOTIFY, "IBV_QP_EN_SQD_ASYNC_NOTIFY",
	  "en_sqd_async_notify" },
	{ IBV_QP_ACCESS_FLAGS, "IBV_QP_ACCESS_FLAGS", "qp_access_flags" },
	{ IBV_QP_PKEY_INDEX, "IBV_QP_PKEY_INDEX", "pkey_index" },
	{ IBV_QP_PORT, "IBV_QP_PORT", "port_num" },
	{ IBV_QP_QKEY, "IBV_QP_QKEY", "qkey" },
	{ IBV_QP_AV, "IBV_QP_AV", "ah_attr" },
	{ IBV_QP_PATH_MTU, "IBV_QP_PATH_MTU", "path_mtu" },
	{ IBV_QP_TIMEOUT, "IBV_QP_TIMEOUT", "timeout" },
	{ IBV_QP_RETRY_CNT, "IBV_QP_RETRY_CNT", "retry_cnt" },
	{ IBV_QP_RNR_RETRY, "IBV_QP_RNR_RETRY", "rnr_retry" },
	{ IBV_QP_RQ_PSN, "IBV_QP_RQ_PSN", "rq_psn" },
	{ IBV_QP_MAX_QP_RD_ATOMIC, "IBV_QP_MAX_QP_RD_ATOMIC", "max_rd_atomic" },
	{ IBV_QP_ALT_PATH, "IBV_QP_ALT_PATH", "alt_ah_attr" },
	{ IBV_QP_MIN_RNR_TIMER, "IBV_QP_MIN_RNR_TIMER", "min_rnr_timer" },
	{ IBV_QP_SQ_PSN, "IBV_QP_SQ_PSN", "sq_psn" },
	{ IBV_QP_MAX_DEST_RD_ATOMIC, "IBV_QP_MAX_DEST_RD_ATOMIC",
	  "max_dest_rd_atomic" },
	{ IBV_QP_PATH_MIG_STATE, "IBV_QP_PATH_MIG_STATE", "path_mig_state" },
	{ IBV_QP_CAP, "IBV_QP_CAP", "cap" },
	{ IBV_QP_DEST_QPN, "IBV_QP_DEST_QPN", "dest_qp_num" },
	{ IBV_QP_RATE_LIMIT, "IBV_QP_RATE_LIMIT", "rate_limit" },
};

/* Adds the names of all attributes in @mask. */
static void modify_add_names(struct explain_text *text, int mask)
{
	bool is_first = true;

	for (size_t i = 0; i < NR(attributes); i++) {
		if (!(mask & attributes[i].mask))
			continue;
		explain_add(text, "%s%s (%s)", is_first ? "" : ", ",
			    attributes[i].name, attributes[i].member);
		is_first = false;
	}
}

static enum layers_rule modify_check_cur_state(struct explain_text *text,
					       const struct check_modify *call)
{
	if (!(call->mask & IBV_QP_CUR_STATE) ||
	    call->attr->cur_qp_state == call->from)
		return LAYERS_RULE_NONE;
	explain_add(text, "cur_qp_state is %s, but the QP is in the state %s",
		    explain_state_name(call->attr->cur_qp_state),
		    explain_state_name(call->from));
	return AV_QP_015;
}

static void modify_add_path_to(struct explain_text *text,
			       const struct check_modify *call)
{
	if (call->from == IBV_QPS_ERR)
		explain_add(text, "; from ERR a QP must go to RESET first. A "
				  "QP enters ERR when a work request fails");
	else if (call->to == IBV_QPS_INIT)
		explain_add(text, "; INIT follows RESET: modify the QP to "
				  "RESET first");
	else if (call->to == IBV_QPS_RTR)
		explain_add(text, "; RTR follows INIT");
	else if (call->to == IBV_QPS_RTS)
		explain_add(text, "; RTS follows RTR, and RTR follows INIT");
}

/* Those of all types that can send. */
static int modify_extra_attributes(const struct check_modify *call)
{
	bool takes_limit =
		call->to == IBV_QPS_RTR ||
		(call->to == IBV_QPS_RTS &&
		 (call->from == IBV_QPS_RTR || call->from == IBV_QPS_RTS));

	return takes_limit ? IBV_QP_RATE_LIMIT : 0;
}

static enum layers_rule modify_check_mask(struct explain_text *text,
					  const struct check_modify *call)
{
	int type = modify_type_bit(call->qp->qp_type);
	const struct modify_transition *transition;
	int missing, superfluous;

	if (!type)
		return LAYERS_RULE_NONE;
	transition = modify_find_transition(type, call->from, call->to);
	if (!transition) {
		explain_add(text,
			    "a QP of type %s has no transition from %s "
			    "to %s",
			    explain_qp_type_name(call->qp->qp_type),
			    explain_state_name(call->from),
			    explain_state_name(call->to));
		modify_add_path_to(text, call);
		return AV_QP_001;
	}
	missing = transition->required & ~call->mask;
	if (missing) {
		explain_add(text, "attr_mask lacks ");
		modify_add_names(text, missing);
		explain_add(text, ", which the transition requires; set the "
				  "member and add the bit to attr_mask");
		return AV_QP_002;
	}
	superfluous = call->mask &
		      ~(ALWAYS | transition->required | transition->optional |
			modify_extra_attributes(call));
	if (superfluous) {
		explain_add(text, "the transition does not permit ");
		modify_add_names(text, superfluous);
		explain_add(text, "; remove it from attr_mask");
		return AV_QP_003;
	}
	return LAYERS_RULE_NONE;
}

/* ------------------------------------------------------------------------ */
/* Values                                                                    */
/* ------------------------------------------------------------------------ */

/* A number and its limit. */
struct modify_range {
	int mask;
	const char *member;
	uint32_t value, max;
	enum layers_rule rule;
};

static enum layers_rule modify_check_ranges(struct explain_text *text,
					    const struct check_modify *call)
{
	const struct ibv_qp_attr *attr = call->attr;
	const struct modify_range ranges[] = {
		{ IBV_QP_TIMEOUT, "timeout", attr->timeout, MAX_TIMER,
		  AV_RC_011 },
		{ IBV_QP_ALT_PATH, "alt_timeout", attr->alt_timeout, MAX_TIMER,
		  AV_RC_011 },
		{ IBV_QP_MIN_RNR_TIMER, "min_rnr_timer", attr->min_rnr_timer,
		  MAX_TIMER, AV_RC_011 },
		{ IBV_QP_RETRY_CNT, "retry_cnt", attr->retry_cnt, MAX_RETRIES,
		  AV_RC_011 },
		{ IBV_QP_RNR_RETRY, "rnr_retry", attr->rnr_retry, MAX_RETRIES,
		  AV_RC_011 },
		{ IBV_QP_DEST_QPN, "dest_qp_num", attr->dest_qp_num,
		  MAX_24_BITS, AV_QP_007 },
		{ IBV_QP_RQ_PSN, "rq_psn", attr->rq_psn, MAX_24_BITS,
		  AV_QP_007 },
		{ IBV_QP_SQ_PSN, "sq_psn", attr->sq_psn, MAX_24_BITS,
		  AV_QP_007 },
	};

	for (size_t i = 0; i < NR(ranges); i++) {
		if (!(call->mask & ranges[i].mask) ||
		    ranges[i].value <= ranges[i].max)
			continue;
		explain_add(text, "%s is %u, but at most %u is possible",
			    ranges[i].member, ranges[i].value, ranges[i].max);
		return ranges[i].rule;
	}
	return LAYERS_RULE_NONE;
}

static enum layers_rule modify_check_rd_atomic(struct explain_text *text,
					       const struct check_modify *call)
{
	struct ibv_context *ctx = call->qp->context;
	const struct ibv_qp_attr *attr = call->attr;
	struct ibv_device_attr_ex device = {};

	if (LAYERS_CALL_BELOW(ctx, query_device, ctx, NULL, &device,
			      sizeof(device)) != 0)
		return LAYERS_RULE_NONE;
	if ((call->mask & IBV_QP_MAX_QP_RD_ATOMIC) &&
	    attr->max_rd_atomic > device.orig_attr.max_qp_init_rd_atom) {
		explain_add(text,
			    "max_rd_atomic is %u, above max_qp_init_rd_atom "
			    "of the device, which is %d",
			    attr->max_rd_atomic,
			    device.orig_attr.max_qp_init_rd_atom);
		return AV_RC_006;
	}
	if ((call->mask & IBV_QP_MAX_DEST_RD_ATOMIC) &&
	    attr->max_dest_rd_atomic > device.orig_attr.max_qp_rd_atom) {
		explain_add(text,
			    "max_dest_rd_atomic is %u, above max_qp_rd_atom "
			    "of the device, which is %d",
			    attr->max_dest_rd_atomic,
			    device.orig_attr.max_qp_rd_atom);
		return AV_RC_006;
	}
	return LAYERS_RULE_NONE;
}

static enum layers_rule modify_check_rate(struct explain_text *text,
					  const struct check_modify *call)
{
	struct ibv_context *ctx = call->qp->context;
	uint32_t kbps = call->attr->rate_limit;
	struct ibv_device_attr_ex device = {};
	const struct ibv_packet_pacing_caps *caps = &device.packet_pacing_caps;

	if (!(call->mask & IBV_QP_RATE_LIMIT) || !kbps ||
	    LAYERS_CALL_BELOW(ctx, query_device, ctx, NULL, &device,
			      sizeof(device)) != 0)
		return LAYERS_RULE_NONE;
	if (!(caps->supported_qpts & 1U << call->qp->qp_type)) {
		explain_add(text,
			    "rate_limit is %u kbit/s, but the device does not "
			    "limit the rate of QPs of type %s",
			    kbps, explain_qp_type_name(call->qp->qp_type));
		return AV_QP_017;
	}
	if (kbps >= caps->qp_rate_limit_min && kbps <= caps->qp_rate_limit_max)
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "rate_limit is %u kbit/s, but the limits of the device "
		    "are %u to %u kbit/s",
		    kbps, caps->qp_rate_limit_min, caps->qp_rate_limit_max);
	return AV_QP_017;
}

/* Returns the port of the call, of the address or of the QP; 0: unknown. */
static uint8_t modify_find_port(const struct check_modify *call)
{
	const struct layers_record *record;
	uint8_t port = 0;

	if (call->mask & IBV_QP_PORT)
		return call->attr->port_num;
	layers_lock();
	record = layers_record_find(call->qp);
	if (record && (record->qp.attr_mask & IBV_QP_PORT))
		port = record->qp.attr.port_num;
	layers_unlock();
	return port ? port : call->attr->ah_attr.port_num;
}

static unsigned int modify_mtu_bytes(enum ibv_mtu mtu)
{
	return 128U << (unsigned int)mtu;
}

static enum layers_rule modify_check_mtu(struct explain_text *text,
					 const struct check_modify *call,
					 uint8_t port)
{
	struct ibv_context *ctx = call->qp->context;
	enum ibv_mtu mtu = call->attr->path_mtu;
	struct ibv_port_attr port_attr = {};

	if (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096) {
		explain_add(text,
			    "path_mtu is %d; it is a value of enum ibv_mtu "
			    "(IBV_MTU_1024 is %d), not a number of bytes",
			    (int)mtu, (int)IBV_MTU_1024);
		return AV_QP_016;
	}
	if (LAYERS_CALL_BELOW(ctx, query_port, ctx, port, &port_attr) != 0 ||
	    mtu <= port_attr.active_mtu)
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "path_mtu is %u bytes, but port %u has an active MTU of "
		    "%u bytes; use the smaller active_mtu of both ports",
		    modify_mtu_bytes(mtu), port,
		    modify_mtu_bytes(port_attr.active_mtu));
	return AV_QP_005;
}

static enum layers_rule modify_check_pkey(struct explain_text *text,
					  const struct check_modify *call,
					  uint8_t port)
{
	struct ibv_context *ctx = call->qp->context;
	struct ibv_port_attr attr = {};

	if (LAYERS_CALL_BELOW(ctx, query_port, ctx, port, &attr) != 0 ||
	    call->attr->pkey_index < attr.pkey_tbl_len)
		return LAYERS_RULE_NONE;
	explain_add(text, "pkey_index is %u, but port %u has %u P_Keys",
		    call->attr->pkey_index, port, attr.pkey_tbl_len);
	return AV_QP_004;
}

static enum layers_rule modify_check_address(struct explain_text *text,
					     const struct check_modify *call,
					     uint8_t port)
{
	const struct ibv_ah_attr *ah_attr = &call->attr->ah_attr;
	enum layers_rule rule =
		check_address(text, call->qp->context, port, ah_attr);

	if (rule || ah_attr->port_num == port)
		return rule;
	explain_add(text,
		    "ah_attr.port_num is %u, but the QP uses port %u; set it "
		    "to the same port",
		    ah_attr->port_num, port);
	return AV_AD_006;
}

static enum layers_rule modify_check_values(struct explain_text *text,
					    const struct check_modify *call)
{
	enum layers_rule rule = LAYERS_RULE_NONE;
	uint8_t port = modify_find_port(call);

	if (call->mask & IBV_QP_PORT)
		rule = check_port(text, call->qp->context, port);
	if (!rule && (call->mask & IBV_QP_PKEY_INDEX))
		rule = modify_check_pkey(text, call, port);
	if (!rule && (call->mask & IBV_QP_AV))
		rule = modify_check_address(text, call, port);
	if (!rule && (call->mask & IBV_QP_PATH_MTU))
		rule = modify_check_mtu(text, call, port);
	if (!rule)
		rule = modify_check_ranges(text, call);
	if (!rule)
		rule = modify_check_rate(text, call);
	if (!rule)
		rule = check_migration(text, call);
	return rule ? rule : modify_check_rd_atomic(text, call);
}

/* ------------------------------------------------------------------------ */
/* The call                                                                  */
/* ------------------------------------------------------------------------ */

/* The state may have changed since the last call of the program. */
static enum ibv_qp_state modify_query_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init_attr = {};
	struct ibv_qp_attr attr = {};

	if (LAYERS_CALL_BELOW(qp->context, query_qp, qp, &attr, IBV_QP_STATE,
			      &init_attr) != 0)
		return qp->state;
	return attr.qp_state;
}

struct check_modify check_modify_describe(struct ibv_qp *qp,
					  const struct ibv_qp_attr *attr,
					  int attr_mask)
{
	enum ibv_qp_state from = modify_query_state(qp);

	return (struct check_modify){
		.qp = qp,
		.attr = attr,
		.mask = attr_mask,
		.from = from,
		.to = attr_mask & IBV_QP_STATE ? attr->qp_state : from,
	};
}

enum layers_rule check_modify_qp(struct explain_text *text,
				 const struct check_modify *call)
{
	enum layers_rule rule = modify_check_cur_state(text, call);

	if (!rule)
		rule = modify_check_mask(text, call);
	return rule ? rule : modify_check_values(text, call);
}
