// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: automatic path migration (IBTA 17.2.8). The
 * alternate path has the addresses of the path in use.
 */
#include "conform.h"

#include <errno.h>
#include <string.h>

#define MIGRATION_SIZE	  8192u
#define MIGRATION_TIMEOUT 15

struct migration_rig {
	struct pair pair;
	struct mem *mem, *target;
};

static struct migration_rig migration_rig_new(enum ibv_qp_type type)
{
	const struct qp_args args = { .type = type };
	struct migration_rig rig = { .pair = pair_new(&args, NULL) };

	rig.mem = mem_new(CLIENT, MIGRATION_SIZE, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, MIGRATION_SIZE, CONFORM_ALL_ACCESS);
	return rig;
}

/* Of a QP whose peer is @peer, to rearm it. */
static struct ibv_qp_attr migration_attr(const struct qp *qp,
					 const struct qp *peer)
{
	struct ibv_qp_attr attr;

	(void)qp_step(qp, peer, IBV_QPS_RTR, NULL, &attr);
	attr.alt_ah_attr = attr.ah_attr;
	attr.alt_port_num = attr.ah_attr.port_num;
	attr.alt_timeout = MIGRATION_TIMEOUT;
	attr.path_mig_state = IBV_MIG_REARM;
	return attr;
}

static void migration_rearm(struct qp *qp, const struct qp *peer)
{
	struct ibv_qp_attr attr = migration_attr(qp, peer);

	REQUIRE_EQUAL(
		qp_modify(qp, &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE),
		0);
}

static int migration_request(struct qp *qp, enum ibv_mig_state state)
{
	struct ibv_qp_attr attr = { .path_mig_state = state };

	return qp_modify(qp, &attr, IBV_QP_PATH_MIG_STATE);
}

static void migration_require_state(struct qp *qp, enum ibv_mig_state state)
{
	REQUIRE_EQUAL(qp_query(qp).path_mig_state, state);
}

/* A message of @from; its QP receives the ACK, except of a UC QP. */
static void migration_send(struct qp *from, const struct mem *mem,
			   struct qp *to, const struct mem *target)
{
	struct work work = work_send(mem, 0, MIGRATION_SIZE);

	post_recv(to, target, 0, MIGRATION_SIZE, 2);
	work.wr_id = 1;
	post(from, &work);
	poll_success(from->send_cq, 1);
	poll_success(to->recv_cq, 2);
}

/* A message in each direction shows each end the state of the other one. */
static void migration_exchange(struct migration_rig *rig, uint32_t seed)
{
	mem_fill(rig->mem, 0, MIGRATION_SIZE, seed);
	migration_send(rig->pair.client, rig->mem, rig->pair.server,
		       rig->target);
	mem_require(rig->target, 0, MIGRATION_SIZE, seed);
	migration_send(rig->pair.server, rig->target, rig->pair.client,
		       rig->mem);
	mem_require(rig->mem, 0, MIGRATION_SIZE, seed);
}

static void migration_arm(struct migration_rig *rig)
{
	migration_rearm(rig->pair.client, rig->pair.server);
	migration_rearm(rig->pair.server, rig->pair.client);
	migration_exchange(rig, 1);
	migration_require_state(rig->pair.client, IBV_MIG_ARMED);
	migration_require_state(rig->pair.server, IBV_MIG_ARMED);
}

static void migration_follow_request(enum ibv_qp_type type)
{
	struct migration_rig rig = migration_rig_new(type);

	migration_arm(&rig);
	/* COMM_EST, if the peer's first message came in RTR */
	while (event_wait(CLIENT, &(struct conform_event){}, 0))
		;
	while (event_wait(SERVER, &(struct conform_event){}, 0))
		;
	REQUIRE_EQUAL(migration_request(rig.pair.client, IBV_MIG_MIGRATED), 0);
	migration_require_state(rig.pair.client, IBV_MIG_MIGRATED);
	event_require(CLIENT, IBV_EVENT_PATH_MIG, rig.pair.client->id);
	migration_exchange(&rig, 2);
	migration_require_state(rig.pair.server, IBV_MIG_MIGRATED);
	event_require(SERVER, IBV_EVENT_PATH_MIG, rig.pair.server->id);
	migration_exchange(&rig, 3);
}

/* -- tests -- */

