/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion counters: ibv_create_comp_cntr(3), ibv_qp_attach_comp_cntr(3). */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "verbs_export.h"
#include "verbs_fixture.h"

#define MAX_CNTRS  8
#define LIMIT_S	   60
#define LONG	   4000 /* several packets */
#define NR_THREADS 2
#define ROUNDS	   500

#define SEND	     IBV_QP_ATTACH_COMP_CNTR_OP_SEND
#define RECV	     IBV_QP_ATTACH_COMP_CNTR_OP_RECV
#define READ	     IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ
#define WRITE	     IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE
#define REMOTE_READ  IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ
#define REMOTE_WRITE IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE

/* Two QPs in RESET, and counters, which end after the QPs. */
static struct rig {
	struct ibv_qp *left, *right;
	struct ibv_comp_cntr *cntrs[MAX_CNTRS];
	int nr_cntrs;
} rig;

static int setup(void **state)
{
	(void)fixture_setup(state);
	rig.left = fixture_new_qp(IBV_QPT_RC);
	rig.right = fixture_new_qp(IBV_QPT_RC);
	rig.nr_cntrs = 0;
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(ibv_destroy_qp(rig.left), 0);
	assert_int_equal(ibv_destroy_qp(rig.right), 0);
	while (rig.nr_cntrs)
		assert_int_equal(
			ibv_destroy_comp_cntr(rig.cntrs[--rig.nr_cntrs]), 0);
	return fixture_teardown(state);
}

static struct ibv_comp_cntr *new_cntr(enum ibv_comp_cntr_type type)
{
	struct ibv_comp_cntr_init_attr attr = { .type = type };
	struct ibv_comp_cntr *cntr = ibv_create_comp_cntr(fixture.ctx, &attr);

	assert_non_null(cntr);
	assert_true(rig.nr_cntrs < MAX_CNTRS);
	rig.cntrs[rig.nr_cntrs++] = cntr;
	return cntr;
}

static int attach(struct ibv_qp *qp, struct ibv_comp_cntr *cntr, uint32_t ops)
{
	struct ibv_qp_attach_comp_cntr_attr attr = { .op_mask = ops };

	return ibv_qp_attach_comp_cntr(qp, cntr, &attr);
}

static struct ibv_comp_cntr *attach_new(struct ibv_qp *qp, uint32_t ops)
{
	struct ibv_comp_cntr *cntr = new_cntr(IBV_COMP_CNTR_TYPE_WRS);

	assert_int_equal(attach(qp, cntr, ops), 0);
	return cntr;
}

static uint64_t read_number(struct ibv_comp_cntr *cntr, bool failed)
{
	uint64_t value = 0;

	assert_int_equal(failed ? ibv_read_err_comp_cntr(cntr, &value)
				: ibv_read_comp_cntr(cntr, &value),
			 0);
	return value;
}

/* Nothing but the reads of the counter makes progress. */
static void expect_number(struct ibv_comp_cntr *cntr, bool failed,
			  uint64_t value)
{
	time_t limit = time(NULL) + LIMIT_S;

	while (read_number(cntr, failed) < value && time(NULL) < limit)
		;
	assert_int_equal(read_number(cntr, failed), value);
}

static void expect(struct ibv_comp_cntr *cntr, uint64_t completed)
{
	expect_number(cntr, false, completed);
	assert_int_equal(read_number(cntr, true), 0);
}

/* From the first half of the memory of the fixture to the second half. */
static void post(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint32_t length)
{
	struct ibv_send_wr wr = { .opcode = opcode };

	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory + FIXTURE_BYTES / 2;
	wr.wr.rdma.rkey = fixture.mr->rkey;
	assert_int_equal(fixture_post(qp, wr, fixture.memory, length), 0);
}

static void post_receive(struct ibv_qp *qp, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory + FIXTURE_BYTES / 2,
			       length, fixture.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
}

static void poll_all(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(fixture.cq, 1, &wc) > 0)
		;
}

/* -- what counts -- */

static void comp_cntr_caps_have_all_operations(void **state)
{
	struct ibv_comp_cntr_caps caps = {};

	assert_int_equal(ibv_query_comp_cntr_caps(fixture.ctx, &caps), 0);
	assert_int_equal(caps.supported_qp_attach_ops,
			 SEND | RECV | READ | WRITE | REMOTE_READ |
				 REMOTE_WRITE);
	assert_int_equal(caps.max_value, UINT64_MAX);
	assert_true(caps.max_counters > MAX_CNTRS);
}

