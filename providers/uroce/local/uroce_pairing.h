/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What two processes say to each other before they are a pair: three messages
 * over a SOCK_SEQPACKET socket.
 *
 *   guest: who connects                     host: who listens
 *   hello, with the guest's inbox  ------>
 *                                  <------  verdict; with the host's inbox if
 *                                           it is OK
 *   UROCE_PAIRING_CONFIRM          ------>
 *
 * Each inbox is the one that who sends it receives from. The guest has decided
 * when it sends the confirmation, the host when it gets it: before that either
 * can go away, and they are no pair. A host that has said OK and has lost its
 * patience closes the socket first: then nothing can be confirmed. A pair says,
 * in both directions, UROCE_PAIRING_BELL, and what there is to say about shared
 * memory (uroce_share.h):
 *
 *   who wants to map it                     who has it
 *   UROCE_PAIRING_ASK              ------>
 *                                  <------  UROCE_PAIRING_GIVE, with it
 *                                  <------  UROCE_PAIRING_GONE, one day
 */
#ifndef UROCE_PAIRING_H
#define UROCE_PAIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/wire/uroce_packet.h"

enum {
	UROCE_PAIRING_CONFIRM = 1, /* messages of one byte */
	UROCE_PAIRING_BELL = 2,
	UROCE_PAIRING_ASK = 3, /* struct uroce_share_message */
	UROCE_PAIRING_GIVE = 4,
	UROCE_PAIRING_GONE = 5,
};

struct uroce_share_message {
	uint8_t what;
	uint8_t reserved[7];
	uint64_t share;
};

/* A message of a pair. */
struct uroce_note {
	uint8_t what;
	uint64_t share; /* of the last three */
	int fd; /* UROCE_PAIRING_GIVE: it, to be closed; -1: it got lost */
};

enum uroce_verdict {
	UROCE_VERDICT_OK,
	UROCE_VERDICT_BUSY,	/* it is about to ask us itself; or try again */
	UROCE_VERDICT_PAIRED,	/* we are already; and the GID is its */
	UROCE_VERDICT_NOT_MINE, /* the GID: this QP is another one's */
	UROCE_VERDICT_REFUSED,	/* never */
};

/* What both must have in common, and who it is from. */
struct uroce_pairing_party {
	uint64_t magic; /* and version */
	uint32_t nr_slots;
	uint32_t area;
	uint32_t mtu;
	uint32_t slot;	/* of the sender */
	uint64_t token; /* of the sender, as long as it has that slot */
};

struct uroce_hello {
	struct uroce_pairing_party party;
	uint8_t dgid[UROCE_GID_LEN]; /* that the host should have */
};

struct uroce_verdict_message {
	struct uroce_pairing_party party;
	uint32_t verdict; /* enum uroce_verdict */
	uint32_t reserved;
};

/* Descriptors that go with a message; the receiver closes both. */
struct uroce_passed {
	int inbox;  /* -1: none, and no pair */
	int tables; /* -1: none are shown */
};

/** uroce_pairing_token() - one that no other process has */
uint64_t uroce_pairing_token(void);

/** uroce_pairing_peer_pid() - who it is, as seen from here; 0: not visible */
int uroce_pairing_peer_pid(int fd);

/** uroce_pairing_now_ms() - the time */
uint64_t uroce_pairing_now_ms(void);

/** uroce_pairing_bind() - be found by others; the listener, or -errno */
int uroce_pairing_bind(uint32_t slot);

/**
 * uroce_pairing_call() - the guest's side: connect
 * @host_slot: to whom
 * @until_ms: how long to wait at most
 *
 * Return: the connection; -ECONNREFUSED if nobody listens; -ETIMEDOUT; -EPERM
 * if it is another user; or -errno.
 */
int uroce_pairing_call(uint32_t host_slot, uint64_t until_ms);

/**
 * uroce_pairing_check_claim() - check that a process has the slot it claims
 * @slot: of the hello
 * @pid: of the process that sent it, as seen from here
 *
 * Processes of other pid namespaces all have pid 0 here and cannot be
 * distinguished. Waits for a moment only.
 *
 * Return: 0; -EPERM if another process has the slot, or none; -ETIMEDOUT if
 * too many others connect to that process now.
 */
int uroce_pairing_check_claim(uint32_t slot, int pid);

/**
 * uroce_pairing_ask() - the guest's side: say hello, wait for the verdict
 * @fd: the connection
 * @slot: ours
 * @token: ours
 * @dgid: that the host should have
 * @ours: stays ours
 * @until_ms: how long to wait at most
 * @ret_verdict: receives the verdict
 * @ret_token: receives the host's token
 * @ret_theirs: receives what the host has made, none of it unless it is OK
 *
 * Return: 0; -ETIMEDOUT; -EPROTO if the answer is none; or -errno.
 */
int uroce_pairing_ask(int fd, uint32_t slot, uint64_t token,
		      const uint8_t *dgid, const struct uroce_passed *ours,
		      uint64_t until_ms, enum uroce_verdict *ret_verdict,
		      uint64_t *ret_token, struct uroce_passed *ret_theirs);

/**
 * uroce_pairing_hear() - the host's side: the hello, without waiting
 * @fd: the connection, non-blocking
 * @ret_hello: receives it
 * @ret_theirs: receives what the guest has made
 *
 * Return: 0, -EAGAIN if it is not there yet, -EPROTO if it is none of ours, or
 * -errno.
 */
int uroce_pairing_hear(int fd, struct uroce_hello *ret_hello,
		       struct uroce_passed *ret_theirs);

/** uroce_pairing_close() - both descriptors, those that there are */
void uroce_pairing_close(struct uroce_passed *passed);

/**
 * uroce_pairing_answer() - the host's side: the verdict; 0 or -errno
 * @ours: if it is UROCE_VERDICT_OK; else NULL
 */
int uroce_pairing_answer(int fd, uint32_t slot, uint64_t token,
			 enum uroce_verdict verdict,
			 const struct uroce_passed *ours);

/** uroce_pairing_send() - a message of one byte, without waiting; 0 or -errno
 */
int uroce_pairing_send(int fd, uint8_t message);

/**
 * uroce_pairing_send_share() - a message about a share, without waiting
 * @what: which
 * @passed: stays the caller's; -1: none
 *
 * Return: 0 or -errno.
 */
int uroce_pairing_send_share(int fd, uint8_t what, uint64_t share, int passed);

/**
 * uroce_pairing_receive() - a message of a pair, without waiting
 * @ret_note: receives it
 *
 * Return: 0, -EAGAIN if there is none, or -EPROTO if the other side is gone or
 * says something else.
 */
int uroce_pairing_receive(int fd, struct uroce_note *ret_note);

#endif
