// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: rate limits (ibv_modify_qp_rate_limit(3)). A test
 * checks that requests take at least the time that follows from the limit; a
 * busy machine makes them take longer.
 */
#include "conform.h"

#include <errno.h>

#define RATE_KBPS      200000u
#define RATE_BURST     65536u
#define RATE_SIZE      65536u
#define RATE_NR	       16u
#define RATE_DATAGRAM  1000u
#define RATE_DATAGRAMS 100u
#define RATE_SLOW_KBPS 1u

static const struct ibv_qp_rate_limit_attr rate_attr = {
	.rate_limit = RATE_KBPS,
	.max_burst_sz = RATE_BURST,
};
static const struct ibv_qp_rate_limit_attr rate_slow = {
	.rate_limit = RATE_SLOW_KBPS,
};
static const struct ibv_qp_rate_limit_attr rate_none = {};

struct rate_rig {
	struct pair pair;
	struct mem *mem, *target;
};

static struct rate_rig rate_rig_new(enum ibv_qp_type type)
{
	const struct qp_args args = { .type = type };
	struct rate_rig rig = { .pair = pair_new(&args, NULL) };

	rig.mem = mem_new(CLIENT, RATE_SIZE, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, RATE_SIZE, CONFORM_ALL_ACCESS);
	return rig;
}

static void rate_limit(struct rate_rig *rig,
		       const struct ibv_qp_rate_limit_attr *attr)
{
	REQUIRE_EQUAL(qp_limit_rate(rig->pair.client, attr), 0);
	REQUIRE_EQUAL(qp_query(rig->pair.client).rate_limit, attr->rate_limit);
}

static void rate_post_write(struct rate_rig *rig, uint64_t wr_id)
{
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig->mem, 0, RATE_SIZE,
				     rig->target, 0);

	work.wr_id = wr_id;
	post(rig->pair.client, &work);
}

/* Ends the test if @bytes took less time than the limit requires. */
static void rate_require_time(uint64_t from_ns, uint64_t bytes)
{
	uint64_t least_ns = (bytes - RATE_BURST) * 8000000 / RATE_KBPS;

	conform_context("%llu bytes", (unsigned long long)bytes);
	REQUIRE(conform_now_ns() - from_ns >= least_ns);
}

static void rate_write_all(struct rate_rig *rig)
{
	mem_fill(rig->mem, 0, RATE_SIZE, 7);
	for (uint64_t i = 0; i < RATE_NR; i++)
		rate_post_write(rig, i);
	for (uint64_t i = 0; i < RATE_NR; i++)
		poll_success(rig->pair.client->send_cq, i);
	if (rig->pair.client->type == IBV_QPT_RC)
		mem_require(rig->target, 0, RATE_SIZE, 7);
}

static void rate_check_writes(struct rate_rig *rig)
{
	uint64_t from_ns = conform_now_ns();

	rate_write_all(rig);
	rate_require_time(from_ns, RATE_NR * RATE_SIZE);
}

static void rate_rc_is_limited(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_RC);

	rate_limit(&rig, &rate_attr);
	rate_check_writes(&rig);
}

static void rate_uc_is_limited(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_UC);

	rate_limit(&rig, &rate_attr);
	rate_check_writes(&rig);
}

static void rate_sends_are_limited(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_RC);
	struct work work = work_send(rig.mem, 0, RATE_SIZE);
	uint64_t from_ns;

	rate_limit(&rig, &rate_attr);
	for (uint64_t i = 0; i < RATE_NR; i++)
		post_recv(rig.pair.server, rig.target, 0, RATE_SIZE, i);
	from_ns = conform_now_ns();
	for (work.wr_id = 0; work.wr_id < RATE_NR; work.wr_id++)
		post(rig.pair.client, &work);
	for (uint64_t i = 0; i < RATE_NR; i++)
		poll_success(rig.pair.server->recv_cq, i);
	rate_require_time(from_ns, RATE_NR * RATE_SIZE);
}

static void rate_ud_is_limited(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_UD);
	const struct ibv_qp_rate_limit_attr attr = {
		.rate_limit = RATE_KBPS / 10,
		.max_burst_sz = 4096,
	};
	const uint64_t bytes = RATE_DATAGRAMS * RATE_DATAGRAM;
	struct work work = work_send(rig.mem, 0, RATE_DATAGRAM);
	uint64_t from_ns = conform_now_ns();

	rate_limit(&rig, &attr);
	work.ah = ah_new(CLIENT);
	work.remote_qpn = rig.pair.server->num;
	work.remote_qkey = CONFORM_QKEY;
	for (work.wr_id = 0; work.wr_id < RATE_DATAGRAMS; work.wr_id++)
		post(rig.pair.client, &work);
	for (uint64_t i = 0; i < RATE_DATAGRAMS; i++)
		poll_success(rig.pair.client->send_cq, i);
	REQUIRE(conform_now_ns() - from_ns >=
		(bytes - attr.max_burst_sz) * 8000000 / attr.rate_limit);
}

static void rate_attribute_of_modify_limits(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_RC);
	struct ibv_qp_attr attr = { .rate_limit = RATE_KBPS };
	uint64_t from_ns;

	REQUIRE_EQUAL(qp_modify(rig.pair.client, &attr, IBV_QP_RATE_LIMIT), 0);
	REQUIRE_EQUAL(qp_query(rig.pair.client).rate_limit, RATE_KBPS);
	from_ns = conform_now_ns();
	for (uint64_t i = 0; i < 4; i++)
		rate_write_all(&rig);
	/* the burst is that of the device */
	REQUIRE(conform_now_ns() - from_ns >=
		UINT64_C(2) * RATE_NR * RATE_SIZE * 8000000 / RATE_KBPS);
}

