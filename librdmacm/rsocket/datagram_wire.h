/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The encoding of what two datagram sockets exchange: UDP datagrams, by which
 * each side learns the queue pair of the other, and messages of UD queue pairs.
 */
#ifndef RSOCKET_DATAGRAM_WIRE_H
#define RSOCKET_DATAGRAM_WIRE_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* A header and its data, of both kinds: receive buffers have this length. */
#define DATAGRAM_MAX_LEN 2048

#define DATAGRAM_UDP_MAX_HEADER 28 /* IPv6 */
#define DATAGRAM_UD_MAX_HEADER	24

enum datagram_op {
	DATAGRAM_DATA = 0,    /* with the data of the application */
	DATAGRAM_CONTROL = 7, /* the QP only, in response to data */
};

/* The header of a UDP datagram */
struct datagram_udp_header {
	enum datagram_op op;
	uint32_t qpn; /* of the sender */
};

/** datagram_udp_header_len() - @domain: AF_INET or AF_INET6 */
size_t datagram_udp_header_len(int domain);

/** datagram_ud_header_len() - @domain: AF_INET or AF_INET6 */
size_t datagram_ud_header_len(int domain);

/**
 * datagram_udp_encode() - the header of a UDP datagram
 * @address: the IP address of the sender's QP
 *
 * Return: the length.
 */
size_t datagram_udp_encode(const struct datagram_udp_header *header,
			   const struct sockaddr *address,
			   uint8_t bytes[DATAGRAM_UDP_MAX_HEADER]);

/**
 * datagram_udp_decode() - check and decode the header of a UDP datagram
 *
 * Return: the length of the header; -EPROTO if it is invalid.
 */
int datagram_udp_decode(const uint8_t *bytes, size_t len,
			struct datagram_udp_header *ret_header);

/**
 * datagram_ud_encode() - the header of a message of a UD queue pair
 * @address: of the sender, with the port of its UDP socket
 *
 * Return: the length.
 */
size_t datagram_ud_encode(const struct sockaddr *address,
			  uint8_t bytes[DATAGRAM_UD_MAX_HEADER]);

/**
 * datagram_ud_decode() - check and decode the header of a message
 * @ret_address: of the sender
 *
 * Return: the length of the header; -EPROTO if it is invalid.
 */
int datagram_ud_decode(const uint8_t *bytes, size_t len,
		       struct sockaddr_storage *ret_address);

#endif
