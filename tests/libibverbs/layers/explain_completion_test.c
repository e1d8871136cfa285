/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sentences about completions with an error, on the user-space device with
 * VERBS_EXPLAIN=1. fixture.left is the requester.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libibverbs/layers/explain_fixture.h"
#include "providers/uroce/program/verbs_fixture.h"

static void qp_set_state(struct ibv_qp *qp, enum ibv_qp_state qp_state)
{
	struct ibv_qp_attr attr = { .qp_state = qp_state };

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
}

/* Moves a QP from RTR to RTS with the shortest timeout. */
static void qp_to_rts_impatient(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 1,
		.retry_cnt = 1,
		.rnr_retry = 0,
		.max_rd_atomic = 1,
	};

	assert_int_equal(
		ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				      IBV_QP_MAX_QP_RD_ATOMIC),
		0);
}

static void left_connect_impatient(void)
{
	qp_set_state(fixture.left, IBV_QPS_RESET);
	fixture_to_init(fixture.left);
	fixture_to_rtr(fixture.left, fixture.right);
	qp_to_rts_impatient(fixture.left);
}

static void left_post(enum ibv_wr_opcode opcode, uint64_t wr_id, uint32_t bytes,
		      uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = opcode, .wr_id = wr_id };

	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = rkey;
	assert_int_equal(
		fixture_post(fixture.left, wr, fixture.memory + 4096, bytes),
		0);
}

static void right_post_receive(uint32_t bytes, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory, bytes, lkey };
	struct ibv_recv_wr wr = { .wr_id = 0x55,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_recv_wr *bad;

	assert_int_equal(ibv_post_recv(fixture.right, &wr, &bad), 0);
}

static void assert_status(enum ibv_wc_status status)
{
	assert_int_equal(fixture_poll(fixture.cq).status, status);
}

static void retry_exc_peer_silent_names_timeout(void **state)
{
	char peer[64];

	qp_set_state(fixture.right, IBV_QPS_RESET);
	left_connect_impatient();
	left_post(IBV_WR_SEND, 0x31, 8, 0);
	assert_status(IBV_WC_RETRY_EXC_ERR);
	(void)snprintf(peer, sizeof(peer),
		       "Peer: QP 0x%x, GID ::ffff:127.0.0.1",
		       fixture.right->qp_num);
	assert_explained("completion of QP 0x", "(RC, uroce_lo), wr_id 0x31",
			 "RETRY_EXC_ERR (12)",
			 "timeout is 1 (0.008 ms), retry_cnt 1",
			 "SEND, 8 bytes", peer,
			 "Cause: the packet with PSN 0x000000 was not "
			 "acknowledged after 1 retransmissions.",
			 NULL);
}

static void rnr_retry_exc_no_receive_names_counter(void **state)
{
	left_connect_impatient();
	left_post(IBV_WR_SEND, 1, 8, 0);
	assert_status(IBV_WC_RNR_RETRY_EXC_ERR);
	assert_explained("RNR_RETRY_EXC_ERR (13)", "no receive request",
			 "rnr_retry of this QP, which is 0",
			 "Cause: the peer responded to the packet with PSN "
			 "0x000000 with an RNR NAK, after 0 retransmissions.",
			 NULL);
}

static void remote_access_rkey_wrong_names_right(void **state)
{
	char rkey[32];

	left_post(IBV_WR_RDMA_READ, 2, 8, fixture.mr->rkey + 1000);
	assert_status(IBV_WC_REM_ACCESS_ERR);
	(void)snprintf(rkey, sizeof(rkey), "rkey 0x%x",
		       fixture.mr->rkey + 1000);
	assert_explained("REM_ACCESS_ERR (10)", "the rkey is not valid there",
			 "IBV_ACCESS_REMOTE_READ", "RDMA_READ, 8 bytes", rkey,
			 "Cause: the peer responded to the packet with PSN "
			 "0x000000 with the NAK code 2 (remote access error).",
			 NULL);
}

static void remote_invalid_message_too_long_is_named(void **state)
{
	const char *text;

	right_post_receive(4, fixture.mr->lkey);
	left_post(IBV_WR_SEND, 3, 8, 0);
	for (int i = 0; i < 2; i++)
		(void)fixture_poll(fixture.cq);
	text = explain_capture_take();
	assert_non_null(strstr(text, "the message is longer than the receive "
				     "request of the peer"));
	assert_non_null(strstr(text, "with the NAK code 1 (invalid request)"));
	assert_non_null(strstr(text, "a request of the peer was refused: its "
				     "packet with PSN 0x000000, NAK code 1 "
				     "(invalid request): the message is longer "
				     "than the receive request."));
}

