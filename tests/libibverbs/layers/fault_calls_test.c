/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls that the layer fault makes fail, slow or short. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libibverbs/layers/fault_fixture.h"

/* ------------------------------------------------------------------------ */
/* errno=                                                                    */
/* ------------------------------------------------------------------------ */

/* The first call with each object fails, the second one does not. */
#define ENODEV_ONCE(call) "errno=ENODEV @ nth=1,call=" call ";"

static const char each_call_once[] = ENODEV_ONCE("query_device") ENODEV_ONCE(
	"query_port") ENODEV_ONCE("query_gid") ENODEV_ONCE("query_pkey")
	ENODEV_ONCE("create_comp_channel") ENODEV_ONCE("alloc_pd") ENODEV_ONCE(
		"dealloc_pd") ENODEV_ONCE("reg_mr") ENODEV_ONCE("dereg_mr")
		ENODEV_ONCE("alloc_mw") ENODEV_ONCE("dealloc_mw") ENODEV_ONCE(
			"create_ah") ENODEV_ONCE("destroy_ah")
			ENODEV_ONCE("create_cq") ENODEV_ONCE(
				"resize_cq") ENODEV_ONCE("destroy_cq")
				ENODEV_ONCE("create_srq") ENODEV_ONCE(
					"modify_srq") ENODEV_ONCE("query_srq")
					ENODEV_ONCE("destroy_srq") ENODEV_ONCE(
						"create_qp") ENODEV_ONCE("modif"
									 "y_qp")
						ENODEV_ONCE("query_qp")
							ENODEV_ONCE(
								"destroy_qp");

/* A call that returns an errno. */
#define assert_fails_once(call)                  \
	do {                                     \
		errno = 0;                       \
		assert_int_equal(call, ENODEV);  \
		assert_int_equal(errno, ENODEV); \
		assert_int_equal(call, 0);       \
	} while (0)

/* A call that returns an object. */
#define assert_null_once(call, result)           \
	do {                                     \
		errno = 0;                       \
		assert_null(call);               \
		assert_int_equal(errno, ENODEV); \
		(result) = call;                 \
		assert_non_null(result);         \
	} while (0)

