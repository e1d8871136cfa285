/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * inherit GID_INDEX - objects that a child of fork() inherits.
 *
 * The child registers memory in the inherited PD, and deregisters it and a
 * region of its parent. Then it opens the device itself. Meanwhile the parent's
 * region, key and queue pairs continue to work.
 */
#include "peer.h"

#include <sys/wait.h>

#define WRITES 1000

static struct ibv_cq *cq;
static struct ibv_qp *qp[2];
static struct ibv_mr *mr;
static struct peer_address address[2];
static uint64_t memory[2];

static void connect_pair(void)
{
	cq = ibv_create_cq(peer_ctx, 16, NULL, NULL, 0);
	mr = ibv_reg_mr(peer_pd, memory, sizeof(memory), PEER_ACCESS);
	NEED(cq && mr);
	for (int i = 0; i < 2; i++) {
		qp[i] = peer_qp(cq, 8);
		address[i] = peer_address(qp[i], mr);
		address[i].addr = (uintptr_t)&memory[i];
	}
	for (int i = 0; i < 2; i++)
		peer_connect(qp[i], &address[i], &address[!i], 18, 7);
}

static void write_once(uint64_t value)
{
	struct ibv_wc wc;
	int nr;

	memory[0] = value;
	peer_request(qp[0], IBV_WR_RDMA_WRITE, mr, value, &memory[0],
		     sizeof(memory[0]), &address[1]);
	while (!(nr = ibv_poll_cq(cq, 1, &wc)))
		continue;
	NEED(nr == 1 && wc.status == IBV_WC_SUCCESS && wc.wr_id == value);
	NEED(*(volatile uint64_t *)&memory[1] == value);
}

static void run_child(void)
{
	static uint64_t own[512];
	struct ibv_mr *region, *shared;
	void *pages = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	NEED(pages != MAP_FAILED);
	region = ibv_reg_mr(peer_pd, own, sizeof(own), PEER_ACCESS);
	NEED(region);
	NEED(region->lkey != mr->lkey && region->addr == own);
	shared = ibv_reg_mr(peer_pd, pages, 65536, IBV_ACCESS_LOCAL_WRITE);
	NEED(shared);
	NEED(shared->lkey != region->lkey);
	NEED(ibv_dereg_mr(shared) == 0);
	NEED(ibv_dereg_mr(region) == 0);
	NEED(ibv_dereg_mr(mr) == 0);
	peer_open(peer_gid_index);
	connect_pair();
	write_once(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	peer_open(argc > 1 ? atoi(argv[1]) : 1);
	connect_pair();
	write_once(7);
	pid = fork();
	NEED(pid >= 0);
	if (pid == 0)
		run_child();
	for (uint64_t i = 0; i < WRITES; i++)
		write_once(i);
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
	write_once(8);
	puts("the child registered memory of its own");
	return 0;
}
