// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ibv_uc_pingpong: exchanges messages over an unreliable connection (UC). */
#include "tools/pingpong.h"

int main(int argc, char **argv)
{
	static const struct pp_kind kind = {
		.name = "ibv_uc_pingpong",
		.purpose = "Exchange messages over an unreliable connection "
			   "(UC).\n"
			   "Without HOST, wait for a client; with HOST, "
			   "connect to that server.",
		.letters = "pdismrnlegc",
		.type = IBV_QPT_UC,
		.nr_addresses = 1,
		.size = 4096,
	};

	return pp_main(&kind, argc, argv);
}
