/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The same seed has the same faults, whatever the order of threads: child
 * processes run eight threads, of which two share each QP and all register
 * memory. The lines of their logs are compared after they are sorted.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "providers/uroce/program/verbs_fixture.h"

#define NR_THREADS 8
#define NR_QPS	   4
#define NR_STEPS   200
#define MAX_LINES  4096

#define SEND_WR_ID 1
#define RECV_WR_ID 2

/*
 * How often a thread polls, and how many requests find a full queue, depends on
 * the time. Each rule acts before that makes a difference.
 */
static const char plan[] = "errno=EAGAIN @ call=post_send,p=0.1;"
			   "wc=RETRY_EXC_ERR @ op=RDMA_WRITE,nth=10;"
			   "errno=ENOMEM @ call=reg_mr,every=7,limit=20;"
			   "errno=ENOMEM @ call=post_recv,p=20%,limit=5;"
			   "delay=1us..20us @ call=poll_cq,p=0.05,limit=5";

/* A QP that several threads use, and its completions of send requests. */
struct shared_qp {
	struct ibv_qp *qp;
	atomic_uint nr_posted, nr_completed;
};

static void shared_poll(struct shared_qp *shared)
{
	struct ibv_wc wc[8];
	int nr = ibv_poll_cq(shared->qp->send_cq, 8, wc);

	for (int i = 0; i < nr; i++)
		if (wc[i].wr_id == SEND_WR_ID)
			atomic_fetch_add(&shared->nr_completed, 1);
}

/* Posts a WRITE without data. */
static void shared_post(struct shared_qp *shared)
{
	struct ibv_send_wr wr = { .wr_id = SEND_WR_ID,
				  .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_send_wr *bad;

	if (ibv_post_send(shared->qp, &wr, &bad) == 0)
		atomic_fetch_add(&shared->nr_posted, 1);
}

/* The calls may fail, as the plan says. */
static void *thread_run(void *arg)
{
	struct shared_qp *shared = arg;
	char memory[8];

	for (int i = 0; i < NR_STEPS; i++) {
		struct ibv_recv_wr recv = { .wr_id = RECV_WR_ID }, *bad;
		struct ibv_mr *mr =
			ibv_reg_mr(fixture.pd, memory, sizeof(memory), 0);

		(void)ibv_post_recv(shared->qp, &recv, &bad);
		shared_post(shared);
		shared_poll(shared);
		if (mr)
			(void)ibv_dereg_mr(mr);
	}
	return NULL;
}

/* Each QP has a CQ of its own, and is connected with itself. */
static void shared_open(struct shared_qp *shared)
{
	struct ibv_cq *cq = ibv_create_cq(fixture.ctx, 64, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = { .send_cq = cq,
					 .recv_cq = cq,
					 .cap = { 8, 8, 1, 1, 0 },
					 .sq_sig_all = 1,
					 .qp_type = IBV_QPT_RC };

	shared->qp = ibv_create_qp(fixture.pd, &attr);
	assert_non_null(shared->qp);
	atomic_init(&shared->nr_posted, 0);
	atomic_init(&shared->nr_completed, 0);
	fixture_to_init(shared->qp);
	fixture_to_rtr(shared->qp, shared->qp);
	fixture_to_rts(shared->qp);
}

/* Each request that was posted has one completion. */
static void shared_close(struct shared_qp *shared)
{
	struct ibv_cq *cq = shared->qp->send_cq;

	while (atomic_load(&shared->nr_completed) <
	       atomic_load(&shared->nr_posted))
		shared_poll(shared);
	shared_poll(shared);
	assert_int_equal(atomic_load(&shared->nr_completed),
			 atomic_load(&shared->nr_posted));
	assert_int_equal(ibv_destroy_qp(shared->qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

static void run_threads(void)
{
	static struct shared_qp shared[NR_QPS];
	pthread_t threads[NR_THREADS];

	for (int i = 0; i < NR_QPS; i++)
		shared_open(&shared[i]);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thread_run,
						&shared[i % NR_QPS]),
				 0);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < NR_QPS; i++)
		shared_close(&shared[i]);
}

static void child_setup(const char *log, const char *seed)
{
	char settings[PATH_MAX + sizeof(plan)];

	(void)snprintf(settings, sizeof(settings), "log=%s; seed=%s; %s", log,
		       seed, plan);
	assert_int_equal(setenv("VERBS_LAYERS", "fault", 1), 0);
	assert_int_equal(setenv("VERBS_FAULT", settings, 1), 0);
}

static int lines_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

struct log {
	unsigned int nr;
	char *lines[MAX_LINES];
};

/* Reads a log, sorts its lines, and removes it. */
static void log_take(const char *path, struct log *ret_log)
{
	FILE *file = fopen(path, "re");
	char line[512];

	assert_non_null(file);
	memset(ret_log, 0, sizeof(*ret_log));
	while (fgets(line, sizeof(line), file)) {
		assert_true(ret_log->nr < MAX_LINES);
		ret_log->lines[ret_log->nr++] = strdup(line);
	}
	assert_int_equal(fclose(file), 0);
	assert_int_equal(unlink(path), 0);
	qsort(ret_log->lines, ret_log->nr, sizeof(ret_log->lines[0]),
	      lines_compare);
}

static void log_free(struct log *log)
{
	for (unsigned int i = 0; i < log->nr; i++)
		free(log->lines[i]);
}

/* Runs this program again, which writes its log to @path. */
static void run_program(const char *path, const char *seed, struct log *ret_log)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		(void)execl("/proc/self/exe", "fault_threads_test", path, seed,
			    (char *)NULL);
		_exit(1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	log_take(path, ret_log);
}

static bool logs_are_equal(const struct log *left, const struct log *right)
{
	if (left->nr != right->nr)
		return false;
	for (unsigned int i = 0; i < left->nr; i++)
		if (strcmp(left->lines[i], right->lines[i]) != 0)
			return false;
	return true;
}

static void threads_same_seed_has_same_log(void **state)
{
	static char path[] = "/tmp/fault_threads.XXXXXX";
	static struct log first, next;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(path), 0);
	run_program(path, "7", &first);
	assert_true(first.nr > 100);
	for (int i = 0; i < 20; i++) {
		run_program(path, "7", &next);
		assert_true(logs_are_equal(&first, &next));
		log_free(&next);
	}
	run_program(path, "8", &next);
	assert_false(logs_are_equal(&first, &next));
	log_free(&next);
	log_free(&first);
}

static void threads_with_plan_run(void **state)
{
	run_threads();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_same_seed_has_same_log),
	};
	const struct CMUnitTest child[] = {
		cmocka_unit_test_setup_teardown(
			threads_with_plan_run, fixture_setup, fixture_teardown),
	};

	if (argc < 3)
		return cmocka_run_group_tests(tests, NULL, NULL);
	child_setup(argv[1], argv[2]);
	return cmocka_run_group_tests(child, NULL, NULL);
}
