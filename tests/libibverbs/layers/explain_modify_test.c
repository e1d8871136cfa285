/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sentences about ibv_modify_qp(3), on the user-space device with
 * VERBS_EXPLAIN=1. With the argument "mtu" the port has an MTU of 1500 bytes.
 */
#include <errno.h>
#include <string.h>

#include "libibverbs/layers/explain_fixture.h"
#include "providers/uroce/program/verbs_fixture.h"

#define INIT_MASK \
	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define RTR_MASK                                                        \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | \
	 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK                                                            \
	(IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | \
	 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

static struct ibv_qp_attr init_attr(void)
{
	return (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1 };
}

/* Of a QP that is connected to fixture.right. */
static struct ibv_qp_attr rtr_attr(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = fixture.right->qp_num,
		.max_dest_rd_atomic = 1,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};

	attr.ah_attr.grh.sgid_index = fixture_gid_index();
	assert_int_equal(ibv_query_gid(fixture.ctx, 1, fixture_gid_index(),
				       &attr.ah_attr.grh.dgid),
			 0);
	return attr;
}

static struct ibv_qp_attr rts_attr(void)
{
	return (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
}

/* fixture.left in RESET, INIT or RTR */
static struct ibv_qp *qp_in_state(enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	assert_int_equal(ibv_modify_qp(fixture.left, &attr, IBV_QP_STATE), 0);
	if (state != IBV_QPS_RESET)
		fixture_to_init(fixture.left);
	if (state == IBV_QPS_RTR)
		fixture_to_rtr(fixture.left, fixture.right);
	return fixture.left;
}

static void assert_refused(struct ibv_qp *qp, struct ibv_qp_attr attr, int mask)
{
	assert_silent();
	errno = 0;
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), EINVAL);
	assert_int_equal(errno, EINVAL);
}

static void modify_qp_all_transitions_valid_is_silent(void **state)
{
	struct ibv_qp *qp = qp_in_state(IBV_QPS_RESET);
	struct ibv_qp_attr init = init_attr(), rtr = rtr_attr(),
			   rts = rts_attr();

	assert_int_equal(ibv_modify_qp(qp, &init, INIT_MASK), 0);
	assert_int_equal(ibv_modify_qp(qp, &rtr, RTR_MASK), 0);
	assert_int_equal(ibv_modify_qp(qp, &rts, RTS_MASK), 0);
	assert_silent();
}

static void modify_qp_attribute_missing_is_named(void **state)
{
	assert_refused(qp_in_state(IBV_QPS_INIT), rtr_attr(),
		       RTR_MASK & ~(IBV_QP_PATH_MTU | IBV_QP_RQ_PSN));
	assert_explained("ibv_modify_qp(QP 0x", " (RC, uroce_lo), INIT -> RTR)",
			 "EINVAL", "attr_mask lacks IBV_QP_PATH_MTU (path_mtu)",
			 "IBV_QP_RQ_PSN (rq_psn)", NULL);
	assert_refused(qp_in_state(IBV_QPS_RTR), rts_attr(),
		       RTS_MASK & ~IBV_QP_TIMEOUT);
	assert_explained("RTR -> RTS", "lacks IBV_QP_TIMEOUT (timeout),", NULL);
}

static void modify_qp_attribute_superfluous_is_named(void **state)
{
	assert_refused(qp_in_state(IBV_QPS_RESET), init_attr(),
		       INIT_MASK | IBV_QP_RNR_RETRY);
	assert_explained("does not permit IBV_QP_RNR_RETRY (rnr_retry);", NULL);
}

static void modify_qp_transition_wrong_is_named(void **state)
{
	assert_refused(qp_in_state(IBV_QPS_RESET), rts_attr(), RTS_MASK);
	assert_explained("no transition from RESET to RTS",
			 "RTS follows RTR, and RTR follows INIT", NULL);
	assert_refused(qp_in_state(IBV_QPS_RESET), rtr_attr(), RTR_MASK);
	assert_explained("no transition from RESET to RTR", NULL);
}

static void modify_qp_state_err_needs_reset(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	assert_int_equal(ibv_modify_qp(fixture.left, &attr, IBV_QP_STATE), 0);
	assert_refused(fixture.left, rts_attr(), RTS_MASK);
	assert_explained("ERR -> RTS", "from ERR a QP must go to RESET first",
			 NULL);
}

