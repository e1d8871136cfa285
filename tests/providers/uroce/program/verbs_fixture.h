/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of a device for tests that call ibv_*() functions only. The device is
 * the first one of the list; VERBS_TEST_GID selects its GID (default: 1).
 */
#ifndef VERBS_FIXTURE_H
#define VERBS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

/* last: needs the headers above */
#include <cmocka.h>

#define FIXTURE_BYTES 8192

struct verbs_fixture {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	/* RC QPs, which are connected with each other */
	struct ibv_qp *left, *right;
	struct ibv_mr *mr; /* of @memory, with all rights */
	uint8_t *memory;   /* FIXTURE_BYTES, aligned to pages */
};

extern struct verbs_fixture fixture;

/* For cmocka: the objects of @fixture. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/** fixture_set_up_on() - likewise on an open device */
void fixture_set_up_on(struct ibv_context *ctx);

/** fixture_gid_index() - the GID that QPs and address handles use */
uint8_t fixture_gid_index(void);

/** fixture_open() - open the device once more */
struct ibv_context *fixture_open(void);

/** fixture_create_qp() - ibv_create_qp(), which must not fail */
struct ibv_qp *fixture_create_qp(struct ibv_pd *pd,
				 struct ibv_qp_init_attr attr);

/** fixture_new_qp() - create a QP in RESET with 8 WQEs in each queue */
struct ibv_qp *fixture_new_qp(enum ibv_qp_type type);

/** fixture_new_qp_ex() - likewise an RC QP with operations of ibv_wr_*() */
struct ibv_qp *fixture_new_qp_ex(uint64_t send_ops);

/** fixture_to_init() - move a QP in any state to INIT */
void fixture_to_init(struct ibv_qp *qp);

/** fixture_to_rtr() - move a QP from INIT to RTR, connected to @peer */
void fixture_to_rtr(struct ibv_qp *qp, const struct ibv_qp *peer);

/** fixture_to_rts() - move a QP from RTR to RTS */
void fixture_to_rts(struct ibv_qp *qp);

/** fixture_connect() - move two QPs in any state to RTS, and connect them */
void fixture_connect(struct ibv_qp *left, struct ibv_qp *right);

/**
 * fixture_rearm() - load the path in use as the alternate one, and rearm
 *
 * The paths differ in the UDP source port.
 */
void fixture_rearm(struct ibv_qp *qp);

/** fixture_migrate() - request the migration of an armed QP */
void fixture_migrate(struct ibv_qp *qp);

/** fixture_post() - post a signaled work request with one SGE in @mr */
int fixture_post(struct ibv_qp *qp, struct ibv_send_wr wr, uint8_t *addr,
		 uint32_t length);

/** fixture_write() - RDMA WRITE of 8 bytes; returns the status */
enum ibv_wc_status fixture_write(uint8_t *from, uint64_t to, uint32_t rkey);

/** fixture_poll() - wait for a completion */
struct ibv_wc fixture_poll(struct ibv_cq *cq);

#endif
