/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creating and destroying objects: real sizes are returned, a failure undoes
 * the finished steps, and a failed destroy leaves the object usable.
 */
#include "rxe_fake.h"

#include <errno.h>
#include <string.h>

#include "soft/soft.h"

static struct ibv_pd pd;

static int setup(void **state)
{
	pd = (struct ibv_pd){ .context = fake_context() };
	return fake_setup(state);
}

/* -- device -- */

static void rxe_query_device_formats_three_version_fields(void **state)
{
	struct ibv_device_attr_ex attr = {};

	assert_int_equal(
		soft_query_device(fake_context(), NULL, &attr, sizeof(attr)),
		0);
	assert_string_equal(attr.orig_attr.fw_ver, "0.0.0");
	fake.fw_ver = 0x0001ffff00020003;
	assert_int_equal(soft_query_device(fake_context(), NULL, &attr,
					   sizeof(attr.orig_attr)),
			 0);
	assert_string_equal(attr.orig_attr.fw_ver, "65535.2.3");
}

static void rxe_query_device_failure_leaves_version_empty(void **state)
{
	struct ibv_device_attr_ex attr = {};

	soft.err = -EIO;
	assert_int_equal(
		soft_query_device(fake_context(), NULL, &attr, sizeof(attr)),
		-EIO);
	assert_string_equal(attr.orig_attr.fw_ver, "");
}

static void rxe_device_caps_are_queried_once(void **state)
{
	soft.err = -EINTR;
	assert_false(rxe_device_has(fake_context(), FAKE_CAP_FLUSH));
	fake.device_caps = FAKE_CAP_FLUSH;
	assert_true(rxe_device_has(fake_context(), FAKE_CAP_FLUSH));
	assert_false(rxe_device_has(fake_context(), FAKE_CAP_ATOMIC_WRITE));
	assert_int_equal(fake.nr_device_queries, 2);
}

/* -- queue pairs -- */

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
			.max_inline_data = 100,
		},
	};
}

static int create_qp(struct ibv_qp_init_attr_ex *attr, struct verbs_qp **ret)
{
	*ret = NULL;
	return rxe_create_qp(fake_context(), attr, ret);
}

static void rxe_create_qp_returns_real_sizes(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	assert_int_equal(create_qp(&attr, &vqp), 0);
	assert_int_equal(attr.cap.max_send_wr, 15);
	assert_int_equal(attr.cap.max_recv_wr, 31);
	assert_int_equal(attr.cap.max_send_sge, 6);
	assert_int_equal(attr.cap.max_recv_sge, 3);
	assert_int_equal(attr.cap.max_inline_data, 100);
	assert_int_equal(vqp->comp_mask & VERBS_QP_MASK_EX, 0);
	assert_int_equal(vqp->qp.qp_num, 17);
	assert_int_equal(rxe_destroy_qp(&vqp->qp), 0);
	assert_int_equal(soft.nr_waits, 1);
}

static void rxe_create_qp_zero_capabilities_succeeds(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	memset(&attr.cap, 0, sizeof(attr.cap));
	assert_int_equal(create_qp(&attr, &vqp), 0);
	assert_int_equal(attr.cap.max_send_wr, 0);
	assert_int_equal(rxe_destroy_qp(&vqp->qp), 0);
}

static void rxe_create_qp_unsupported_attr_is_rejected(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	attr.comp_mask |= IBV_QP_INIT_ATTR_XRCD;
	assert_int_equal(create_qp(&attr, &vqp), -EOPNOTSUPP);
	attr.comp_mask = 0;
	assert_int_equal(create_qp(&attr, &vqp), -EINVAL);
	assert_int_equal(soft.nr_created, 0);
}

