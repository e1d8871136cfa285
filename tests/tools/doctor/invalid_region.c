/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program that registers memory with an invalid combination of access flags,
 * for doctor_program_test.py. Exit status 1, as the registration fails.
 */
#include <infiniband/verbs.h>

int main(void)
{
	static char memory[64];
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && *list ? ibv_open_device(*list) : NULL;
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	struct ibv_mr *mr;

	if (!pd)
		return 2;
	mr = ibv_reg_mr(pd, memory, sizeof(memory), IBV_ACCESS_REMOTE_WRITE);
	if (mr)
		(void)ibv_dereg_mr(mr);
	(void)ibv_dealloc_pd(pd);
	(void)ibv_close_device(ctx);
	ibv_free_device_list(list);
	return mr ? 0 : 1;
}