static void call_query_errno_is_returned_once(void **state)
{
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	__be16 pkey;

	fault_use(each_call_once);
	ctx = fixture_open();
	assert_fails_once(ibv_query_device(ctx, &attr));
	assert_fails_once(ibv_query_port(ctx, 1, &port));
	assert_int_equal(ibv_query_gid(ctx, 1, 0, &gid), -1);
	assert_int_equal(errno, ENODEV);
	assert_int_equal(ibv_query_gid(ctx, 1, 0, &gid), 0);
	assert_int_equal(ibv_query_pkey(ctx, 1, 0, &pkey), -1);
	assert_int_equal(errno, ENODEV);
	assert_int_equal(ibv_query_pkey(ctx, 1, 0, &pkey), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* Makes and destroys a QP and an SRQ with @cq. */
static void check_queues(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { 4, 1, 0 } };
	struct ibv_qp_init_attr init = { .send_cq = cq,
					 .recv_cq = cq,
					 .cap = { 4, 4, 1, 1, 0 },
					 .qp_type = IBV_QPT_RC };
	struct ibv_srq_attr limit = { .srq_limit = 1 };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_srq *srq;
	struct ibv_qp *qp;

	assert_null_once(ibv_create_srq(pd, &srq_attr), srq);
	assert_fails_once(ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	assert_fails_once(ibv_query_srq(srq, &limit));
	assert_fails_once(ibv_destroy_srq(srq));
	assert_null_once(ibv_create_qp(pd, &init), qp);
	assert_fails_once(ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	assert_fails_once(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	assert_fails_once(ibv_destroy_qp(qp));
}

static void check_memory(struct ibv_pd *pd)
{
	static char memory[64];
	struct ibv_mr *mr;
	struct ibv_mw *mw;

	assert_null_once(ibv_reg_mr(pd, memory, sizeof(memory), 0), mr);
	assert_fails_once(ibv_dereg_mr(mr));
	assert_null_once(ibv_alloc_mw(pd, IBV_MW_TYPE_1), mw);
	assert_fails_once(ibv_dealloc_mw(mw));
}

/* The address handle needs the GID, which it looks up first. */
static void check_address(struct ibv_pd *pd)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .sgid_index = fixture_gid_index() },
	};
	struct ibv_ah *ah;
	union ibv_gid gid;

	(void)ibv_query_gid(pd->context, 1, 0, &gid); /* fails once */
	assert_int_equal(ibv_query_gid(pd->context, 1, fixture_gid_index(),
				       &attr.grh.dgid),
			 0);
	assert_null_once(ibv_create_ah(pd, &attr), ah);
	assert_fails_once(ibv_destroy_ah(ah));
}

static void call_create_and_destroy_errno_is_returned_once(void **state)
{
	struct ibv_context *ctx;
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct ibv_cq *cq;

	fault_use(each_call_once);
	ctx = fixture_open();
	assert_null_once(ibv_create_comp_channel(ctx), channel);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
	assert_null_once(ibv_alloc_pd(ctx), pd);
	check_memory(pd);
	check_address(pd);
	assert_null_once(ibv_create_cq(ctx, 8, NULL, NULL, 0), cq);
	assert_fails_once(ibv_resize_cq(cq, 16));
	check_queues(pd, cq);
	assert_fails_once(ibv_destroy_cq(cq));
	assert_fails_once(ibv_dealloc_pd(pd));
	assert_int_equal(ibv_close_device(ctx), 0);
}

static void call_post_errno_posts_nothing(void **state)
{
	fault_start("errno=EAGAIN @ call=post_send,nth=2;"
		    "errno=ENOMEM @ call=post_recv,nth=1,qp=2");
	assert_int_equal(fault_post_recv(fixture.right, 1), ENOMEM);
	assert_log("verbs-fault: rule 2, ibv_post_recv, QP 2, event 1: "
		   "errno=ENOMEM @ call=post_recv,nth=1,qp=2\n");
	assert_int_equal(fault_post_recv(fixture.right, 2), 0);
	assert_int_equal(fault_post_recv(fixture.right, 3), 0);
	assert_int_equal(fault_post(fixture.left, 4), 0);
	assert_int_equal(fault_post(fixture.left, 5), EAGAIN);
	assert_log("verbs-fault: rule 1, ibv_post_send, QP 1, event 2: "
		   "errno=EAGAIN @ call=post_send,nth=2\n");
	assert_int_equal(fault_post(fixture.left, 6), 0);
	for (int i = 0; i < 4; i++)
		assert_int_not_equal(fixture_poll(fixture.cq).wr_id, 5);
	assert_int_equal(ibv_poll_cq(fixture.cq, 1, &(struct ibv_wc){}), 0);
	fault_stop();
}

/* The layers do not explain what the provider has not done. */
static void call_errno_is_not_reported_by_layers(void **state)
{
	fault_use("errno=ENOMEM @ call=post_send,limit=1;"
		  "errno=EBUSY @ call=destroy_cq,limit=1");
	assert_int_equal(setenv("VERBS_LAYERS", "explain,validate,fault", 1),
			 0);
	(void)fixture_setup(state);
	assert_int_equal(fault_post(fixture.left, 1), ENOMEM);
	assert_log("verbs-fault: rule 1, ibv_post_send, QP 1, event 1: "
		   "errno=ENOMEM @ call=post_send,limit=1\n");
	assert_int_equal(ibv_destroy_cq(fixture.cq), EBUSY);
	assert_log("verbs-fault: rule 2, ibv_destroy_cq, CQ 1, event 1: "
		   "errno=EBUSY @ call=destroy_cq,limit=1\n");
	fault_stop();
}

static void call_post_srq_recv_errno_posts_nothing(void **state)
{
	struct ibv_srq_init_attr attr = { .attr = { 4, 1, 0 } };
	struct ibv_recv_wr wrs[2] = { { .next = &wrs[1] } }, *bad = NULL;
	struct ibv_srq *srq;

	fault_start("errno=ENOSPC @ call=post_srq_recv,limit=1");
	srq = ibv_create_srq(fixture.pd, &attr);
	assert_non_null(srq);
	assert_int_equal(ibv_post_srq_recv(srq, wrs, &bad), ENOSPC);
	assert_ptr_equal(bad, wrs);
	assert_int_equal(ibv_post_srq_recv(srq, wrs, &bad), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	fault_stop();
}

/* ------------------------------------------------------------------------ */
/* Selectors                                                                 */
/* ------------------------------------------------------------------------ */

/* Return: whether a region of this length can be registered. */
static bool try_reg_mr(size_t length)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, length, 0);

	if (!mr)
		return false;
	assert_int_equal(ibv_dereg_mr(mr), 0);
	return true;
}