/* Both ends fail: the responder's receive request is flushed. */
static void check_refused(uint64_t remote_addr, uint32_t rkey,
			  const char *reason)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	char cause[200];

	wr.wr.rdma.remote_addr = remote_addr;
	wr.wr.rdma.rkey = rkey;
	right_post_receive(4, fixture.mr->lkey);
	assert_int_equal(fixture_post(fixture.left, wr, fixture.memory, 8), 0);
	for (int i = 0; i < 2; i++)
		(void)fixture_poll(fixture.cq);
	(void)snprintf(cause, sizeof(cause),
		       "a request of the peer was refused: its packet with PSN "
		       "0x000000, NAK code 2 (remote access error): %s.",
		       reason);
	assert_non_null(strstr(explain_capture_take(), cause));
}

static void responder_rkey_unknown_names_check(void **state)
{
	check_refused((uintptr_t)fixture.memory, fixture.mr->rkey + 1000,
		      "no region or window has the rkey");
}

static void responder_range_too_long_names_check(void **state)
{
	check_refused((uintptr_t)fixture.memory + FIXTURE_BYTES - 4,
		      fixture.mr->rkey,
		      "the addresses are not all in the region or window");
}

static void responder_right_missing_names_check(void **state)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, 8, 0);

	assert_non_null(mr);
	check_refused((uintptr_t)fixture.memory, mr->rkey,
		      "no access right, or the window is of another QP");
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void remote_op_error_names_peer_receive(void **state)
{
	right_post_receive(64, fixture.mr->lkey + 1000);
	left_post(IBV_WR_SEND, 3, 8, 0);
	for (int i = 0; i < 2; i++)
		(void)fixture_poll(fixture.cq);
	assert_non_null(strstr(explain_capture_take(), "REM_OP_ERR (11)"));
}

static void local_prot_lkey_wrong_names_sge(void **state)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory, 16,
			       fixture.mr->lkey + 1000 };
	struct ibv_send_wr wr = {
		.wr_id = 4, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND
	};
	struct ibv_send_wr *bad;
	char lkey[32];

	assert_int_equal(ibv_post_send(fixture.left, &wr, &bad), 0);
	assert_status(IBV_WC_LOC_PROT_ERR);
	(void)snprintf(lkey, sizeof(lkey), "lkey 0x%x", sge.lkey);
	assert_explained("LOC_PROT_ERR (4)", "its lkey is wrong", "16 bytes",
			 lkey, NULL);
}

static void flush_after_error_names_cause_once(void **state)
{
	left_post(IBV_WR_RDMA_WRITE, 5, 8, fixture.mr->rkey + 1000);
	assert_status(IBV_WC_REM_ACCESS_ERR);
	(void)explain_capture_take();
	for (int i = 0; i < 3; i++)
		left_post(IBV_WR_SEND, 6, 8, 0);
	for (int i = 0; i < 3; i++)
		assert_status(IBV_WC_WR_FLUSH_ERR);
	assert_explained("wr_id 0x6: WR_FLUSH_ERR (5)",
			 "the first error was REM_ACCESS_ERR of wr_id 0x5",
			 NULL);
}

static void flush_by_program_is_silent(void **state)
{
	qp_set_state(fixture.left, IBV_QPS_ERR);
	left_post(IBV_WR_SEND, 7, 8, 0);
	assert_status(IBV_WC_WR_FLUSH_ERR);
	assert_silent();
}

static void flush_after_reset_is_explained_again(void **state)
{
	for (int i = 0; i < 2; i++) {
		left_post(IBV_WR_RDMA_WRITE, 8, 8, fixture.mr->rkey + 1000);
		assert_status(IBV_WC_REM_ACCESS_ERR);
		(void)explain_capture_take();
		left_post(IBV_WR_SEND, 9, 8, 0);
		assert_status(IBV_WC_WR_FLUSH_ERR);
		assert_explained("the first error was REM_ACCESS_ERR of wr_id "
				 "0x8",
				 NULL);
		fixture_connect(fixture.left, fixture.right);
	}
}

static void request_wr_id_shared_keeps_only_common(void **state)
{
	right_post_receive(64, fixture.mr->lkey);
	left_post(IBV_WR_SEND, 10, 8, 0);
	for (int i = 0; i < 2; i++)
		assert_status(IBV_WC_SUCCESS);
	left_post(IBV_WR_RDMA_WRITE, 10, 8, fixture.mr->rkey + 1000);
	assert_status(IBV_WC_REM_ACCESS_ERR);
	assert_null(strstr(explain_capture_take(), "Send request with"));
}

