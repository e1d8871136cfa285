/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arguments that are missing: EINVAL in the convention of the function, and
 * never a crash. Functions without a result do nothing.
 */
#include <fcntl.h>
#include <infiniband/verbs.h>

#include "libibverbs/api/api_fixture.h"

#define NOTHING NULL

static void device_is_missing(void **state)
{
	assert_null(ibv_get_device_name(NOTHING));
	assert_int_equal(ibv_get_device_guid(NOTHING), 0);
	assert_int_equal(ibv_get_device_index(NOTHING), -1);
	ASSERT_NULL(ibv_open_device(NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_close_device(NOTHING), EINVAL);
}

static void context_is_missing(void **state)
{
	struct ibv_comp_cntr_init_attr cntr = {};
	struct ibv_dmah_init_attr dmah = {};
	struct ibv_device_attr device_attr;
	struct _compat_ibv_port_attr *port_attr = (void *)&device_attr;
	struct ibv_comp_cntr_caps caps;
	struct ibv_gid_entry entry;
	union ibv_gid gid;
	uint64_t speed;
	__be16 pkey;

	ASSERT_ERRNO(ibv_query_device(NOTHING, &device_attr), EINVAL);
	ASSERT_ERRNO((ibv_query_port)(NOTHING, 1, port_attr), EINVAL);
	ASSERT_ERRNO(ibv_query_port_speed(NOTHING, 1, &speed), EINVAL);
	ASSERT_MINUS1(ibv_query_pkey(NOTHING, 1, 0, &pkey), EINVAL);
	ASSERT_MINUS1(ibv_get_pkey_index(NOTHING, 1, 0), EINVAL);
	ASSERT_MINUS1(ibv_query_gid(NOTHING, 1, 0, &gid), EINVAL);
	ASSERT_ERRNO(ibv_query_gid_ex(NOTHING, 1, 0, &entry, 0), EINVAL);
	assert_int_equal(ibv_query_gid_table(NOTHING, &entry, 1, 0), -EINVAL);
	ASSERT_NULL(ibv_create_comp_channel(NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_cq(NOTHING, 1, NULL, NULL, 0), EINVAL);
	ASSERT_NULL(ibv_alloc_pd(NOTHING), EINVAL);
	ASSERT_NULL(ibv_import_pd(NOTHING, 1), EINVAL);
	ASSERT_NULL(ibv_import_dm(NOTHING, 1), EINVAL);
	ASSERT_NULL(ibv_alloc_dmah(NOTHING, &dmah), EINVAL);
	ASSERT_NULL(ibv_create_comp_cntr(NOTHING, &cntr), EINVAL);
	ASSERT_ERRNO(ibv_query_comp_cntr_caps(NOTHING, &caps), EINVAL);
}

static void pd_is_missing(void **state)
{
	struct ibv_mr_init_attr mr_attr = {};
	struct ibv_srq_init_attr srq = {};
	struct ibv_qp_init_attr qp = {};
	struct ibv_ah_attr ah = {};
	struct ibv_buf *buf;

	ASSERT_ERRNO(ibv_dealloc_pd(NOTHING), EINVAL);
	ASSERT_NULL(ibv_reg_mr(NOTHING, &qp, 1, 0), EINVAL);
	ASSERT_NULL((ibv_reg_mr_iova)(NOTHING, &qp, 1, 0, 0), EINVAL);
	ASSERT_NULL(ibv_reg_mr_iova2(NOTHING, &qp, 1, 0, 0), EINVAL);
	ASSERT_NULL(ibv_reg_dmabuf_mr(NOTHING, 0, 1, 0, 3, 0), EINVAL);
	ASSERT_NULL(ibv_reg_mr_ex(NOTHING, &mr_attr), EINVAL);
	ASSERT_NULL(ibv_import_mr(NOTHING, 1), EINVAL);
	ASSERT_NULL(ibv_alloc_buf(NOTHING, 1, &buf), EINVAL);
	ASSERT_NULL(ibv_create_ah(NOTHING, &ah), EINVAL);
	ASSERT_NULL(ibv_create_srq(NOTHING, &srq), EINVAL);
	ASSERT_NULL(ibv_create_qp(NOTHING, &qp), EINVAL);
	ibv_unimport_pd(NOTHING);
}

static void memory_is_missing(void **state)
{
	ASSERT_ERRNO(ibv_dereg_mr(NOTHING), EINVAL);
	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(NOTHING, 0, NULL, NULL, 0, 0),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	ASSERT_MINUS1(ibv_dm_export_dmabuf_fd(NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_export_buf_dmabuf_fd(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_dealloc_dmah(NOTHING), EINVAL);
	ibv_unimport_mr(NOTHING);
	ibv_unimport_dm(NOTHING);
	ibv_free_buf(NOTHING);
}

static void queue_is_missing(void **state)
{
	struct ibv_srq_attr srq_attr = {};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};
	struct ibv_ece ece = { .vendor_id = 1 };
	union ibv_gid gid = {};

	ASSERT_ERRNO(ibv_destroy_comp_channel(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_resize_cq(NOTHING, 1), EINVAL);
	ASSERT_ERRNO(ibv_destroy_cq(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_destroy_ah(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_srq(NOTHING, &srq_attr, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_srq(NOTHING, &srq_attr), EINVAL);
	ASSERT_ERRNO(ibv_destroy_srq(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_qp(NOTHING, &attr, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_qp(NOTHING, &attr, 0, &init), EINVAL);
	ASSERT_ERRNO(ibv_destroy_qp(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_set_ece(NOTHING, &ece), EINVAL);
	ASSERT_ERRNO(ibv_query_ece(NOTHING, &ece), EINVAL);
	ASSERT_ERRNO(ibv_attach_mcast(NOTHING, &gid, 0), EINVAL);
	ASSERT_ERRNO(ibv_detach_mcast(NOTHING, &gid, 0), EINVAL);
	assert_null(ibv_qp_to_qp_ex(NOTHING));
	assert_int_equal(ibv_query_qp_data_in_order(NOTHING, IBV_WR_SEND, 0),
			 0);
}

static void counter_is_missing(void **state)
{
	uint64_t value;

	ASSERT_ERRNO(ibv_destroy_comp_cntr(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_read_comp_cntr(NOTHING, &value), EINVAL);
	ASSERT_ERRNO(ibv_read_err_comp_cntr(NOTHING, &value), EINVAL);
	ASSERT_ERRNO(ibv_set_comp_cntr(NOTHING, 1), EINVAL);
	ASSERT_ERRNO(ibv_set_err_comp_cntr(NOTHING, 1), EINVAL);
	ASSERT_ERRNO(ibv_inc_comp_cntr(NOTHING, 1), EINVAL);
	ASSERT_ERRNO(ibv_inc_err_comp_cntr(NOTHING, 1), EINVAL);
}

static void attributes_are_missing(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);
	struct ibv_srq srq = { .context = api.ctx };
	struct ibv_qp_init_attr init;
	struct ibv_cq cq = { .context = api.ctx };
	struct ibv_qp qp = { .context = api.ctx };
	struct ibv_comp_cntr cntr = { .context = api.ctx };
	struct ibv_qp_attr attr;
	union ibv_gid *no_gid = NOTHING;

	ASSERT_ERRNO(ibv_query_device(api.ctx, NOTHING), EINVAL);
	ASSERT_ERRNO(vctx->query_device_ex(api.ctx, NULL, NOTHING,
					   sizeof(struct ibv_device_attr_ex)),
		     EINVAL);
	ASSERT_ERRNO(ibv_query_rt_values_ex(api.ctx, NOTHING), EINVAL);
	ASSERT_ERRNO(vctx->query_port(api.ctx, 1, NOTHING,
				      sizeof(struct ibv_port_attr)),
		     EINVAL);
	ASSERT_ERRNO(ibv_query_port_speed(api.ctx, 1, NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_query_pkey(api.ctx, 1, 0, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_query_gid_ex(api.ctx, 1, 0, NOTHING, 0), EINVAL);
	assert_int_equal(ibv_query_gid_table(api.ctx, NOTHING, 1, 0), -EINVAL);
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_advise_mr(api.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
				   NOTHING, 1),
		     EINVAL);
	ASSERT_NULL(ibv_alloc_buf(api.pd, 1, NOTHING), EINVAL);
	ASSERT_NULL(ibv_open_xrcd(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_ah(api.pd, NOTHING), EINVAL);
	ASSERT_NULL(vctx->create_cq_ex(api.ctx, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_cq(&cq, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_srq(api.pd, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_srq(&srq, NOTHING, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_srq(&srq, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_get_srq_num(&srq, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_qp(api.pd, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_qp(&qp, NOTHING, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_qp(&qp, NOTHING, 0, &init), EINVAL);
	ASSERT_ERRNO(ibv_query_qp(&qp, &attr, 0, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_qp_rate_limit(&qp, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_set_ece(&qp, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_query_ece(&qp, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_attach_mcast(&qp, no_gid, 0), EINVAL);
	ASSERT_ERRNO(ibv_read_comp_cntr(&cntr, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_read_err_comp_cntr(&cntr, NOTHING), EINVAL);
	/* None of them was an operation. */
	ASSERT_OP("alloc_pd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(device_is_missing),	  API_TEST(context_is_missing),
		API_TEST(pd_is_missing),	  API_TEST(memory_is_missing),
		API_TEST(queue_is_missing),	  API_TEST(counter_is_missing),
		API_TEST(attributes_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
