/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creating and destroying objects: real sizes are returned, a failure undoes
 * the finished steps, and a failed destroy leaves the object usable.
 */
#include "siw_fake.h"

#include <errno.h>
#include <string.h>

#include "soft/soft.h"

extern const struct verbs_device_ops verbs_provider_siw;

static struct ibv_pd pd;

static int setup(void **state)
{
	pd = (struct ibv_pd){ .context = fake_context() };
	return fake_setup(state);
}

static struct ibv_qp_init_attr_ex qp_attr(void)
{
	return (struct ibv_qp_init_attr_ex){
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &pd,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 10,
			.max_recv_wr = 20,
			.max_send_sge = 2,
			.max_recv_sge = 3,
		},
	};
}

static int create_qp(struct ibv_qp_init_attr_ex *attr, struct verbs_qp **ret)
{
	*ret = NULL;
	return siw_create_qp(fake_context(), attr, ret);
}

static void siw_create_qp_returns_real_sizes(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	assert_int_equal(create_qp(&attr, &vqp), 0);
	assert_int_equal(attr.cap.max_send_wr, 16);
	assert_int_equal(attr.cap.max_recv_wr, 32);
	assert_int_equal(attr.cap.max_send_sge, 2);
	assert_int_equal(attr.cap.max_inline_data, SIW_MAX_INLINE);
	assert_int_equal(vqp->comp_mask & VERBS_QP_MASK_EX, 0);
	soft.err = -EBUSY;
	assert_int_equal(siw_destroy_qp(&vqp->qp), -EBUSY);
	assert_int_equal(siw_destroy_qp(&vqp->qp), 0);
	assert_int_equal(soft.nr_waits, 1);
}

static void siw_create_qp_unsupported_attr_is_rejected(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	assert_int_equal(create_qp(&attr, &vqp), -EOPNOTSUPP);
	attr.comp_mask = 0;
	assert_int_equal(create_qp(&attr, &vqp), -EINVAL);
	attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	attr.send_ops_flags = IBV_QP_EX_WITH_SEND_WITH_IMM;
	assert_int_equal(create_qp(&attr, &vqp), -EOPNOTSUPP);
	assert_int_equal(soft.nr_created, 0);
}

static void siw_create_qp_kernel_error_is_returned(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	soft.err = -ENOSPC;
	assert_int_equal(create_qp(&attr, &vqp), -ENOSPC);
	assert_null(vqp);
}

/* Sizes and keys that the kernel reports are checked. */
static void siw_ring_map_bad_geometry_is_rejected(void **state)
{
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 4 };
	struct ibv_srq_init_attr_ex srq_attr = { .attr.max_wr = 4 };
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_srq *vsrq;
	struct verbs_cq *vcq;
	struct verbs_qp *vqp;

	fake.nr = 3; /* not a power of two */
	assert_int_equal(create_qp(&attr, &vqp), -EIO);
	assert_int_equal(siw_create_cq(fake_context(), &cq_attr, false, &vcq),
			 -EIO);
	assert_int_equal(siw_create_srq(fake_context(), &srq_attr, &vsrq),
			 -EIO);
	fake.nr = 0;
	fake.key = UINT64_MAX - 4095; /* not a valid offset */
	assert_int_equal(create_qp(&attr, &vqp), -EIO);
	fake.key = 1; /* not page-aligned */
	assert_int_equal(create_qp(&attr, &vqp), -EINVAL);
	assert_int_equal(siw_create_cq(fake_context(), &cq_attr, false, &vcq),
			 -EINVAL);
	fake.key = 0;
	fake.max_sge = SIW_MAX_SGE + 1;
	assert_int_equal(create_qp(&attr, &vqp), -EIO);
}

