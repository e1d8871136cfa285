/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inline functions on a context that lacks the verb, in each of the three
 * ways in which one can: it is of a time before the second table, its table
 * ends before the slot, or the slot is empty. What would be in a slot that must
 * not be looked at crashes. Not linked with the library: the few functions that
 * the inline ones fall back to are here.
 *
 * check_lacks.py tells whether every inline function that looks into the table
 * is called.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* last: it needs those above */
#include <cmocka.h>

/* An errno that no inline function sets. */
#define SOME_ERRNO EXDEV

enum lack {
	LACKS_TABLE,	    /* the first releases had none */
	LACKS_END_OF_TABLE, /* as of an older provider */
	LACKS_FUNCTION,
	LACKS_NR
};

static struct verbs_context vctx;
static struct ibv_context *const ctx = &vctx.context;

/* Of the context. */
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

static void make_context(enum lack lack)
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
/* What the inline functions fall back to                                    */
/* ------------------------------------------------------------------------ */

static const char *fell_back_to;

int ibv_query_device(struct ibv_context *context,
		     struct ibv_device_attr *device_attr)
{
	assert_ptr_equal(context, ctx);
	device_attr->max_qp = 77;
	fell_back_to = "ibv_query_device";
	return 0;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr)
{
	assert_ptr_equal(context, ctx);
	((struct ibv_port_attr *)port_attr)->lid = port_num;
	fell_back_to = "ibv_query_port";
	return 0;
}
#define ibv_query_port(context, port_num, port_attr) \
	___ibv_query_port(context, port_num, port_attr)

/* Not to be called here: the attributes of the test want the slot. */
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
/* Each function, in each way                                                */
/* ------------------------------------------------------------------------ */

#define OBJECT(call)                                 \
	do {                                         \
		errno = SOME_ERRNO;                  \
		assert_null(call);                   \
		assert_int_equal(errno, EOPNOTSUPP); \
	} while (0)

#define NUMBER(call)                                 \
	do {                                         \
		errno = SOME_ERRNO;                  \
		assert_int_equal(call, EOPNOTSUPP);  \
		assert_int_equal(errno, SOME_ERRNO); \
	} while (0)

static void objects(void)
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

	OBJECT(ibv_alloc_td(ctx, NULL));
	OBJECT(ibv_alloc_parent_domain(ctx, NULL));
	OBJECT(ibv_open_xrcd(ctx, NULL));
	OBJECT(ibv_alloc_null_mr(&pd));
	OBJECT(ibv_alloc_mw(&pd, IBV_MW_TYPE_1));
	OBJECT(ibv_alloc_dm(ctx, NULL));
	OBJECT(ibv_reg_dm_mr(&pd, &dm, 0, 0, 0));
	OBJECT(ibv_create_cq_ex(ctx, NULL));
	OBJECT(ibv_create_srq_ex(ctx, &srq_attr));
	OBJECT(ibv_create_qp_ex(ctx, &qp_attr));
	OBJECT(ibv_open_qp(ctx, NULL));
	OBJECT(ibv_create_wq(ctx, &wq_attr));
	OBJECT(ibv_create_rwq_ind_table(ctx, NULL));
	OBJECT(ibv_create_flow(&qp, NULL));
	OBJECT(ibv_create_flow_action_esp(ctx, NULL));
	OBJECT(ibv_create_counters(ctx, NULL));
}

static void numbers(void)
{
	struct ibv_ops_wr op = {}, *bad_op = NULL;
	uint64_t value;

	NUMBER(ibv_query_rt_values_ex(ctx, NULL));
	NUMBER(ibv_dealloc_td(&td));
	NUMBER(ibv_close_xrcd(&xrcd));
	NUMBER(ibv_advise_mr(&pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, NULL, 0));
	NUMBER(ibv_free_dm(&dm));
	NUMBER(ibv_modify_cq(&cq, NULL));
	NUMBER(ibv_get_srq_num(&srq, NULL));
	NUMBER(ibv_post_srq_ops(&srq, &op, &bad_op));
	assert_ptr_equal(bad_op, &op);
	NUMBER(ibv_modify_qp_rate_limit(&qp, NULL));
	NUMBER(ibv_modify_wq(&wq, NULL));
	NUMBER(ibv_destroy_wq(&wq));
	NUMBER(ibv_destroy_rwq_ind_table(&table));
	NUMBER(ibv_destroy_flow(&flow));
	NUMBER(ibv_modify_flow_action_esp(&action, NULL));
	NUMBER(ibv_destroy_flow_action(&action));
	NUMBER(ibv_destroy_counters(&counters));
	NUMBER(ibv_attach_counters_point_flow(&counters, NULL, NULL));
	NUMBER(ibv_read_counters(&counters, &value, 1, 0));
}

/* Two have a predecessor, and leave what it does not know at zero. */
static void predecessors(void)
{
	struct ibv_device_attr_ex device;
	struct ibv_port_attr port;

	memset(&device, 0xff, sizeof(device));
	memset(&port, 0xff, sizeof(port));
	assert_int_equal(ibv_query_device_ex(ctx, NULL, &device), 0);
	assert_string_equal(fell_back_to, "ibv_query_device");
	assert_int_equal(device.orig_attr.max_qp, 77);
	assert_int_equal(device.comp_mask, 0);
	assert_int_equal(device.phys_port_cnt_ex, 0);
	assert_int_equal(ibv_query_port(ctx, 3, &port), 0);
	assert_string_equal(fell_back_to, "ibv_query_port");
	assert_int_equal(port.lid, 3);
	assert_int_equal(port.active_speed_ex, 0);
}

static void in_each_way(void (*calls)(void))
{
	for (int lack = 0; lack < LACKS_NR; lack++) {
		make_context((enum lack)lack);
		calls();
	}
}

static void no_object_is_made(void **state)
{
	in_each_way(objects);
}

static void the_error_is_the_result(void **state)
{
	in_each_way(numbers);
}

static void a_predecessor_answers(void **state)
{
	in_each_way(predecessors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_object_is_made),
		cmocka_unit_test(the_error_is_the_result),
		cmocka_unit_test(a_predecessor_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
