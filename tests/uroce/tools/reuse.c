/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reuse ROUNDS GID_INDEX SEED - a new process with the number of a dead one.
 *
 * In each round this process has sends and writes in flight to a process that
 * is killed. A new process (this program, with a descriptor as its only
 * argument) gets the slot of the dead one, makes queue pairs until one has the
 * dead one's number, and memory regions until one has the same address and key.
 * It exchanges messages with another queue pair of this process, while the old
 * queue pair still retransmits to the dead process: none of those packets may
 * arrive. A round counts if the old queue pair has retransmitted after the new
 * process was ready; after a round that does not count, the timeout is doubled.
 */
#include "peer.h"

#include <signal.h>
#include <sys/wait.h>

#define DEPTH	    8
#define MESSAGE	    3000
#define MEMORY	    (3 * DEPTH * MESSAGE) /* receive, RDMA target, send */
#define HOME	    ((void *)UINT64_C(0x200000000000))
#define TIMEOUT	    18 /* 1 s: a living peer may wait for a processor */
#define SHORTEST    16 /* 0.27 s: for a queue pair that will lose its peer */
#define LONGEST	    21 /* 9 s */
#define RETRIES	    7
#define TRAFFIC_US  3000
#define EXCHANGES   200
#define TRIES	    4 /* attempts per round that must count */
#define RECEIVE_BIT UINT64_C(256)
#define NR_NUMBERS  70000
#define NR_KEYS	    70000

/* The parameters of the new process. */
struct params {
	uint32_t gid_index;
	uint32_t word; /* the content of every message for the process */
	uint32_t qpn;  /* 0: any */
	uint32_t rkey;
};

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	unsigned char *memory;
	struct peer_address own, other;
	uint32_t word; /* content of sent and received messages */
	uint32_t sends, receives, exchanges, errors;
};

static void fill(void *at, uint32_t word)
{
	uint32_t *words = at;

	for (size_t i = 0; i < MESSAGE / sizeof(*words); i++)
		words[i] = word;
}

static void assert_words(const void *at, uint32_t word)
{
	const uint32_t *words = at;

	for (size_t i = 0; i < MESSAGE / sizeof(*words); i++) {
		if (words[i] == word)
			continue;
		fprintf(stderr, "received %#x, expected %#x\n", words[i], word);
		exit(1);
	}
}

static void post_receive(struct end *end, uint64_t slot)
{
	peer_receive(end->qp, end->mr, RECEIVE_BIT | slot,
		     end->memory + slot * MESSAGE, MESSAGE);
	end->receives++;
}

static void post_request(struct end *end, uint64_t slot,
			 enum ibv_wr_opcode opcode)
{
	unsigned char *from = end->memory + (2 * DEPTH + slot) * MESSAGE;
	struct peer_address to = end->other;

	to.addr += (DEPTH + slot) * MESSAGE;
	fill(from, end->word);
	peer_request(end->qp, opcode, end->mr, slot, from, MESSAGE, &to);
	end->sends++;
}

/* Return: a QP with that number; 0: any. */
static struct ibv_qp *qp_with(struct ibv_cq *cq, uint32_t qpn)
{
	struct ibv_qp *qp = peer_qp(cq, DEPTH);

	for (uint32_t i = 0; qpn && qp->qp_num != qpn; i++) {
		NEED(qp->qp_num >> 16 == qpn >> 16 && i < NR_NUMBERS);
		NEED(ibv_destroy_qp(qp) == 0);
		qp = peer_qp(cq, DEPTH);
	}
	return qp;
}

/* The memory has the same address in each process. */
static struct ibv_mr *mr_with(void *home, uint32_t rkey)
{
	struct ibv_mr *mr = ibv_reg_mr(peer_pd, home, MEMORY, PEER_ACCESS);

	NEED(mr);
	for (uint32_t i = 0; rkey && mr->rkey != rkey && i < NR_KEYS; i++) {
		NEED(ibv_dereg_mr(mr) == 0);
		mr = ibv_reg_mr(peer_pd, home, MEMORY, PEER_ACCESS);
		NEED(mr);
	}
	return mr;
}

static void end_init(struct end *end, void *home, const struct params *params)
{
	*end = (struct end){ .word = params->word };
	end->memory = mmap(home, MEMORY, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS |
				   (home ? MAP_FIXED_NOREPLACE : 0),
			   -1, 0);
	NEED(end->memory != MAP_FAILED);
	end->cq = ibv_create_cq(peer_ctx, 4 * DEPTH, NULL, NULL, 0);
	NEED(end->cq);
	end->qp = qp_with(end->cq, params->qpn);
	end->mr = mr_with(end->memory, params->rkey);
	end->own = peer_address(end->qp, end->mr);
	for (uint64_t slot = 0; slot < DEPTH; slot++)
		post_receive(end, slot);
}

static void end_fini(struct end *end)
{
	NEED(ibv_destroy_qp(end->qp) == 0);
	NEED(ibv_destroy_cq(end->cq) == 0);
	NEED(ibv_dereg_mr(end->mr) == 0);
	NEED(munmap(end->memory, MEMORY) == 0);
}

static void handle_completion(struct end *end, const struct ibv_wc *wc,
			      bool mortal)
{
	uint64_t slot = wc->wr_id & (RECEIVE_BIT - 1);
	bool receive = wc->wr_id & RECEIVE_BIT;

	if (receive)
		end->receives--;
	else
		end->sends--;
	if (wc->status != IBV_WC_SUCCESS) {
		NEED(mortal && (wc->status == IBV_WC_RETRY_EXC_ERR ||
				wc->status == IBV_WC_WR_FLUSH_ERR));
		end->errors++;
	} else if (receive) {
		assert_words(end->memory + slot * MESSAGE, end->word);
		post_receive(end, slot);
		end->exchanges++;
	} else if (mortal && !end->errors) {
		post_request(end, slot,
			     slot % 2 ? IBV_WR_SEND : IBV_WR_RDMA_WRITE);
	}
}

