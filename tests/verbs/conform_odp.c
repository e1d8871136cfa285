// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: on-demand paging (IBV_ACCESS_ON_DEMAND). Requests
 * work as with other regions while the pages are valid, also if they were not
 * when the region was registered. An access to an invalid page fails with the
 * status of an access without a right, and with no signal. conform_odp_more.c
 * has the other properties of these regions.
 */
#include "conform.h"

#include <string.h>

#define ODP_PAGE   4096u
#define ODP_LENGTH (128 * ODP_PAGE)
#define ODP_BAD	   (2 * ODP_PAGE) /* offset of the invalid page */
#define ODP_ACCESS (CONFORM_ALL_ACCESS | (unsigned int)IBV_ACCESS_ON_DEMAND)

struct odp_rig {
	struct pair pair;
	struct mem *client, *server;
};

static struct odp_rig odp_rig_new(void)
{
	return (struct odp_rig){
		.pair = pair_new(NULL, NULL),
		.client = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS),
		.server = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS),
	};
}

/* -- valid pages -- */

/* 300000 bytes: the rendezvous protocol of uroce */
static const uint32_t odp_lengths[] = { 1, 8, 100, 4096, 4097, 70000, 300000 };
#define ODP_NR_LENGTHS (sizeof(odp_lengths) / sizeof(odp_lengths[0]))

static void odp_rig_send(const struct odp_rig *rig, uint32_t length,
			 uint32_t seed)
{
	struct work work = work_send(rig->client, 3, length);

	mem_fill(rig->client, 3, length, seed);
	memset(rig->server->view, 0, ODP_LENGTH);
	post_recv(rig->pair.server, rig->server, 5, length, 1);
	post(rig->pair.client, &work);
	poll_success(rig->pair.server->recv_cq, 1);
	poll_success(rig->pair.client->send_cq, 0);
	mem_require(rig->server, 5, length, seed);
	mem_require_value(rig->server, 0, 5, 0);
	mem_require_value(rig->server, 5 + length, 100, 0);
}

static void odp_rig_write(const struct odp_rig *rig, uint32_t length,
			  uint32_t seed)
{
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig->client, 7, length,
				     rig->server, 2);

	mem_fill(rig->client, 7, length, seed);
	memset(rig->server->view, 0, ODP_LENGTH);
	post(rig->pair.client, &work);
	poll_success(rig->pair.client->send_cq, 0);
	mem_require(rig->server, 2, length, seed);
	mem_require_value(rig->server, 0, 2, 0);
	mem_require_value(rig->server, 2 + length, 100, 0);
}

static void odp_rig_read(const struct odp_rig *rig, uint32_t length,
			 uint32_t seed)
{
	struct work work = work_rdma(IBV_WR_RDMA_READ, rig->client, 1, length,
				     rig->server, 4);

	mem_fill(rig->server, 4, length, seed);
	memset(rig->client->view, 0, ODP_LENGTH);
	post(rig->pair.client, &work);
	poll_success(rig->pair.client->send_cq, 0);
	mem_require(rig->client, 1, length, seed);
	mem_require_value(rig->client, 0, 1, 0);
	mem_require_value(rig->client, 1 + length, 100, 0);
}

static void odp_require_data(const struct odp_rig *rig)
{
	for (uint32_t i = 0; i < ODP_NR_LENGTHS; i++) {
		conform_context("%u bytes", odp_lengths[i]);
		odp_rig_send(rig, odp_lengths[i], 3 * i);
		odp_rig_write(rig, odp_lengths[i], 3 * i + 1);
		odp_rig_read(rig, odp_lengths[i], 3 * i + 2);
	}
}

static void odp_requests_move_data(void)
{
	struct odp_rig rig = odp_rig_new();

	odp_require_data(&rig);
}

/* Only one end has an on-demand region. */
static void odp_requests_move_data_to_other_regions(void)
{
	struct odp_rig rig = odp_rig_new();
	struct mem *client = rig.client;

	rig.client = mem_again(client, false, CONFORM_ALL_ACCESS);
	odp_require_data(&rig);
	rig.client = client;
	rig.server = mem_again(rig.server, false, CONFORM_ALL_ACCESS);
	odp_require_data(&rig);
}