static void rate_zero_ends_wait(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_RC);

	rate_limit(&rig, &rate_slow);
	rate_post_write(&rig, 1);
	poll_nothing(rig.pair.client->send_cq, 10);
	rate_limit(&rig, &rate_none);
	poll_success(rig.pair.client->send_cq, 1);
}

static void rate_flush_ends_wait(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_RC);

	rate_limit(&rig, &rate_slow);
	rate_post_write(&rig, 1);
	REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_ERR), 0);
	REQUIRE_EQUAL(poll_status(rig.pair.client->send_cq, IBV_WC_WR_FLUSH_ERR)
			      .wr_id,
		      1);
}

static void rate_reset_removes_limit(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_RC);

	rate_limit(&rig, &rate_slow);
	REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_RESET), 0);
	REQUIRE_EQUAL(qp_to_state(rig.pair.server, IBV_QPS_RESET), 0);
	qp_connect(rig.pair.client, rig.pair.server, NULL);
	REQUIRE_EQUAL(qp_query(rig.pair.client).rate_limit, 0);
	rate_post_write(&rig, 1);
	poll_success(rig.pair.client->send_cq, 1);
}

/* READ requests are short, and the peer has no limit. */
static void rate_reads_of_peer_are_not_limited(void)
{
	struct rate_rig rig = rate_rig_new(IBV_QPT_RC);
	struct work work = work_rdma(IBV_WR_RDMA_READ, rig.target, 0, RATE_SIZE,
				     rig.mem, 0);

	rate_limit(&rig, &rate_slow);
	post(rig.pair.server, &work);
	poll_success(rig.pair.server->send_cq, 0);
}

static void rate_states_are_checked(void)
{
	const struct qp_args args = { .type = IBV_QPT_RC };
	struct qp *qp = qp_new(CLIENT, &args);

	REQUIRE_EQUAL(qp_limit_rate(qp, &rate_attr), EINVAL);
	REQUIRE_EQUAL(qp_to_init(qp, NULL), 0);
	REQUIRE_EQUAL(qp_limit_rate(qp, &rate_attr), EINVAL);
	REQUIRE_EQUAL(qp_to_rtr(qp, qp, NULL), 0);
	REQUIRE_EQUAL(qp_limit_rate(qp, &rate_attr), EINVAL);
	REQUIRE_EQUAL(qp_to_rts(qp, NULL), 0);
	REQUIRE_EQUAL(qp_limit_rate(qp, &rate_attr), 0);
	REQUIRE_EQUAL(qp_to_state(qp, IBV_QPS_ERR), 0);
	REQUIRE_EQUAL(qp_limit_rate(qp, &rate_attr), EINVAL);
}

static void rate_values_are_checked(void)
{
	const struct ibv_packet_pacing_caps *caps =
		&conform_device()->packet_pacing_caps;
	struct rate_rig rig = rate_rig_new(IBV_QPT_RC);
	struct ibv_qp_rate_limit_attr attr = {
		.rate_limit = caps->qp_rate_limit_max,
	};
	struct ibv_qp_attr qp_attr = {
		.rate_limit = caps->qp_rate_limit_max + 1,
	};

	REQUIRE(caps->qp_rate_limit_min <= caps->qp_rate_limit_max);
	rate_limit(&rig, &attr);
	attr.rate_limit = caps->qp_rate_limit_min;
	rate_limit(&rig, &attr);
	attr.rate_limit = caps->qp_rate_limit_max + 1;
	REQUIRE_EQUAL(qp_limit_rate(rig.pair.client, &attr), EINVAL);
	REQUIRE_EQUAL(qp_modify(rig.pair.client, &qp_attr, IBV_QP_RATE_LIMIT),
		      EINVAL);
	attr = (struct ibv_qp_rate_limit_attr){ .max_burst_sz = 4096 };
	REQUIRE_EQUAL(qp_limit_rate(rig.pair.client, &attr), EINVAL);
	attr = (struct ibv_qp_rate_limit_attr){ .typical_pkt_sz = 1024 };
	REQUIRE_EQUAL(qp_limit_rate(rig.pair.client, &attr), EINVAL);
	REQUIRE_EQUAL(qp_query(rig.pair.client).rate_limit,
		      caps->qp_rate_limit_min);
}

const struct conform_test conform_rate[] = {
	{ "rate.rc_is_limited", rate_rc_is_limited, NEED_RATE_LIMIT },
	{ "rate.uc_is_limited", rate_uc_is_limited, NEED_RATE_LIMIT | NEED_UC },
	{ "rate.ud_is_limited", rate_ud_is_limited, NEED_RATE_LIMIT | NEED_UD },
	{ "rate.sends_are_limited", rate_sends_are_limited, NEED_RATE_LIMIT },
	{ "rate.attribute_of_modify_limits", rate_attribute_of_modify_limits,
	  NEED_RATE_LIMIT },
	{ "rate.zero_ends_wait", rate_zero_ends_wait, NEED_RATE_LIMIT },
	{ "rate.flush_ends_wait", rate_flush_ends_wait, NEED_RATE_LIMIT },
	{ "rate.reset_removes_limit", rate_reset_removes_limit,
	  NEED_RATE_LIMIT },
	{ "rate.reads_of_peer_are_not_limited",
	  rate_reads_of_peer_are_not_limited, NEED_RATE_LIMIT },
	{ "rate.states_are_checked", rate_states_are_checked, NEED_RATE_LIMIT },
	{ "rate.values_are_checked", rate_values_are_checked, NEED_RATE_LIMIT },
	{},
};