static void selector_every_and_limit_choose_events(void **state)
{
	/* The fixture registers a region, too. */
	fault_start("errno=ENOMEM @ call=reg_mr,every=3,limit=2");
	for (int event = 2; event <= 12; event++)
		assert_int_equal(try_reg_mr(1), event != 3 && event != 6);
	fault_stop();
}

static void selector_bytes_chooses_lengths(void **state)
{
	fault_start("errno=ENOMEM @ call=reg_mr,bytes=10-20");
	assert_true(try_reg_mr(9));
	assert_false(try_reg_mr(10));
	assert_false(try_reg_mr(20));
	assert_true(try_reg_mr(21));
	fault_stop();
}

static void selector_op_chooses_lists_with_operation(void **state)
{
	struct ibv_send_wr wrs[2] = { { .opcode = IBV_WR_SEND,
					.next = &wrs[1] },
				      { .opcode = IBV_WR_RDMA_WRITE } };
	struct ibv_send_wr *bad = NULL;

	fault_start("errno=EAGAIN @ call=post_send,op=RDMA_WRITE,bytes=0");
	assert_int_equal(fault_post_recv(fixture.right, 1), 0);
	assert_int_equal(fault_post(fixture.left, 2), 0);
	assert_int_equal(ibv_post_send(fixture.left, wrs, &bad), EAGAIN);
	assert_ptr_equal(bad, wrs);
	fault_stop();
}

static void selector_dev_chooses_device(void **state)
{
	fault_start("errno=ENOMEM @ call=reg_mr,dev=mlx5_0;"
		    "errno=EIO @ call=reg_mr,dev=uroce_lo,nth=2");
	assert_false(try_reg_mr(1));
	assert_int_equal(errno, EIO);
	assert_true(try_reg_mr(1));
	fault_stop();
}

static void selector_cq_chooses_queue(void **state)
{
	struct ibv_cq *other;

	fault_start("errno=EIO @ call=req_notify_cq,cq=2");
	other = ibv_create_cq(fixture.ctx, 1, NULL, NULL, 0);
	assert_non_null(other);
	assert_int_equal(ibv_req_notify_cq(fixture.cq, 0), 0);
	assert_int_equal(ibv_req_notify_cq(other, 0), EIO);
	assert_int_equal(ibv_destroy_cq(other), 0);
	fault_stop();
}

static void selector_after_leaves_first_events(void **state)
{
	fault_start("errno=EIO @ call=reg_mr,after=3600s;"
		    "errno=EBUSY @ call=reg_mr,after=0s,bytes=1");
	assert_false(try_reg_mr(1));
	assert_int_equal(errno, EBUSY);
	fault_stop();
}

/* Of 1000 events, about a tenth; the seed decides which. */
static unsigned int count_refused(const char *settings)
{
	unsigned int nr = 0;

	fault_start(settings);
	for (int i = 0; i < 1000; i++)
		nr += !try_reg_mr(1);
	fault_stop();
	return nr;
}

static void selector_p_chooses_share_of_events(void **state)
{
	unsigned int nr = count_refused(
		"seed=5; log=/dev/null; errno=EIO @ call=reg_mr,p=10%,bytes=1");

	assert_in_range(nr, 60, 140);
}

static void selector_p_zero_chooses_no_event(void **state)
{
	assert_int_equal(count_refused("errno=EIO @ call=reg_mr,p=0"), 0);
}

