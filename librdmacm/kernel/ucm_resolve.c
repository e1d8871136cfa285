/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands of addresses, routes and services: see ucm_cmd.h. Calls ucm_submit.c
 * and ucm_sockaddr.c.
 */
#include "kernel/ucm_cmd.h"

#include <errno.h>
#include <rdma/rdma_cma_abi.h>
#include <string.h>

#include "kernel/ucm_sockaddr.h"
#include "kernel/ucm_submit.h"

int ucm_cmd_bind(int fd, uint32_t id, const struct sockaddr *addr)
{
	struct ucma_abi_bind command = { .id = id };
	int ret = ucm_sockaddr_put(addr, &command.addr, &command.addr_size);

	if (ret)
		return ret;
	return ucm_submit(fd, UCMA_CMD_BIND, &command, sizeof(command), 0);
}

int ucm_cmd_resolve_addr(int fd, uint32_t id, const struct sockaddr *src,
			 const struct sockaddr *dst, int timeout_ms)
{
	struct ucma_abi_resolve_addr command = {
		.id = id,
		.timeout_ms = (uint32_t)timeout_ms,
	};
	int ret = 0;

	if (src)
		ret = ucm_sockaddr_put(src, &command.src_addr,
				       &command.src_size);
	if (!ret)
		ret = ucm_sockaddr_put(dst, &command.dst_addr,
				       &command.dst_size);
	if (ret)
		return ret;
	return ucm_submit(fd, UCMA_CMD_RESOLVE_ADDR, &command, sizeof(command),
			  0);
}

int ucm_cmd_resolve_route(int fd, uint32_t id, int timeout_ms)
{
	struct ucma_abi_resolve_route command = {
		.id = id,
		.timeout_ms = (uint32_t)timeout_ms,
	};

	return ucm_submit(fd, UCMA_CMD_RESOLVE_ROUTE, &command, sizeof(command),
			  0);
}

/*
 * Not struct ucma_abi_resolve_ib_service: some machines align its last member
 * to 4 bytes, the kernel on all to 8.
 */
struct resolve_service_command {
	struct ucma_abi_cmd_hdr header;
	uint32_t id;
	uint32_t reserved;
	struct ucma_abi_ib_service service;
};

int ucm_cmd_resolve_service_id(int fd, uint32_t id, uint64_t service_id)
{
	struct resolve_service_command command = {
		.id = id,
		.service.service_id = service_id,
		.service.flags = UCMA_IB_SERVICE_FLAG_ID,
	};

	return ucm_submit(fd, UCMA_CMD_RESOLVE_IB_SERVICE, &command,
			  sizeof(command), 0);
}

int ucm_cmd_resolve_service_name(int fd, uint32_t id, const char *name)
{
	struct resolve_service_command command = {
		.id = id,
		.service.flags = UCMA_IB_SERVICE_FLAG_NAME,
	};
	size_t len = strnlen(name, UCMA_IB_SERVICE_NAME_SIZE);

	if (len == UCMA_IB_SERVICE_NAME_SIZE)
		return -EINVAL;
	memcpy(command.service.service_name, name, len);
	return ucm_submit(fd, UCMA_CMD_RESOLVE_IB_SERVICE, &command,
			  sizeof(command), 0);
}
