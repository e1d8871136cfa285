/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends commands to the kernel. All write() calls on descriptors of the node
 * are in this file. Called by the files with commands.
 */
#include "kernel/ucm_submit.h"

#include <assert.h>
#include <errno.h>
#include <rdma/rdma_cma_abi.h>
#include <string.h>
#include <unistd.h>

int ucm_submit(int fd, uint32_t number, void *command, size_t len,
	       size_t response_len)
{
	struct ucma_abi_cmd_hdr header = { .cmd = number };
	int saved_errno = errno;
	ssize_t done;
	int ret;

	assert(len >= sizeof(header) && len <= UINT16_MAX &&
	       response_len <= UINT16_MAX);
	header.in = (uint16_t)(len - sizeof(header));
	header.out = (uint16_t)response_len;
	memcpy(command, &header, sizeof(header));
	done = write(fd, command, len);
	if (done >= 0)
		return (size_t)done == len ? 0 : -ENODATA;
	ret = -errno;
	errno = saved_errno;
	return ret;
}

int ucm_submit_u32(int fd, uint32_t number, void *command, size_t len,
		   const uint32_t *response, uint32_t *ret_value)
{
	int ret = ucm_submit(fd, number, command, len, sizeof(*response));

	if (ret)
		return ret;
	if (*response == UCM_NOT_WRITTEN)
		return -EPROTO;
	*ret_value = *response;
	return 0;
}
