// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: when a call that takes memory back from the
 * device has returned, or a flushed completion was polled, the memory belongs
 * to the program: no peer writes it, or reads it, any more.
 */
#include "conform.h"

#include <string.h>

#define QUIESCE_NR	 12
#define QUIESCE_OLD	 0x11 /* before the call */
#define QUIESCE_NEW	 0xa5 /* written by the program after the call */
#define QUIESCE_MB	 (1u << 20)
#define QUIESCE_AFTER_MS 4 /* for requests that the call did not stop */

enum quiesce_how {
	QUIESCE_DEREG,
	QUIESCE_REREG,
	QUIESCE_RESET,
	QUIESCE_ERR,
	QUIESCE_DESTROY,
};

struct quiesce_rig {
	struct pair pair;
	struct mem *client, *server;
	uint32_t length; /* of a message */
	int nr_polled;	 /* completions of the client */
};

static const uint32_t quiesce_lengths[] = { 4096, 100001, QUIESCE_MB };
#define QUIESCE_NR_LENGTHS \
	(sizeof(quiesce_lengths) / sizeof(quiesce_lengths[0]))

/*
 * With several messages of @length in flight: the call comes when the first one
 * is complete. @client_parts, @server_parts: messages for which the memory of
 * an end has room.
 */
static struct quiesce_rig quiesce_rig_new(uint32_t length, size_t client_parts,
					  size_t server_parts)
{
	struct quiesce_rig rig = {
		.pair = pair_new(NULL, NULL),
		.client = mem_new(CLIENT, length * client_parts,
				  CONFORM_ALL_ACCESS),
		.server = mem_new(SERVER, length * server_parts,
				  CONFORM_ALL_ACCESS),
		.length = length,
	};

	memset(rig.client->view, QUIESCE_OLD, rig.client->length);
	memset(rig.server->view, QUIESCE_OLD, rig.server->length);
	return rig;
}

/* All RDMA requests of a round; a part for each one, or the same for all. */
static void quiesce_post(struct quiesce_rig *rig, enum ibv_wr_opcode opcode)
{
	struct work work[QUIESCE_NR];
	struct ibv_wc wc;

	for (size_t i = 0; i < QUIESCE_NR; i++) {
		size_t from = i * rig->length;

		work[i] = work_rdma(opcode, rig->client,
				    from % rig->client->length, rig->length,
				    rig->server, from % rig->server->length);
		work[i].wr_id = i;
	}
	post_list(rig->pair.client, work, QUIESCE_NR);
	wc = poll_success(rig->pair.client->send_cq, 0);
	REQUIRE_EQUAL(wc.opcode, opcode == IBV_WR_RDMA_READ
					 ? IBV_WC_RDMA_READ
					 : IBV_WC_RDMA_WRITE);
	rig->nr_polled = 1;
}

static void quiesce_call(enum quiesce_how how, struct qp *qp, struct mem *mem)
{
	switch (how) {
	case QUIESCE_DEREG:
		REQUIRE_EQUAL(mem_dereg(mem), 0);
		break;
	case QUIESCE_REREG:
		REQUIRE_EQUAL(mem_rereg(mem, IBV_REREG_MR_CHANGE_ACCESS, -1,
					IBV_ACCESS_LOCAL_WRITE),
			      0);
		break;
	case QUIESCE_RESET:
		REQUIRE_EQUAL(qp_to_state(qp, IBV_QPS_RESET), 0);
		break;
	case QUIESCE_ERR:
		REQUIRE_EQUAL(qp_to_state(qp, IBV_QPS_ERR), 0);
		break;
	case QUIESCE_DESTROY:
		REQUIRE_EQUAL(qp_destroy(qp), 0);
		break;
	}
}

/*
 * Polls the client until its QP fails, or nothing comes any more. Successes
 * precede the error, and flushed requests follow. Returns the first error.
 */
static enum ibv_wc_status quiesce_drain(struct quiesce_rig *rig, int ms)
{
	enum ibv_wc_status first = IBV_WC_SUCCESS;
	struct ibv_wc wc;

	for (; rig->nr_polled < QUIESCE_NR; rig->nr_polled++) {
		if (!poll_some(rig->pair.client->send_cq, &wc, 1, ms))
			break;
		REQUIRE_EQUAL(wc.wr_id, rig->nr_polled);
		if (first != IBV_WC_SUCCESS)
			REQUIRE_EQUAL(wc.status, IBV_WC_WR_FLUSH_ERR);
		else
			first = wc.status;
	}
	return first;
}

