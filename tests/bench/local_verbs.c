/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measurements of local_bench that use only verbs, independent of the device.
 * Receives of a whole megabyte are posted ahead, small work requests are
 * inline, and every 32nd work request of a stream is signalled.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "local_bench.h"

#define TRIPS	  2000
#define STREAM	  20000	   /* small SENDs */
#define STREAM_NS 10000000 /* duration of a stream of large SENDs */
#define ONE_NS	  5000000  /* duration of single operations */

#define ACCESS                                              \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* ------------------------------------------------------------------------ */
/* Work requests and completions                                             */
/* ------------------------------------------------------------------------ */

static void post_receives(struct local_bench *bench, unsigned int nr)
{
	struct ibv_recv_wr wr[LOCAL_BATCH], *bad;
	struct ibv_sge sge = {
		.addr = (uintptr_t)bench->device.memory,
		.length = LOCAL_MEMORY,
		.lkey = bench->mr->lkey,
	};

	for (unsigned int i = 0; i < nr; i++)
		wr[i] = (struct ibv_recv_wr){
			.next = i + 1 < nr ? &wr[i + 1] : NULL,
			.sg_list = &sge,
			.num_sge = 1,
		};
	wire_must(bench->end, -ibv_post_recv(bench->link.qp, wr, &bad),
		  "post_recv");
}

/* Polls all completions, and replaces completed receives. */
static void poll_completions(struct local_bench *bench)
{
	struct ibv_wc wc[LOCAL_BATCH];
	int nr = wire_must(bench->end, ibv_poll_cq(bench->cq, LOCAL_BATCH, wc),
			   "poll_cq");

	for (int i = 0; i < nr; i++) {
		if (wc[i].status) {
			fprintf(stderr, "%s\n",
				ibv_wc_status_str(wc[i].status));
			errno = EIO;
			wire_die(bench->end, "completion");
		}
		if (wc[i].opcode & IBV_WC_RECV) {
			bench->received++;
			bench->receives_to_post++;
		} else {
			bench->sent++;
		}
	}
	if (bench->receives_to_post >= LOCAL_BATCH) {
		post_receives(bench, LOCAL_BATCH);
		bench->receives_to_post -= LOCAL_BATCH;
	}
}

/* Polls until a counter has a value, modulo 2^32. */
static void poll_until(struct local_bench *bench, const unsigned int *count,
		       unsigned int wanted, const char *what)
{
	uint64_t since_ns = 0;
	unsigned int in_vain = 0;

	while ((int)(*count - wanted) < 0) {
		poll_completions(bench);
		if (++in_vain % 65536)
			continue;
		if (!since_ns)
			since_ns = wire_now_ns();
		wire_check_time(bench->end, since_ns, what);
	}
}

static struct ibv_send_wr request(const struct local_bench *bench,
				  struct ibv_sge *sge,
				  enum ibv_wr_opcode opcode, uint32_t bytes)
{
	const bool is_small = bytes <= 64 && opcode != IBV_WR_RDMA_READ;

	*sge = (struct ibv_sge){
		.addr = (uintptr_t)bench->device.memory + (is_small ? 128 : 0),
		.length = bytes,
		.lkey = bench->mr->lkey,
	};
	return (struct ibv_send_wr){
		.sg_list = sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED |
			      (is_small ? IBV_SEND_INLINE : 0),
		.wr.rdma = {
			.remote_addr = bench->link.peer.va,
			.rkey = bench->link.peer.rkey,
		},
	};
}

static void post(const struct local_bench *bench, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wire_must(bench->end, -ibv_post_send(bench->link.qp, wr, &bad),
		  "post_send");
}

/* ------------------------------------------------------------------------ */
/* The queue pair                                                            */
/* ------------------------------------------------------------------------ */

