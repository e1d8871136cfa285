/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of the program "rndv": its memory (one half is the source, the other
 * half the target), its queue pairs, and the other process, with which it runs
 * in lockstep. Both processes run the same code.
 */
#ifndef RNDV_END_H
#define RNDV_END_H

#include "peer.h"

#include <poll.h>

#define END_QPS	 16
#define END_AREA ((size_t)66 << 20)
#define PAGE	 4096
#define END_CQE	 1024
#define LIMIT_US 60000000

struct end {
	int side; /* 0; 1 for the child process */
	int fd;
	pid_t pid; /* of the child process */
	unsigned char *memory;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_cq *idle; /* only polled, so that responses make progress */
	struct ibv_srq *srq;
	struct ibv_qp *qp[END_QPS];
	int nr_qps;
	struct peer_address other[END_QPS];
	uint8_t timeout, retries; /* as in peer_connect() */
	uint64_t random;	  /* equal at both ends */
};

/* The source half and the target half of the memory. */
static inline unsigned char *end_out(const struct end *end)
{
	return end->memory;
}

static inline unsigned char *end_in(const struct end *end)
{
	return end->memory + END_AREA;
}

/* Return: a number below @below, equal at both ends. */
static inline uint32_t end_random(struct end *end, uint32_t below)
{
	end->random = end->random * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(end->random >> 33) % below;
}

static inline void end_init(struct end *end)
{
	end->memory = mmap(NULL, 2 * END_AREA, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(end->memory != MAP_FAILED);
	end->mr = ibv_reg_mr(peer_pd, end->memory, 2 * END_AREA, PEER_ACCESS);
	end->cq = ibv_create_cq(peer_ctx, END_CQE, NULL, NULL, 0);
	end->idle = ibv_create_cq(peer_ctx, 1, NULL, NULL, 0);
	NEED(end->mr && end->cq && end->idle);
	end->timeout = 18; /* 1 s */
	end->retries = 7;
}

static inline void end_fini(struct end *end)
{
	NEED(ibv_destroy_cq(end->cq) == 0);
	NEED(ibv_destroy_cq(end->idle) == 0);
	NEED(ibv_dereg_mr(end->mr) == 0);
	NEED(munmap(end->memory, 2 * END_AREA) == 0);
}

/*
 * Return: whether the other end has sent a signal. A waiting end goes on
 * polling.
 */
static inline bool end_signalled(const struct end *end)
{
	struct pollfd poll_fd = { .fd = end->fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) > 0;
}

static inline void end_signal(const struct end *end)
{
	NEED(write(end->fd, "m", 1) == 1);
}

static inline void end_wait_signal(const struct end *end)
{
	char byte;

	NEED(read(end->fd, &byte, 1) == 1 && byte == 'm');
}

/* Waits until both ends are here, and polls meanwhile for the other end. */
static inline void end_barrier(const struct end *end)
{
	uint64_t until = peer_now_us() + LIMIT_US;
	struct ibv_wc wc;

	end_signal(end);
	while (!end_signalled(end)) {
		NEED(ibv_poll_cq(end->idle, 1, &wc) == 0);
		NEED(peer_now_us() < until);
	}
	end_wait_signal(end);
}

static inline struct ibv_qp *end_qp(const struct end *end)
{
	struct ibv_qp_init_attr init = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.srq = end->srq,
		.cap = { .max_send_wr = 32,
			 .max_recv_wr = 32,
			 .max_send_sge = 3,
			 .max_recv_sge = 3 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	return peer_qp_of(&init);
}

/* The other end calls this function as well. */
static inline void end_connect(struct end *end, int nr, bool with_srq)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = 32 * END_QPS, .max_sge = 3 },
	};
	struct peer_address own[END_QPS];

	if (with_srq) {
		end->srq = ibv_create_srq(peer_pd, &init);
		NEED(end->srq);
	}
	end->nr_qps = nr;
	for (int i = 0; i < nr; i++) {
		end->qp[i] = end_qp(end);
		own[i] = peer_address(end->qp[i], end->mr);
		peer_send_address(end->fd, &own[i]);
	}
	for (int i = 0; i < nr; i++) {
		peer_receive_address(end->fd, &end->other[i]);
		peer_connect(end->qp[i], &own[i], &end->other[i], end->timeout,
			     end->retries);
	}
}

static inline void end_disconnect(struct end *end)
{
	for (int i = 0; i < end->nr_qps; i++)
		NEED(!end->qp[i] || ibv_destroy_qp(end->qp[i]) == 0);
	end->nr_qps = 0;
	if (end->srq)
		NEED(ibv_destroy_srq(end->srq) == 0);
	end->srq = NULL;
}

static inline void end_modify(const struct end *end, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	for (int i = 0; i < end->nr_qps; i++)
		NEED(ibv_modify_qp(end->qp[i], &attr, IBV_QP_STATE) == 0);
}

#endif