static void rxe_create_qp_send_ops_must_match_qp_type(void **state)
{
	static const struct {
		enum ibv_qp_type type;
		uint64_t flags;
		int err;
	} cases[] = {
		{ IBV_QPT_RC, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_BIND_MW, 0 },
		{ IBV_QPT_RC, IBV_QP_EX_WITH_TSO, -EOPNOTSUPP },
		{ IBV_QPT_RC, IBV_QP_EX_WITH_FLUSH, -EOPNOTSUPP },
		{ IBV_QPT_RC, UINT64_C(1) << 40, -EOPNOTSUPP },
		{ IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_WRITE, 0 },
		{ IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_READ, -EOPNOTSUPP },
		{ IBV_QPT_UC, IBV_QP_EX_WITH_SEND_WITH_INV, -EOPNOTSUPP },
		{ IBV_QPT_UD, IBV_QP_EX_WITH_SEND_WITH_IMM, 0 },
		{ IBV_QPT_UD, IBV_QP_EX_WITH_RDMA_WRITE, -EOPNOTSUPP },
	};
	struct verbs_qp *vqp;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibv_qp_init_attr_ex attr = qp_attr();

		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.qp_type = cases[i].type;
		attr.send_ops_flags = cases[i].flags;
		assert_int_equal(create_qp(&attr, &vqp), cases[i].err);
		if (cases[i].err) {
			assert_null(vqp);
			continue;
		}
		assert_true(vqp->comp_mask & VERBS_QP_MASK_EX);
		assert_non_null(vqp->qp_ex.wr_start);
		assert_int_equal(rxe_destroy_qp(&vqp->qp), 0);
	}
}

static void rxe_create_qp_optional_send_ops_need_rc_and_device_cap(void **state)
{
	const uint64_t flags = IBV_QP_EX_WITH_FLUSH |
			       IBV_QP_EX_WITH_ATOMIC_WRITE;
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	attr.send_ops_flags = flags;
	fake.device_caps = FAKE_CAP_FLUSH | FAKE_CAP_ATOMIC_WRITE;
	attr.qp_type = IBV_QPT_UC;
	assert_int_equal(create_qp(&attr, &vqp), -EOPNOTSUPP);
	attr.qp_type = IBV_QPT_UD;
	assert_int_equal(create_qp(&attr, &vqp), -EOPNOTSUPP);
	attr.qp_type = IBV_QPT_RC;
	assert_int_equal(create_qp(&attr, &vqp), 0);
	assert_int_equal(rxe_destroy_qp(&vqp->qp), 0);
}

static void ring_spoil_elem_size(struct fake_ring *ring)
{
	ring->buf->log2_elem_size = 7; /* smaller than a send WQE */
}

static void ring_spoil_size(struct fake_ring *ring)
{
	ring->info.size = 0;
}

static void rxe_create_qp_bad_ring_destroys_kernel_qp(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	fake.spoil_ring = ring_spoil_elem_size;
	assert_int_equal(create_qp(&attr, &vqp), -EIO);
	assert_null(vqp);

	attr = qp_attr();
	fake.spoil_ring = ring_spoil_size;
	assert_int_equal(create_qp(&attr, &vqp), -EIO);
	assert_int_equal(soft.nr_created, 2);
	assert_int_equal(soft.nr_destroyed, 2);
	assert_int_equal(soft.nr_waits, 0);
}

static void rxe_destroy_qp_failure_leaves_qp_usable(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;
	struct verbs_qp *vqp;

	assert_int_equal(create_qp(&attr, &vqp), 0);
	vqp->qp.state = IBV_QPS_RTS;
	soft.err = -EBUSY; /* attached to a multicast group */
	assert_int_equal(rxe_destroy_qp(&vqp->qp), -EBUSY);
	assert_int_equal(rxe_post_send(&vqp->qp, &wr, &bad), 0);
	assert_int_equal(rxe_destroy_qp(&vqp->qp), 0);
}

/* -- shared receive queues -- */

