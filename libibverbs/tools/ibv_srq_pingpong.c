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
		.purpose =
			"Sends messages back and forth over several reliable "
			"connections that share\na receive queue "
			"(SRQ).\nWithout HOST it waits for "
			"the other side, with HOST it connects to it.",
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
