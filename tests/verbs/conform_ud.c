// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: datagrams. A datagram that a QP does not accept
 * is dropped without a completion or an error. Datagrams of one QP to another
 * stay in order, so the next accepted one shows that it was dropped.
 */
#include "conform.h"

#include <string.h>

#define UD_GRH	  40
#define UD_SIZE	  16384
#define UD_GUARD  64
#define OTHER_KEY 0x01020304u

struct ud_rig {
	struct pair pair;
	struct mem *mem, *target; /* of the client, of the server */
	struct ah *ah;		  /* of the client */
	uint32_t seed;
};

static struct ud_rig ud_rig_new(void)
{
	const struct qp_args args = { .type = IBV_QPT_UD };
	struct ud_rig rig = { .pair = pair_new(&args, NULL) };

	rig.mem = mem_new(CLIENT, UD_SIZE, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, UD_SIZE, CONFORM_ALL_ACCESS);
	rig.ah = ah_new(CLIENT);
	return rig;
}

/* A datagram from the client to the server's QP. */
static struct work ud_work(struct ud_rig *rig, uint32_t length)
{
	struct work work = work_send(rig->mem, 0, length);

	mem_fill(rig->mem, 0, length, ++rig->seed);
	work.wr_id = rig->seed;
	work.ah = rig->ah;
	work.remote_qpn = rig->pair.server->num;
	work.remote_qkey = CONFORM_QKEY;
	return work;
}

static void ud_post(struct ud_rig *rig, const struct work *work)
{
	struct ibv_wc wc;

	post(rig->pair.client, work);
	wc = poll_success(rig->pair.client->send_cq, work->wr_id);
	REQUIRE_EQUAL(wc.opcode, IBV_WC_SEND);
	REQUIRE_EQUAL(wc.qp_num, rig->pair.client->num);
}

/* The receive of @wr_id has the datagram of @seed at UD_GUARD. */
static struct ibv_wc ud_receive(struct ud_rig *rig, struct qp *qp,
				const struct mem *mem, uint64_t wr_id,
				uint32_t length)
{
	struct ibv_wc wc = poll_success(qp->recv_cq, wr_id);

	REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV);
	REQUIRE_EQUAL(wc.byte_len, UD_GRH + length);
	REQUIRE_EQUAL(wc.qp_num, qp->num);
	REQUIRE_EQUAL(wc.src_qp, rig->pair.client->num);
	REQUIRE(wc.wc_flags & IBV_WC_GRH);
	mem_require_value(mem, 0, UD_GUARD, 0);
	mem_require(mem, UD_GUARD + UD_GRH, length, rig->seed);
	mem_require_value(mem, UD_GUARD + UD_GRH + length, UD_GUARD, 0);
	return wc;
}

/* A datagram that arrives, with its receive. */
static struct ibv_wc ud_send(struct ud_rig *rig, uint32_t length)
{
	struct work work = ud_work(rig, length);

	memset(rig->target->view, 0, UD_SIZE);
	post_recv(rig->pair.server, rig->target, UD_GUARD, UD_GRH + length, 7);
	ud_post(rig, &work);
	return ud_receive(rig, rig->pair.server, rig->target, 7, length);
}

/* The server has got nothing else, and both QPs still work. */
static void ud_require_quiet(struct ud_rig *rig)
{
	struct conform_event event;

	poll_nothing(rig->pair.client->send_cq, 0);
	poll_nothing(rig->pair.server->recv_cq, 0);
	REQUIRE_EQUAL(qp_query(rig->pair.client).qp_state, IBV_QPS_RTS);
	REQUIRE_EQUAL(qp_query(rig->pair.server).qp_state, IBV_QPS_RTS);
	REQUIRE(!event_wait(SERVER, &event, 0));
	REQUIRE(!event_wait(CLIENT, &event, 0));
}

static void ud_every_size_arrives_intact(void)
{
	const uint32_t mtu = conform_mtu();
	const uint32_t sizes[] = { 0,  1,   2,	 3,	  4,	   7,  8,
				   64, 255, 256, mtu - 4, mtu - 1, mtu };
	struct ud_rig rig = ud_rig_new();

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		conform_context("%u bytes", sizes[i]);
		REQUIRE(!(ud_send(&rig, sizes[i]).wc_flags & IBV_WC_WITH_IMM));
	}
	ud_require_quiet(&rig);
}