static void modify_qp_cur_state_differs_is_named(void **state)
{
	struct ibv_qp_attr attr = rts_attr();

	attr.cur_qp_state = IBV_QPS_SQD;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr,
		       RTS_MASK | IBV_QP_CUR_STATE);
	assert_explained("cur_qp_state is SQD, but the QP is in the state RTR",
			 NULL);
}

static void modify_qp_gid_index_empty_lists_used_ones(void **state)
{
	struct ibv_qp_attr attr = rtr_attr();

	attr.ah_attr.grh.sgid_index = 200;
	assert_refused(qp_in_state(IBV_QPS_INIT), attr, RTR_MASK);
	assert_explained("GID index 200 of port 1 has no address",
			 "use one of the indexes ", NULL);
}

static void modify_qp_grh_missing_is_named(void **state)
{
	struct ibv_qp_attr attr = rtr_attr();

	attr.ah_attr.is_global = 0;
	assert_refused(qp_in_state(IBV_QPS_INIT), attr, RTR_MASK);
	assert_explained("has no GRH", "is Ethernet", NULL);
}

static void modify_qp_mtu_in_bytes_is_named(void **state)
{
	struct ibv_qp_attr attr = rtr_attr();

	attr.path_mtu = (enum ibv_mtu)1024;
	assert_refused(qp_in_state(IBV_QPS_INIT), attr, RTR_MASK);
	assert_explained("path_mtu is 1024", "not a number of bytes", NULL);
}

static void modify_qp_rd_atomic_above_limit_is_named(void **state)
{
	struct ibv_qp_attr attr = rts_attr();

	attr.max_rd_atomic = 255;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr, RTS_MASK);
	assert_explained("max_rd_atomic is 255, above max_qp_init_rd_atom",
			 NULL);
	attr = rtr_attr();
	attr.max_dest_rd_atomic = 255;
	assert_refused(qp_in_state(IBV_QPS_INIT), attr, RTR_MASK);
	assert_explained("max_dest_rd_atomic is 255, above max_qp_rd_atom",
			 NULL);
}

static void modify_qp_number_out_of_range_is_named(void **state)
{
	struct ibv_qp_attr attr = rts_attr();

	attr.timeout = 32;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr, RTS_MASK);
	assert_explained("timeout is 32, but at most 31 is possible", NULL);
	attr = rtr_attr();
	attr.dest_qp_num = 0x1000000;
	assert_refused(qp_in_state(IBV_QPS_INIT), attr, RTR_MASK);
	assert_explained("dest_qp_num is 16777216", NULL);
}

static void modify_qp_rate_limit_is_named(void **state)
{
	struct ibv_qp_attr attr = rts_attr();

	attr.rate_limit = 200000000;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr,
		       RTS_MASK | IBV_QP_RATE_LIMIT);
	assert_explained("rate_limit is 200000000 kbit/s, but the limits of "
			 "the device are 1 to 100000000 kbit/s",
			 NULL);
	assert_refused(qp_in_state(IBV_QPS_RESET), init_attr(),
		       INIT_MASK | IBV_QP_RATE_LIMIT);
	assert_explained("the transition does not permit IBV_QP_RATE_LIMIT "
			 "(rate_limit)",
			 NULL);
}

