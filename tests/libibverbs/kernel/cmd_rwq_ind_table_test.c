/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of indirection tables. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "support/alloc_fail.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED
#define MAX_LOG	 IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE
#define MAX_SIZE (1 << MAX_LOG)

/* Kernel request for a table of the largest size. */
struct max_request {
	uint32_t comp_mask, log_ind_tbl_size;
	uint32_t wq_handles[MAX_SIZE];
};

static struct ibv_wq queues[3] = { { .handle = 51 },
				   { .handle = 52 },
				   { .handle = 53 } };
static struct ibv_wq *entries[MAX_SIZE];

static struct ibv_rwq_ind_table_init_attr attr_of(uint32_t log_size)
{
	for (size_t i = 0; i < MAX_SIZE; i++)
		entries[i] = &queues[i % 3];
	return (struct ibv_rwq_ind_table_init_attr){
		.log_ind_tbl_size = log_size,
		.ind_tbl = entries,
	};
}

static const struct ib_uverbs_ex_create_rwq_ind_table_resp created = {
	.response_length = sizeof(created),
	.ind_tbl_handle = 95,
	.ind_tbl_num = 0x959,
};

static void
expect_create(struct kernel_test *t, enum test_form form, uint32_t log_size,
	      const struct ib_uverbs_ex_create_rwq_ind_table_resp *out, int err)
{
	static struct max_request in;
	/* One entry: 4 bytes of padding, as lengths are in words of 8. */
	size_t nr = log_size ? (size_t)1 << log_size : 2;
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL | EXTENDED,
		.in = &in,
		.in_len = 8 + nr * sizeof(uint32_t),
		.out = out,
		.out_len = sizeof(*out),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};

	in = (struct max_request){ .log_ind_tbl_size = log_size };
	for (uint32_t i = 0; i < (uint32_t)1 << log_size; i++)
		in.wq_handles[i] = 51 + i % 3;
	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
}

static void
create_rwq_ind_table_sends_each_size_in_both_write_forms(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		for (uint32_t log_size = 0; log_size <= MAX_LOG; log_size++) {
			const struct ibv_rwq_ind_table_init_attr attr =
				attr_of(log_size);
			struct ibv_rwq_ind_table table = {};

			memset(t->driver_out, 0, sizeof(t->driver_out));
			expect_create(t, form, log_size, &created, 0);
			assert_int_equal(
				verbs_cmd_create_rwq_ind_table(
					t->ctx, &table, &attr, &t->udata),
				0);
			assert_ptr_equal(table.context, t->ctx);
			assert_int_equal(table.ind_tbl_handle, 95);
			assert_int_equal(table.ind_tbl_num, 0x959);
			assert_memory_equal(t->driver_out,
					    kernel_test_driver_resp,
					    sizeof(kernel_test_driver_resp));
		}
	}
}

static void create_rwq_ind_table_error_leaves_object_unchanged(void **state)
{
	static const struct {
		int err, ret;
	} cases[] = { { ENOMEM, -ENOMEM }, { ENOSYS, -EOPNOTSUPP } };
	const struct ibv_rwq_ind_table_init_attr attr = attr_of(2);
	const struct ibv_rwq_ind_table before = { .ind_tbl_handle = 99 };
	struct kernel_test *t = *state;
	struct ibv_rwq_ind_table table = before;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		for (int i = 0; i < 2; i++) {
			expect_create(t, form, 2, &created, cases[i].err);
			assert_int_equal(
				verbs_cmd_create_rwq_ind_table(
					t->ctx, &table, &attr, &t->udata),
				cases[i].ret);
			assert_memory_equal(&table, &before, sizeof(table));
		}
	}
}

static void create_rwq_ind_table_short_response_is_refused(void **state)
{
	const struct ibv_rwq_ind_table_init_attr attr = attr_of(2);
	struct ib_uverbs_ex_create_rwq_ind_table_resp out = created;
	struct kernel_test *t = *state;
	struct ibv_rwq_ind_table table = { .ind_tbl_handle = 99 };

	out.response_length -= 4;
	expect_create(t, FORM_INVOKE_WRITE, 2, &out, 0);
	assert_int_equal(verbs_cmd_create_rwq_ind_table(t->ctx, &table, &attr,
							&t->udata),
			 -EINVAL);
	assert_int_equal(table.ind_tbl_handle, 99);
}

static void create_rwq_ind_table_unknown_attrs_are_refused(void **state)
{
	struct ibv_rwq_ind_table_init_attr attr = attr_of(MAX_LOG);
	static const uint32_t sizes[] = { MAX_LOG + 1, 64, UINT32_MAX };
	struct kernel_test *t = *state;
	struct ibv_rwq_ind_table table = {};

	attr.comp_mask = 1;
	assert_int_equal(
		verbs_cmd_create_rwq_ind_table(t->ctx, &table, &attr, NULL),
		-EINVAL);
	attr.comp_mask = 0;
	for (int i = 0; i < 3; i++) {
		attr.log_ind_tbl_size = sizes[i];
		assert_int_equal(verbs_cmd_create_rwq_ind_table(t->ctx, &table,
								&attr, NULL),
				 -EINVAL);
	}
}

static void create_rwq_ind_table_frees_request_memory(void **state)
{
	const struct ibv_rwq_ind_table_init_attr attr = attr_of(4);
	size_t blocks = alloc_fail_nr_blocks();
	struct kernel_test *t = *state;
	struct ibv_rwq_ind_table table = {};

	alloc_fail_at(1);
	assert_int_equal(verbs_cmd_create_rwq_ind_table(t->ctx, &table, &attr,
							&t->udata),
			 -ENOMEM);
	assert_true(alloc_fail_done());
	errno = TEST_ERRNO;

	expect_create(t, FORM_WRITE, 4, &created, 0);
	assert_int_equal(verbs_cmd_create_rwq_ind_table(t->ctx, &table, &attr,
							&t->udata),
			 0);
	expect_create(t, FORM_WRITE, 4, &created, EBUSY);
	assert_int_equal(verbs_cmd_create_rwq_ind_table(t->ctx, &table, &attr,
							&t->udata),
			 -EBUSY);
	fake_kernel_finish(); /* frees the blocks of the script */
	assert_int_equal(alloc_fail_nr_blocks(), blocks);
}

static int run_destroy(struct kernel_test *t)
{
	struct ibv_rwq_ind_table table = { .context = t->ctx,
					   .ind_tbl_handle = 95 };

	return verbs_cmd_destroy_rwq_ind_table(&table);
}

static const struct destroy_case destroy_rwq_ind_table_case = {
	.cap = KERNEL_CAP_DESTROY_RWQ_IND_TABLE,
	.handle_attr = UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE,
	.write_command = IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL | EXTENDED,
	.handle = 95,
	.run = run_destroy,
};

DESTROY_TESTS(destroy_rwq_ind_table)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(
			create_rwq_ind_table_sends_each_size_in_both_write_forms),
		KERNEL_TEST(create_rwq_ind_table_error_leaves_object_unchanged),
		KERNEL_TEST(create_rwq_ind_table_short_response_is_refused),
		KERNEL_TEST(create_rwq_ind_table_unknown_attrs_are_refused),
		KERNEL_TEST(create_rwq_ind_table_frees_request_memory),
		DESTROY_TEST_LIST(destroy_rwq_ind_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
