/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * survivor ROUNDS GID_INDEX SEED - kills its peer, again and again.
 *
 * In each round a new process (this program, with a descriptor as its only
 * argument) connects a queue pair with one of this process, and is killed with
 * SIGKILL at a random moment of the traffic. The survivor must get one
 * IBV_WC_RETRY_EXC_ERR within the time of the retries, and flush errors for all
 * other work requests. No data of a dead process may arrive in a later round,
 * no QPN and no key may come back soon, and at the end the process must not be
 * larger than after a few rounds.
 */
#include "peer.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

/* The kinds of traffic, which alternate. */
enum kind {
	BOTH_SEND,
	SURVIVOR_WRITES,
	SURVIVOR_READS,
	VICTIM_WRITES,
	NR_KINDS,
};

#define DEPTH	       16
#define MESSAGE	       3000
#define MEMORY	       (MESSAGE * (2 * DEPTH + 1))
#define TIMEOUT	       12 /* 16.8 ms */
#define RETRIES	       3
#define LONGEST_US     20000 /* until the kill */
#define RECENT	       100
#define WARM_UP_ROUNDS 20 /* rounds after which the process must not grow */
#define RECEIVE_BIT    (UINT64_C(1) << 32)

/*
 * IBTA 9.9.2.1.2: a timeout may take four times the requested one, and the last
 * retry has a timeout as well. Ten more seconds are for a machine under load.
 */
static const uint64_t limit_us =
	(UINT64_C(4096) << TIMEOUT) / 1000 * 4 * (RETRIES + 1) + 10000000;

struct end {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct peer_address own, other;
	unsigned char
		*memory; /* DEPTH slots to receive, DEPTH to send, one target */
	uint32_t round;
	enum kind kind;
	unsigned int sends, receives; /* posted and not completed */
	unsigned int retry_errors, flushed;
	uint64_t stale;
};

/* Both ends compute the words of a message. */
static void fill(void *message, uint32_t round)
{
	uint32_t *words = message;

	for (size_t i = 0; i < MESSAGE / sizeof(*words); i++)
		words[i] = round;
}

static bool is_of_round(const void *message, uint32_t round)
{
	const uint32_t *words = message;

	for (size_t i = 0; i < MESSAGE / sizeof(*words); i++)
		if (words[i] != round)
			return false;
	return true;
}

static void end_init(struct end *end, uint32_t round, enum kind kind)
{
	*end = (struct end){ .round = round, .kind = kind };
	end->memory = aligned_alloc(8, MEMORY);
	NEED(end->memory);
	for (int i = 0; i < 2 * DEPTH + 1; i++)
		fill(end->memory + i * MESSAGE, round);
	end->mr = ibv_reg_mr(peer_pd, end->memory, MEMORY, PEER_ACCESS);
	NEED(end->mr);
	end->channel = ibv_create_comp_channel(peer_ctx);
	NEED(end->channel);
	end->cq = ibv_create_cq(peer_ctx, 2 * DEPTH, NULL, end->channel, 0);
	NEED(end->cq);
	end->qp = peer_qp(end->cq, DEPTH);
	end->own = peer_address(end->qp, end->mr);
	/* the target is the last message */
	end->own.addr += MESSAGE * 2 * DEPTH;
}

static void end_fini(struct end *end)
{
	NEED(ibv_destroy_qp(end->qp) == 0);
	NEED(ibv_destroy_cq(end->cq) == 0);
	NEED(ibv_destroy_comp_channel(end->channel) == 0);
	NEED(ibv_dereg_mr(end->mr) == 0);
	free(end->memory);
}

static void post_receive(struct end *end, uint64_t slot)
{
	peer_receive(end->qp, end->mr, RECEIVE_BIT | slot,
		     end->memory + slot * MESSAGE, MESSAGE);
	end->receives++;
}

static void post_request(struct end *end, uint64_t slot)
{
	static const enum ibv_wr_opcode writes[] = { IBV_WR_RDMA_WRITE },
					reads[] = {
						IBV_WR_RDMA_READ,
						IBV_WR_ATOMIC_FETCH_AND_ADD
					};
	enum ibv_wr_opcode opcode = IBV_WR_SEND;
	uint32_t bytes = MESSAGE;

	if (end->kind == SURVIVOR_WRITES || end->kind == VICTIM_WRITES)
		opcode = writes[0];
	else if (end->kind == SURVIVOR_READS)
		opcode = reads[slot % 2];
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		bytes = 8;
	peer_request(end->qp, opcode, end->mr, slot,
		     end->memory + (DEPTH + slot) * MESSAGE, bytes,
		     &end->other);
	end->sends++;
}

