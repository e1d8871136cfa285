/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parallel MILLISECONDS GID_INDEX - threads with a CQ each.
 *
 * The threads form a ring: each sends numbered messages of changing length to
 * the next one and receives from the previous one. Meanwhile the main thread
 * changes what all threads share: it registers memory, creates windows,
 * connects the CQs of two threads by a queue pair, and forks. No message may be
 * lost, repeated or changed.
 */
#include "peer.h"

#include <pthread.h>
#include <sys/wait.h>

#define THREADS	 4
#define DEPTH	 16
#define BYTES	 20000 /* of a message, at most */
#define HANG_S	 60
#define RETRIES	 7
#define TIMEOUT	 16
#define SMALL_IS 64

struct worker {
	pthread_t thread;
	struct ibv_cq *cq;
	struct ibv_qp *out, *in;
	struct ibv_mr *mr;
	uint8_t (*sent)[BYTES], (*received)[BYTES]; /* DEPTH buffers each */
	uint64_t nr_sent, nr_completed, nr_received;
};

static struct worker workers[THREADS];
static bool stop; /* atomic */

enum { SEND_ID, RECEIVE_ID };

static uint32_t length_of(uint64_t nr)
{
	return nr % 4 ? 8 + (uint32_t)(nr % SMALL_IS) : BYTES;
}

static void fill(uint8_t *buffer, uint64_t nr)
{
	uint32_t length = length_of(nr);

	memset(buffer, (int)(nr & 0xff), length);
	memcpy(buffer, &nr, sizeof(nr));
}

static void verify(const uint8_t *buffer, uint64_t nr, uint32_t length)
{
	uint64_t seen;

	memcpy(&seen, buffer, sizeof(seen));
	NEED(seen == nr && length == length_of(nr));
	for (uint32_t i = sizeof(seen); i < length; i++)
		NEED(buffer[i] == (nr & 0xff));
}

static void receive_next(struct worker *worker, uint64_t nr)
{
	peer_receive(worker->in, worker->mr, RECEIVE_ID,
		     worker->received[nr % DEPTH], BYTES);
}

static void send_next(struct worker *worker)
{
	const struct peer_address nowhere = {};
	uint64_t nr = worker->nr_sent++;

	fill(worker->sent[nr % DEPTH], nr);
	peer_request(worker->out, IBV_WR_SEND, worker->mr, SEND_ID,
		     worker->sent[nr % DEPTH], length_of(nr), &nowhere);
}

static void take(struct worker *worker, const struct ibv_wc *wc)
{
	if (wc->status) {
		fprintf(stderr, "%s\n", ibv_wc_status_str(wc->status));
		exit(1);
	}
	if (wc->wr_id == SEND_ID) {
		worker->nr_completed++;
		return;
	}
	verify(worker->received[worker->nr_received % DEPTH],
	       worker->nr_received, wc->byte_len);
	receive_next(worker, worker->nr_received++);
}

static void poll_once(struct worker *worker)
{
	struct ibv_wc wc[DEPTH];
	int nr = ibv_poll_cq(worker->cq, DEPTH, wc);

	NEED(nr >= 0);
	for (int i = 0; i < nr; i++)
		take(worker, &wc[i]);
	if (!nr)
		sched_yield(); /* there may be fewer processors than threads */
}

static void *run(void *arg)
{
	struct worker *worker = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		while (worker->nr_sent - worker->nr_completed < DEPTH / 2)
			send_next(worker);
		poll_once(worker);
	}
	while (worker->nr_completed < worker->nr_sent)
		poll_once(worker);
	return NULL;
}