static void poll_extended_cq_is_explained(void **state)
{
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 8 };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(fixture.ctx, &cq_attr);
	struct ibv_qp_init_attr qp_attr = {
		.cap = { 4, 4, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *old = fixture.left;
	struct ibv_poll_cq_attr poll_attr = {};
	int ret;

	assert_non_null(cq);
	qp_attr.send_cq = ibv_cq_ex_to_cq(cq);
	qp_attr.recv_cq = qp_attr.send_cq;
	fixture.left = ibv_create_qp(fixture.pd, &qp_attr);
	assert_non_null(fixture.left);
	fixture_connect(fixture.left, fixture.right);
	left_post(IBV_WR_RDMA_WRITE, 11, 8, fixture.mr->rkey + 1000);
	left_post(IBV_WR_SEND, 12, 8, 0);
	do
		ret = ibv_start_poll(cq, &poll_attr);
	while (ret == ENOENT);
	assert_int_equal(ret, 0);
	assert_explained("completion of QP 0x", "wr_id 0xb: REM_ACCESS_ERR",
			 NULL);
	while (ibv_next_poll(cq) == ENOENT) {
		ibv_end_poll(cq);
		while (ibv_start_poll(cq, &poll_attr) == ENOENT)
			;
		break;
	}
	assert_explained("wr_id 0xc: WR_FLUSH_ERR", NULL);
	ibv_end_poll(cq);
	assert_int_equal(ibv_destroy_qp(fixture.left), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	fixture.left = old;
}

static void completion_of_destroyed_qp_is_explained(void **state)
{
	struct ibv_context *ctx = fixture_open();

	/* the number of a QP belongs to a context */
	assert_int_equal(ibv_close_device(ctx), 0);
	left_post(IBV_WR_RDMA_WRITE, 13, 8, fixture.mr->rkey + 1000);
	assert_status(IBV_WC_REM_ACCESS_ERR);
	assert_explained("completion of QP 0x", NULL);
}

static bool thread_is_asleep(const char *tid)
{
	char path[64], stat[512] = "";
	const char *state;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%s/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(read(fd, stat, sizeof(stat) - 1) > 0);
	(void)close(fd);
	state = strrchr(stat, ')');
	return state && strncmp(state, ") S", 3) == 0;
}

/*
 * Waits until all other threads sleep. The sanitizer takes a lock while a
 * thread starts, and a child of fork() would find it locked for ever.
 */
static void wait_for_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
			continue;
		while (!thread_is_asleep(entry->d_name))
			(void)sched_yield();
	}
	(void)closedir(dir);
}

/* The child has the layer, but not the objects of its parent. */
static void fork_child_opens_own_device(void **state)
{
	int status;
	pid_t child;

	wait_for_threads();
	child = fork();
	if (child == 0) {
		struct ibv_context *ctx = fixture_open();

		if (ibv_create_cq(ctx, 1 << 30, NULL, NULL, 0))
			_exit(1);
		_exit(ibv_close_device(ctx));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_explained("ibv_create_cq(uroce_lo)", NULL);
}

static void handler_poll_flushed(int number)
{
	struct ibv_wc wc[4];

	(void)ibv_poll_cq(fixture.cq, 4, wc);
}

/* The timer interrupts the thread also where it changes a record. */
static void signal_handler_polls_while_thread_modifies(void **state)
{
	const struct itimerval once = { {}, { 0, 20 } };
	struct sigaction action = { .sa_handler = handler_poll_flushed,
				    .sa_flags = SA_RESTART };

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	qp_set_state(fixture.left, IBV_QPS_ERR);
	for (int i = 0; i < 2000; i++) {
		struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
		struct ibv_send_wr *bad;

		/* ENOMEM, if the handler did not poll meanwhile */
		(void)ibv_post_send(fixture.left, &wr, &bad);
		assert_int_equal(setitimer(ITIMER_REAL, &once, NULL), 0);
		for (int j = 0; j < 20; j++)
			qp_set_state(fixture.right, IBV_QPS_ERR);
	}
	action.sa_handler = SIG_IGN;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	(void)explain_capture_take();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		explain_test(retry_exc_peer_silent_names_timeout),
		explain_test(rnr_retry_exc_no_receive_names_counter),
		explain_test(remote_access_rkey_wrong_names_right),
		explain_test(remote_invalid_message_too_long_is_named),
		explain_test(responder_rkey_unknown_names_check),
		explain_test(responder_range_too_long_names_check),
		explain_test(responder_right_missing_names_check),
		explain_test(remote_op_error_names_peer_receive),
		explain_test(local_prot_lkey_wrong_names_sge),
		explain_test(flush_after_error_names_cause_once),
		explain_test(flush_by_program_is_silent),
		explain_test(flush_after_reset_is_explained_again),
		explain_test(request_wr_id_shared_keeps_only_common),
		explain_test(poll_extended_cq_is_explained),
		explain_test(completion_of_destroyed_qp_is_explained),
		explain_test(fork_child_opens_own_device),
		explain_test(signal_handler_polls_while_thread_modifies),
	};

	return own_process_run_group_tests(tests);
}
