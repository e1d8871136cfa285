// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ibv_uc_pingpong: exchanges messages over an unreliable connection (UC). */
#include "tools/pingpong.h"

int main(int argc, char **argv)
{
	static const struct pp_kind kind = {
		.name = "ibv_uc_pingpong",
		.purpose = "Sends messages back and forth over an unreliable "
			   "connection (UC).\nWithout HOST it waits for "
			   "the other side, with HOST it connects to it.",
		.letters = "pdismrnlegc",
		.type = IBV_QPT_UC,
		.nr_addresses = 1,
		.size = 4096,
	};

	return pp_main(&kind, argc, argv);
}
