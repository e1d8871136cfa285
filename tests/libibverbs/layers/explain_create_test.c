/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sentences about ibv_reg_mr(3) and the functions that make objects, on the
 * user-space device with VERBS_EXPLAIN=1.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libibverbs/layers/explain_fixture.h"
#include "providers/uroce/program/verbs_fixture.h"

static void reg_mr_access_remote_only_names_rule(void **state)
{
	assert_null(ibv_reg_mr(fixture.pd, fixture.memory, 64,
			       IBV_ACCESS_REMOTE_WRITE));
	assert_int_equal(errno, EINVAL);
	assert_explained("ibv_reg_mr(uroce_lo, 0x", "64 bytes, access 0x2",
			 "EINVAL",
			 "IBV_ACCESS_REMOTE_WRITE requires "
			 "IBV_ACCESS_LOCAL_WRITE",
			 NULL);
}

static void reg_mr_range_with_hole_names_address(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char expected[64];

	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(munmap(memory + page, page), 0);
	assert_null(ibv_reg_mr(fixture.pd, memory, 3 * page,
			       IBV_ACCESS_LOCAL_WRITE));
	(void)snprintf(expected, sizeof(expected),
		       "the memory at %p, offset %zu", memory + page, page);
	assert_explained("EFAULT", expected, "is not mapped", NULL);
	(void)munmap(memory, page);
	(void)munmap(memory + 2 * page, page);
}

static void reg_mr_range_wraps_around_is_named(void **state)
{
	assert_null(ibv_reg_mr(fixture.pd, fixture.memory, SIZE_MAX,
			       IBV_ACCESS_LOCAL_WRITE));
	assert_explained("ibv_reg_mr(", "behind the highest address", NULL);
}

static void create_cq_size_above_limit_names_both(void **state)
{
	assert_null(ibv_create_cq(fixture.ctx, 0x40000000, NULL, NULL, 0));
	assert_explained(
		"ibv_create_cq(uroce_lo)",
		"cqe is 1073741824, above max_cqe of the device, which "
		"is ",
		NULL);
}

static void create_qp_size_above_limit_names_both(void **state)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = fixture.cq,
		.recv_cq = fixture.cq,
		.cap = { 1 << 30, 8, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};

	assert_null(ibv_create_qp(fixture.pd, &attr));
	assert_explained("ibv_create_qp(uroce_lo)",
			 "cap.max_send_wr is 1073741824, above max_qp_wr",
			 NULL);
	attr.cap = (struct ibv_qp_cap){ 8, 8, 1, 10000, 0 };
	assert_null(ibv_create_qp(fixture.pd, &attr));
	assert_explained("cap.max_recv_sge is 10000, above max_sge", NULL);
	attr.cap = (struct ibv_qp_cap){ 8, 8, 1, 1, 1 << 20 };
	assert_null(ibv_create_qp(fixture.pd, &attr));
	assert_explained("cap.max_inline_data is 1048576", NULL);
}

static void create_qp_type_unsupported_is_named(void **state)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = fixture.cq,
		.recv_cq = fixture.cq,
		.cap = { 8, 8, 1, 1, 0 },
		.qp_type = IBV_QPT_RAW_PACKET,
	};

	assert_null(ibv_create_qp(fixture.pd, &attr));
	assert_explained("EOPNOTSUPP",
			 "does not support QPs of type RAW_PACKET", NULL);
}

static void create_srq_size_above_limit_names_both(void **state)
{
	struct ibv_srq_init_attr attr = { .attr = { 1 << 30, 1, 0 } };

	assert_null(ibv_create_srq(fixture.pd, &attr));
	assert_explained("ibv_create_srq(uroce_lo)",
			 "max_wr is 1073741824, above max_srq_wr", NULL);
}

static void create_ah_address_invalid_is_named(void **state)
{
	struct ibv_ah_attr attr = { .port_num = 1 };

	assert_null(ibv_create_ah(fixture.pd, &attr));
	assert_explained("ibv_create_ah(uroce_lo)", "has no GRH", NULL);
	attr.is_global = 1;
	attr.grh.sgid_index = 200;
	assert_null(ibv_create_ah(fixture.pd, &attr));
	assert_explained("GID index 200 of port 1 has no address", NULL);
	attr.port_num = 9;
	assert_null(ibv_create_ah(fixture.pd, &attr));
	assert_explained("port_num is 9", NULL);
}

static void create_objects_valid_is_silent(void **state)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { 8, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(fixture.pd, &srq_attr);
	struct ibv_mw *mw = ibv_alloc_mw(fixture.pd, IBV_MW_TYPE_1);
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_UD);

	assert_non_null(srq);
	assert_non_null(mw);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_silent();
}

/* A refused destruction leaves the object, and what is known of it. */
static void destroy_cq_in_use_keeps_record(void **state)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_destroy_cq(fixture.cq), EBUSY);
	assert_int_equal(ibv_poll_cq(fixture.cq, 1, &wc), 0);
	assert_silent();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		explain_test(reg_mr_access_remote_only_names_rule),
		explain_test(reg_mr_range_with_hole_names_address),
		explain_test(reg_mr_range_wraps_around_is_named),
		explain_test(create_cq_size_above_limit_names_both),
		explain_test(create_qp_size_above_limit_names_both),
		explain_test(create_qp_type_unsupported_is_named),
		explain_test(create_srq_size_above_limit_names_both),
		explain_test(create_ah_address_invalid_is_named),
		explain_test(create_objects_valid_is_silent),
		explain_test(destroy_cq_in_use_keeps_record),
	};

	return own_process_run_group_tests(tests);
}
