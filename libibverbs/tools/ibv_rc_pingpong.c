// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ibv_rc_pingpong: exchanges messages over a reliable connection (RC). */
#include "tools/pingpong.h"

int main(int argc, char **argv)
{
	static const struct pp_kind kind = {
		.name = "ibv_rc_pingpong",
		.purpose =
			"Exchange messages over a reliable connection (RC).\n"
			"Without HOST, wait for a client; with HOST, connect "
			"to that server.",
		.letters = "pdismrnlegoOPtcjN",
		.type = IBV_QPT_RC,
		.nr_addresses = 1,
		.odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV,
		.size = 4096,
	};

	return pp_main(&kind, argc, argv);
}
