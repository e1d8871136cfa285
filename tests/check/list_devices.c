/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program does first: it lists the devices, one name a line. On a
 * machine without RDMA the library says so by ENOSYS, which is no failure here.
 * Built in every way a program can be linked, by install_tree and
 * tests/musl/run_musl, and run in the kernel lane.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>

int main(void)
{
	int count = -1;
	struct ibv_device **list = ibv_get_device_list(&count);

	if (!list)
		return count == 0 && errno == ENOSYS ? 0 : 1;
	for (int i = 0; i < count; i++)
		printf("%s\n", ibv_get_device_name(list[i]));
	ibv_free_device_list(list);
	return 0;
}