static void open_qp(struct local_bench *bench)
{
	const struct wire_end *end = bench->end;
	const struct wire_device *device = &bench->device;
	struct wire_address *own =
		&end->shared->address[end->client][bench->number];
	struct ibv_qp_attr attr = { .qp_access_flags = ACCESS };
	struct ibv_qp_init_attr init = {
		.send_cq = bench->cq,
		.recv_cq = bench->cq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = LOCAL_SENDS,
			.max_recv_wr = LOCAL_RECEIVES,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = 64,
		},
	};

	bench->link.qp =
		wire_need(end, ibv_create_qp(bench->pd, &init), "create_qp");
	*own = (struct wire_address){
		.qpn = bench->link.qp->qp_num,
		.rkey = bench->mr->rkey,
		.va = (uintptr_t)device->memory,
	};
	memcpy(own->gid, &device->gid, sizeof(own->gid));
	wire_meet(end);
	wire_link_connect(end, device, &bench->link, bench->number,
			  IBV_MTU_4096);
	wire_must(end,
		  -ibv_modify_qp(bench->link.qp, &attr, IBV_QP_ACCESS_FLAGS),
		  "access");
}

/* Only one thread uses the objects of this domain. */
static void open_domain(struct local_bench *bench)
{
	struct ibv_context *ctx = bench->device.ctx;
	struct ibv_td_init_attr td = {};
	struct ibv_parent_domain_init_attr domain = { .pd = bench->device.pd };
	struct ibv_cq_init_attr_ex cq = {
		.cqe = LOCAL_RECEIVES + LOCAL_SENDS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS |
			     IBV_CQ_INIT_ATTR_MASK_PD,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};

	bench->td = wire_need(bench->end, ibv_alloc_td(ctx, &td), "alloc_td");
	domain.td = bench->td;
	bench->pd = wire_need(bench->end, ibv_alloc_parent_domain(ctx, &domain),
			      "alloc_parent_domain");
	cq.parent_domain = bench->pd;
	bench->cq = ibv_cq_ex_to_cq(wire_need(
		bench->end, ibv_create_cq_ex(ctx, &cq), "create_cq_ex"));
}

static void close_domain(struct local_bench *bench)
{
	wire_must(bench->end, -ibv_destroy_cq(bench->cq), "destroy_cq");
	wire_must(bench->end, -ibv_dealloc_pd(bench->pd), "dealloc_pd");
	wire_must(bench->end, -ibv_dealloc_td(bench->td), "dealloc_td");
}

void local_open(struct local_bench *bench, bool single_threaded)
{
	/* room for all completions of one queue pair */
	wire_device_open(bench->end, &bench->device,
			 (LOCAL_RECEIVES + LOCAL_SENDS) / WIRE_DEPTH,
			 LOCAL_MEMORY);
	bench->pd = bench->device.pd;
	bench->cq = bench->device.cq;
	if (single_threaded)
		open_domain(bench);
	bench->mr = wire_need(bench->end,
			      ibv_reg_mr(bench->device.pd, bench->device.memory,
					 LOCAL_MEMORY, ACCESS),
			      "reg_mr");
	open_qp(bench);
	for (unsigned int i = 0; i < LOCAL_RECEIVES / LOCAL_BATCH; i++)
		post_receives(bench, LOCAL_BATCH);
	wire_meet(bench->end);
}

void local_close(struct local_bench *bench)
{
	wire_meet(bench->end);
	wire_link_close(bench->end, &bench->link);
	if (bench->td)
		close_domain(bench);
	wire_must(bench->end, -ibv_dereg_mr(bench->mr), "dereg_mr");
	wire_device_close(bench->end, &bench->device);
}

/* ------------------------------------------------------------------------ */
/* Small messages, both polling                                              */
/* ------------------------------------------------------------------------ */

