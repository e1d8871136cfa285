/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inline functions of the headers of librdmacm: which members of the id
 * they read, the work requests that they build, and their results. The test
 * defines the exported functions that they call; no library is linked.
 */
#include <rdma/rdma_verbs.h>

#include <infiniband/ib.h>

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>

/* An id with the objects that inline functions use. */
static struct {
	struct ibv_context ctx;
	struct ibv_pd pd;
	struct ibv_qp qp;
	struct ibv_srq srq;
	struct ibv_cq send_cq, recv_cq;
	struct ibv_comp_channel send_channel, recv_channel;
	struct ibv_mr mr;
	char buffer[64];
	struct rdma_cm_id id;
} fake;

/* The most recent call of a fake, and its result. */
static struct {
	const void *object;
	struct ibv_send_wr send;
	struct ibv_recv_wr recv;
	struct ibv_sge sge;
	size_t length;
	int access;
	int result;
} called;

/* Results of ibv_poll_cq(), in order; then the number of other calls. */
static struct {
	int results[4];
	int nr_polls;
	int nr_notify;
	int nr_events;
	int nr_acked;
	int notify_result;
	int event_result;
} comp;

static int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			  struct ibv_send_wr **bad_wr)
{
	called.object = qp;
	called.send = *wr;
	if (wr->num_sge)
		called.sge = wr->sg_list[0];
	return called.result;
}

static int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			  struct ibv_recv_wr **bad_wr)
{
	called.object = qp;
	called.recv = *wr;
	called.sge = wr->sg_list[0];
	return called.result;
}

static int fake_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **bad_wr)
{
	called.object = srq;
	called.recv = *wr;
	called.sge = wr->sg_list[0];
	return called.result;
}

static int fake_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	assert_int_equal(num_entries, 1);
	called.object = cq;
	return comp.results[comp.nr_polls++];
}

static int fake_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	assert_int_equal(solicited_only, 0);
	comp.nr_notify++;
	return comp.notify_result;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
		     void **cq_context)
{
	bool sends = channel == &fake.send_channel;

	assert_true(sends || channel == &fake.recv_channel);
	comp.nr_events++;
	*cq = sends ? &fake.send_cq : &fake.recv_cq;
	*cq_context = &fake.id;
	return comp.event_result;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
	assert_int_equal(nevents, 1);
	comp.nr_acked++;
}

#undef ibv_reg_mr
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  int access)
{
	assert_ptr_equal(addr, fake.buffer);
	called.object = pd;
	called.length = length;
	called.access = access;
	return &fake.mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	fail(); /* the access flags are constants without optional bits */
	return NULL;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	called.object = mr;
	return called.result;
}

static int setup(void **state)
{
	memset(&fake, 0, sizeof(fake));
	memset(&called, 0, sizeof(called));
	memset(&comp, 0, sizeof(comp));
	fake.ctx.ops.post_send = fake_post_send;
	fake.ctx.ops.post_recv = fake_post_recv;
	fake.ctx.ops.post_srq_recv = fake_post_srq_recv;
	fake.ctx.ops.poll_cq = fake_poll_cq;
	fake.ctx.ops.req_notify_cq = fake_req_notify_cq;
	fake.qp.context = &fake.ctx;
	fake.srq.context = &fake.ctx;
	fake.send_cq.context = &fake.ctx;
	fake.recv_cq.context = &fake.ctx;
	fake.mr.addr = fake.buffer;
	fake.mr.length = sizeof(fake.buffer);
	fake.mr.lkey = 0x1234;
	fake.id.pd = &fake.pd;
	fake.id.qp = &fake.qp;
	fake.id.send_cq = &fake.send_cq;
	fake.id.recv_cq = &fake.recv_cq;
	fake.id.send_cq_channel = &fake.send_channel;
	fake.id.recv_cq_channel = &fake.recv_channel;
	errno = 0;
	return 0;
}

