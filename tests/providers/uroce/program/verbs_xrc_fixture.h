/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended reliable connections (XRC): an initiator and a target in one
 * process, and two SRQs of the domain of the target, each with a PD and a CQ of
 * its own.
 */
#ifndef VERBS_XRC_FIXTURE_H
#define VERBS_XRC_FIXTURE_H

#include "verbs_fixture.h"

#define MAX_WR 64
#define BYTES  20000 /* several packets */
#define PART   32768

/* An SRQ with a buffer for its receives. */
struct target_srq {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	uint8_t *memory; /* PART bytes */
	uint32_t number;
};

struct xrc_fixture {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq; /* of the initiator */
	struct ibv_xrcd *xrcd;
	struct ibv_qp *initiator, *target;
	struct target_srq srqs[2];
	uint8_t *memory; /* of the initiator, PART bytes */
	struct ibv_mr *mr;
};

extern struct xrc_fixture xrc;

/** xrc_open_domain_of() - ibv_open_xrcd() of a context */
struct ibv_xrcd *xrc_open_domain_of(struct ibv_context *of, int fd, int oflags);

/** xrc_open_domain() - ibv_open_xrcd() of the context of the fixture */
struct ibv_xrcd *xrc_open_domain(int fd, int oflags);

/** xrc_create_srq() - an XRC SRQ */
struct ibv_srq *xrc_create_srq(struct ibv_xrcd *domain, struct ibv_pd *of_pd,
			       struct ibv_cq *of_cq);

/** xrc_srq_set_up() - create an SRQ with all that it needs */
void xrc_srq_set_up(struct target_srq *srq, struct ibv_xrcd *domain);

/** xrc_srq_tear_down() - destroy what xrc_srq_set_up() created */
void xrc_srq_tear_down(struct target_srq *srq);

/** xrc_create_initiator() - of the PD and the CQ of the fixture */
struct ibv_qp *xrc_create_initiator(void);

/** xrc_create_target() - an XRC target of a domain */
struct ibv_qp *xrc_create_target(struct ibv_xrcd *domain);

/** xrc_to_init() - RESET to INIT */
void xrc_to_init(struct ibv_qp *qp);

/** xrc_to_rtr() - INIT to RTR; @peer: QPN */
void xrc_to_rtr(struct ibv_qp *qp, uint32_t peer);

/** xrc_to_rts() - RTR to RTS */
void xrc_to_rts(struct ibv_qp *qp, uint8_t rnr_retry);

/** xrc_connect_qps() - reset and connect initiator and target */
void xrc_connect_qps(uint8_t rnr_retry);

/** xrc_setup() - of each test */
int xrc_setup(void **state);

/** xrc_teardown() - of each test */
int xrc_teardown(void **state);

/** xrc_local_sge() - the first @length bytes of the memory of the initiator */
struct ibv_sge xrc_local_sge(uint32_t length);

/** xrc_try_post() - post a request with one SGE; errno value */
int xrc_try_post(struct ibv_send_wr wr, struct ibv_sge sge, uint32_t srqn);

/** xrc_post() - post a request of a kind; RDMA: to the memory of @to */
void xrc_post(enum ibv_wr_opcode opcode, uint32_t length,
	      const struct target_srq *to);

/** xrc_post_receive() - a receive of the whole memory of an SRQ */
void xrc_post_receive(const struct target_srq *srq, uint64_t wr_id);

/** xrc_expect_sent() - the next completion of the initiator */
void xrc_expect_sent(enum ibv_wc_status status);

/** xrc_expect_received() - the next completion of an SRQ */
void xrc_expect_received(const struct target_srq *srq, uint64_t wr_id,
			 uint32_t length);

/** xrc_fill() - write a pattern to the memory of the initiator */
void xrc_fill(uint8_t seed);

/** xrc_next_event() - of the context of the fixture; not COMM_EST */
struct ibv_async_event xrc_next_event(void);

/** xrc_expect_event() - the next event is @type of @qp */
void xrc_expect_event(enum ibv_event_type type, const struct ibv_qp *qp);

#endif
