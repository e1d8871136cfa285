/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A QP with a CQ and memory, and what the callbacks of the worker do. */
#include "uroce_side.h"

#include <errno.h>
#include <fcntl.h>
#include <provider/log.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define QKEY 0x1234567

static void on_cq(struct uroce_cq *cq, bool wake, bool overrun)
{
	struct side *side = cq->owner;

	if (wake)
		(void)sem_post(&side->cq_events);
}

static void on_rq(struct uroce_rq *rq)
{
}

static void on_qp(struct uroce_qp *qp, uint32_t events)
{
	struct side *side = qp->owner;

	side->qp_event_mask |= events;
	if (side->on_qp_event)
		side->on_qp_event(side);
	(void)sem_post(&side->qp_events);
}

static void on_netdev(void *owner, enum uroce_netdev_event event)
{
	struct side *side = owner;

	side->netdev_event = event;
	(void)sem_post(&side->netdev_events);
}

const struct uroce_worker_ops side_ops = {
	.cq_event = on_cq,
	.rq_event = on_rq,
	.qp_event = on_qp,
	.netdev_event = on_netdev,
};

bool side_is_shared(void)
{
	return getenv("SIDE_SHARED");
}

/* The descriptor need not stay open. */
static void open_memory(struct side *side)
{
	int fd = -1;

	if (side_is_shared()) {
		fd = memfd_create("side", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, SIDE_MEMORY), 0);
		assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	}
	side->memory = mmap(NULL, SIDE_MEMORY, PROT_READ | PROT_WRITE,
			    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
			    fd, 0);
	assert_ptr_not_equal(side->memory, MAP_FAILED);
	uroce_instance_get_share(side->instance, side->memory, SIDE_MEMORY,
				 &side->share, &side->share_offset);
	if (fd >= 0)
		(void)close(fd);
}

static void add_memory(struct side *side)
{
	struct uroce_region region = {
		.bytes = SIDE_MEMORY,
		.pd = side->pd,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ,
		.kind = UROCE_REGION_MEMORY,
	};

	if (side_is_shared())
		region.access |= (unsigned int)IBV_ACCESS_REMOTE_ATOMIC;
	region.share = side->share;
	region.share_offset = side->share_offset;
	region.base = side->memory;
	region.iova = (uintptr_t)side->memory;
	assert_int_equal(
		uroce_memory_add(uroce_worker_engine(side->worker)->core.memory,
				 &region, &side->key),
		0);
}

static void open_side(struct side *side, const struct uroce_netdev *dev,
		      enum ibv_qp_type type)
{
	struct uroce_qp_config config = {
		.type = type,
		.max_send_wr = SIDE_DEPTH,
		.max_send_sge = 1,
		.sig_all = true,
		.rq = &side->rq,
		.send_cq = &side->cq,
		.recv_cq = &side->cq,
		.owner = side,
	};

	memset(side, 0, sizeof(*side));
	side->dev = *dev;
	(void)sem_init(&side->cq_events, 0, 0);
	(void)sem_init(&side->qp_events, 0, 0);
	(void)sem_init(&side->netdev_events, 0, 0);
	assert_int_equal(
		uroce_instance_attach(dev, &side_ops, side, &side->instance),
		0);
	side->worker = uroce_instance_next_worker(side->instance);
	side->pd = uroce_instance_new_pd(side->instance);
	config.pd = side->pd;
	assert_int_equal(uroce_cq_init(&side->cq, 2 * SIDE_DEPTH, true), 0);
	side->cq.owner = side;
	assert_int_equal(
		uroce_rq_init(&side->rq, SIDE_DEPTH, 1, side->pd, false), 0);
	open_memory(side);
	uroce_instance_lock(side->instance);
	assert_int_equal(uroce_engine_new_qp(uroce_worker_engine(side->worker),
					     &config, uroce_worker_now(),
					     &side->qp),
			 0);
	add_memory(side);
	uroce_instance_unlock(side->instance);
}

void side_open(struct side *side, const struct uroce_netdev *dev)
{
	open_side(side, dev, IBV_QPT_RC);
}

void side_close(struct side *side)
{
	struct uroce_engine *engine = uroce_worker_engine(side->worker);
	struct uroce_channel *channel;

	uroce_instance_lock(side->instance);
	channel = side->qp->roce->channel;
	uroce_engine_free_qp(engine, side->qp, uroce_worker_now(), 0);
	if (channel)
		uroce_worker_disconnect(side->worker, channel);
	uroce_instance_forget_cq(side->instance, side->worker, &side->cq);
	assert_int_equal(uroce_memory_remove(engine->core.memory, side->key),
			 0);
	uroce_instance_unlock(side->instance);
	uroce_instance_put_share(side->instance, side->share);
	uroce_instance_detach(side->instance);
	uroce_cq_fini(&side->cq);
	uroce_rq_fini(&side->rq);
	(void)munmap(side->memory, SIDE_MEMORY);
	(void)sem_destroy(&side->cq_events);
	(void)sem_destroy(&side->qp_events);
	(void)sem_destroy(&side->netdev_events);
}

void side_moderate(struct side *side, uint32_t count, uint32_t period_us)
{
	uroce_worker_lock(side->worker);
	side->cq.moderate.count = count;
	side->cq.moderate.period_us = period_us;
	uroce_worker_unlock(side->worker);
}

struct side_address side_address(const struct side *side, uint32_t gid_index)
{
	struct side_address address = {
		.qpn = side->qp->qpn,
		.psn = 0xfffff8, /* wraps soon */
		.key = side->key,
		.va = (uintptr_t)side->memory,
	};

	memcpy(address.gid, side->dev.gids[gid_index], UROCE_GID_LEN);
	return address;
}

