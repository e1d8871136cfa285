// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: the states of a QP, their transitions and
 * attributes (IBTA 10.3.1, 11.2.4.2; ibv_modify_qp(3)).
 */
#include "conform.h"

#include <errno.h>
#include <string.h>

#define STATE_NR 7 /* IBV_QPS_RESET to IBV_QPS_ERR */

static const enum ibv_qp_type state_types[] = { IBV_QPT_RC, IBV_QPT_UC,
						IBV_QPT_UD };
#define STATE_NR_TYPES 3

static const char *state_name(enum ibv_qp_state state)
{
	static const char *const names[] = { "RESET", "INIT", "RTR", "RTS",
					     "SQD",   "SQE",  "ERR" };

	return state < STATE_NR ? names[state] : "?";
}

static const char *state_type_name(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC ? "RC" : type == IBV_QPT_UC ? "UC" : "UD";
}

/* iWARP has neither UC nor UD; a test of all types needs all. */
#define STATE_NEEDS (NEED_UC | NEED_UD)

static struct qp *state_qp_new(enum ibv_qp_type type)
{
	const struct qp_args args = { .type = type };

	return qp_new(CLIENT, &args);
}

/* The single step of a QP that is connected to itself. */
static int state_step(struct qp *qp, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr;
	int mask = qp_step(qp, qp, to, NULL, &attr);

	return qp_modify(qp, &attr, mask);
}

/* A send request that fails locally: SQE for UC and UD. */
static void state_fail_send(struct qp *qp)
{
	struct mem *mem = mem_new(qp->end, 64, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 64);

	work.sge[0].lkey ^= 0x7700;
	work.ah = qp->type == IBV_QPT_UD ? ah_new(qp->end) : NULL;
	work.remote_qpn = qp->num;
	work.remote_qkey = CONFORM_QKEY;
	work.wr_id = 0xbad;
	post(qp, &work);
	REQUIRE_EQUAL(poll_status(qp->send_cq, IBV_WC_LOC_PROT_ERR).wr_id,
		      0xbad);
}

/* A QP without requests is drained at once, or soon. */
static void state_wait_drained(struct qp *qp)
{
	for (int ms = 0; qp_query(qp).sq_draining; ms++) {
		REQUIRE(ms < CONFORM_WAIT_MS);
		poll_nothing(qp->send_cq, 1);
	}
}

/* From RESET to @state. */
static void state_go_to(struct qp *qp, enum ibv_qp_state state)
{
	static const enum ibv_qp_state steps[] = { IBV_QPS_INIT, IBV_QPS_RTR,
						   IBV_QPS_RTS };

	if (state == IBV_QPS_RESET)
		return;
	for (int i = 0; i < 3; i++) {
		REQUIRE_EQUAL(state_step(qp, steps[i]), 0);
		if (steps[i] == state)
			return;
	}
	if (state == IBV_QPS_SQE)
		state_fail_send(qp);
	else
		REQUIRE_EQUAL(qp_to_state(qp, state), 0);
	qp_wait_state(qp, state);
	if (state == IBV_QPS_SQD)
		state_wait_drained(qp);
}

/* IBTA figure 124. RESET to ERR has a test of its own. */
static bool state_is_allowed(enum ibv_qp_state from, enum ibv_qp_state to)
{
	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return true;
	switch (from) {
	case IBV_QPS_RESET:
		return to == IBV_QPS_INIT;
	case IBV_QPS_INIT:
		return to == IBV_QPS_INIT || to == IBV_QPS_RTR;
	case IBV_QPS_RTR:
		return to == IBV_QPS_RTS;
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
		return to == IBV_QPS_RTS || to == IBV_QPS_SQD;
	case IBV_QPS_SQE:
		return to == IBV_QPS_RTS;
	default:
		return false;
	}
}

/* The attributes of the step to @to; to RTS, only those of RTR to RTS. */
static int state_try(struct qp *qp, enum ibv_qp_state from,
		     enum ibv_qp_state to)
{
	if (to == IBV_QPS_RTS && from >= IBV_QPS_RTS && from <= IBV_QPS_SQE)
		return qp_to_state(qp, to);
	if (from == IBV_QPS_RTS && to == IBV_QPS_SQD)
		return qp_to_state(qp, to);
	return state_step(qp, to);
}

static void state_check_transitions(enum ibv_qp_type type,
				    enum ibv_qp_state from)
{
	struct qp *qp = state_qp_new(type);