/* The next access of the peer by the old key is refused. */
static void quiesce_require_refused(struct quiesce_rig *rig,
				    enum ibv_wr_opcode opcode)
{
	enum ibv_wc_status first = quiesce_drain(rig, CONFORM_WAIT_MS);

	REQUIRE_EQUAL(rig->nr_polled, QUIESCE_NR);
	if (first == IBV_WC_SUCCESS) { /* all were executed before the call */
		struct work work =
			work_rdma(opcode, rig->client, 0, 8, rig->server, 0);

		post(rig->pair.client, &work);
		first = poll_one(rig->pair.client->send_cq).status;
	}
	REQUIRE_EQUAL(first, IBV_WC_REM_ACCESS_ERR);
	qp_wait_state(rig->pair.server, IBV_QPS_ERR);
	poll_nothing(rig->pair.client->send_cq, 0);
}

static bool quiesce_is_of_server_mr(enum quiesce_how how)
{
	return how == QUIESCE_DEREG || how == QUIESCE_REREG;
}

/* A rereg changes the keys in the description of the memory. */
static void quiesce_server_call(struct quiesce_rig *rig, enum quiesce_how how)
{
	uint32_t rkey = rig->server->rkey;

	quiesce_call(how, rig->pair.server, rig->server);
	rig->server->rkey = rkey;
}

/* -- memory of the responder -- */

static void quiesce_write_target_stays(enum quiesce_how how, uint32_t length)
{
	struct quiesce_rig rig = quiesce_rig_new(length, 1, 2);

	conform_context("WRITEs of %u bytes", length);
	quiesce_post(&rig, IBV_WR_RDMA_WRITE);
	quiesce_server_call(&rig, how);
	memset(rig.server->view, QUIESCE_NEW, rig.server->length);
	if (quiesce_is_of_server_mr(how))
		quiesce_require_refused(&rig, IBV_WR_RDMA_WRITE);
	else
		(void)quiesce_drain(&rig, QUIESCE_AFTER_MS);
	mem_require_value(rig.server, 0, rig.server->length, QUIESCE_NEW);
}

static void quiesce_each_write_target_stays(enum quiesce_how how)
{
	for (size_t i = 0; i < QUIESCE_NR_LENGTHS; i++)
		quiesce_write_target_stays(how, quiesce_lengths[i]);
}

static void quiesce_memory_stays_after_dereg(void)
{
	quiesce_each_write_target_stays(QUIESCE_DEREG);
}

static void quiesce_memory_stays_after_rereg(void)
{
	quiesce_each_write_target_stays(QUIESCE_REREG);
}

static void quiesce_memory_stays_after_reset(void)
{
	quiesce_each_write_target_stays(QUIESCE_RESET);
}

static void quiesce_memory_stays_after_error(void)
{
	quiesce_each_write_target_stays(QUIESCE_ERR);
}

static void quiesce_memory_stays_after_destroy(void)
{
	quiesce_each_write_target_stays(QUIESCE_DESTROY);
}

/* What the program writes after the call does not arrive at the peer. */
static void quiesce_read_source_is_unread(enum quiesce_how how, uint32_t length)
{
	struct quiesce_rig rig = quiesce_rig_new(length, QUIESCE_NR, 2);

	conform_context("READs of %u bytes", length);
	quiesce_post(&rig, IBV_WR_RDMA_READ);
	quiesce_server_call(&rig, how);
	memset(rig.server->view, QUIESCE_NEW, rig.server->length);
	if (quiesce_is_of_server_mr(how))
		quiesce_require_refused(&rig, IBV_WR_RDMA_READ);
	else
		(void)quiesce_drain(&rig, QUIESCE_AFTER_MS);
	mem_require_value(rig.client, 0, rig.client->length, QUIESCE_OLD);
}

static void quiesce_each_read_source_is_unread(enum quiesce_how how)
{
	for (size_t i = 0; i < QUIESCE_NR_LENGTHS; i++)
		quiesce_read_source_is_unread(how, quiesce_lengths[i]);
}

static void quiesce_memory_is_unread_after_dereg(void)
{
	quiesce_each_read_source_is_unread(QUIESCE_DEREG);
}

