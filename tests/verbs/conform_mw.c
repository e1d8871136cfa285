// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: memory windows of type 1 (ibv_bind_mw()) and
 * type 2 (IBV_WR_BIND_MW).
 */
#include "conform.h"

#include <errno.h>
#include <string.h>

#define MW_OFFSET 1000 /* of the window in its region */
#define MW_LENGTH 600
#define MW_REMOTE                                           \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC)

/* The server binds a window; the client uses it. */
struct mw_rig {
	struct pair pair;
	struct mem *client, *server;
	struct mw *mw;
	enum ibv_mw_type type;
};

/* A connection for windows; the region of the server has these rights. */
static struct mw_rig mw_rig_new(enum ibv_mw_type type, unsigned int access)
{
	struct mw_rig rig = { .pair = pair_new(NULL, NULL), .type = type };

	rig.client = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	rig.server = mem_new(SERVER, 4096, access);
	rig.mw = mw_new(SERVER, type);
	return rig;
}

static struct work mw_bind_work(struct mw *mw, uint32_t rkey,
				const struct mem *mem, size_t offset,
				size_t length, unsigned int access)
{
	return (struct work){
		.opcode = IBV_WR_BIND_MW,
		.mw = mw,
		.bind_rkey = rkey,
		.bind_mem = mem,
		.bind_offset = offset,
		.bind_length = length,
		.bind_access = access,
	};
}

/* Posts a bind, which completes with @status. */
static void mw_bind_status(struct mw_rig *rig, size_t offset, size_t length,
			   unsigned int access, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	if (rig->type == IBV_MW_TYPE_1) {
		REQUIRE_EQUAL(mw_bind_1(rig->pair.server, rig->mw, rig->server,
					offset, length, access, 77),
			      0);
	} else {
		struct work work = mw_bind_work(rig->mw, mw_inc_rkey(rig->mw),
						rig->server, offset, length,
						access);

		work.wr_id = 77;
		post(rig->pair.server, &work);
	}
	wc = poll_status(rig->pair.server->send_cq, status);
	REQUIRE_EQUAL(wc.wr_id, 77);
	REQUIRE_EQUAL(wc.qp_num, rig->pair.server->num);
	if (status == IBV_WC_SUCCESS)
		REQUIRE_EQUAL(wc.opcode, IBV_WC_BIND_MW);
	poll_nothing(rig->pair.server->send_cq, 0);
}

static void mw_bind(struct mw_rig *rig, size_t offset, size_t length,
		    unsigned int access)
{
	mw_bind_status(rig, offset, length, access, IBV_WC_SUCCESS);
}

static struct work mw_access(const struct mw_rig *rig,
			     enum ibv_wr_opcode opcode, uint32_t rkey,
			     size_t offset, uint32_t length)
{
	struct work work =
		work_rdma(opcode, rig->client, 0, length, rig->server, offset);

	work.rkey = rkey;
	return work;
}

/* WRITE and READ by the key have an effect on exactly these bytes. */
static void mw_require_usable(const struct mw_rig *rig, uint32_t rkey,
			      size_t offset, uint32_t length)
{
	struct work work =
		mw_access(rig, IBV_WR_RDMA_WRITE, rkey, offset, length);

	conform_context("key %#x, %u bytes at %zu", rkey, length, offset);
	memset(rig->server->view, 0, rig->server->length);
	mem_fill(rig->client, 0, length, length);
	post(rig->pair.client, &work);
	REQUIRE_EQUAL(poll_success(rig->pair.client->send_cq, 0).opcode,
		      IBV_WC_RDMA_WRITE);
	mem_require(rig->server, offset, length, length);
	mem_require_value(rig->server, 0, offset, 0);
	mem_require_value(rig->server, offset + length,
			  rig->server->length - offset - length, 0);
	memset(rig->client->view, 0, length);
	work.opcode = IBV_WR_RDMA_READ;
	post(rig->pair.client, &work);
	poll_success(rig->pair.client->send_cq, 0);
	mem_require(rig->client, 0, length, length);
}

static void mw_reconnect(struct pair pair)
{
	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_RESET), 0);
	REQUIRE_EQUAL(qp_to_state(pair.server, IBV_QPS_RESET), 0);
	qp_connect(pair.client, pair.server, NULL);
}

