/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inline functions of the public headers: how they find the op tables,
 * their result when the device lacks an operation, and the few functions that
 * do more than jump. inline_dispatch_test.c covers the plain jumps.
 *
 * The test builds the context and defines the exported functions that inline
 * functions call. The library is not linked, because old programs contain the
 * inline functions and rely on nothing else.
 */
#include <infiniband/verbs.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A device whose op tables are empty, and one object of each kind. */
struct fake {
	struct verbs_context vctx;
	struct ibv_context *ctx;
	struct ibv_pd pd;
	struct ibv_td td;
	struct ibv_dm dm;
	struct ibv_mr mr;
	struct ibv_mw mw;
	struct ibv_cq cq;
	struct ibv_srq srq;
	struct ibv_xrcd xrcd;
	struct ibv_wq wq;
	struct ibv_rwq_ind_table table;
	struct ibv_qp qp;
	struct ibv_flow flow;
	struct ibv_flow_action action;
	struct ibv_counters counters;
};

/* The most recent call of a fake below. */
static struct {
	const char *name;
	const void *object;
	const void *attr;
	uint64_t iova;
	unsigned int access;
	size_t size;
	int result;
} exported;

static int setup(void **state)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	if (!fake)
		return -1;
	fake->ctx = &fake->vctx.context;
	fake->ctx->abi_compat = __VERBS_ABI_IS_EXTENDED;
	fake->vctx.sz = sizeof(fake->vctx);
	fake->pd.context = fake->ctx;
	fake->td.context = fake->ctx;
	fake->dm.context = fake->ctx;
	fake->mr.context = fake->ctx;
	fake->mr.pd = &fake->pd;
	fake->mw.context = fake->ctx;
	fake->mw.pd = &fake->pd;
	fake->mw.type = IBV_MW_TYPE_1;
	fake->cq.context = fake->ctx;
	fake->srq.context = fake->ctx;
	fake->xrcd.context = fake->ctx;
	fake->wq.context = fake->ctx;
	fake->table.context = fake->ctx;
	fake->qp.context = fake->ctx;
	fake->flow.context = fake->ctx;
	fake->action.context = fake->ctx;
	fake->counters.context = fake->ctx;
	memset(&exported, 0, sizeof(exported));
	*state = fake;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* ------------------------------------------------------------------------
 * Fakes of the exported functions that inline functions call
 *
 * The parentheses suppress macros of the same name.
 */

int ibv_query_device(struct ibv_context *context,
		     struct ibv_device_attr *device_attr)
{
	exported.name = "ibv_query_device";
	exported.object = context;
	exported.attr = device_attr;
	return exported.result;
}

int(ibv_query_port)(struct ibv_context *context, uint8_t port_num,
		    struct _compat_ibv_port_attr *port_attr)
{
	exported.name = "ibv_query_port";
	exported.object = context;
	exported.attr = port_attr;
	exported.size = port_num;
	return exported.result;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t gid_index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	exported.name = "_ibv_query_gid_ex";
	exported.object = context;
	exported.attr = entry;
	exported.access = port_num << 16 | gid_index << 8 | flags;
	exported.size = entry_size;
	return exported.result;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	exported.name = "_ibv_query_gid_table";
	exported.object = context;
	exported.attr = entries;
	exported.access = (unsigned int)max_entries << 8 | flags;
	exported.size = entry_size;
	return exported.result;
}

int _ibv_query_comp_cntr_caps(struct ibv_context *context,
			      struct ibv_comp_cntr_caps *caps, size_t caps_size)
{
	exported.name = "_ibv_query_comp_cntr_caps";
	exported.object = context;
	exported.attr = caps;
	exported.size = caps_size;
	return exported.result;
}

struct ibv_mr *(ibv_reg_mr)(struct ibv_pd *pd, void *addr, size_t length,
			    int access)
{
	exported.name = "ibv_reg_mr";
	exported.object = pd;
	exported.attr = addr;
	exported.size = length;
	exported.access = (unsigned int)access;
	return NULL;
}

