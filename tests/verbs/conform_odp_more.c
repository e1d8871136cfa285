// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: on-demand regions of all addresses, their
 * changes, windows, deregistration and advice, other transports than RC, and
 * pages that become invalid while they are accessed.
 */
#include "conform.h"

#include <errno.h>
#include <string.h>

#define ODP_PAGE   4096u
#define ODP_LENGTH (16 * ODP_PAGE)
#define ODP_ACCESS (CONFORM_ALL_ACCESS | (unsigned int)IBV_ACCESS_ON_DEMAND)

static void odp_require_implicit(void)
{
	if (!(conform_device()->odp_caps.general_caps &
	      IBV_ODP_SUPPORT_IMPLICIT))
		conform_skip("no implicit on-demand paging");
}

static void odp_write_status(struct pair pair, const struct mem *from,
			     const struct mem *to, size_t offset,
			     enum ibv_wc_status status)
{
	struct work work =
		work_rdma(IBV_WR_RDMA_WRITE, from, 0, 100, to, offset);

	post(pair.client, &work);
	poll_status(pair.client->send_cq, status);
}

/* -- regions of all addresses -- */

static void odp_implicit_region_has_all_memory(void)
{
	struct pair pair;
	struct mem *from, *to;

	odp_require_implicit();
	pair = pair_new(NULL, NULL);
	from = mem_again(mem_new(CLIENT, ODP_LENGTH, 0), true, ODP_ACCESS);
	to = mem_again(mem_new(SERVER, ODP_LENGTH, 0), true, ODP_ACCESS);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t length = 10000 * i + 1;
		struct work work = work_send(from, 0, length);

		conform_context("%u bytes", length);
		mem_fill(from, 0, length, i);
		post_recv(pair.server, to, i, length, 1);
		post(pair.client, &work);
		poll_success(pair.server->recv_cq, 1);
		poll_success(pair.client->send_cq, 0);
		mem_require(to, i, length, i);
		memset(from->view, 0, ODP_LENGTH);
		work = work_rdma(IBV_WR_RDMA_READ, from, 0, length, to, i);
		post(pair.client, &work);
		poll_success(pair.client->send_cq, 0);
		mem_require(from, 0, length, i);
	}
}

static void odp_implicit_region_has_no_other_memory(void)
{
	const uint64_t addresses[] = { 0, 8, UINT64_MAX / 2, UINT64_MAX - 200,
				       UINT64_MAX - 50 };
	struct mem *from;

	odp_require_implicit();
	from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct pair pair = pair_new(NULL, NULL);
		struct mem *to =
			mem_again(mem_new(SERVER, 8, 0), true, ODP_ACCESS);

		conform_context("address %#llx",
				(unsigned long long)addresses[i]);
		odp_write_status(pair, from, to, addresses[i] - to->addr,
				 IBV_WC_REM_ACCESS_ERR);
	}
}

/* -- changes -- */

static void odp_rereg_changes_paging(void)
{
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *to = mem_new(SERVER, ODP_LENGTH, CONFORM_ALL_ACCESS);

	REQUIRE_EQUAL(mem_rereg(to, IBV_REREG_MR_CHANGE_ACCESS, -1, ODP_ACCESS),
		      0);
	odp_write_status(pair_new(NULL, NULL), from, to, 0, IBV_WC_SUCCESS);
	mem_pages(to, 0, ODP_PAGE, PAGES_NONE);
	odp_write_status(pair_new(NULL, NULL), from, to, 0,
			 IBV_WC_REM_ACCESS_ERR);
	mem_pages(to, 0, ODP_PAGE, PAGES_ALL);
	REQUIRE_EQUAL(mem_rereg(to, IBV_REREG_MR_CHANGE_ACCESS, -1,
				CONFORM_ALL_ACCESS),
		      0);
	odp_write_status(pair_new(NULL, NULL), from, to, 0, IBV_WC_SUCCESS);
}

