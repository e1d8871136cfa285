/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Op table of a foreign provider and conversion of results:
 * libibverbs/foreign/foreign_adapt.c and foreign_call.c.
 */
#include "foreign/foreign_call.h"
#include "libibverbs/foreign/adapt_fixture.h"

typedef void (*any_op)(void);

#define NR_FOREIGN_OPS (sizeof(struct foreign_ops) / sizeof(any_op))
#define NR_LIBRARY_OPS (sizeof(struct verbs_context_ops) / sizeof(any_op))

#define FOREIGN_OP(member) \
	(offsetof(struct foreign_ops, member) / sizeof(any_op))
#define LIBRARY_OP(member) \
	(offsetof(struct verbs_context_ops, member) / sizeof(any_op))

/* SAME: ops of the same name. PAIR: foreign op and op of the library. */
#define SAME(member)                                            \
	{                                                       \
#member, FOREIGN_OP(member), LIBRARY_OP(member) \
	}
#define PAIR(foreign, ops)                                     \
	{                                                      \
#foreign, FOREIGN_OP(foreign), LIBRARY_OP(ops) \
	}

static const struct pair {
	const char *name;
	size_t foreign;
	size_t ops;
} pairs[] = {
	SAME(advise_mr),
	SAME(alloc_dm),
	SAME(alloc_dmah),
	SAME(alloc_mw),
	SAME(alloc_null_mr),
	SAME(alloc_parent_domain),
	SAME(alloc_pd),
	SAME(alloc_td),
	SAME(async_event),
	SAME(attach_counters_point_flow),
	SAME(attach_mcast),
	SAME(bind_mw),
	SAME(close_xrcd),
	SAME(cq_event),
	SAME(create_ah),
	SAME(create_comp_cntr),
	SAME(create_counters),
	SAME(create_cq),
	PAIR(create_cq_ex, create_cq),
	SAME(create_flow),
	SAME(create_flow_action_esp),
	SAME(create_qp),
	PAIR(create_qp_ex, create_qp),
	SAME(create_rwq_ind_table),
	SAME(create_srq),
	PAIR(create_srq_ex, create_srq),
	SAME(create_wq),
	SAME(dealloc_dmah),
	SAME(dealloc_mw),
	SAME(dealloc_pd),
	SAME(dealloc_td),
	SAME(dereg_mr),
	SAME(destroy_ah),
	SAME(destroy_comp_cntr),
	SAME(destroy_counters),
	SAME(destroy_cq),
	SAME(destroy_flow),
	SAME(destroy_flow_action),
	SAME(destroy_qp),
	SAME(destroy_rwq_ind_table),
	SAME(destroy_srq),
	SAME(destroy_wq),
	SAME(detach_mcast),
	SAME(dm_export_dmabuf_fd),
	SAME(free_dm),
	SAME(get_srq_num),
	SAME(import_dm),
	SAME(import_mr),
	SAME(import_pd),
	SAME(inc_comp_cntr),
	SAME(inc_err_comp_cntr),
	SAME(modify_cq),
	SAME(modify_flow_action_esp),
	SAME(modify_qp),
	SAME(modify_qp_rate_limit),
	SAME(modify_srq),
	SAME(modify_wq),
	SAME(open_qp),
	SAME(open_xrcd),
	SAME(poll_cq),
	SAME(post_recv),
	SAME(post_send),
	SAME(post_srq_ops),
	SAME(post_srq_recv),
	SAME(qp_attach_comp_cntr),
	SAME(query_comp_cntr_caps),
	PAIR(query_device_ex, query_device),
	SAME(query_ece),
	SAME(query_port),
	SAME(query_port_speed),
	SAME(query_qp),
	SAME(query_qp_data_in_order),
	SAME(query_rt_values),
	SAME(query_srq),
	SAME(read_comp_cntr),
	SAME(read_counters),
	SAME(read_err_comp_cntr),
	SAME(reg_dm_mr),
	SAME(reg_dmabuf_mr),
	SAME(reg_mr),
	SAME(reg_mr_ex),
	SAME(req_notify_cq),
	SAME(rereg_mr),
	SAME(resize_cq),
	SAME(set_comp_cntr),
	SAME(set_ece),
	SAME(set_err_comp_cntr),
	SAME(unimport_dm),
	SAME(unimport_mr),
	SAME(unimport_pd),
};

