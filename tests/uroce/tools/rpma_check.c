/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rpma_check server|client ADDRESS PORT - librpma between two processes. The
 * client finds the server's memory in the private data of the connection,
 * writes to it, flushes, reads it back, atomically writes its last bytes, and
 * sends a message; the server then checks its memory. Both ends must see
 * ESTABLISHED and CLOSED. Debian has the library, but no program of it.
 */
#include <librpma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES	      (1u << 20)
#define MESSAGE_BYTES 8

#define NEED(call) need((call) == 0, #call)

static unsigned char memory[BYTES + MESSAGE_BYTES]
	__attribute__((aligned(4096)));
static unsigned char back[BYTES] __attribute__((aligned(4096)));

static void need(bool is_good, const char *what)
{
	if (is_good)
		return;
	(void)printf("failed: %s\n", what);
	exit(1);
}

static unsigned char pattern(size_t i)
{
	return (unsigned char)(i * 7 + i / 251 + 1);
}

static bool has_pattern(const unsigned char *data)
{
	for (size_t i = 0; i < BYTES; i++)
		if (data[i] != pattern(i))
			return false;
	return true;
}

static void expect_event(struct rpma_conn *conn, enum rpma_conn_event expected)
{
	enum rpma_conn_event event = RPMA_CONN_UNDEFINED;

	NEED(rpma_conn_next_event(conn, &event));
	(void)printf("event: %s\n", rpma_utils_conn_event_2str(event));
	need(event == expected, "the event");
}

