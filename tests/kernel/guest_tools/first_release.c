/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * first_release DEVICE GID_INDEX traffic|silent|all - a program that was linked
 * with libibverbs 1.0 (see verbs_1_0.h), from the list of devices to the end.
 *
 * 	traffic	what works with any library that has these versions
 * 	silent	the same, on a device that transfers no data (uverbs_shim)
 * 	all	also the operations with which rdma-core's library fails:
 * 		completion channels, descriptors, a bad request in a list, a
 * 		QP without an SRQ
 *
 * Prints a line for each step, without values that differ from run to run, and
 * stops at the first failure.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "first_release.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* -- devices -- */

static bool list_devices(void)
{
	struct v10_device **second;
	int count = -1;

	NEED(list = v10_get_device_list(&count));
	NEED(count > 0);
	NEED(!list[count]);
	for (int i = 0; i < count; i++) {
		if (strcmp(v10_get_device_name(list[i]), device_name) == 0)
			device = list[i];
	}
	NEED(device);
	NEED(v10_get_device_guid(device) != 0);
	NEED(second = v10_get_device_list(NULL));
	v10_free_device_list(second);
	NEED(strcmp(v10_get_device_name(device), device_name) == 0);
	return true;
}

static bool open_first_device(void)
{
	NEED(ctx = v10_open_device(device));
	NEED(ctx->device == device);
	return true;
}

/* The library must not write beyond the 1.0 size of these structs. */
#define GUARD 0x5a

static bool is_guarded(const void *object, size_t old_size, size_t size)
{
	const unsigned char *bytes = object;

	for (size_t i = old_size; i < size; i++) {
		if (bytes[i] != GUARD)
			return false;
	}
	return true;
}

static bool query_attributes(void)
{
	struct ibv_device_attr device_attr;
	struct ibv_port_attr port;
	uint16_t pkey = 0;

	NEED(v10_query_device(ctx, &device_attr) == 0);
	NEED(device_attr.max_qp > 0 && device_attr.phys_port_cnt >= 1);
	NEED(v10_query_port(ctx, 1, &port) == 0);
	NEED(port.state == IBV_PORT_ACTIVE);
	NEED(v10_query_gid(ctx, 1, gid_index, &gid) == 0);
	NEED(gid.global.interface_id);
	NEED(v10_query_pkey(ctx, 1, 0, &pkey) == 0 && pkey == 0xffff);
	NEED(v10_query_gid(ctx, 1, 100000, &gid) == -1);
	NEED(v10_query_gid(ctx, 1, gid_index, &gid) == 0);
	return true;
}

/* -- traffic -- */

static struct ibv_sge sge_at(char *addr, uint32_t length)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)addr,
		.length = length,
		.lkey = mr->lkey,
	};
}

/* Polls a completion, which must have no error; 0 without a completion. */
static bool poll_completion(struct ibv_wc *wc)
{
	int nr = 0;

	for (int ms = 0; nr == 0 && ms < 60000; ms++) {
		nr = v10_poll_cq(cq, 1, wc);
		if (nr == 0)
			usleep(1000);
	}
	NEED(nr == 1);
	NEED(wc->status == IBV_WC_SUCCESS);
	return true;
}

static bool poll_completions(int count)
{
	struct ibv_wc wc;

	if (silent) {
		NEED(v10_poll_cq(cq, 1, &wc) == 0);
		return true;
	}
	for (int i = 0; i < count; i++) {
		if (!poll_completion(&wc))
			return false;
	}
	NEED(v10_poll_cq(cq, 1, &wc) == 0);
	return true;
}

/* Compares data only on devices that transfer data. */
static bool data_arrived(const char *at, const char *bytes)
{
	return silent || memcmp(at, bytes, strlen(bytes)) == 0;
}

static bool one_send(struct v10_qp *qp, struct v10_send_wr *wr)
{
	struct v10_send_wr *bad = NULL;

	NEED(v10_post_send(qp, wr, &bad) == 0);
	return true;
}

