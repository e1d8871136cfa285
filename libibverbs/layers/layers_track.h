/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tracker: requests of a queue from their post to their completion. A
 * request is entered before the provider is called, since another thread may
 * poll its completion before the post returns; if the post fails, it is
 * removed.
 *
 * The lock of a queue is a leaf, held for some instructions and never while the
 * provider runs. A signal handler may post or poll while its thread has the
 * lock: after some time it gives up, and the queue is no longer fully seen.
 */
#ifndef LAYERS_LAYERS_TRACK_H
#define LAYERS_LAYERS_TRACK_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Keys of a request: different ones of its SGEs. */
#define LAYERS_MAX_KEYS 3

/* nr_keys of a request that has more keys. */
#define LAYERS_MANY_KEYS UINT8_MAX

enum layers_request_state {
	LAYERS_REQUEST_FREE, /* never used, or complete */
	LAYERS_REQUEST_UNSIGNALED,
	LAYERS_REQUEST_SIGNALED,
};

struct layers_request {
	uint64_t wr_id;
	union {
		uint64_t remote_addr;
		const void *ah; /* of a datagram */
	};
	uint64_t local_addr; /* of the first SGE */
	uint32_t rkey;
	uint32_t length; /* of all SGEs, bytes */
	uint32_t lkeys[LAYERS_MAX_KEYS];
	uint8_t opcode; /* enum ibv_wr_opcode; of a receive request: 0 */
	uint8_t nr_keys;
	uint8_t state; /* enum layers_request_state */
};

struct layers_track {
	atomic_flag lock;	    /* protects the entries, head and tail */
	atomic_bool is_partly_seen; /* requests are missing, or complete */
	struct layers_request *entries; /* NULL: nothing is tracked */
	uint32_t size;			/* power of two */
	uint32_t head, tail;		/* places; they wrap around */

	/* Constant while the queue exists. */
	uint32_t max_wr, max_sge;
	bool is_datagram;
	bool signals_all; /* all requests have a completion */
};

/*
 * Whether completions are matched. If not, a queue has the last requests,
 * complete or not. Constant after verbs_layer_hooks.start().
 */
extern bool layers_track_is_on;

/**
 * layers_track_start() - make room for the requests of a new queue
 * @from: max_wr, max_sge, is_datagram and signals_all are copied
 *
 * Without memory, or if max_wr is 0, nothing is tracked.
 */
void layers_track_start(struct layers_track *track,
			const struct layers_track *from);

/** layers_track_end() - free the memory of a queue */
void layers_track_end(struct layers_track *track);

/** layers_track_reset() - forget all requests of a QP in RESET */
void layers_track_reset(struct layers_track *track);

/* The places of the requests that a post enters. */
struct layers_posting {
	uint32_t first, nr;
	bool is_complete; /* no request is missing */
};

/**
 * layers_track_sends() - enter requests that are to be posted
 *
 * Ends where the provider will end. An entered request is possibly refused.
 */
struct layers_posting layers_track_sends(struct layers_track *track,
					 const struct ibv_send_wr *wr);
struct layers_posting layers_track_recvs(struct layers_track *track,
					 const struct ibv_recv_wr *wr);

/**
 * layers_track_sent() - remove the requests that were refused
 * @wr: the list that was entered
 * @bad: the first one that was refused; NULL: unknown
 * @error: the result of the post
 */
void layers_track_sent(struct layers_track *track,
		       const struct layers_posting *posting,
		       const struct ibv_send_wr *wr,
		       const struct ibv_send_wr *bad, int error);
void layers_track_received(struct layers_track *track,
			   const struct layers_posting *posting,
			   const struct ibv_recv_wr *wr,
			   const struct ibv_recv_wr *bad, int error);

/** layers_track_add() - enter one request, which is posted in any case */
void layers_track_add(struct layers_track *track,
		      const struct layers_request *request);

/** layers_request_add_sges() - set the members that depend on SGEs */
void layers_request_add_sges(struct layers_request *request,
			     const struct ibv_sge *sges, int nr);

/** layers_track_miss() - something of the queue was not observed */
void layers_track_miss(struct layers_track *track);

/** layers_track_is_seen() - whether all requests in flight are known */
bool layers_track_is_seen(struct layers_track *track);

/* What layers_track_match() does with the request. */
enum layers_match {
	LAYERS_MATCH_ONLY,   /* nothing */
	LAYERS_MATCH_REMOVE, /* it is complete */
};

/**
 * layers_track_match() - find the request of a completion
 * @any: the completion has an error, so the request may be unsignaled
 *
 * It is the first one with the wr_id. Unsignaled ones before it are complete,
 * too.
 *
 * Return: whether it was found.
 */
bool layers_track_match(struct layers_track *track, uint64_t wr_id, bool any,
			enum layers_match match);

/**
 * layers_track_find() - find a request in flight
 * @matches: called with each one, in the order of their posts, until it
 *	returns true; the lock is held
 *
 * Return: whether it was found; *ret is a copy of it.
 */
bool layers_track_find(struct layers_track *track,
		       bool (*matches)(const struct layers_request *request,
				       const void *arg),
		       const void *arg, struct layers_request *ret);

/** layers_track_count() - count requests in flight; @signaled: only those */
uint32_t layers_track_count(struct layers_track *track, bool signaled);

/**
 * layers_track_each_old() - call a function with each request that was posted
 *
 * Complete ones too, if their places were not used again.
 */
void layers_track_each_old(struct layers_track *track,
			   void (*call)(const struct layers_request *request,
					void *arg),
			   void *arg);

#endif