/* A region that is not on demand needs mapped memory. */
static void odp_rereg_of_unmapped_memory_fails(void)
{
	struct mem *to = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);

	mem_pages(to, 0, ODP_PAGE, PAGES_UNMAPPED);
	REQUIRE(mem_rereg(to, IBV_REREG_MR_CHANGE_ACCESS, -1,
			  CONFORM_ALL_ACCESS) != 0);
	/* the region is unchanged */
	odp_write_status(pair_new(NULL, NULL), from, to, ODP_PAGE,
			 IBV_WC_SUCCESS);
	odp_write_status(pair_new(NULL, NULL), from, to, 0,
			 IBV_WC_REM_ACCESS_ERR);
}

static void odp_deregistered_region_is_refused(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *to = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);

	odp_write_status(pair, from, to, 0, IBV_WC_SUCCESS);
	REQUIRE_EQUAL(mem_dereg(to), 0);
	odp_write_status(pair, from, to, 0, IBV_WC_REM_ACCESS_ERR);
}

static void odp_window_has_pages_of_region(void)
{
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *to = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);
	struct pair pair = pair_new(NULL, NULL);
	struct mw *mw = mw_new(SERVER, IBV_MW_TYPE_1);
	struct mem window = *to;
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, from, 0, 100, to, 0);

	REQUIRE_EQUAL(mw_bind_1(pair.server, mw, to, 0, ODP_LENGTH,
				IBV_ACCESS_REMOTE_WRITE, 1),
		      0);
	poll_success(pair.server->send_cq, 1);
	window.rkey = mw->rkey;
	mem_fill(from, 0, 100, 1);
	odp_write_status(pair, from, &window, ODP_PAGE, IBV_WC_SUCCESS);
	mem_require(to, ODP_PAGE, 100, 1);
	mem_pages(to, 0, ODP_PAGE, PAGES_UNMAPPED);
	work.rkey = mw->rkey;
	post(pair.client, &work);
	poll_status(pair.client->send_cq, IBV_WC_REM_ACCESS_ERR);
}

/* -- other queues -- */

static void odp_uc_loses_message_for_invalid_page(void)
{
	const struct qp_args args = { .type = IBV_QPT_UC };
	struct pair pair = pair_new(&args, NULL);
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *to = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);
	struct work work = work_send(from, 0, 100);

	mem_fill(from, 0, 100, 1);
	mem_pages(to, 0, ODP_PAGE, PAGES_NONE);
	odp_write_status(pair, from, to, 0, IBV_WC_SUCCESS);
	post_recv(pair.server, to, ODP_PAGE, 100, 1);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	poll_success(pair.server->recv_cq, 1);
	mem_require(to, ODP_PAGE, 100, 1);
	mem_require_value(to, 0, 100, 0);
}

static void odp_datagrams_use_pages(void)
{
	const struct qp_args args = { .type = IBV_QPT_UD };
	struct pair pair = pair_new(&args, NULL);
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *to = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);
	struct work work = work_send(from, 0, 100);

	work.ah = ah_new(CLIENT);
	work.remote_qpn = pair.server->num;
	work.remote_qkey = CONFORM_QKEY;
	mem_fill(from, 0, 100, 1);
	post_recv(pair.server, to, ODP_PAGE, 140, 1);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	poll_success(pair.server->recv_cq, 1);
	mem_require(to, ODP_PAGE + 40, 100, 1);

	/* the GRH, then the data, is in the invalid page */
	for (int i = 0; i < 2; i++) {
		pair = pair_new(&args, NULL);
		work.remote_qpn = pair.server->num;
		mem_pages(to, ODP_PAGE, ODP_PAGE, PAGES_UNMAPPED);
		post_recv(pair.server, to, ODP_PAGE - (i ? 40 : 0), 140, 1);
		post(pair.client, &work);
		poll_success(pair.client->send_cq, 0);
		poll_status(pair.server->recv_cq, IBV_WC_LOC_PROT_ERR);
	}
	mem_pages(from, 0, ODP_PAGE, PAGES_NONE);
	post(pair.client, &work);
	poll_status(pair.client->send_cq, IBV_WC_LOC_PROT_ERR);
}