static void expect_sge(const char *addr, uint32_t length, uint32_t lkey)
{
	assert_int_equal(called.sge.addr, (uintptr_t)addr);
	assert_int_equal(called.sge.length, length);
	assert_int_equal(called.sge.lkey, lkey);
}

static void expect_send(int opcode, int num_sge, unsigned int flags)
{
	assert_ptr_equal(called.object, &fake.qp);
	assert_int_equal(called.send.wr_id, (uintptr_t)&fake);
	assert_null(called.send.next);
	assert_int_equal(called.send.opcode, opcode);
	assert_int_equal(called.send.num_sge, num_sge);
	assert_int_equal(called.send.send_flags, flags);
}

static void expect_remote(uint64_t remote_addr, uint32_t rkey)
{
	assert_int_equal(called.send.wr.rdma.remote_addr, remote_addr);
	assert_int_equal(called.send.wr.rdma.rkey, rkey);
}

static void seterrno_any_value_stores_unchanged(void **state)
{
	errno = EAGAIN;
	assert_int_equal(rdma_seterrno(0), 0);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(rdma_seterrno(ENOMEM), -1);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(rdma_seterrno(-7), -1);
	assert_int_equal(errno, -7);
}

static void id_addrs_are_members_of_route(void **state)
{
	assert_ptr_equal(rdma_get_local_addr(&fake.id),
			 &fake.id.route.addr.src_addr);
	assert_ptr_equal(rdma_get_peer_addr(&fake.id),
			 &fake.id.route.addr.dst_addr);
}

static void reg_functions_pass_access_flags(void **state)
{
	assert_ptr_equal(rdma_reg_msgs(&fake.id, fake.buffer, 3), &fake.mr);
	assert_int_equal(called.access, 1);
	assert_int_equal(called.length, 3);
	assert_ptr_equal(called.object, &fake.pd);
	assert_ptr_equal(rdma_reg_write(&fake.id, fake.buffer, 3), &fake.mr);
	assert_int_equal(called.access, 3);
	assert_ptr_equal(rdma_reg_read(&fake.id, fake.buffer, 3), &fake.mr);
	assert_int_equal(called.access, 5);
}

static void dereg_mr_failure_sets_errno(void **state)
{
	assert_int_equal(rdma_dereg_mr(&fake.mr), 0);
	assert_ptr_equal(called.object, &fake.mr);
	called.result = EBUSY;
	assert_int_equal(rdma_dereg_mr(&fake.mr), -1);
	assert_int_equal(errno, EBUSY);
}

static void post_recv_without_srq_posts_to_qp(void **state)
{
	struct ibv_sge sgl[2] = { { 1, 2, 3 }, { 4, 5, 6 } };

	assert_int_equal(rdma_post_recvv(&fake.id, &fake, sgl, 2), 0);
	assert_ptr_equal(called.object, &fake.qp);
	assert_ptr_equal(called.recv.sg_list, sgl);
	assert_int_equal(called.recv.num_sge, 2);
	assert_int_equal(called.recv.wr_id, (uintptr_t)&fake);
	assert_null(called.recv.next);
	assert_int_equal(rdma_post_recv(&fake.id, &fake, fake.buffer + 1,
					sizeof(fake.buffer) - 1, &fake.mr),
			 0);
	expect_sge(fake.buffer + 1, sizeof(fake.buffer) - 1, 0x1234);
	called.result = ENOMEM;
	assert_int_equal(rdma_post_recvv(&fake.id, &fake, sgl, 1), -1);
	assert_int_equal(errno, ENOMEM);
}

static void post_recv_with_srq_posts_to_srq(void **state)
{
	fake.id.srq = &fake.srq;
	assert_int_equal(
		rdma_post_recv(&fake.id, &fake, fake.buffer, 8, &fake.mr), 0);
	assert_ptr_equal(called.object, &fake.srq);
	expect_sge(fake.buffer, 8, 0x1234);
}

