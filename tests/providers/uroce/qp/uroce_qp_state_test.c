/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state table. The expected transitions are written down a second time, in
 * transposed form: for each attribute, in which transitions of which type it is
 * required (r) or optional (o).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/qp/uroce_qp_state.h"

#define NR_STATES 7

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD,
					  IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV };
#define NR_TYPES (sizeof(types) / sizeof(types[0]))

/* Columns of the tables below. */
static const struct {
	enum ibv_qp_state from, to;
} columns[] = {
	{ IBV_QPS_RESET, IBV_QPS_INIT }, { IBV_QPS_INIT, IBV_QPS_INIT },
	{ IBV_QPS_INIT, IBV_QPS_RTR },	 { IBV_QPS_RTR, IBV_QPS_RTS },
	{ IBV_QPS_RTS, IBV_QPS_RTS },	 { IBV_QPS_RTS, IBV_QPS_SQD },
	{ IBV_QPS_SQD, IBV_QPS_RTS },	 { IBV_QPS_SQD, IBV_QPS_SQD },
	{ IBV_QPS_SQE, IBV_QPS_RTS },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* A character per column: required, optional, not allowed. */
static const struct {
	int attribute;
	const char *by_type[NR_TYPES]; /* in the order of types[] */
} rows[] = {
	{ IBV_QP_PKEY_INDEX,
	  { "roo----o-", "roo----o-", "roo----o-", "roo----o-", "roo----o-" } },
	{ IBV_QP_PORT,
	  { "ro-----o-", "ro-------", "ro-------", "ro-----o-", "ro-----o-" } },
	{ IBV_QP_ACCESS_FLAGS,
	  { "roooo-oo-", "roooo-ooo", "---------", "roooo-oo-", "roooo-oo-" } },
	{ IBV_QP_QKEY,
	  { "---------", "---------", "roooo-ooo", "---------", "---------" } },
	{ IBV_QP_AV,
	  { "--r----o-", "--r----o-", "---------", "--r----o-", "--r----o-" } },
	{ IBV_QP_PATH_MTU,
	  { "--r------", "--r------", "---------", "--r------", "--r------" } },
	{ IBV_QP_DEST_QPN,
	  { "--r------", "--r------", "---------", "--r------", "--r------" } },
	{ IBV_QP_RQ_PSN,
	  { "--r------", "--r------", "---------", "--r------", "--r------" } },
	{ IBV_QP_MAX_DEST_RD_ATOMIC,
	  { "--r----o-", "---------", "---------", "---------", "--r----o-" } },
	{ IBV_QP_MIN_RNR_TIMER,
	  { "--roo-oo-", "---------", "---------", "---------", "--roo-oo-" } },
	{ IBV_QP_SQ_PSN,
	  { "---r-----", "---r-----", "---r-----", "---r-----", "---r-----" } },
	{ IBV_QP_TIMEOUT,
	  { "---r---o-", "---------", "---------", "---r---o-", "---r---o-" } },
	{ IBV_QP_RETRY_CNT,
	  { "---r---o-", "---------", "---------", "---r---o-", "---------" } },
	{ IBV_QP_RNR_RETRY,
	  { "---r---o-", "---------", "---------", "---r---o-", "---------" } },
	{ IBV_QP_MAX_QP_RD_ATOMIC,
	  { "---r---o-", "---------", "---------", "---r---o-", "---------" } },
	{ IBV_QP_ALT_PATH,
	  { "--ooo-oo-", "--ooo-oo-", "---------", "--ooo-oo-", "--ooo-oo-" } },
	{ IBV_QP_PATH_MIG_STATE,
	  { "--ooo-oo-", "--ooo-oo-", "---------", "--ooo-oo-", "--ooo-oo-" } },
	{ IBV_QP_RATE_LIMIT,
	  { "--ooo----", "--ooo----", "--ooo----", "--ooo----", "---------" } },
	{ IBV_QP_EN_SQD_ASYNC_NOTIFY,
	  { "-----o---", "-----o---", "-----o---", "-----o---", "-----o---" } },
};
#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static struct ibv_qp_attr good_attr(enum ibv_qp_state to)
{
	return (struct ibv_qp_attr){
		.qp_state = to,
		.path_mtu = IBV_MTU_1024,
		.path_mig_state = IBV_MIG_MIGRATED,
		.port_num = 1,
		.ah_attr = { .is_global = 1, .port_num = 1 },
		.alt_ah_attr = { .is_global = 1, .port_num = 1 },
		.alt_port_num = 1,
	};
}

static int check_transition(enum ibv_qp_type type, enum ibv_qp_state from,
			    enum ibv_qp_state to, int mask)
{
	struct ibv_qp_attr attr = good_attr(to);
	enum ibv_qp_state reached = IBV_QPS_UNKNOWN;
	int ret = uroce_qp_state_check(type, from, &attr, mask | IBV_QP_STATE,
				       IBV_MTU_4096, &reached);

	assert_int_equal(reached, ret ? IBV_QPS_UNKNOWN : to);
	return ret;
}

/* RC and XRC have no SQE, so their last column does not exist. */
static bool column_exists(size_t type, size_t column)
{
	return types[type] == IBV_QPT_UC || types[type] == IBV_QPT_UD ||
	       columns[column].from != IBV_QPS_SQE;
}

static int required_mask(size_t type, size_t column)
{
	int mask = 0;

	for (size_t row = 0; row < NR_ROWS; row++)
		if (rows[row].by_type[type][column] == 'r')
			mask |= rows[row].attribute;
	return mask;
}

static void qp_state_transition_with_required_attributes_succeeds(void **state)
{
	for (size_t type = 0; type < NR_TYPES; type++)
		for (size_t column = 0; column < NR_COLUMNS; column++)
			assert_int_equal(
				check_transition(types[type],
						 columns[column].from,
						 columns[column].to,
						 required_mask(type, column)),
				column_exists(type, column) ? 0 : -EINVAL);
}

static void qp_state_attribute_mask_is_checked_per_transition(void **state)
{
	for (size_t type = 0; type < NR_TYPES; type++) {
		for (size_t column = 0; column < NR_COLUMNS; column++) {
			int mask = required_mask(type, column);

			if (!column_exists(type, column))
				continue;
			for (size_t row = 0; row < NR_ROWS; row++) {
				char kind = rows[row].by_type[type][column];
				int ret = check_transition(
					types[type], columns[column].from,
					columns[column].to,
					mask ^ rows[row].attribute);

				/* omitted if required, otherwise added */
				assert_int_equal(ret,
						 kind == 'o' ? 0 : -EINVAL);
			}
		}
	}
}

static bool is_column(enum ibv_qp_state from, enum ibv_qp_state to)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (columns[i].from == from && columns[i].to == to)
			return true;
	return false;
}