static void modify_qp_migration_mistake_is_named(void **state)
{
	const int mask = RTS_MASK | IBV_QP_PATH_MIG_STATE;
	struct ibv_qp_attr attr = rts_attr();

	attr.path_mig_state = IBV_MIG_REARM;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr, mask);
	assert_explained("path_mig_state is IBV_MIG_REARM, but the QP has no "
			 "alternate path",
			 NULL);
	attr.path_mig_state = IBV_MIG_ARMED;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr, mask);
	assert_explained("path_mig_state is IBV_MIG_ARMED, which only the "
			 "device enters",
			 NULL);
	attr.path_mig_state = (enum ibv_mig_state)7;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr, mask);
	assert_explained("path_mig_state is 7, which is no value of enum "
			 "ibv_mig_state",
			 NULL);
	attr.path_mig_state = IBV_MIG_REARM;
	attr.alt_ah_attr = rtr_attr().ah_attr;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr, mask | IBV_QP_ALT_PATH);
	assert_explained("port_num is 0, but the device has the ports 1 to 1 "
			 "(alternate path)",
			 NULL);
	attr.alt_port_num = 1;
	attr.alt_timeout = 32;
	assert_refused(qp_in_state(IBV_QPS_RTR), attr, mask | IBV_QP_ALT_PATH);
	assert_explained("alt_timeout is 32, but at most 31 is possible", NULL);
	attr.alt_timeout = 14;
	assert_int_equal(ibv_modify_qp(qp_in_state(IBV_QPS_RTR), &attr,
				       mask | IBV_QP_ALT_PATH),
			 0);
	attr.path_mig_state = IBV_MIG_MIGRATED;
	assert_refused(fixture.left, attr, IBV_QP_PATH_MIG_STATE);
	assert_explained("but the QP is in IBV_MIG_REARM", NULL);
}

static void modify_qp_port_unknown_is_named(void **state)
{
	struct ibv_qp_attr attr = init_attr();

	attr.port_num = 7;
	assert_refused(qp_in_state(IBV_QPS_RESET), attr, INIT_MASK);
	assert_explained("port_num is 7, but the device has the ports 1 to 1",
			 NULL);
}

static void modify_qp_pkey_index_unknown_is_named(void **state)
{
	struct ibv_qp_attr attr = init_attr();

	attr.pkey_index = 99;
	assert_refused(qp_in_state(IBV_QPS_RESET), attr, INIT_MASK);
	assert_explained("pkey_index is 99, but port 1 has 1 P_Keys", NULL);
}

static void modify_qp_many_failures_print_ten(void **state)
{
	struct ibv_qp *qp = qp_in_state(IBV_QPS_RESET);
	struct ibv_qp_attr attr = rts_attr();
	unsigned int nr = 0;
	const char *text;

	for (int i = 0; i < 30; i++)
		assert_int_equal(ibv_modify_qp(qp, &attr, RTS_MASK), EINVAL);
	text = explain_capture_take();
	for (const char *line = text; (line = strchr(line, '\n')); line++)
		nr++;
	assert_int_equal(nr, 10);
	assert_non_null(strstr(text, "(This was the last message"));
}

static void modify_qp_mtu_above_port_is_named(void **state)
{
	struct ibv_qp_attr attr = rtr_attr();

	attr.path_mtu = IBV_MTU_4096;
	assert_refused(qp_in_state(IBV_QPS_INIT), attr, RTR_MASK);
	assert_explained("path_mtu is 4096 bytes, but port 1 has an active MTU "
			 "of 1024 bytes",
			 NULL);
	attr.path_mtu = IBV_MTU_1024;
	assert_int_equal(ibv_modify_qp(fixture.left, &attr, RTR_MASK), 0);
	assert_silent();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		explain_test(modify_qp_all_transitions_valid_is_silent),
		explain_test(modify_qp_attribute_missing_is_named),
		explain_test(modify_qp_attribute_superfluous_is_named),
		explain_test(modify_qp_transition_wrong_is_named),
		explain_test(modify_qp_state_err_needs_reset),
		explain_test(modify_qp_cur_state_differs_is_named),
		explain_test(modify_qp_gid_index_empty_lists_used_ones),
		explain_test(modify_qp_grh_missing_is_named),
		explain_test(modify_qp_mtu_in_bytes_is_named),
		explain_test(modify_qp_rd_atomic_above_limit_is_named),
		explain_test(modify_qp_number_out_of_range_is_named),
		explain_test(modify_qp_rate_limit_is_named),
		explain_test(modify_qp_migration_mistake_is_named),
		explain_test(modify_qp_port_unknown_is_named),
		explain_test(modify_qp_pkey_index_unknown_is_named),
		explain_test(modify_qp_many_failures_print_ten),
	};
	const struct CMUnitTest mtu_tests[] = {
		explain_test(modify_qp_mtu_above_port_is_named),
	};

	if (argc > 1 && strcmp(argv[1], "mtu") == 0)
		return own_process_run_group_tests(mtu_tests);
	return own_process_run_group_tests(tests);
}
