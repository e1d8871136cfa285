/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Life of the objects: real sizes come back, what the kernel made is undone
 * when the rest fails, and a destroy that fails leaves the object whole.
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

static void firmware_version_has_three_numbers(void **state)
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

static void failed_query_leaves_the_version_alone(void **state)
{
	struct ibv_device_attr_ex attr = {};

	soft.err = -EIO;
	assert_int_equal(
		soft_query_device(fake_context(), NULL, &attr, sizeof(attr)),
		-EIO);
	assert_string_equal(attr.orig_attr.fw_ver, "");
}

static void capabilities_are_asked_for_once(void **state)
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

static void qp_returns_real_sizes(void **state)
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

static void qp_without_anything_to_hold_is_made(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	memset(&attr.cap, 0, sizeof(attr.cap));
	assert_int_equal(create_qp(&attr, &vqp), 0);
	assert_int_equal(attr.cap.max_send_wr, 0);
	assert_int_equal(rxe_destroy_qp(&vqp->qp), 0);
}

static void attributes_the_driver_lacks_are_refused(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	attr.comp_mask |= IBV_QP_INIT_ATTR_XRCD;
	assert_int_equal(create_qp(&attr, &vqp), -EOPNOTSUPP);
	attr.comp_mask = 0;
	assert_int_equal(create_qp(&attr, &vqp), -EINVAL);
	assert_int_equal(soft.nr_created, 0);
}

static void send_ops_are_checked_against_the_type(void **state)
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

static void younger_operations_need_rc_and_the_kernel(void **state)
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

static void spoil_elem_size(struct fake_ring *ring)
{
	ring->buf->log2_elem_size = 7; /* below a send element */
}

static void spoil_size(struct fake_ring *ring)
{
	ring->info.size = 0;
}

static void qp_with_a_bad_ring_is_destroyed_again(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct verbs_qp *vqp;

	fake.spoil_ring = spoil_elem_size;
	assert_int_equal(create_qp(&attr, &vqp), -EIO);
	assert_null(vqp);

	attr = qp_attr();
	fake.spoil_ring = spoil_size;
	assert_int_equal(create_qp(&attr, &vqp), -EIO);
	assert_int_equal(soft.nr_created, 2);
	assert_int_equal(soft.nr_destroyed, 2);
	assert_int_equal(soft.nr_waits, 0);
}

static void qp_destroy_that_fails_leaves_it_usable(void **state)
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

static void srq_takes_requests(void **state)
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

static void srq_limit_needs_no_new_ring(void **state)
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

static void resized_srq_uses_the_new_ring(void **state)
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

	fake.spoil_ring = spoil_elem_size;
	srq->rq.max_sge = 1000; /* so that the element is too small */
	assert_int_equal(rxe_modify_srq(&srq->vsrq.srq, &attr, IBV_SRQ_MAX_WR),
			 -EIO);
	assert_int_equal(rxe_post_srq_recv(&srq->vsrq.srq, &wr, &bad), ENOMEM);
	assert_int_equal(rxe_destroy_srq(&srq->vsrq.srq), 0);
}

static void srq_with_a_bad_ring_is_destroyed_again(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 3, .max_sge = 20 },
	};
	struct verbs_srq *vsrq = NULL;

	fake.spoil_ring = spoil_elem_size;
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

static void numbered_ah_needs_no_resolution(void **state)
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

static void old_kernel_gets_an_ipv6_address(void **state)
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

static void ah_that_cannot_be_resolved_is_destroyed_again(void **state)
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

/* -- the rest -- */

static void domain_and_memory(void **state)
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
	soft.err = -EBUSY; /* a window is bound to it */
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

static void errors_of_create_commands_are_returned(void **state)
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
		TEST(firmware_version_has_three_numbers),
		TEST(failed_query_leaves_the_version_alone),
		TEST(capabilities_are_asked_for_once),
		TEST(qp_returns_real_sizes),
		TEST(qp_without_anything_to_hold_is_made),
		TEST(attributes_the_driver_lacks_are_refused),
		TEST(send_ops_are_checked_against_the_type),
		TEST(younger_operations_need_rc_and_the_kernel),
		TEST(qp_with_a_bad_ring_is_destroyed_again),
		TEST(qp_destroy_that_fails_leaves_it_usable),
		TEST(srq_takes_requests),
		TEST(srq_limit_needs_no_new_ring),
		TEST(resized_srq_uses_the_new_ring),
		TEST(srq_with_a_bad_ring_is_destroyed_again),
		TEST(numbered_ah_needs_no_resolution),
		TEST(old_kernel_gets_an_ipv6_address),
		TEST(ah_that_cannot_be_resolved_is_destroyed_again),
		TEST(domain_and_memory),
		TEST(errors_of_create_commands_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
