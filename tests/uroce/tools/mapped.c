/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mapped GID_INDEX ROUNDS - memory that both ends can map.
 *
 * The target (this program, with a descriptor as its only argument) has its
 * memory in a file that cannot shrink, and makes no verbs calls except to
 * register and deregister it. The requester writes, reads and adds to that
 * memory while the target polls it: the target must see the last byte of a
 * WRITE last, sums of both processors must be exact, and deregistered memory
 * must not change.
 */
#define _GNU_SOURCE
#include "peer.h"

#include <fcntl.h>
#include <sys/wait.h>

#define AREA	 65536
#define SUM	 0    /* the number to which both ends add */
#define LINES	 4096 /* target of WRITEs: equal numbers */
#define NUMBERS	 13
#define LIMIT_US 60000000
#define TIMEOUT	 18 /* 1 s */
#define BACK	 50 /* number of deregistrations */

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	unsigned char *memory;
	struct peer_address own, other;
};

static void *make_memory(void)
{
	int fd = memfd_create("mapped", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *memory;

	NEED(fd >= 0);
	NEED(ftruncate(fd, AREA) == 0);
	NEED(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	memory = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	NEED(memory != MAP_FAILED);
	return memory;
}

static void end_init(struct end *end, int gid_index)
{
	peer_open(gid_index);
	end->memory = make_memory();
	end->mr = ibv_reg_mr(peer_pd, end->memory, AREA, PEER_ACCESS);
	end->cq = ibv_create_cq(peer_ctx, 16, NULL, NULL, 0);
	NEED(end->mr && end->cq);
	end->qp = peer_qp(end->cq, 8);
	end->own = peer_address(end->qp, end->mr);
}

static void end_fini(struct end *end)
{
	NEED(ibv_destroy_qp(end->qp) == 0);
	NEED(ibv_destroy_cq(end->cq) == 0);
	NEED(!end->mr || ibv_dereg_mr(end->mr) == 0);
	peer_close();
}

static void signal_step(int fd)
{
	char byte = 's';

	NEED(write(fd, &byte, 1) == 1);
}

static void wait_step(int fd)
{
	char byte;

	NEED(read(fd, &byte, 1) == 1);
}

/* ---- the target ---- */

/*
 * From the end to the beginning, like a program that waits for the last byte.
 */
static void check_lines(const struct end *end, uint64_t rounds)
{
	const uint64_t *numbers = (const uint64_t *)(end->memory + LINES);
	uint64_t seen = 0;

	while (seen < rounds) {
		uint64_t last = __atomic_load_n(&numbers[NUMBERS - 1],
						__ATOMIC_ACQUIRE);

		NEED(last >= seen);
		for (int i = 0; i < NUMBERS - 1; i++)
			NEED(__atomic_load_n(&numbers[i], __ATOMIC_RELAXED) >=
			     last);
		seen = last;
	}
}

static void add_to_sum(const struct end *end, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		__atomic_fetch_add((uint64_t *)(end->memory + SUM), 1,
				   __ATOMIC_RELAXED);
}

/* Deregistered memory does not change. */
static void deregister_often(struct end *end, int fd)
{
	for (int i = 0; i < BACK; i++) {
		struct peer_address now;

		wait_step(fd); /* the requester is writing to it */
		NEED(ibv_dereg_mr(end->mr) == 0);
		memset(end->memory, 0xee, AREA);
		signal_step(fd);
		wait_step(fd); /* the requester has seen the error */
		for (int k = 0; k < AREA; k++)
			NEED(end->memory[k] == 0xee);
		end->mr = ibv_reg_mr(peer_pd, end->memory, AREA, PEER_ACCESS);
		NEED(end->mr);
		NEED(ibv_destroy_qp(end->qp) == 0);
		end->qp = peer_qp(end->cq, 8);
		now = peer_address(end->qp, end->mr);
		peer_send_address(fd, &now);
		peer_receive_address(fd, &end->other);
		peer_connect(end->qp, &now, &end->other, TIMEOUT, 7);
		signal_step(fd);
	}
}

static int target(int fd)
{
	uint64_t hello[2];
	struct end end = {};

	NEED(read(fd, hello, sizeof(hello)) == sizeof(hello));
	srandom((unsigned int)getpid());
	end_init(&end, (int)hello[0]);
	peer_send_address(fd, &end.own);
	peer_receive_address(fd, &end.other);
	peer_connect(end.qp, &end.own, &end.other, TIMEOUT, 7);
	signal_step(fd);
	check_lines(&end, hello[1]);
	signal_step(fd);
	wait_step(fd);
	add_to_sum(&end, hello[1]);
	signal_step(fd);
	wait_step(fd);
	NEED(*(uint64_t *)(end.memory + SUM) == 2 * hello[1]);
	signal_step(fd);
	deregister_often(&end, fd);
	wait_step(fd);
	end_fini(&end);
	return 0;
}

/* ---- the requester ---- */

static enum ibv_wc_status completion(struct end *end)
{
	uint64_t until = peer_now_us() + LIMIT_US;
	struct ibv_wc wc;
	int nr;

	do {
		nr = ibv_poll_cq(end->cq, 1, &wc);
		NEED(nr >= 0);
	} while (!nr && peer_now_us() < until);
	NEED(nr == 1);
	return wc.status;
}

static enum ibv_wc_status run_op(struct end *end, enum ibv_wr_opcode opcode,
				 size_t own, size_t theirs, uint32_t bytes)
{
	struct peer_address to = end->other;

	to.addr += theirs;
	peer_request(end->qp, opcode, end->mr, 0, end->memory + own, bytes,
		     &to);
	return completion(end);
}

static void write_lines(struct end *end, uint64_t rounds)
{
	uint64_t *numbers = (uint64_t *)end->memory;

	for (uint64_t round = 1; round <= rounds; round++) {
		for (int i = 0; i < NUMBERS; i++)
			numbers[i] = round;
		NEED(run_op(end, IBV_WR_RDMA_WRITE, 0, LINES,
			    NUMBERS * sizeof(*numbers)) == IBV_WC_SUCCESS);
	}
	memset(numbers, 0, NUMBERS * sizeof(*numbers));
	NEED(run_op(end, IBV_WR_RDMA_READ, 0, LINES,
		    NUMBERS * sizeof(*numbers)) == IBV_WC_SUCCESS);
	for (int i = 0; i < NUMBERS; i++)
		NEED(numbers[i] == rounds);
}

static void add_up(struct end *end, uint64_t rounds)
{
	const uint64_t *answer = (const uint64_t *)end->memory;
	uint64_t before = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		NEED(run_op(end, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, SUM, 8) ==
		     IBV_WC_SUCCESS);
		NEED(*answer >= before);
		before = *answer + 1;
	}
}

/* Writes until a WRITE fails, as it must; then both ends start again. */
static void write_until_error(struct end *end, int fd)
{
	for (int i = 0; i < BACK; i++) {
		enum ibv_wc_status status;
		uint32_t nr = 0;

		do {
			if (nr++ == 100)
				signal_step(fd);
			status = run_op(end, IBV_WR_RDMA_WRITE, 0, 0, AREA);
		} while (status == IBV_WC_SUCCESS);
		NEED(status == IBV_WC_REM_ACCESS_ERR);
		wait_step(fd);
		signal_step(fd);
		NEED(ibv_destroy_qp(end->qp) == 0);
		end->qp = peer_qp(end->cq, 8);
		end->own = peer_address(end->qp, end->mr);
		peer_receive_address(fd, &end->other);
		peer_send_address(fd, &end->own);
		peer_connect(end->qp, &end->own, &end->other, TIMEOUT, 7);
		wait_step(fd);
	}
}

int main(int argc, char **argv)
{
	struct end end = {};
	uint64_t hello[2];
	int fd, status;
	pid_t pid;

	if (argc == 2)
		return target(atoi(argv[1]));
	NEED(argc == 3);
	hello[0] = (uint64_t)atoi(argv[1]);
	hello[1] = (uint64_t)atoi(argv[2]);
	srandom((unsigned int)getpid());
	end_init(&end, (int)hello[0]);
	pid = peer_spawn("/proc/self/exe", &fd);
	NEED(write(fd, hello, sizeof(hello)) == sizeof(hello));
	peer_receive_address(fd, &end.other);
	peer_send_address(fd, &end.own);
	peer_connect(end.qp, &end.own, &end.other, TIMEOUT, 7);
	wait_step(fd);
	write_lines(&end, hello[1]);
	wait_step(fd);
	signal_step(fd);
	add_up(&end, hello[1]);
	wait_step(fd);
	signal_step(fd);
	wait_step(fd);
	write_until_error(&end, fd);
	signal_step(fd);
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
	close(fd);
	end_fini(&end);
	printf("all data matches\n");
	return 0;
}
