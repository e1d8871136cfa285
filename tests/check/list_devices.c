/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints the name of each RDMA device, one on a line. On a machine without RDMA
 * ibv_get_device_list() fails with ENOSYS, and the program succeeds.
 * install_tree and tests/musl/run_musl link it in every possible way; the
 * kernel lane runs it.
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
