/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A worker without network, thread and clock: see fake_worker.h. */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uroce/wire/uroce_wire.h"

#define MAX_PACKETS 4096
#define START_NS    UINT64_C(5000000000)

struct fake_worker fake_worker;

struct sent {
	struct uroce_packet packet;
	struct uroce_path path;
	uint8_t payload[UROCE_CHANNEL_MTU];
};

/* ------------------------------------------------------------------------ */
/* Packets                                                                   */
/* ------------------------------------------------------------------------ */

static void gather(const struct uroce_out *out, uint8_t *to)
{
	for (uint32_t i = 0; i < out->iovecs.nr; i++) {
		memcpy(to, out->iovecs.iov[i].iov_base,
		       out->iovecs.iov[i].iov_len);
		to += out->iovecs.iov[i].iov_len;
	}
}

static size_t collect(struct sent *sent)
{
	struct uroce_out out;
	size_t nr = 0;

	while (uroce_engine_next(&fake_worker.engine, fake_worker.now, &out)) {
		struct sent *to = &sent[nr++];

		assert_true(nr < MAX_PACKETS);
		to->packet = out.packet;
		to->path = *out.packet.path;
		gather(&out, to->payload);
		to->packet.path = &to->path;
		to->packet.channel = out.qp->roce->channel;
		to->packet.payload = to->payload;
		to->packet.traits = uroce_wire_traits(to->packet.opcode);
		if (fake_worker.on_packet)
			fake_worker.on_packet(&to->packet);
	}
	uroce_engine_sent(&fake_worker.engine, fake_worker.now);
	return nr;
}

static void deliver_events(void)
{
	const struct uroce_worker_ops *ops = &uroce_worker_callbacks;
	struct uroce_cq *cq;
	struct uroce_rq *rq;
	struct uroce_qp *qp;

	while ((cq = uroce_core_take_cq(&fake_worker.engine.core)) != NULL) {
		bool wake = cq->wake, overrun = cq->report_overrun;

		cq->wake = false;
		cq->report_overrun = false;
		ops->cq_event(cq, wake, overrun);
	}
	while ((rq = uroce_core_take_rq(&fake_worker.engine.core)) != NULL) {
		rq->limit_event = false;
		ops->rq_event(rq);
	}
	while ((qp = uroce_core_take_qp(&fake_worker.engine.core)) != NULL) {
		uint32_t events = qp->events;

		qp->events = 0;
		ops->qp_event(qp, events);
	}
}

static void run(void)
{
	static struct sent sent[MAX_PACKETS];
	size_t nr;

	do {
		nr = collect(sent);
		for (size_t i = 0; i < nr; i++)
			uroce_engine_receive(&fake_worker.engine,
					     &sent[i].packet, fake_worker.now);
		(void)uroce_engine_expire(&fake_worker.engine, fake_worker.now);
	} while (nr);
	deliver_events();
}

/* ------------------------------------------------------------------------ */
/* uroce_worker.h, uroce_instance.h */
/* ------------------------------------------------------------------------ */

void uroce_worker_lock(struct uroce_worker *worker)
{
	assert_false(fake_worker.locked);
	fake_worker.locked = true;
}

void uroce_worker_unlock(struct uroce_worker *worker)
{
	assert_true(fake_worker.locked);
	run();
	fake_worker.locked = false;
}

void uroce_worker_post(struct uroce_worker *worker, struct uroce_qp *qp)
{
	assert_false(fake_worker.locked);
	uroce_engine_kick(&fake_worker.engine, qp);
	fake_worker.nr_posts++;
	run();
}

enum uroce_pass uroce_worker_poll(struct uroce_worker *worker)
{
	assert_false(fake_worker.locked);
	fake_worker.nr_polls++;
	run();
	return UROCE_PASS_FULL;
}

void uroce_worker_poll_other(struct uroce_worker *worker)
{
}

