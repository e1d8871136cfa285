/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the programs of this folder: a device with a memory region, RC
 * queue pairs on it, and the addresses that two ends exchange to connect them.
 * A failure ends the program and prints its place. Included by one .c file per
 * program.
 */
#ifndef PEER_H
#define PEER_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NEED(condition)                                                        \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, \
				#condition, strerror(errno));                  \
			exit(1);                                               \
		}                                                              \
	} while (0)

#define PEER_ACCESS                                         \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* The address that the other end needs. */
struct peer_address {
	union ibv_gid gid;
	uint64_t addr;
	uint32_t rkey;
	uint32_t qpn;
	uint32_t psn;
};

static struct ibv_context *peer_ctx;
static struct ibv_pd *peer_pd;
static int peer_gid_index;

static inline uint64_t peer_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Opens the first device; its port must be up. */
static inline void peer_open(int gid_index)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_port_attr port;

	NEED(list && list[0]);
	peer_ctx = ibv_open_device(list[0]);
	NEED(peer_ctx);
	ibv_free_device_list(list);
	NEED(ibv_query_port(peer_ctx, 1, &port) == 0);
	NEED(port.state == IBV_PORT_ACTIVE);
	peer_pd = ibv_alloc_pd(peer_ctx);
	NEED(peer_pd);
	peer_gid_index = gid_index;
}

static inline void peer_close(void)
{
	NEED(ibv_dealloc_pd(peer_pd) == 0);
	NEED(ibv_close_device(peer_ctx) == 0);
}

/* The QP is in state INIT, so that receives can be posted. */
static inline struct ibv_qp *peer_qp_of(struct ibv_qp_init_attr *init)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = PEER_ACCESS };
	struct ibv_qp *qp = ibv_create_qp(peer_pd, init);

	NEED(qp);
	NEED(ibv_modify_qp(qp, &attr,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				   IBV_QP_ACCESS_FLAGS) == 0);
	return qp;
}

/* Every send work request generates a completion. */
static inline struct ibv_qp *peer_qp(struct ibv_cq *cq, uint32_t depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = depth,
			 .max_recv_wr = depth,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	return peer_qp_of(&init);
}

static inline struct peer_address peer_address(const struct ibv_qp *qp,
					       const struct ibv_mr *mr)
{
	struct peer_address own = { .qpn = qp->qp_num,
				    .psn = (uint32_t)random() & 0xffffff };

	if (mr) {
		own.addr = (uintptr_t)mr->addr;
		own.rkey = mr->rkey;
	}
	NEED(ibv_query_gid(peer_ctx, 1, peer_gid_index, &own.gid) == 0);
	return own;
}

/* @timeout: 4.096 us * 2^timeout until a packet is retransmitted */
static inline void peer_connect(struct ibv_qp *qp,
				const struct peer_address *own,
				const struct peer_address *other,
				uint8_t timeout, uint8_t retries)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = other->qpn,
		.rq_psn = other->psn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1,
			     .grh = { .dgid = other->gid,
				      .sgid_index = (uint8_t)peer_gid_index,
				      .hop_limit = 64 },
			     .port_num = 1 },
	};

	NEED(ibv_modify_qp(qp, &attr,
			   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				   IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER) == 0);
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = own->psn;
	attr.timeout = timeout;
	attr.retry_cnt = retries;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 4;
	NEED(ibv_modify_qp(qp, &attr,
			   IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				   IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				   IBV_QP_MAX_QP_RD_ATOMIC) == 0);
}

static inline void peer_receive(struct ibv_qp *qp, const struct ibv_mr *mr,
				uint64_t id, void *to, uint32_t bytes)
{
	struct ibv_sge sge = { .addr = (uintptr_t)to,
			       .length = bytes,
			       .lkey = mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	NEED(ibv_post_recv(qp, &wr, &bad) == 0);
}

/* WRITE, READ or SEND; atomics need @other aligned to 8 bytes */
static inline void peer_request(struct ibv_qp *qp, enum ibv_wr_opcode opcode,
				const struct ibv_mr *mr, uint64_t id,
				void *local, uint32_t bytes,
				const struct peer_address *other)
{
	struct ibv_sge sge = { .addr = (uintptr_t)local,
			       .length = bytes,
			       .lkey = mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = id, .opcode = opcode, .sg_list = &sge, .num_sge = 1
	};
	struct ibv_send_wr *bad;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = other->addr;
		wr.wr.atomic.rkey = other->rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = other->addr;
		wr.wr.rdma.rkey = other->rkey;
	}
	NEED(ibv_post_send(qp, &wr, &bad) == 0);
}

static inline void peer_send_address(int fd, const struct peer_address *own)
{
	NEED(write(fd, own, sizeof(*own)) == sizeof(*own));
}

static inline void peer_receive_address(int fd, struct peer_address *ret_other)
{
	NEED(read(fd, ret_other, sizeof(*ret_other)) == sizeof(*ret_other));
}

/*
 * Starts a new process of @program, whose only argument is "0", the descriptor
 * of its end of a socket pair.
 */
static inline pid_t peer_spawn(const char *program, int *ret_fd)
{
	int fds[2];
	pid_t pid;

	NEED(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	pid = vfork();
	NEED(pid >= 0);
	if (pid == 0) {
		if (dup2(fds[1], STDIN_FILENO) >= 0)
			execl(program, program, "0", (char *)NULL);
		_exit(1);
	}
	close(fds[1]);
	*ret_fd = fds[0];
	return pid;
}

#endif
