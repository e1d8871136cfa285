/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls the inline functions on a context that lacks the verb. There are three
 * ways to lack it: the context predates the extended op table, the table ends
 * before the member, or the member is NULL. Members that must not be read hold
 * invalid pointers, so that a call crashes. The test is not linked with the
 * library: it defines the functions that the inline functions fall back to.
 *
 * check_lacks.py checks that this test calls every inline function that reads
 * the table.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

/* An errno that no inline function sets. */
#define SOME_ERRNO EXDEV

enum lack {
	LACKS_TABLE,	    /* abi_compat of the first releases */
	LACKS_END_OF_TABLE, /* size of an older provider */
	LACKS_FUNCTION,
	LACKS_NR
};

static struct verbs_context vctx;
static struct ibv_context *const ctx = &vctx.context;

/* Objects of the context. */
static struct ibv_pd pd;
static struct ibv_td td;
static struct ibv_xrcd xrcd;
static struct ibv_dm dm;
static struct ibv_cq cq;
static struct ibv_srq srq;
static struct ibv_qp qp;
static struct ibv_wq wq;
static struct ibv_rwq_ind_table table;
static struct ibv_flow flow;
static struct ibv_flow_action action;
static struct ibv_counters counters;

static void init_context(enum lack lack)
{
	memset(&vctx, lack == LACKS_FUNCTION ? 0 : 0xff, sizeof(vctx));
	memset(&ctx->ops, 0, sizeof(ctx->ops));
	vctx.sz = lack == LACKS_END_OF_TABLE ? 0 : sizeof(vctx);
	ctx->abi_compat = lack == LACKS_TABLE ? NULL : __VERBS_ABI_IS_EXTENDED;
	pd.context = ctx;
	td.context = ctx;
	xrcd.context = ctx;
	dm.context = ctx;
	cq.context = ctx;
	srq.context = ctx;
	qp.context = ctx;
	wq.context = ctx;
	table.context = ctx;
	flow.context = ctx;
	action.context = ctx;
	counters.context = ctx;
}

/* ------------------------------------------------------------------------ */
/* Fallbacks of the inline functions                                         */
/* ------------------------------------------------------------------------ */

static const char *last_fallback;

int ibv_query_device(struct ibv_context *context,
		     struct ibv_device_attr *device_attr)
{
	assert_ptr_equal(context, ctx);
	device_attr->max_qp = 77;
	last_fallback = "ibv_query_device";
	return 0;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr)
{
	assert_ptr_equal(context, ctx);
	((struct ibv_port_attr *)port_attr)->lid = port_num;
	last_fallback = "ibv_query_port";
	return 0;
}
#define ibv_query_port(context, port_num, port_attr) \
	___ibv_query_port(context, port_num, port_attr)

/* Must not be called: the attributes of the test need the extended op. */
struct ibv_srq *ibv_create_srq(struct ibv_pd *of,
			       struct ibv_srq_init_attr *attr)
{
	fail();
	return NULL;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *of, struct ibv_qp_init_attr *attr)
{
	fail();
	return NULL;
}

/* ------------------------------------------------------------------------ */
/* Calls of each function                                                    */
/* ------------------------------------------------------------------------ */

#define ASSERT_CREATE_EOPNOTSUPP(call)               \
	do {                                         \
		errno = SOME_ERRNO;                  \
		assert_null(call);                   \
		assert_int_equal(errno, EOPNOTSUPP); \
	} while (0)

#define ASSERT_EOPNOTSUPP(call)                      \
	do {                                         \
		errno = SOME_ERRNO;                  \
		assert_int_equal(call, EOPNOTSUPP);  \
		assert_int_equal(errno, SOME_ERRNO); \
	} while (0)