/* The SGEs of a request are in regions of both kinds. */
static void odp_sge_lists_may_be_mixed(void)
{
	struct odp_rig rig = odp_rig_new();
	struct mem *plain = mem_again(rig.client, false, CONFORM_ALL_ACCESS);
	struct mem *target = mem_again(rig.server, false, CONFORM_ALL_ACCESS);
	struct ibv_sge list[3] = {
		sge(target, 0, 1000),
		sge(rig.server, 1000, 2500),
		sge(target, 3500, 3000),
	};
	struct work work = work_send(rig.client, 0, 1500);

	work.nr_sge = 3;
	work.sge[1] = sge(plain, 1500, 3000);
	work.sge[2] = sge(rig.client, 4500, 2000);
	mem_fill(rig.client, 0, 6500, 1);
	REQUIRE_EQUAL(post_recv_try(rig.pair.server, 1, list, 3), 0);
	post(rig.pair.client, &work);
	poll_success(rig.pair.server->recv_cq, 1);
	poll_success(rig.pair.client->send_cq, 0);
	mem_require(rig.server, 0, 6500, 1);

	memset(rig.client->view, 0, ODP_LENGTH);
	work.opcode = IBV_WR_RDMA_READ;
	work.remote_addr = rig.server->addr;
	work.rkey = rig.server->rkey;
	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
	mem_require(rig.client, 0, 6500, 1);
}

static void odp_atomics_change_memory(void)
{
	struct odp_rig rig = odp_rig_new();
	const uint64_t *result =
		(const uint64_t *)(const void *)rig.client->view;
	const uint64_t *value =
		(const uint64_t *)(const void *)rig.server->view;
	struct work work = work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, rig.client,
				       0, rig.server, 64, 5, 0);

	for (uint64_t i = 0; i < 100; i++) {
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, 0);
		REQUIRE_EQUAL(*result, 5 * i);
	}
	work = work_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, rig.client, 0, rig.server,
			   64, 499, 1);
	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
	REQUIRE_EQUAL(*result, 500);
	REQUIRE_EQUAL(value[8], 500);
	work.compare_add = 500;
	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
	REQUIRE_EQUAL(*result, 500);
	REQUIRE_EQUAL(value[8], 1);
	mem_require_value(rig.server, 0, 64, 0);
	mem_require_value(rig.server, 72, 100, 0);
}

/* -- invalid pages -- */

/* Ranges that contain the invalid page, alone or in the middle. */
static const struct odp_range {
	size_t offset;
	uint32_t length;
} odp_ranges[] = {
	{ ODP_BAD, 8 },
	{ ODP_PAGE + 100, 2 * ODP_PAGE },
	{ 0, 400000 },
};
#define ODP_NR_RANGES (sizeof(odp_ranges) / sizeof(odp_ranges[0]))

static void odp_lose_page(const struct mem *mem, enum pages pages)
{
	mem_pages(mem, ODP_BAD, ODP_PAGE, pages);
}

/* @fn: a request to @range fails while the pages have the state @pages. */
static void odp_each(void (*fn)(const struct odp_rig *rig,
				const struct odp_range *range,
				enum pages pages),
		     bool writes)
{
	const enum pages states[] = { PAGES_NONE, PAGES_UNMAPPED, PAGES_READ };

	for (size_t i = 0; i < (writes ? 3 : 2) * ODP_NR_RANGES; i++) {
		const struct odp_range *range = &odp_ranges[i % ODP_NR_RANGES];
		enum pages pages = states[i / ODP_NR_RANGES];
		struct odp_rig rig = odp_rig_new();

		conform_context("%u bytes, pages %d", range->length,
				(int)pages);
		fn(&rig, range, pages);
		qp_wait_state(rig.pair.client, IBV_QPS_ERR);
		poll_nothing(rig.pair.client->send_cq, 0);
	}
}