	for (int k = 0; k < STATE_NR; k++) {
		enum ibv_qp_state to = (enum ibv_qp_state)k;
		bool allowed = state_is_allowed(from, to);

		if (from == IBV_QPS_RESET && to == IBV_QPS_ERR)
			continue;
		conform_context("%s from %s to %s", state_type_name(type),
				state_name(from), state_name(to));
		state_go_to(qp, from);
		REQUIRE_EQUAL(qp_query(qp).qp_state, from);
		REQUIRE_EQUAL(state_try(qp, from, to), allowed ? 0 : EINVAL);
		REQUIRE_EQUAL(qp_query(qp).qp_state, allowed ? to : from);
		state_wait_drained(qp);
		REQUIRE_EQUAL(qp_to_state(qp, IBV_QPS_RESET), 0);
		REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_RESET);
	}
}

static void state_check_all_transitions(enum ibv_qp_type type)
{
	for (int k = 0; k < STATE_NR; k++) {
		if (k != IBV_QPS_SQE)
			state_check_transitions(type, (enum ibv_qp_state)k);
	}
}

static void state_rc_transitions_follow_diagram(void)
{
	state_check_all_transitions(IBV_QPT_RC);
}

static void state_uc_transitions_follow_diagram(void)
{
	state_check_all_transitions(IBV_QPT_UC);
}

static void state_ud_transitions_follow_diagram(void)
{
	state_check_all_transitions(IBV_QPT_UD);
}

static void state_sqe_transitions_follow_diagram(void)
{
	state_check_transitions(IBV_QPT_UC, IBV_QPS_SQE);
	state_check_transitions(IBV_QPT_UD, IBV_QPS_SQE);
}

static void state_reset_to_err_is_allowed(void)
{
	for (int i = 0; i < STATE_NR_TYPES; i++) {
		struct qp *qp = state_qp_new(state_types[i]);

		REQUIRE_EQUAL(qp_to_state(qp, IBV_QPS_ERR), 0);
		REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_ERR);
	}
}

static void state_unknown_is_einval(void)
{
	struct qp *qp = state_qp_new(IBV_QPT_RC);

	state_go_to(qp, IBV_QPS_RTS);
	REQUIRE_EQUAL(qp_to_state(qp, (enum ibv_qp_state)STATE_NR), EINVAL);
	REQUIRE_EQUAL(qp_to_state(qp, (enum ibv_qp_state)100), EINVAL);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_RTS);
}

/* -- attributes of the steps -- */

static const enum ibv_qp_state state_steps[] = { IBV_QPS_INIT, IBV_QPS_RTR,
						 IBV_QPS_RTS };

/* Each required attribute is left out once. */
static void state_missing_attribute_is_einval(void)
{
	for (int i = 0; i < STATE_NR_TYPES * 3; i++) {
		struct qp *qp = state_qp_new(state_types[i / 3]);
		const enum ibv_qp_state to = state_steps[i % 3];
		struct ibv_qp_attr attr;
		enum ibv_qp_state from = IBV_QPS_RESET;
		int mask;

		if (i % 3 > 0)
			from = state_steps[i % 3 - 1];
		state_go_to(qp, from);
		mask = qp_step(qp, qp, to, NULL, &attr);
		for (int bit = 0; bit < 31; bit++) {
			const int left_out = 1 << bit;

			if (left_out == IBV_QP_STATE || !(mask & left_out))
				continue;
			conform_context("%s to %s without %#x",
					state_type_name(qp->type),
					state_name(to), (unsigned)left_out);
			REQUIRE_EQUAL(qp_modify(qp, &attr, mask & ~left_out),
				      EINVAL);
			REQUIRE_EQUAL(qp_query(qp).qp_state, from);
		}
		REQUIRE_EQUAL(qp_modify(qp, &attr, mask), 0);
		REQUIRE_EQUAL(qp_query(qp).qp_state, to);
	}
}

