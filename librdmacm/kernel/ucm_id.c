/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of ids: see ucm_cmd.h. Calls ucm_submit.c. */
#include "kernel/ucm_cmd.h"

#include <assert.h>
#include <errno.h>
#include <rdma/rdma_cma_abi.h>

#include "kernel/ucm_submit.h"

static_assert(sizeof(struct ucma_abi_create_id_resp) == sizeof(uint32_t) &&
		      sizeof(struct ucma_abi_destroy_id_resp) ==
			      sizeof(uint32_t) &&
		      sizeof(struct ucma_abi_migrate_resp) == sizeof(uint32_t),
	      "responses of one number");

int ucm_cmd_create_id(int fd, uint64_t uid, enum rdma_port_space ps,
		      enum ibv_qp_type qp_type, uint32_t *ret_id)
{
	uint32_t response = UCM_NOT_WRITTEN;
	struct ucma_abi_create_id command = {
		.uid = uid,
		.response = ucm_address(&response),
		.ps = (uint16_t)ps,
		.qp_type = (uint8_t)qp_type,
	};

	return ucm_submit_u32(fd, UCMA_CMD_CREATE_ID, &command, sizeof(command),
			      &response, ret_id);
}

int ucm_cmd_destroy_id(int fd, uint32_t id, uint32_t *ret_nr_events)
{
	uint32_t response = UCM_NOT_WRITTEN;
	struct ucma_abi_destroy_id command = {
		.response = ucm_address(&response),
		.id = id,
	};

	return ucm_submit_u32(fd, UCMA_CMD_DESTROY_ID, &command,
			      sizeof(command), &response, ret_nr_events);
}

int ucm_cmd_migrate_id(int to_fd, uint32_t id, int from_fd,
		       uint32_t *ret_nr_events)
{
	uint32_t response = UCM_NOT_WRITTEN;
	struct ucma_abi_migrate_id command = {
		.response = ucm_address(&response),
		.id = id,
		.fd = (uint32_t)from_fd,
	};

	return ucm_submit_u32(to_fd, UCMA_CMD_MIGRATE_ID, &command,
			      sizeof(command), &response, ret_nr_events);
}

int ucm_cmd_set_option(int fd, uint32_t id, int level, int name,
		       const void *value, size_t len)
{
	struct ucma_abi_set_option command = {
		.optval = ucm_address(value),
		.id = id,
		.level = (uint32_t)level,
		.optname = (uint32_t)name,
		.optlen = (uint32_t)len,
	};

	if (len > UINT32_MAX)
		return -EINVAL;
	return ucm_submit(fd, UCMA_CMD_SET_OPTION, &command, sizeof(command),
			  0);
}

int ucm_cmd_notify(int fd, uint32_t id, enum ibv_event_type event)
{
	struct ucma_abi_notify command = {
		.id = id,
		.event = (uint32_t)event,
	};

	return ucm_submit(fd, UCMA_CMD_NOTIFY, &command, sizeof(command), 0);
}