static struct rxe_srq *srq_new(uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = &pd,
		.attr = { .max_wr = max_wr, .max_sge = max_sge },
	};
	struct verbs_srq *vsrq = NULL;

	assert_int_equal(rxe_create_srq(fake_context(), &attr, &vsrq), 0);
	assert_int_equal(attr.attr.max_wr, fake.srq.mask);
	return to_rxe_srq(&vsrq->srq);
}

static void rxe_post_srq_recv_writes_wqe(void **state)
{
	struct rxe_srq *srq = srq_new(3, 2);
	struct ibv_sge sge[3] = { { .length = 5 }, { .length = 6 } };
	struct ibv_recv_wr wr = { .wr_id = 9, .sg_list = sge, .num_sge = 2 };
	struct ibv_recv_wr *bad = NULL;
	struct rxe_recv_wqe *wqe;

	assert_int_equal(rxe_post_srq_recv(&srq->vsrq.srq, &wr, &bad), 0);
	wqe = fake_ring_elem(&fake.srq, 0);
	assert_int_equal(wqe->wr_id, 9);
	assert_int_equal(wqe->dma.length, 11);
	assert_int_equal(wqe->dma.num_sge, 2);

	wr.num_sge = 3;
	assert_int_equal(rxe_post_srq_recv(&srq->vsrq.srq, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	wr.num_sge = 1;
	for (int i = 0; i < 2; i++)
		assert_int_equal(rxe_post_srq_recv(&srq->vsrq.srq, &wr, &bad),
				 0);
	assert_int_equal(rxe_post_srq_recv(&srq->vsrq.srq, &wr, &bad), ENOMEM);
	assert_int_equal(rxe_destroy_srq(&srq->vsrq.srq), 0);
	assert_int_equal(soft.nr_waits, 1);
}

static void rxe_modify_srq_limit_keeps_ring(void **state)
{
	struct rxe_srq *srq = srq_new(3, 1);
	struct ibv_srq_attr attr = { .srq_limit = 2 };

	assert_int_equal(rxe_modify_srq(&srq->vsrq.srq, &attr, IBV_SRQ_LIMIT),
			 0);
	assert_int_equal(fake.srq_info_addr, 0);
	soft.err = -EINVAL;
	assert_int_equal(rxe_modify_srq(&srq->vsrq.srq, &attr, IBV_SRQ_LIMIT),
			 -EINVAL);
	assert_int_equal(rxe_destroy_srq(&srq->vsrq.srq), 0);
}

static void rxe_modify_srq_max_wr_uses_new_ring(void **state)
{
	struct rxe_srq *srq = srq_new(3, 1);
	struct ibv_srq_attr attr = { .max_wr = 30 };
	struct ibv_recv_wr wr = { .wr_id = 9 };
	struct ibv_recv_wr *bad;

	assert_int_equal(rxe_modify_srq(&srq->vsrq.srq, &attr, IBV_SRQ_MAX_WR),
			 0);
	assert_int_not_equal(fake.srq_info_addr, 0);
	for (int i = 0; i < 31; i++)
		assert_int_equal(rxe_post_srq_recv(&srq->vsrq.srq, &wr, &bad),
				 0);
	assert_int_equal(fake.srq.buf->producer_index, 31);
	assert_int_equal(rxe_post_srq_recv(&srq->vsrq.srq, &wr, &bad), ENOMEM);

	fake.spoil_ring = ring_spoil_elem_size;
	srq->rq.max_sge = 1000; /* makes the element size too small */
	assert_int_equal(rxe_modify_srq(&srq->vsrq.srq, &attr, IBV_SRQ_MAX_WR),
			 -EIO);
	assert_int_equal(rxe_post_srq_recv(&srq->vsrq.srq, &wr, &bad), ENOMEM);
	assert_int_equal(rxe_destroy_srq(&srq->vsrq.srq), 0);
}

static void rxe_create_srq_bad_ring_destroys_kernel_srq(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 3, .max_sge = 20 },
	};
	struct verbs_srq *vsrq = NULL;

	fake.spoil_ring = ring_spoil_elem_size;
	assert_int_equal(rxe_create_srq(fake_context(), &attr, &vsrq), -EIO);
	assert_null(vsrq);
	assert_int_equal(soft.nr_destroyed, 1);
}