static void odp_fail_send(const struct odp_rig *rig,
			  const struct odp_range *range, enum pages pages)
{
	struct work work = work_send(rig->client, range->offset, range->length);

	odp_lose_page(rig->client, pages);
	post_recv(rig->pair.server, rig->server, 0, ODP_LENGTH, 1);
	post(rig->pair.client, &work);
	poll_status(rig->pair.client->send_cq, IBV_WC_LOC_PROT_ERR);
	poll_nothing(rig->pair.server->recv_cq, 0);
}

static void odp_send_from_invalid_page_is_loc_prot(void)
{
	odp_each(odp_fail_send, false);
}

static void odp_fail_receive(const struct odp_rig *rig,
			     const struct odp_range *range, enum pages pages)
{
	struct work work = work_send(rig->client, 0, range->length);

	odp_lose_page(rig->server, pages);
	post_recv(rig->pair.server, rig->server, range->offset, range->length,
		  1);
	post(rig->pair.client, &work);
	poll_status(rig->pair.server->recv_cq, IBV_WC_LOC_PROT_ERR);
	poll_status(rig->pair.client->send_cq, IBV_WC_REM_OP_ERR);
	qp_wait_state(rig->pair.server, IBV_QPS_ERR);
}

static void odp_receive_in_invalid_page_is_loc_prot(void)
{
	odp_each(odp_fail_receive, true);
}

static void odp_fail_write_from(const struct odp_rig *rig,
				const struct odp_range *range, enum pages pages)
{
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig->client,
				     range->offset, range->length, rig->server,
				     0);

	odp_lose_page(rig->client, pages);
	post(rig->pair.client, &work);
	poll_status(rig->pair.client->send_cq, IBV_WC_LOC_PROT_ERR);
}

static void odp_write_from_invalid_page_is_loc_prot(void)
{
	odp_each(odp_fail_write_from, false);
}

/* The responder refuses @work: both QPs fail. */
static void odp_require_refused(const struct odp_rig *rig,
				const struct work *work)
{
	post(rig->pair.client, work);
	poll_status(rig->pair.client->send_cq, IBV_WC_REM_ACCESS_ERR);
	qp_wait_state(rig->pair.server, IBV_QPS_ERR);
	event_require(SERVER, IBV_EVENT_QP_ACCESS_ERR, rig->pair.server->id);
}

static void odp_fail_write_to(const struct odp_rig *rig,
			      const struct odp_range *range, enum pages pages)
{
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig->client, 0,
				     range->length, rig->server, range->offset);

	odp_lose_page(rig->server, pages);
	odp_require_refused(rig, &work);
}

static void odp_write_to_invalid_page_is_rem_access(void)
{
	odp_each(odp_fail_write_to, true);
}

static void odp_fail_read_from(const struct odp_rig *rig,
			       const struct odp_range *range, enum pages pages)
{
	struct work work = work_rdma(IBV_WR_RDMA_READ, rig->client, 0,
				     range->length, rig->server, range->offset);

	odp_lose_page(rig->server, pages);
	odp_require_refused(rig, &work);
}

static void odp_read_from_invalid_page_is_rem_access(void)
{
	odp_each(odp_fail_read_from, false);
}

static void odp_fail_read_into(const struct odp_rig *rig,
			       const struct odp_range *range, enum pages pages)
{
	struct work work = work_rdma(IBV_WR_RDMA_READ, rig->client,
				     range->offset, range->length, rig->server,
				     0);

	odp_lose_page(rig->client, pages);
	post(rig->pair.client, &work);
	poll_status(rig->pair.client->send_cq, IBV_WC_LOC_PROT_ERR);
}

static void odp_read_into_invalid_page_is_loc_prot(void)
{
	odp_each(odp_fail_read_into, true);
}

static void odp_fail_atomic(const struct odp_rig *rig,
			    const struct odp_range *range, enum pages pages)
{
	struct work work = work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, rig->client,
				       range->length / 8 * 8, rig->server,
				       ODP_BAD + 8, 1, 0);

	odp_lose_page(rig->server, pages);
	odp_require_refused(rig, &work);
	mem_require_value(rig->server, ODP_BAD, ODP_PAGE, 0);
}