/* REM_ACCESS and no effect; both QPs are in ERR then. */
static void mw_require_refused(const struct mw_rig *rig,
			       const struct work *work)
{
	conform_context(
		"opcode %d, key %#x, %u bytes at %#llx", (int)work->opcode,
		work->rkey, work->sge[0].length,
		(unsigned long long)(work->remote_addr - rig->server->addr));
	memset(rig->server->view, 0x33, rig->server->length);
	memset(rig->client->view, 0x44, rig->client->length);
	post(rig->pair.client, work);
	REQUIRE_EQUAL(
		poll_status(rig->pair.client->send_cq, IBV_WC_REM_ACCESS_ERR)
			.wr_id,
		work->wr_id);
	qp_wait_state(rig->pair.client, IBV_QPS_ERR);
	qp_wait_state(rig->pair.server, IBV_QPS_ERR);
	poll_nothing(rig->pair.client->send_cq, 0);
	poll_nothing(rig->pair.server->recv_cq, 0);
	mem_require_value(rig->server, 0, rig->server->length, 0x33);
	mem_require_value(rig->client, 0, rig->client->length, 0x44);
}

/* -- both types -- */

/* With a new connection and a new window: @key_flip changes the key. */
static void mw_refuse(struct mw_rig *rig, enum ibv_mw_type type,
		      unsigned int access, enum ibv_wr_opcode opcode,
		      uint32_t key_flip, size_t offset, uint32_t length)
{
	struct work work;

	*rig = mw_rig_new(type, CONFORM_ALL_ACCESS);
	mw_bind(rig, MW_OFFSET, MW_LENGTH, access);
	work = mw_access(rig, opcode, rig->mw->rkey ^ key_flip, offset, length);
	mw_require_refused(rig, &work);
}

static void mw_bound_window_is_usable(enum ibv_mw_type type)
{
	struct mw_rig rig = mw_rig_new(type, CONFORM_ALL_ACCESS);
	struct work work;

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	REQUIRE(rig.mw->rkey != rig.server->rkey);
	mw_require_usable(&rig, rig.mw->rkey, MW_OFFSET, MW_LENGTH);
	mw_require_usable(&rig, rig.mw->rkey, MW_OFFSET, 1);
	mw_require_usable(&rig, rig.mw->rkey, MW_OFFSET + MW_LENGTH - 1, 1);
	mw_require_usable(&rig, rig.mw->rkey, MW_OFFSET + 3, 100);
	mw_require_usable(&rig, rig.server->rkey, 0, 4096);
	if (conform_device()->orig_attr.atomic_cap == IBV_ATOMIC_NONE)
		return;
	memset(rig.server->view, 0, 4096);
	work = work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, rig.client, 0,
			   rig.server, MW_OFFSET, 5, 0);
	work.rkey = rig.mw->rkey;
	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
	REQUIRE_EQUAL(*(uint64_t *)(void *)(rig.server->view + MW_OFFSET), 5);
}

static void mw_type_1_is_usable(void)
{
	mw_bound_window_is_usable(IBV_MW_TYPE_1);
}

static void mw_type_2_is_usable(void)
{
	mw_bound_window_is_usable(IBV_MW_TYPE_2);
}

static void mw_range_is_checked(enum ibv_mw_type type)
{
	struct mw_rig rig;

	mw_refuse(&rig, type, MW_REMOTE, IBV_WR_RDMA_WRITE, 0, MW_OFFSET - 1,
		  2);
	mw_refuse(&rig, type, MW_REMOTE, IBV_WR_RDMA_READ, 0, MW_OFFSET - 1, 2);
	mw_refuse(&rig, type, MW_REMOTE, IBV_WR_RDMA_WRITE, 0, MW_OFFSET,
		  MW_LENGTH + 1);
	mw_refuse(&rig, type, MW_REMOTE, IBV_WR_RDMA_READ, 0,
		  MW_OFFSET + MW_LENGTH, 1);
}

static void mw_type_1_range_is_rem_access(void)
{
	mw_range_is_checked(IBV_MW_TYPE_1);
}

