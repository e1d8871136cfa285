/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measurements through verbs, independent of the device. All sends are
 * signalled, as in simple programs; completions are polled when they arrive,
 * and the program does not wait for the completion of a SEND.
 */
#include "wire_verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PORT 1

/* ------------------------------------------------------------------------ */
/* Devices and queue pairs                                                   */
/* ------------------------------------------------------------------------ */

static void open_context(const struct wire_end *end, struct wire_device *device)
{
	struct ibv_device **list =
		wire_need(end, ibv_get_device_list(NULL), "device list");
	char name[64];

	snprintf(name, sizeof(name), "uroce_%s", end->interface[end->client]);
	for (int i = 0; list[i]; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			device->ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	wire_need(end, device->ctx, name);
}

/* Of processes that start together, the last ones get the UDP port later. */
static void await_port(const struct wire_end *end,
		       const struct wire_device *device)
{
	const struct timespec nap = { .tv_nsec = 10000000 };
	struct ibv_port_attr port = { .state = IBV_PORT_DOWN };

	for (int i = 0; i < 3000 && port.state != IBV_PORT_ACTIVE; i++) {
		if (i)
			(void)nanosleep(&nap, NULL);
		wire_must(end, -ibv_query_port(device->ctx, PORT, &port),
			  "query_port");
	}
	errno = ENETDOWN;
	if (port.state != IBV_PORT_ACTIVE)
		wire_die(end, "port");
}

/* The GID of the IPv4 address. */
static void choose_gid(const struct wire_end *end, struct wire_device *device)
{
	struct in_addr ip = wire_own_ip(end);
	struct ibv_port_attr port;

	wire_must(end, -ibv_query_port(device->ctx, PORT, &port), "query_port");
	for (int i = 0; i < port.gid_tbl_len; i++) {
		if (ibv_query_gid(device->ctx, PORT, i, &device->gid))
			continue;
		if (memcmp(device->gid.raw + 12, &ip, sizeof(ip)) == 0) {
			device->gid_index = (uint8_t)i;
			return;
		}
	}
	errno = EADDRNOTAVAIL;
	wire_die(end, "GID");
}

void wire_device_open(const struct wire_end *end, struct wire_device *device,
		      unsigned int nr_qps, uint32_t bytes)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		     IBV_ACCESS_REMOTE_READ;
	int depth = (int)nr_qps * 2 * WIRE_DEPTH;

	*device = (struct wire_device){};
	open_context(end, device);
	await_port(end, device);
	choose_gid(end, device);
	device->pd = wire_need(end, ibv_alloc_pd(device->ctx), "alloc_pd");
	device->cq = wire_need(end,
			       ibv_create_cq(device->ctx, depth, NULL, NULL, 0),
			       "create_cq");
	device->memory = wire_need(end, aligned_alloc(4096, bytes), "memory");
	memset(device->memory, 1, bytes);
	device->mr = wire_need(
		end, ibv_reg_mr(device->pd, device->memory, bytes, access),
		"reg_mr");
}

void wire_device_close(const struct wire_end *end, struct wire_device *device)
{
	wire_must(end, -ibv_dereg_mr(device->mr), "dereg_mr");
	wire_must(end, -ibv_destroy_cq(device->cq), "destroy_cq");
	wire_must(end, -ibv_dealloc_pd(device->pd), "dealloc_pd");
	wire_must(end, -ibv_close_device(device->ctx), "close_device");
	free(device->memory);
}

void wire_link_open(const struct wire_end *end,
		    const struct wire_device *device, struct wire_link *link,
		    unsigned int number)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = device->cq,
		.recv_cq = device->cq,
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {
			.max_send_wr = WIRE_DEPTH,
			.max_recv_wr = WIRE_DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = 64,
		},
	};
	struct wire_address *own = &end->shared->address[end->client][number];

	link->qp =
		wire_need(end, ibv_create_qp(device->pd, &attr), "create_qp");
	*own = (struct wire_address){
		.qpn = link->qp->qp_num,
		.rkey = device->mr->rkey,
		.va = (uintptr_t)device->memory,
	};
	memcpy(own->gid, &device->gid, sizeof(own->gid));
}

static void to_init(const struct wire_end *end, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		   IBV_QP_ACCESS_FLAGS;

	wire_must(end, -ibv_modify_qp(qp, &attr, mask), "INIT");
}

static void to_rtr(const struct wire_end *end, const struct wire_device *device,
		   struct wire_link *link, enum ibv_mtu mtu)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.dest_qp_num = link->peer.qpn,
		.max_dest_rd_atomic = 8,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = PORT,
			.grh = {
				.sgid_index = device->gid_index,
				.hop_limit = 64,
			},
		},
	};
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		   IBV_QP_MIN_RNR_TIMER;

	memcpy(&attr.ah_attr.grh.dgid, link->peer.gid, sizeof(link->peer.gid));
	wire_must(end, -ibv_modify_qp(link->qp, &attr, mask), "RTR");
}

static void to_rts(const struct wire_end *end, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 8,
	};
	int mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		   IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;

	wire_must(end, -ibv_modify_qp(qp, &attr, mask), "RTS");
}

void wire_link_connect(const struct wire_end *end,
		       const struct wire_device *device, struct wire_link *link,
		       unsigned int number, enum ibv_mtu mtu)
{
	link->peer = end->shared->address[!end->client][number];
	to_init(end, link->qp);
	to_rtr(end, device, link, mtu);
	to_rts(end, link->qp);
}

void wire_link_close(const struct wire_end *end, struct wire_link *link)
{
	wire_must(end, -ibv_destroy_qp(link->qp), "destroy_qp");
}

