/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cm_traffic DEVICE ADDRESS PORT - one process with both ends of a connection
 * over the device that has the address, with the operations that every
 * transport supports: a send in each direction, a write and a read, with
 * compared data. Prints one line a step, "ok NAME" or "FAIL NAME: WHY".
 *
 * Uses the kernel's connection manager directly, so that it needs only
 * libibverbs and can be linked statically.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_user_cm.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEN	512
#define WAIT_MS 60000
/* The kernel reports no events for an id with user data 0. */
#define SOME_UID 1

/* The kernel's numbers of events; no header for programs has the names. */
enum {
	EVENT_ADDR_RESOLVED = 0,
	EVENT_ROUTE_RESOLVED = 2,
	EVENT_CONNECT_REQUEST = 4,
	EVENT_CONNECT_RESPONSE = 5,
	EVENT_ESTABLISHED = 9,
};

/* The library exports this for librdmacm; no public header declares it. */
void ibv_copy_qp_attr_from_kern(struct ibv_qp_attr *dst,
				struct ib_uverbs_qp_attr *src);

struct end {
	uint32_t id;
	struct ibv_qp *qp;
	char *memory; /* LEN to send from, LEN to receive into */
};

static int cm = -1;
static bool is_iwarp;
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static char memory[4 * LEN];
static struct end client = { .memory = memory },
		  server = { .memory = memory + 2 * LEN };

/* A failed step ends the program. */
static void step(const char *name, bool good)
{
	if (!good) {
		printf("FAIL %s: errno %d\n", name, errno);
		exit(1);
	}
	printf("ok %s\n", name);
}

/* -- the connection manager -- */

static bool command(uint32_t number, const void *in, size_t in_len,
		    size_t out_len)
{
	struct rdma_ucm_cmd_hdr header = { number, (uint16_t)in_len,
					   (uint16_t)out_len };
	char buffer[sizeof(header) + 512];
	size_t len = sizeof(header) + in_len;

	memcpy(buffer, &header, sizeof(header));
	memcpy(buffer + sizeof(header), in, in_len);
	return write(cm, buffer, len) == (ssize_t)len;
}

static bool create_id(uint32_t *ret_id)
{
	struct rdma_ucm_create_id_resp out = {};
	struct rdma_ucm_create_id in = {
		.uid = SOME_UID,
		.response = (uintptr_t)&out,
		.ps = RDMA_PS_TCP,
		.qp_type = IBV_QPT_RC,
	};

	if (!command(RDMA_USER_CM_CMD_CREATE_ID, &in, sizeof(in), sizeof(out)))
		return false;
	*ret_id = out.id;
	return true;
}

static bool destroy_id(uint32_t id)
{
	struct rdma_ucm_destroy_id_resp out = {};
	struct rdma_ucm_destroy_id in = { .response = (uintptr_t)&out,
					  .id = id };

	return command(RDMA_USER_CM_CMD_DESTROY_ID, &in, sizeof(in),
		       sizeof(out));
}

static bool next_event(uint32_t wanted, struct rdma_ucm_event_resp *event)
{
	struct rdma_ucm_get_event in = { .response = (uintptr_t)event };
	struct pollfd ready = { .fd = cm, .events = POLLIN };

	memset(event, 0, sizeof(*event));
	if (poll(&ready, 1, WAIT_MS) != 1)
		return false;
	if (!command(RDMA_USER_CM_CMD_GET_EVENT, &in, sizeof(in),
		     sizeof(*event)))
		return false;
	if (event->event != wanted || event->status)
		fprintf(stderr, "event %u, status %d, not %u\n", event->event,
			(int)event->status, wanted);
	return event->event == wanted && !event->status;
}

