/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table as a whole, and how answers are read:
 * libibverbs/foreign/foreign_adapt.c.
 */
#include "foreign/foreign_call.h"
#include "libibverbs/foreign/adapt_fixture.h"

typedef void (*any_op)(void);

#define NR_THEIRS (sizeof(struct foreign_ops) / sizeof(any_op))
#define NR_OURS	  (sizeof(struct verbs_context_ops) / sizeof(any_op))

#define THEIR(member) (offsetof(struct foreign_ops, member) / sizeof(any_op))
#define OUR(member) \
	(offsetof(struct verbs_context_ops, member) / sizeof(any_op))

/* An op of the same name on both sides, or ours is the second. */
#define SAME(member)                                \
	{                                           \
#member, THEIR(member), OUR(member) \
	}
#define PAIR(foreign, ops)                         \
	{                                          \
#foreign, THEIR(foreign), OUR(ops) \
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

/* alloc_buf and free_buf are adapted together, free_context by nobody here. */
_Static_assert(NR_PAIRS + 3 == NR_THEIRS, "every op of theirs has a row");

/* Set whatever the provider has: their defaults are not for foreign objects. */
static const size_t always[] = { OUR(query_port_speed), OUR(get_srq_num),
				 OUR(qp_to_ex) };

static bool is_always(size_t slot)
{
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
		if (always[i] == slot)
			return true;
	}
	return false;
}

static void some_function(void)
{
}

/* Which of our ops come out when exactly these of theirs are set. */
static void adapted(const size_t *set, size_t nr_set, any_op *ret_ops)
{
	any_op slots[NR_THEIRS] = {};
	struct verbs_context_ops ops;
	struct foreign_ops foreign;

	for (size_t i = 0; i < nr_set; i++)
		slots[set[i]] = some_function;
	memcpy(&foreign, slots, sizeof(foreign));
	memset(&ops, 0x5a, sizeof(ops));
	foreign_adapt(&foreign, &ops);
	memcpy(ret_ops, &ops, sizeof(ops));
}

static void a_provider_without_ops_gets_the_defaults(void **state)
{
	any_op ops[NR_OURS];

	adapted(NULL, 0, ops);
	for (size_t i = 0; i < NR_OURS; i++)
		assert_int_equal(ops[i] != NULL, is_always(i));
}

static void each_op_is_there_if_the_provider_has_it(void **state)
{
	any_op without[NR_OURS], ops[NR_OURS];

	adapted(NULL, 0, without);
	for (size_t p = 0; p < NR_PAIRS; p++) {
		adapted(&pairs[p].foreign, 1, ops);
		for (size_t i = 0; i < NR_OURS; i++) {
			bool changed = ops[i] != without[i];

			/* being extended depends on create_qp_ex alone */
			if (i == OUR(qp_to_ex) &&
			    pairs[p].foreign == THEIR(create_qp_ex))
				assert_true(changed);
			else if (changed != (i == pairs[p].ops))
				fail_msg("%s: slot %zu", pairs[p].name, i);
		}
	}
}

static void buffers_need_both_ops(void **state)
{
	const size_t both[] = { THEIR(alloc_buf), THEIR(free_buf) };
	any_op ops[NR_OURS];

	for (size_t i = 0; i < 2; i++) {
		adapted(&both[i], 1, ops);
		assert_null(ops[OUR(alloc_buf)]);
		assert_null(ops[OUR(free_buf)]);
	}
	adapted(both, 2, ops);
	assert_non_null(ops[OUR(alloc_buf)]);
	assert_ptr_equal(ops[OUR(free_buf)], some_function);
}

static void the_data_path_makes_no_detour(void **state)
{
	const size_t foreign[] = {
		THEIR(poll_cq),	  THEIR(req_notify_cq), THEIR(post_send),
		THEIR(post_recv), THEIR(post_srq_recv), THEIR(post_srq_ops),
		THEIR(bind_mw),
	};
	const size_t same[] = {
		OUR(poll_cq),	OUR(req_notify_cq), OUR(post_send),
		OUR(post_recv), OUR(post_srq_recv), OUR(post_srq_ops),
		OUR(bind_mw),
	};
	any_op ops[NR_OURS];

	adapted(foreign, sizeof(foreign) / sizeof(foreign[0]), ops);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		assert_ptr_equal(ops[same[i]], some_function);
}

/* ------------------------------------------------------------------------ */
/* Answers                                                                   */
/* ------------------------------------------------------------------------ */

static const int absent = -1; /* of an object: it is NULL */

static void check_answers(bool is_object)
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
		/* sloppy ones */
		{ -EINVAL, 0, -EINVAL },
		{ -EINVAL, EBUSY, -EINVAL },
		{ -1, EBUSY, -EBUSY },
		{ -1, -EBUSY, -EBUSY },
		/* absurd ones */
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

static void numbers_are_read_in_all_forms(void **state)
{
	check_answers(false);
}

static void objects_are_read_with_errno(void **state)
{
	check_answers(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_provider_without_ops_gets_the_defaults),
		cmocka_unit_test(each_op_is_there_if_the_provider_has_it),
		cmocka_unit_test(buffers_need_both_ops),
		cmocka_unit_test(the_data_path_makes_no_detour),
		cmocka_unit_test(numbers_are_read_in_all_forms),
		cmocka_unit_test(objects_are_read_with_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
