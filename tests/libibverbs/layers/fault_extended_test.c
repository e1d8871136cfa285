/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Faults of programs that post with ibv_wr_start(3) and poll with
 * ibv_start_poll(3). Requests of left go to right.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "libibverbs/layers/fault_fixture.h"

#define OPS                                                               \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
	 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |             \
	 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_READ |        \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |                            \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)

#define SOURCE (fixture.memory + FIXTURE_BYTES / 2)

static struct ibv_cq_ex *cq_ex; /* of left */
static struct ibv_qp_ex *left;

/* @wc_flags: of the CQ of left; @max_inline: bytes */
static void extended_start(const char *settings, uint64_t wc_flags,
			   uint32_t max_inline)
{
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 32,
					       .wc_flags = wc_flags };
	struct ibv_qp_init_attr_ex attr = {
		.cap = { 8, 8, 2, 2, max_inline },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = OPS,
	};
	struct ibv_qp_attr access = {
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};
	struct ibv_qp *qp;

	fault_start(settings);
	cq_ex = ibv_create_cq_ex(fixture.ctx, &cq_attr);
	assert_non_null(cq_ex);
	attr.pd = fixture.pd;
	attr.send_cq = ibv_cq_ex_to_cq(cq_ex);
	attr.recv_cq = attr.send_cq;
	qp = ibv_create_qp_ex(fixture.ctx, &attr);
	assert_non_null(qp);
	left = ibv_qp_to_qp_ex(qp);
	assert_non_null(left);
	fixture_connect(qp, fixture.right);
	assert_int_equal(
		ibv_modify_qp(fixture.right, &access, IBV_QP_ACCESS_FLAGS), 0);
	memset(SOURCE, 0xaa, FIXTURE_BYTES / 2);
}

static void extended_stop(void)
{
	assert_int_equal(ibv_destroy_qp(&left->qp_base), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex)), 0);
	fault_stop();
}

/* Adds a WRITE of 8 bytes, number @wr_id of the memory. */
static void add_write(uint64_t wr_id)
{
	left->wr_id = wr_id;
	left->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(left, fixture.mr->rkey,
			  (uintptr_t)(fixture.memory + 8 * wr_id));
	ibv_wr_set_sge(left, fixture.mr->lkey, (uintptr_t)SOURCE, 8);
}

static int post_writes(uint64_t first, uint64_t last)
{
	ibv_wr_start(left);
	for (uint64_t i = first; i <= last; i++)
		add_write(i);
	return ibv_wr_complete(left);
}

static bool was_written(uint64_t wr_id)
{
	return fixture.memory[8 * wr_id] == 0xaa;
}

static void poll_start(void)
{
	struct ibv_poll_cq_attr attr = {};
	int ret;

	do
		ret = ibv_start_poll(cq_ex, &attr);
	while (ret == ENOENT);
	assert_int_equal(ret, 0);
}

static void assert_completion(uint64_t wr_id, enum ibv_wc_status status,
			      enum ibv_wc_opcode opcode)
{
	poll_start();
	assert_int_equal(cq_ex->wr_id, wr_id);
	assert_int_equal(cq_ex->status, status);
	assert_int_equal(ibv_wc_read_opcode(cq_ex), opcode);
	ibv_end_poll(cq_ex);
}

static void assert_write(uint64_t wr_id, enum ibv_wc_status status)
{
	assert_completion(wr_id, status, IBV_WC_RDMA_WRITE);
}

static void assert_no_completion(void)
{
	struct ibv_poll_cq_attr attr = {};

	assert_int_equal(ibv_start_poll(cq_ex, &attr), ENOENT);
}

/* ------------------------------------------------------------------------ */
/* Completion errors                                                         */
/* ------------------------------------------------------------------------ */