/* Attributes that a step does not list, not even as optional ones. */
static int state_foreign(enum ibv_qp_type type, enum ibv_qp_state to)
{
	int mask = IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		   IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;

	if (to == IBV_QPS_RTS)
		mask = IBV_QP_PORT | IBV_QP_PKEY_INDEX;
	if (to != IBV_QPS_RTR || type == IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC;
	if (to == IBV_QPS_RTR)
		mask |= IBV_QP_PORT;
	if (type != IBV_QPT_UD)
		mask |= IBV_QP_QKEY;
	return mask;
}

static void state_foreign_attribute_is_einval(void)
{
	for (int i = 0; i < STATE_NR_TYPES * 3; i++) {
		struct qp *qp = state_qp_new(state_types[i / 3]);
		const enum ibv_qp_state to = state_steps[i % 3];
		const int foreign = state_foreign(qp->type, to);
		struct ibv_qp_attr attr, all;
		enum ibv_qp_state from = IBV_QPS_RESET;
		int mask;

		if (i % 3 > 0)
			from = state_steps[i % 3 - 1];
		state_go_to(qp, from);
		/* All attributes have valid values. */
		(void)qp_step(qp, qp, IBV_QPS_RTR, NULL, &all);
		mask = qp_step(qp, qp, to, NULL, &attr);
		attr.port_num = 1;
		attr.qkey = CONFORM_QKEY;
		attr.ah_attr = all.ah_attr;
		attr.path_mtu = all.path_mtu;
		attr.max_dest_rd_atomic = 1;
		attr.max_rd_atomic = 1;
		for (int bit = 0; bit < 31; bit++) {
			const int extra = 1 << bit;

			if (!(foreign & extra))
				continue;
			conform_context("%s to %s with %#x",
					state_type_name(qp->type),
					state_name(to), (unsigned)extra);
			REQUIRE_EQUAL(qp_modify(qp, &attr, mask | extra),
				      EINVAL);
			REQUIRE_EQUAL(qp_query(qp).qp_state, from);
		}
		REQUIRE_EQUAL(qp_modify(qp, &attr, mask), 0);
	}
}

static void state_invalid_value_is_einval(void)
{
	struct qp *qp = state_qp_new(IBV_QPT_RC);
	struct ibv_qp_attr attr, good;
	int mask = qp_step(qp, qp, IBV_QPS_INIT, NULL, &good);

	attr = good;
	attr.port_num = 0;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	attr.port_num = 200;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	REQUIRE_EQUAL(qp_modify(qp, &good, mask), 0);

	mask = qp_step(qp, qp, IBV_QPS_RTR, NULL, &good);
	attr = good;
	attr.path_mtu = (enum ibv_mtu)6;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_INIT);
	REQUIRE_EQUAL(qp_modify(qp, &good, mask), 0);

	mask = qp_step(qp, qp, IBV_QPS_RTS, NULL, &good);
	attr = good;
	attr.max_rd_atomic = 255;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_RTR);
	REQUIRE_EQUAL(qp_modify(qp, &good, mask), 0);
}

static void state_invalid_pkey_index_is_einval(void)
{
	struct qp *qp = state_qp_new(IBV_QPT_RC);
	struct ibv_qp_attr attr;
	int mask = qp_step(qp, qp, IBV_QPS_INIT, NULL, &attr);

	attr.pkey_index = 0xfff0;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_RESET);
}

static void state_path_mtu_of_zero_is_einval(void)
{
	struct qp *qp = state_qp_new(IBV_QPT_RC);
	struct ibv_qp_attr attr;
	int mask;

	state_go_to(qp, IBV_QPS_INIT);
	mask = qp_step(qp, qp, IBV_QPS_RTR, NULL, &attr);
	attr.path_mtu = (enum ibv_mtu)0;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_INIT);
}

static void state_too_many_reads_as_responder_is_einval(void)
{
	struct qp *qp = state_qp_new(IBV_QPT_RC);
	struct ibv_qp_attr attr;
	int mask;

	if (conform_device()->orig_attr.max_qp_rd_atom >= 255)
		conform_skip("the device has no such limit");
	state_go_to(qp, IBV_QPS_INIT);
	mask = qp_step(qp, qp, IBV_QPS_RTR, NULL, &attr);
	attr.max_dest_rd_atomic = 255;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_INIT);
}

static void state_wrong_current_state_is_einval(void)
{
	struct qp *qp = state_qp_new(IBV_QPT_RC);
	struct ibv_qp_attr attr;
	int mask;

	state_go_to(qp, IBV_QPS_RTR);
	mask = qp_step(qp, qp, IBV_QPS_RTS, NULL, &attr) | IBV_QP_CUR_STATE;
	attr.cur_qp_state = IBV_QPS_SQD;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_RTR);
	attr.cur_qp_state = IBV_QPS_RTR;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), 0);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_RTS);
}