int uroce_worker_arm_cq(struct uroce_worker *worker, struct uroce_cq *cq,
			bool solicited_only)
{
	assert_false(fake_worker.locked);
	fake_worker.nr_arms++;
	uroce_cq_arm(cq, solicited_only);
	return 0;
}

void uroce_instance_lock(struct uroce_instance *instance)
{
	uroce_worker_lock(NULL);
}

void uroce_instance_unlock(struct uroce_instance *instance)
{
	uroce_worker_unlock(NULL);
}

struct uroce_worker *uroce_instance_next_worker(struct uroce_instance *instance)
{
	assert_false(fake_worker.locked);
	return (struct uroce_worker *)&fake_worker;
}

enum uroce_pass uroce_instance_poll(struct uroce_instance *instance)
{
	return uroce_worker_poll(NULL);
}

int uroce_instance_arm_cq(struct uroce_instance *instance, struct uroce_cq *cq,
			  bool solicited_only)
{
	return uroce_worker_arm_cq(NULL, cq, solicited_only);
}

void uroce_worker_bind_cq(struct uroce_worker *worker, struct uroce_cq *cq)
{
	assert_true(fake_worker.locked);
}

void uroce_instance_share_cq(struct uroce_instance *instance,
			     struct uroce_worker *worker, struct uroce_cq *cq)
{
	assert_true(fake_worker.locked);
	cq->shared = true;
}

void uroce_instance_forget_cq(struct uroce_instance *instance,
			      struct uroce_worker *worker, struct uroce_cq *cq)
{
	assert_true(fake_worker.locked);
	uroce_core_forget_cq(&fake_worker.engine.core, cq);
}

void uroce_instance_forget_rq(struct uroce_instance *instance,
			      struct uroce_rq *rq)
{
	assert_true(fake_worker.locked);
	uroce_core_forget_rq(&fake_worker.engine.core, rq);
}

int uroce_worker_join(struct uroce_worker *worker,
		      const struct uroce_instance *instance, const uint8_t *gid)
{
	assert_true(fake_worker.locked);
	if (fake_worker.join_ret == 0)
		fake_worker.nr_joined++;
	return fake_worker.join_ret;
}

void uroce_worker_leave(struct uroce_worker *worker,
			const struct uroce_instance *instance,
			const uint8_t *gid)
{
	assert_true(fake_worker.locked);
	fake_worker.nr_joined--;
}

void uroce_instance_netdev(struct uroce_instance *instance,
			   struct uroce_netdev *ret_dev)
{
	assert_false(fake_worker.locked);
	*ret_dev = fake_worker.dev;
}

uint64_t uroce_worker_now(void)
{
	return fake_worker.now;
}

uint32_t uroce_instance_new_pd(struct uroce_instance *instance)
{
	return ++fake_worker.last_pd;
}

int uroce_worker_connect(struct uroce_worker *worker,
			 const struct uroce_instance *instance,
			 const struct uroce_path *path, uint32_t dest_qpn,
			 struct uroce_channel **ret_channel)
{
	assert_false(fake_worker.locked);
	fake_worker.connect_path = *path;
	fake_worker.connect_qpn = dest_qpn;
	if (fake_worker.connect_ret)
		return fake_worker.connect_ret;
	fake_worker.nr_channels++;
	*ret_channel = &fake_worker.channel;
	return 0;
}

bool uroce_instance_is_here(struct uroce_instance *instance, const uint8_t *gid)
{
	assert_false(fake_worker.locked);
	return fake_worker.here;
}

bool uroce_worker_has_ud_peer(struct uroce_worker *worker, uint32_t qpn)
{
	return fake_worker.nr_met && fake_worker.met_qpn == qpn;
}

void uroce_worker_resolve_ud_peer(struct uroce_worker *worker,
				  const struct uroce_path *path, uint32_t qpn)
{
	assert_false(fake_worker.locked);
	fake_worker.met_path = *path;
	fake_worker.met_qpn = qpn;
	fake_worker.nr_met++;
}

