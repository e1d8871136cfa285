/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fake of the only command of kernel/ that the adapters call. It has a file of
 * its own, because some tests have a different fake.
 */
#include <provider/kernel.h>

#include "libibverbs/foreign/adapt_fixture.h"

int verbs_cmd_query_port_speed(struct ibv_context *ctx, uint32_t port_num,
			       uint64_t *ret_speed)
{
	ADAPT_RECORD("kernel query_port_speed", ADAPT_PTR(ctx), port_num);
	if (adapt.ret)
		return -adapt.ret;
	*ret_speed = 4000;
	return 0;
}