/* The memory is changed as soon as the request was posted. */
static void ud_inline_and_lists_arrive_intact(void)
{
	struct ud_rig rig = ud_rig_new();
	struct work work = ud_work(&rig, 60);
	struct ibv_sge list[3] = {
		sge(rig.target, UD_GUARD, 33),
		sge(rig.target, UD_GUARD + 33, 20),
		sge(rig.target, UD_GUARD + 53, 47),
	};

	work.nr_sge = 3;
	work.sge[0] = sge(rig.mem, 0, 11);
	work.sge[1] = sge(rig.mem, 11, 40);
	work.sge[2] = sge(rig.mem, 51, 9);
	for (int i = 0; i < 2; i++) {
		memset(rig.target->view, 0, UD_SIZE);
		mem_fill(rig.mem, 0, 60, rig.seed);
		work.flags = i ? IBV_SEND_INLINE : 0;
		REQUIRE_EQUAL(post_recv_try(rig.pair.server, 7, list, 3), 0);
		post(rig.pair.client, &work);
		if (i)
			memset(rig.mem->view, 0xee, 60);
		poll_success(rig.pair.client->send_cq, work.wr_id);
		ud_receive(&rig, rig.pair.server, rig.target, 7, 60);
	}
	ud_require_quiet(&rig);
}

static uint32_t ud_be16(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 8 | bytes[1];
}

/* IBTA A17.4.5.2: an IPv4 header is in the last 20 of the 40 bytes. */
static void ud_require_header(const uint8_t *grh, uint32_t length)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint8_t *gid = conform_gid()->raw;
	/* UDP, BTH, DETH, data with padding, ICRC */
	const uint32_t udp = 8 + 12 + 8 + ((length + 3) & ~3u) + 4;

	if (!memcmp(gid, mapped, sizeof(mapped))) {
		REQUIRE_EQUAL(grh[20], 0x45);
		REQUIRE_EQUAL(ud_be16(grh + 22), 20 + udp);
		REQUIRE_EQUAL(grh[28], 64); /* hop limit of the AH */
		REQUIRE_EQUAL(grh[29], 17);
		REQUIRE(!memcmp(grh + 32, gid + 12, 4));
		REQUIRE(!memcmp(grh + 36, gid + 12, 4));
	} else {
		REQUIRE_EQUAL(grh[0] >> 4, 6);
		REQUIRE_EQUAL(ud_be16(grh + 4), udp);
		REQUIRE_EQUAL(grh[6], 17);
		REQUIRE_EQUAL(grh[7], 64);
		REQUIRE(!memcmp(grh + 8, gid, 16));
		REQUIRE(!memcmp(grh + 24, gid, 16));
	}
}

static void ud_first_40_bytes_are_header(void)
{
	struct ud_rig rig = ud_rig_new();

	for (uint32_t length = 61; length <= 64; length++) {
		ud_send(&rig, length);
		ud_require_header(rig.target->view + UD_GUARD, length);
	}
}

static void ud_imm_arrives(void)
{
	struct ud_rig rig = ud_rig_new();

	for (uint32_t length = 0; length <= 100; length += 50) {
		struct work work = ud_work(&rig, length);
		struct ibv_wc wc;

		memset(rig.target->view, 0, UD_SIZE);
		work.opcode = IBV_WR_SEND_WITH_IMM;
		work.imm = 0xfeedbeef - length;
		post_recv(rig.pair.server, rig.target, UD_GUARD, 1000, 7);
		ud_post(&rig, &work);
		wc = ud_receive(&rig, rig.pair.server, rig.target, 7, length);
		REQUIRE(wc.wc_flags & IBV_WC_WITH_IMM);
		REQUIRE_EQUAL(be32toh(wc.imm_data), work.imm);
	}
	ud_require_quiet(&rig);
}

static void ud_qkey_mismatch_is_dropped(void)
{
	static const uint32_t keys[] = { OTHER_KEY, 0, CONFORM_QKEY ^ 1,
					 CONFORM_QKEY ^ 0x40000000 };
	struct ud_rig rig = ud_rig_new();
	struct work right;

	post_recv(rig.pair.server, rig.target, UD_GUARD, 1000, 6);
	for (int i = 0; i < 4; i++) {
		struct work work = ud_work(&rig, 100);

		work.remote_qkey = keys[i];
		ud_post(&rig, &work);
	}
	right = ud_work(&rig, 50);
	ud_post(&rig, &right);
	ud_receive(&rig, rig.pair.server, rig.target, 6, 50);
	ud_require_quiet(&rig);
}