static void mw_type_2_range_is_rem_access(void)
{
	mw_range_is_checked(IBV_MW_TYPE_2);
}

static void mw_rights_are_checked(enum ibv_mw_type type)
{
	struct mw_rig rig;

	mw_refuse(&rig, type, IBV_ACCESS_REMOTE_READ, IBV_WR_RDMA_WRITE, 0,
		  MW_OFFSET, 8);
	mw_refuse(&rig, type, IBV_ACCESS_REMOTE_WRITE, IBV_WR_RDMA_READ, 0,
		  MW_OFFSET, 8);
	if (conform_device()->orig_attr.atomic_cap != IBV_ATOMIC_NONE)
		mw_refuse(&rig, type,
			  IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
			  IBV_WR_ATOMIC_FETCH_AND_ADD, 0, MW_OFFSET, 8);
}

static void mw_type_1_rights_are_narrower(void)
{
	mw_rights_are_checked(IBV_MW_TYPE_1);
}

static void mw_type_2_rights_are_narrower(void)
{
	mw_rights_are_checked(IBV_MW_TYPE_2);
}

static void mw_key_is_checked(enum ibv_mw_type type)
{
	struct mw_rig rig;

	mw_refuse(&rig, type, MW_REMOTE, IBV_WR_RDMA_WRITE, 1, MW_OFFSET, 8);
	mw_refuse(&rig, type, MW_REMOTE, IBV_WR_RDMA_READ, 0x80, MW_OFFSET, 8);
}

static void mw_type_1_other_key_part_is_rem_access(void)
{
	mw_key_is_checked(IBV_MW_TYPE_1);
}

static void mw_type_2_other_key_part_is_rem_access(void)
{
	mw_key_is_checked(IBV_MW_TYPE_2);
}

/* The rights of the region that a bind needs, and the range. */
static void mw_bind_is_refused(enum ibv_mw_type type)
{
	const unsigned int without_bind = CONFORM_ALL_ACCESS &
					  ~(unsigned int)IBV_ACCESS_MW_BIND;
	struct mw_rig rig = mw_rig_new(type, without_bind);

	conform_context("a region without IBV_ACCESS_MW_BIND");
	mw_bind_status(&rig, MW_OFFSET, MW_LENGTH, IBV_ACCESS_REMOTE_READ,
		       IBV_WC_MW_BIND_ERR);
	qp_wait_state(rig.pair.server, IBV_QPS_ERR);
	conform_context("REMOTE_WRITE without IBV_ACCESS_LOCAL_WRITE");
	rig = mw_rig_new(type, IBV_ACCESS_MW_BIND | IBV_ACCESS_REMOTE_READ);
	mw_bind_status(&rig, MW_OFFSET, MW_LENGTH, IBV_ACCESS_REMOTE_WRITE,
		       IBV_WC_MW_BIND_ERR);
	conform_context("a range beyond the region");
	rig = mw_rig_new(type, CONFORM_ALL_ACCESS);
	mw_bind_status(&rig, MW_OFFSET, 4096 - MW_OFFSET + 1,
		       IBV_ACCESS_REMOTE_WRITE, IBV_WC_MW_BIND_ERR);
}

static void mw_type_1_bind_is_refused(void)
{
	mw_bind_is_refused(IBV_MW_TYPE_1);
}

static void mw_type_2_bind_is_refused(void)
{
	mw_bind_is_refused(IBV_MW_TYPE_2);
}

static void mw_dereg_of_bound_region_is_ebusy(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	REQUIRE_EQUAL(mem_dereg(rig.server), EBUSY);
	mw_require_usable(&rig, rig.mw->rkey, MW_OFFSET, MW_LENGTH);
	REQUIRE_EQUAL(mw_dealloc(rig.mw), 0);
	REQUIRE_EQUAL(mem_dereg(rig.server), 0);
}

static void mw_deallocated_window_is_rem_access(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);
	struct work work;

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	work = mw_access(&rig, IBV_WR_RDMA_WRITE, rig.mw->rkey, MW_OFFSET, 8);
	REQUIRE_EQUAL(mw_dealloc(rig.mw), 0);
	mw_require_refused(&rig, &work);
}

