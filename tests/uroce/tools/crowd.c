/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crowd PROCESSES GID_INDEX - many processes on one address at once.
 *
 * The processes form a circle. Each has a queue pair to NEIGHBOURS processes on
 * either side, over which both ends send MESSAGES messages. All messages must
 * arrive, in order and unharmed, and no two queue pairs may have the same
 * number.
 */
#include "peer.h"

#include <pthread.h>
#include <sys/wait.h>

#define NEIGHBOURS  8
#define LINKS	    (2 * NEIGHBOURS)
#define MESSAGES    40
#define MESSAGE	    2000
#define DEPTH	    8
#define TIMEOUT	    18 /* 1 s: there are more processes than processors */
#define RETRIES	    7
#define RECEIVE_BIT (UINT64_C(1) << 32)

/* Memory that all processes share. */
struct board {
	pthread_barrier_t barrier;
	struct peer_address addresses[][LINKS]; /* by process */
};

struct link {
	struct ibv_qp *qp;
	uint32_t peer;
	uint32_t *in, *out; /* DEPTH messages each */
	unsigned int nr_in, nr_out, completed;
};

static struct board *board;
static uint32_t nr_processes, self;

/*
 * Links 0 to NEIGHBOURS - 1 lead up the circle, the rest down. Return: the
 * index of link @i at the other end.
 */
static unsigned int far_end(unsigned int i)
{
	return (i + NEIGHBOURS) % LINKS;
}

static uint32_t peer_of(unsigned int i)
{
	uint32_t distance = i % NEIGHBOURS + 1;

	if (i >= NEIGHBOURS)
		distance = nr_processes - distance;
	return (self + distance) % nr_processes;
}

static uint32_t word(uint32_t from, uint32_t to, unsigned int message)
{
	return from << 20 | to << 10 | message;
}

static void send_next(struct link *link, const struct ibv_mr *mr, uint64_t id)
{
	uint32_t *at = link->out + link->nr_out % DEPTH * (MESSAGE / 4);

	for (int i = 0; i < MESSAGE / 4; i++)
		at[i] = word(self, link->peer, link->nr_out);
	peer_request(link->qp, IBV_WR_SEND, mr, id, at, MESSAGE,
		     &(struct peer_address){});
	link->nr_out++;
}

static void receive_next(struct link *link, const struct ibv_mr *mr,
			 uint64_t id, unsigned int message)
{
	peer_receive(link->qp, mr, RECEIVE_BIT | id,
		     link->in + message % DEPTH * (MESSAGE / 4), MESSAGE);
}

static void check_message(struct link *link)
{
	const uint32_t *at = link->in + link->nr_in % DEPTH * (MESSAGE / 4);

	for (int i = 0; i < MESSAGE / 4; i++)
		NEED(at[i] == word(link->peer, self, link->nr_in));
	link->nr_in++;
}

static void exchange(struct ibv_cq *cq, struct link *links,
		     const struct ibv_mr *mr)
{
	unsigned int left = LINKS * MESSAGES * 2;
	struct ibv_wc wc;

	for (unsigned int i = 0; i < LINKS; i++)
		for (unsigned int n = 0; n < DEPTH; n++)
			send_next(&links[i], mr, i);
	while (left) {
		int nr = ibv_poll_cq(cq, 1, &wc);
		struct link *link = &links[wc.wr_id % LINKS];

		NEED(nr >= 0);
		if (!nr)
			continue;
		NEED(wc.status == IBV_WC_SUCCESS);
		left--;
		if (wc.wr_id & RECEIVE_BIT) {
			check_message(link);
			receive_next(link, mr, wc.wr_id % LINKS,
				     link->nr_in + DEPTH - 1);
		} else if (link->nr_out < MESSAGES) {
			send_next(link, mr, wc.wr_id);
		}
	}
}

static void wait_for_all(void)
{
	int ret = pthread_barrier_wait(&board->barrier);

	NEED(ret == 0 || ret == PTHREAD_BARRIER_SERIAL_THREAD);
}

/* The main function of each process. */
static void run_process(int gid_index)
{
	const size_t bytes = (size_t)LINKS * DEPTH * MESSAGE * 2;
	uint32_t *memory = calloc(1, bytes);
	struct peer_address own[LINKS];
	struct link links[LINKS] = {};
	struct ibv_cq *cq;
	struct ibv_mr *mr;

	NEED(memory);
	srandom(self + 1);
	peer_open(gid_index);
	mr = ibv_reg_mr(peer_pd, memory, bytes, PEER_ACCESS);
	cq = ibv_create_cq(peer_ctx, LINKS * (2 * DEPTH), NULL, NULL, 0);
	NEED(mr && cq);
	for (unsigned int i = 0; i < LINKS; i++) {
		links[i].qp = peer_qp(cq, DEPTH);
		links[i].peer = peer_of(i);
		links[i].in = memory + (size_t)i * DEPTH * MESSAGE / 2;
		links[i].out = links[i].in + DEPTH * MESSAGE / 4;
		own[i] = peer_address(links[i].qp, NULL);
		board->addresses[self][i] = own[i];
		for (unsigned int n = 0; n < DEPTH; n++)
			receive_next(&links[i], mr, i, n);
	}
	wait_for_all();
	for (unsigned int i = 0; i < LINKS; i++)
		peer_connect(links[i].qp, &own[i],
			     &board->addresses[links[i].peer][far_end(i)],
			     TIMEOUT, RETRIES);
	wait_for_all();
	exchange(cq, links, mr);
	/*
	 * A process that leaves early cannot acknowledge the messages of the
	 * others.
	 */
	wait_for_all();
	for (unsigned int i = 0; i < LINKS; i++)
		NEED(ibv_destroy_qp(links[i].qp) == 0);
	NEED(ibv_destroy_cq(cq) == 0 && ibv_dereg_mr(mr) == 0);
	peer_close();
	free(memory);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

static bool numbers_are_unique(void)
{
	uint32_t nr = nr_processes * LINKS;
	uint32_t *qpns = calloc(nr, sizeof(*qpns));
	bool good = true;

	NEED(qpns);
	for (uint32_t i = 0; i < nr; i++)
		qpns[i] = board->addresses[i / LINKS][i % LINKS].qpn;
	qsort(qpns, nr, sizeof(*qpns), compare_numbers);
	for (uint32_t i = 1; i < nr; i++)
		good &= qpns[i] != qpns[i - 1];
	free(qpns);
	return good;
}

static void board_init(void)
{
	size_t bytes =
		sizeof(*board) + nr_processes * sizeof(board->addresses[0]);
	pthread_barrierattr_t attr;

	board = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	NEED(board != MAP_FAILED);
	NEED(pthread_barrierattr_init(&attr) == 0);
	NEED(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) ==
	     0);
	NEED(pthread_barrier_init(&board->barrier, &attr, nr_processes) == 0);
}

int main(int argc, char **argv)
{
	uint32_t good = 0;
	int status;

	NEED(argc == 3);
	nr_processes = (uint32_t)atoi(argv[1]);
	NEED(nr_processes > LINKS && nr_processes < 1024);
	board_init();
	for (self = 0; self < nr_processes; self++) {
		pid_t pid = fork();

		NEED(pid >= 0);
		if (pid == 0) {
			run_process(atoi(argv[2]));
			return 0;
		}
	}
	while (wait(&status) > 0)
		good += status == 0;
	NEED(good == nr_processes);
	NEED(numbers_are_unique());
	printf("%u processes, %u queue pairs, %u messages\n", nr_processes,
	       nr_processes * LINKS, nr_processes * LINKS * MESSAGES);
	return 0;
}