static void migration_alternate_path_is_queried(void)
{
	struct migration_rig rig = migration_rig_new(IBV_QPT_RC);
	struct ibv_qp_attr attr;

	migration_require_state(rig.pair.client, IBV_MIG_MIGRATED);
	migration_rearm(rig.pair.client, rig.pair.server);
	attr = qp_query(rig.pair.client);
	REQUIRE_EQUAL(attr.path_mig_state, IBV_MIG_REARM);
	REQUIRE_EQUAL(attr.alt_port_num, 1);
	REQUIRE_EQUAL(attr.alt_timeout, MIGRATION_TIMEOUT);
	REQUIRE(!memcmp(&attr.alt_ah_attr.grh.dgid, &attr.ah_attr.grh.dgid,
			sizeof(union ibv_gid)));
}

static void migration_rearm_without_path_is_einval(void)
{
	struct migration_rig rig = migration_rig_new(IBV_QPT_RC);

	REQUIRE_EQUAL(migration_request(rig.pair.client, IBV_MIG_REARM),
		      EINVAL);
	migration_require_state(rig.pair.client, IBV_MIG_MIGRATED);
}

static void migration_armed_cannot_be_requested(void)
{
	struct migration_rig rig = migration_rig_new(IBV_QPT_RC);

	migration_rearm(rig.pair.client, rig.pair.server);
	REQUIRE_EQUAL(migration_request(rig.pair.client, IBV_MIG_ARMED),
		      EINVAL);
	REQUIRE_EQUAL(migration_request(rig.pair.client, IBV_MIG_MIGRATED),
		      EINVAL);
	migration_require_state(rig.pair.client, IBV_MIG_REARM);
}

static void migration_invalid_path_is_einval(void)
{
	struct migration_rig rig = migration_rig_new(IBV_QPT_RC);
	struct qp *qp = rig.pair.client;
	struct ibv_qp_attr attr = migration_attr(qp, rig.pair.server);

	attr.alt_port_num = 77;
	REQUIRE_EQUAL(qp_modify(qp, &attr, IBV_QP_ALT_PATH), EINVAL);
	attr = migration_attr(qp, rig.pair.server);
	attr.alt_timeout = 32;
	REQUIRE_EQUAL(qp_modify(qp, &attr, IBV_QP_ALT_PATH), EINVAL);
}

static void migration_one_rearmed_end_is_not_armed(void)
{
	struct migration_rig rig = migration_rig_new(IBV_QPT_RC);

	migration_rearm(rig.pair.client, rig.pair.server);
	migration_exchange(&rig, 1);
	migration_require_state(rig.pair.client, IBV_MIG_REARM);
	migration_require_state(rig.pair.server, IBV_MIG_MIGRATED);
}

static void migration_rc_peer_follows_request(void)
{
	migration_follow_request(IBV_QPT_RC);
}

static void migration_uc_peer_follows_request(void)
{
	migration_follow_request(IBV_QPT_UC);
}

static void migration_reset_discards_path(void)
{
	struct migration_rig rig = migration_rig_new(IBV_QPT_RC);

	migration_arm(&rig);
	REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_RESET), 0);
	migration_require_state(rig.pair.client, IBV_MIG_MIGRATED);
	REQUIRE_EQUAL(qp_query(rig.pair.client).alt_port_num, 0);
}

const struct conform_test conform_migration[] = {
	{ "migration.alternate_path_is_queried",
	  migration_alternate_path_is_queried, NEED_MIGRATION },
	{ "migration.rearm_without_path_is_einval",
	  migration_rearm_without_path_is_einval, NEED_MIGRATION },
	{ "migration.armed_cannot_be_requested",
	  migration_armed_cannot_be_requested, NEED_MIGRATION },
	{ "migration.invalid_path_is_einval", migration_invalid_path_is_einval,
	  NEED_MIGRATION },
	{ "migration.one_rearmed_end_is_not_armed",
	  migration_one_rearmed_end_is_not_armed, NEED_MIGRATION },
	{ "migration.rc_peer_follows_request",
	  migration_rc_peer_follows_request, NEED_MIGRATION },
	{ "migration.uc_peer_follows_request",
	  migration_uc_peer_follows_request, NEED_MIGRATION | NEED_UC },
	{ "migration.reset_discards_path", migration_reset_discards_path,
	  NEED_MIGRATION },
	{},
};