/*
 * Lists that exceed the number of work requests that a library translates at
 * once.
 */
static bool send_chain(void)
{
	struct v10_recv_wr recvs[NR_CHAIN], *bad_recv;
	struct v10_send_wr sends[NR_CHAIN], *bad_send;
	struct ibv_sge in[NR_CHAIN], out[NR_CHAIN];

	memset(recvs, 0, sizeof(recvs));
	memset(sends, 0, sizeof(sends));
	for (int i = 0; i < NR_CHAIN; i++) {
		in[i] = sge_at(to + 16 * i, 16);
		recvs[i].wr_id = 1000 + (uint64_t)i;
		recvs[i].sg_list = &in[i];
		recvs[i].num_sge = 1;
		recvs[i].next = i + 1 < NR_CHAIN ? &recvs[i + 1] : NULL;
		(void)snprintf(from + 16 * i, 16, "message %d", i);
		out[i] = sge_at(from + 16 * i, 16);
		sends[i].wr_id = (uint64_t)i;
		sends[i].opcode = IBV_WR_SEND;
		sends[i].sg_list = &out[i];
		sends[i].num_sge = 1;
		sends[i].next = i + 1 < NR_CHAIN ? &sends[i + 1] : NULL;
	}
	memset(to, 0, LEN);
	NEED(v10_post_srq_recv(srq, recvs, &bad_recv) == 0);
	NEED(v10_post_send(a, sends, &bad_send) == 0);
	if (!poll_completions(2 * NR_CHAIN))
		return false;
	for (int i = 0; i < NR_CHAIN; i++)
		NEED(data_arrived(to + 16 * i, from + 16 * i));
	return true;
}

/*
 * The first request that does not fit is the bad one, after any number of
 * others.
 */
static bool chain_too_long(void)
{
	struct v10_send_wr wr[NR_CHAIN], *bad = NULL;
	struct ibv_sge out[2] = { sge_at(from, 1), sge_at(from, 1) };

	memset(wr, 0, sizeof(wr));
	for (int i = 0; i < NR_CHAIN; i++) {
		wr[i].opcode = IBV_WR_RDMA_WRITE;
		wr[i].sg_list = out;
		wr[i].num_sge = i == 30 ? 1000 : 1;
		wr[i].wr.rdma.remote_addr = (uintptr_t)to;
		wr[i].wr.rdma.rkey = mr->rkey;
		wr[i].next = i + 1 < NR_CHAIN ? &wr[i + 1] : NULL;
	}
	NEED(v10_post_send(a, wr, &bad) != 0);
	NEED(bad == &wr[30]);
	return poll_completions(30);
}

static bool rdma(void)
{
	struct ibv_sge out = sge_at(from, 3000);
	struct v10_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.sg_list = &out,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = (uintptr_t)to, .rkey = mr->rkey },
	};

	memset(from, 'w', LEN);
	if (!one_send(a, &wr) || !poll_completions(1))
		return false;
	NEED(silent || memcmp(from, to, 3000) == 0);
	memset(to, 'r', LEN);
	wr.opcode = IBV_WR_RDMA_READ;
	if (!one_send(a, &wr) || !poll_completions(1))
		return false;
	NEED(data_arrived(from + 2990, "rrrrrrrrrrww"));
	return true;
}

static bool atomics(void)
{
	uint64_t *result = (void *)from, *word = (void *)to;
	struct ibv_sge out = sge_at(from, 8);
	struct v10_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.sg_list = &out,
		.num_sge = 1,
		.wr.atomic = { .remote_addr = (uintptr_t)to,
			       .compare_add = 5,
			       .rkey = mr->rkey },
	};

	*word = 100;
	if (!one_send(a, &wr) || !poll_completions(1))
		return false;
	NEED(silent || (*result == 100 && *word == 105));
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 105;
	wr.wr.atomic.swap = 7;
	if (!one_send(a, &wr) || !poll_completions(1))
		return false;
	NEED(silent || (*result == 105 && *word == 7));
	return true;
}