static void qp_state_undefined_transition_is_rejected(void **state)
{
	for (size_t type = 0; type < NR_TYPES; type++) {
		for (int from = 0; from < NR_STATES; from++) {
			for (int to = 0; to < NR_STATES; to++) {
				int ret;

				if (is_column((enum ibv_qp_state)from,
					      (enum ibv_qp_state)to))
					continue;
				ret = check_transition(
					types[type], (enum ibv_qp_state)from,
					(enum ibv_qp_state)to, 0);
				assert_int_equal(
					ret,
					to == IBV_QPS_RESET || to == IBV_QPS_ERR
						? 0
						: -EINVAL);
			}
		}
	}
	assert_int_equal(check_transition(IBV_QPT_RAW_PACKET, IBV_QPS_RESET,
					  IBV_QPS_INIT, 0),
			 -EINVAL);
}

/* Modifies one attribute of an RC QP in a transition that allows it. */
static int check_value(enum ibv_qp_state from, enum ibv_qp_state to,
		       const struct ibv_qp_attr *attr)
{
	enum ibv_qp_state reached;
	size_t column = 0;

	while (columns[column].from != from || columns[column].to != to)
		column++;
	return uroce_qp_state_check(IBV_QPT_RC, from, attr,
				    required_mask(0, column) | IBV_QP_STATE,
				    IBV_MTU_2048, &reached);
}

static void qp_state_init_attribute_values_are_checked(void **state)
{
	struct ibv_qp_attr attr = good_attr(IBV_QPS_INIT);

	assert_int_equal(check_value(IBV_QPS_RESET, IBV_QPS_INIT, &attr), 0);
	attr.port_num = 0;
	assert_int_equal(check_value(IBV_QPS_RESET, IBV_QPS_INIT, &attr),
			 -EINVAL);
	attr.port_num = 2;
	assert_int_equal(check_value(IBV_QPS_RESET, IBV_QPS_INIT, &attr),
			 -EINVAL);
	attr.port_num = 1;
	attr.pkey_index = 1;
	assert_int_equal(check_value(IBV_QPS_RESET, IBV_QPS_INIT, &attr),
			 -EINVAL);
}

static void qp_state_rtr_attribute_values_are_checked(void **state)
{
	const struct ibv_qp_attr good = good_attr(IBV_QPS_RTR);
	struct ibv_qp_attr bad[8];

	assert_int_equal(check_value(IBV_QPS_INIT, IBV_QPS_RTR, &good), 0);
	for (size_t i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].path_mtu = (enum ibv_mtu)0;
	bad[1].path_mtu = IBV_MTU_4096; /* above the port's MTU */
	bad[2].rq_psn = 0x1000000;
	bad[3].dest_qp_num = 0x1000000;
	bad[4].max_dest_rd_atomic = UROCE_MAX_RD_ATOMIC + 1;
	bad[5].min_rnr_timer = 32;
	bad[6].ah_attr.is_global = 0;
	bad[7].path_mtu = (enum ibv_mtu)77;
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(
			check_value(IBV_QPS_INIT, IBV_QPS_RTR, &bad[i]),
			-EINVAL);
}