static void odp_atomic_on_invalid_page_is_rem_access(void)
{
	odp_each(odp_fail_atomic, true);
}

static void odp_fail_atomic_result(const struct odp_rig *rig,
				   const struct odp_range *range,
				   enum pages pages)
{
	struct work work = work_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, rig->client,
				       ODP_BAD, rig->server,
				       range->length / 8 * 8, 1, 0);

	odp_lose_page(rig->client, pages);
	post(rig->pair.client, &work);
	poll_status(rig->pair.client->send_cq, IBV_WC_LOC_PROT_ERR);
}

static void odp_atomic_result_in_invalid_page_is_loc_prot(void)
{
	odp_each(odp_fail_atomic_result, true);
}

/* -- pages that become valid -- */

static void odp_memory_may_be_mapped_after_registration(void)
{
	struct odp_rig rig = { .pair = pair_new(NULL, NULL) };

	for (enum end end = CLIENT; end <= SERVER; end++) {
		struct mem *plain = mem_new(end, ODP_LENGTH, 0);

		REQUIRE_EQUAL(mem_dereg(plain), 0);
		mem_pages(plain, 0, ODP_LENGTH, PAGES_UNMAPPED);
		*(end == CLIENT ? &rig.client : &rig.server) =
			mem_again(plain, false, ODP_ACCESS);
		mem_pages(plain, 0, ODP_LENGTH, PAGES_ALL);
	}
	odp_require_data(&rig);
}

static void odp_page_may_become_valid_again(void)
{
	struct odp_rig rig = odp_rig_new();
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig.client, ODP_BAD, 8,
				     rig.server, ODP_BAD);

	odp_lose_page(rig.server, PAGES_NONE);
	odp_require_refused(&rig, &work);
	odp_lose_page(rig.server, PAGES_ALL);
	rig.pair = pair_new(NULL, NULL);
	odp_rig_write(&rig, 70000, 1);
	odp_lose_page(rig.server, PAGES_READ);
	work.opcode = IBV_WR_RDMA_READ;
	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
}

const struct conform_test conform_odp[] = {
	{ "odp.requests_move_data", odp_requests_move_data, NEED_ODP },
	{ "odp.requests_move_data_to_other_regions",
	  odp_requests_move_data_to_other_regions, NEED_ODP },
	{ "odp.sge_lists_may_be_mixed", odp_sge_lists_may_be_mixed, NEED_ODP },
	{ "odp.atomics_change_memory", odp_atomics_change_memory, NEED_ODP },
	{ "odp.send_from_invalid_page_is_loc_prot",
	  odp_send_from_invalid_page_is_loc_prot, NEED_ODP },
	{ "odp.receive_in_invalid_page_is_loc_prot",
	  odp_receive_in_invalid_page_is_loc_prot, NEED_ODP },
	{ "odp.write_from_invalid_page_is_loc_prot",
	  odp_write_from_invalid_page_is_loc_prot, NEED_ODP },
	{ "odp.write_to_invalid_page_is_rem_access",
	  odp_write_to_invalid_page_is_rem_access, NEED_ODP },
	{ "odp.read_from_invalid_page_is_rem_access",
	  odp_read_from_invalid_page_is_rem_access, NEED_ODP },
	{ "odp.read_into_invalid_page_is_loc_prot",
	  odp_read_into_invalid_page_is_loc_prot, NEED_ODP },
	{ "odp.atomic_on_invalid_page_is_rem_access",
	  odp_atomic_on_invalid_page_is_rem_access, NEED_ODP },
	{ "odp.atomic_result_in_invalid_page_is_loc_prot",
	  odp_atomic_result_in_invalid_page_is_loc_prot, NEED_ODP },
	{ "odp.memory_may_be_mapped_after_registration",
	  odp_memory_may_be_mapped_after_registration, NEED_ODP },
	{ "odp.page_may_become_valid_again", odp_page_may_become_valid_again,
	  NEED_ODP },
	{},
};
