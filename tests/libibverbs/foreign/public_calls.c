/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fakes of the api/ functions that foreign/ calls. */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"

void verbs_fill_abi_tables(struct ibv_context *ctx)
{
}

const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND ? "send" : "another";
}
