/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state diagram (IBTA 10.3.1, figure 124), and the functions that perform
 * the transitions:
 *
 *                  modify               modify             modify
 *        RESET ------------> INIT ---------------> RTR -------------> RTS <--.
 *          ^                 |  ^                                    |  ^    |
 *          |                 '--'                             modify |  |    |
 *          |               attributes                                v  |    |
 *          |                                                       SQD -'    |
 *          |                                           attributes  |  ^      |
 *          |                                                       '--'      |
 *          | modify                                                          |
 *          '------- any state        RTS, SQD: a send fails, UC and UD:      |
 *                                    uroce_core_apply_faults() -> SQE -------'
 *          ERR <--- any state: modify;                            modify
 *                   a send fails, RC: uroce_core_apply_faults();
 *                   a request of the peer is invalid: uroce_rx_fail()
 *
 * Work requests complete in error after entry to ERR (both queues), as soon as
 * no peer accesses their memory, and on entry to SQE (the send queue). They are
 * discarded without completions on entry to RESET.
 *
 * The attributes are those of IBTA 11.2.4.2, tables 91 to 97, with the names of
 * verbs. uroce_qp_state_check() rejects an attribute that the transition does
 * not list.
 */
#include "uroce/qp/uroce_qp_state.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "uroce/wire/uroce_address.h"

#define ALWAYS (IBV_QP_STATE | IBV_QP_CUR_STATE)

/* Required and optional attributes of a transition, for one QP type. */
struct attributes {
	int required, optional;
};

struct transition {
	enum ibv_qp_state from, to;
	struct attributes rc, uc, ud;
};

#define ALT_PATH (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)

static const struct transition transitions[] = {
	{
		IBV_QPS_RESET,
		IBV_QPS_INIT,
		.rc = { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			0 },
		.uc = { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			0 },
		.ud = { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0 },
	},
	{
		IBV_QPS_INIT,
		IBV_QPS_INIT,
		.rc = { 0,
			IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
		.uc = { 0,
			IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
		.ud = { 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY },
	},
	{
		IBV_QPS_INIT,
		IBV_QPS_RTR,
		.rc = { IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				IBV_QP_MIN_RNR_TIMER,
			IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | ALT_PATH |
				IBV_QP_RATE_LIMIT },
		.uc = { IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				IBV_QP_RQ_PSN,
			IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | ALT_PATH |
				IBV_QP_RATE_LIMIT },
		.ud = { 0,
			IBV_QP_PKEY_INDEX | IBV_QP_QKEY | IBV_QP_RATE_LIMIT },
	},
	{
		IBV_QPS_RTR,
		IBV_QPS_RTS,
		.rc = { IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
			IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | ALT_PATH |
				IBV_QP_RATE_LIMIT },
		.uc = { IBV_QP_SQ_PSN,
			IBV_QP_ACCESS_FLAGS | ALT_PATH | IBV_QP_RATE_LIMIT },
		.ud = { IBV_QP_SQ_PSN, IBV_QP_QKEY | IBV_QP_RATE_LIMIT },
	},
	{
		IBV_QPS_RTS,
		IBV_QPS_RTS,
		.rc = { 0, IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER |
				   ALT_PATH | IBV_QP_RATE_LIMIT },
		.uc = { 0, IBV_QP_ACCESS_FLAGS | ALT_PATH | IBV_QP_RATE_LIMIT },
		.ud = { 0, IBV_QP_QKEY | IBV_QP_RATE_LIMIT },
	},
	{
		IBV_QPS_RTS,
		IBV_QPS_SQD,
		.rc = { 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },
		.uc = { 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },
		.ud = { 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },
	},
	{
		IBV_QPS_SQD,
		IBV_QPS_RTS,
		.rc = { 0,
			IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | ALT_PATH },
		.uc = { 0, IBV_QP_ACCESS_FLAGS | ALT_PATH },
		.ud = { 0, IBV_QP_QKEY },
	},
	{
		IBV_QPS_SQD,
		IBV_QPS_SQD,
		.rc = { 0, IBV_QP_AV | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				   IBV_QP_ACCESS_FLAGS | IBV_QP_TIMEOUT |
				   IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				   IBV_QP_MAX_QP_RD_ATOMIC |
				   IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER | ALT_PATH },
		.uc = { 0, IBV_QP_AV | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS |
				   ALT_PATH },
		.ud = { 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },
	},
	{
		/* RC never enters SQE (10.3.1.7) */
		IBV_QPS_SQE,
		IBV_QPS_RTS,
		.rc = { 0, 0 },
		.uc = { 0, IBV_QP_ACCESS_FLAGS },
		.ud = { 0, IBV_QP_QKEY },
	},
};

static const struct attributes *attributes_of(const struct transition *entry,
					      enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_XRC_RECV:
		return entry->from == IBV_QPS_SQE ? NULL : &entry->rc;
	case IBV_QPT_UC:
		return &entry->uc;
	case IBV_QPT_UD:
		return &entry->ud;
	default:
		return NULL;
	}
}

/* Returns NULL if the type does not have the transition. */
static const struct attributes *find_transition(enum ibv_qp_type type,
						enum ibv_qp_state from,
						enum ibv_qp_state to)
{
	/* to RESET or ERR from any state, no attributes (10.3.1.1, 10.3.1.8) */
	static const struct attributes none;
	const size_t nr = sizeof(transitions) / sizeof(transitions[0]);

	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return &none;
	for (size_t i = 0; i < nr; i++)
		if (transitions[i].from == from && transitions[i].to == to)
			return attributes_of(&transitions[i], type);
	return NULL;
}

int uroce_qp_state_used(enum ibv_qp_type type, int mask)
{
	switch (type) {
	case IBV_QPT_XRC_SEND:
		return mask &
		       ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	case IBV_QPT_XRC_RECV:
		return mask & ~(IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RATE_LIMIT);
	default:
		return mask;
	}
}

static bool timers_are_valid(const struct ibv_qp_attr *attr, int mask)
{
	/* 5 bits (9.7.6.1.3), 3 bits (9.7.5.2.8), 5 bits (table 45) */
	if ((mask & IBV_QP_TIMEOUT) && attr->timeout > 31)
		return false;
	if ((mask & IBV_QP_ALT_PATH) && attr->alt_timeout > 31)
		return false;
	if ((mask & IBV_QP_RETRY_CNT) && attr->retry_cnt > 7)
		return false;
	if ((mask & IBV_QP_RNR_RETRY) && attr->rnr_retry > 7)
		return false;
	return !(mask & IBV_QP_MIN_RNR_TIMER) || attr->min_rnr_timer <= 31;
}

static bool numbers_are_valid(const struct ibv_qp_attr *attr, int mask)
{
	if ((mask & IBV_QP_RQ_PSN) && attr->rq_psn > UROCE_PSN_MASK)
		return false;
	if ((mask & IBV_QP_SQ_PSN) && attr->sq_psn > UROCE_PSN_MASK)
		return false;
	if ((mask & IBV_QP_DEST_QPN) && attr->dest_qp_num > UROCE_QPN_MASK)
		return false;
	if ((mask & IBV_QP_RATE_LIMIT) && attr->rate_limit > UROCE_MAX_KBPS)
		return false;
	if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) &&
	    attr->max_rd_atomic > UROCE_MAX_RD_ATOMIC)
		return false;
	return !(mask & IBV_QP_MAX_DEST_RD_ATOMIC) ||
	       attr->max_dest_rd_atomic <= UROCE_MAX_RD_ATOMIC;
}