struct ibv_mr *(ibv_reg_mr_iova)(struct ibv_pd *pd, void *addr, size_t length,
				 uint64_t iova, int access)
{
	(ibv_reg_mr)(pd, addr, length, access);
	exported.name = "ibv_reg_mr_iova";
	exported.iova = iova;
	return NULL;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	(ibv_reg_mr)(pd, addr, length, (int)access);
	exported.name = "ibv_reg_mr_iova2";
	exported.iova = iova;
	return NULL;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *srq_init_attr)
{
	exported.name = "ibv_create_srq";
	exported.object = pd;
	exported.attr = srq_init_attr;
	return NULL;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd,
			     struct ibv_qp_init_attr *qp_init_attr)
{
	exported.name = "ibv_create_qp";
	exported.object = pd;
	exported.attr = qp_init_attr;
	return NULL;
}

/* ------------------------------------------------------------------------
 * Finding the table
 */

static int unused_query_port(struct ibv_context *context, uint8_t port_num,
			     struct ibv_port_attr *port_attr, size_t len)
{
	(void)context;
	(void)port_num;
	(void)port_attr;
	return (int)len;
}

static int unused_close_xrcd(struct ibv_xrcd *xrcd)
{
	return xrcd ? 0 : EINVAL;
}

static void get_ctx_without_mark_returns_null(void **state)
{
	struct fake *fake = *state;

	fake->ctx->abi_compat = NULL;
	assert_null(verbs_get_ctx(fake->ctx));
	fake->vctx.query_port = unused_query_port;
	assert_null(verbs_get_ctx_op(fake->ctx, query_port));
}

static void get_ctx_with_mark_returns_preceding_table(void **state)
{
	struct fake *fake = *state;

	assert_ptr_equal(verbs_get_ctx(fake->ctx), &fake->vctx);
}

static void get_ctx_op_empty_slot_returns_null(void **state)
{
	struct fake *fake = *state;

	assert_null(verbs_get_ctx_op(fake->ctx, query_port));
	fake->vctx.query_port = unused_query_port;
	assert_ptr_equal(verbs_get_ctx_op(fake->ctx, query_port), &fake->vctx);
}

static void get_ctx_op_short_table_returns_null(void **state)
{
	struct fake *fake = *state;
	size_t below = offsetof(struct verbs_context, query_port);

	fake->vctx.query_port = unused_query_port;
	fake->vctx.close_xrcd = unused_close_xrcd;
	fake->vctx.sz = sizeof(fake->vctx) - below;
	assert_non_null(verbs_get_ctx_op(fake->ctx, query_port));
	fake->vctx.sz--;
	assert_null(verbs_get_ctx_op(fake->ctx, query_port));
	assert_non_null(verbs_get_ctx_op(fake->ctx, close_xrcd));
}

/* An older provider allocates less: memory in front of it is not read. */
static void get_ctx_op_short_table_reads_within_size(void **state)
{
	size_t begin = offsetof(struct verbs_context, query_port);
	size_t size = sizeof(struct verbs_context) - begin;
	char *memory = calloc(1, size);
	struct ibv_context *ctx;

	(void)state;
	assert_non_null(memory);
	ctx = (struct ibv_context *)(void *)(memory + size -
					     sizeof(struct ibv_context));
	ctx->abi_compat = __VERBS_ABI_IS_EXTENDED;
	memcpy((char *)ctx - sizeof(size), &size, sizeof(size));
	assert_null(verbs_get_ctx_op(ctx, alloc_buf));
	assert_null(verbs_get_ctx_op(ctx, query_port));
	free(memory);
}

static void vext_field_avail_compares_offset_with_size(void **state)
{
	size_t at = offsetof(struct ibv_device_attr_ex, odp_caps);

	(void)state;
	assert_false(vext_field_avail(struct ibv_device_attr_ex, odp_caps, at));
	assert_true(
		vext_field_avail(struct ibv_device_attr_ex, odp_caps, at + 1));
}

/* ------------------------------------------------------------------------
 * Missing operations
 */

#define REFUSES_POINTER(call)                        \
	do {                                         \
		errno = 0;                           \
		assert_null(call);                   \
		assert_int_equal(errno, EOPNOTSUPP); \
	} while (0)

#define REFUSES_INT(call)                           \
	do {                                        \
		errno = 0;                          \
		assert_int_equal(call, EOPNOTSUPP); \
		assert_int_equal(errno, 0);         \
	} while (0)