static bool datagrams(void)
{
	struct ibv_sge in = sge_at(to, LEN), out = sge_at(from, 30);
	struct v10_recv_wr recv = { .sg_list = &in, .num_sge = 1 }, *bad;
	struct v10_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = htobe32(9),
		.sg_list = &out,
		.num_sge = 1,
		.wr.ud = { .ah = ah,
			   .remote_qpn = ud_b->qp_num,
			   .remote_qkey = QKEY },
	};
	struct ibv_wc wc;

	memset(from, 'd', LEN);
	memset(to, 0, LEN);
	NEED(v10_post_recv(ud_b, &recv, &bad) == 0);
	if (!one_send(ud_a, &wr))
		return false;
	if (silent)
		return poll_completions(2);
	for (int i = 0; i < 2; i++) {
		if (!poll_completion(&wc))
			return false;
		if (!(wc.opcode & IBV_WC_RECV))
			continue;
		NEED(wc.byte_len == GRH_LEN + 30);
		NEED(wc.imm_data == htobe32(9));
		NEED(wc.src_qp == ud_a->qp_num);
	}
	NEED(data_arrived(to + GRH_LEN, "dddddddddd"));
	return true;
}

/* One receive is left, and the limit is two. */
static bool async_event(void)
{
	struct ibv_sge in = sge_at(to, 16), out = sge_at(from, 16);
	struct v10_recv_wr recv = { .sg_list = &in, .num_sge = 1 }, *bad;
	struct v10_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.sg_list = &out,
		.num_sge = 1,
	};
	struct ibv_srq_attr attr = { .srq_limit = 2 };
	struct ibv_async_event event = {};

	NEED(v10_post_srq_recv(srq, &recv, &bad) == 0);
	NEED(v10_post_srq_recv(srq, &recv, &bad) == 0);
	NEED(v10_modify_srq(srq, &attr, IBV_SRQ_LIMIT) == 0);
	if (!one_send(a, &wr) || !poll_completions(2))
		return false;
	if (silent)
		return true;
	(void)alarm(60);
	NEED(v10_get_async_event(ctx, &event) == 0);
	(void)alarm(0);
	NEED(event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED);
	NEED((void *)event.element.srq == srq);
	v10_ack_async_event(&event);
	return true;
}

static bool multicast(void)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, 0xff, 239, 1,
					 1, 1 } };

	NEED(v10_attach_mcast(ud_b, &group, 0) == 0);
	NEED(v10_detach_mcast(ud_b, &group, 0) == 0);
	NEED(silent || v10_detach_mcast(ud_b, &group, 0) != 0);
	return true;
}

/* -- operations that work only with our library -- */

static bool descriptors(void)
{
	struct pollfd fd = { .events = POLLIN };

	fd.fd = ctx->async_fd;
	NEED(poll(&fd, 1, 0) == 0);
	NEED(fcntl(ctx->cmd_fd, F_GETFD) >= 0);
	NEED(ctx->num_comp_vectors > 0);
	NEED(cq->cqe >= 4 * DEPTH);
	NEED(a->state == IBV_QPS_RTS && a->qp_type == IBV_QPT_RC);
	return true;
}

static bool short_structs(void)
{
	const size_t qp_attr_end = offsetof(struct ibv_qp_attr, rate_limit);
	struct v10_qp_init_attr init;
	struct ibv_port_attr port;
	struct ibv_qp_attr attr;

	memset(&port, GUARD, sizeof(port));
	NEED(v10_query_port(ctx, 1, &port) == 0);
	NEED(is_guarded(&port, 48, sizeof(port)));
	memset(&attr, GUARD, sizeof(attr));
	NEED(v10_query_qp(a, &attr, IBV_QP_STATE, &init) == 0);
	NEED(is_guarded(&attr, qp_attr_end, sizeof(attr)));
	NEED(init.qp_context == &qp_mine && !init.srq);
	return true;
}

