/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests when libibverbs/api/mr.c adds memory to the fork guard and removes it.
 * Linked with WRAP verbs_fork_guard_add verbs_fork_guard_remove.
 */
#include "core/fork_guard.h"

#include <string.h>

#include "libibverbs/api/api_fixture.h"

/* Macros of these names select one of the exported functions. */
#undef ibv_reg_mr

#define ACCESS	  (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
#define ON_DEMAND (ACCESS | IBV_ACCESS_ON_DEMAND)
#define MOVE	  IBV_REREG_MR_CHANGE_TRANSLATION
#define MAX_CALLS 4

static char memory[128];

struct call {
	const char *name; /* "dontfork" */
	void *base;
	size_t size;
	const char *last_op; /* last op of the provider before the call */
};

static struct call calls[MAX_CALLS];
static size_t nr_calls;
static int dontfork_ret, dofork_ret;

int __wrap_verbs_fork_guard_add(void *base, size_t size);
int __wrap_verbs_fork_guard_remove(void *base, size_t size);

static void fork_guard_record_call(const char *name, void *base, size_t size)
{
	assert_in_range(nr_calls, 0, MAX_CALLS - 1);
	calls[nr_calls++] = (struct call){
		name,
		base,
		size,
		fake_provider.last_op ? fake_provider.last_op : "",
	};
}

int __wrap_verbs_fork_guard_add(void *base, size_t size)
{
	fork_guard_record_call("dontfork", base, size);
	return dontfork_ret;
}

int __wrap_verbs_fork_guard_remove(void *base, size_t size)
{
	fork_guard_record_call("dofork", base, size);
	return dofork_ret;
}

/* Checks call @i: which function, and before or after which op. */
static void assert_fork_guard_call(size_t i, const char *name, void *base,
				   size_t size, const char *op, bool after)
{
	assert_true(i < nr_calls);
	assert_string_equal(calls[i].name, name);
	assert_ptr_equal(calls[i].base, base);
	assert_int_equal(calls[i].size, size);
	assert_int_equal(strcmp(calls[i].last_op, op) == 0, after);
}

static void fork_guard_forget_calls(void)
{
	nr_calls = 0;
	dontfork_ret = dofork_ret = 0;
	fake_provider.ret = 0;
	fake_provider.last_op = NULL;
}

static int mr_fork_setup(void **state)
{
	int ret = api_open(state);

	fork_guard_forget_calls();
	return ret;
}

static struct ibv_mr *mr_reg_default(int access)
{
	struct ibv_mr *mr = ibv_reg_mr(api.pd, memory, 64, access);

	assert_non_null(mr);
	fork_guard_forget_calls();
	return mr;
}

static void mr_dereg_success(struct ibv_mr *mr)
{
	fork_guard_forget_calls();
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* ------------------------------------------------------------------------ */
/* Registration and deregistration                                          */
/* ------------------------------------------------------------------------ */

static void mr_fork_guard_covers_registration(void **state)
{
	struct ibv_mr *mr = ibv_reg_mr(api.pd, memory, 64, ACCESS);

	assert_non_null(mr);
	assert_int_equal(nr_calls, 1);
	assert_fork_guard_call(0, "dontfork", memory, 64, "reg_mr", false);

	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(nr_calls, 2);
	assert_fork_guard_call(1, "dofork", memory, 64, "dereg_mr", true);
}

static void mr_fork_guard_add_failure_prevents_registration(void **state)
{
	dontfork_ret = -ENOMEM;
	ASSERT_NULL(ibv_reg_mr(api.pd, memory, 64, ACCESS), ENOMEM);
	assert_int_equal(nr_calls, 1);
	assert_null(fake_provider.last_op);
}

static void mr_fork_guard_registration_failure_removes_range(void **state)
{
	fake_provider.ret = -EFAULT;
	dofork_ret = -ENOMEM; /* which has no effect */
	ASSERT_NULL(ibv_reg_mr(api.pd, memory, 64, ACCESS), EFAULT);
	assert_int_equal(nr_calls, 2);
	assert_fork_guard_call(1, "dofork", memory, 64, "reg_mr", true);
}

static void mr_fork_guard_skips_on_demand_memory(void **state)
{
	struct ibv_mr *mr = ibv_reg_mr(api.pd, NULL, SIZE_MAX, ON_DEMAND);

	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	fake_provider.ret = -EFAULT;
	ASSERT_NULL(ibv_reg_mr(api.pd, memory, 64, ON_DEMAND), EFAULT);
	assert_int_equal(nr_calls, 0);
}

static void mr_fork_guard_dereg_failure_keeps_range(void **state)
{
	struct ibv_mr *mr = mr_reg_default(ACCESS);

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_dereg_mr(mr), EBUSY);
	assert_int_equal(nr_calls, 0);
	mr_dereg_success(mr);
}