static void constructors_without_operation_set_errno(void **state)
{
	struct fake *fake = *state;
	struct ibv_srq_init_attr_ex srq_attr = { .comp_mask = 0 };
	struct ibv_qp_init_attr_ex qp_attr = { .comp_mask = 0 };

	REFUSES_POINTER(ibv_create_flow(&fake->qp, NULL));
	REFUSES_POINTER(ibv_create_flow_action_esp(fake->ctx, NULL));
	REFUSES_POINTER(ibv_open_xrcd(fake->ctx, NULL));
	REFUSES_POINTER(ibv_alloc_dm(fake->ctx, NULL));
	REFUSES_POINTER(ibv_alloc_null_mr(&fake->pd));
	REFUSES_POINTER(ibv_reg_dm_mr(&fake->pd, &fake->dm, 0, 0, 0));
	REFUSES_POINTER(ibv_create_cq_ex(fake->ctx, NULL));
	REFUSES_POINTER(ibv_create_srq_ex(fake->ctx, &srq_attr));
	REFUSES_POINTER(ibv_create_qp_ex(fake->ctx, &qp_attr));
	REFUSES_POINTER(ibv_alloc_td(fake->ctx, NULL));
	REFUSES_POINTER(ibv_alloc_parent_domain(fake->ctx, NULL));
	REFUSES_POINTER(ibv_open_qp(fake->ctx, NULL));
	REFUSES_POINTER(ibv_create_wq(fake->ctx, NULL));
	REFUSES_POINTER(ibv_create_rwq_ind_table(fake->ctx, NULL));
	REFUSES_POINTER(ibv_create_counters(fake->ctx, NULL));
	REFUSES_POINTER(ibv_alloc_mw(&fake->pd, IBV_MW_TYPE_1));
}

static void operations_missing_return_error_and_keep_errno(void **state)
{
	struct fake *fake = *state;

	REFUSES_INT(ibv_destroy_flow(&fake->flow));
	REFUSES_INT(ibv_modify_flow_action_esp(&fake->action, NULL));
	REFUSES_INT(ibv_destroy_flow_action(&fake->action));
	REFUSES_INT(ibv_close_xrcd(&fake->xrcd));
	REFUSES_INT(ibv_advise_mr(&fake->pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
				  NULL, 0));
	REFUSES_INT(ibv_free_dm(&fake->dm));
	REFUSES_INT(ibv_modify_cq(&fake->cq, NULL));
	REFUSES_INT(ibv_get_srq_num(&fake->srq, NULL));
	REFUSES_INT(ibv_dealloc_td(&fake->td));
	REFUSES_INT(ibv_query_rt_values_ex(fake->ctx, NULL));
	REFUSES_INT(ibv_modify_qp_rate_limit(&fake->qp, NULL));
	REFUSES_INT(ibv_modify_wq(&fake->wq, NULL));
	REFUSES_INT(ibv_destroy_wq(&fake->wq));
	REFUSES_INT(ibv_destroy_rwq_ind_table(&fake->table));
	REFUSES_INT(ibv_destroy_counters(&fake->counters));
	REFUSES_INT(ibv_attach_counters_point_flow(&fake->counters, NULL,
						   &fake->flow));
	REFUSES_INT(ibv_read_counters(&fake->counters, NULL, 0, 0));
}

static void post_srq_ops_missing_returns_first_request(void **state)
{
	struct fake *fake = *state;
	struct ibv_ops_wr op = { .wr_id = 1 };
	struct ibv_ops_wr *bad = NULL;

	REFUSES_INT(ibv_post_srq_ops(&fake->srq, &op, &bad));
	assert_ptr_equal(bad, &op);
}

/* ------------------------------------------------------------------------
 * Device and port attributes
 */

static int query_device_ex_result;

static int fake_query_device_ex(struct ibv_context *context,
				const struct ibv_query_device_ex_input *input,
				struct ibv_device_attr_ex *attr,
				size_t attr_size)
{
	(void)context;
	(void)input;
	assert_int_equal(attr_size, sizeof(*attr));
	attr->hca_core_clock = 1;
	return query_device_ex_result;
}

static bool is_zero(const void *memory, size_t size)
{
	const unsigned char *byte = memory;

	while (size && !*byte) {
		byte++;
		size--;
	}
	return !size;
}