static void wait_message(struct local_bench *bench, enum local_trip kind,
			 uint64_t number)
{
	const uint64_t *word = (const uint64_t *)bench->device.memory;

	if (kind == LOCAL_SEND) {
		poll_until(bench, &bench->received, bench->received + 1,
			   "SEND");
		return;
	}
	if (kind == LOCAL_MAPPED) {
		word = bench->mapped.memory;
		while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != number)
			local_pause();
		return;
	}
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != number)
		poll_completions(bench);
}

static void send_word(struct local_bench *bench, struct ibv_send_wr *wr,
		      enum local_trip kind)
{
	post(bench, wr);
	if (kind == LOCAL_MAPPED)
		poll_until(bench, &bench->sent, bench->sent + 1, "WRITE");
}

static struct ibv_send_wr trip_request(const struct local_bench *bench,
				       struct ibv_sge *sge,
				       enum local_trip kind, uint64_t *number)
{
	struct ibv_send_wr wr = request(
		bench, sge,
		kind == LOCAL_SEND ? IBV_WR_SEND : IBV_WR_RDMA_WRITE, 8);

	sge->addr = (uintptr_t)number;
	if (kind == LOCAL_MAPPED) {
		wr.wr.rdma.remote_addr = bench->mapped.peer.va;
		wr.wr.rdma.rkey = bench->mapped.peer.rkey;
	}
	return wr;
}

void local_write_word(struct local_bench *bench, uint64_t word)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = trip_request(bench, &sge, LOCAL_MAPPED, &word);

	send_word(bench, &wr, LOCAL_MAPPED);
}

double local_trip_ns(struct local_bench *bench, enum local_trip kind)
{
	const bool client = bench->end->client;
	unsigned int sent = bench->sent + TRIPS;
	uint64_t number, start_ns;
	struct ibv_sge sge;
	struct ibv_send_wr wr = trip_request(bench, &sge, kind, &number);

	*(uint64_t *)bench->device.memory = 0;
	if (kind == LOCAL_MAPPED)
		*bench->mapped.memory = 0;
	wire_meet(bench->end);
	start_ns = wire_now_ns();
	for (number = 1; number <= TRIPS; number++) {
		if (!client)
			wait_message(bench, kind, number);
		send_word(bench, &wr, kind);
		if (client)
			wait_message(bench, kind, number);
	}
	start_ns = wire_now_ns() - start_ns;
	poll_until(bench, &bench->sent, sent, "completions of a ping-pong");
	wire_meet(bench->end);
	return (double)start_ns / TRIPS / 2;
}

static void post_stream(struct local_bench *bench)
{
	struct ibv_send_wr wr[LOCAL_BATCH];
	struct ibv_sge sge;
	unsigned int first = bench->sent;

	for (unsigned int i = 0; i < LOCAL_BATCH; i++) {
		wr[i] = request(bench, &sge, IBV_WR_SEND, 8);
		wr[i].next = i + 1 < LOCAL_BATCH ? &wr[i + 1] : NULL;
		if (wr[i].next)
			wr[i].send_flags &= ~(unsigned int)IBV_SEND_SIGNALED;
	}
	for (unsigned int i = 0; i < STREAM / LOCAL_BATCH; i++) {
		post(bench, wr);
		poll_until(bench, &bench->sent,
			   first + i + 2 - LOCAL_SENDS / LOCAL_BATCH, "rate");
	}
	poll_until(bench, &bench->sent, first + STREAM / LOCAL_BATCH, "rate");
}

/* ------------------------------------------------------------------------ */
/* The server continues until the client is done                            */
/* ------------------------------------------------------------------------ */

static void serve(struct local_bench *bench, enum local_server server)
{
	if (server == LOCAL_COMPUTES)
		local_compute(bench);
	else
		while (!__atomic_load_n(&bench->shared->done.value,
					__ATOMIC_ACQUIRE))
			poll_completions(bench);
}

/*
 * Runs single operations for @limit_ns. The server has polled before the first
 * one, and counts as a polling process for up to a millisecond.
 */
