/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections of stream sockets, their options and invalid peers, through the
 * shared library.
 */
#include "librdmacm/rsocket/rsocket_ends.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <rdma/rdma_verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void rconnect_and_raccept_have_addresses_of_each_end(void **state)
{
	int listener = listener_new(), client = stream_new(), server;
	struct sockaddr_in peer, own;
	socklen_t len = sizeof(peer);

	errno = 0;
	assert_int_equal(rgetpeername(client, (struct sockaddr *)&peer, &len),
			 -1);
	assert_int_equal(errno, ENOTCONN);
	assert_int_equal(stream_connect(client), 0);
	server = raccept(listener, (struct sockaddr *)&peer, &len);
	assert_true(server >= 0);
	assert_int_equal(len, sizeof(peer));
	len = sizeof(own);
	assert_int_equal(rgetsockname(client, (struct sockaddr *)&own, &len),
			 0);
	assert_int_equal(own.sin_port, peer.sin_port);
	assert_int_equal(own.sin_addr.s_addr, peer.sin_addr.s_addr);
	assert_int_equal(rgetpeername(client, (struct sockaddr *)&own, &len),
			 0);
	assert_int_equal(ntohs(own.sin_port), TEST_PORT);
	pair_close((struct pair){ client, server });
	assert_int_equal(rclose(listener), 0);
}

static void rconnect_without_listener_fails_with_econnrefused(void **state)
{
	int client = stream_new();

	errno = 0;
	assert_int_equal(stream_connect(client), -1);
	assert_int_equal(errno, ECONNREFUSED);
	assert_int_equal(rclose(client), 0);
}

