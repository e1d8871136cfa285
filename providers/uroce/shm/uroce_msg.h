/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The transport of messages: RC and UC QPs of two processes of this host, or of
 * one process, exchange messages through two rings. There are no packets: a
 * ring loses nothing and keeps the order, so no message is retransmitted except
 * after RNR. struct uroce_transport_ops has the functions that the worker
 * calls.
 *
 * The transport is used if both processes of a pair have asked for it in the
 * handshake (uroce_pairing.h); otherwise packets travel through a channel.
 */
#ifndef UROCE_MSG_H
#define UROCE_MSG_H

#include "uroce/qp/uroce_qp.h"
#include "uroce/shm/uroce_msg_ring.h"

struct uroce_channel;
struct uroce_msg;

struct uroce_msg_config {
	struct uroce_core *core;
	/* find_qp() - QP by its number, or NULL */
	struct uroce_qp *(*find_qp)(void *arg, uint32_t qpn);
	void *arg;
};

/* A pair of rings between two processes. With the engine lock. */
struct uroce_msg_pair {
	struct uroce_msg *msg;
	struct uroce_msg_sender out;
	struct uroce_msg_receiver in;
	struct list_node node;	  /* in the pairs that are polled */
	struct list_node qps;	  /* QPs bound to the pair */
	struct list_node blocked; /* of these, QPs that wait for room */
	bool failed;		  /* the peer process is gone */
	bool stuck;		  /* a wait for room has timed out */
	/* the peer broke the protocol; nothing more is received from it */
	bool broken;
	/* its application was active since uroce_msg_pair_take_activity() */
	bool was_active;
	uint32_t active_pass; /* full pass at that time */
	/* access to the memory of the peer; NULL: none */
	struct uroce_channel *channel;
	bool always_chunks;  /* UROCE_RNDV=always */
	uint32_t nr_long;    /* long messages */
	uint32_t nr_samples; /* fragments that were or might be measured */
	void *owner;	     /* for ring_bell() */
	/* ring_bell() - wake the helper thread of the peer */
	void (*ring_bell)(struct uroce_msg_pair *pair);
};

struct uroce_msg_counters {
	uint64_t rx_messages, rx_bytes; /* entries, and their payloads */
	uint64_t tx_messages, tx_bytes;
	uint64_t tx_bells;
};

/**
 * uroce_msg_open() - create the transport of a worker
 * @ret_transport: receives it, to be freed by its close()
 *
 * Return: 0 or -ENOMEM.
 */
int uroce_msg_open(const struct uroce_msg_config *config,
		   struct uroce_transport_base **ret_transport);

/** uroce_msg_pair_init() - initialize a pair that has no rings yet */
void uroce_msg_pair_init(struct uroce_msg_pair *pair);

/** uroce_msg_pair_close() - unmap the rings; no QP is bound */
void uroce_msg_pair_close(struct uroce_msg_pair *pair);

/** uroce_msg_pair_forget() - in a child of fork(): the rings are not mapped */
void uroce_msg_pair_forget(struct uroce_msg_pair *pair);

/** uroce_msg_pair_add() - receive from a pair of @transport from now on */
void uroce_msg_pair_add(struct uroce_transport_base *transport,
			struct uroce_msg_pair *pair);

/** uroce_msg_pair_has_any() - check for a message that poll() would receive */
bool uroce_msg_pair_has_any(const struct uroce_msg_pair *pair);

/**
 * uroce_msg_pair_take_activity() - whether a recent request shows that the
 * application of the peer polls
 *
 * A request counts once, and until the full pass after the next one.
 */
bool uroce_msg_pair_take_activity(struct uroce_msg_pair *pair);

/**
 * uroce_msg_pair_fail() - the peer process is gone, and its messages received
 *
 * Requests fail when their retries would be exhausted, as if a host on the
 * network vanished. QPs with a timeout of 0 fail at once.
 */
void uroce_msg_pair_fail(struct uroce_msg_pair *pair);

/**
 * uroce_msg_attach() - let a QP use a pair instead of its transport
 * @qp: RC or UC, in INIT; RESET, or uroce_msg_detach(), gives it back to its
 *	former transport
 *
 * Return: 0 or -ENOMEM.
 */
int uroce_msg_attach(struct uroce_transport_base *transport,
		     struct uroce_msg_pair *pair, struct uroce_qp *qp);

/** uroce_msg_detach() - undo uroce_msg_attach() */
void uroce_msg_detach(struct uroce_qp *qp);

/** uroce_msg_pair_of() - the pair that a QP uses, or NULL */
struct uroce_msg_pair *uroce_msg_pair_of(const struct uroce_qp *qp);

/**
 * uroce_msg_is_partial() - whether post() has executed a part of a request, and
 * continues when it is called again
 */
bool uroce_msg_is_partial(const struct uroce_qp *qp);

/**
 * uroce_msg_rights() - the accesses that peers may execute through a QP
 * @qp: uses a pair
 * @ret_open: whether peers may access memory at all
 *
 * Return: enum ibv_access_flags.
 */
unsigned int uroce_msg_rights(const struct uroce_qp *qp, bool *ret_open);

/** uroce_msg_counters() - read the counters */
struct uroce_msg_counters
uroce_msg_counters(const struct uroce_transport_base *transport);

#endif
