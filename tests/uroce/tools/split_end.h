/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of the program "split": its memory, of which one half is sent from
 * and the other one is written to, its queue pairs, and the other process, with
 * which it goes on step by step. Both run the same lines.
 */
#ifndef SPLIT_END_H
#define SPLIT_END_H

#include "peer.h"

#include <poll.h>

#define END_QPS	 16
#define END_AREA ((size_t)66 << 20)
#define PAGE	 4096
#define END_CQE	 1024
#define LIMIT_US 60000000

struct end {
	int side; /* 0, or 1 for the process that was started by the other */
	int fd;
	pid_t pid; /* of the other one, if we have started it */
	unsigned char *memory;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_cq *idle; /* is only polled, so that answers come and go */
	struct ibv_srq *srq;
	struct ibv_qp *qp[END_QPS];
	int nr_qps;
	struct peer_address other[END_QPS];
	uint8_t timeout, retries; /* as in peer_connect() */
	uint64_t random;	  /* the same at both ends */
};

/* What is sent, and where something is written to. */
static inline unsigned char *end_out(const struct end *end)
{
	return end->memory;
}

static inline unsigned char *end_in(const struct end *end)
{
	return end->memory + END_AREA;
}

/* Below @below; both ends get the same ones. */
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

/* Whether the other one has said something; who waits goes on polling. */
static inline bool end_told(const struct end *end)
{
	struct pollfd poll_fd = { .fd = end->fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) > 0;
}

static inline void end_tell(const struct end *end)
{
	NEED(write(end->fd, "m", 1) == 1);
}

static inline void end_hear(const struct end *end)
{
	char byte;

	NEED(read(end->fd, &byte, 1) == 1 && byte == 'm');
}

/* Both are here; meanwhile the other one is answered. */
static inline void end_meet(const struct end *end)
{
	uint64_t until = peer_now_us() + LIMIT_US;
	struct ibv_wc wc;

	end_tell(end);
	while (!end_told(end)) {
		NEED(ibv_poll_cq(end->idle, 1, &wc) == 0);
		NEED(peer_now_us() < until);
	}
	end_hear(end);
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

/* The other end does the same. */
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
		peer_tell(end->fd, &own[i]);
	}
	for (int i = 0; i < nr; i++) {
		peer_hear(end->fd, &end->other[i]);
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