int uroce_instance_withdraw_region(struct uroce_instance *instance,
				   uint32_t key)
{
	fake_worker.nr_withdrawn++;
	return fake_worker.copies_error;
}

struct uroce_worker *
uroce_instance_first_worker(struct uroce_instance *instance)
{
	return uroce_instance_next_worker(instance);
}

int uroce_instance_new_file(size_t bytes)
{
	int fd;

	if (fake_worker.file_error)
		return fake_worker.file_error;
	fd = memfd_create("fake_worker", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	return fd;
}

void uroce_instance_get_share(struct uroce_instance *instance,
			      const void *memory, uint64_t bytes,
			      uint64_t *ret_share, uint64_t *ret_offset)
{
	assert_false(fake_worker.locked);
	if (!fake_worker.share)
		return;
	fake_worker.nr_shares++;
	*ret_share = fake_worker.share;
	*ret_offset = (uintptr_t)memory % 4096;
}

void uroce_instance_put_share(struct uroce_instance *instance, uint64_t share)
{
	assert_false(fake_worker.locked);
	if (share)
		fake_worker.nr_shares--;
}

int uroce_instance_await_copies(struct uroce_instance *instance)
{
	return fake_worker.copies_error;
}

void uroce_worker_flush_qp(struct uroce_worker *worker, struct uroce_qp *qp)
{
	assert_false(fake_worker.locked);
	fake_worker.nr_settled++;
}

void uroce_worker_disconnect(struct uroce_worker *worker,
			     struct uroce_channel *channel)
{
	assert_true(fake_worker.locked);
	assert_ptr_equal(channel, &fake_worker.channel);
	fake_worker.nr_channels--;
}

uint16_t uroce_instance_sport(const struct uroce_instance *instance,
			      uint32_t qpn, uint32_t dest_qpn)
{
	return 0xc000;
}

uint16_t uroce_instance_other_sport(const struct uroce_instance *instance,
				    uint32_t qpn, uint32_t dest_qpn)
{
	return (uint16_t)(uroce_instance_sport(instance, qpn, dest_qpn) + 1);
}

uint64_t uroce_instance_count(struct uroce_instance *instance,
			      enum uroce_counter counter)
{
	assert_false(fake_worker.locked);
	return fake_worker.engine.core.counters.count[counter];
}

struct uroce_engine *uroce_worker_engine(struct uroce_worker *worker)
{
	return &fake_worker.engine;
}

void uroce_instance_counters(struct uroce_instance *instance,
			     struct uroce_instance_counters *ret_counters)
{
	assert_false(fake_worker.locked);
	*ret_counters = fake_worker.counters;
}

/* No test has several contexts that share objects. */
bool uroce_instance_find_owner(const struct uroce_instance *instance,
			       bool (*is_wanted)(void *owner, void *arg),
			       void *arg)
{
	return false;
}

void uroce_instance_publish_pd(struct uroce_instance *instance,
			       const struct uroce_origin *origin, uint32_t pd,
			       bool exists)
{
}

bool uroce_instance_is_origin(const struct uroce_instance *instance,
			      const struct uroce_origin *origin)
{
	return true;
}

int uroce_instance_connect_exporter(struct uroce_instance *instance,
				    const struct uroce_origin *origin,
				    struct uroce_channel **ret_channel)
{
	return -EOPNOTSUPP;
}

void uroce_instance_put_exporter(struct uroce_instance *instance,
				 struct uroce_channel *channel)
{
}

bool uroce_instance_exports_pd(struct uroce_channel *channel,
			       const struct uroce_origin *origin, uint32_t pd)
{
	return false;
}

int uroce_instance_import_region(struct uroce_channel *channel, uint32_t pd,
				 uint32_t key, struct uroce_import **ret_import,
				 struct uroce_region *ret_region)
{
	return -ENOENT;
}

void uroce_instance_unimport_region(struct uroce_import *import)
{
}

bool uroce_instance_dead(const struct uroce_instance *instance)
{
	return fake_worker.dead;
}

int uroce_instance_port_error(const struct uroce_instance *instance)
{
	return fake_worker.port_error;
}

uint32_t uroce_netdev_payload(uint32_t mtu)
{
	uint32_t payload = 256;

	if (mtu < 256 + 80)
		return 0;
	while (payload < 4096 && 2 * payload + 80 <= mtu)
		payload *= 2;
	return payload;
}

/* ------------------------------------------------------------------------ */
/* For tests                                                                 */
/* ------------------------------------------------------------------------ */

static void set_up_interface(struct uroce_netdev *dev)
{
	static const uint8_t gids[FAKE_NR_GIDS][UROCE_GID_LEN] = {
		[FAKE_GID_LINK_LOCAL] = { 0xfe, 0x80, [15] = 1 },
		[FAKE_GID_IPV4] = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
		[FAKE_GID_IPV6] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 },
	};

	*dev = (struct uroce_netdev){
		.name = "eth0",
		.ifindex = 7,
		.mtu = 1500,
		.speed_mbits = 25000,
		.up = true,
		.node_guid = { 2, 0, 0, 0xff, 0xfe, 0, 0, 1 },
		.nr_gids = FAKE_NR_GIDS,
	};
	memcpy(dev->gids, gids, sizeof(gids));
}

