// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ibv_ud_pingpong: exchanges unreliable datagrams (UD). */
#include "tools/pingpong.h"

int main(int argc, char **argv)
{
	static const struct pp_kind kind = {
		.name = "ibv_ud_pingpong",
		.purpose = "Exchange messages as unreliable datagrams (UD).\n"
			   "Without HOST, wait for a client; with HOST, "
			   "connect to that server.",
		.letters = "pdisrnlegc",
		.type = IBV_QPT_UD,
		.nr_addresses = 1,
		.size = 1024,
	};

	return pp_main(&kind, argc, argv);
}