static void query_device_ex_unknown_input_returns_einval(void **state)
{
	struct fake *fake = *state;
	struct ibv_query_device_ex_input input = { .comp_mask = 1 };
	struct ibv_device_attr_ex attr;

	fake->vctx.query_device_ex = fake_query_device_ex;
	assert_int_equal(ibv_query_device_ex(fake->ctx, &input, &attr), EINVAL);
	assert_null(exported.name);
}

static void query_device_ex_with_operation_calls_operation(void **state)
{
	struct fake *fake = *state;
	struct ibv_query_device_ex_input input = { .comp_mask = 0 };
	struct ibv_device_attr_ex attr;

	fake->vctx.query_device_ex = fake_query_device_ex;
	query_device_ex_result = 0;
	assert_int_equal(ibv_query_device_ex(fake->ctx, &input, &attr), 0);
	query_device_ex_result = EIO;
	assert_int_equal(ibv_query_device_ex(fake->ctx, NULL, &attr), EIO);
	assert_null(exported.name);
}

static void query_device_ex_missing_calls_query_device(void **state)
{
	static const int refusals[] = { EOPNOTSUPP, ENOSYS };
	struct fake *fake = *state;
	struct ibv_device_attr_ex attr;
	size_t i;

	for (i = 0; i <= 2; i++) {
		memset(&attr, 0xff, sizeof(attr));
		memset(&exported, 0, sizeof(exported));
		exported.result = EIO;
		if (i) {
			fake->vctx.query_device_ex = fake_query_device_ex;
			query_device_ex_result = refusals[i - 1];
		}
		assert_int_equal(ibv_query_device_ex(fake->ctx, NULL, &attr),
				 EIO);
		assert_string_equal(exported.name, "ibv_query_device");
		assert_ptr_equal(exported.object, fake->ctx);
		assert_ptr_equal(exported.attr, &attr.orig_attr);
		assert_true(is_zero(&attr, sizeof(attr)));
	}
}

static void query_port_with_operation_passes_struct_size(void **state)
{
	struct fake *fake = *state;
	struct ibv_port_attr attr;

	fake->vctx.query_port = unused_query_port;
	assert_int_equal(ibv_query_port(fake->ctx, 1, &attr), sizeof(attr));
	assert_null(exported.name);
}

static void query_port_missing_calls_exported_function(void **state)
{
	struct fake *fake = *state;
	struct ibv_port_attr attr;

	memset(&attr, 0xff, sizeof(attr));
	exported.result = EIO;
	assert_int_equal(ibv_query_port(fake->ctx, 3, &attr), EIO);
	assert_string_equal(exported.name, "ibv_query_port");
	assert_ptr_equal(exported.object, fake->ctx);
	assert_ptr_equal(exported.attr, &attr);
	assert_int_equal(exported.size, 3);
	assert_true(is_zero(&attr, sizeof(attr)));
}

static void sized_queries_pass_struct_size_of_caller(void **state)
{
	struct fake *fake = *state;
	struct ibv_gid_entry entries[2];
	struct ibv_comp_cntr_caps caps;

	exported.result = 5;
	assert_int_equal(ibv_query_gid_ex(fake->ctx, 1, 2, entries, 3), 5);
	assert_string_equal(exported.name, "_ibv_query_gid_ex");
	assert_ptr_equal(exported.attr, entries);
	assert_int_equal(exported.access, 0x10203);
	assert_int_equal(exported.size, sizeof(entries[0]));

	assert_int_equal(ibv_query_gid_table(fake->ctx, entries, 2, 3), 5);
	assert_string_equal(exported.name, "_ibv_query_gid_table");
	assert_ptr_equal(exported.attr, entries);
	assert_int_equal(exported.access, 0x203);
	assert_int_equal(exported.size, sizeof(entries[0]));

	assert_int_equal(ibv_query_comp_cntr_caps(fake->ctx, &caps), 5);
	assert_string_equal(exported.name, "_ibv_query_comp_cntr_caps");
	assert_ptr_equal(exported.attr, &caps);
	assert_int_equal(exported.size, sizeof(caps));
}

/* ------------------------------------------------------------------------
 * Memory registration
 */