struct uroce_context *fake_worker_context(void)
{
	static struct ibv_device device = { .name = "uroce_eth0" };
	const struct uroce_engine_config config = {
		.memory = &fake_worker.regions,
		.seed = 1,
	};
	struct uroce_context *ctx = calloc(1, sizeof(*ctx));

	assert_non_null(ctx);
	fake_worker = (struct fake_worker){
		.now = START_NS,
		.connect_ret = -ENOENT,
	};
	uroce_channel_init(&fake_worker.channel);
	set_up_interface(&fake_worker.dev);
	uroce_memory_init(&fake_worker.regions, 1);
	assert_int_equal(uroce_engine_init(&fake_worker.engine, &config), 0);
	uroce_context_init(ctx);
	ctx->vctx.context.device = &device;
	ctx->memory = &fake_worker.regions;
	assert_int_equal(uroce_alloc_async_fd(&ctx->vctx.context,
					      &ctx->vctx.context.async_fd),
			 0);
	return ctx;
}

void fake_worker_close(struct uroce_context *ctx)
{
	assert_true(list_empty(&ctx->qps));
	assert_true(list_empty(&ctx->cqs));
	assert_true(list_empty(&ctx->srqs));
	assert_true(list_empty(&ctx->mrs));
	assert_true(list_empty(&ctx->mws));
	assert_int_equal(fake_worker.engine.nr_qps, 0);
	assert_int_equal(fake_worker.nr_joined, 0);
	assert_int_equal(fake_worker.nr_channels, 0);
	uroce_comp_channels_free(ctx);
	(void)close(ctx->vctx.context.async_fd);
	uroce_engine_fini(&fake_worker.engine);
	uroce_memory_fini(&fake_worker.regions);
	free(ctx);
}

void fake_worker_pass(uint64_t ns)
{
	fake_worker.now += ns;
	run();
}

struct ibv_pd *new_pd(struct uroce_context *ctx)
{
	struct ibv_pd *pd = NULL;

	assert_int_equal(uroce_alloc_pd(&ctx->vctx.context, &pd), 0);
	return pd;
}

struct ibv_mr *new_mr(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	struct ibv_mr *mr = NULL;

	assert_int_equal(
		uroce_reg_mr(pd, addr, len, (uintptr_t)addr, access, &mr), 0);
	return mr;
}

struct ibv_cq *new_cq(struct uroce_context *ctx, uint32_t cqe,
		      struct ibv_comp_channel *channel)
{
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
	};
	struct verbs_cq *vcq = NULL;

	assert_int_equal(
		uroce_create_cq(&ctx->vctx.context, &attr, false, &vcq), 0);
	return &vcq->cq;
}