static void odp_srq_receives_in_pages(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	const struct qp_args args = { .srq = srq };
	struct pair pair = { qp_new(CLIENT, NULL), qp_new(SERVER, &args) };
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *to = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);
	struct work work = work_send(from, 0, 10000);

	qp_connect(pair.client, pair.server, NULL);
	mem_fill(from, 0, 10000, 1);
	post_srq_recv(srq, to, 100, 10000, 1);
	post_srq_recv(srq, to, 20000, 10000, 2);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	poll_success(pair.server->recv_cq, 1);
	mem_require(to, 100, 10000, 1);
	mem_pages(to, 6 * ODP_PAGE, ODP_PAGE, PAGES_READ);
	post(pair.client, &work);
	poll_status(pair.server->recv_cq, IBV_WC_LOC_PROT_ERR);
	poll_status(pair.client->send_cq, IBV_WC_REM_OP_ERR);
}

/* -- pages that become invalid at any time -- */

#define ODP_ROUNDS 5
#define ODP_OPS	   20

/* Request number @i of one round; the server may need a receive for it. */
static struct work odp_work(struct pair pair, const struct mem *from,
			    const struct mem *to, int i)
{
	const uint32_t length = i % 8 < 4 ? 64 : 9000;

	switch (i % 4) {
	case 0:
		post_recv(pair.server, to, 8, length, 1);
		return work_send(from, 8, length);
	case 1:
		return work_rdma(IBV_WR_RDMA_WRITE, from, 8, length, to, 8);
	case 2:
		return work_rdma(IBV_WR_RDMA_READ, from, 8, length, to, 8);
	default:
		return work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, from, 8, to, 8,
				   1, 0);
	}
}

/* Posts requests one after the other until one fails. Returns its status. */
static enum ibv_wc_status odp_round(const struct mem *from,
				    const struct mem *to)
{
	struct pair pair = pair_new(NULL, NULL);

	for (int i = 0; i < ODP_OPS; i++) {
		struct work work = odp_work(pair, from, to, i);
		struct ibv_wc wc;

		post(pair.client, &work);
		wc = poll_one(pair.client->send_cq);
		if (wc.status != IBV_WC_SUCCESS)
			return wc.status;
	}
	return IBV_WC_SUCCESS;
}

/* How many requests fail depends on the scheduler; none may end a process. */
static void odp_page_may_become_invalid_during_access(void)
{
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *to = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);

	mem_pages(to, 0, ODP_LENGTH, PAGES_FLICKER);
	for (int i = 0; i < ODP_ROUNDS; i++) {
		enum ibv_wc_status status = odp_round(from, to);

		conform_context("status %d of the responder's pages", status);
		REQUIRE(status == IBV_WC_SUCCESS ||
			status == IBV_WC_REM_ACCESS_ERR ||
			status == IBV_WC_REM_OP_ERR);
	}
	mem_pages(to, 0, ODP_LENGTH, PAGES_ALL);
	mem_pages(from, 0, ODP_LENGTH, PAGES_FLICKER);
	for (int i = 0; i < ODP_ROUNDS; i++) {
		enum ibv_wc_status status = odp_round(from, to);

		conform_context("status %d of the requester's pages", status);
		REQUIRE(status == IBV_WC_SUCCESS ||
			status == IBV_WC_LOC_PROT_ERR);
	}
	mem_pages(from, 0, ODP_LENGTH, PAGES_ALL);
	REQUIRE_EQUAL(odp_round(from, to), IBV_WC_SUCCESS);
}

/* -- advice -- */

#define READ_PAGES    IBV_ADVISE_MR_ADVICE_PREFETCH
#define WRITE_PAGES   IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define PRESENT_PAGES IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
#define FLUSH	      IBV_ADVISE_MR_FLAG_FLUSH

static void odp_advise_all(const struct mem *mem, int err_read, int err_write)
{
	struct ibv_sge list = sge(mem, 100, 3 * ODP_PAGE);

	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, FLUSH, &list), err_read);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, WRITE_PAGES, FLUSH, &list),
		      err_write);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, 0, &list), 0);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, WRITE_PAGES, 0, &list), 0);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, PRESENT_PAGES, FLUSH, &list), 0);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, PRESENT_PAGES, 0, &list), 0);
}

