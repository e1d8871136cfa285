/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends commands to the kernel. A command is a struct ucma_abi_* of
 * <rdma/rdma_cma_abi.h>. The kernel stores its response at the address in the
 * command and does not report its length, so the caller fills the response with
 * values that no complete response contains.
 */
#ifndef KERNEL_UCM_SUBMIT_H
#define KERNEL_UCM_SUBMIT_H

#include <stddef.h>
#include <stdint.h>

/* In a response: the kernel has not written the member. */
#define UCM_NOT_WRITTEN UINT32_MAX

/* The address of a response as a member of a command. */
static inline uint64_t ucm_address(const void *response)
{
	return (uintptr_t)response;
}

/**
 * ucm_submit() - send a command
 * @fd: descriptor of ucm_node_open()
 * @number: UCMA_CMD_*
 * @command: begins with a header, which this function fills
 * @len: bytes at @command, with the header
 * @response_len: bytes at the address in @command; 0: there is no response
 *
 * Leaves errno unchanged.
 *
 * Return: 0; -ENODATA if the kernel took a part of the command; or its -errno.
 */
int ucm_submit(int fd, uint32_t number, void *command, size_t len,
	       size_t response_len);

/**
 * ucm_submit_u32() - send a command whose response is one number of 32 bits
 * @response: at the address in @command; UCM_NOT_WRITTEN
 * @ret_value: unchanged after a failure
 *
 * Return: also -EPROTO if the kernel has not written the response.
 */
int ucm_submit_u32(int fd, uint32_t number, void *command, size_t len,
		   const uint32_t *response, uint32_t *ret_value);

#endif
