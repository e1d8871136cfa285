/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce_expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct uroce_send_wqe request(const struct pair *pair, uint64_t wr_id,
			      enum ibv_wr_opcode opcode)
{
	return (struct uroce_send_wqe){
		.wr_id = wr_id,
		.opcode = (uint8_t)opcode,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 1,
		.remote = { .va = PAIR_IOVA + TARGET,
			    .rkey = pair->side[1].key },
	};
}

void post(struct pair *pair, uint64_t wr_id, enum ibv_wr_opcode opcode,
	  uint32_t length)
{
	struct uroce_send_wqe wqe = request(pair, wr_id, opcode);
	struct ibv_sge sge = pair_sge(pair, 0, 0, length);

	pair_post(pair, 0, &wqe, &sge);
}

void post_recv(struct pair *pair, uint64_t wr_id, uint32_t length)
{
	struct ibv_sge sge = pair_sge(pair, 1, TARGET, length);

	pair_post_recv(pair, 1, wr_id, &sge, 1);
}

void expect(struct uroce_cq *cq, uint64_t wr_id, enum ibv_wc_status status)
{
	struct uroce_cqe cqe;

	assert_true(pair_poll(cq, &cqe));
	assert_int_equal(cqe.wr_id, wr_id);
	assert_int_equal(cqe.status, status);
}

void expect_none(struct uroce_cq *cq)
{
	struct uroce_cqe cqe;

	assert_false(pair_poll(cq, &cqe));
}

void expect_events(struct pair *pair, unsigned int side, uint32_t events)
{
	struct uroce_qp *qp = uroce_core_take_qp(&pair->side[side].engine.core);

	if (!events) {
		assert_null(qp);
		return;
	}
	assert_ptr_equal(qp, pair->side[side].qp);
	assert_int_equal(qp->events, events);
	qp->events = 0;
}

void expect_state(const struct pair *pair, unsigned int side,
		  enum ibv_qp_state state)
{
	assert_int_equal(uroce_qp_state(pair->side[side].qp), state);
}
