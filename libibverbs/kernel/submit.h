/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends a command to the kernel in one of three forms: as an ioctl method, as a
 * write command inside the ioctl method INVOKE_WRITE, or as a write command by
 * write(2).
 *
 * A command that exists as method and as write command calls submit_ioctl()
 * and, if that returns SUBMIT_NOT_OFFERED, submit_write(). A form that the
 * kernel refused is not tried again on the same context.
 */
#ifndef KERNEL_SUBMIT_H
#define KERNEL_SUBMIT_H

#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cmd.h"

/*
 * This kernel does not support the form and has not executed the command; the
 * caller may try another form. The kernel uses EPROTONOSUPPORT for nothing
 * else.
 */
#define SUBMIT_NOT_OFFERED (-EPROTONOSUPPORT)

/*
 * Marks functions that send an older form of a command or handle a failure, so
 * that the compiler keeps them out of the fast path.
 */
#define SUBMIT_SLOW_PATH __attribute__((cold, noinline))

/*
 * A write command, IB_USER_VERBS_CMD_*, without its header. Request and
 * response are structs of <rdma/ib_user_verbs.h>. If the request begins with a
 * member "response", the code that sends it sets this member.
 */
struct write_cmd {
	uint32_t command; /* with IB_USER_VERBS_CMD_FLAG_EXTENDED if extended */
	const void *in;	  /* the request */
	size_t in_len;	  /* bytes; a multiple of 4, extended: of 8 */
	void *out;	  /* the response, zeroed */
	size_t out_len;	  /* same multiple; 0 if there is no response */
	bool out_on_error; /* copy the response also after a failure */
	const struct verbs_udata *udata; /* or NULL */
};

/* Members of struct write_cmd for a request and a response that are structs. */
#define WRITE_IN(request)   .in = &(request), .in_len = sizeof(request)
#define WRITE_OUT(response) .out = &(response), .out_len = sizeof(response)

/**
 * submit_ioctl() - call an ioctl method
 *
 * Outputs are defined only after success.
 *
 * Context: any thread; blocks as long as the kernel does.
 * Return: 0; SUBMIT_NOT_OFFERED; -EINVAL or -E2BIG if the command could not be
 * built; -EPROTO if the kernel's response is invalid; or the kernel's error.
 */
int submit_ioctl(struct ibv_context *ctx, struct cmd *cmd);

/**
 * submit_ioctl_only() - call an ioctl method that has no other form
 *
 * Return: -EOPNOTSUPP if the kernel does not support the method; otherwise like
 * submit_ioctl().
 */
int submit_ioctl_only(struct ibv_context *ctx, struct cmd *cmd);

/**
 * submit_ioctl_raw() - send an ioctl message that a driver built
 * @hdr: complete message except driver_id, which this function sets; the kernel
 *	writes into the message
 *
 * Does not use or update the capabilities of the context.
 *
 * Return: 0 or the kernel's error.
 */
int submit_ioctl_raw(const struct ibv_context *ctx,
		     struct ib_uverbs_ioctl_hdr *hdr);

/**
 * submit_write() - send a write command, by INVOKE_WRITE or by write(2)
 *
 * Write commands cannot carry driver-specific attributes. Optional ones are
 * left out; mandatory ones are an error.
 *
 * Return: 0; -EOPNOTSUPP if neither form is available on this context, or the
 * driver requires an ioctl method; -EMSGSIZE if request or response are too
 * long; -EPROTO after a short write; or the kernel's error.
 */
int submit_write(struct ibv_context *ctx, const struct write_cmd *req);

/**
 * submit_write_ex() - send an extended write command
 *
 * Return: like submit_write(), but -EOPNOTSUPP instead of -ENOSYS, which
 * kernels return that are older than the command.
 */
int submit_write_ex(struct ibv_context *ctx, const struct write_cmd *req);

/**
 * submit_invoke_write() - send a write command by INVOKE_WRITE only
 *
 * Return: SUBMIT_NOT_OFFERED if the kernel does not support the method;
 * otherwise like submit_write().
 */
int submit_invoke_write(struct ibv_context *ctx, const struct write_cmd *req);

/**
 * submit_write_raw() - send a complete request, header included, by write(2)
 *
 * For the data path: does not check or update the capabilities of the context,
 * copies nothing, and may change errno.
 *
 * Return: 0, -EPROTO after a short write, or the kernel's error.
 */
int submit_write_raw(const struct ibv_context *ctx, const void *request,
		     size_t len);

#endif