static void ud_set_qkey(struct qp *qp, uint32_t qkey)
{
	struct ibv_qp_attr attr = { .qkey = qkey };

	REQUIRE_EQUAL(qp_modify(qp, &attr, IBV_QP_QKEY), 0);
	REQUIRE_EQUAL(qp_query(qp).qkey, qkey);
}

/* IBTA 10.2.5: with the highest bit set, the QP's own Q_Key is sent. */
static void ud_controlled_qkey_sends_own_qkey(void)
{
	struct ud_rig rig = ud_rig_new();
	struct work work = ud_work(&rig, 100);

	work.remote_qkey = 0x80000000;
	post_recv(rig.pair.server, rig.target, UD_GUARD, 1000, 6);
	ud_post(&rig, &work);
	ud_receive(&rig, rig.pair.server, rig.target, 6, 100);

	/* Now the own Q_Key is another one: only the first is dropped. */
	ud_set_qkey(rig.pair.client, OTHER_KEY);
	memset(rig.target->view, 0, UD_SIZE);
	post_recv(rig.pair.server, rig.target, UD_GUARD, 1000, 8);
	work = ud_work(&rig, 30);
	work.remote_qkey = 0x80000000 | CONFORM_QKEY;
	ud_post(&rig, &work);
	work = ud_work(&rig, 31);
	ud_post(&rig, &work);
	ud_receive(&rig, rig.pair.server, rig.target, 8, 31);
	ud_require_quiet(&rig);
}

static void ud_changed_qkey_applies_at_once(void)
{
	struct ud_rig rig = ud_rig_new();
	struct work work;

	ud_set_qkey(rig.pair.server, OTHER_KEY);
	post_recv(rig.pair.server, rig.target, UD_GUARD, 1000, 6);
	work = ud_work(&rig, 100);
	ud_post(&rig, &work);
	work = ud_work(&rig, 101);
	work.remote_qkey = OTHER_KEY;
	ud_post(&rig, &work);
	ud_receive(&rig, rig.pair.server, rig.target, 6, 101);
	ud_require_quiet(&rig);
}

/*
 * No packet is sent. IBTA C10-93.1.1 allows a success; other devices refuse
 * the request, or it fails with a completion.
 */
static void ud_longer_than_mtu_is_not_sent(void)
{
	struct ud_rig rig = ud_rig_new();
	struct work work = ud_work(&rig, conform_mtu() + 1);
	struct ibv_wc wc;

	post_recv(rig.pair.server, rig.target, UD_GUARD, UD_SIZE - UD_GUARD, 6);
	if (!post_try(rig.pair.client, &work, 1, NULL)) {
		wc = poll_one(rig.pair.client->send_cq);
		REQUIRE_EQUAL(wc.wr_id, work.wr_id);
		if (wc.status != IBV_WC_SUCCESS) {
			REQUIRE_EQUAL(wc.status, IBV_WC_LOC_LEN_ERR);
			qp_wait_state(rig.pair.client, IBV_QPS_SQE);
			REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_RTS),
				      0);
		}
	}
	work = ud_work(&rig, 10);
	ud_post(&rig, &work);
	ud_receive(&rig, rig.pair.server, rig.target, 6, 10);
	ud_require_quiet(&rig);
}

static void ud_receive_too_short_is_dropped(void)
{
	struct ud_rig rig = ud_rig_new();
	struct work work;

	post_recv(rig.pair.server, rig.target, UD_GUARD, UD_GRH + 50, 6);
	for (uint32_t length = 51; length < 1000; length *= 3) {
		work = ud_work(&rig, length);
		ud_post(&rig, &work);
	}
	work = ud_work(&rig, 50);
	ud_post(&rig, &work);
	ud_receive(&rig, rig.pair.server, rig.target, 6, 50);
	ud_require_quiet(&rig);
}