static void rconnect_nonblocking_becomes_writable(void **state)
{
	int listener = listener_new(), client = stream_new(), server;
	int error = -1;
	socklen_t len = sizeof(error);

	set_nonblocking(client);
	errno = 0;
	assert_int_equal(stream_connect(client), -1);
	assert_int_equal(errno, EINPROGRESS);
	assert_int_equal(poll_events(client, POLLOUT, 20000), POLLOUT);
	assert_int_equal(
		rgetsockopt(client, SOL_SOCKET, SO_ERROR, &error, &len), 0);
	assert_int_equal(error, 0);
	assert_int_equal(poll_events(listener, POLLIN, 20000), POLLIN);
	server = raccept(listener, NULL, NULL);
	assert_true(server >= 0);
	errno = 0;
	assert_int_equal(rrecv(client, &error, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
	pair_close((struct pair){ client, server });
	assert_int_equal(rclose(listener), 0);
}

static void rconnect_nonblocking_refused_has_pending_error(void **state)
{
	int client = rsocket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP);
	int error = -1;
	socklen_t len = sizeof(error);

	errno = 0;
	assert_int_equal(stream_connect(client), -1);
	assert_int_equal(errno, EINPROGRESS);
	assert_true(poll_events(client, POLLOUT, 20000) & POLLERR);
	assert_int_equal(
		rgetsockopt(client, SOL_SOCKET, SO_ERROR, &error, &len), 0);
	assert_int_equal(error, ECONNREFUSED);
	assert_int_equal(rclose(client), 0);
}

static void raccept_nonblocking_without_connection_fails(void **state)
{
	int listener = listener_new(), client = stream_new(), server;

	set_nonblocking(listener);
	errno = 0;
	assert_int_equal(raccept(listener, NULL, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	errno = 0;
	assert_int_equal(raccept(client, NULL, NULL), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(stream_connect(client), 0);
	assert_int_equal(poll_events(listener, POLLIN, 20000), POLLIN);
	server = raccept(listener, NULL, NULL);
	/* In contrast to TCP, the connection has the flag of the listener. */
	assert_int_equal(rfcntl(server, F_GETFL), O_RDWR | O_NONBLOCK);
	pair_close((struct pair){ client, server });
	assert_int_equal(rclose(listener), 0);
}

static void rclose_of_listener_ends_waiting_connections(void **state)
{
	int listener = listener_new(), client = stream_new();
	char byte;

	assert_int_equal(stream_connect(client), 0);
	assert_int_equal(poll_events(listener, POLLIN, 20000), POLLIN);
	assert_int_equal(rclose(listener), 0);
	assert_int_equal(rrecv(client, &byte, 1, 0), 0);
	assert_int_equal(rclose(client), 0);
}

static void rconnect_beyond_backlog_is_refused(void **state)
{
	int listener = stream_new(), first = stream_new();
	int second = stream_new(), server;
	struct sockaddr_in address = loopback(TEST_PORT);

	assert_int_equal(
		rbind(listener, (struct sockaddr *)&address, sizeof(address)),
		0);
	assert_int_equal(rlisten(listener, 1), 0);
	assert_int_equal(stream_connect(first), 0);
	errno = 0;
	assert_int_equal(stream_connect(second), -1);
	assert_int_equal(errno, ECONNREFUSED);
	server = raccept(listener, NULL, NULL);
	assert_int_equal(rclose(second), 0);
	second = stream_new();
	assert_int_equal(stream_connect(second), 0);
	assert_int_equal(rclose(listener), 0);
	pair_close((struct pair){ first, server });
	assert_int_equal(rclose(second), 0);
}

static void rsetsockopt_of_connected_socket_refuses_sizes(void **state)
{
	struct pair pair = pair_new();
	int value = 100000;

	errno = 0;
	assert_int_equal(rsetsockopt(pair.client, SOL_SOCKET, SO_RCVBUF, &value,
				     sizeof(value)),
			 -1);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(rsetsockopt(pair.client, SOL_RDMA, RDMA_SQSIZE, &value,
				     sizeof(value)),
			 -1);
	assert_int_equal(errno, EINVAL);
	pair_close(pair);
}

static void rsocket_of_unknown_type_fails_with_enotsup(void **state)
{
	errno = 0;
	assert_int_equal(rsocket(AF_INET, SOCK_DGRAM, IPPROTO_TCP), -1);
	assert_int_equal(errno, ENOTSUP);
	errno = 0;
	assert_int_equal(rsocket(AF_UNIX, SOCK_STREAM, 0), -1);
	assert_int_equal(errno, ENOTSUP);
	errno = 0;
	assert_int_equal(rsocket(AF_INET, SOCK_STREAM, IPPROTO_UDP), -1);
	assert_int_equal(errno, ENOTSUP);
}

/* A client without rsockets: it has memory for grants, but no receives. */
struct raw_client {
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	uint8_t grants[32];
};

static void raw_setup_fill(const struct raw_client *client, uint8_t version,
			   uint8_t bytes[40])
{
	uint64_t address = htobe64((uintptr_t)client->grants);
	uint32_t rkey = htobe32(client->mr->rkey);

	memset(bytes, 0, 40);
	bytes[0] = version;
	bytes[3] = 16; /* credits */
	memcpy(&bytes[8], &address, sizeof(address));
	memcpy(&bytes[16], &rkey, sizeof(rkey));
	bytes[23] = 2; /* SGEs */
	bytes[39] = 1; /* bytes of half of the receive buffer */
}

/* Returns 0 or an errno. */
static int raw_client_connect(struct raw_client *client, uint8_t version)
{
	uint8_t bytes[40];
	struct rdma_conn_param param = { .private_data = bytes,
					 .private_data_len = sizeof(bytes),
					 .flow_control = 1,
					 .retry_count = 7,
					 .rnr_retry_count = 7 };
	struct ibv_qp_init_attr attr = { .cap = { 8, 8, 1, 1, 0 },
					 .qp_type = IBV_QPT_RC,
					 .sq_sig_all = 1 };
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP };
	struct rdma_addrinfo *res = NULL;

	assert_int_equal(rdma_getaddrinfo("127.0.0.1", "7471", &hints, &res),
			 0);
	assert_int_equal(rdma_create_ep(&client->id, res, NULL, &attr), 0);
	rdma_freeaddrinfo(res);
	client->mr = rdma_reg_write(client->id, client->grants,
				    sizeof(client->grants));
	assert_non_null(client->mr);
	raw_setup_fill(client, version, bytes);
	return rdma_connect(client->id, &param) == 0 ? 0 : errno;
}

static void raw_client_destroy(struct raw_client *client)
{
	assert_int_equal(rdma_dereg_mr(client->mr), 0);
	rdma_destroy_ep(client->id);
}

static void raccept_of_unknown_version_is_rejected(void **state)
{
	int listener = listener_new();
	struct raw_client client;

	assert_int_equal(raw_client_connect(&client, 2), ECONNREFUSED);
	raw_client_destroy(&client);
	/* The next connection is not affected. */
	assert_int_equal(raw_client_connect(&client, 1), 0);
	raw_client_destroy(&client);
	assert_int_equal(rclose(listener), 0);
}

static void rrecv_of_invalid_message_fails_with_eproto(void **state)
{
	/* A reserved operation, and data without a write */
	static const uint32_t words[] = { 0x20000000, 0x00000005 };
	int listener = listener_new();

	for (int i = 0; i < 2; i++) {
		struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
					  .imm_data = htonl(words[i]) };
		struct raw_client client;
		struct ibv_send_wr *bad;
		int server;
		char byte;

		assert_int_equal(raw_client_connect(&client, 1), 0);
		server = raccept(listener, NULL, NULL);
		assert_true(server >= 0);
		assert_int_equal(ibv_post_send(client.id->qp, &wr, &bad), 0);
		errno = 0;
		assert_int_equal(rrecv(server, &byte, 1, 0), -1);
		assert_int_equal(errno, EPROTO);
		assert_true(poll_events(server, POLLIN, 0) & POLLERR);
		assert_int_equal(rclose(server), 0);
		raw_client_destroy(&client);
	}
	assert_int_equal(rclose(listener), 0);
}

static void option_of(int fd, int level, int name, int set, int expected)
{
	int value = set;
	socklen_t len = sizeof(value);

	assert_int_equal(rsetsockopt(fd, level, name, &value, sizeof(value)),
			 0);
	value = -1;
	assert_int_equal(rgetsockopt(fd, level, name, &value, &len), 0);
	assert_int_equal(value, expected);
}

static void rsetsockopt_values_are_returned(void **state)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 7 };
	socklen_t len = sizeof(linger);
	int fd = stream_new(), value = 1;

	option_of(fd, SOL_SOCKET, SO_RCVBUF, 100000, 200000);
	option_of(fd, SOL_SOCKET, SO_SNDBUF, 1, 4096);
	option_of(fd, SOL_SOCKET, SO_REUSEADDR, 1, 1);
	option_of(fd, SOL_SOCKET, SO_KEEPALIVE, 5, 1);
	option_of(fd, IPPROTO_TCP, TCP_NODELAY, 1, 1);
	option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30, 30);
	option_of(fd, IPPROTO_IP, IP_TOS, 32, 32);
	option_of(fd, SOL_RDMA, RDMA_SQSIZE, 1, 16);
	option_of(fd, SOL_RDMA, RDMA_RQSIZE, 100, 100);
	option_of(fd, SOL_RDMA, RDMA_IOMAPSIZE, 300, 256);
	assert_int_equal(rsetsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, len),
			 0);
	memset(&linger, 0, sizeof(linger));
	assert_int_equal(rgetsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len),
			 0);
	assert_int_equal(linger.l_linger, 7);
	errno = 0;
	assert_int_equal(rsetsockopt(fd, SOL_SOCKET, 12345, &value, 4), -1);
	assert_int_equal(errno, ENOTSUP);
	errno = 0;
	assert_int_equal(rsetsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rclose(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			rconnect_and_raccept_have_addresses_of_each_end),
		cmocka_unit_test(
			rconnect_without_listener_fails_with_econnrefused),
		cmocka_unit_test(rconnect_nonblocking_becomes_writable),
		cmocka_unit_test(
			rconnect_nonblocking_refused_has_pending_error),
		cmocka_unit_test(raccept_nonblocking_without_connection_fails),
		cmocka_unit_test(rclose_of_listener_ends_waiting_connections),
		cmocka_unit_test(rconnect_beyond_backlog_is_refused),
		cmocka_unit_test(rsetsockopt_of_connected_socket_refuses_sizes),
		cmocka_unit_test(rsocket_of_unknown_type_fails_with_enotsup),
		cmocka_unit_test(raccept_of_unknown_version_is_rejected),
		cmocka_unit_test(rrecv_of_invalid_message_fails_with_eproto),
		cmocka_unit_test(rsetsockopt_values_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