static bool listen_on(uint32_t id, const struct sockaddr_in *address)
{
	struct rdma_ucm_bind bind = { .id = id, .addr_size = sizeof(*address) };
	struct rdma_ucm_listen listen = { .id = id, .backlog = 1 };

	memcpy(&bind.addr, address, sizeof(*address));
	return command(RDMA_USER_CM_CMD_BIND, &bind, sizeof(bind), 0) &&
	       command(RDMA_USER_CM_CMD_LISTEN, &listen, sizeof(listen), 0);
}

static bool resolve(uint32_t id, const struct sockaddr_in *address)
{
	struct rdma_ucm_resolve_addr addr = { .id = id,
					      .timeout_ms = WAIT_MS,
					      .dst_size = sizeof(*address) };
	struct rdma_ucm_resolve_route route = { .id = id,
						.timeout_ms = WAIT_MS };
	struct rdma_ucm_event_resp event;

	memcpy(&addr.dst_addr, address, sizeof(*address));
	return command(RDMA_USER_CM_CMD_RESOLVE_ADDR, &addr, sizeof(addr), 0) &&
	       next_event(EVENT_ADDR_RESOLVED, &event) &&
	       command(RDMA_USER_CM_CMD_RESOLVE_ROUTE, &route, sizeof(route),
		       0) &&
	       next_event(EVENT_ROUTE_RESOLVED, &event);
}

/* The connection manager computes the attributes of each QP state. */
static bool modify_state(struct end *end, enum ibv_qp_state state)
{
	struct ib_uverbs_qp_attr out = {};
	struct rdma_ucm_init_qp_attr in = { .response = (uintptr_t)&out,
					    .id = end->id,
					    .qp_state = state };
	struct ibv_qp_attr attr = {};

	if (!command(RDMA_USER_CM_CMD_INIT_QP_ATTR, &in, sizeof(in),
		     sizeof(out)))
		return false;
	ibv_copy_qp_attr_from_kern(&attr, &out);
	attr.qp_state = state;
	return ibv_modify_qp(end->qp, &attr, (int)out.qp_attr_mask) == 0;
}

/* An iWARP device changes its QP states itself. */
static bool move_to_rts(struct end *end)
{
	return is_iwarp || (modify_state(end, IBV_QPS_RTR) &&
			    modify_state(end, IBV_QPS_RTS));
}

static struct rdma_ucm_conn_param param_of(const struct end *end)
{
	return (struct rdma_ucm_conn_param){ .qp_num = end->qp->qp_num,
					     .responder_resources = 1,
					     .initiator_depth = 1,
					     .retry_count = 7,
					     .rnr_retry_count = 7,
					     .valid = 1 };
}

static bool accept_end(const struct end *end, bool with_param)
{
	struct rdma_ucm_accept in = { .uid = SOME_UID, .id = end->id };

	if (with_param)
		in.conn_param = param_of(end);
	return command(RDMA_USER_CM_CMD_ACCEPT, &in, sizeof(in), 0);
}

static bool request(void)
{
	struct rdma_ucm_connect in = { .id = client.id,
				       .conn_param = param_of(&client) };
	struct rdma_ucm_event_resp event;

	if (!modify_state(&client, IBV_QPS_INIT) ||
	    !command(RDMA_USER_CM_CMD_CONNECT, &in, sizeof(in), 0) ||
	    !next_event(EVENT_CONNECT_REQUEST, &event))
		return false;
	server.id = event.id;
	return modify_state(&server, IBV_QPS_INIT) && move_to_rts(&server) &&
	       accept_end(&server, true);
}

static bool establish(void)
{
	struct rdma_ucm_event_resp event;

	if (is_iwarp) /* both ends get an event */
		return next_event(EVENT_ESTABLISHED, &event) &&
		       next_event(EVENT_ESTABLISHED, &event);
	return next_event(EVENT_CONNECT_RESPONSE, &event) &&
	       move_to_rts(&client) && accept_end(&client, false) &&
	       next_event(EVENT_ESTABLISHED, &event);
}

/* -- the device -- */