static void reg_mr_constant_flags_calls_ibv_reg_mr(void **state)
{
	struct fake *fake = *state;
	char buf[8];

	assert_null(ibv_reg_mr(&fake->pd, buf, sizeof(buf),
			       IBV_ACCESS_LOCAL_WRITE));
	assert_string_equal(exported.name, "ibv_reg_mr");
	assert_ptr_equal(exported.object, &fake->pd);
	assert_ptr_equal(exported.attr, buf);
	assert_int_equal(exported.size, sizeof(buf));
	assert_int_equal(exported.access, IBV_ACCESS_LOCAL_WRITE);

	assert_null(ibv_reg_mr_iova(&fake->pd, buf, sizeof(buf), 42,
				    IBV_ACCESS_LOCAL_WRITE));
	assert_string_equal(exported.name, "ibv_reg_mr_iova");
	assert_int_equal(exported.iova, 42);
	assert_int_equal(exported.access, IBV_ACCESS_LOCAL_WRITE);
}

static void reg_mr_optional_flags_calls_reg_mr_iova2(void **state)
{
	struct fake *fake = *state;
	char buf[8];

	assert_null(ibv_reg_mr(&fake->pd, buf, sizeof(buf),
			       IBV_ACCESS_RELAXED_ORDERING));
	assert_string_equal(exported.name, "ibv_reg_mr_iova2");
	assert_int_equal(exported.iova, (uintptr_t)buf);
	assert_int_equal(exported.access, IBV_ACCESS_RELAXED_ORDERING);

	assert_null(ibv_reg_mr_iova(&fake->pd, buf, sizeof(buf), 42,
				    IBV_ACCESS_RELAXED_ORDERING));
	assert_string_equal(exported.name, "ibv_reg_mr_iova2");
	assert_int_equal(exported.iova, 42);
}

static void reg_mr_variable_flags_calls_reg_mr_iova2(void **state)
{
	struct fake *fake = *state;
	volatile int access = IBV_ACCESS_LOCAL_WRITE;
	char buf[8];

	assert_null(ibv_reg_mr(&fake->pd, buf, sizeof(buf), access));
	assert_string_equal(exported.name, "ibv_reg_mr_iova2");
	assert_int_equal(exported.access, IBV_ACCESS_LOCAL_WRITE);

	assert_null(ibv_reg_mr_iova(&fake->pd, buf, sizeof(buf), 42, access));
	assert_string_equal(exported.name, "ibv_reg_mr_iova2");
}

/* Some programs and bindings use the function behind a macro. */
static void macros_have_named_functions(void **state)
{
	struct fake *fake = *state;
	struct ibv_port_attr attr;
	char buf[8];

	assert_null(__ibv_reg_mr(&fake->pd, buf, sizeof(buf), 0, 1));
	assert_string_equal(exported.name, "ibv_reg_mr");
	assert_null(__ibv_reg_mr(&fake->pd, buf, sizeof(buf), 0, 0));
	assert_string_equal(exported.name, "ibv_reg_mr_iova2");
	assert_null(__ibv_reg_mr_iova(&fake->pd, buf, sizeof(buf), 0, 0, 1));
	assert_string_equal(exported.name, "ibv_reg_mr_iova");
	assert_null(__ibv_reg_mr_iova(&fake->pd, buf, sizeof(buf), 0, 0, 0));
	assert_string_equal(exported.name, "ibv_reg_mr_iova2");
	fake->vctx.query_port = unused_query_port;
	assert_int_equal(___ibv_query_port(fake->ctx, 1, &attr), sizeof(attr));
}

/* ------------------------------------------------------------------------
 * Memory windows
 */

static int fake_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
			struct ibv_mw_bind *mw_bind)
{
	(void)qp;
	(void)mw;
	(void)mw_bind;
	return 77;
}

static void bind_mw_checks_arguments_before_jump(void **state)
{
	struct fake *fake = *state;
	struct ibv_pd other_pd = { .context = fake->ctx };
	struct ibv_mw_bind bind = { .wr_id = 1 };

	fake->ctx->ops.bind_mw = fake_bind_mw;
	assert_int_equal(ibv_bind_mw(NULL, &fake->mw, &bind), 77);
	bind.bind_info.addr = 1;
	assert_int_equal(ibv_bind_mw(NULL, &fake->mw, &bind), EINVAL);
	bind.bind_info.addr = 0;
	bind.bind_info.length = 1;
	assert_int_equal(ibv_bind_mw(NULL, &fake->mw, &bind), EINVAL);
	bind.bind_info.mr = &fake->mr;
	assert_int_equal(ibv_bind_mw(NULL, &fake->mw, &bind), 77);
	fake->mr.pd = &other_pd;
	assert_int_equal(ibv_bind_mw(NULL, &fake->mw, &bind), EPERM);
	fake->mw.type = IBV_MW_TYPE_2;
	assert_int_equal(ibv_bind_mw(NULL, &fake->mw, &bind), EINVAL);
}