static bool completion_event(void)
{
	struct ibv_sge in = sge_at(to, 16), out = sge_at(from, 16);
	struct v10_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.sg_list = &out,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = in.addr, .rkey = mr->rkey },
	};
	struct ibv_comp_channel *channel;
	struct v10_cq *woken, *event_cq, *before = cq;
	struct v10_qp *c, *d;
	void *event_context;

	NEED(channel = ibv_create_comp_channel((struct ibv_context *)ctx));
	NEED(woken = v10_create_cq(ctx, DEPTH, &cq_mine, channel, 0));
	NEED(ibv_destroy_comp_channel(channel) == EBUSY);
	cq = woken;
	NEED(c = make_qp(IBV_QPT_RC, NULL));
	NEED(d = make_qp(IBV_QPT_RC, NULL));
	NEED(to_init(c, false) == 0 && to_init(d, false) == 0);
	NEED(to_rts(c, d->qp_num) == 0 && to_rts(d, c->qp_num) == 0);
	NEED(v10_req_notify_cq(woken, 0) == 0);
	if (!one_send(c, &wr))
		return false;
	(void)alarm(60);
	NEED(v10_get_cq_event(channel, &event_cq, &event_context) == 0);
	(void)alarm(0);
	NEED(event_cq == woken && event_context == &cq_mine);
	if (!poll_completions(1))
		return false;
	v10_ack_cq_events(woken, 1);
	NEED(v10_destroy_qp(c) == 0 && v10_destroy_qp(d) == 0);
	NEED(v10_destroy_cq(woken) == 0);
	NEED(ibv_destroy_comp_channel(channel) == 0);
	cq = before;
	return true;
}

static bool device_without_list(void)
{
	v10_free_device_list(list);
	list = NULL;
	NEED(strcmp(v10_get_device_name(ctx->device), device_name) == 0);
	return true;
}

/* -- the end -- */

static bool destroy_all(void)
{
	NEED(v10_dealloc_pd(pd) != 0);
	NEED(v10_destroy_qp(a) == 0 && v10_destroy_qp(b) == 0);
	NEED(v10_destroy_qp(ud_a) == 0 && v10_destroy_qp(ud_b) == 0);
	NEED(v10_destroy_srq(srq) == 0);
	NEED(v10_destroy_cq(cq) == 0);
	NEED(v10_destroy_ah(ah) == 0);
	NEED(v10_dereg_mr(mr) == 0);
	NEED(v10_dealloc_pd(pd) == 0);
	NEED(v10_close_device(ctx) == 0);
	if (list)
		v10_free_device_list(list);
	free(from);
	return true;
}

static const struct step {
	const char *name;
	bool (*run)(void);
	bool ours;
} steps[] = {
	{ "list", list_devices, false },
	{ "open", open_first_device, false },
	{ "query", query_attributes, false },
	{ "memory, address", make_memory, false },
	{ "CQ, SRQ", make_queues, false },
	{ "QPs", make_qps, false },
	{ "connect", connect_qps, false },
	{ "lists of sends and receives", send_chain, false },
	{ "write and read", rdma, false },
	{ "atomics", atomics, false },
	{ "datagram", datagrams, false },
	{ "SRQ limit event", async_event, false },
	{ "multicast", multicast, false },
	{ "bad request in a list", chain_too_long, true },
	{ "descriptors", descriptors, true },
	{ "short structs", short_structs, true },
	{ "completion event", completion_event, true },
	{ "device without its list", device_without_list, true },
	{ "destroy, close", destroy_all, false },
};

int main(int argc, char **argv)
{
	bool all;

	if (argc != 4)
		return 2;
	device_name = argv[1];
	gid_index = atoi(argv[2]);
	silent = strcmp(argv[3], "silent") == 0;
	all = strcmp(argv[3], "all") == 0;
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i].ours && !all)
			continue;
		if (!steps[i].run())
			return 1;
		printf("ok %s\n", steps[i].name);
	}
	return 0;
}