/* -- type 1 -- */

static void mw_type_1_rebind_changes_key(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_1, CONFORM_ALL_ACCESS);
	struct work work;
	uint32_t first;

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	first = rig.mw->rkey;
	mw_bind(&rig, 3000, 16, MW_REMOTE);
	REQUIRE(rig.mw->rkey != first);
	mw_require_usable(&rig, rig.mw->rkey, 3000, 16);
	work = mw_access(&rig, IBV_WR_RDMA_WRITE, first, 3000, 8);
	mw_require_refused(&rig, &work);
	mw_reconnect(rig.pair);
	work = mw_access(&rig, IBV_WR_RDMA_WRITE, rig.mw->rkey, MW_OFFSET, 8);
	mw_require_refused(&rig, &work);
}

static void mw_type_1_zero_length_unbinds(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_1, CONFORM_ALL_ACCESS);
	struct work work;

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	work = mw_access(&rig, IBV_WR_RDMA_WRITE, rig.mw->rkey, MW_OFFSET, 8);
	mw_bind(&rig, MW_OFFSET, 0, MW_REMOTE);
	mw_require_refused(&rig, &work);
	mw_reconnect(rig.pair);
	work.rkey = rig.mw->rkey;
	mw_require_refused(&rig, &work);
}

/* A window of type 1 belongs to the PD, not to a QP. */
static void mw_type_1_other_qp_may_use_it(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_1, CONFORM_ALL_ACCESS);

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	rig.pair = pair_new(NULL, NULL);
	mw_require_usable(&rig, rig.mw->rkey, MW_OFFSET, MW_LENGTH);
}

static void mw_bind_call_of_type_2_is_einval(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);

	REQUIRE_EQUAL(mw_bind_1(rig.pair.server, rig.mw, rig.server, 0, 8,
				MW_REMOTE, 1),
		      EINVAL);
	poll_nothing(rig.pair.server->send_cq, 0);
}

/* -- type 2 -- */

static void mw_require_2b(void)
{
	if (!(conform_device()->orig_attr.device_cap_flags &
	      IBV_DEVICE_MEM_WINDOW_TYPE_2B))
		conform_skip("no type 2B windows");
}

static void mw_type_2_other_qp_is_rem_access(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);
	struct pair first = rig.pair;
	struct work work;

	mw_require_2b();
	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	work = mw_access(&rig, IBV_WR_RDMA_WRITE, rig.mw->rkey, MW_OFFSET, 8);
	rig.pair = pair_new(NULL, NULL);
	mw_require_refused(&rig, &work);
	rig.pair = first;
	mw_require_usable(&rig, rig.mw->rkey, MW_OFFSET, MW_LENGTH);
}

static void mw_local_invalidate_ends_window(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);
	struct work work = { .opcode = IBV_WR_LOCAL_INV, .wr_id = 5 };
	uint32_t first;

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	first = rig.mw->rkey;
	work.imm = first;
	post(rig.pair.server, &work);
	REQUIRE_EQUAL(poll_success(rig.pair.server->send_cq, 5).opcode,
		      IBV_WC_LOCAL_INV);
	/* It can be bound again, with another key. */
	mw_bind(&rig, 3000, 16, MW_REMOTE);
	REQUIRE(rig.mw->rkey != first);
	mw_require_usable(&rig, rig.mw->rkey, 3000, 16);
	work = mw_access(&rig, IBV_WR_RDMA_WRITE, first, 3000, 8);
	mw_require_refused(&rig, &work);
}

static void mw_invalidated_window_is_rem_access(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);
	struct work work = { .opcode = IBV_WR_LOCAL_INV };

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	work.imm = rig.mw->rkey;
	post(rig.pair.server, &work);
	poll_success(rig.pair.server->send_cq, 0);
	work = mw_access(&rig, IBV_WR_RDMA_READ, rig.mw->rkey, MW_OFFSET, 8);
	mw_require_refused(&rig, &work);
}

