// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: completion queues.
 */
#include "conform.h"

#include <errno.h>
#include <time.h>

#define CQ_NR_QPS 3

/* The client receives on @cq; the server sends. */
struct cq_rig {
	struct pair pair;
	struct cq *cq;
	struct mem *mem, *target; /* of the server, of the client */
	uint64_t sent;		  /* wr_id of the next message */
};

static struct cq_rig cq_rig_on(struct cq *cq)
{
	struct qp_args args = { .recv_cq = cq };
	struct cq_rig rig = { .cq = cq };

	rig.pair.client = qp_new(CLIENT, &args);
	rig.pair.server = qp_new(SERVER, NULL);
	qp_connect(rig.pair.client, rig.pair.server, NULL);
	rig.mem = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	rig.target = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	return rig;
}

static struct cq_rig cq_rig_new(int cqe)
{
	return cq_rig_on(cq_new(CLIENT, cqe, NULL));
}

/* Adds @nr receive completions to the CQ: message i has i bytes. */
static void cq_fill(struct cq_rig *rig, int nr)
{
	for (int i = 0; i < nr; i++, rig->sent++) {
		struct work work =
			work_send(rig->mem, 0, (uint32_t)rig->sent % 1000);

		work.wr_id = rig->sent;
		work.opcode = IBV_WR_SEND_WITH_IMM;
		work.imm = (uint32_t)rig->sent * 3;
		post_recv(rig->pair.client, rig->target, 0, 1000,
			  100000 + rig->sent);
		post(rig->pair.server, &work);
		poll_success(rig->pair.server->send_cq, rig->sent);
	}
}

static void cq_require_wc(const struct cq_rig *rig, const struct ibv_wc *wc,
			  uint64_t nr)
{
	conform_context("completion %llu", (unsigned long long)nr);
	REQUIRE_EQUAL(wc->status, IBV_WC_SUCCESS);
	REQUIRE_EQUAL(wc->wr_id, 100000 + nr);
	REQUIRE_EQUAL(wc->opcode, IBV_WC_RECV);
	REQUIRE_EQUAL(wc->byte_len, nr % 1000);
	REQUIRE_EQUAL(wc->qp_num, rig->pair.client->num);
	/* IBV_WC_GRH has a meaning for datagrams only. */
	REQUIRE_EQUAL(wc->wc_flags & ~IBV_WC_GRH, IBV_WC_WITH_IMM);
	REQUIRE_EQUAL(be32toh(wc->imm_data), nr * 3);
}

/* Takes completions @first to @last - 1, in polls of @nr, and no more. */
static void cq_drain(const struct cq_rig *rig, uint64_t first, uint64_t last,
		     int nr)
{
	while (first < last) {
		struct ibv_wc wc[16];
		int got = poll_some(rig->cq, wc, nr, CONFORM_WAIT_MS);

		REQUIRE(got >= 1 && got <= nr);
		for (int i = 0; i < got; i++)
			cq_require_wc(rig, &wc[i], first++);
	}
	REQUIRE_EQUAL(first, last);
	poll_nothing(rig->cq, 0);
}

static void cq_poll_of_several_gives_oldest_first(void)
{
	struct cq_rig rig = cq_rig_new(64);

	for (int nr = 1; nr <= 16; nr += 5) {
		uint64_t first = rig.sent;

		cq_fill(&rig, 13);
		cq_drain(&rig, first, rig.sent, nr);
	}
}

static void cq_poll_of_zero_takes_nothing(void)
{
	struct cq_rig rig = cq_rig_new(64);
	struct ibv_wc wc;

	REQUIRE_EQUAL(poll_some(rig.cq, &wc, 0, 0), 0);
	cq_fill(&rig, 2);
	REQUIRE_EQUAL(poll_some(rig.cq, &wc, 0, 0), 0);
	cq_drain(&rig, 0, 2, 2);
}