#define NR_PAIRS (sizeof(pairs) / sizeof(pairs[0]))

/*
 * Three ops have no row: alloc_buf and free_buf are adapted together, and
 * foreign_device.c calls free_context.
 */
_Static_assert(NR_PAIRS + 3 == NR_FOREIGN_OPS, "every foreign op has a row");

/*
 * Ops that are set in every table: their defaults do not suit foreign objects.
 */
static const size_t always_set[] = { LIBRARY_OP(query_port_speed),
				     LIBRARY_OP(get_srq_num),
				     LIBRARY_OP(qp_to_ex) };

static bool is_always_set(size_t slot)
{
	for (size_t i = 0; i < sizeof(always_set) / sizeof(always_set[0]);
	     i++) {
		if (always_set[i] == slot)
			return true;
	}
	return false;
}

static void some_function(void)
{
}

/* Adapt a provider that has exactly the ops in @set. */
static void adapt_ops(const size_t *set, size_t nr_set, any_op *ret_ops)
{
	any_op slots[NR_FOREIGN_OPS] = {};
	struct verbs_context_ops ops;
	struct foreign_ops foreign;

	for (size_t i = 0; i < nr_set; i++)
		slots[set[i]] = some_function;
	memcpy(&foreign, slots, sizeof(foreign));
	memset(&ops, 0x5a, sizeof(ops));
	foreign_adapt(&foreign, &ops);
	memcpy(ret_ops, &ops, sizeof(ops));
}

static void foreign_adapt_without_ops_sets_only_required_ops(void **state)
{
	any_op ops[NR_LIBRARY_OPS];

	adapt_ops(NULL, 0, ops);
	for (size_t i = 0; i < NR_LIBRARY_OPS; i++)
		assert_int_equal(ops[i] != NULL, is_always_set(i));
}

static void foreign_adapt_provider_op_sets_matching_op_only(void **state)
{
	any_op without[NR_LIBRARY_OPS], ops[NR_LIBRARY_OPS];

	adapt_ops(NULL, 0, without);
	for (size_t p = 0; p < NR_PAIRS; p++) {
		adapt_ops(&pairs[p].foreign, 1, ops);
		for (size_t i = 0; i < NR_LIBRARY_OPS; i++) {
			bool changed = ops[i] != without[i];

			/* qp_to_ex depends on create_qp_ex only */
			if (i == LIBRARY_OP(qp_to_ex) &&
			    pairs[p].foreign == FOREIGN_OP(create_qp_ex))
				assert_true(changed);
			else if (changed != (i == pairs[p].ops))
				fail_msg("%s: slot %zu", pairs[p].name, i);
		}
	}
}

static void foreign_adapt_alloc_buf_without_free_buf_is_not_set(void **state)
{
	const size_t both[] = { FOREIGN_OP(alloc_buf), FOREIGN_OP(free_buf) };
	any_op ops[NR_LIBRARY_OPS];

	for (size_t i = 0; i < 2; i++) {
		adapt_ops(&both[i], 1, ops);
		assert_null(ops[LIBRARY_OP(alloc_buf)]);
		assert_null(ops[LIBRARY_OP(free_buf)]);
	}
	adapt_ops(both, 2, ops);
	assert_non_null(ops[LIBRARY_OP(alloc_buf)]);
	assert_ptr_equal(ops[LIBRARY_OP(free_buf)], some_function);
}