static void call_creating_functions(void)
{
	struct ibv_srq_init_attr_ex srq_attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.pd = &pd,
	};
	struct ibv_qp_init_attr_ex qp_attr = {
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.pd = &pd,
	};
	struct ibv_wq_init_attr wq_attr = { .pd = &pd, .cq = &cq };

	ASSERT_CREATE_EOPNOTSUPP(ibv_alloc_td(ctx, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_alloc_parent_domain(ctx, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_open_xrcd(ctx, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_alloc_null_mr(&pd));
	ASSERT_CREATE_EOPNOTSUPP(ibv_alloc_mw(&pd, IBV_MW_TYPE_1));
	ASSERT_CREATE_EOPNOTSUPP(ibv_alloc_dm(ctx, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_reg_dm_mr(&pd, &dm, 0, 0, 0));
	ASSERT_CREATE_EOPNOTSUPP(ibv_create_cq_ex(ctx, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_create_srq_ex(ctx, &srq_attr));
	ASSERT_CREATE_EOPNOTSUPP(ibv_create_qp_ex(ctx, &qp_attr));
	ASSERT_CREATE_EOPNOTSUPP(ibv_open_qp(ctx, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_create_wq(ctx, &wq_attr));
	ASSERT_CREATE_EOPNOTSUPP(ibv_create_rwq_ind_table(ctx, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_create_flow(&qp, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_create_flow_action_esp(ctx, NULL));
	ASSERT_CREATE_EOPNOTSUPP(ibv_create_counters(ctx, NULL));
}

static void call_functions_returning_errno(void)
{
	struct ibv_ops_wr op = {}, *bad_op = NULL;
	uint64_t value;

	ASSERT_EOPNOTSUPP(ibv_query_rt_values_ex(ctx, NULL));
	ASSERT_EOPNOTSUPP(ibv_dealloc_td(&td));
	ASSERT_EOPNOTSUPP(ibv_close_xrcd(&xrcd));
	ASSERT_EOPNOTSUPP(
		ibv_advise_mr(&pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, NULL, 0));
	ASSERT_EOPNOTSUPP(ibv_free_dm(&dm));
	ASSERT_EOPNOTSUPP(ibv_modify_cq(&cq, NULL));
	ASSERT_EOPNOTSUPP(ibv_get_srq_num(&srq, NULL));
	ASSERT_EOPNOTSUPP(ibv_post_srq_ops(&srq, &op, &bad_op));
	assert_ptr_equal(bad_op, &op);
	ASSERT_EOPNOTSUPP(ibv_modify_qp_rate_limit(&qp, NULL));
	ASSERT_EOPNOTSUPP(ibv_modify_wq(&wq, NULL));
	ASSERT_EOPNOTSUPP(ibv_destroy_wq(&wq));
	ASSERT_EOPNOTSUPP(ibv_destroy_rwq_ind_table(&table));
	ASSERT_EOPNOTSUPP(ibv_destroy_flow(&flow));
	ASSERT_EOPNOTSUPP(ibv_modify_flow_action_esp(&action, NULL));
	ASSERT_EOPNOTSUPP(ibv_destroy_flow_action(&action));
	ASSERT_EOPNOTSUPP(ibv_destroy_counters(&counters));
	ASSERT_EOPNOTSUPP(
		ibv_attach_counters_point_flow(&counters, NULL, NULL));
	ASSERT_EOPNOTSUPP(ibv_read_counters(&counters, &value, 1, 0));
}

/* Two functions fall back to an older one, and zero the newer members. */
static void call_functions_with_fallback(void)
{
	struct ibv_device_attr_ex device;
	struct ibv_port_attr port;

	memset(&device, 0xff, sizeof(device));
	memset(&port, 0xff, sizeof(port));
	assert_int_equal(ibv_query_device_ex(ctx, NULL, &device), 0);
	assert_string_equal(last_fallback, "ibv_query_device");
	assert_int_equal(device.orig_attr.max_qp, 77);
	assert_int_equal(device.comp_mask, 0);
	assert_int_equal(device.phys_port_cnt_ex, 0);
	assert_int_equal(ibv_query_port(ctx, 3, &port), 0);
	assert_string_equal(last_fallback, "ibv_query_port");
	assert_int_equal(port.lid, 3);
	assert_int_equal(port.active_speed_ex, 0);
}

static void for_each_lack(void (*calls)(void))
{
	for (int lack = 0; lack < LACKS_NR; lack++) {
		init_context((enum lack)lack);
		calls();
	}
}

static void inline_create_without_op_returns_null(void **state)
{
	for_each_lack(call_creating_functions);
}

static void inline_function_without_op_returns_eopnotsupp(void **state)
{
	for_each_lack(call_functions_returning_errno);
}

static void inline_query_without_op_calls_fallback(void **state)
{
	for_each_lack(call_functions_with_fallback);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inline_create_without_op_returns_null),
		cmocka_unit_test(inline_function_without_op_returns_eopnotsupp),
		cmocka_unit_test(inline_query_without_op_calls_fallback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