static void poll_some(struct end *end, bool mortal)
{
	struct ibv_wc wc[DEPTH];
	int nr = ibv_poll_cq(end->cq, DEPTH, wc);

	NEED(nr >= 0);
	for (int i = 0; i < nr; i++)
		handle_completion(end, &wc[i], mortal);
}

/*
 * Sends and receives an equal number of messages. The other side may have
 * started the next exchange while this side still waits for the last ACK.
 */
static void exchange_messages(struct end *end)
{
	uint32_t sent = 0;

	while (end->exchanges < EXCHANGES || sent < EXCHANGES || end->sends) {
		if (sent < EXCHANGES && !end->sends) {
			post_request(end, 0, IBV_WR_SEND);
			sent++;
		}
		poll_some(end, false);
	}
	end->exchanges -= EXCHANGES;
}

/* The new process; it ends when the parent signals it, or is killed. */
static int run_new_process(int fd)
{
	struct params params;
	struct end end;
	uint32_t slot;
	char byte = 'r';

	NEED(read(fd, &params, sizeof(params)) == sizeof(params));
	srandom((unsigned int)getpid());
	peer_open((int)params.gid_index);
	end_init(&end, HOME, &params);
	peer_send_address(fd, &end.own);
	peer_receive_address(fd, &end.other);
	peer_connect(end.qp, &end.own, &end.other, TIMEOUT, RETRIES);
	NEED(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1);
	while (!params.qpn)
		poll_some(&end, false);
	exchange_messages(&end);
	NEED(read(fd, &byte, 1) == 1);
	exchange_messages(&end);
	/* no WRITE was sent to it */
	for (slot = DEPTH; slot < 2 * DEPTH; slot++)
		assert_words(end.memory + slot * MESSAGE, 0);
	NEED(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1);
	end_fini(&end);
	peer_close();
	return 0;
}

static pid_t start_peer(struct end *end, const struct params *params,
			uint8_t timeout, int *ret_fd)
{
	pid_t pid = peer_spawn("/proc/self/exe", ret_fd);
	struct params own = { .word = params->word };
	char byte;

	NEED(write(*ret_fd, params, sizeof(*params)) == sizeof(*params));
	end_init(end, NULL, &own);
	peer_receive_address(*ret_fd, &end->other);
	peer_send_address(*ret_fd, &end->own);
	peer_connect(end->qp, &end->own, &end->other, timeout, RETRIES);
	NEED(read(*ret_fd, &byte, 1) == 1 && write(*ret_fd, "g", 1) == 1);
	return pid;
}

static struct params lose_peer(struct end *end, const struct params *params,
			       uint8_t timeout)
{
	uint64_t until;
	pid_t pid;
	int fd;

	pid = start_peer(end, params, timeout, &fd);
	for (uint64_t slot = 0; slot < DEPTH; slot++)
		post_request(end, slot,
			     slot % 2 ? IBV_WR_SEND : IBV_WR_RDMA_WRITE);
	until = peer_now_us() + (uint64_t)random() % TRAFFIC_US;
	while (peer_now_us() < until)
		poll_some(end, true);
	NEED(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
	close(fd);
	return (struct params){ .gid_index = params->gid_index,
				.word = params->word + 1,
				.qpn = end->other.qpn,
				.rkey = end->other.rkey };
}

/* Return: whether the round counts. *@keys counts rounds with the same key. */
static bool one_round(uint32_t round, uint8_t timeout, uint32_t *keys)
{
	const uint64_t timeout_us = (UINT64_C(4096) << timeout) / 1000;
	struct params params = { .gid_index = (uint32_t)peer_gid_index,
				 .word = 2 * round + 1 };
	struct end old, new;
	uint64_t ready_us;
	int fd, status;
	char byte;
	pid_t pid;

	params = lose_peer(&old, &params, timeout);
	pid = start_peer(&new, &params, TIMEOUT, &fd);
	NEED(new.other.qpn == old.other.qpn &&new.other.addr == old.other.addr);
	*keys += new.other.rkey == old.other.rkey;
	ready_us = peer_now_us();
	exchange_messages(&new);
	while (old.sends || old.receives)
		poll_some(&old, true);
	ready_us = peer_now_us() - ready_us;
	NEED(old.errors);
	NEED(write(fd, "a", 1) == 1);
	exchange_messages(&new);
	NEED(read(fd, &byte, 1) == 1 && write(fd, "e", 1) == 1);
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
	close(fd);
	end_fini(&new);
	end_fini(&old);
	return ready_us > 2 * timeout_us;
}

int main(int argc, char **argv)
{
	uint32_t rounds, round, good = 0, keys = 0;
	uint8_t timeout = SHORTEST;

	if (argc == 2)
		return run_new_process(atoi(argv[1]));
	NEED(argc == 4);
	rounds = (uint32_t)atoi(argv[1]);
	srandom((unsigned int)atoi(argv[3]));
	peer_open(atoi(argv[2]));
	for (round = 0; good < rounds && round < rounds * TRIES; round++)
		if (one_round(round, timeout, &keys))
			good++;
		else if (timeout < LONGEST)
			timeout++;
	peer_close();
	printf("%u of %u rounds count, %u with the same key\n", good, round,
	       keys);
	return good < rounds;
}