static double repeat(struct local_bench *bench, struct ibv_send_wr *wr,
		     uint64_t limit_ns)
{
	uint64_t start_ns, now_ns;
	unsigned int nr = 0;

	post(bench, wr);
	poll_until(bench, &bench->sent, bench->sent + 1, "one-sided");
	start_ns = wire_now_ns();
	do {
		for (int i = 0; i < 8; i++, nr++) {
			post(bench, wr);
			poll_until(bench, &bench->sent, bench->sent + 1,
				   "one-sided");
		}
		now_ns = wire_now_ns();
	} while (now_ns - start_ns < limit_ns);
	return (double)(now_ns - start_ns) / nr;
}

static double measure(struct local_bench *bench, struct ibv_send_wr *wr,
		      enum local_server server)
{
	double ns = 0;

	bench->shared->done.value = 0;
	wire_meet(bench->end);
	if (bench->end->client) {
		ns = repeat(bench, wr, ONE_NS);
		__atomic_store_n(&bench->shared->done.value, 1,
				 __ATOMIC_RELEASE);
	} else {
		serve(bench, server);
	}
	wire_meet(bench->end);
	return ns;
}

double local_rate(struct local_bench *bench)
{
	uint64_t start_ns;

	bench->shared->done.value = 0;
	wire_meet(bench->end);
	start_ns = wire_now_ns();
	if (bench->end->client) {
		post_stream(bench);
		__atomic_store_n(&bench->shared->done.value, 1,
				 __ATOMIC_RELEASE);
	} else {
		serve(bench, LOCAL_POLLS);
	}
	start_ns = wire_now_ns() - start_ns;
	wire_meet(bench->end);
	return STREAM / ((double)start_ns / 1e3);
}

double local_fetch_add_ns(struct local_bench *bench, bool mapped)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr =
		request(bench, &sge, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);

	wr.send_flags = IBV_SEND_SIGNALED;
	wr.wr.atomic.remote_addr = bench->link.peer.va;
	wr.wr.atomic.compare_add = 1;
	wr.wr.atomic.rkey = bench->link.peer.rkey;
	if (mapped) {
		wr.wr.atomic.remote_addr = bench->mapped.peer.va;
		wr.wr.atomic.rkey = bench->mapped.peer.rkey;
	}
	return measure(bench, &wr, mapped ? LOCAL_COMPUTES : LOCAL_POLLS);
}

double local_one_sided_ns(struct local_bench *bench, enum ibv_wr_opcode opcode,
			  uint32_t bytes, enum local_server server)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = request(bench, &sge, opcode, bytes);

	return measure(bench, &wr, server);
}

/* ------------------------------------------------------------------------ */
/* Large SENDs                                                               */
/* ------------------------------------------------------------------------ */

#define AHEAD 8 /* outstanding work requests */

static double send_all(struct local_bench *bench, struct ibv_send_wr *wr)
{
	uint64_t start_ns = wire_now_ns(), now_ns;
	unsigned int first = bench->sent, nr = 0;

	do {
		post(bench, wr);
		nr++;
		poll_until(bench, &bench->sent, first + nr - AHEAD, "SENDs");
		now_ns = wire_now_ns();
	} while (now_ns - start_ns < STREAM_NS || nr < AHEAD);
	poll_until(bench, &bench->sent, first + nr, "SENDs");
	now_ns = wire_now_ns();
	return (double)(now_ns - start_ns) / nr;
}

double local_send_ns(struct local_bench *bench, uint32_t bytes)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = request(bench, &sge, IBV_WR_SEND, bytes);
	double ns = 0;

	bench->shared->done.value = 0;
	wire_meet(bench->end);
	if (bench->end->client) {
		ns = send_all(bench, &wr);
		__atomic_store_n(&bench->shared->done.value, 1,
				 __ATOMIC_RELEASE);
	} else {
		serve(bench, LOCAL_POLLS);
	}
	wire_meet(bench->end);
	return ns;
}