/* ------------------------------------------------------------------------ */
/* Requests                                                                  */
/* ------------------------------------------------------------------------ */

static struct ibv_sge sge_of(const struct wire_device *device, uint32_t bytes)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)device->memory,
		.length = bytes,
		.lkey = device->mr->lkey,
	};
}

static void post_receive(const struct wire_end *end,
			 const struct wire_device *device,
			 const struct wire_link *link, uint32_t bytes)
{
	struct ibv_sge sge = sge_of(device, bytes);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	wire_must(end, -ibv_post_recv(link->qp, &wr, &bad), "post_recv");
}

static void post(const struct wire_end *end, const struct wire_device *device,
		 const struct wire_link *link, enum ibv_wr_opcode opcode,
		 uint32_t bytes)
{
	struct ibv_sge sge = sge_of(device, bytes);
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = bytes <= 64 ? IBV_SEND_INLINE : 0,
		.wr.rdma = {
			.remote_addr = link->peer.va,
			.rkey = link->peer.rkey,
		},
	};

	wire_must(end, -ibv_post_send(link->qp, &wr, &bad), "post_send");
}

/*
 * Polls all completions. Return: the receives; the others are added to @sent.
 */
static unsigned int poll_completions(const struct wire_end *end,
				     const struct wire_device *device,
				     unsigned int *sent)
{
	struct ibv_wc wc[WIRE_DEPTH];
	unsigned int received = 0;
	int nr = wire_must(end, ibv_poll_cq(device->cq, WIRE_DEPTH, wc),
			   "poll_cq");

	for (int i = 0; i < nr; i++) {
		if (wc[i].status) {
			fprintf(stderr, "%s\n",
				ibv_wc_status_str(wc[i].status));
			errno = EIO;
			wire_die(end, "completion");
		}
		if (wc[i].opcode & IBV_WC_RECV)
			received++;
		else
			++*sent;
	}
	return received;
}

static void wait_message(const struct wire_end *end,
			 const struct wire_device *device, unsigned int *sent)
{
	uint64_t since_ns = wire_now_ns();

	while (!poll_completions(end, device, sent))
		wire_check_time(end, since_ns, "ping-pong of SENDs");
}

static void wait_sent(const struct wire_end *end,
		      const struct wire_device *device, unsigned int *sent,
		      unsigned int wanted)
{
	uint64_t since_ns = wire_now_ns();

	while (*sent < wanted) {
		(void)poll_completions(end, device, sent);
		wire_check_time(end, since_ns, "completion of sends");
	}
}

/* ------------------------------------------------------------------------ */
/* Measurements                                                              */
/* ------------------------------------------------------------------------ */

double wire_verbs_latency(struct wire_end *end,
			  const struct wire_device *device,
			  const struct wire_link *links, unsigned int nr_links,
			  uint32_t bytes, unsigned int nr)
{
	unsigned int sent = 0;

	for (unsigned int i = 0; i < nr_links; i++)
		post_receive(end, device, &links[i], bytes);
	wire_meet(end);
	for (unsigned int i = 0; i < nr; i++) {
		const struct wire_link *link = &links[i % nr_links];
		uint64_t start_ns = wire_now_ns();

		if (!end->client)
			wait_message(end, device, &sent);
		post(end, device, link, IBV_WR_SEND, bytes);
		if (end->client)
			wait_message(end, device, &sent);
		/* the last message of each link remains until the next call */
		if (i + nr_links < nr)
			post_receive(end, device, link, bytes);
		end->trip_us[i] = (double)(wire_now_ns() - start_ns) / 2e3;
	}
	wait_sent(end, device, &sent, nr);
	wire_meet(end);
	return wire_median(end->trip_us, nr);
}

static void stream_out(const struct wire_end *end,
		       const struct wire_device *device,
		       const struct wire_link *link, enum ibv_wr_opcode opcode,
		       uint32_t bytes, unsigned int nr)
{
	unsigned int posted = 0, sent = 0;

	while (sent < nr) {
		while (posted < nr && posted - sent < WIRE_DEPTH / 2) {
			post(end, device, link, opcode, bytes);
			posted++;
		}
		wait_sent(end, device, &sent, sent + 1);
	}
	__atomic_store_n(&end->shared->arrived, nr, __ATOMIC_RELEASE);
}

static void stream_in(const struct wire_end *end,
		      const struct wire_device *device,
		      const struct wire_link *link, uint32_t bytes,
		      unsigned int nr_receives)
{
	unsigned int sent = 0, got = 0, posted = 0;

	while (!__atomic_load_n(&end->shared->arrived, __ATOMIC_ACQUIRE)) {
		while (posted < nr_receives && posted - got < WIRE_DEPTH) {
			post_receive(end, device, link, bytes);
			posted++;
		}
		got += poll_completions(end, device, &sent);
		if (__atomic_load_n(&end->shared->failed, __ATOMIC_RELAXED))
			_Exit(1);
	}
}

double wire_verbs_rate(struct wire_end *end, const struct wire_device *device,
		       const struct wire_link *link, enum ibv_wr_opcode opcode,
		       uint32_t bytes, bool server_sleeps, unsigned int nr)
{
	unsigned int nr_receives = opcode == IBV_WR_SEND ? nr : 0;
	uint64_t start_ns;

	end->shared->arrived = 0;
	wire_meet(end);
	start_ns = wire_now_ns();
	if (end->client)
		stream_out(end, device, link, opcode, bytes, nr);
	else if (!server_sleeps)
		stream_in(end, device, link, bytes, nr_receives);
	start_ns = wire_now_ns() - start_ns;
	wire_meet(end);
	return (double)nr * bytes / (double)start_ns;
}