static void request_of_list_fails_and_later_ones_are_flushed(void **state)
{
	extended_start("wc=RETRY_EXC_ERR @ qp=3,nth=3", 0, 0);
	assert_int_equal(post_writes(1, 5), 0);
	assert_log("verbs-fault: rule 1, ibv_post_send, QP 3, event 3: "
		   "wc=RETRY_EXC_ERR @ qp=3,nth=3\n");
	assert_write(1, IBV_WC_SUCCESS);
	assert_write(2, IBV_WC_SUCCESS);
	assert_write(3, IBV_WC_RETRY_EXC_ERR);
	assert_write(4, IBV_WC_WR_FLUSH_ERR);
	assert_write(5, IBV_WC_WR_FLUSH_ERR);
	assert_no_completion();
	for (uint64_t i = 1; i <= 5; i++)
		assert_int_equal(was_written(i), i <= 2);
	extended_stop();
}

static void poll_continues_with_next(void **state)
{
	extended_start("wc=REM_OP_ERR @ qp=3,nth=2", 0, 0);
	assert_int_equal(post_writes(1, 2), 0);
	poll_start();
	assert_int_equal(cq_ex->wr_id, 1);
	while (ibv_next_poll(cq_ex) == ENOENT)
		;
	assert_int_equal(cq_ex->wr_id, 2);
	assert_int_equal(cq_ex->status, IBV_WC_REM_OP_ERR);
	assert_int_equal(ibv_next_poll(cq_ex), ENOENT);
	ibv_end_poll(cq_ex);
	extended_stop();
}

/* A full list is refused, whatever rules do. */
static void list_longer_than_queue_posts_nothing(void **state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	uint32_t max;

	extended_start("wc=REM_OP_ERR @ qp=3,nth=1000", 0, 0);
	assert_int_equal(ibv_query_qp(&left->qp_base, &attr, IBV_QP_CAP, &init),
			 0);
	max = init.cap.max_send_wr;
	assert_int_equal(post_writes(1, max - 1), 0);
	assert_int_equal(post_writes(max, max + 1), ENOMEM);
	for (uint64_t i = 1; i < max; i++)
		assert_write(i, IBV_WC_SUCCESS);
	assert_no_completion();
	assert_false(was_written(max));
	assert_int_equal(post_writes(1, max + 1), ENOMEM);
	assert_int_equal(post_writes(1, max), 0);
	extended_stop();
}

static void list_aborted_posts_nothing(void **state)
{
	extended_start("wc=REM_OP_ERR @ qp=3,nth=2", 0, 0);
	ibv_wr_start(left);
	add_write(1);
	add_write(2);
	ibv_wr_abort(left);
	assert_int_equal(post_writes(3, 4), 0);
	assert_write(3, IBV_WC_SUCCESS);
	assert_write(4, IBV_WC_REM_OP_ERR);
	assert_false(was_written(1));
	extended_stop();
}

/* ------------------------------------------------------------------------ */
/* Other rules: the provider's functions post the requests                   */
/* ------------------------------------------------------------------------ */

static void post_errno_posts_nothing(void **state)
{
	extended_start("errno=ENOMEM @ call=post_send,qp=3,nth=1;"
		       "errno=EAGAIN @ call=post_send,op=SEND",
		       0, 0);
	assert_int_equal(post_writes(1, 2), ENOMEM);
	assert_int_equal(post_writes(3, 4), 0);
	assert_write(3, IBV_WC_SUCCESS);
	assert_write(4, IBV_WC_SUCCESS);
	assert_no_completion();
	assert_false(was_written(1) || was_written(2));
	ibv_wr_start(left);
	add_write(5);
	ibv_wr_send(left);
	assert_int_equal(ibv_wr_complete(left), EAGAIN);
	assert_no_completion();
	extended_stop();
}

static void begin(uint64_t wr_id)
{
	left->wr_id = wr_id;
	left->wr_flags = IBV_SEND_SIGNALED;
}