/* A refused ibv_modify_qp() changes no attribute. */
static void state_refused_modify_changes_nothing(void)
{
	struct qp *qp = state_qp_new(IBV_QPT_RC);
	struct ibv_qp_attr attr = { .qp_access_flags = IBV_ACCESS_REMOTE_READ,
				    .min_rnr_timer = 9,
				    .path_mtu = IBV_MTU_256 };

	state_go_to(qp, IBV_QPS_RTS);
	REQUIRE_EQUAL(qp_modify(qp, &attr,
				IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER |
					IBV_QP_PATH_MTU),
		      EINVAL);
	attr = qp_query(qp);
	REQUIRE_EQUAL(attr.qp_access_flags, IBV_ACCESS_REMOTE_WRITE |
						    IBV_ACCESS_REMOTE_READ |
						    IBV_ACCESS_REMOTE_ATOMIC);
	REQUIRE_EQUAL(attr.min_rnr_timer, 1);
	REQUIRE_EQUAL(attr.path_mtu, conform_port()->active_mtu);
}

/* -- query -- */

static void state_query_returns_what_was_set(void)
{
	const struct connect_args args = {
		.access = IBV_ACCESS_REMOTE_READ,
		.timeout = 13,
		.retry_cnt = 5,
		.rnr_retry = 6,
		.min_rnr_timer = 17,
		.rd_atomic = 4,
		.sq_psn = 0x123456,
		.rq_psn = 0xabcdef,
	};
	struct pair pair = pair_new(NULL, &args);
	struct ibv_qp_attr attr = qp_query(pair.client);

	REQUIRE_EQUAL(attr.qp_state, IBV_QPS_RTS);
	REQUIRE_EQUAL(attr.path_mtu, conform_port()->active_mtu);
	REQUIRE_EQUAL(attr.qp_access_flags, IBV_ACCESS_REMOTE_READ);
	REQUIRE_EQUAL(attr.dest_qp_num, pair.server->num);
	REQUIRE_EQUAL(attr.sq_psn, 0x123456);
	REQUIRE_EQUAL(attr.rq_psn, 0xabcdef);
	REQUIRE_EQUAL(attr.timeout, 13);
	REQUIRE_EQUAL(attr.retry_cnt, 5);
	REQUIRE_EQUAL(attr.rnr_retry, 6);
	REQUIRE_EQUAL(attr.min_rnr_timer, 17);
	REQUIRE_EQUAL(attr.max_rd_atomic, 4);
	REQUIRE_EQUAL(attr.max_dest_rd_atomic, 4);
	REQUIRE_EQUAL(attr.port_num, 1);
	REQUIRE_EQUAL(attr.pkey_index, 0);
	REQUIRE_EQUAL(attr.sq_draining, 0);
	REQUIRE_EQUAL(attr.ah_attr.is_global, 1);
	REQUIRE_EQUAL(attr.ah_attr.grh.hop_limit, 64);
	REQUIRE(!memcmp(&attr.ah_attr.grh.dgid, conform_gid(),
			sizeof(*conform_gid())));
	REQUIRE_EQUAL(attr.cap.max_send_wr, pair.client->cap.max_send_wr);
	REQUIRE_EQUAL(attr.cap.max_recv_wr, pair.client->cap.max_recv_wr);
	REQUIRE_EQUAL(attr.cap.max_send_sge, pair.client->cap.max_send_sge);
	REQUIRE_EQUAL(attr.cap.max_recv_sge, pair.client->cap.max_recv_sge);
	REQUIRE_EQUAL(attr.cap.max_inline_data,
		      pair.client->cap.max_inline_data);

	/* The other end has the PSNs the other way round. */
	attr = qp_query(pair.server);
	REQUIRE_EQUAL(attr.sq_psn, 0xabcdef);
	REQUIRE_EQUAL(attr.rq_psn, 0x123456);
	REQUIRE_EQUAL(attr.dest_qp_num, pair.client->num);
}

/* Attributes that may change in RTS and SQD. */
static void state_changes_in_rts_and_sqd_are_returned(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct ibv_qp_attr attr = { .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
				    .min_rnr_timer = 22 };

	REQUIRE_EQUAL(qp_modify(pair.client, &attr,
				IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER),
		      0);
	attr = qp_query(pair.client);
	REQUIRE_EQUAL(attr.qp_state, IBV_QPS_RTS);
	REQUIRE_EQUAL(attr.qp_access_flags, IBV_ACCESS_REMOTE_WRITE);
	REQUIRE_EQUAL(attr.min_rnr_timer, 22);

	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_SQD), 0);
	state_wait_drained(pair.client);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_SQD,
		.timeout = 11,
		.retry_cnt = 2,
		.rnr_retry = 1,
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 2,
	};
	REQUIRE_EQUAL(qp_modify(pair.client, &attr,
				IBV_QP_STATE | IBV_QP_TIMEOUT |
					IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					IBV_QP_MAX_QP_RD_ATOMIC |
					IBV_QP_MAX_DEST_RD_ATOMIC),
		      0);
	attr = qp_query(pair.client);
	REQUIRE_EQUAL(attr.qp_state, IBV_QPS_SQD);
	REQUIRE_EQUAL(attr.timeout, 11);
	REQUIRE_EQUAL(attr.retry_cnt, 2);
	REQUIRE_EQUAL(attr.rnr_retry, 1);
	REQUIRE_EQUAL(attr.max_rd_atomic, 1);
	REQUIRE_EQUAL(attr.max_dest_rd_atomic, 2);
	REQUIRE_EQUAL(attr.min_rnr_timer, 22);
	/* a modify to SQD may begin another drain */
	state_wait_drained(pair.client);
	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_RTS), 0);
}