static void quiesce_memory_is_unread_after_rereg(void)
{
	quiesce_each_read_source_is_unread(QUIESCE_REREG);
}

static void quiesce_memory_is_unread_after_reset(void)
{
	quiesce_each_read_source_is_unread(QUIESCE_RESET);
}

static void quiesce_memory_is_unread_after_error(void)
{
	quiesce_each_read_source_is_unread(QUIESCE_ERR);
}

static void quiesce_memory_is_unread_after_destroy(void)
{
	quiesce_each_read_source_is_unread(QUIESCE_DESTROY);
}

/* -- memory of the requester -- */

static void quiesce_read_target_stays(enum quiesce_how how, uint32_t length)
{
	struct quiesce_rig rig = quiesce_rig_new(length, QUIESCE_NR, 1);

	conform_context("READs of %u bytes", length);
	quiesce_post(&rig, IBV_WR_RDMA_READ);
	quiesce_call(how, rig.pair.client, rig.client);
	memset(rig.client->view, QUIESCE_NEW, rig.client->length);
	(void)quiesce_drain(&rig, QUIESCE_AFTER_MS);
	mem_require_value(rig.client, 0, rig.client->length, QUIESCE_NEW);
}

static void quiesce_each_read_target_stays(enum quiesce_how how)
{
	for (size_t i = 0; i < QUIESCE_NR_LENGTHS; i++)
		quiesce_read_target_stays(how, quiesce_lengths[i]);
}

static void quiesce_read_target_stays_after_dereg(void)
{
	quiesce_each_read_target_stays(QUIESCE_DEREG);
}

static void quiesce_read_target_stays_after_reset(void)
{
	quiesce_each_read_target_stays(QUIESCE_RESET);
}

static void quiesce_read_target_stays_after_error(void)
{
	quiesce_each_read_target_stays(QUIESCE_ERR);
}

static void quiesce_read_target_stays_after_destroy(void)
{
	quiesce_each_read_target_stays(QUIESCE_DESTROY);
}

/* The peer must not get what the program writes after the call. */
static void quiesce_write_source_is_unread(enum quiesce_how how)
{
	struct quiesce_rig rig = quiesce_rig_new(QUIESCE_MB, 1, QUIESCE_NR);

	quiesce_post(&rig, IBV_WR_RDMA_WRITE);
	quiesce_call(how, rig.pair.client, rig.client);
	memset(rig.client->view, QUIESCE_NEW, rig.client->length);
	(void)quiesce_drain(&rig, QUIESCE_AFTER_MS);
	mem_require_value(rig.server, 0, rig.server->length, QUIESCE_OLD);
}

static void quiesce_write_source_is_unread_after_reset(void)
{
	quiesce_write_source_is_unread(QUIESCE_RESET);
}

static void quiesce_write_source_is_unread_after_destroy(void)
{
	quiesce_write_source_is_unread(QUIESCE_DESTROY);
}

/* -- flushed completions -- */

/* The server's QP fails while messages arrive in its receives. */
static void quiesce_flushed_receive_stays(uint32_t length)
{
	struct quiesce_rig rig = quiesce_rig_new(length, 1, QUIESCE_NR);
	struct work work = work_send(rig.client, 0, length);
	bool flushed[QUIESCE_NR] = {};

	conform_context("SENDs of %u bytes", length);
	for (size_t i = 0; i < QUIESCE_NR; i++)
		post_recv(rig.pair.server, rig.server, i * length, length, i);
	for (size_t i = 0; i < QUIESCE_NR; i++)
		post(rig.pair.client, &work);
	poll_success(rig.pair.server->recv_cq, 0);
	REQUIRE_EQUAL(qp_to_state(rig.pair.server, IBV_QPS_ERR), 0);
	for (size_t i = 1; i < QUIESCE_NR; i++) {
		struct ibv_wc wc = poll_one(rig.pair.server->recv_cq);

		REQUIRE_EQUAL(wc.wr_id, i);
		flushed[i] = wc.status == IBV_WC_WR_FLUSH_ERR;
		REQUIRE(flushed[i] ||
			(wc.status == IBV_WC_SUCCESS && !flushed[i - 1]));
		memset(rig.server->view + i * length, QUIESCE_NEW, length);
	}
	(void)poll_some(rig.pair.client->send_cq, &(struct ibv_wc){}, 1,
			QUIESCE_AFTER_MS);
	for (size_t i = 1; i < QUIESCE_NR; i++)
		mem_require_value(rig.server, i * length, length, QUIESCE_NEW);
}