static void comp_cntr_counts_each_operation(void **state)
{
	struct ibv_comp_cntr *send = attach_new(rig.left, SEND);
	struct ibv_comp_cntr *write = attach_new(rig.left, WRITE);
	struct ibv_comp_cntr *read = attach_new(rig.left, READ);
	struct ibv_comp_cntr *receive = attach_new(rig.right, RECV);
	struct ibv_comp_cntr *remote_write =
		attach_new(rig.right, REMOTE_WRITE);
	struct ibv_comp_cntr *remote_read = attach_new(rig.right, REMOTE_READ);

	fixture_connect(rig.left, rig.right);
	for (uint64_t i = 1; i <= 20; i++) {
		uint32_t length = i % 2 ? 8 : LONG;

		post_receive(rig.right, LONG);
		post(rig.left, IBV_WR_SEND, length);
		expect(receive, i);
		expect(send, i);
		post(rig.left, IBV_WR_RDMA_WRITE, length);
		expect(remote_write, i);
		expect(write, i);
		post(rig.left, IBV_WR_RDMA_READ, length);
		expect(read, i);
		expect(remote_read, i);
		poll_all();
	}
	expect(send, 20);
	expect(receive, 20);
	expect(remote_write, 20);
}

/* The number shows that the data is there. */
static void comp_cntr_follows_data(void **state)
{
	struct ibv_comp_cntr *read = attach_new(rig.left, READ);
	struct ibv_comp_cntr *written = attach_new(rig.right, REMOTE_WRITE);
	struct ibv_comp_cntr *received = attach_new(rig.right, RECV);
	uint8_t *far = fixture.memory + FIXTURE_BYTES / 2;

	fixture_connect(rig.left, rig.right);
	for (int i = 1; i <= 20; i++) {
		memset(fixture.memory, i, LONG);
		post(rig.left, IBV_WR_RDMA_WRITE, LONG);
		expect(written, (uint64_t)i);
		assert_memory_equal(far, fixture.memory, LONG);
		memset(far, 100 + i, LONG);
		post(rig.left, IBV_WR_RDMA_READ, LONG);
		expect(read, (uint64_t)i);
		assert_memory_equal(far, fixture.memory, LONG);
		post_receive(rig.right, LONG);
		memset(fixture.memory, i, LONG);
		post(rig.left, IBV_WR_SEND, LONG);
		expect(received, (uint64_t)i);
		assert_memory_equal(far, fixture.memory, LONG);
		poll_all();
	}
}

static void comp_cntr_counts_bytes(void **state)
{
	struct ibv_comp_cntr *left = new_cntr(IBV_COMP_CNTR_TYPE_BYTES);
	struct ibv_comp_cntr *right = new_cntr(IBV_COMP_CNTR_TYPE_BYTES);

	assert_int_equal(attach(rig.left, left, SEND | WRITE | READ), 0);
	assert_int_equal(attach(rig.right, right, RECV | REMOTE_WRITE), 0);
	fixture_connect(rig.left, rig.right);
	post_receive(rig.right, LONG);
	post(rig.left, IBV_WR_SEND, 100);
	expect(left, 100);
	expect(right, 100);
	post(rig.left, IBV_WR_RDMA_WRITE, LONG);
	expect(left, 100 + LONG);
	expect(right, 100 + LONG);
	post(rig.left, IBV_WR_RDMA_READ, 10);
	expect(left, 110 + LONG);
	post(rig.left, IBV_WR_RDMA_WRITE, 0);
	post(rig.left, IBV_WR_RDMA_WRITE, 1);
	expect(left, 111 + LONG);
	expect(right, 101 + LONG);
	poll_all();
}

static void comp_cntr_counts_immediate_as_write_and_receive(void **state)
{
	struct ibv_comp_cntr *write = attach_new(rig.left, WRITE);
	struct ibv_comp_cntr *receive = attach_new(rig.right, RECV);
	struct ibv_comp_cntr *remote = attach_new(rig.right, REMOTE_WRITE);

	fixture_connect(rig.left, rig.right);
	post_receive(rig.right, 8);
	post(rig.left, IBV_WR_RDMA_WRITE_WITH_IMM, LONG);
	expect(write, 1);
	expect(receive, 1);
	expect(remote, 1);
	poll_all();
}