/* The peer's access flags, without and with the right to write. */
static void state_access_flags_change_in_rts(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work =
		work_rdma(IBV_WR_RDMA_WRITE, mem, 0, 100, target, 50);
	struct ibv_qp_attr attr = { .qp_access_flags = IBV_ACCESS_REMOTE_READ };

	mem_fill(mem, 0, 100, 4);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	mem_require(target, 50, 100, 4);
	memset(target->view, 0, 4096);
	REQUIRE_EQUAL(qp_modify(pair.server, &attr, IBV_QP_ACCESS_FLAGS), 0);
	post(pair.client, &work);
	poll_status(pair.client->send_cq, IBV_WC_REM_INV_REQ_ERR);
	mem_require_value(target, 0, 4096, 0);
	qp_wait_state(pair.server, IBV_QPS_ERR);
}

static void state_rd_atomic_of_zero_needs_no_reads(void)
{
	const struct connect_args args = { .rd_atomic = CONFORM_ZERO };
	struct pair pair = pair_new(NULL, &args);
	struct mem *mem = mem_new(CLIENT, 64, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 64, CONFORM_ALL_ACCESS);
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, mem, 0, 10, target, 5);

	REQUIRE_EQUAL(qp_query(pair.client).max_rd_atomic, 0);
	REQUIRE_EQUAL(qp_query(pair.server).max_dest_rd_atomic, 0);
	mem_fill(mem, 0, 10, 1);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	mem_require(target, 5, 10, 1);
}

const struct conform_test conform_state[] = {
	{ "state.rc_transitions_follow_diagram",
	  state_rc_transitions_follow_diagram, NEED_IMM },
	{ "state.uc_transitions_follow_diagram",
	  state_uc_transitions_follow_diagram, NEED_UC },
	{ "state.ud_transitions_follow_diagram",
	  state_ud_transitions_follow_diagram, NEED_UD },
	{ "state.sqe_transitions_follow_diagram",
	  state_sqe_transitions_follow_diagram, STATE_NEEDS },
	{ "state.reset_to_err_is_allowed", state_reset_to_err_is_allowed,
	  STATE_NEEDS },
	{ "state.unknown_is_einval", state_unknown_is_einval, NEED_IMM },
	{ "state.missing_attribute_is_einval",
	  state_missing_attribute_is_einval, STATE_NEEDS },
	{ "state.foreign_attribute_is_einval",
	  state_foreign_attribute_is_einval, STATE_NEEDS },
	{ "state.invalid_value_is_einval", state_invalid_value_is_einval,
	  NEED_IMM },
	{ "state.invalid_pkey_index_is_einval",
	  state_invalid_pkey_index_is_einval, NEED_IMM },
	{ "state.path_mtu_of_zero_is_einval", state_path_mtu_of_zero_is_einval,
	  NEED_IMM },
	{ "state.too_many_reads_as_responder_is_einval",
	  state_too_many_reads_as_responder_is_einval, NEED_IMM },
	{ "state.wrong_current_state_is_einval",
	  state_wrong_current_state_is_einval, NEED_IMM },
	{ "state.refused_modify_changes_nothing",
	  state_refused_modify_changes_nothing, NEED_IMM },
	{ "state.query_returns_what_was_set", state_query_returns_what_was_set,
	  NEED_IMM },
	{ "state.changes_in_rts_and_sqd_are_returned",
	  state_changes_in_rts_and_sqd_are_returned, NEED_IMM },
	{ "state.access_flags_change_in_rts", state_access_flags_change_in_rts,
	  NEED_RC },
	{ "state.rd_atomic_of_zero_needs_no_reads",
	  state_rd_atomic_of_zero_needs_no_reads, NEED_RC },
	{},
};
