/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An open device of the fake provider for a program of libibverbs 1.0.
 * compat/, api/ and core/ are real; the floors below are fakes.
 */
#ifndef COMPAT_TEST_COMPAT_FIXTURE_H
#define COMPAT_TEST_COMPAT_FIXTURE_H

#include "compat/compat_1_0.h"
#include "libibverbs/api/api_fixture.h"

struct compat {
	struct ibv_device_1_0 **list;
	struct ibv_context_1_0 *ctx; /* of "soft0" */
	struct ibv_pd_1_0 *pd;
};

extern struct compat compat;

/**
 * compat_open() - setup of a test: the only device, "soft0", is open, with a
 * PD
 */
int compat_open(void **state);

/** compat_close() - teardown: close everything; a leak fails the test */
int compat_close(void **state);

/** compat_create_cq() - create a CQ without a channel */
struct ibv_cq_1_0 *compat_create_cq(void *cq_context);

/** compat_create_qp() - create a QP with that CQ for both directions */
struct ibv_qp_1_0 *compat_create_qp(struct ibv_cq_1_0 *cq,
				    struct ibv_srq_1_0 *srq,
				    enum ibv_qp_type type, void *qp_context);

/** compat_create_srq() - create an SRQ */
struct ibv_srq_1_0 *compat_create_srq(void *srq_context);

#define COMPAT_TEST(name) \
	cmocka_unit_test_setup_teardown(name, compat_open, compat_close)

#endif