static void qp_state_rts_attribute_values_are_checked(void **state)
{
	struct ibv_qp_attr good = good_attr(IBV_QPS_RTS);
	struct ibv_qp_attr bad[5];

	good.timeout = 31;
	good.retry_cnt = 7;
	good.rnr_retry = 7;
	good.sq_psn = 0xffffff;
	good.max_rd_atomic = UROCE_MAX_RD_ATOMIC;
	assert_int_equal(check_value(IBV_QPS_RTR, IBV_QPS_RTS, &good), 0);
	for (size_t i = 0; i < 5; i++)
		bad[i] = good;
	bad[0].timeout = 32;
	bad[1].retry_cnt = 8;
	bad[2].rnr_retry = 8;
	bad[3].sq_psn = 0x1000000;
	bad[4].max_rd_atomic = UROCE_MAX_RD_ATOMIC + 1;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(check_value(IBV_QPS_RTR, IBV_QPS_RTS, &bad[i]),
				 -EINVAL);
}

static void qp_state_wrong_cur_state_is_rejected(void **state)
{
	struct ibv_qp_attr attr = good_attr(IBV_QPS_RTS);
	enum ibv_qp_state reached;
	int mask = IBV_QP_STATE | IBV_QP_CUR_STATE;

	attr.cur_qp_state = IBV_QPS_RTS;
	assert_int_equal(uroce_qp_state_check(IBV_QPT_UD, IBV_QPS_RTS, &attr,
					      mask, IBV_MTU_1024, &reached),
			 0);
	attr.cur_qp_state = IBV_QPS_SQE;
	assert_int_equal(uroce_qp_state_check(IBV_QPT_UD, IBV_QPS_RTS, &attr,
					      mask, IBV_MTU_1024, &reached),
			 -EINVAL);
}

static void qp_state_without_state_attribute_stays(void **state)
{
	struct ibv_qp_attr attr = good_attr(IBV_QPS_RESET);
	enum ibv_qp_state reached = IBV_QPS_UNKNOWN;

	attr.min_rnr_timer = 12;
	assert_int_equal(uroce_qp_state_check(IBV_QPT_RC, IBV_QPS_RTS, &attr,
					      IBV_QP_MIN_RNR_TIMER,
					      IBV_MTU_1024, &reached),
			 0);
	assert_int_equal(reached, IBV_QPS_RTS);
}

static void qp_state_rate_limit_is_checked(void **state)
{
	static const uint32_t limits[] = { 0, 1, UROCE_MAX_KBPS };
	struct ibv_qp_attr attr = good_attr(IBV_QPS_RTS);
	enum ibv_qp_state reached;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		attr.rate_limit = limits[i];
		assert_int_equal(uroce_qp_state_check(IBV_QPT_UD, IBV_QPS_RTS,
						      &attr, IBV_QP_RATE_LIMIT,
						      IBV_MTU_1024, &reached),
				 0);
	}
	attr.rate_limit = UROCE_MAX_KBPS + 1;
	assert_int_equal(uroce_qp_state_check(IBV_QPT_UD, IBV_QPS_RTS, &attr,
					      IBV_QP_RATE_LIMIT, IBV_MTU_1024,
					      &reached),
			 -EINVAL);
}

static void qp_state_unsupported_attribute_returns_eopnotsupp(void **state)
{
	struct ibv_qp_attr attr = good_attr(IBV_QPS_RTS);
	enum ibv_qp_state reached;

	assert_int_equal(uroce_qp_state_check(IBV_QPT_RC, IBV_QPS_RTS, &attr,
					      IBV_QP_CAP, IBV_MTU_1024,
					      &reached),
			 -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			qp_state_transition_with_required_attributes_succeeds),
		cmocka_unit_test(
			qp_state_attribute_mask_is_checked_per_transition),
		cmocka_unit_test(qp_state_undefined_transition_is_rejected),
		cmocka_unit_test(qp_state_init_attribute_values_are_checked),
		cmocka_unit_test(qp_state_rtr_attribute_values_are_checked),
		cmocka_unit_test(qp_state_rts_attribute_values_are_checked),
		cmocka_unit_test(qp_state_wrong_cur_state_is_rejected),
		cmocka_unit_test(qp_state_without_state_attribute_stays),
		cmocka_unit_test(qp_state_rate_limit_is_checked),
		cmocka_unit_test(
			qp_state_unsupported_attribute_returns_eopnotsupp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