static void inc_rkey_changes_only_low_byte(void **state)
{
	(void)state;
	assert_int_equal(ibv_inc_rkey(0x12345600), 0x12345601);
	assert_int_equal(ibv_inc_rkey(0x123456ff), 0x12345600);
	assert_int_equal(ibv_inc_rkey(0xffffffff), 0xffffff00);
}

/* ------------------------------------------------------------------------
 * Queues
 */

static struct ibv_srq *fake_create_srq_ex(struct ibv_context *context,
					  struct ibv_srq_init_attr_ex *attr)
{
	exported.name = "create_srq_ex";
	exported.object = context;
	exported.attr = attr;
	return NULL;
}

static struct ibv_qp *fake_create_qp_ex(struct ibv_context *context,
					struct ibv_qp_init_attr_ex *attr)
{
	exported.name = "create_qp_ex";
	exported.object = context;
	exported.attr = attr;
	return NULL;
}

static void create_srq_ex_basic_calls_exported_function(void **state)
{
	struct fake *fake = *state;
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		/* ignored, because comp_mask does not cover it */
		.srq_type = IBV_SRQT_XRC,
		.pd = &fake->pd,
	};

	fake->vctx.create_srq_ex = fake_create_srq_ex;
	assert_null(ibv_create_srq_ex(fake->ctx, &attr));
	assert_string_equal(exported.name, "ibv_create_srq");
	assert_ptr_equal(exported.object, &fake->pd);
	assert_ptr_equal(exported.attr, &attr);

	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE;
	attr.srq_type = IBV_SRQT_BASIC;
	assert_null(ibv_create_srq_ex(fake->ctx, &attr));
	assert_string_equal(exported.name, "ibv_create_srq");
}

static void create_srq_ex_extended_calls_operation(void **state)
{
	static const uint32_t masks[] = {
		0,
		IBV_SRQ_INIT_ATTR_TYPE,
		IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE,
		IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ,
	};
	struct fake *fake = *state;
	struct ibv_srq_init_attr_ex attr = { .pd = &fake->pd };
	size_t i;

	fake->vctx.create_srq_ex = fake_create_srq_ex;
	attr.srq_type = IBV_SRQT_XRC;
	for (i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		exported.name = NULL;
		attr.comp_mask = masks[i];
		assert_null(ibv_create_srq_ex(fake->ctx, &attr));
		assert_string_equal(exported.name, "create_srq_ex");
		assert_ptr_equal(exported.object, fake->ctx);
	}
}

static void create_qp_ex_plain_calls_exported_function(void **state)
{
	struct fake *fake = *state;
	struct ibv_qp_init_attr_ex attr = {
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &fake->pd,
	};

	fake->vctx.create_qp_ex = fake_create_qp_ex;
	assert_null(ibv_create_qp_ex(fake->ctx, &attr));
	assert_string_equal(exported.name, "ibv_create_qp");
	assert_ptr_equal(exported.object, &fake->pd);
	assert_ptr_equal(exported.attr, &attr);

	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	assert_null(ibv_create_qp_ex(fake->ctx, &attr));
	assert_string_equal(exported.name, "create_qp_ex");
	assert_ptr_equal(exported.object, fake->ctx);
	assert_ptr_equal(exported.attr, &attr);
}

static struct ibv_wq *next_wq;

static struct ibv_wq *fake_create_wq(struct ibv_context *context,
				     struct ibv_wq_init_attr *attr)
{
	(void)context;
	(void)attr;
	return next_wq;
}