static void expect_completion(struct rpma_conn *conn, enum ibv_wc_opcode opcode)
{
	struct rpma_cq *cq = NULL;
	struct ibv_wc wc;
	int ret;

	NEED(rpma_conn_get_cq(conn, &cq));
	while ((ret = rpma_cq_get_wc(cq, 1, &wc, NULL)) == RPMA_E_NO_COMPLETION)
		NEED(rpma_cq_wait(cq));
	need(ret == 0, "rpma_cq_get_wc()");
	need(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
	need(wc.opcode == opcode, "the opcode");
}

static struct rpma_peer *new_peer(const char *address,
				  enum rpma_util_ibv_context_type type)
{
	struct ibv_context *context = NULL;
	struct rpma_peer *peer = NULL;

	NEED(rpma_utils_get_ibv_context(address, type, &context));
	NEED(rpma_peer_new(context, &peer));
	return peer;
}

static void run_server(const char *address, const char *port)
{
	struct rpma_peer *peer = new_peer(address, RPMA_UTIL_IBV_CONTEXT_LOCAL);
	unsigned char descriptor[64];
	struct rpma_conn_private_data data = { .ptr = descriptor };
	struct rpma_conn_req *request = NULL;
	struct rpma_mr_local *mr = NULL;
	struct rpma_conn *conn = NULL;
	struct rpma_ep *ep = NULL;
	size_t size = 0;

	NEED(rpma_mr_reg(peer, memory, sizeof(memory),
			 RPMA_MR_USAGE_READ_SRC | RPMA_MR_USAGE_WRITE_DST |
				 RPMA_MR_USAGE_FLUSH_TYPE_VISIBILITY |
				 RPMA_MR_USAGE_RECV,
			 &mr));
	NEED(rpma_mr_get_descriptor_size(mr, &size));
	need(size <= sizeof(descriptor), "the size of the descriptor");
	NEED(rpma_mr_get_descriptor(mr, descriptor));
	data.len = (uint8_t)size;
	NEED(rpma_ep_listen(peer, address, port, &ep));
	NEED(rpma_ep_next_conn_req(ep, NULL, &request));
	NEED(rpma_conn_req_recv(request, mr, BYTES, MESSAGE_BYTES, NULL));
	NEED(rpma_conn_req_connect(&request, &data, &conn));
	expect_event(conn, RPMA_CONN_ESTABLISHED);
	expect_completion(conn, IBV_WC_RECV);
	need(has_pattern(memory), "the written data");
	need(memcmp(memory + BYTES, "written", MESSAGE_BYTES) == 0,
	     "the message");
	expect_event(conn, RPMA_CONN_CLOSED);
	NEED(rpma_conn_disconnect(conn));
	NEED(rpma_conn_delete(&conn));
	NEED(rpma_ep_shutdown(&ep));
	NEED(rpma_mr_dereg(&mr));
	NEED(rpma_peer_delete(&peer));
}

static void write_and_read(struct rpma_conn *conn,
			   struct rpma_mr_remote *remote,
			   struct rpma_mr_local *mr, struct rpma_mr_local *to)
{
	const size_t last = BYTES - MESSAGE_BYTES;
	char bytes[MESSAGE_BYTES];

	NEED(rpma_write(conn, remote, 0, mr, 0, last,
			RPMA_F_COMPLETION_ON_ERROR, NULL));
	NEED(rpma_flush(conn, remote, 0, last, RPMA_FLUSH_TYPE_VISIBILITY,
			RPMA_F_COMPLETION_ALWAYS, NULL));
	expect_completion(conn, IBV_WC_RDMA_READ);
	memcpy(bytes, memory + last, MESSAGE_BYTES);
	NEED(rpma_atomic_write(conn, remote, last, bytes,
			       RPMA_F_COMPLETION_ALWAYS, NULL));
	expect_completion(conn, IBV_WC_RDMA_WRITE);
	NEED(rpma_read(conn, to, 0, remote, 0, BYTES, RPMA_F_COMPLETION_ALWAYS,
		       NULL));
	expect_completion(conn, IBV_WC_RDMA_READ);
	need(has_pattern(back), "the read data");
}

static void run_client(const char *address, const char *port)
{
	struct rpma_peer *peer =
		new_peer(address, RPMA_UTIL_IBV_CONTEXT_REMOTE);
	struct rpma_mr_local *mr = NULL, *to = NULL;
	struct rpma_conn_private_data data = {};
	struct rpma_mr_remote *remote = NULL;
	struct rpma_conn_req *request = NULL;
	struct rpma_conn *conn = NULL;

	for (size_t i = 0; i < BYTES; i++)
		memory[i] = pattern(i);
	memcpy(memory + BYTES, "written", MESSAGE_BYTES);
	NEED(rpma_mr_reg(peer, memory, sizeof(memory),
			 RPMA_MR_USAGE_WRITE_SRC | RPMA_MR_USAGE_SEND, &mr));
	NEED(rpma_mr_reg(peer, back, sizeof(back), RPMA_MR_USAGE_READ_DST,
			 &to));
	NEED(rpma_conn_req_new(peer, address, port, NULL, &request));
	NEED(rpma_conn_req_connect(&request, NULL, &conn));
	expect_event(conn, RPMA_CONN_ESTABLISHED);
	NEED(rpma_conn_get_private_data(conn, &data));
	NEED(rpma_mr_remote_from_descriptor(data.ptr, data.len, &remote));
	write_and_read(conn, remote, mr, to);
	NEED(rpma_send(conn, mr, BYTES, MESSAGE_BYTES, RPMA_F_COMPLETION_ALWAYS,
		       NULL));
	expect_completion(conn, IBV_WC_SEND);
	NEED(rpma_conn_disconnect(conn));
	expect_event(conn, RPMA_CONN_CLOSED);
	NEED(rpma_mr_remote_delete(&remote));
	NEED(rpma_conn_delete(&conn));
	NEED(rpma_mr_dereg(&to));
	NEED(rpma_mr_dereg(&mr));
	NEED(rpma_peer_delete(&peer));
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 125;
	setlinebuf(stdout);
	if (strcmp(argv[1], "server") == 0)
		run_server(argv[2], argv[3]);
	else
		run_client(argv[2], argv[3]);
	(void)printf("compared: %u bytes\n", BYTES);
	return 0;
}