static bool open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (struct ibv_device **at = list; at && *at; at++) {
		if (strcmp(ibv_get_device_name(*at), name) != 0)
			continue;
		is_iwarp = (*at)->transport_type == IBV_TRANSPORT_IWARP;
		ctx = ibv_open_device(*at);
	}
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static bool create_objects(void)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 4,
			 .max_recv_wr = 4,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	pd = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	if (!pd || !cq)
		return false;
	mr = ibv_reg_mr(pd, memory, sizeof(memory),
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ);
	init.send_cq = cq;
	init.recv_cq = cq;
	client.qp = ibv_create_qp(pd, &init);
	server.qp = ibv_create_qp(pd, &init);
	return mr && client.qp && server.qp;
}

static bool destroy_objects(void)
{
	return ibv_destroy_qp(client.qp) == 0 &&
	       ibv_destroy_qp(server.qp) == 0 && ibv_dereg_mr(mr) == 0 &&
	       ibv_destroy_cq(cq) == 0 && ibv_dealloc_pd(pd) == 0 &&
	       ibv_close_device(ctx) == 0;
}

/* -- traffic -- */

/* Waits for @nr completions without an error. */
static bool poll_completions(int nr)
{
	int64_t left = 200000000; /* some minutes, even in the guest */

	while (nr > 0 && left-- > 0) {
		struct ibv_wc wc;
		int got = ibv_poll_cq(cq, 1, &wc);

		if (got < 0)
			return false;
		if (got > 0 && wc.status != IBV_WC_SUCCESS) {
			fprintf(stderr, "%s\n", ibv_wc_status_str(wc.status));
			return false;
		}
		nr -= got;
	}
	return nr == 0;
}

static bool post(struct end *end, enum ibv_wr_opcode opcode, char *local,
		 char *remote)
{
	struct ibv_sge sge = { (uintptr_t)local, LEN, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = opcode },
			   *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)remote;
	wr.wr.rdma.rkey = mr->rkey;
	return ibv_post_send(end->qp, &wr, &bad) == 0;
}

static bool send_message(struct end *from, struct end *to, char letter)
{
	struct ibv_sge sge = { (uintptr_t)to->memory + LEN, LEN, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	memset(from->memory, letter, LEN);
	memset(to->memory + LEN, 0, LEN);
	return ibv_post_recv(to->qp, &wr, &bad) == 0 &&
	       post(from, IBV_WR_SEND, from->memory, NULL) &&
	       poll_completions(2) &&
	       memcmp(from->memory, to->memory + LEN, LEN) == 0;
}

static bool write_and_read(void)
{
	memset(client.memory, 'w', LEN);
	if (!post(&client, IBV_WR_RDMA_WRITE, client.memory, server.memory) ||
	    !poll_completions(1) ||
	    !post(&client, IBV_WR_RDMA_READ, client.memory + LEN,
		  server.memory) ||
	    !poll_completions(1))
		return false;
	return memcmp(client.memory, client.memory + LEN, LEN) == 0 &&
	       memcmp(client.memory, server.memory, LEN) == 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	uint32_t listener;

	if (argc != 4)
		return 2;
	address.sin_port = htons((uint16_t)atoi(argv[3]));
	step("address", inet_pton(AF_INET, argv[2], &address.sin_addr) == 1);
	step("open", open_device(argv[1]));
	cm = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
	step("connection manager", cm >= 0);
	step("objects", create_objects());
	step("listen", create_id(&listener) && listen_on(listener, &address));
	step("resolve", create_id(&client.id) && resolve(client.id, &address));
	step("connect", request());
	step("establish", establish());
	step("send", send_message(&client, &server, 'c'));
	step("send back", send_message(&server, &client, 's'));
	step("write and read", write_and_read());
	step("disconnect", destroy_id(client.id) && destroy_id(server.id) &&
				   destroy_id(listener));
	step("destroy", destroy_objects());
	return 0;
}