static void foreign_adapt_data_path_ops_are_provider_functions(void **state)
{
	const size_t foreign[] = {
		FOREIGN_OP(poll_cq),	   FOREIGN_OP(req_notify_cq),
		FOREIGN_OP(post_send),	   FOREIGN_OP(post_recv),
		FOREIGN_OP(post_srq_recv), FOREIGN_OP(post_srq_ops),
		FOREIGN_OP(bind_mw),
	};
	const size_t same[] = {
		LIBRARY_OP(poll_cq),	   LIBRARY_OP(req_notify_cq),
		LIBRARY_OP(post_send),	   LIBRARY_OP(post_recv),
		LIBRARY_OP(post_srq_recv), LIBRARY_OP(post_srq_ops),
		LIBRARY_OP(bind_mw),
	};
	any_op ops[NR_LIBRARY_OPS];

	adapt_ops(foreign, sizeof(foreign) / sizeof(foreign[0]), ops);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		assert_ptr_equal(ops[same[i]], some_function);
}

/* ------------------------------------------------------------------------ */
/* Results                                                                   */
/* ------------------------------------------------------------------------ */

static const int absent = -1; /* stands for a NULL object */

static void check_call_results(bool is_object)
{
	static const struct {
		int ret;
		int err;
		int expected;
	} ints[] = {
		{ 0, 0, 0 },
		{ 0, EINVAL, 0 },
		{ EINVAL, 0, -EINVAL },
		{ EINVAL, EIO, -EINVAL },
		{ 4095, 0, -4095 },
		/* forms that some ops use */
		{ -EINVAL, 0, -EINVAL },
		{ -EINVAL, EBUSY, -EINVAL },
		{ -1, EBUSY, -EBUSY },
		{ -1, -EBUSY, -EBUSY },
		/* numbers that are no errno */
		{ -1, 0, -EIO },
		{ 4096, 0, -EIO },
		{ 4096, EBUSY, -EBUSY },
		{ -4096, 0, -EIO },
		{ INT32_MIN, 0, -EIO },
		{ INT32_MAX, ENOSPC, -ENOSPC },
		{ INT32_MIN, INT32_MIN, -EIO },
		{ -1, INT32_MAX, -EIO },
	}, objects[] = {
		{ 0, 0, 0 },
		{ 0, EINVAL, 0 },
		{ absent, ENOMEM, -ENOMEM },
		{ absent, -ENOMEM, -ENOMEM },
		{ absent, 0, -EIO },
		{ absent, 4096, -EIO },
		{ absent, INT32_MIN, -EIO },
	};
	size_t count = is_object ? sizeof(objects) / sizeof(objects[0])
				 : sizeof(ints) / sizeof(ints[0]);

	for (size_t i = 0; i < count; i++) {
		int saved, ret;

		errno = ADAPT_ERRNO_BEFORE;
		saved = foreign_call_begin();
		assert_int_equal(errno, 0);
		if (is_object) {
			errno = objects[i].err;
			ret = foreign_call_object(
				saved, objects[i].ret ? NULL : &objects[i]);
			assert_int_equal(ret, objects[i].expected);
		} else {
			errno = ints[i].err;
			ret = foreign_call_int(saved, ints[i].ret);
			assert_int_equal(ret, ints[i].expected);
		}
		assert_int_equal(errno, ADAPT_ERRNO_BEFORE);
	}
}

static void foreign_call_int_accepts_every_error_form(void **state)
{
	check_call_results(false);
}

static void foreign_call_object_null_returns_errno(void **state)
{
	check_call_results(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			foreign_adapt_without_ops_sets_only_required_ops),
		cmocka_unit_test(
			foreign_adapt_provider_op_sets_matching_op_only),
		cmocka_unit_test(
			foreign_adapt_alloc_buf_without_free_buf_is_not_set),
		cmocka_unit_test(
			foreign_adapt_data_path_ops_are_provider_functions),
		cmocka_unit_test(foreign_call_int_accepts_every_error_form),
		cmocka_unit_test(foreign_call_object_null_returns_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
