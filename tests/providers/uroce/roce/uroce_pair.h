/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two engines with up to four QPs each and a wire in memory between them.
 * Packets become bytes with an ICRC and are parsed again, as on a real wire.
 * Time is a number that jumps from one event to the next. A seed, or a function
 * of the test, decides about the faults of the wire. As an alternative the QPs
 * are bound to channels, which pass packets unchanged.
 */
#ifndef UROCE_PAIR_H
#define UROCE_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/net_model.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce_connect.h"

#define PAIR_PD		3
#define PAIR_MEMORY	(1u << 20)
#define PAIR_QPS	4 /* at most, of a side */
#define PAIR_IOVA	UINT64_C(0x700000000000)
#define PAIR_ALL_RIGHTS CONNECT_ALL_RIGHTS

struct pair_side {
	struct uroce_memory regions;
	struct uroce_engine engine;
	struct uroce_qp *qp; /* QP in use; pair_use_qp() */
	struct uroce_qp *qps[PAIR_QPS];
	struct uroce_cq send_cq, recv_cq; /* of all QPs */
	struct uroce_rq rq;		  /* of the first QP */
	struct uroce_rq more_rqs[PAIR_QPS - 1];
	uint8_t *memory;
	uint32_t key; /* of the memory at PAIR_IOVA */
	struct uroce_path path;
	struct uroce_channel channel; /* to the peer */
};

/* Faults of the wire; each number is in 1/1000. */
struct pair_faults {
	unsigned int loss, duplicate, reorder, corrupt;
};

/* One direction of the wire, if it has a rate. */
struct pair_link {
	uint64_t bits_per_s; /* 0: datagrams arrive after a microsecond */
	uint64_t delay_ns;
	uint32_t queue_bytes; /* a datagram that finds more is lost */
	uint32_t
		mark_bytes; /* a datagram that finds more is marked, if not 0 */
	uint64_t free_ns;   /* when the last datagram leaves the queue */
};

enum pair_action {
	PAIR_PASS,
	PAIR_DROP,
};

struct pair_datagram {
	struct net_timer arrival;
	unsigned int to; /* side that receives it */
	bool over_channel;
	struct uroce_packet packet; /* over a channel */
	bool marked;		    /* by a link: ECN */
	size_t len;		    /* of the datagram or the payload */
	uint8_t bytes[UROCE_MAX_HEADER + UROCE_CHANNEL_MTU + UROCE_ICRC_LEN];
};

struct pair {
	struct pair_side side[2];
	uint64_t now;
	struct net net; /* arrivals, and random numbers */
	struct pair_faults faults;
	struct pair_link link[2]; /* by the sender; set by the test */
	bool ipv6;
	bool go_back_n;

	/*
	 * set by the test: inspects, and may drop, a packet that side @from
	 * sends
	 */
	enum pair_action (*filter)(struct pair *pair, unsigned int from,
				   const struct uroce_packet *packet);
	void *filter_data;
	uint32_t nr_runs; /* requested runs */
};

struct pair_options {
	enum ibv_qp_type type;
	enum ibv_mtu mtu;
	uint32_t psn; /* first PSN of side 0; side 1 begins elsewhere */
	uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
	uint8_t rd_atomic;
	uint32_t nr_qps;       /* of each side; 0: 1 */
	uint32_t depth;	       /* of all queues */
	uint32_t memory_bytes; /* registered by each side: PAIR_MEMORY */
	bool shared;	       /* receive queues are SRQs */
	bool ipv6;
	bool go_back_n; /* requests allow no list in a NAK: other devices */
	bool channel;	/* completion channel */
	bool bound;	/* bound to channels */
	uint32_t seed;
	uint32_t room_bytes; /* as in struct uroce_engine_config */
};

/* RC, MTU 1024, PSN close to the wrap, generous limits. */
struct pair_options pair_defaults(void);

/* Creates a pair with all QPs in RTS. Ends with pair_free(). */
struct pair *pair_new(const struct pair_options *options);

/* Selects the QP of both sides that later calls use; at first it is QP 0. */
void pair_use_qp(struct pair *pair, unsigned int number);

void pair_free(struct pair *pair);

/*
 * Moves all QPs to RESET and to RTS again, with an empty wire and empty
 * queues.
 */
void pair_reconnect(struct pair *pair, const struct pair_options *options);

/* Runs until nothing is in flight, to be sent, or timed; or until @until_ns. */
void pair_run_until(struct pair *pair, uint64_t until_ns);
void pair_run(struct pair *pair);

/*
 * Runs one event: a delivered datagram, or timers. Return: false if there is
 * none.
 */
bool pair_step(struct pair *pair);

uint32_t pair_random(struct pair *pair, uint32_t below);

/* Posts a send request; copies opcode, flags, remote etc. of @wqe. */
void pair_post(struct pair *pair, unsigned int side,
	       const struct uroce_send_wqe *wqe, const struct ibv_sge *sge);

/*
 * Posts a signaled request of side 0 for the beginning of its memory; @there is
 * an offset in the memory of side 1.
 */
void pair_request(struct pair *pair, uint64_t wr_id, enum ibv_wr_opcode opcode,
		  uint32_t length, uint32_t there);

/* Returns an SGE of a side's memory. */
struct ibv_sge pair_sge(const struct pair *pair, unsigned int side,
			uint32_t offset, uint32_t length);

void pair_post_recv(struct pair *pair, unsigned int side, uint64_t wr_id,
		    const struct ibv_sge *sge, uint32_t nr_sge);

/* Gets the next completion. Return: false if there is none. */
bool pair_poll(struct uroce_cq *cq, struct uroce_cqe *ret_cqe);

/* Returns the datagram that arrives first. */
struct pair_datagram *pair_first_datagram(const struct pair *pair);

/* Puts a hand-made packet of side @from on the wire. */
void pair_inject(struct pair *pair, unsigned int from,
		 const struct uroce_packet *packet, const void *payload);

uint64_t pair_count(const struct pair *pair, unsigned int side,
		    enum uroce_counter counter);

#endif
