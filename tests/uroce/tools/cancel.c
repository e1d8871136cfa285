/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cancel THREADS GID_INDEX - threads that are cancelled while they call verbs.
 *
 * Each thread calls the functions of one kind in a loop (see kinds[]) and is
 * cancelled at a random moment. No thread may leave a lock behind: after each
 * one the main thread polls, at the end it forks, and all that was posted has
 * completed. A hang ends the program after HANG_S seconds.
 */
#include "peer.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define DEPTH	   64
#define HANG_S	   30
#define LONGEST_US 60
#define CHILDREN   20

static struct ibv_cq *cq;
static struct ibv_qp *qp[2];
static struct ibv_mr *mr;
static struct peer_address address[2];
static uint64_t memory[2];
static uint64_t posted, completed; /* by all threads, one at a time */
static bool running;		   /* atomic: the thread is in its loop */

static void count(const struct ibv_wc *wc, int nr)
{
	for (int i = 0; i < nr; i++) {
		if (wc[i].status) {
			fprintf(stderr, "%s\n",
				ibv_wc_status_str(wc[i].status));
			exit(1);
		}
		completed++;
	}
}

static void poll_once(void)
{
	struct ibv_wc wc[DEPTH];
	int nr = ibv_poll_cq(cq, DEPTH, wc);

	NEED(nr >= 0);
	count(wc, nr);
}

static void post_once(void)
{
	if (posted - completed == DEPTH) {
		poll_once();
		return;
	}
	peer_request(qp[0], IBV_WR_RDMA_WRITE, mr, posted, &memory[0],
		     sizeof(memory[0]), &address[1]);
	posted++;
}

static void arm_once(void)
{
	NEED(ibv_req_notify_cq(cq, 0) == 0);
	poll_once();
}

static void control_once(void)
{
	struct ibv_cq *other = ibv_create_cq(peer_ctx, 16, NULL, NULL, 0);
	struct ibv_mr *region =
		ibv_reg_mr(peer_pd, memory, sizeof(memory), PEER_ACCESS);
	struct ibv_port_attr port;

	NEED(other && region);
	NEED(ibv_query_port(peer_ctx, 1, &port) == 0);
	NEED(ibv_dereg_mr(region) == 0);
	NEED(ibv_destroy_cq(other) == 0);
}

static void open_once(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	NEED(list && list[0]);
	ctx = ibv_open_device(list[0]);
	NEED(ctx);
	NEED(ibv_close_device(ctx) == 0);
	ibv_free_device_list(list);
}

static void (*const kinds[])(void) = {
	poll_once, post_once, poll_once,    post_once,
	arm_once,  post_once, control_once, open_once,
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void *run(void *arg)
{
	void (*const *kind)(void) = arg;

	for (;;) {
		(*kind)();
		__atomic_store_n(&running, true, __ATOMIC_RELEASE);
		pthread_testcancel();
	}
	return NULL;
}

static void cancel_one(size_t kind)
{
	uint64_t until_us = (uint64_t)random() % LONGEST_US;
	pthread_t thread;
	void *result;

	__atomic_store_n(&running, false, __ATOMIC_RELAXED);
	NEED(pthread_create(&thread, NULL, run, (void *)&kinds[kind]) == 0);
	while (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		continue;
	until_us += peer_now_us();
	while (peer_now_us() < until_us)
		continue;
	NEED(pthread_cancel(thread) == 0);
	NEED(pthread_join(thread, &result) == 0);
	NEED(result == PTHREAD_CANCELED);
}

static void fork_children(void)
{
	int status;

	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		NEED(pid >= 0);
		if (pid == 0)
			_exit(0);
		NEED(waitpid(pid, &status, 0) == pid && status == 0);
	}
}

static void connect_pair(void)
{
	cq = ibv_create_cq(peer_ctx, 2 * DEPTH, NULL,
			   ibv_create_comp_channel(peer_ctx), 0);
	mr = ibv_reg_mr(peer_pd, memory, sizeof(memory), PEER_ACCESS);
	NEED(cq && mr);
	for (int i = 0; i < 2; i++) {
		qp[i] = peer_qp(cq, DEPTH);
		address[i] = peer_address(qp[i], mr);
		address[i].addr = (uintptr_t)&memory[i];
	}
	for (int i = 0; i < 2; i++)
		peer_connect(qp[i], &address[i], &address[!i], 14, 7);
}

static void hang(int signal)
{
	static const char text[] = "a cancelled thread left a lock behind\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(2);
}

int main(int argc, char **argv)
{
	unsigned long threads = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;

	NEED(signal(SIGALRM, hang) != SIG_ERR);
	peer_open(argc > 2 ? atoi(argv[2]) : 1);
	connect_pair();
	for (unsigned long i = 0; i < threads; i++) {
		(void)alarm(HANG_S);
		cancel_one(i % NR_KINDS);
		poll_once();
	}
	fork_children();
	while (completed < posted)
		poll_once();
	printf("%lu threads were cancelled, %lu writes completed\n", threads,
	       (unsigned long)completed);
	return 0;
}