static void odp_advice_needs_valid_pages(void)
{
	struct mem *mem = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct ibv_sge nothing = sge(mem, 0, 0);

	odp_advise_all(mem, 0, 0);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, FLUSH, &nothing), 0);
	mem_pages(mem, ODP_PAGE, ODP_PAGE, PAGES_READ);
	odp_advise_all(mem, 0, EFAULT);
	mem_pages(mem, ODP_PAGE, ODP_PAGE, PAGES_NONE);
	odp_advise_all(mem, EFAULT, EFAULT);
	mem_pages(mem, ODP_PAGE, ODP_PAGE, PAGES_UNMAPPED);
	odp_advise_all(mem, EFAULT, EFAULT);
}

static void odp_advice_on_implicit_region_works(void)
{
	struct mem *mem;

	odp_require_implicit();
	mem = mem_again(mem_new(CLIENT, ODP_LENGTH, 0), true, ODP_ACCESS);
	odp_advise_all(mem, 0, 0);
}

static void odp_advice_needs_region_with_rights(void)
{
	struct mem *mem = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *fixed = mem_new(CLIENT, ODP_LENGTH, CONFORM_ALL_ACCESS);
	struct mem *readable =
		mem_new(CLIENT, ODP_LENGTH, (unsigned int)IBV_ACCESS_ON_DEMAND);
	struct ibv_sge list = sge(mem, 0, ODP_LENGTH + 1);

	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, 0, &list), EFAULT);
	list.length = ODP_LENGTH;
	list.addr--;
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, 0, &list), EFAULT);
	list.addr++;
	REQUIRE_EQUAL(mr_advise(CLIENT, pd_new(CLIENT), READ_PAGES, 0, &list),
		      EPERM);
	list.lkey ^= 1;
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, 0, &list), ENOENT);
	list = sge(readable, 0, 8);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, WRITE_PAGES, 0, &list), EPERM);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, 0, &list), 0);
	list = sge(fixed, 0, 8);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, 0, &list), EINVAL);
}

static void odp_unknown_advice_fails(void)
{
	struct mem *mem = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct ibv_sge list = sge(mem, 0, ODP_LENGTH);

	REQUIRE_EQUAL(mr_advise(CLIENT, 0, READ_PAGES, FLUSH << 1, &list),
		      EINVAL);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0,
				(enum ibv_advise_mr_advice)(PRESENT_PAGES + 1),
				0, &list),
		      EINVAL);
}

const struct conform_test conform_odp_more[] = {
	{ "odp.implicit_region_has_all_memory",
	  odp_implicit_region_has_all_memory, NEED_ODP },
	{ "odp.implicit_region_has_no_other_memory",
	  odp_implicit_region_has_no_other_memory, NEED_ODP },
	{ "odp.rereg_changes_paging", odp_rereg_changes_paging,
	  NEED_ODP | NEED_REREG },
	{ "odp.rereg_of_unmapped_memory_fails",
	  odp_rereg_of_unmapped_memory_fails, NEED_ODP | NEED_REREG },
	{ "odp.deregistered_region_is_refused",
	  odp_deregistered_region_is_refused, NEED_ODP },
	{ "odp.window_has_pages_of_region", odp_window_has_pages_of_region,
	  NEED_ODP | NEED_MW_1 },
	{ "odp.uc_loses_message_for_invalid_page",
	  odp_uc_loses_message_for_invalid_page, NEED_ODP | NEED_UC },
	{ "odp.datagrams_use_pages", odp_datagrams_use_pages,
	  NEED_ODP | NEED_UD },
	{ "odp.srq_receives_in_pages", odp_srq_receives_in_pages,
	  NEED_ODP | NEED_SRQ },
	{ "odp.page_may_become_invalid_during_access",
	  odp_page_may_become_invalid_during_access, NEED_ODP },
	{ "odp.advice_needs_valid_pages", odp_advice_needs_valid_pages,
	  NEED_ODP },
	{ "odp.advice_on_implicit_region_works",
	  odp_advice_on_implicit_region_works, NEED_ODP },
	{ "odp.advice_needs_region_with_rights",
	  odp_advice_needs_region_with_rights, NEED_ODP },
	{ "odp.unknown_advice_fails", odp_unknown_advice_fails, NEED_ODP },
	{},
};