/* ------------------------------------------------------------------------ */
/* Other actions                                                             */
/* ------------------------------------------------------------------------ */

static uint64_t now_ns(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void action_delay_lasts_at_least_minimum(void **state)
{
	uint64_t start;

	fault_start("delay=20ms..30ms @ call=reg_mr,nth=2");
	start = now_ns();
	assert_true(try_reg_mr(1));
	assert_true(now_ns() - start >= 20000000);
	fault_stop();
}

static void action_delay_status_is_after_completion(void **state)
{
	uint64_t start;

	fault_start("delay=20ms @ call=poll_cq,status=SUCCESS,nth=1");
	assert_int_equal(ibv_poll_cq(fixture.cq, 1, &(struct ibv_wc){}), 0);
	assert_log("");
	start = now_ns();
	assert_int_equal(fixture_write(fixture.memory,
				       (uintptr_t)fixture.memory + 64,
				       fixture.mr->rkey),
			 IBV_WC_SUCCESS);
	assert_true(now_ns() - start >= 20000000);
	fault_stop();
}

static void action_short_limits_completions(void **state)
{
	unsigned int nr_polls = 0;
	struct ibv_wc wc[4];

	/* limit= counts polls, also those that find nothing */
	fault_start("short=1 @ call=poll_cq,limit=3");
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(fault_post_recv(fixture.right, i), 0);
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(fault_post(fixture.left, i), 0);
	for (unsigned int i = 0; i < 8;) {
		int nr = ibv_poll_cq(fixture.cq, 4, wc);

		assert_in_range(nr, 0, nr_polls++ < 3 ? 1 : 4);
		i += (unsigned int)nr;
	}
	fault_stop();
}

static void action_disarm_loses_event(void **state)
{
	struct ibv_comp_channel *channel;
	struct ibv_qp *qp;
	struct ibv_cq *cq, *event_cq;
	void *context;

	fault_start("disarm @ cq=2,nth=1");
	channel = ibv_create_comp_channel(fixture.ctx);
	assert_non_null(channel);
	cq = ibv_create_cq(fixture.ctx, 8, NULL, channel, 0);
	assert_non_null(cq);
	qp = ibv_create_qp(fixture.pd,
			   &(struct ibv_qp_init_attr){ .send_cq = cq,
						       .recv_cq = fixture.cq,
						       .cap = { 4, 4, 1, 1, 0 },
						       .qp_type = IBV_QPT_RC });
	assert_non_null(qp);
	fixture_connect(qp, fixture.right);
	assert_int_equal(fault_post_recv(fixture.right, 1), 0);
	assert_int_equal(fault_post_recv(fixture.right, 2), 0);
	for (uint64_t i = 0; i < 2; i++) {
		assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
		assert_int_equal(fault_post(qp, i), 0);
		(void)fixture_poll(cq);
	}
	/* an event may follow its completion; that of the first one is lost */
	assert_int_equal(ibv_get_cq_event(channel, &event_cq, &context), 0);
	assert_int_equal(poll(&(struct pollfd){ channel->fd, POLLIN, 0 }, 1, 0),
			 0);
	ibv_ack_cq_events(cq, 1);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
	fault_stop();
}

static void action_cqe_makes_smaller_queue(void **state)
{
	struct ibv_cq *large, *small;

	fault_start("cqe=8 @ call=create_cq,nth=2");
	large = ibv_create_cq(fixture.ctx, 1000, NULL, NULL, 0);
	small = ibv_create_cq(fixture.ctx, 8, NULL, NULL, 0);
	assert_non_null(large);
	assert_non_null(small);
	assert_int_equal(large->cqe, small->cqe);
	assert_int_equal(ibv_destroy_cq(large), 0);
	assert_int_equal(ibv_destroy_cq(small), 0);
	fault_stop();
}

/* ------------------------------------------------------------------------ */
/* Settings and log                                                          */
/* ------------------------------------------------------------------------ */

static char folder[] = "/tmp/fault.XXXXXX";

static const char *folder_path(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int folder_setup(void **state)
{
	assert_non_null(mkdtemp(folder));
	return 0;
}

static int folder_teardown(void **state)
{
	(void)unlink(folder_path("file"));
	return rmdir(folder);
}

static void settings_wrong_leave_program_alone(void **state)
{
	fault_use("seed=1; errno=ENOMEM @ call=reg_mr,nth=x");
	assert_int_equal(ibv_close_device(fixture_open()), 0);
	assert_log("libibverbs: VERBS_FAULT: line 1, column 36: \"nth=x\": "
		   "nth= needs a number, from 1; there are no faults\n");
}

static void settings_missing_leave_program_alone(void **state)
{
	fault_use("");
	assert_int_equal(ibv_close_device(fixture_open()), 0);
	assert_log("libibverbs: VERBS_FAULT: not set; there are no faults\n");
}

static void settings_file_is_read(void **state)
{
	char setting[PATH_MAX];
	FILE *file = fopen(folder_path("file"), "we");

	assert_non_null(file);
	assert_true(fputs("# a plan\nseed=1\nerrno=EIO @ call=reg_mr,nth=2\n",
			  file) >= 0);
	assert_int_equal(fclose(file), 0);
	(void)snprintf(setting, sizeof(setting), "@%s", folder_path("file"));
	fault_start(setting);
	assert_false(try_reg_mr(1));
	assert_log("verbs-fault: rule 1, ibv_reg_mr, context 1, event 2: "
		   "errno=EIO @ call=reg_mr,nth=2\n");
	fault_stop();
}

static void settings_file_missing_leaves_program_alone(void **state)
{
	fault_use("@/nonexistent");
	assert_int_equal(ibv_close_device(fixture_open()), 0);
	assert_log("libibverbs: VERBS_FAULT: cannot read /nonexistent: No such "
		   "file or directory; there are no faults\n");
}

static void log_file_is_private(void **state)
{
	char setting[PATH_MAX + 64];
	struct stat stat;
	char line[128];
	FILE *file;

	(void)snprintf(setting, sizeof(setting),
		       "log=%s; errno=EIO @ call=reg_mr,bytes=1",
		       folder_path("file"));
	fault_start(setting);
	assert_false(try_reg_mr(1));
	assert_log("");
	file = fopen(folder_path("file"), "re");
	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &stat), 0);
	assert_int_equal(stat.st_mode & 0777, 0600);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line,
			    "verbs-fault: rule 1, ibv_reg_mr, context 1, event "
			    "1: errno=EIO @ call=reg_mr,bytes=1\n");
	assert_int_equal(fclose(file), 0);
	fault_stop();
}

