/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Datagram sockets, and their protocol with a peer that the test implements, a
 * UDP socket and a UD queue pair.
 */
#include "librdmacm/rsocket/rsocket_ends.h"

#include <errno.h>
#include <pthread.h>
#include <rdma/rdma_verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PEER_PORT 7472
#define PEER_LEN  256
#define GRH_LEN	  40

/* The largest datagram: 2048 bytes with the header of UDP */
#define MAX_DATA_LEN 2032

/* A bound socket */
static int datagram_new(uint16_t port)
{
	struct sockaddr_in address = loopback(port);
	int fd = rsocket(AF_INET, SOCK_DGRAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(
		rbind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static ssize_t send_to(int fd, const void *bytes, size_t len, uint16_t port)
{
	struct sockaddr_in address = loopback(port);

	return rsendto(fd, bytes, len, 0, (struct sockaddr *)&address,
		       sizeof(address));
}

/* Returns the port of the sender. */
static uint16_t receive_from(int fd, void *bytes, size_t size, size_t *ret_len)
{
	struct sockaddr_in from;
	socklen_t from_len = sizeof(from);
	ssize_t len = rrecvfrom(fd, bytes, size, 0, (struct sockaddr *)&from,
				&from_len);

	assert_true(len >= 0);
	assert_int_equal(from_len, sizeof(from));
	assert_int_equal(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	*ret_len = (size_t)len;
	return ntohs(from.sin_port);
}

static void rsendto_and_rrecvfrom_keep_data_and_address(void **state)
{
	int left = datagram_new(TEST_PORT), right = datagram_new(PEER_PORT);
	static uint8_t sent[MAX_DATA_LEN], received[MAX_DATA_LEN];
	size_t len;

	for (unsigned int i = 0; i < 500; i++) {
		size_t sent_len = i * 997 % (MAX_DATA_LEN + 1);

		memset(sent, (int)i, sizeof(sent));
		assert_int_equal(send_to(left, sent, sent_len, PEER_PORT),
				 sent_len);
		assert_int_equal(
			receive_from(right, received, sizeof(received), &len),
			TEST_PORT);
		assert_int_equal(len, sent_len);
		assert_memory_equal(received, sent, len);
		assert_int_equal(send_to(right, sent, 1, TEST_PORT), 1);
		assert_int_equal(receive_from(left, received, 2, &len),
				 PEER_PORT);
		assert_int_equal(len, 1);
	}
	assert_int_equal(rclose(left), 0);
	assert_int_equal(rclose(right), 0);
}

static void rsendto_with_invalid_argument_fails(void **state)
{
	int fd = datagram_new(TEST_PORT);
	static uint8_t bytes[MAX_DATA_LEN + 1];
	struct sockaddr_in6 other = { .sin6_family = AF_INET6 };

	errno = 0;
	assert_int_equal(send_to(fd, bytes, sizeof(bytes), PEER_PORT), -1);
	assert_int_equal(errno, EMSGSIZE);
	errno = 0;
	assert_int_equal(rsend(fd, bytes, 1, 0), -1);
	assert_int_equal(errno, EDESTADDRREQ);
	errno = 0;
	assert_int_equal(rsendto(fd, bytes, 1, 0, (struct sockaddr *)&other,
				 sizeof(other)),
			 -1);
	assert_int_equal(errno, EAFNOSUPPORT);
	errno = 0;
	assert_int_equal(rlisten(fd, 1), -1);
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(rclose(fd), 0);
}

static void rconnect_of_datagrams_selects_peer(void **state)
{
	int left = datagram_new(TEST_PORT), right = datagram_new(PEER_PORT);
	int other = datagram_new(PEER_PORT + 1);
	struct sockaddr_in address = loopback(PEER_PORT);
	socklen_t address_len = sizeof(address);
	char bytes[8];

	errno = 0;
	assert_int_equal(
		rgetpeername(left, (struct sockaddr *)&address, &address_len),
		-1);
	assert_int_equal(errno, ENOTCONN);
	assert_int_equal(
		rconnect(left, (struct sockaddr *)&address, sizeof(address)),
		0);
	assert_int_equal(
		rgetpeername(left, (struct sockaddr *)&address, &address_len),
		0);
	assert_int_equal(ntohs(address.sin_port), PEER_PORT);
	assert_int_equal(send_to(other, "other", 5, TEST_PORT), 5);
	assert_int_equal(send_to(right, "right", 5, TEST_PORT), 5);
	assert_int_equal(rrecv(left, bytes, sizeof(bytes), 0), 5);
	assert_memory_equal(bytes, "right", 5);
	assert_int_equal(rsend(left, "left", 4, 0), 4);
	assert_int_equal(rrecv(right, bytes, sizeof(bytes), 0), 4);
	assert_int_equal(rshutdown(left, SHUT_RDWR), 0);
	assert_int_equal(rrecv(left, bytes, sizeof(bytes), 0), 0);
	errno = 0;
	assert_int_equal(rsend(left, "left", 4, 0), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(rclose(left), 0);
	assert_int_equal(rclose(right), 0);
	assert_int_equal(rclose(other), 0);
}

static void rrecvmsg_of_datagram_reports_truncation(void **state)
{
	int left = datagram_new(TEST_PORT), right = datagram_new(PEER_PORT);
	struct sockaddr_in from;
	char bytes[4];
	struct iovec iov = { .iov_base = bytes, .iov_len = sizeof(bytes) };
	struct msghdr msg = { .msg_name = &from,
			      .msg_namelen = sizeof(from),
			      .msg_iov = &iov,
			      .msg_iovlen = 1 };

	assert_int_equal(send_to(left, "0123456789", 10, PEER_PORT), 10);
	assert_int_equal(send_to(left, "ab", 2, PEER_PORT), 2);
	assert_int_equal(rrecv(right, bytes, 4, MSG_PEEK | MSG_TRUNC), 10);
	assert_int_equal(rrecvmsg(right, &msg, 0), 4);
	assert_int_equal(msg.msg_flags, MSG_TRUNC);
	assert_int_equal(ntohs(from.sin_port), TEST_PORT);
	assert_memory_equal(bytes, "0123", 4);
	assert_int_equal(rrecvmsg(right, &msg, 0), 2);
	assert_int_equal(msg.msg_flags, 0);
	assert_int_equal(rclose(left), 0);
	assert_int_equal(rclose(right), 0);
}

static void rpoll_of_datagram_socket_reports_data(void **state)
{
	int left = datagram_new(TEST_PORT), right = datagram_new(PEER_PORT);
	char byte;

	set_nonblocking(right);
	errno = 0;
	assert_int_equal(rrecv(right, &byte, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(poll_events(right, POLLIN | POLLOUT, 0), POLLOUT);
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(send_to(left, "x", 1, PEER_PORT), 1);
		assert_int_equal(poll_events(right, POLLIN, 20000), POLLIN);
		assert_int_equal(rrecv(right, &byte, 1, 0), 1);
	}
	assert_int_equal(rclose(left), 0);
	assert_int_equal(rclose(right), 0);
}

/* More destinations than a socket remembers; the last one is a socket. */
static void rsendto_to_many_destinations_arrives(void **state)
{
	int left = datagram_new(TEST_PORT), right = datagram_new(20000);
	char byte;

	for (uint16_t port = 14000; port <= 20000; port++)
		assert_int_equal(send_to(left, "x", 1, port), 1);
	assert_int_equal(rrecv(right, &byte, 1, 0), 1);
	assert_int_equal(send_to(right, "y", 1, TEST_PORT), 1);
	assert_int_equal(rrecv(left, &byte, 1, 0), 1);
	assert_int_equal(byte, 'y');
	assert_int_equal(rclose(left), 0);
	assert_int_equal(rclose(right), 0);
}

static void *receive_run(void *arg)
{
	char byte;

	assert_int_equal(rrecv((int)(intptr_t)arg, &byte, 1, 0), -1);
	return NULL;
}

static void rclose_wakes_thread_that_receives_datagram(void **state)
{
	int fd = datagram_new(TEST_PORT);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, receive_run,
					(void *)(intptr_t)fd),
			 0);
	assert_int_equal(rclose(fd), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* A socket of IPv6 exchanges datagrams with one of IPv4. */
static void datagram_socket_of_ipv6_has_mapped_addresses(void **state)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6,
				    .sin6_port = htons(PEER_PORT) };
	int left = datagram_new(TEST_PORT);
	int right = rsocket(AF_INET6, SOCK_DGRAM, 0);
	struct sockaddr_in6 from;
	socklen_t len = sizeof(from);
	char byte;

	assert_int_equal(rbind(right, (struct sockaddr *)&any, sizeof(any)), 0);
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(send_to(left, "x", 1, PEER_PORT), 1);
		assert_int_equal(rrecvfrom(right, &byte, 1, 0,
					   (struct sockaddr *)&from, &len),
				 1);
		assert_int_equal(len, sizeof(from));
		assert_true(IN6_IS_ADDR_V4MAPPED(&from.sin6_addr));
		assert_int_equal(ntohs(from.sin6_port), TEST_PORT);
		assert_int_equal(rsendto(right, "y", 1, 0,
					 (struct sockaddr *)&from, len),
				 1);
		assert_int_equal(rrecv(left, &byte, 1, 0), 1);
	}
	assert_int_equal(rclose(left), 0);
	assert_int_equal(rclose(right), 0);
}

static void datagram_socket_has_options_of_udp(void **state)
{
	int fd = datagram_new(TEST_PORT), value = 1;
	socklen_t len = sizeof(value);

	assert_int_equal(rgetsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len), 0);
	assert_int_equal(value, SOCK_DGRAM);
	value = 1;
	assert_int_equal(rsetsockopt(fd, SOL_SOCKET, SO_BROADCAST, &value,
				     sizeof(value)),
			 0);
	value = 0;
	assert_int_equal(
		rgetsockopt(fd, SOL_SOCKET, SO_BROADCAST, &value, &len), 0);
	assert_int_equal(value, 1);
	value = 32;
	assert_int_equal(
		rsetsockopt(fd, SOL_RDMA, RDMA_SQSIZE, &value, sizeof(value)),
		0);
	assert_int_equal(rclose(fd), 0);
}

/* -- the protocol -- */

struct peer {
	int udp_fd;
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	uint8_t bytes[2 * PEER_LEN]; /* received, sent */
};

static void peer_post_recv(struct peer *peer)
{
	assert_int_equal(
		rdma_post_recv(peer->id, NULL, peer->bytes, PEER_LEN, peer->mr),
		0);
}

static void peer_open(struct peer *peer)
{
	struct sockaddr_in address = loopback(PEER_PORT);
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
	};

	peer->udp_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(peer->udp_fd, (struct sockaddr *)&address,
			      sizeof(address)),
			 0);
	address.sin_port = 0;
	assert_int_equal(rdma_create_id(NULL, &peer->id, NULL, RDMA_PS_UDP), 0);
	assert_int_equal(rdma_bind_addr(peer->id, (struct sockaddr *)&address),
			 0);
	assert_int_equal(rdma_create_qp(peer->id, NULL, &attr), 0);
	peer->mr = ibv_reg_mr(peer->id->pd, peer->bytes, sizeof(peer->bytes),
			      IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(peer->mr);
	peer_post_recv(peer);
}

static void peer_close(struct peer *peer)
{
	rdma_destroy_qp(peer->id);
	assert_int_equal(ibv_dereg_mr(peer->mr), 0);
	assert_int_equal(rdma_destroy_id(peer->id), 0);
	assert_int_equal(close(peer->udp_fd), 0);
}

/* Sends the header of a UDP datagram, with four bytes of data if @op is 0. */
static void peer_send_udp(const struct peer *peer, uint8_t op)
{
	struct sockaddr_in to = loopback(TEST_PORT);
	uint32_t qpn = htonl(peer->id->qp->qp_num);
	uint8_t bytes[20] = {
		0x55, 0x55, 0x55, 0x55, 4, op, 16,  0,	 0,   0,
		0,    0,    127,  0,	0, 1,  'd', 'a', 't', 'a'
	};

	memcpy(&bytes[8], &qpn, sizeof(qpn));
	assert_int_equal(sendto(peer->udp_fd, bytes, op ? 16 : 20, 0,
				(struct sockaddr *)&to, sizeof(to)),
			 op ? 16 : 20);
}

/* The QPN in the next UDP datagram, which must have this op. */
static uint32_t peer_receive_udp(const struct peer *peer, uint8_t op)
{
	const uint8_t begin[] = { 0x55, 0x55, 0x55, 0x55, 4, op, 16, 0 };
	const uint8_t address[] = { 127, 0, 0, 1 };
	uint8_t bytes[64];
	uint32_t qpn;

	assert_true(recv(peer->udp_fd, bytes, sizeof(bytes), 0) >= 16);
	assert_memory_equal(bytes, begin, sizeof(begin));
	assert_memory_equal(&bytes[12], address, sizeof(address));
	memcpy(&qpn, &bytes[8], sizeof(qpn));
	return ntohl(qpn);
}

/*
 * Sends datagrams to the peer until one arrives by the queue pair; until then
 * they arrive by UDP.
 */
static struct ibv_wc peer_wait_for_ud(const struct peer *peer, int fd)
{
	uint8_t bytes[64];
	struct ibv_wc wc;
	int nr;

	do {
		assert_int_equal(send_to(fd, "to peer", 7, PEER_PORT), 7);
		while (recv(peer->udp_fd, bytes, sizeof(bytes), MSG_DONTWAIT) >
		       0)
			;
		nr = ibv_poll_cq(peer->id->recv_cq, 1, &wc);
	} while (!nr);
	assert_int_equal(nr, 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	return wc;
}

static void peer_send_ud(struct peer *peer, struct ibv_ah *ah, uint32_t qpn,
			 const void *message, size_t len)
{
	uint8_t *bytes = &peer->bytes[PEER_LEN];
	struct ibv_wc wc;

	memcpy(bytes, message, len);
	assert_int_equal(rdma_post_ud_send(peer->id, NULL, bytes, len, peer->mr,
					   IBV_SEND_SIGNALED, ah, qpn),
			 0);
	assert_int_equal(rdma_get_send_comp(peer->id, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
}

static void discovery_of_peer_leads_to_messages_of_qp(void **state)
{
	/* IPv4, 8 bytes, the port, the address */
	const uint8_t header[] = {
		4, 8, TEST_PORT >> 8, TEST_PORT & 0xff, 127, 0, 0, 1
	};
	uint8_t message[] = {
		4, 8, PEER_PORT >> 8, PEER_PORT & 0xff, 127, 0, 0, 1, 'u', 'd'
	};
	int fd = datagram_new(TEST_PORT);
	struct peer peer = { .udp_fd = -1 };
	struct ibv_wc wc;
	struct ibv_ah *ah;
	char bytes[16];
	size_t len;
	uint32_t qpn;

	peer_open(&peer);
	peer_send_udp(&peer, 0);
	assert_int_equal(receive_from(fd, bytes, sizeof(bytes), &len),
			 PEER_PORT);
	assert_int_equal(len, 4);
	assert_memory_equal(bytes, "data", 4);
	qpn = peer_receive_udp(&peer, 7);
	wc = peer_wait_for_ud(&peer, fd);
	assert_int_equal(wc.src_qp, qpn);
	assert_int_equal(wc.byte_len, GRH_LEN + sizeof(header) + 7);
	assert_memory_equal(&peer.bytes[GRH_LEN], header, sizeof(header));
	assert_memory_equal(&peer.bytes[GRH_LEN + sizeof(header)], "to peer",
			    7);
	ah = ibv_create_ah_from_wc(peer.id->pd, &wc,
				   (struct ibv_grh *)(void *)peer.bytes, 1);
	assert_non_null(ah);
	message[0] = 5;
	peer_send_ud(&peer, ah, qpn, message, sizeof(message));
	peer_send_ud(&peer, ah, qpn, message, 3);
	message[0] = 4;
	peer_send_ud(&peer, ah, qpn, message, sizeof(message));
	assert_int_equal(receive_from(fd, bytes, sizeof(bytes), &len),
			 PEER_PORT);
	assert_int_equal(len, 2);
	assert_memory_equal(bytes, "ud", 2);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	peer_close(&peer);
	assert_int_equal(rclose(fd), 0);
}

static void first_datagram_to_peer_has_header_and_data(void **state)
{
	int fd = datagram_new(TEST_PORT);
	struct peer peer = { .udp_fd = -1 };

	peer_open(&peer);
	assert_int_equal(send_to(fd, "to peer", 7, PEER_PORT), 7);
	assert_true(peer_receive_udp(&peer, 0) != 0);
	/* The response has no data. */
	peer_send_udp(&peer, 7);
	(void)peer_wait_for_ud(&peer, fd);
	assert_int_equal(poll_events(fd, POLLIN, 0), 0);
	peer_close(&peer);
	assert_int_equal(rclose(fd), 0);
}

static void invalid_udp_datagram_is_dropped(void **state)
{
	int fd = datagram_new(TEST_PORT);
	struct sockaddr_in to = loopback(TEST_PORT);
	struct peer peer = { .udp_fd = -1 };
	static uint8_t bytes[4096];
	size_t len;

	peer_open(&peer);
	memset(bytes, 0x55, sizeof(bytes));
	for (size_t i = 1; i <= sizeof(bytes); i *= 2)
		assert_int_equal(sendto(peer.udp_fd, bytes, i, 0,
					(struct sockaddr *)&to, sizeof(to)),
				 i);
	peer_send_udp(&peer, 0);
	assert_int_equal(receive_from(fd, bytes, sizeof(bytes), &len),
			 PEER_PORT);
	assert_int_equal(len, 4);
	peer_close(&peer);
	assert_int_equal(rclose(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rsendto_and_rrecvfrom_keep_data_and_address),
		cmocka_unit_test(rsendto_with_invalid_argument_fails),
		cmocka_unit_test(rconnect_of_datagrams_selects_peer),
		cmocka_unit_test(rrecvmsg_of_datagram_reports_truncation),
		cmocka_unit_test(rpoll_of_datagram_socket_reports_data),
		cmocka_unit_test(rsendto_to_many_destinations_arrives),
		cmocka_unit_test(rclose_wakes_thread_that_receives_datagram),
		cmocka_unit_test(datagram_socket_of_ipv6_has_mapped_addresses),
		cmocka_unit_test(datagram_socket_has_options_of_udp),
		cmocka_unit_test(discovery_of_peer_leads_to_messages_of_qp),
		cmocka_unit_test(first_datagram_to_peer_has_header_and_data),
		cmocka_unit_test(invalid_udp_datagram_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