static void mr_fork_guard_remove_failure_frees_mr(void **state)
{
	struct ibv_mr *mr = mr_reg_default(ACCESS);

	dofork_ret = -ENOMEM;
	ASSERT_OK(ibv_dereg_mr(mr));
	assert_int_equal(nr_calls, 1);
}

static void mr_fork_guard_skips_mrs_without_process_memory(void **state)
{
	static const enum verbs_mr_type types[] = {
		VERBS_MR_TYPE_NULL_MR,
		VERBS_MR_TYPE_IMPORTED_MR,
		VERBS_MR_TYPE_DMABUF_MR,
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct ibv_mr *mr = mr_reg_default(ACCESS);

		verbs_container_of(mr, struct verbs_mr, ibv_mr)->mr_type =
			types[i];
		mr_dereg_success(mr);
		assert_int_equal(nr_calls, 0);
	}
}

static void mr_fork_guard_skips_dmabuf(void **state)
{
	struct ibv_mr *mr = ibv_reg_dmabuf_mr(api.pd, 0, 64, 0, 5, ACCESS);

	assert_non_null(mr);
	assert_int_equal(nr_calls, 0);
	verbs_container_of(mr, struct verbs_mr, ibv_mr)->mr_type =
		VERBS_MR_TYPE_DMABUF_MR;
	mr_dereg_success(mr);
}

/* ------------------------------------------------------------------------ */
/* Registration by attributes                                               */
/* ------------------------------------------------------------------------ */

static void mr_fork_guard_reg_mr_ex_adds_range(void **state)
{
	struct ibv_mr_init_attr attr = {
		.length = 64,
		.access = ACCESS,
		.comp_mask = IBV_REG_MR_MASK_ADDR,
		.addr = memory,
	};
	struct ibv_mr *mr = ibv_reg_mr_ex(api.pd, &attr);

	assert_non_null(mr);
	assert_fork_guard_call(0, "dontfork", memory, 64, "reg_mr_ex", false);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_fork_guard_call(1, "dofork", memory, 64, "dereg_mr", true);
	assert_int_equal(nr_calls, 2);

	fork_guard_forget_calls();
	fake_provider.ret = -EFAULT;
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), EFAULT);
	assert_fork_guard_call(1, "dofork", memory, 64, "reg_mr_ex", true);

	fork_guard_forget_calls();
	dontfork_ret = -ENOMEM;
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), ENOMEM);
	assert_null(fake_provider.last_op);
}

static void mr_fork_guard_reg_mr_ex_without_address_is_skipped(void **state)
{
	struct ibv_mr_init_attr attr = {
		.length = 64,
		.access = ACCESS,
		.comp_mask = IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET |
			     IBV_REG_MR_MASK_IOVA,
		.fd = 5,
	};
	struct ibv_mr *mr = ibv_reg_mr_ex(api.pd, &attr);

	assert_non_null(mr);
	assert_int_equal(nr_calls, 0);
	verbs_container_of(mr, struct verbs_mr, ibv_mr)->mr_type =
		VERBS_MR_TYPE_DMABUF_MR;
	mr_dereg_success(mr);

	attr.comp_mask = IBV_REG_MR_MASK_ADDR;
	attr.addr = memory;
	attr.access = ON_DEMAND;
	mr = ibv_reg_mr_ex(api.pd, &attr);
	assert_non_null(mr);
	assert_int_equal(nr_calls, 0);
	mr_dereg_success(mr);
	assert_int_equal(nr_calls, 0);
}

/* ------------------------------------------------------------------------ */
/* Re-registration                                                          */
/* ------------------------------------------------------------------------ */

static void mr_fork_guard_rereg_adds_new_before_removing_old(void **state)
{
	struct ibv_mr *mr = mr_reg_default(ACCESS);

	ASSERT_OK(ibv_rereg_mr(mr, MOVE, NULL, memory + 64, 32, 0));
	assert_int_equal(nr_calls, 2);
	assert_fork_guard_call(0, "dontfork", memory + 64, 32, "rereg_mr",
			       false);
	assert_fork_guard_call(1, "dofork", memory, 64, "rereg_mr", true);

	mr_dereg_success(mr);
	assert_int_equal(nr_calls, 1);
	assert_fork_guard_call(0, "dofork", memory + 64, 32, "dereg_mr", true);
}