/* As soon as the receive is complete, the key is invalid. */
static void mw_invalidate_precedes_cqe(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);
	struct work work = work_send(rig.client, 0, 100);
	struct ibv_wc wc;
	uint32_t first;

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	first = rig.mw->rkey;
	mem_fill(rig.client, 0, 100, 3);
	post_recv(rig.pair.server, rig.server, 0, 200, 9);
	work.opcode = IBV_WR_SEND_WITH_INV;
	work.imm = first;
	work.wr_id = 4;
	post(rig.pair.client, &work);
	wc = poll_success(rig.pair.server->recv_cq, 9);
	REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV);
	REQUIRE_EQUAL(wc.byte_len, 100);
	REQUIRE_EQUAL(wc.wc_flags & (IBV_WC_WITH_INV | IBV_WC_WITH_IMM),
		      IBV_WC_WITH_INV);
	REQUIRE_EQUAL(wc.invalidated_rkey, first);
	mem_require(rig.server, 0, 100, 3);
	mem_require_value(rig.server, 100, 3996, 0);
	/* A bind needs an invalid window: it shows that it is one. */
	mw_bind(&rig, 3000, 16, MW_REMOTE);
	REQUIRE_EQUAL(poll_success(rig.pair.client->send_cq, 4).opcode,
		      IBV_WC_SEND);
	mw_require_usable(&rig, rig.mw->rkey, 3000, 16);
	work = mw_access(&rig, IBV_WR_RDMA_WRITE, first, MW_OFFSET, 8);
	mw_require_refused(&rig, &work);
}

/* The client's own later request finds the window invalid, too. */
static void mw_write_after_send_with_inv_is_rem_access(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);
	struct work work[3];

	mw_bind(&rig, MW_OFFSET, MW_LENGTH, MW_REMOTE);
	post_recv(rig.pair.server, rig.server, 0, 200, 9);
	memset(rig.client->view, 0x66, 100);
	work[0] = mw_access(&rig, IBV_WR_RDMA_WRITE, rig.mw->rkey, MW_OFFSET,
			    100);
	work[1] = work_send(rig.client, 0, 0);
	work[1].opcode = IBV_WR_SEND_WITH_INV;
	work[1].imm = rig.mw->rkey;
	work[2] = mw_access(&rig, IBV_WR_RDMA_WRITE, rig.mw->rkey,
			    MW_OFFSET + 100, 100);
	for (int i = 0; i < 3; i++)
		work[i].wr_id = (uint64_t)i;
	post_list(rig.pair.client, work, 3);
	poll_success(rig.pair.client->send_cq, 0);
	poll_success(rig.pair.client->send_cq, 1);
	REQUIRE_EQUAL(
		poll_status(rig.pair.client->send_cq, IBV_WC_REM_ACCESS_ERR)
			.wr_id,
		2);
	poll_success(rig.pair.server->recv_cq, 9);
	mem_require_value(rig.server, MW_OFFSET, 100, 0x66);
	mem_require_value(rig.server, MW_OFFSET + 100, 1000, 0);
}

/* The key part of the argument counts; the rest belongs to the window. */
static void mw_same_rkey_argument_gives_two_windows(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2, CONFORM_ALL_ACCESS);
	struct mw *other = mw_new(SERVER, IBV_MW_TYPE_2);
	uint32_t rkey, other_rkey;
	struct work work;

	/* Neither window has this key part now. */
	rkey = mw_inc_rkey(rig.mw);
	while ((rkey & 0xff) == (other->rkey & 0xff))
		rkey = mw_inc_rkey(rig.mw);
	other_rkey = (other->rkey & ~0xffu) | (rkey & 0xff);
	REQUIRE(other_rkey != rkey);
	work = mw_bind_work(rig.mw, rkey, rig.server, MW_OFFSET, 8, MW_REMOTE);
	post(rig.pair.server, &work);
	poll_success(rig.pair.server->send_cq, 0);
	work = mw_bind_work(other, rkey, rig.server, 3000, 8, MW_REMOTE);
	post(rig.pair.server, &work);
	poll_success(rig.pair.server->send_cq, 0);
	mw_require_usable(&rig, rkey, MW_OFFSET, 8);
	mw_require_usable(&rig, other_rkey, 3000, 8);
	work = mw_access(&rig, IBV_WR_RDMA_WRITE, rkey, 3000, 8);
	mw_require_refused(&rig, &work);
}