/* As many completions as the capacity says; then the queue is used again. */
static void cq_whole_capacity_can_be_used(void)
{
	static const int sizes[] = { 1, 2, 3, 8, 17 };

	for (int i = 0; i < 5; i++) {
		struct cq_rig rig = cq_rig_new(sizes[i]);
		struct conform_event event;
		int nr = rig.cq->cqe < 100 ? rig.cq->cqe : 100;

		conform_context("%d CQEs", sizes[i]);
		REQUIRE(rig.cq->cqe >= sizes[i]);
		for (int round = 0; round < 3; round++) {
			uint64_t first = rig.sent;

			cq_fill(&rig, nr);
			cq_drain(&rig, first, rig.sent, 16);
		}
		REQUIRE(!event_wait(CLIENT, &event, 0));
	}
}

/* -- resize -- */

static void cq_resize_keeps_completions(void)
{
	static const int sizes[] = { 200, 64, 16, 10, 100 };
	struct cq_rig rig = cq_rig_new(16);
	uint64_t taken = 0;

	/* The ring of CQEs has wrapped. */
	cq_fill(&rig, 11);
	cq_drain(&rig, 0, 11, 16);
	taken = 11;
	for (int i = 0; i < 5; i++) {
		struct ibv_wc wc;

		conform_context("to %d CQEs", sizes[i]);
		cq_fill(&rig, 10);
		REQUIRE_EQUAL(poll_some(rig.cq, &wc, 1, CONFORM_WAIT_MS), 1);
		cq_require_wc(&rig, &wc, taken++);
		REQUIRE_EQUAL(cq_resize(rig.cq, sizes[i]), 0);
		REQUIRE(rig.cq->cqe >= sizes[i]);
		cq_fill(&rig, 1);
		cq_drain(&rig, taken, rig.sent, 3);
		taken = rig.sent;
	}
}

static void cq_resize_gives_new_capacity(void)
{
	struct cq_rig rig = cq_rig_new(4);
	struct conform_event event;

	REQUIRE_EQUAL(cq_resize(rig.cq, 90), 0);
	cq_fill(&rig, 90);
	cq_drain(&rig, 0, 90, 16);
	REQUIRE(!event_wait(CLIENT, &event, 0));
}

static void cq_resize_below_content_is_einval(void)
{
	struct cq_rig rig = cq_rig_new(32);

	cq_fill(&rig, 20);
	REQUIRE_EQUAL(cq_resize(rig.cq, 19), EINVAL);
	REQUIRE(rig.cq->cqe >= 32);
	REQUIRE_EQUAL(cq_resize(rig.cq, 1), EINVAL);
	REQUIRE_EQUAL(cq_resize(rig.cq, 20), 0);
	cq_drain(&rig, 0, 20, 16);
	cq_fill(&rig, 20);
	cq_drain(&rig, 20, 40, 16);
}

static void cq_resize_to_invalid_is_einval(void)
{
	struct cq_rig rig = cq_rig_new(32);

	cq_fill(&rig, 3);
	REQUIRE_EQUAL(cq_resize(rig.cq, 0), EINVAL);
	REQUIRE_EQUAL(cq_resize(rig.cq, -1), EINVAL);
	REQUIRE_EQUAL(
		cq_resize(rig.cq, conform_device()->orig_attr.max_cqe + 1),
		EINVAL);
	cq_fill(&rig, 3);
	cq_drain(&rig, 0, 6, 16);
}

/* -- several queues -- */

