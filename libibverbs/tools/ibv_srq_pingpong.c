// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ibv_srq_pingpong: exchanges messages over several reliable connections that
 * use one shared receive queue (SRQ).
 */
#include "tools/pingpong.h"

int main(int argc, char **argv)
{
	static const struct pp_kind kind = {
		.name = "ibv_srq_pingpong",
		.purpose = "Exchange messages over several reliable "
			   "connections with one shared\n"
			   "receive queue (SRQ).\n"
			   "Without HOST, wait for a client; with HOST, "
			   "connect to that server.",
		.letters = "pdismqrnlegoc",
		.type = IBV_QPT_RC,
		.srq = true,
		.nr_addresses = PP_SRQ_ADDRESSES,
		.odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
			    IBV_ODP_SUPPORT_SRQ_RECV,
		.size = 4096,
	};

	return pp_main(&kind, argc, argv);
}