static void ud_without_receive_is_dropped(void)
{
	struct ud_rig rig = ud_rig_new();
	const struct qp_args args = { .type = IBV_QPT_UD };
	struct qp *other = qp_new(SERVER, &args);
	struct work work = ud_work(&rig, 100);

	qp_connect(other, qp_new(SERVER, &args), NULL);
	ud_post(&rig, &work);
	/* The other QP gets a later datagram: the first was processed. */
	post_recv(other, rig.target, UD_GUARD, 1000, 5);
	work = ud_work(&rig, 70);
	work.remote_qpn = other->num;
	ud_post(&rig, &work);
	ud_receive(&rig, other, rig.target, 5, 70);
	ud_send(&rig, 90);
	ud_require_quiet(&rig);
}

/* The receiver replies to src_qp. */
static void ud_source_qpn_can_be_replied_to(void)
{
	struct ud_rig rig = ud_rig_new();
	struct work work;
	struct ibv_wc wc = ud_send(&rig, 100);

	work = work_send(rig.target, UD_GUARD + UD_GRH, 100);
	work.ah = ah_new(SERVER);
	work.remote_qpn = wc.src_qp;
	work.remote_qkey = CONFORM_QKEY;
	work.wr_id = 3;
	post_recv(rig.pair.client, rig.mem, 4096, 1000, 4);
	post(rig.pair.server, &work);
	poll_success(rig.pair.server->send_cq, 3);
	wc = poll_success(rig.pair.client->recv_cq, 4);
	REQUIRE_EQUAL(wc.src_qp, rig.pair.server->num);
	REQUIRE_EQUAL(wc.byte_len, UD_GRH + 100);
	mem_require(rig.mem, 4096 + UD_GRH, 100, rig.seed);
}

static void ud_ah_reaches_each_qp(void)
{
	struct ud_rig rig = ud_rig_new();
	struct mem *own = mem_new(CLIENT, UD_SIZE, CONFORM_ALL_ACCESS);

	for (int i = 0; i < 4; i++) {
		struct work work = ud_work(&rig, 100);

		memset(own->view, 0, UD_SIZE);
		work.remote_qpn = rig.pair.client->num;
		post_recv(rig.pair.client, own, UD_GUARD, 1000, 6);
		post(rig.pair.client, &work);
		/* Either completion may be the first. */
		for (int k = 0; k < 2; k++) {
			struct ibv_wc wc = poll_status(rig.pair.client->recv_cq,
						       IBV_WC_SUCCESS);

			REQUIRE_EQUAL(wc.wr_id, wc.opcode == IBV_WC_RECV
							? 6
							: work.wr_id);
			if (wc.opcode == IBV_WC_RECV)
				REQUIRE_EQUAL(wc.src_qp, rig.pair.client->num);
		}
		mem_require_value(own, 0, UD_GUARD, 0);
		mem_require(own, UD_GUARD + UD_GRH, 100, rig.seed);
		poll_nothing(rig.pair.server->recv_cq, 0);
		ud_send(&rig, 200);
	}
	ud_require_quiet(&rig);
}

static void ud_unknown_qpn_is_dropped(void)
{
	struct ud_rig rig = ud_rig_new();
	struct pair rc = pair_new(NULL, NULL);
	struct work work = ud_work(&rig, 100);

	post_recv(rc.server, rig.target, 0, 1000, 1);
	work.remote_qpn = rc.server->num; /* another type */
	ud_post(&rig, &work);
	work.remote_qpn = 0xfffff0;
	ud_post(&rig, &work);
	ud_send(&rig, 10);
	poll_nothing(rc.server->recv_cq, 0);
	REQUIRE_EQUAL(qp_query(rc.server).qp_state, IBV_QPS_RTS);
	ud_require_quiet(&rig);
}

/* RDMA and atomics: refused at once, or with a completion. */
static void ud_rdma_opcodes_are_refused(void)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ud_rig rig = ud_rig_new();

	for (int i = 0; i < 5; i++) {
		struct work work = ud_work(&rig, 8);

		conform_context("opcode %d", (int)opcodes[i]);
		memset(rig.target->view, 0, UD_SIZE);
		work.opcode = opcodes[i];
		post_recv(rig.pair.server, rig.target, UD_GUARD, 1000, 6);
		if (!post_try(rig.pair.client, &work, 1, NULL)) {
			REQUIRE_EQUAL(poll_status(rig.pair.client->send_cq,
						  IBV_WC_LOC_QP_OP_ERR)
					      .wr_id,
				      work.wr_id);
			qp_wait_state(rig.pair.client, IBV_QPS_SQE);
			REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_RTS),
				      0);
		}
		work = ud_work(&rig, 20);
		ud_post(&rig, &work);
		ud_receive(&rig, rig.pair.server, rig.target, 6, 20);
	}
	ud_require_quiet(&rig);
}