/* Send and receive completions of several QPs in one CQ. */
static void cq_shared_names_each_qp(void)
{
	struct cq *cq = cq_new(CLIENT, 128, NULL);
	const struct qp_args args = { .send_cq = cq, .recv_cq = cq };
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct pair pair[CQ_NR_QPS];
	uint64_t sends[CQ_NR_QPS] = {}, receives[CQ_NR_QPS] = {};

	for (int i = 0; i < CQ_NR_QPS; i++)
		pair[i] = pair_new(&args, NULL);
	for (uint64_t k = 0; k < 30; k++) {
		struct pair p = pair[k % CQ_NR_QPS];
		struct work work = work_send(mem, 0, 10);

		work.wr_id = k / CQ_NR_QPS;
		post_recv(p.server, target, 0, 10, 1);
		post_recv(p.client, mem, 0, 10, 1000 + k / CQ_NR_QPS);
		post(p.client, &work);
		work = work_send(target, 0, 10);
		post(p.server, &work);
	}
	for (int k = 0; k < 60; k++) {
		struct ibv_wc wc = poll_status(cq, IBV_WC_SUCCESS);
		int i = 0;

		while (i < CQ_NR_QPS && pair[i].client->num != wc.qp_num)
			i++;
		REQUIRE(i < CQ_NR_QPS);
		/* Each queue completes in order. */
		if (wc.opcode == IBV_WC_RECV)
			REQUIRE_EQUAL(wc.wr_id, 1000 + receives[i]++);
		else
			REQUIRE_EQUAL(wc.wr_id, sends[i]++);
	}
	poll_nothing(cq, 0);
}

static void cq_destroy_while_used_is_ebusy(void)
{
	struct cq *send = cq_new(CLIENT, 16, NULL);
	struct cq *recv = cq_new(CLIENT, 16, NULL);
	const struct qp_args args = { .send_cq = send, .recv_cq = recv };
	struct qp *qp = qp_new(CLIENT, &args);

	REQUIRE_EQUAL(cq_destroy(send), EBUSY);
	REQUIRE_EQUAL(cq_destroy(recv), EBUSY);
	REQUIRE_EQUAL(qp_destroy(qp), 0);
	REQUIRE_EQUAL(cq_destroy(send), 0);
	REQUIRE_EQUAL(cq_destroy(recv), 0);
}

/* The completions of destroyed QPs may go; those of other QPs stay. */
static void cq_destroyed_qp_leaves_others(void)
{
	struct cq *cq = cq_new(CLIENT, 64, NULL);
	struct cq_rig a = cq_rig_on(cq), b = cq_rig_on(cq);
	struct ibv_wc wc;
	uint64_t next = 0;

	for (int i = 0; i < 5; i++) {
		cq_fill(&a, 1);
		cq_fill(&b, 1);
	}
	REQUIRE_EQUAL(qp_destroy(a.pair.client), 0);
	while (poll_some(cq, &wc, 1, 1)) {
		if (wc.qp_num == b.pair.client->num)
			cq_require_wc(&b, &wc, next++);
	}
	REQUIRE_EQUAL(next, 5);
	cq_fill(&b, 1);
	cq_drain(&b, 5, 6, 1);
}

static void cq_capacity_is_at_least_as_asked(void)
{
	const int max = conform_device()->orig_attr.max_cqe;

	for (int cqe = 1; cqe <= 65536 && cqe <= max; cqe *= 4) {
		REQUIRE(cq_new(CLIENT, cqe, NULL)->cqe >= cqe);
		if (cqe > 1)
			REQUIRE(cq_new(CLIENT, cqe - 1, NULL)->cqe >= cqe - 1);
	}
}

/* -- events -- */

static void cq_without_channel_gives_no_event(void)
{
	struct channel *channel = channel_new(CLIENT);
	struct cq_rig with = cq_rig_on(cq_new(CLIENT, 16, channel));
	struct cq_rig without = cq_rig_new(16);

	REQUIRE_EQUAL(cq_req_notify(with.cq, false), 0);
	(void)cq_req_notify(without.cq, false); /* has no effect */
	cq_fill(&without, 2);
	REQUIRE(!cq_event_wait(channel, NULL, 2));
	cq_drain(&without, 0, 2, 2);
	cq_fill(&with, 1);
	REQUIRE(cq_event_wait(channel, with.cq, CONFORM_WAIT_MS));
	cq_drain(&with, 0, 1, 2);
}

static void cq_solicited_only_reports_errors(void)
{
	struct channel *channel = channel_new(CLIENT);
	struct cq_rig rig = cq_rig_on(cq_new(CLIENT, 16, channel));

	REQUIRE_EQUAL(cq_req_notify(rig.cq, true), 0);
	cq_fill(&rig, 1);
	cq_drain(&rig, 0, 1, 2);
	REQUIRE(!cq_event_wait(channel, rig.cq, 2));
	post_recv(rig.pair.client, rig.target, 0, 1000, 55);
	REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_ERR), 0);
	REQUIRE(cq_event_wait(channel, rig.cq, CONFORM_WAIT_MS));
	REQUIRE_EQUAL(poll_status(rig.cq, IBV_WC_WR_FLUSH_ERR).wr_id, 55);
}