/* A bind waits for older requests, and completes after them. */
static void mw_bind_waits_for_older_requests(void)
{
	struct mw_rig rig = mw_rig_new(IBV_MW_TYPE_2,
				       CONFORM_ALL_ACCESS | IBV_ACCESS_MW_BIND);
	struct work send = work_send(rig.server, 0, 8);
	struct work bind = mw_bind_work(rig.mw, mw_inc_rkey(rig.mw), rig.server,
					MW_OFFSET, MW_LENGTH,
					IBV_ACCESS_REMOTE_READ);

	send.wr_id = 1;
	bind.wr_id = 2;
	post(rig.pair.server, &send);
	post(rig.pair.server, &bind);
	poll_nothing(rig.pair.server->send_cq, 5);
	post_recv(rig.pair.client, rig.client, 0, 8, 3);
	poll_success(rig.pair.client->recv_cq, 3);
	poll_success(rig.pair.server->send_cq, 1);
	REQUIRE_EQUAL(poll_success(rig.pair.server->send_cq, 2).opcode,
		      IBV_WC_BIND_MW);
}

const struct conform_test conform_mw[] = {
	{ "mw.type_1_is_usable", mw_type_1_is_usable, NEED_MW_1 },
	{ "mw.type_1_range_is_rem_access", mw_type_1_range_is_rem_access,
	  NEED_MW_1 },
	{ "mw.type_1_rights_are_narrower", mw_type_1_rights_are_narrower,
	  NEED_MW_1 },
	{ "mw.type_1_other_key_part_is_rem_access",
	  mw_type_1_other_key_part_is_rem_access, NEED_MW_1 },
	{ "mw.type_1_bind_is_refused", mw_type_1_bind_is_refused, NEED_MW_1 },
	{ "mw.type_1_rebind_changes_key", mw_type_1_rebind_changes_key,
	  NEED_MW_1 },
	{ "mw.type_1_zero_length_unbinds", mw_type_1_zero_length_unbinds,
	  NEED_MW_1 },
	{ "mw.type_1_other_qp_may_use_it", mw_type_1_other_qp_may_use_it,
	  NEED_MW_1 },
	{ "mw.type_2_is_usable", mw_type_2_is_usable, NEED_MW },
	{ "mw.type_2_range_is_rem_access", mw_type_2_range_is_rem_access,
	  NEED_MW },
	{ "mw.type_2_rights_are_narrower", mw_type_2_rights_are_narrower,
	  NEED_MW },
	{ "mw.type_2_other_key_part_is_rem_access",
	  mw_type_2_other_key_part_is_rem_access, NEED_MW },
	{ "mw.type_2_bind_is_refused", mw_type_2_bind_is_refused, NEED_MW },
	{ "mw.bind_waits_for_older_requests", mw_bind_waits_for_older_requests,
	  NEED_MW },
	{ "mw.type_2_other_qp_is_rem_access", mw_type_2_other_qp_is_rem_access,
	  NEED_MW },
	{ "mw.bind_call_of_type_2_is_einval", mw_bind_call_of_type_2_is_einval,
	  NEED_MW },
	{ "mw.dereg_of_bound_region_is_ebusy",
	  mw_dereg_of_bound_region_is_ebusy, NEED_MW },
	{ "mw.deallocated_window_is_rem_access",
	  mw_deallocated_window_is_rem_access, NEED_MW },
	{ "mw.local_invalidate_ends_window", mw_local_invalidate_ends_window,
	  NEED_MW | NEED_SEND_WITH_INV },
	{ "mw.invalidated_window_is_rem_access",
	  mw_invalidated_window_is_rem_access, NEED_MW | NEED_SEND_WITH_INV },
	{ "mw.invalidate_precedes_cqe", mw_invalidate_precedes_cqe,
	  NEED_MW | NEED_SEND_WITH_INV },
	{ "mw.write_after_send_with_inv_is_rem_access",
	  mw_write_after_send_with_inv_is_rem_access,
	  NEED_MW | NEED_SEND_WITH_INV },
	{ "mw.same_rkey_argument_gives_two_windows",
	  mw_same_rkey_argument_gives_two_windows, NEED_MW },
	{},
};
