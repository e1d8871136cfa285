/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Op table of a foreign provider and conversion of results:
 * libibverbs/foreign/foreign_adapt.c and foreign_call.c.
 */
#include "foreign/foreign_call.h"
#include "foreign_op_names.h" /* generated from tests/abi/private-slots.tsv */
#include "libibverbs/foreign/adapt_fixture.h"

typedef void (*any_op)(void);

#define NR_FOREIGN_OPS (sizeof(struct foreign_ops) / sizeof(any_op))
#define NR_LIBRARY_OPS (sizeof(struct verbs_context_ops) / sizeof(any_op))

#define FOREIGN_OP(member) \
	(offsetof(struct foreign_ops, member) / sizeof(any_op))
#define LIBRARY_OP(member) \
	(offsetof(struct verbs_context_ops, member) / sizeof(any_op))

/* A foreign op and the op of the library that is adapted to it. */
static const struct pair {
	const char *name;
	size_t foreign;
	size_t ops;
} pairs[] = {
/* clang-format off */
#define PAIR(foreign, ops) { #foreign, FOREIGN_OP(foreign), LIBRARY_OP(ops) }
#define ROW(name) PAIR(name, name),
	FOREIGN_SAME_OP_NAMES(ROW)
#undef ROW
	PAIR(create_cq_ex, create_cq),
	PAIR(create_qp_ex, create_qp),
	PAIR(create_srq_ex, create_srq),
	PAIR(query_device_ex, query_device),
#undef PAIR
	/* clang-format on */
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