/* IBTA 11.4.2.2: a request for all completions includes solicited ones. */
static void cq_notify_of_all_outranks_solicited(void)
{
	for (int order = 0; order < 2; order++) {
		struct channel *channel = channel_new(CLIENT);
		struct cq_rig rig = cq_rig_on(cq_new(CLIENT, 16, channel));

		conform_context("solicited %s", order ? "last" : "first");
		REQUIRE_EQUAL(cq_req_notify(rig.cq, !order), 0);
		REQUIRE_EQUAL(cq_req_notify(rig.cq, order), 0);
		cq_fill(&rig, 1);
		REQUIRE(cq_event_wait(channel, rig.cq, CONFORM_WAIT_MS));
		REQUIRE(!cq_event_wait(channel, rig.cq, 1));
		cq_drain(&rig, 0, 1, 2);
	}
}

/* A send completion is not solicited. */
static void cq_solicited_only_ignores_sends(void)
{
	struct channel *channel = channel_new(CLIENT);
	struct cq *cq = cq_new(CLIENT, 16, channel);
	const struct qp_args args = { .send_cq = cq };
	struct pair pair = pair_new(&args, NULL);
	struct mem *mem = mem_new(CLIENT, 64, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 64, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 10);

	work.flags = IBV_SEND_SOLICITED;
	REQUIRE_EQUAL(cq_req_notify(cq, true), 0);
	post_recv(pair.server, target, 0, 10, 2);
	post(pair.client, &work);
	poll_success(pair.server->recv_cq, 2);
	poll_success(cq, 0);
	REQUIRE(!cq_event_wait(channel, cq, 2));
	REQUIRE_EQUAL(cq_req_notify(cq, false), 0);
	post_recv(pair.server, target, 0, 10, 2);
	post(pair.client, &work);
	REQUIRE(cq_event_wait(channel, cq, CONFORM_WAIT_MS));
	poll_success(cq, 0);
}

/* -- extended CQs -- */

static void cq_extended_has_standard_fields(void)
{
	struct cq_rig rig =
		cq_rig_on(cq_new_ex(CLIENT, 64, NULL, IBV_WC_STANDARD_FLAGS));
	struct wc_ex wc[16];
	uint64_t next = 0;

	for (int nr = 1; nr <= 16; nr += 3) {
		cq_fill(&rig, 13);
		while (next < rig.sent) {
			int got = poll_ex(rig.cq, wc, nr, CONFORM_WAIT_MS);

			REQUIRE(got >= 1 && got <= nr);
			for (int i = 0; i < got; i++)
				cq_require_wc(&rig, &wc[i].wc, next++);
		}
		REQUIRE_EQUAL(next, rig.sent);
		REQUIRE_EQUAL(poll_ex(rig.cq, wc, 1, 0), 0);
	}
	/* ibv_poll_cq() works, too */
	cq_fill(&rig, 5);
	cq_drain(&rig, next, rig.sent, 2);
}

static void cq_extended_reports_flush(void)
{
	struct cq_rig rig =
		cq_rig_on(cq_new_ex(CLIENT, 64, NULL, IBV_WC_STANDARD_FLAGS));
	struct wc_ex wc;

	for (uint64_t i = 0; i < 3; i++)
		post_recv(rig.pair.client, rig.target, 0, 1000, i);
	REQUIRE_EQUAL(qp_to_state(rig.pair.client, IBV_QPS_ERR), 0);
	for (uint64_t i = 0; i < 3; i++) {
		REQUIRE_EQUAL(poll_ex(rig.cq, &wc, 1, CONFORM_WAIT_MS), 1);
		REQUIRE_EQUAL(wc.wc.status, IBV_WC_WR_FLUSH_ERR);
		REQUIRE_EQUAL(wc.wc.wr_id, i);
		REQUIRE_EQUAL(wc.wc.qp_num, rig.pair.client->num);
	}
	REQUIRE_EQUAL(poll_ex(rig.cq, &wc, 1, 0), 0);
}