#define fault_test_with_folder(function) \
	cmocka_unit_test_setup_teardown(function, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_query_errno_is_returned_once),
		cmocka_unit_test(
			call_create_and_destroy_errno_is_returned_once),
		cmocka_unit_test(call_post_errno_posts_nothing),
		cmocka_unit_test(call_errno_is_not_reported_by_layers),
		cmocka_unit_test(call_post_srq_recv_errno_posts_nothing),
		cmocka_unit_test(selector_every_and_limit_choose_events),
		cmocka_unit_test(selector_bytes_chooses_lengths),
		cmocka_unit_test(selector_op_chooses_lists_with_operation),
		cmocka_unit_test(selector_dev_chooses_device),
		cmocka_unit_test(selector_cq_chooses_queue),
		cmocka_unit_test(selector_after_leaves_first_events),
		cmocka_unit_test(selector_p_chooses_share_of_events),
		cmocka_unit_test(selector_p_zero_chooses_no_event),
		cmocka_unit_test(action_delay_lasts_at_least_minimum),
		cmocka_unit_test(action_delay_status_is_after_completion),
		cmocka_unit_test(action_short_limits_completions),
		cmocka_unit_test(action_disarm_loses_event),
		cmocka_unit_test(action_cqe_makes_smaller_queue),
		cmocka_unit_test(settings_wrong_leave_program_alone),
		cmocka_unit_test(settings_missing_leave_program_alone),
		fault_test_with_folder(settings_file_is_read),
		cmocka_unit_test(settings_file_missing_leaves_program_alone),
		fault_test_with_folder(log_file_is_private),
	};

	return own_process_run_group_tests(tests);
}