/* An unsignaled request has no CQE, but counts. */
static void comp_cntr_counts_unsignaled_request(void **state)
{
	struct ibv_comp_cntr *write = attach_new(rig.left, WRITE);
	struct ibv_sge sge = { (uintptr_t)fixture.memory, 8, fixture.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory + 64;
	wr.wr.rdma.rkey = fixture.mr->rkey;
	fixture_connect(rig.left, rig.right);
	for (uint64_t i = 1; i <= 5; i++) {
		assert_int_equal(ibv_post_send(rig.left, &wr, &bad), 0);
		expect(write, i);
	}
	assert_int_equal(ibv_poll_cq(fixture.cq, 1, &wc), 0);
}

static void comp_cntr_counts_failed_and_flushed_requests(void **state)
{
	struct ibv_comp_cntr *write = attach_new(rig.left, WRITE);
	struct ibv_comp_cntr *receive = attach_new(rig.left, RECV);
	struct ibv_comp_cntr *remote = attach_new(rig.right, REMOTE_WRITE);
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	fixture_connect(rig.left, rig.right);
	post_receive(rig.left, 8);
	post_receive(rig.left, 8);
	post(rig.left, IBV_WR_RDMA_WRITE, 8);
	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = fixture.mr->rkey + 1;
	assert_int_equal(fixture_post(rig.left, wr, fixture.memory, 8), 0);
	post(rig.left, IBV_WR_RDMA_WRITE, 8);
	expect_number(write, true, 2);
	assert_int_equal(read_number(write, false), 1);
	expect_number(receive, true, 2);
	assert_int_equal(read_number(receive, false), 0);
	expect(remote, 1);
	poll_all();
}

static void comp_cntr_ignores_operations_without_counter(void **state)
{
	struct ibv_comp_cntr *read = attach_new(rig.left, READ);
	struct ibv_comp_cntr *write = attach_new(rig.left, WRITE);

	fixture_connect(rig.left, rig.right);
	post(rig.left, IBV_WR_RDMA_WRITE, 8);
	expect(write, 1);
	post_receive(rig.right, 8);
	post(rig.left, IBV_WR_SEND, 8);
	post(rig.left, IBV_WR_RDMA_WRITE, 8);
	expect(write, 2);
	assert_int_equal(read_number(read, false), 0);
	poll_all();
}

static void comp_cntr_adds_up_qps(void **state)
{
	struct ibv_comp_cntr *cntr = attach_new(rig.left, WRITE);

	assert_int_equal(attach(rig.right, cntr, WRITE | REMOTE_WRITE), 0);
	fixture_connect(rig.left, rig.right);
	post(rig.left, IBV_WR_RDMA_WRITE, LONG); /* and at the other end */
	expect(cntr, 2);
	post(rig.right, IBV_WR_RDMA_WRITE, LONG);
	expect(cntr, 3);
	poll_all();
}

/* Each has a CQ and two QPs, so workers of their own serve them. */
struct writer {
	pthread_t thread;
	struct ibv_cq *cq;
	struct ibv_qp *left, *right;
	unsigned int nr_done;
};

static void *write_rounds(void *arg)
{
	struct writer *writer = arg;
	struct ibv_wc wc;
	int nr;

	for (int i = 0; i < ROUNDS; i++) {
		post(writer->left, IBV_WR_RDMA_WRITE, 8);
		do
			nr = ibv_poll_cq(writer->cq, 1, &wc);
		while (nr == 0);
		writer->nr_done += nr == 1 && wc.status == IBV_WC_SUCCESS;
	}
	return NULL;
}

static void writer_open(struct writer *writer, struct ibv_comp_cntr *cntr)
{
	struct ibv_qp_init_attr attr = {
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};

	writer->nr_done = 0;
	writer->cq = ibv_create_cq(fixture.ctx, 32, NULL, NULL, 0);
	assert_non_null(writer->cq);
	attr.send_cq = writer->cq;
	attr.recv_cq = writer->cq;
	writer->left = fixture_create_qp(fixture.pd, attr);
	writer->right = fixture_create_qp(fixture.pd, attr);
	assert_int_equal(attach(writer->left, cntr, WRITE), 0);
	assert_int_equal(attach(writer->right, cntr, REMOTE_WRITE), 0);
	fixture_connect(writer->left, writer->right);
}

static void writer_close(const struct writer *writer)
{
	assert_int_equal(ibv_destroy_qp(writer->left), 0);
	assert_int_equal(ibv_destroy_qp(writer->right), 0);
	assert_int_equal(ibv_destroy_cq(writer->cq), 0);
}

static void comp_cntr_adds_up_threads(void **state)
{
	struct ibv_comp_cntr *cntr = new_cntr(IBV_COMP_CNTR_TYPE_WRS);
	struct writer writers[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++)
		writer_open(&writers[i], cntr);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&writers[i].thread, NULL,
						write_rounds, &writers[i]),
				 0);
	expect(cntr, 2 * NR_THREADS * ROUNDS);
	for (int i = 0; i < NR_THREADS; i++) {
		assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
		assert_int_equal(writers[i].nr_done, ROUNDS);
		writer_close(&writers[i]);
	}
}