static void create_wq_initialises_event_members(void **state)
{
	struct fake *fake = *state;
	struct ibv_wq_init_attr attr = { .wq_context = &attr };
	struct ibv_wq *wq;

	fake->vctx.create_wq = fake_create_wq;
	memset(&fake->wq, 0xff, sizeof(fake->wq));
	next_wq = &fake->wq;
	wq = ibv_create_wq(fake->ctx, &attr);
	assert_ptr_equal(wq, &fake->wq);
	assert_ptr_equal(wq->wq_context, &attr);
	assert_int_equal(wq->events_completed, 0);
	assert_int_equal(pthread_mutex_lock(&wq->mutex), 0);
	assert_int_equal(pthread_cond_signal(&wq->cond), 0);
	assert_int_equal(pthread_mutex_unlock(&wq->mutex), 0);

	next_wq = NULL;
	assert_null(ibv_create_wq(fake->ctx, &attr));
}

static void cq_ex_to_cq_returns_same_address(void **state)
{
	struct ibv_cq_ex cq;

	(void)state;
	assert_ptr_equal(ibv_cq_ex_to_cq(&cq), &cq);
}

/* ------------------------------------------------------------------------
 * Arithmetic
 */

static void is_qpt_supported_tests_bit_of_mask(void **state)
{
	uint32_t caps = 1U << IBV_QPT_RC | 1U << IBV_QPT_UD;

	(void)state;
	assert_int_equal(ibv_is_qpt_supported(caps, IBV_QPT_RC), 1);
	assert_int_equal(ibv_is_qpt_supported(caps, IBV_QPT_UC), 0);
	assert_int_equal(ibv_is_qpt_supported(caps, IBV_QPT_UD), 1);
	assert_int_equal(ibv_is_qpt_supported(~0U, IBV_QPT_DRIVER), 0);
}

static void flow_label_to_udp_sport_returns_dynamic_port(void **state)
{
	(void)state;
	assert_int_equal(ibv_flow_label_to_udp_sport(0), 0xc000);
	assert_int_equal(ibv_flow_label_to_udp_sport(0x3fff), 0xffff);
	assert_int_equal(ibv_flow_label_to_udp_sport(0xfc000), 0xc03f);
	assert_int_equal(ibv_flow_label_to_udp_sport(0xfffff), 0xffc0);
	assert_int_equal(ibv_flow_label_to_udp_sport(0xfff00000), 0xc000);
}

#define INLINE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		INLINE_TEST(get_ctx_without_mark_returns_null),
		INLINE_TEST(get_ctx_with_mark_returns_preceding_table),
		INLINE_TEST(get_ctx_op_empty_slot_returns_null),
		INLINE_TEST(get_ctx_op_short_table_returns_null),
		INLINE_TEST(get_ctx_op_short_table_reads_within_size),
		INLINE_TEST(vext_field_avail_compares_offset_with_size),
		INLINE_TEST(constructors_without_operation_set_errno),
		INLINE_TEST(operations_missing_return_error_and_keep_errno),
		INLINE_TEST(post_srq_ops_missing_returns_first_request),
		INLINE_TEST(query_device_ex_unknown_input_returns_einval),
		INLINE_TEST(query_device_ex_with_operation_calls_operation),
		INLINE_TEST(query_device_ex_missing_calls_query_device),
		INLINE_TEST(query_port_with_operation_passes_struct_size),
		INLINE_TEST(query_port_missing_calls_exported_function),
		INLINE_TEST(sized_queries_pass_struct_size_of_caller),
		INLINE_TEST(reg_mr_constant_flags_calls_ibv_reg_mr),
		INLINE_TEST(reg_mr_optional_flags_calls_reg_mr_iova2),
		INLINE_TEST(reg_mr_variable_flags_calls_reg_mr_iova2),
		INLINE_TEST(macros_have_named_functions),
		INLINE_TEST(bind_mw_checks_arguments_before_jump),
		INLINE_TEST(inc_rkey_changes_only_low_byte),
		INLINE_TEST(create_srq_ex_basic_calls_exported_function),
		INLINE_TEST(create_srq_ex_extended_calls_operation),
		INLINE_TEST(create_qp_ex_plain_calls_exported_function),
		INLINE_TEST(create_wq_initialises_event_members),
		INLINE_TEST(cq_ex_to_cq_returns_same_address),
		INLINE_TEST(is_qpt_supported_tests_bit_of_mask),
		INLINE_TEST(flow_label_to_udp_sport_returns_dynamic_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