static bool migration_is_valid(const struct ibv_qp_attr *attr, int mask)
{
	if ((mask & IBV_QP_ALT_PATH) &&
	    (attr->alt_port_num < 1 || attr->alt_port_num > UROCE_NR_PORTS ||
	     attr->alt_pkey_index >= UROCE_NR_PKEYS ||
	     !attr->alt_ah_attr.is_global))
		return false;
	/* 17.2.8: only packets of the peer arm a QP */
	return !(mask & IBV_QP_PATH_MIG_STATE) ||
	       attr->path_mig_state == IBV_MIG_MIGRATED ||
	       attr->path_mig_state == IBV_MIG_REARM;
}

static bool path_is_valid(const struct ibv_qp_attr *attr, int mask,
			  enum ibv_mtu max_mtu)
{
	if ((mask & IBV_QP_PORT) &&
	    (attr->port_num < 1 || attr->port_num > UROCE_NR_PORTS))
		return false;
	if ((mask & IBV_QP_PKEY_INDEX) && attr->pkey_index >= UROCE_NR_PKEYS)
		return false;
	if ((mask & IBV_QP_PATH_MTU) &&
	    (attr->path_mtu < IBV_MTU_256 || attr->path_mtu > max_mtu))
		return false;
	/* A17.4.4: all RoCE addresses are global */
	if ((mask & IBV_QP_AV) && !attr->ah_attr.is_global)
		return false;
	return true;
}

int uroce_qp_state_check(enum ibv_qp_type type, enum ibv_qp_state from,
			 const struct ibv_qp_attr *attr, int mask,
			 enum ibv_mtu max_mtu, enum ibv_qp_state *ret_to)
{
	enum ibv_qp_state to = mask & IBV_QP_STATE ? attr->qp_state : from;
	const struct attributes *allowed;
	int required, optional;

	if ((mask & IBV_QP_CUR_STATE) && attr->cur_qp_state != from)
		return -EINVAL;
	if (mask & IBV_QP_CAP)
		return -EOPNOTSUPP;
	allowed = find_transition(type, from, to);
	if (!allowed)
		return -EINVAL;
	required = uroce_qp_state_used(type, allowed->required);
	optional = uroce_qp_state_used(type, allowed->optional);
	if ((mask & required) != required ||
	    (mask & ~(required | optional | ALWAYS)))
		return -EINVAL;
	if (!timers_are_valid(attr, mask) || !numbers_are_valid(attr, mask) ||
	    !path_is_valid(attr, mask, max_mtu) ||
	    !migration_is_valid(attr, mask))
		return -EINVAL;
	*ret_to = to;
	return 0;
}