/* A datagram to group 5; @work is posted by the client. */
static void ud_post_group(struct ud_rig *rig, struct ah *group)
{
	struct work work = ud_work(rig, 300);

	work.ah = group;
	work.remote_qpn = 0xffffff;
	ud_post(rig, &work);
}

static void ud_multicast_reaches_members_once(void)
{
	struct ud_rig rig = ud_rig_new();
	const struct qp_args args = { .type = IBV_QPT_UD };
	struct qp *second = qp_new(SERVER, &args);
	struct qp *outsider = qp_new(SERVER, &args);
	struct mem *mem = mem_new(SERVER, UD_SIZE, CONFORM_ALL_ACCESS);
	struct ah *group = ah_new_mcast(CLIENT, 5);

	qp_connect(second, outsider, NULL);
	REQUIRE_EQUAL(mcast_attach(rig.pair.server, 5), 0);
	REQUIRE_EQUAL(mcast_attach(second, 5), 0);
	REQUIRE_EQUAL(mcast_attach(outsider, 6), 0);
	for (uint64_t i = 0; i < 2; i++) {
		post_recv(rig.pair.server, rig.target, UD_GUARD, 1000, i);
		post_recv(second, mem, UD_GUARD, 1000, 10 + i);
		post_recv(outsider, mem, UD_GUARD, 1000, 20 + i);
	}
	ud_post_group(&rig, group);
	ud_receive(&rig, rig.pair.server, rig.target, 0, 300);
	ud_receive(&rig, second, mem, 10, 300);

	/* One member left */
	REQUIRE_EQUAL(mcast_detach(second, 5), 0);
	memset(rig.target->view, 0, UD_SIZE);
	ud_post_group(&rig, group);
	ud_receive(&rig, rig.pair.server, rig.target, 1, 300);
	poll_nothing(second->recv_cq, 1);
	poll_nothing(outsider->recv_cq, 0);
	ud_require_quiet(&rig);
}

const struct conform_test conform_ud[] = {
	{ "ud.every_size_arrives_intact", ud_every_size_arrives_intact,
	  NEED_UD },
	{ "ud.inline_and_lists_arrive_intact",
	  ud_inline_and_lists_arrive_intact, NEED_UD },
	{ "ud.first_40_bytes_are_header", ud_first_40_bytes_are_header,
	  NEED_UD },
	{ "ud.imm_arrives", ud_imm_arrives, NEED_UD },
	{ "ud.qkey_mismatch_is_dropped", ud_qkey_mismatch_is_dropped, NEED_UD },
	{ "ud.controlled_qkey_sends_own_qkey",
	  ud_controlled_qkey_sends_own_qkey, NEED_UD },
	{ "ud.changed_qkey_applies_at_once", ud_changed_qkey_applies_at_once,
	  NEED_UD },
	{ "ud.longer_than_mtu_is_not_sent", ud_longer_than_mtu_is_not_sent,
	  NEED_UD },
	{ "ud.receive_too_short_is_dropped", ud_receive_too_short_is_dropped,
	  NEED_UD },
	{ "ud.without_receive_is_dropped", ud_without_receive_is_dropped,
	  NEED_UD },
	{ "ud.source_qpn_can_be_replied_to", ud_source_qpn_can_be_replied_to,
	  NEED_UD },
	{ "ud.ah_reaches_each_qp", ud_ah_reaches_each_qp, NEED_UD },
	{ "ud.unknown_qpn_is_dropped", ud_unknown_qpn_is_dropped, NEED_UD },
	{ "ud.rdma_opcodes_are_refused", ud_rdma_opcodes_are_refused, NEED_UD },
	{ "ud.multicast_reaches_members_once",
	  ud_multicast_reaches_members_once, NEED_UD | NEED_MCAST },
	{},
};