/* Posts one request of each operation; the numbers are their order. */
static void post_each_operation(void)
{
	const struct ibv_sge sges[] = {
		{ (uintptr_t)SOURCE, 4, fixture.mr->lkey },
		{ (uintptr_t)SOURCE + 4, 4, fixture.mr->lkey },
	};
	char text[] = "abcdef";
	struct ibv_data_buf bufs[] = { { text, 2 }, { text + 2, 2 } };
	uint64_t to = (uintptr_t)fixture.memory;
	uint32_t rkey = fixture.mr->rkey, lkey = fixture.mr->lkey;

	ibv_wr_start(left);
	begin(1);
	ibv_wr_rdma_write(left, rkey, to);
	ibv_wr_set_sge_list(left, 2, sges);
	begin(2);
	ibv_wr_rdma_write(left, rkey, to + 8);
	ibv_wr_set_inline_data_list(left, 2, bufs);
	begin(3);
	ibv_wr_rdma_read(left, rkey, (uintptr_t)SOURCE);
	ibv_wr_set_sge(left, lkey, to + 16, 8);
	begin(4);
	ibv_wr_atomic_fetch_add(left, rkey, to + 24, 5);
	ibv_wr_set_sge(left, lkey, to + 32, 8);
	begin(5);
	ibv_wr_atomic_cmp_swp(left, rkey, to + 24, 5, 7);
	ibv_wr_set_sge(left, lkey, to + 40, 8);
	begin(6);
	ibv_wr_send_imm(left, htobe32(66));
	begin(7);
	ibv_wr_rdma_write(left, rkey, to + 12);
	ibv_wr_set_inline_data(left, text + 4, 2);
	begin(8);
	ibv_wr_rdma_write_imm(left, rkey, to + 48, htobe32(77));
	ibv_wr_set_sge(left, lkey, (uintptr_t)SOURCE, 8);
	memset(text, 0, sizeof(text));
	assert_int_equal(ibv_wr_complete(left), 0);
	assert_int_equal(left->wr_id, 8);
}

static void assert_each_operation(void)
{
	static const enum ibv_wc_opcode opcodes[] = {
		IBV_WC_RDMA_WRITE, IBV_WC_RDMA_WRITE, IBV_WC_RDMA_READ,
		IBV_WC_FETCH_ADD,  IBV_WC_COMP_SWAP,  IBV_WC_SEND,
		IBV_WC_RDMA_WRITE, IBV_WC_RDMA_WRITE,
	};
	const uint8_t *memory = fixture.memory;
	uint64_t sum;

	for (uint64_t i = 1; i <= 8; i++)
		assert_completion(i, IBV_WC_SUCCESS, opcodes[i - 1]);
	assert_int_equal(fixture_poll(fixture.cq).imm_data, htobe32(66));
	assert_int_equal(fixture_poll(fixture.cq).imm_data, htobe32(77));
	assert_memory_equal(memory, SOURCE, 8);
	assert_memory_equal(memory + 8, "abcdef", 6);
	assert_memory_equal(memory + 16, SOURCE, 8);
	memcpy(&sum, memory + 24, sizeof(sum));
	assert_int_equal(sum, 7);
	assert_memory_equal(memory + 48, SOURCE, 8);
}

static void check_each_operation(const char *settings)
{
	extended_start(settings, 0, 16);
	for (uint64_t i = 0; i < 2; i++)
		assert_int_equal(fault_post_recv(fixture.right, 100), 0);
	memset(fixture.memory, 0, 64);
	post_each_operation();
	assert_each_operation();
	extended_stop();
}

static void operations_are_executed_by_provider(void **state)
{
	check_each_operation("errno=ENOMEM @ call=post_send,nth=1000");
}

static void operations_are_executed_with_rule_on_requests(void **state)
{
	check_each_operation("wc=REM_OP_ERR @ qp=any,nth=1000");
}