static void open_worker(struct worker *worker)
{
	size_t bytes = 2 * (size_t)DEPTH * BYTES;
	uint8_t *memory = malloc(bytes);

	NEED(memory);
	worker->sent = (void *)memory;
	worker->received = (void *)(memory + bytes / 2);
	worker->cq = ibv_create_cq(peer_ctx, 4 * DEPTH, NULL, NULL, 0);
	worker->mr = ibv_reg_mr(peer_pd, memory, bytes, PEER_ACCESS);
	NEED(worker->cq && worker->mr);
	worker->out = peer_qp(worker->cq, DEPTH);
	worker->in = peer_qp(worker->cq, DEPTH);
	for (uint64_t nr = 0; nr < DEPTH; nr++)
		receive_next(worker, nr);
}

static void close_worker(struct worker *worker)
{
	NEED(ibv_destroy_qp(worker->out) == 0);
	NEED(ibv_destroy_qp(worker->in) == 0);
	NEED(ibv_destroy_cq(worker->cq) == 0);
	NEED(ibv_dereg_mr(worker->mr) == 0);
	free(worker->sent);
}

static void connect_qps(struct ibv_qp *a, struct ibv_qp *b)
{
	struct peer_address a_address = peer_address(a, NULL);
	struct peer_address b_address = peer_address(b, NULL);

	peer_connect(a, &a_address, &b_address, TIMEOUT, RETRIES);
	peer_connect(b, &b_address, &a_address, TIMEOUT, RETRIES);
}

/* -- what the main thread does meanwhile -- */

static void change_memory(void)
{
	static uint8_t memory[4096];
	struct ibv_mr *mr =
		ibv_reg_mr(peer_pd, memory, sizeof(memory), PEER_ACCESS);
	struct ibv_mw *mw = ibv_alloc_mw(peer_pd, IBV_MW_TYPE_1);

	NEED(mr && mw);
	NEED(ibv_dealloc_mw(mw) == 0);
	NEED(ibv_dereg_mr(mr) == 0);
}

static void fork_child(void)
{
	int status;
	pid_t pid = fork();

	NEED(pid >= 0);
	if (pid == 0)
		_exit(0);
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
}

/* Connects the CQs of two threads until they are destroyed. */
static void connect_cqs(const struct worker *a, const struct worker *b)
{
	struct ibv_qp_init_attr init = {
		.send_cq = a->cq,
		.recv_cq = b->cq,
		.cap = { 1, 1, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};

	NEED(ibv_destroy_qp(peer_qp_of(&init)) == 0);
}

static void change_all(uint64_t until_us)
{
	while (peer_now_us() < until_us) {
		change_memory();
		fork_child();
		usleep(200);
	}
}

static uint64_t join_all(void)
{
	uint64_t sent = 0, received = 0;

	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		NEED(pthread_join(workers[i].thread, NULL) == 0);
	for (int i = 0; i < THREADS; i++) {
		while (workers[(i + 1) % THREADS].nr_received <
		       workers[i].nr_sent)
			poll_once(&workers[(i + 1) % THREADS]);
		sent += workers[i].nr_sent;
	}
	for (int i = 0; i < THREADS; i++)
		received += workers[i].nr_received;
	NEED(sent == received);
	return sent;
}

int main(int argc, char **argv)
{
	uint64_t span_us = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000 : 0;

	alarm(HANG_S + (unsigned int)(span_us / 1000000));
	peer_open(argc > 2 ? atoi(argv[2]) : 0);
	for (int i = 0; i < THREADS; i++)
		open_worker(&workers[i]);
	for (int i = 0; i < THREADS; i++)
		connect_qps(workers[i].out, workers[(i + 1) % THREADS].in);
	for (int i = 0; i < THREADS; i++)
		NEED(pthread_create(&workers[i].thread, NULL, run,
				    &workers[i]) == 0);
	change_all(peer_now_us() + span_us / 2);
	connect_cqs(&workers[0], &workers[1]);
	change_all(peer_now_us() + span_us / 2);
	printf("%llu messages arrived unchanged\n",
	       (unsigned long long)join_all());
	for (int i = 0; i < THREADS; i++)
		close_worker(&workers[i]);
	peer_close();
	return 0;
}