static struct ibv_ah_attr address(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh.sgid_index = FAKE_GID_IPV4,
	};

	memcpy(attr.grh.dgid.raw, fake_worker.dev.gids[FAKE_GID_IPV4],
	       UROCE_GID_LEN);
	return attr;
}

struct ibv_ah *new_ah(struct ibv_pd *pd)
{
	struct ibv_ah_attr attr = address();
	struct ibv_ah *ah = NULL;

	assert_int_equal(uroce_create_ah(pd, &attr, &ah), 0);
	return ah;
}

static struct ibv_qp *make_qp(struct ibv_pd *pd, struct ibv_cq *cq,
			      enum ibv_qp_type type, struct ibv_srq *srq,
			      uint64_t send_ops)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = type,
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = { .max_send_wr = 8,
			 .max_recv_wr = 8,
			 .max_send_sge = 4,
			 .max_recv_sge = 4,
			 .max_inline_data = 64 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.send_ops_flags = send_ops,
	};
	struct verbs_qp *vqp = NULL;

	if (send_ops)
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	assert_int_equal(uroce_create_qp(pd->context, &attr, &vqp), 0);
	return &vqp->qp;
}

struct ibv_qp *new_qp(struct ibv_pd *pd, struct ibv_cq *cq,
		      enum ibv_qp_type type, struct ibv_srq *srq)
{
	return make_qp(pd, cq, type, srq, 0);
}

struct ibv_qp *new_qp_ex(struct ibv_pd *pd, struct ibv_cq *cq,
			 enum ibv_qp_type type)
{
	return make_qp(pd, cq, type, NULL,
		       type == IBV_QPT_UD   ? UROCE_UD_SEND_OPS
		       : type == IBV_QPT_UC ? UROCE_UC_SEND_OPS
					    : UROCE_RC_SEND_OPS);
}

static void step(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		 enum ibv_qp_state state, int mask)
{
	attr->qp_state = state;
	assert_int_equal(uroce_modify_qp(qp, attr, mask | IBV_QP_STATE), 0);
}

static const int all_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			      IBV_ACCESS_REMOTE_READ |
			      IBV_ACCESS_REMOTE_ATOMIC |
			      IBV_ACCESS_FLUSH_GLOBAL;

static void connect_ud(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .port_num = 1, .qkey = 0x1234 };

	step(qp, &attr, IBV_QPS_INIT,
	     IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	step(qp, &attr, IBV_QPS_RTR, 0);
	step(qp, &attr, IBV_QPS_RTS, IBV_QP_SQ_PSN);
}

void connect_qp(struct ibv_qp *qp, const struct ibv_qp *peer)
{
	const int rc = qp->qp_type == IBV_QPT_RC ? -1 : 0;
	struct ibv_qp_attr attr = {
		.qp_access_flags = (unsigned int)all_access,
		.port_num = 1,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp_num,
		.rq_psn = 0x100,
		.sq_psn = 0x100,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.timeout = 14,
		.retry_cnt = 1,
		.rnr_retry = 1,
		.ah_attr = address(),
	};

	if (qp->qp_type == IBV_QPT_UD) {
		connect_ud(qp);
		return;
	}
	step(qp, &attr, IBV_QPS_INIT,
	     IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	step(qp, &attr, IBV_QPS_RTR,
	     IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		     (rc & (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)));
	step(qp, &attr, IBV_QPS_RTS,
	     IBV_QP_SQ_PSN |
		     (rc & (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)));
}

struct ibv_wc poll_one(struct ibv_cq *cq)
{
	struct ibv_wc wc[2];

	assert_int_equal(uroce_poll_cq(cq, 1, wc), 1);
	return wc[0];
}

void assert_no_completion(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	assert_int_equal(uroce_poll_cq(cq, 1, &wc), 0);
}