static void device_fatal_refuses_list(void **state)
{
	extended_start("event=DEVICE_FATAL @ call=post_send,nth=1", 0, 0);
	assert_int_equal(post_writes(1, 2), 0);
	assert_write(1, IBV_WC_WR_FLUSH_ERR);
	assert_write(2, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(post_writes(3, 4), EIO);
	assert_no_completion();
	extended_stop();
}

/* ------------------------------------------------------------------------ */
/* Completion queues                                                         */
/* ------------------------------------------------------------------------ */

static void completion_members_are_those_of_poll_cq(void **state)
{
	struct ibv_send_wr wr = { .wr_id = 1,
				  .opcode = IBV_WR_SEND_WITH_IMM,
				  .imm_data = htobe32(5) };

	extended_start("wc=REM_OP_ERR @ qp=any,nth=1000", IBV_WC_STANDARD_FLAGS,
		       0);
	assert_int_equal(fault_post_recv(&left->qp_base, 9), 0);
	wr.send_flags = 0;
	assert_int_equal(fixture_post(fixture.right, wr, SOURCE, 0), 0);
	poll_start();
	assert_int_equal(cq_ex->wr_id, 9);
	assert_int_equal(ibv_wc_read_opcode(cq_ex), IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_wc_flags(cq_ex), IBV_WC_WITH_IMM);
	assert_int_equal(ibv_wc_read_imm_data(cq_ex), htobe32(5));
	assert_int_equal(ibv_wc_read_qp_num(cq_ex), left->qp_base.qp_num);
	assert_int_equal(ibv_wc_read_byte_len(cq_ex), 0);
	assert_int_equal(ibv_wc_read_vendor_err(cq_ex), 0);
	ibv_end_poll(cq_ex);
	extended_stop();
}

static void poll_delay_acts_on_start_poll(void **state)
{
	extended_start("delay=1us @ call=poll_cq,cq=2,nth=2", 0, 0);
	assert_no_completion();
	assert_no_completion();
	assert_log("verbs-fault: rule 1, ibv_poll_cq, CQ 2, event 2: "
		   "delay=1us @ call=poll_cq,cq=2,nth=2\n");
	extended_stop();
}

static void qp_with_time_stamps_is_left_alone(void **state)
{
	extended_start("wc=RETRY_EXC_ERR @ qp=3",
		       IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, 0);
	assert_log("verbs-fault: QP 3 has no faults of wc=: ibv_poll_cq() does "
		   "not return all members of its completions\n");
	assert_int_equal(post_writes(1, 1), 0);
	assert_write(1, IBV_WC_SUCCESS);
	extended_stop();
}

static void qp_with_operations_of_the_program_is_left_alone(void **state)
{
	struct ibv_qp *qp;

	fault_start("wc=RETRY_EXC_ERR @ qp=3");
	qp = fixture_new_qp_ex(IBV_QP_EX_WITH_RDMA_WRITE |
			       IBV_QP_EX_WITH_ATOMIC_WRITE);
	assert_log("verbs-fault: QP 3 has no faults of wc=: ibv_post_send() "
		   "does not have all of its operations\n");
	assert_int_equal(ibv_destroy_qp(qp), 0);
	fault_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			request_of_list_fails_and_later_ones_are_flushed),
		cmocka_unit_test(poll_continues_with_next),
		cmocka_unit_test(list_longer_than_queue_posts_nothing),
		cmocka_unit_test(list_aborted_posts_nothing),
		cmocka_unit_test(post_errno_posts_nothing),
		cmocka_unit_test(operations_are_executed_by_provider),
		cmocka_unit_test(operations_are_executed_with_rule_on_requests),
		cmocka_unit_test(device_fatal_refuses_list),
		cmocka_unit_test(completion_members_are_those_of_poll_cq),
		cmocka_unit_test(poll_delay_acts_on_start_poll),
		cmocka_unit_test(qp_with_time_stamps_is_left_alone),
		cmocka_unit_test(
			qp_with_operations_of_the_program_is_left_alone),
	};

	return own_process_run_group_tests(tests);
}