static void quiesce_memory_stays_after_flushed_receive(void)
{
	for (size_t i = 0; i < QUIESCE_NR_LENGTHS; i++)
		quiesce_flushed_receive_stays(quiesce_lengths[i]);
}

/* Each completion gives the memory of its READ back, also a flushed one. */
static void quiesce_flushed_read_stays(uint32_t length)
{
	struct quiesce_rig rig = quiesce_rig_new(length, QUIESCE_NR, 1);
	enum ibv_wc_status last = IBV_WC_SUCCESS;

	conform_context("READs of %u bytes", length);
	quiesce_post(&rig, IBV_WR_RDMA_READ);
	quiesce_server_call(&rig, QUIESCE_DEREG);
	memset(rig.client->view, QUIESCE_NEW, length);
	for (size_t i = 1; i < QUIESCE_NR; i++) {
		struct ibv_wc wc = poll_one(rig.pair.client->send_cq);

		REQUIRE_EQUAL(wc.wr_id, i);
		if (last != IBV_WC_SUCCESS)
			REQUIRE_EQUAL(wc.status, IBV_WC_WR_FLUSH_ERR);
		else
			REQUIRE(wc.status == IBV_WC_SUCCESS ||
				wc.status == IBV_WC_REM_ACCESS_ERR);
		last = wc.status;
		memset(rig.client->view + i * length, QUIESCE_NEW, length);
	}
	poll_nothing(rig.pair.client->send_cq, QUIESCE_AFTER_MS);
	mem_require_value(rig.client, 0, rig.client->length, QUIESCE_NEW);
}

static void quiesce_memory_stays_after_flushed_read(void)
{
	for (size_t i = 0; i < QUIESCE_NR_LENGTHS; i++)
		quiesce_flushed_read_stays(quiesce_lengths[i]);
}

const struct conform_test conform_quiesce[] = {
	{ "quiesce.memory_stays_after_dereg", quiesce_memory_stays_after_dereg,
	  NEED_RC },
	{ "quiesce.memory_stays_after_rereg", quiesce_memory_stays_after_rereg,
	  NEED_REREG },
	{ "quiesce.memory_stays_after_reset", quiesce_memory_stays_after_reset,
	  NEED_RC },
	{ "quiesce.memory_stays_after_error", quiesce_memory_stays_after_error,
	  NEED_RC },
	{ "quiesce.memory_stays_after_destroy",
	  quiesce_memory_stays_after_destroy, NEED_RC },
	{ "quiesce.memory_is_unread_after_dereg",
	  quiesce_memory_is_unread_after_dereg, NEED_RC },
	{ "quiesce.memory_is_unread_after_rereg",
	  quiesce_memory_is_unread_after_rereg, NEED_REREG },
	{ "quiesce.memory_is_unread_after_reset",
	  quiesce_memory_is_unread_after_reset, NEED_RC },
	{ "quiesce.memory_is_unread_after_error",
	  quiesce_memory_is_unread_after_error, NEED_RC },
	{ "quiesce.memory_is_unread_after_destroy",
	  quiesce_memory_is_unread_after_destroy, NEED_RC },
	{ "quiesce.read_target_stays_after_dereg",
	  quiesce_read_target_stays_after_dereg, NEED_RC },
	{ "quiesce.read_target_stays_after_reset",
	  quiesce_read_target_stays_after_reset, NEED_RC },
	{ "quiesce.read_target_stays_after_error",
	  quiesce_read_target_stays_after_error, NEED_RC },
	{ "quiesce.read_target_stays_after_destroy",
	  quiesce_read_target_stays_after_destroy, NEED_RC },
	{ "quiesce.write_source_is_unread_after_reset",
	  quiesce_write_source_is_unread_after_reset, NEED_RC },
	{ "quiesce.write_source_is_unread_after_destroy",
	  quiesce_write_source_is_unread_after_destroy, NEED_RC },
	{ "quiesce.memory_stays_after_flushed_receive",
	  quiesce_memory_stays_after_flushed_receive, NEED_RC },
	{ "quiesce.memory_stays_after_flushed_read",
	  quiesce_memory_stays_after_flushed_read, NEED_RC },
	{},
};