static void modify(struct side *side, const struct ibv_qp_attr *attr, int mask,
		   const struct uroce_path *path)
{
	int ret;

	uroce_worker_lock(side->worker);
	ret = uroce_qp_modify(side->qp, attr, mask, IBV_MTU_4096, path,
			      uroce_worker_now());
	uroce_worker_unlock(side->worker);
	assert_int_equal(ret, 0);
}

/* For a peer on this host. */
static void bind_to_channel(struct side *side, const struct uroce_path *path,
			    uint32_t dest_qpn)
{
	struct uroce_channel *channel;
	int ret = uroce_worker_connect(side->worker, side->instance, path,
				       dest_qpn, &channel);

	if (ret == -ENOENT)
		return;
	assert_int_equal(ret, 0);
	uroce_worker_lock(side->worker);
	uroce_channel_bind(channel, side->qp);
	uroce_worker_unlock(side->worker);
}

void side_connect(struct side *side, const struct side_address *self,
		  const struct side_address *peer, enum ibv_mtu mtu,
		  uint8_t timeout)
{
	struct uroce_path path = {
		.hop_limit = 64,
		.sport = uroce_instance_sport(side->instance, self->qpn,
					      peer->qpn),
	};
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags =
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			(side_is_shared() ? IBV_ACCESS_REMOTE_ATOMIC : 0),
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.timeout = timeout,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.sq_psn = self->psn,
		.max_rd_atomic = 4,
	};

	memcpy(path.sgid, self->gid, UROCE_GID_LEN);
	memcpy(path.dgid, peer->gid, UROCE_GID_LEN);
	modify(side, &init,
	       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		       IBV_QP_ACCESS_FLAGS,
	       NULL);
	bind_to_channel(side, &path, peer->qpn);
	modify(side, &rtr,
	       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		       IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		       IBV_QP_MIN_RNR_TIMER,
	       &path);
	modify(side, &rts,
	       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		       IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		       IBV_QP_MAX_QP_RD_ATOMIC,
	       NULL);
}

void side_open_datagrams(struct side *side, const struct uroce_netdev *dev)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
	};

	open_side(side, dev, IBV_QPT_UD);
	modify(side, &attr,
	       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
	       NULL);
	attr.qp_state = IBV_QPS_RTR;
	modify(side, &attr, IBV_QP_STATE, NULL);
	attr.qp_state = IBV_QPS_RTS;
	modify(side, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN, NULL);
}

void side_fill_datagram(struct side *side, const struct side_address *peer,
			const uint8_t *data, uint32_t length)
{
	struct uroce_send_wqe *wqe = uroce_ring_vacant(&side->qp->sq);

	assert_non_null(wqe);
	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = IBV_WR_SEND;
	wqe->length = length;
	wqe->ud.qpn = peer->qpn;
	wqe->ud.qkey = QKEY;
	wqe->ud.path = (struct uroce_path){
		.hop_limit = 64,
		.sport = uroce_instance_sport(side->instance, 0, 0),
		.here = uroce_instance_is_here(side->instance, peer->gid),
	};
	memcpy(wqe->ud.path.sgid, peer->gid, UROCE_GID_LEN);
	memcpy(wqe->ud.path.dgid, peer->gid, UROCE_GID_LEN);
	wqe->nr_sge = 1;
	wqe->sge[0] = (struct ibv_sge){
		.addr = (uintptr_t)data,
		.length = length,
		.lkey = side->key,
	};
	uroce_ring_put(&side->qp->sq);
}

void side_send_datagram(struct side *side, const struct side_address *peer,
			const uint8_t *data, uint32_t length)
{
	side_fill_datagram(side, peer, data, length);
	uroce_worker_post(side->worker, side->qp);
}

void side_receive(struct side *side, uint32_t length)
{
	struct uroce_recv_wqe *wqe = uroce_ring_vacant(&side->rq.ring);

	assert_non_null(wqe);
	memset(wqe, 0, sizeof(*wqe));
	wqe->length = length;
	wqe->nr_sge = 1;
	wqe->sge[0] = (struct ibv_sge){
		.addr = (uintptr_t)side->memory,
		.length = length,
		.lkey = side->key,
	};
	uroce_ring_put(&side->rq.ring);
}

void side_send(struct side *side, enum ibv_wr_opcode opcode, uint32_t length,
	       const struct side_address *peer)
{
	struct uroce_send_wqe *wqe = uroce_ring_vacant(&side->qp->sq);

	assert_non_null(wqe);
	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = (uint8_t)opcode;
	wqe->length = length;
	wqe->remote.va = peer->va;
	wqe->remote.rkey = peer->key;
	wqe->remote.compare_add = 1; /* operand of fetch-add */
	wqe->nr_sge = 1;
	wqe->sge[0] = (struct ibv_sge){
		.addr = (uintptr_t)side->memory,
		.length = length,
		.lkey = side->key,
	};
	uroce_ring_put(&side->qp->sq);
	uroce_worker_post(side->worker, side->qp);
}

bool side_take(struct side *side, struct uroce_cqe *ret_cqe)
{
	const struct uroce_cqe *cqe = uroce_ring_front(&side->cq.ring);

	if (!cqe)
		return false;
	*ret_cqe = *cqe;
	uroce_ring_take(&side->cq.ring);
	return true;
}

void side_poll(struct side *side, struct uroce_cqe *ret_cqe)
{
	while (!side_take(side, ret_cqe))
		uroce_worker_poll(side->worker);
}

/* These tests ignore the log. */
void verbs_log(const struct ibv_context *ctx, enum verbs_log_level level,
	       const char *format, ...)
{
}
