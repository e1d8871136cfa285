/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of the handshake, by which two processes become a pair, and of a
 * pair. They are sent over a SOCK_SEQPACKET socket.
 *
 *   client: connects                       server: listens
 *   hello, with the client's ring   ----->
 *                                   <-----  result; with the server's ring if
 *                                           the result is OK
 *   UROCE_PAIRING_CONFIRM           ----->
 *
 * The process that sends a ring receives from it. The client is committed
 * when it sends the confirmation, the server when it receives it; before that,
 * each can give up, and they are not a pair. A server that gives up after its
 * OK closes the socket first, so that no confirmation can arrive. Both
 * processes of a pair send UROCE_PAIRING_DOORBELL, which wakes the peer, and
 * messages about shared memory files (uroce_share.h):
 *
 *   maps the file                          owns the file
 *   UROCE_PAIRING_FILE_REQUEST      ----->
 *                                   <-----  UROCE_PAIRING_FILE, with the file
 *                                   <-----  UROCE_PAIRING_FILE_GONE, later
 */
#ifndef UROCE_PAIRING_H
#define UROCE_PAIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/wire/uroce_packet.h"

enum {
	UROCE_PAIRING_CONFIRM = 1, /* messages of one byte */
	UROCE_PAIRING_DOORBELL = 2,
	UROCE_PAIRING_FILE_REQUEST = 3, /* struct uroce_share_message */
	UROCE_PAIRING_FILE = 4,
	UROCE_PAIRING_FILE_GONE = 5,
};

struct uroce_share_message {
	uint8_t what;
	uint8_t reserved[7];
	uint64_t share;
};

/* A message of a pair. */
struct uroce_pair_message {
	uint8_t what;
	uint64_t share; /* of the messages about files */
	int fd;		/* FILE: descriptor, to be closed; -1: it was lost */
};

enum uroce_pairing_result {
	UROCE_PAIRING_OK,
	UROCE_PAIRING_BUSY,	/* the server connects itself; or try again */
	UROCE_PAIRING_PAIRED,	/* already a pair, and the GID is right */
	UROCE_PAIRING_NOT_MINE, /* another process has the GID */
	UROCE_PAIRING_REJECTED, /* permanently rejected */
};

/* The version, which must be equal on both sides, and the sender. */
struct uroce_pairing_party {
	uint64_t magic; /* includes the version */
	uint32_t nr_slots;
	uint32_t area;
	uint32_t mtu;
	uint32_t slot;	/* of the sender */
	uint64_t token; /* of the sender; changes with its slot */
};

struct uroce_hello {
	struct uroce_pairing_party party;
	uint8_t dgid[UROCE_GID_LEN]; /* GID that the server should have */
};

struct uroce_pairing_result_message {
	struct uroce_pairing_party party;
	uint32_t result; /* enum uroce_pairing_result */
	uint32_t reserved;
};

/* Descriptors of a message; the receiver closes both. */
struct uroce_passed {
	int ring;      /* -1: none; then no pair is made */
	int directory; /* MR directory; -1: none */
};

/** uroce_pairing_token() - return a number that no other process has */
uint64_t uroce_pairing_token(void);

/** uroce_pairing_peer_pid() - return the pid of the peer; 0: not visible */
int uroce_pairing_peer_pid(int fd);

/** uroce_pairing_now_ms() - return CLOCK_MONOTONIC in ms */
uint64_t uroce_pairing_now_ms(void);

/** uroce_pairing_bind() - listen at the name of a slot; the socket or -errno */
int uroce_pairing_bind(uint32_t slot);

/**
 * uroce_pairing_connect() - client: connect to the process with a slot
 * @server_slot: slot of the server
 * @until_ms: deadline
 *
 * Return: the connection; -ECONNREFUSED if no process listens; -ETIMEDOUT;
 * -EPERM if another user listens; or -errno.
 */
int uroce_pairing_connect(uint32_t server_slot, uint64_t until_ms);

/**
 * uroce_pairing_check_claim() - check that a process has the slot it claims
 * @slot: slot of the hello
 * @pid: sender of the hello, in this pid namespace
 *
 * Processes of other pid namespaces all have pid 0 here and cannot be
 * distinguished. Never waits.
 *
 * Return: 0; -EPERM if another process has the slot, or none; -EAGAIN if too
 * many other processes are connecting to that process.
 */
int uroce_pairing_check_claim(uint32_t slot, int pid);

/**
 * uroce_pairing_request() - client: send the hello, wait for the result
 * @fd: the connection
 * @slot: own slot
 * @token: own token
 * @dgid: GID that the server should have
 * @ours: own descriptors; the caller keeps them
 * @until_ms: deadline
 * @ret_result: receives the result
 * @ret_token: receives the token of the server
 * @ret_theirs: receives the descriptors of the server; none unless OK
 *
 * Return: 0; -ETIMEDOUT; -EPROTO if the response is malformed; or -errno.
 */
int uroce_pairing_request(int fd, uint32_t slot, uint64_t token,
			  const uint8_t *dgid, const struct uroce_passed *ours,
			  uint64_t until_ms,
			  enum uroce_pairing_result *ret_result,
			  uint64_t *ret_token, struct uroce_passed *ret_theirs);

/**
 * uroce_pairing_receive_hello() - server: receive the hello, without waiting
 * @fd: the connection, non-blocking
 * @ret_hello: receives the hello
 * @ret_theirs: receives the descriptors of the client
 *
 * Return: 0, -EAGAIN if it has not arrived, -EPROTO if it is malformed, or
 * -errno.
 */
int uroce_pairing_receive_hello(int fd, struct uroce_hello *ret_hello,
				struct uroce_passed *ret_theirs);

/** uroce_pairing_close() - close the descriptors that are present */
void uroce_pairing_close(struct uroce_passed *passed);

/**
 * uroce_pairing_respond() - server: send the result; 0 or -errno
 * @ours: own descriptors for UROCE_PAIRING_OK; otherwise NULL
 */
int uroce_pairing_respond(int fd, uint32_t slot, uint64_t token,
			  enum uroce_pairing_result result,
			  const struct uroce_passed *ours);

/** uroce_pairing_send() - send a message of one byte, without waiting */
int uroce_pairing_send(int fd, uint8_t message);

/**
 * uroce_pairing_send_share() - send a message about a file, without waiting
 * @what: UROCE_PAIRING_FILE_REQUEST, _GIVE or _GONE
 * @passed: descriptor, which the caller keeps; -1: none
 *
 * Return: 0 or -errno.
 */
int uroce_pairing_send_share(int fd, uint8_t what, uint64_t share, int passed);

/**
 * uroce_pairing_receive() - receive a message of a pair, without waiting
 * @ret_note: receives it
 *
 * Return: 0, -EAGAIN if there is none, or -EPROTO if the peer is gone or the
 * message is malformed.
 */
int uroce_pairing_receive(int fd, struct uroce_pair_message *ret_note);

#endif