static void post_send_lists_pass_all_entries(void **state)
{
	struct ibv_sge sgl[2] = { { 1, 2, 3 }, { 4, 5, 6 } };

	assert_int_equal(
		rdma_post_sendv(&fake.id, &fake, sgl, 2, IBV_SEND_SIGNALED), 0);
	expect_send(IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	assert_ptr_equal(called.send.sg_list, sgl);
	assert_int_equal(
		rdma_post_readv(&fake.id, &fake, sgl, 2, 0, 1ULL << 40, 7), 0);
	expect_send(IBV_WR_RDMA_READ, 2, 0);
	expect_remote(1ULL << 40, 7);
	assert_int_equal(
		rdma_post_writev(&fake.id, &fake, sgl, 1, 0, 1ULL << 41, 8), 0);
	expect_send(IBV_WR_RDMA_WRITE, 1, 0);
	expect_remote(1ULL << 41, 8);
}

static void post_send_without_mr_uses_lkey_0(void **state)
{
	assert_int_equal(rdma_post_send(&fake.id, &fake, fake.buffer, 4, NULL,
					IBV_SEND_INLINE),
			 0);
	expect_send(IBV_WR_SEND, 1, IBV_SEND_INLINE);
	expect_sge(fake.buffer, 4, 0);
	assert_int_equal(rdma_post_write(&fake.id, &fake, fake.buffer, 5, NULL,
					 IBV_SEND_INLINE, 0x1000, 9),
			 0);
	expect_send(IBV_WR_RDMA_WRITE, 1, IBV_SEND_INLINE);
	expect_sge(fake.buffer, 5, 0);
	expect_remote(0x1000, 9);
}

static void post_send_with_mr_uses_lkey_of_mr(void **state)
{
	called.result = EINVAL;
	assert_int_equal(
		rdma_post_send(&fake.id, &fake, fake.buffer, 4, &fake.mr, 0),
		-1);
	assert_int_equal(errno, EINVAL);
	expect_sge(fake.buffer, 4, 0x1234);
	called.result = 0;
	assert_int_equal(rdma_post_read(&fake.id, &fake, fake.buffer, 6,
					&fake.mr, IBV_SEND_FENCE, 0x2000, 3),
			 0);
	expect_send(IBV_WR_RDMA_READ, 1, IBV_SEND_FENCE);
	expect_sge(fake.buffer, 6, 0x1234);
	expect_remote(0x2000, 3);
	assert_int_equal(rdma_post_write(&fake.id, &fake, fake.buffer, 7,
					 &fake.mr, 0, 0x3000, 4),
			 0);
	expect_sge(fake.buffer, 7, 0x1234);
}

static void post_ud_send_always_uses_udp_qkey(void **state)
{
	struct ibv_ah ah;

	assert_int_equal(rdma_post_ud_send(&fake.id, &fake, fake.buffer, 4,
					   &fake.mr, IBV_SEND_SOLICITED, &ah,
					   0x77),
			 0);
	expect_send(IBV_WR_SEND, 1, IBV_SEND_SOLICITED);
	expect_sge(fake.buffer, 4, 0x1234);
	assert_ptr_equal(called.send.wr.ud.ah, &ah);
	assert_int_equal(called.send.wr.ud.remote_qpn, 0x77);
	assert_int_equal(called.send.wr.ud.remote_qkey, 0x01234567);
}

static void get_comp_present_returns_at_once(void **state)
{
	struct ibv_wc wc;

	comp.results[0] = 1;
	assert_int_equal(rdma_get_send_comp(&fake.id, &wc), 1);
	assert_ptr_equal(called.object, &fake.send_cq);
	assert_int_equal(comp.nr_notify, 0);
	comp.results[1] = 1;
	assert_int_equal(rdma_get_recv_comp(&fake.id, &wc), 1);
	assert_ptr_equal(called.object, &fake.recv_cq);
}

static void get_comp_after_notify_takes_no_event(void **state)
{
	struct ibv_wc wc;

	comp.results[1] = 1;
	assert_int_equal(rdma_get_recv_comp(&fake.id, &wc), 1);
	assert_int_equal(comp.nr_notify, 1);
	assert_int_equal(comp.nr_events, 0);
}

static void get_comp_none_waits_for_event(void **state)
{
	struct ibv_wc wc;

	comp.results[2] = 1;
	assert_int_equal(rdma_get_send_comp(&fake.id, &wc), 1);
	assert_int_equal(comp.nr_events, 1);
	assert_int_equal(comp.nr_acked, 1);
	assert_int_equal(comp.nr_polls, 3);
}

static void get_comp_failures_return_minus1(void **state)
{
	struct ibv_wc wc;

	comp.results[0] = -5;
	assert_int_equal(rdma_get_send_comp(&fake.id, &wc), -1);
	assert_int_equal(errno, -5);
	comp.notify_result = ENOSYS;
	assert_int_equal(rdma_get_send_comp(&fake.id, &wc), -1);
	assert_int_equal(errno, ENOSYS);
	comp.notify_result = 0;
	comp.event_result = -1;
	errno = EINTR; /* of the fake */
	assert_int_equal(rdma_get_recv_comp(&fake.id, &wc), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(comp.nr_acked, 0);
}

static void ib_addr_set_stores_words_in_order(void **state)
{
	struct ib_addr a, b;

	ib_addr_set(&a, htonl(0xfe800000), 0, 0, htonl(0x102));
	assert_int_equal(a.sib_raw[0], 0xfe);
	assert_int_equal(a.sib_addr8[1], 0x80);
	assert_int_equal(a.sib_addr16[7], htons(0x102));
	assert_int_equal(a.sib_addr32[3], htonl(0x102));
	assert_int_equal(a.sib_interface_id, htobe64(0x102));
	b = a;
	assert_int_equal(ib_addr_cmp(&a, &b), 0);
	b.sib_raw[15] = 3;
	assert_true(ib_addr_cmp(&a, &b) < 0);
	assert_true(ib_addr_cmp(&b, &a) > 0);
}

static void ib_addr_special_addresses_are_recognised(void **state)
{
	struct ib_addr a;

	ib_addr_set(&a, 0, 0, 0, 0);
	assert_true(ib_addr_any(&a));
	assert_false(ib_addr_loopback(&a));
	ib_addr_set(&a, 0, 0, 0, htonl(1));
	assert_false(ib_addr_any(&a));
	assert_true(ib_addr_loopback(&a));
	ib_addr_set(&a, htonl(1), 0, 0, htonl(1));
	assert_false(ib_addr_any(&a));
	assert_false(ib_addr_loopback(&a));
}

#define RDMACM_TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RDMACM_TEST(seterrno_any_value_stores_unchanged),
		RDMACM_TEST(id_addrs_are_members_of_route),
		RDMACM_TEST(reg_functions_pass_access_flags),
		RDMACM_TEST(dereg_mr_failure_sets_errno),
		RDMACM_TEST(post_recv_without_srq_posts_to_qp),
		RDMACM_TEST(post_recv_with_srq_posts_to_srq),
		RDMACM_TEST(post_send_lists_pass_all_entries),
		RDMACM_TEST(post_send_without_mr_uses_lkey_0),
		RDMACM_TEST(post_send_with_mr_uses_lkey_of_mr),
		RDMACM_TEST(post_ud_send_always_uses_udp_qkey),
		RDMACM_TEST(get_comp_present_returns_at_once),
		RDMACM_TEST(get_comp_after_notify_takes_no_event),
		RDMACM_TEST(get_comp_none_waits_for_event),
		RDMACM_TEST(get_comp_failures_return_minus1),
		RDMACM_TEST(ib_addr_set_stores_words_in_order),
		RDMACM_TEST(ib_addr_special_addresses_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