static void comp_cntr_counts_datagrams(void **state)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_UD);
	struct ibv_comp_cntr *send = attach_new(qp, SEND);
	struct ibv_comp_cntr *receive = attach_new(qp, RECV);
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh.sgid_index = fixture_gid_index(),
	};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	assert_int_equal(ibv_query_gid(fixture.ctx, 1, fixture_gid_index(),
				       &attr.grh.dgid),
			 0);
	wr.wr.ud.ah = ibv_create_ah(fixture.pd, &attr);
	assert_non_null(wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = qp->qp_num;
	wr.wr.ud.remote_qkey = 0x1234;
	fixture_to_init(qp);
	fixture_to_rtr(qp, qp);
	fixture_to_rts(qp);
	post_receive(qp, 100);
	assert_int_equal(fixture_post(qp, wr, fixture.memory, 60), 0);
	expect(send, 1);
	expect(receive, 1);
	poll_all();
	assert_int_equal(ibv_destroy_ah(wr.wr.ud.ah), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* -- control -- */

static void comp_cntr_reset_of_qp_keeps_counter(void **state)
{
	struct ibv_comp_cntr *write = attach_new(rig.left, WRITE);

	for (uint64_t i = 1; i <= 3; i++) {
		fixture_connect(rig.left, rig.right);
		post(rig.left, IBV_WR_RDMA_WRITE, 8);
		expect(write, i);
		poll_all();
	}
}

static void comp_cntr_attach_needs_reset_or_init(void **state)
{
	struct ibv_comp_cntr *cntr = new_cntr(IBV_COMP_CNTR_TYPE_WRS);

	assert_int_equal(attach(rig.left, cntr, SEND), 0);
	fixture_to_init(rig.left);
	assert_int_equal(attach(rig.left, cntr, READ), 0);
	fixture_to_rtr(rig.left, rig.right);
	assert_int_equal(attach(rig.left, cntr, WRITE), EINVAL);
	fixture_to_rts(rig.left);
	assert_int_equal(attach(rig.left, cntr, WRITE), EINVAL);
}

static void comp_cntr_operations_must_not_overlap(void **state)
{
	struct ibv_comp_cntr *cntr = attach_new(rig.left, SEND | RECV);
	struct ibv_comp_cntr *other = new_cntr(IBV_COMP_CNTR_TYPE_WRS);

	assert_int_equal(attach(rig.left, other, RECV | READ), EBUSY);
	assert_int_equal(attach(rig.left, cntr, SEND), EBUSY);
	assert_int_equal(attach(rig.left, other, READ), 0);
	assert_int_equal(attach(rig.right, other, RECV | READ), 0);
}

static void comp_cntr_attach_refuses_no_and_unknown_operations(void **state)
{
	struct ibv_comp_cntr *cntr = new_cntr(IBV_COMP_CNTR_TYPE_WRS);

	assert_int_equal(attach(rig.left, cntr, 0), EINVAL);
	assert_int_equal(attach(rig.left, cntr, REMOTE_WRITE << 1), EOPNOTSUPP);
}

static void comp_cntr_attached_counter_is_busy(void **state)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);
	struct ibv_comp_cntr *cntr = attach_new(qp, SEND | READ);

	assert_int_equal(attach(qp, cntr, WRITE), 0);
	assert_int_equal(ibv_destroy_comp_cntr(cntr), EBUSY);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	/* teardown() destroys it */
}

static void comp_cntr_is_set_and_incremented(void **state)
{
	struct ibv_comp_cntr *cntr = attach_new(rig.left, WRITE);

	assert_int_equal(ibv_set_comp_cntr(cntr, UINT64_MAX), 0);
	assert_int_equal(ibv_inc_err_comp_cntr(cntr, 7), 0);
	assert_int_equal(read_number(cntr, false), UINT64_MAX);
	assert_int_equal(read_number(cntr, true), 7);
	assert_int_equal(ibv_inc_comp_cntr(cntr, 6), 0);
	assert_int_equal(ibv_set_err_comp_cntr(cntr, 0), 0);
	expect(cntr, 5);
	fixture_connect(rig.left, rig.right);
	post(rig.left, IBV_WR_RDMA_WRITE, 8);
	expect(cntr, 6);
	poll_all();
}