static uint64_t cq_wallclock_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)now.tv_nsec;
}

/* The time of a completion is between post and poll, and never decreases. */
static void cq_extended_times_do_not_decrease(void)
{
	const uint64_t second = UINT64_C(1000000000);
	struct cq_rig rig = cq_rig_on(cq_new_ex(
		CLIENT, 64, NULL,
		IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK));
	uint64_t timestamp = 0, wallclock_ns = 0;

	for (uint64_t next = 0; next < 200;) {
		const uint64_t start = cq_wallclock_ns();
		struct wc_ex wc[3];
		int got;

		cq_fill(&rig, 2);
		while (next < rig.sent) {
			got = poll_ex(rig.cq, wc, 3, CONFORM_WAIT_MS);
			REQUIRE(got >= 1);
			for (int i = 0; i < got; i++) {
				cq_require_wc(&rig, &wc[i].wc, next++);
				REQUIRE(wc[i].timestamp >= timestamp);
				REQUIRE(wc[i].wallclock_ns >= wallclock_ns);
				timestamp = wc[i].timestamp;
				wallclock_ns = wc[i].wallclock_ns;
				/* The clocks of both calls may differ a bit. */
				REQUIRE(wallclock_ns + second / 1000 >= start);
				REQUIRE(wallclock_ns <=
					cq_wallclock_ns() + second / 1000);
			}
		}
	}
	REQUIRE(timestamp > 0);
}

const struct conform_test conform_cq[] = {
	{ "cq.poll_of_several_gives_oldest_first",
	  cq_poll_of_several_gives_oldest_first, NEED_IMM },
	{ "cq.poll_of_zero_takes_nothing", cq_poll_of_zero_takes_nothing,
	  NEED_IMM },
	{ "cq.whole_capacity_can_be_used", cq_whole_capacity_can_be_used,
	  NEED_IMM },
	{ "cq.resize_keeps_completions", cq_resize_keeps_completions,
	  NEED_IMM | NEED_RESIZE_CQ },
	{ "cq.resize_gives_new_capacity", cq_resize_gives_new_capacity,
	  NEED_IMM | NEED_RESIZE_CQ },
	{ "cq.resize_below_content_is_einval",
	  cq_resize_below_content_is_einval, NEED_IMM | NEED_RESIZE_CQ },
	{ "cq.resize_to_invalid_is_einval", cq_resize_to_invalid_is_einval,
	  NEED_IMM | NEED_RESIZE_CQ },
	{ "cq.shared_names_each_qp", cq_shared_names_each_qp, NEED_RC },
	{ "cq.destroy_while_used_is_ebusy", cq_destroy_while_used_is_ebusy,
	  NEED_RC },
	{ "cq.destroyed_qp_leaves_others", cq_destroyed_qp_leaves_others,
	  NEED_IMM },
	{ "cq.capacity_is_at_least_as_asked", cq_capacity_is_at_least_as_asked,
	  NEED_RC },
	{ "cq.without_channel_gives_no_event",
	  cq_without_channel_gives_no_event, NEED_IMM },
	{ "cq.solicited_only_reports_errors", cq_solicited_only_reports_errors,
	  NEED_IMM },
	{ "cq.notify_of_all_outranks_solicited",
	  cq_notify_of_all_outranks_solicited, NEED_IMM },
	{ "cq.solicited_only_ignores_sends", cq_solicited_only_ignores_sends,
	  NEED_RC },
	{ "cq.extended_has_standard_fields", cq_extended_has_standard_fields,
	  NEED_IMM },
	{ "cq.extended_reports_flush", cq_extended_reports_flush, NEED_RC },
	{ "cq.extended_times_do_not_decrease",
	  cq_extended_times_do_not_decrease, NEED_IMM },
	{},
};