static bool is_requester(const struct end *end, bool survivor)
{
	return end->kind == BOTH_SEND ||
	       (end->kind == VICTIM_WRITES) != survivor;
}

static void start(struct end *end, bool survivor)
{
	for (uint64_t slot = 0; slot < DEPTH; slot++)
		post_receive(end, slot);
	peer_connect(end->qp, &end->own, &end->other, TIMEOUT, RETRIES);
	for (uint64_t slot = 0; is_requester(end, survivor) && slot < DEPTH;
	     slot++)
		post_request(end, slot);
}

/* Counts the completion; if @again, posts a successful work request again. */
static void handle_completion(struct end *end, const struct ibv_wc *wc,
			      bool again)
{
	uint64_t slot = wc->wr_id & (DEPTH - 1);
	bool receive = wc->wr_id & RECEIVE_BIT;

	if (receive)
		end->receives--;
	else
		end->sends--;
	switch (wc->status) {
	case IBV_WC_SUCCESS:
		if (receive &&
		    !is_of_round(end->memory + slot * MESSAGE, end->round))
			end->stale++;
		if (again && receive)
			post_receive(end, slot);
		else if (again)
			post_request(end, slot);
		break;
	case IBV_WC_RETRY_EXC_ERR:
		end->retry_errors++;
		break;
	case IBV_WC_WR_FLUSH_ERR:
		end->flushed++;
		break;
	default:
		fprintf(stderr, "round %u: completion %s\n", end->round,
			ibv_wc_status_str(wc->status));
		exit(1);
	}
}

/*
 * Polls the completions that were there. A work request that is posted again
 * may complete at once, so polling until the queue is empty may never end.
 */
static void poll_all(struct end *end, bool again)
{
	struct ibv_wc wc[2 * DEPTH];
	int nr = ibv_poll_cq(end->cq, 2 * DEPTH, wc);

	NEED(nr >= 0);
	for (int i = 0; i < nr; i++)
		handle_completion(end, &wc[i], again && !end->retry_errors);
}

/* Sleeps until an event; only the device can wake it. */
static void sleep_once(struct end *end)
{
	struct pollfd event = { .fd = end->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *arg;

	NEED(ibv_req_notify_cq(end->cq, 0) == 0);
	poll_all(end, true);
	if (!end->sends && !end->receives)
		return;
	if (poll(&event, 1, (int)(limit_us / 1000)) == 1) {
		NEED(ibv_get_cq_event(end->channel, &cq, &arg) == 0);
		ibv_ack_cq_events(cq, 1);
	}
}

/* The main function of the killed process; it never returns. */
static int victim(int fd)
{
	struct end end;
	uint32_t hello[3];

	NEED(read(fd, hello, sizeof(hello)) == sizeof(hello));
	srandom((unsigned int)getpid());
	peer_open((int)hello[2]);
	end_init(&end, hello[0], hello[1]);
	peer_receive_address(fd, &end.other);
	peer_send_address(fd, &end.own);
	start(&end, false);
	NEED(write(fd, "r", 1) == 1);
	for (;;) {
		/* every second time the target does not poll */
		if (end.kind != BOTH_SEND && end.round / NR_KINDS % 2)
			pause();
		poll_all(&end, true);
		if (end.stale)
			NEED(write(fd, "s", 1) == 1);
	}
}

/*
 * Runs traffic, kills the peer and waits for the errors. Return: the time in
 * us.
 */
static uint64_t kill_and_wait(struct end *end, pid_t pid)
{
	uint64_t kill_at = peer_now_us() + (uint64_t)random() % LONGEST_US;
	bool asleep = end->round % 2;
	uint64_t killed, now;

	while (peer_now_us() < kill_at)
		poll_all(end, true);
	NEED(kill(pid, SIGKILL) == 0);
	killed = peer_now_us();
	/* a receiver gets an error only if it sends */
	if (!is_requester(end, true))
		post_request(end, 0);
	do {
		if (asleep)
			sleep_once(end);
		else
			poll_all(end, true);
		now = peer_now_us();
	} while ((end->sends || end->receives) && now - killed < limit_us);
	return now - killed;
}

static void assert_result(const struct end *end, uint64_t took_us)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	NEED(ibv_query_qp(end->qp, &attr, IBV_QP_STATE, &init) == 0);
	if (!end->sends && !end->receives && end->retry_errors == 1 &&
	    attr.qp_state == IBV_QPS_ERR && !end->stale)
		return;
	fprintf(stderr,
		"round %u, kind %d, after %llu us: %u sends and %u receives "
		"are left, %u retry errors, %u flushed, state %d, %llu stale\n",
		end->round, end->kind, (unsigned long long)took_us, end->sends,
		end->receives, end->retry_errors, end->flushed, attr.qp_state,
		(unsigned long long)end->stale);
	exit(1);
}