static void mr_fork_guard_rereg_without_move_keeps_range(void **state)
{
	struct ibv_mr *mr = mr_reg_default(ACCESS);

	ASSERT_OK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(nr_calls, 0);
	assert_null(fake_provider.args.addr);
	assert_int_equal(fake_provider.args.length, 0);
	mr_dereg_success(mr);
	assert_int_equal(nr_calls, 1);
}

static void mr_fork_guard_rereg_to_on_demand_removes_range(void **state)
{
	struct ibv_mr *mr = mr_reg_default(ACCESS);

	ASSERT_OK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       ON_DEMAND));
	assert_int_equal(nr_calls, 1);
	assert_fork_guard_call(0, "dofork", memory, 64, "rereg_mr", true);

	fork_guard_forget_calls();
	ASSERT_OK(ibv_rereg_mr(mr, MOVE, NULL, memory + 64, 32, 0));
	assert_int_equal(nr_calls, 0);

	ASSERT_OK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       ACCESS));
	assert_int_equal(nr_calls, 1);
	assert_fork_guard_call(0, "dontfork", memory + 64, 32, "", false);

	mr_dereg_success(mr);
	assert_int_equal(nr_calls, 1);
	assert_fork_guard_call(0, "dofork", memory + 64, 32, "dereg_mr", true);
}

/* The region, and the guarded memory, after each error code. */
static void assert_rereg_code(int code, int err, bool new_is_valid)
{
	struct ibv_mr *mr = mr_reg_default(ACCESS);

	if (code == IBV_REREG_MR_ERR_DONT_FORK_NEW)
		dontfork_ret = -err;
	else if (code == IBV_REREG_MR_ERR_DO_FORK_OLD)
		dofork_ret = -err;
	else
		fake_provider.ret = -err;
	if (code == IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW)
		dofork_ret = -EINVAL;

	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(mr, MOVE, NULL, memory + 64, 32, 0),
			 code);
	assert_int_equal(errno, err);
	assert_ptr_equal(mr->addr, new_is_valid ? memory + 64 : memory);
	assert_int_equal(mr->length, new_is_valid ? 32 : 64);
	if (code == IBV_REREG_MR_ERR_DONT_FORK_NEW)
		assert_int_equal(nr_calls, 1);
	else if (new_is_valid)
		assert_fork_guard_call(1, "dofork", memory, 64, "rereg_mr",
				       true);
	else
		assert_fork_guard_call(1, "dofork", memory + 64, 32, "rereg_mr",
				       true);

	mr_dereg_success(mr);
	assert_int_equal(nr_calls, 1);
	assert_ptr_equal(calls[0].base, new_is_valid ? memory + 64 : memory);
}

static void mr_fork_guard_rereg_failures_have_codes(void **state)
{
	assert_rereg_code(IBV_REREG_MR_ERR_DONT_FORK_NEW, ENOMEM, false);
	assert_rereg_code(IBV_REREG_MR_ERR_DO_FORK_OLD, ENOMEM, true);
	assert_rereg_code(IBV_REREG_MR_ERR_CMD, EBUSY, false);
	assert_rereg_code(IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW, EBUSY, false);
	assert_rereg_code(IBV_REREG_MR_ERR_CMD, EOPNOTSUPP, false);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, mr_fork_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mr_fork_guard_covers_registration),
		TEST(mr_fork_guard_add_failure_prevents_registration),
		TEST(mr_fork_guard_registration_failure_removes_range),
		TEST(mr_fork_guard_skips_on_demand_memory),
		TEST(mr_fork_guard_dereg_failure_keeps_range),
		TEST(mr_fork_guard_remove_failure_frees_mr),
		TEST(mr_fork_guard_skips_mrs_without_process_memory),
		TEST(mr_fork_guard_skips_dmabuf),
		TEST(mr_fork_guard_reg_mr_ex_adds_range),
		TEST(mr_fork_guard_reg_mr_ex_without_address_is_skipped),
		TEST(mr_fork_guard_rereg_adds_new_before_removing_old),
		TEST(mr_fork_guard_rereg_without_move_keeps_range),
		TEST(mr_fork_guard_rereg_to_on_demand_removes_range),
		TEST(mr_fork_guard_rereg_failures_have_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