/* -- address handles -- */

static struct ibv_ah_attr ah_attr(void)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = { .sgid_index = 3, .dgid.raw = { 0xfe, 0x80 } },
	};
}

static void rxe_create_ah_with_ah_num_skips_resolution(void **state)
{
	struct ibv_ah_attr attr = ah_attr();
	struct ibv_ah *ah = NULL;

	fake.resolve_err = -EHOSTUNREACH;
	assert_int_equal(rxe_create_ah(&pd, &attr, &ah), 0);
	assert_int_equal(to_rxe_ah(ah)->ah_num, 7);
	assert_int_equal(fake.nr_gid_queries, 0);
	soft.err = -EBUSY;
	assert_int_equal(rxe_destroy_ah(ah), -EBUSY);
	assert_int_equal(rxe_destroy_ah(ah), 0);
}

static void rxe_create_ah_without_ah_num_stores_ipv6_address(void **state)
{
	struct ibv_ah_attr attr = ah_attr();
	struct ibv_ah *ah = NULL;
	struct rxe_av *av;

	fake.ah_num = 0;
	memcpy(fake.sgid.raw, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	assert_int_equal(rxe_create_ah(&pd, &attr, &ah), 0);
	av = &to_rxe_ah(ah)->av;
	assert_int_equal(av->network_type, RXE_NETWORK_TYPE_IPV6);
	assert_memory_equal(&av->sgid_addr._sockaddr_in6.sin6_addr,
			    fake.sgid.raw, 16);
	assert_memory_equal(&av->dgid_addr._sockaddr_in6.sin6_addr,
			    attr.grh.dgid.raw, 16);
	assert_int_equal(rxe_destroy_ah(ah), 0);
}

static void rxe_create_ah_resolution_failure_destroys_kernel_ah(void **state)
{
	struct ibv_ah_attr attr = ah_attr();
	struct ibv_ah *ah = NULL;

	fake.ah_num = 0;
	fake.resolve_err = -EHOSTUNREACH;
	assert_int_equal(rxe_create_ah(&pd, &attr, &ah), -EHOSTUNREACH);
	fake.resolve_err = EHOSTUNREACH;
	assert_int_equal(rxe_create_ah(&pd, &attr, &ah), -EHOSTUNREACH);
	attr.is_global = 0;
	assert_int_equal(rxe_create_ah(&pd, &attr, &ah), -EINVAL);
	assert_null(ah);
	soft.err = -ENETUNREACH;
	assert_int_equal(rxe_create_ah(&pd, &attr, &ah), -ENETUNREACH);
	assert_int_equal(soft.nr_destroyed, 3);
}

/* -- PDs, regions and windows -- */

static void rxe_memory_objects_create_and_destroy(void **state)
{
	struct ibv_pd *new_pd = NULL;
	struct verbs_mr *vmr;
	struct ibv_mr *mr = NULL;
	struct ibv_mw *mw = NULL;

	assert_int_equal(soft_alloc_pd(fake_context(), &new_pd), 0);
	assert_int_equal(rxe_reg_mr(new_pd, NULL, 1, 0,
				    IBV_ACCESS_RELAXED_ORDERING, &mr),
			 0);
	assert_int_equal(fake.reg_access, IBV_ACCESS_RELAXED_ORDERING);
	vmr = verbs_container_of(mr, struct verbs_mr, ibv_mr);
	assert_int_equal(
		rxe_rereg_mr(vmr, IBV_REREG_MR_CHANGE_PD, new_pd, NULL, 0, 0),
		0);
	assert_int_equal(fake.rereg_flags, IBV_REREG_MR_CHANGE_PD);
	soft.err = -EOPNOTSUPP;
	assert_int_equal(
		rxe_rereg_mr(vmr, IBV_REREG_MR_CHANGE_PD, new_pd, NULL, 0, 0),
		-EOPNOTSUPP);
	assert_int_equal(rxe_alloc_mw(new_pd, IBV_MW_TYPE_2, &mw), 0);
	soft.err = -EBUSY; /* a memory window is bound to the region */
	assert_int_equal(soft_dereg_mr(vmr), -EBUSY);
	assert_int_equal(rxe_dealloc_mw(mw), 0);
	assert_int_equal(soft_dereg_mr(vmr), 0);
	assert_int_equal(rxe_reg_dmabuf_mr(new_pd, 0, 1, 0, 3, 0, &mr), 0);
	vmr = verbs_container_of(mr, struct verbs_mr, ibv_mr);
	assert_int_equal(soft_dereg_mr(vmr), 0);
	soft.err = -EBUSY;
	assert_int_equal(soft_dealloc_pd(new_pd), -EBUSY);
	assert_int_equal(soft_dealloc_pd(new_pd), 0);
}

static void rxe_create_commands_return_kernel_error(void **state)
{
	struct ibv_srq_init_attr_ex srq_attr = {};
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct ibv_pd *new_pd = NULL;
	struct verbs_srq *vsrq = NULL;
	struct verbs_qp *vqp;
	struct ibv_mr *mr = NULL;
	struct ibv_mw *mw = NULL;

	soft.err = -ENOSPC;
	assert_int_equal(soft_alloc_pd(fake_context(), &new_pd), -ENOSPC);
	soft.err = -ENOSPC;
	assert_int_equal(rxe_reg_mr(&pd, NULL, 1, 0, 0, &mr), -ENOSPC);
	soft.err = -ENOSPC;
	assert_int_equal(rxe_reg_dmabuf_mr(&pd, 0, 1, 0, 3, 0, &mr), -ENOSPC);
	soft.err = -ENOSPC;
	assert_int_equal(rxe_alloc_mw(&pd, IBV_MW_TYPE_1, &mw), -ENOSPC);
	soft.err = -ENOSPC;
	assert_int_equal(rxe_create_srq(fake_context(), &srq_attr, &vsrq),
			 -ENOSPC);
	soft.err = -ENOSPC;
	assert_int_equal(create_qp(&attr, &vqp), -ENOSPC);
	assert_null(new_pd);
	assert_null(mr);
	assert_null(mw);
	assert_null(vsrq);
	assert_null(vqp);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rxe_query_device_formats_three_version_fields),
		TEST(rxe_query_device_failure_leaves_version_empty),
		TEST(rxe_device_caps_are_queried_once),
		TEST(rxe_create_qp_returns_real_sizes),
		TEST(rxe_create_qp_zero_capabilities_succeeds),
		TEST(rxe_create_qp_unsupported_attr_is_rejected),
		TEST(rxe_create_qp_send_ops_must_match_qp_type),
		TEST(rxe_create_qp_optional_send_ops_need_rc_and_device_cap),
		TEST(rxe_create_qp_bad_ring_destroys_kernel_qp),
		TEST(rxe_destroy_qp_failure_leaves_qp_usable),
		TEST(rxe_post_srq_recv_writes_wqe),
		TEST(rxe_modify_srq_limit_keeps_ring),
		TEST(rxe_modify_srq_max_wr_uses_new_ring),
		TEST(rxe_create_srq_bad_ring_destroys_kernel_srq),
		TEST(rxe_create_ah_with_ah_num_skips_resolution),
		TEST(rxe_create_ah_without_ah_num_stores_ipv6_address),
		TEST(rxe_create_ah_resolution_failure_destroys_kernel_ah),
		TEST(rxe_memory_objects_create_and_destroy),
		TEST(rxe_create_commands_return_kernel_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