static void siw_srq_replaces_receive_queue_of_qp(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = &pd,
		.attr = { .max_wr = 3, .max_sge = 2 },
	};
	struct ibv_srq_attr limit = { .srq_limit = 1 };
	struct ibv_recv_wr wr = { .wr_id = 9 };
	struct ibv_recv_wr *bad = NULL;
	struct verbs_srq *vsrq;
	struct siw_qp *qp;

	assert_int_equal(siw_create_srq(fake_context(), &attr, &vsrq), 0);
	assert_int_equal(attr.attr.max_wr, 4);
	qp = fake_qp_new(&(struct fake_qp_args){ .srq = &vsrq->srq });
	assert_int_equal(siw_post_recv(&qp->vqp.qp, &wr, &bad), EINVAL);
	assert_int_equal(siw_post_srq_recv(&vsrq->srq, &wr, &bad), 0);
	assert_int_equal(fake_rqe(&fake.srq, 0)->id, 9);
	assert_int_equal(siw_modify_srq(&vsrq->srq, &limit, IBV_SRQ_LIMIT), 0);
	assert_int_equal(siw_modify_srq(&vsrq->srq, &limit, IBV_SRQ_MAX_WR),
			 -EOPNOTSUPP);
	fake_qp_free(qp);
	assert_int_equal(siw_destroy_srq(&vsrq->srq), 0);
}

static void siw_reg_mr_uses_new_stag_key_each_time(void **state)
{
	struct ibv_mr *a, *b;
	uint8_t first;

	assert_int_equal(siw_reg_mr(&pd, &pd, 1, 0, 0, &a), 0);
	first = fake.stag_key;
	assert_int_equal(siw_reg_mr(&pd, &pd, 1, 0, 0, &b), 0);
	assert_int_not_equal(fake.stag_key, first);
	assert_int_equal(soft_dereg_mr((struct verbs_mr *)a), 0);
	assert_int_equal(soft_dereg_mr((struct verbs_mr *)b), 0);
}

static void siw_pd_command_errors_are_returned(void **state)
{
	struct ibv_pd *new_pd = NULL;

	soft.err = -ENOMEM;
	assert_int_equal(soft_alloc_pd(fake_context(), &new_pd), -ENOMEM);
	assert_null(new_pd);
	assert_int_equal(soft_alloc_pd(fake_context(), &new_pd), 0);
	soft.err = -EBUSY;
	assert_int_equal(soft_dealloc_pd(new_pd), -EBUSY);
	assert_int_equal(soft_dealloc_pd(new_pd), 0);
}

static void siw_create_cq_unsupported_field_returns_eopnotsupp(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct verbs_cq *vcq;

	assert_int_equal(siw_create_cq(fake_context(), &attr, true, &vcq),
			 -EOPNOTSUPP);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	attr.wc_flags = 0;
	assert_int_equal(siw_create_cq(fake_context(), &attr, true, &vcq),
			 -EOPNOTSUPP);
}

static void siw_query_device_formats_three_version_fields(void **state)
{
	struct ibv_device_attr_ex attr = {};

	fake.fw_ver = 0x0001ffff00020003;
	assert_int_equal(soft_query_device(fake_context(), NULL, &attr,
					   sizeof(attr.orig_attr)),
			 0);
	assert_string_equal(attr.orig_attr.fw_ver, "65535.2.3");
}

static void siw_open_context_passes_response_buffer(void **state)
{
	const struct verbs_cmd_file no_file = { .fd = -1 };
	struct verbs_context *vctx;

	assert_int_equal(verbs_provider_siw.open_context(NULL, no_file, &vctx),
			 0);
	verbs_provider_siw.close_context(vctx);
	soft.err = -ENODEV;
	assert_int_equal(verbs_provider_siw.open_context(NULL, no_file, &vctx),
			 -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			siw_create_qp_returns_real_sizes, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_create_qp_unsupported_attr_is_rejected, setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_create_qp_kernel_error_is_returned, setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_ring_map_bad_geometry_is_rejected, setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_srq_replaces_receive_queue_of_qp, setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_reg_mr_uses_new_stag_key_each_time, setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_pd_command_errors_are_returned, setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_create_cq_unsupported_field_returns_eopnotsupp,
			setup, fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_query_device_formats_three_version_fields, setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_open_context_passes_response_buffer, setup,
			fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
