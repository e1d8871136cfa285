/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups: see ucm_cmd.h. Calls ucm_submit.c and ucm_sockaddr.c. */
#include "kernel/ucm_cmd.h"

#include <rdma/rdma_cma_abi.h>

#include "kernel/ucm_sockaddr.h"
#include "kernel/ucm_submit.h"

int ucm_cmd_join_mcast(int fd, uint32_t id, uint64_t uid,
		       const struct sockaddr *addr, uint16_t flags,
		       uint32_t *ret_member)
{
	uint32_t response = UCM_NOT_WRITTEN;
	struct ucma_abi_join_mcast command = {
		.response = ucm_address(&response),
		.uid = uid,
		.id = id,
		.join_flags = flags,
	};
	int ret = ucm_sockaddr_put(addr, &command.addr, &command.addr_size);

	return ret ? ret
		   : ucm_submit_u32(fd, UCMA_CMD_JOIN_MCAST, &command,
				    sizeof(command), &response, ret_member);
}

/* The command has the layout of DESTROY_ID. */
int ucm_cmd_leave_mcast(int fd, uint32_t member, uint32_t *ret_nr_events)
{
	uint32_t response = UCM_NOT_WRITTEN;
	struct ucma_abi_destroy_id command = {
		.response = ucm_address(&response),
		.id = member,
	};

	return ucm_submit_u32(fd, UCMA_CMD_LEAVE_MCAST, &command,
			      sizeof(command), &response, ret_nr_events);
}
