/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * either_header DEVICE GID_INDEX - the walk of either_header.h, as C, and then
 * code that only C allows: designated initializers, in any order.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "either_header.h"

static const struct ibv_send_wr in_any_order = {
	.send_flags = IBV_SEND_INLINE,
	.wr.atomic = { .rkey = 4, .compare_add = 2 },
	.imm_data = 9,
	.opcode = IBV_WR_SEND_WITH_IMM,
};

static void say_offsets(void)
{
	printf("send request: %u %u %u, %u\n",
	       (unsigned)offsetof(struct ibv_send_wr, imm_data),
	       (unsigned)offsetof(struct ibv_send_wr, wr.ud.ah),
	       (unsigned)sizeof(struct ibv_send_wr),
	       in_any_order.invalidate_rkey);
}

int main(int argc, char **argv)
{
	struct walk w = {};

	if (argc != 3)
		return 2;
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	w.gid_index = atoi(argv[2]);
	open_device(&w, argv[1]);
	for (size_t i = 0; i < NR_WALK_STEPS && !w.failed; i++)
		walk_steps[i](&w);
	say_offsets();
	return w.failed != 0;
}
