/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fake kernel for the unit tests of the siw provider: the verbs_cmd_* functions
 * that it imports, rings in a memfd, and a record of the calls. A test sets the
 * results of the next commands in `fake`, calls the provider, and checks the
 * rings from the kernel's side.
 */
#ifndef TESTS_SIW_FAKE_H
#define TESTS_SIW_FAKE_H

#include "providers/soft_fake.h"
#include "siw/siw.h"

/* A ring that the fake kernel has allocated, mapped for the test. */
struct fake_ring {
	void *map;
	size_t map_len;
	uint64_t key;
	uint32_t nr;
};

struct fake_kernel {
	struct verbs_context ctx;

	/* Results of commands. */
	uint64_t fw_ver;  /* of query_device */
	uint32_t nr;	  /* not 0: reported instead of the real sizes */
	uint64_t key;	  /* not 0: reported instead of the real keys */
	uint32_t max_sge; /* not 0: returned in the QP's capabilities */

	/* Arguments so far. */
	uint8_t stag_key; /* of the last reg_mr */

	/* Rings of the objects created last. */
	struct fake_ring sq, rq, cq, srq;
};

extern struct fake_kernel fake;

/* To be called before and after each test. */
int fake_setup(void **state);
int fake_teardown(void **state);

struct ibv_context *fake_context(void);

/* Ring elements, as the kernel accesses them. */
struct siw_sqe *fake_sqe(uint32_t index);
struct siw_rqe *fake_rqe(const struct fake_ring *ring, uint32_t index);
struct siw_cqe *fake_cqe(uint32_t index);
struct siw_cq_ctrl *fake_cq_ctrl(void);

struct fake_qp_args {
	uint32_t send_wr;  /* 0: 4 */
	uint64_t send_ops; /* 0: no ibv_wr_*() */
	struct ibv_srq *srq;
	struct ibv_cq *cq; /* send_cq and recv_cq */
	bool signal_all;
	bool no_recv; /* max_recv_wr is 0 */
};

/* Creates a QP with 3 SGEs per work request; creation must succeed. */
struct siw_qp *fake_qp_new(const struct fake_qp_args *args);
void fake_qp_free(struct siw_qp *qp);

#endif