/* The last values that were in use. */
static void assert_unused_recently(uint32_t *seen, unsigned int round,
				   uint32_t value, const char *what)
{
	for (unsigned int i = 0; i < RECENT && i < round; i++) {
		if (seen[i] == value) {
			fprintf(stderr, "round %u: %s %#x is back\n", round,
				what, value);
			exit(1);
		}
	}
	seen[round % RECENT] = value;
}

static uint64_t one_round(const char *program, unsigned int round)
{
	static uint32_t qpns[RECENT], keys[RECENT];
	const uint32_t hello[3] = { round, round % NR_KINDS,
				    (uint32_t)peer_gid_index };
	struct end end;
	uint64_t took;
	char byte;
	pid_t pid;
	int fd;

	end_init(&end, round, round % NR_KINDS);
	assert_unused_recently(qpns, round, end.qp->qp_num, "QPN");
	assert_unused_recently(keys, round, end.mr->rkey, "key");
	pid = peer_spawn(program, &fd);
	NEED(write(fd, hello, sizeof(hello)) == sizeof(hello));
	peer_send_address(fd, &end.own);
	peer_receive_address(fd, &end.other);
	start(&end, true);
	NEED(read(fd, &byte, 1) == 1 && byte == 'r');
	took = kill_and_wait(&end, pid);
	assert_result(&end, took);
	NEED(waitpid(pid, NULL, 0) == pid);
	if (recv(fd, &byte, 1, MSG_DONTWAIT) == 1) {
		fprintf(stderr, "round %u: the victim received old data\n",
			round);
		exit(1);
	}
	close(fd);
	end_fini(&end);
	return took;
}

static unsigned int entries(const char *folder)
{
	unsigned int nr = 0;
	DIR *dir = opendir(folder);

	NEED(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static long resident_kb(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long pages = 0;

	NEED(file && fscanf(file, "%*s %ld", &pages) == 1);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
	unsigned int rounds, files = 0, threads = 0;
	uint64_t took, slowest = 0;
	long memory = 0;

	if (argc == 2)
		return victim(atoi(argv[1]));
	NEED(argc == 4);
	rounds = (unsigned int)atoi(argv[1]);
	srandom((unsigned int)atoi(argv[3]));
	signal(SIGPIPE, SIG_IGN);
	peer_open(atoi(argv[2]));
	for (unsigned int round = 0; round < rounds; round++) {
		if (round == WARM_UP_ROUNDS) {
			files = entries("/proc/self/fd");
			threads = entries("/proc/self/task");
			memory = resident_kb();
		}
		took = one_round("/proc/self/exe", round);
		if (took > slowest)
			slowest = took;
	}
	if (rounds > WARM_UP_ROUNDS) {
		printf("%u descriptors, %u threads, %ld kB; %u, %u, %ld kB\n",
		       files, threads, memory, entries("/proc/self/fd"),
		       entries("/proc/self/task"), resident_kb());
		NEED(entries("/proc/self/fd") == files);
		NEED(entries("/proc/self/task") == threads);
		NEED(resident_kb() < memory + 2048);
	}
	peer_close();
	printf("survived %u times, slowest %llu us\n", rounds,
	       (unsigned long long)slowest);
	return 0;
}
