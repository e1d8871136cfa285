/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_fixture.h. */
#include <stdlib.h>

#include "libibverbs/layers/fault_fixture.h"

void fault_use(const char *settings)
{
	assert_int_equal(setenv("VERBS_LAYERS", "fault", 1), 0);
	assert_int_equal(setenv("VERBS_FAULT", settings, 1), 0);
	explain_capture_start();
}

void fault_start(const char *settings)
{
	void *unused;

	fault_use(settings);
	(void)fixture_setup(&unused);
}

void fault_stop(void)
{
	void *unused;

	(void)fixture_teardown(&unused);
}

void assert_log(const char *text)
{
	assert_string_equal(explain_capture_take(), text);
}

int fault_post(struct ibv_qp *qp, uint64_t wr_id)
{
	const struct ibv_send_wr wr = { .wr_id = wr_id, .opcode = IBV_WR_SEND };

	return fixture_post(qp, wr, fixture.memory, 0);
}

int fault_post_recv(struct ibv_qp *qp, uint64_t wr_id)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id }, *bad = NULL;
	int ret = ibv_post_recv(qp, &wr, &bad);

	if (ret)
		assert_ptr_equal(bad, &wr);
	return ret;
}