static void comp_cntr_creation_is_limited(void **state)
{
	struct ibv_comp_cntr_init_attr attr = {
		.type = IBV_COMP_CNTR_TYPE_WRS,
	};
	struct ibv_comp_cntr_caps caps = {};
	struct ibv_comp_cntr **cntrs;
	uint32_t nr = 0;

	assert_int_equal(ibv_query_comp_cntr_caps(fixture.ctx, &caps), 0);
	cntrs = calloc(caps.max_counters + 1, sizeof(struct ibv_comp_cntr *));
	assert_non_null(cntrs);
	while (nr <= caps.max_counters) {
		cntrs[nr] = ibv_create_comp_cntr(fixture.ctx, &attr);
		if (!cntrs[nr])
			break;
		nr++;
	}
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(nr, caps.max_counters);
	while (nr)
		assert_int_equal(ibv_destroy_comp_cntr(cntrs[--nr]), 0);
	free(cntrs);
}

static void comp_cntr_changed_members_are_refused(void **state)
{
	struct ibv_comp_cntr *cntr = new_cntr(IBV_COMP_CNTR_TYPE_WRS);
	uint32_t handle = cntr->handle;
	uint64_t value;

	cntr->handle++;
	assert_int_equal(ibv_read_comp_cntr(cntr, &value), ENOENT);
	assert_int_equal(ibv_inc_comp_cntr(cntr, 1), ENOENT);
	assert_int_equal(attach(rig.left, cntr, SEND), ENOENT);
	assert_int_equal(ibv_destroy_comp_cntr(cntr), ENOENT);
	cntr->handle = handle;
	assert_int_equal(read_number(cntr, false), 0);
}

/* -- another process of the host -- */

/* It can access memory of this process without a packet. */
static void comp_cntr_counts_writes_of_another_process(void **state)
{
	struct ibv_comp_cntr *written = attach_new(rig.left, REMOTE_WRITE);
	struct export_request request = {
		.what = EXPORT_WRITE,
		.address = (uintptr_t)fixture.memory,
		.rkey = fixture.mr->rkey,
	};
	struct exporter exporter;

	exporter_start(&exporter, NULL);
	exporter_connect(&exporter, rig.left);
	for (uint8_t i = 1; i <= 10; i++) {
		request.value = i;
		assert_int_equal(exporter_tell(&exporter, &request),
				 IBV_WC_SUCCESS);
		expect(written, i);
		/* TSan does not see that the other process waits for this */
		assert_int_equal(
			__atomic_load_n(&fixture.memory[7], __ATOMIC_RELAXED),
			i);
	}
	(void)close(exporter.cmd_fd);
	exporter_stop(&exporter);
}

#define RIG_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(comp_cntr_caps_have_all_operations),
		RIG_TEST(comp_cntr_counts_each_operation),
		RIG_TEST(comp_cntr_follows_data),
		RIG_TEST(comp_cntr_counts_bytes),
		RIG_TEST(comp_cntr_counts_immediate_as_write_and_receive),
		RIG_TEST(comp_cntr_counts_unsignaled_request),
		RIG_TEST(comp_cntr_counts_failed_and_flushed_requests),
		RIG_TEST(comp_cntr_ignores_operations_without_counter),
		RIG_TEST(comp_cntr_adds_up_qps),
		RIG_TEST(comp_cntr_adds_up_threads),
		RIG_TEST(comp_cntr_counts_datagrams),
		RIG_TEST(comp_cntr_reset_of_qp_keeps_counter),
		RIG_TEST(comp_cntr_attach_needs_reset_or_init),
		RIG_TEST(comp_cntr_operations_must_not_overlap),
		RIG_TEST(comp_cntr_attach_refuses_no_and_unknown_operations),
		RIG_TEST(comp_cntr_attached_counter_is_busy),
		RIG_TEST(comp_cntr_is_set_and_incremented),
		RIG_TEST(comp_cntr_creation_is_limited),
		RIG_TEST(comp_cntr_changed_members_are_refused),
		RIG_TEST(comp_cntr_counts_writes_of_another_process),
	};

	if (argc > 1)
		return export_main(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
