/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sending a command to the kernel. Three forms exist: the native ioctl, a
 * write command carried by an ioctl, and write(2).
 *
 * A command with two forms tries submit_ioctl() and, when that returns
 * SUBMIT_NOT_OFFERED, submit_write(). What was refused once is not tried
 * again on that context.
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
 * This kernel has no such form. Nothing has happened, another form may be
 * tried. The kernel uses the same number for nothing else.
 */
#define SUBMIT_NOT_OFFERED (-EPROTONOSUPPORT)

/*
 * For functions that send an older form of a command, or deal with a failure:
 * compiled apart, so that they cost nothing where they are not needed.
 */
#define SUBMIT_SLOW_PATH __attribute__((cold, noinline))

/*
 * A command of the older protocol, IB_USER_VERBS_CMD_*, without its header.
 * The structs are those of <rdma/ib_user_verbs.h>; if the request begins with
 * a member "response", it is filled on the way.
 */
struct write_cmd {
	uint32_t command;  /* with IB_USER_VERBS_CMD_FLAG_EXTENDED if it is */
	const void *in;	   /* the request */
	size_t in_len;	   /* bytes; a multiple of 4, extended: of 8 */
	void *out;	   /* the response, zeroed */
	size_t out_len;	   /* the same multiple; 0 if there is no response */
	bool out_on_error; /* the response says more of a failure */
	const struct verbs_udata *udata; /* or NULL */
};

/**
 * submit_ioctl() - send a native ioctl
 *
 * Outputs are defined only if this succeeds.
 *
 * Context: any thread; blocks as long as the kernel does.
 * Return: 0; SUBMIT_NOT_OFFERED; -EINVAL or -E2BIG if the command could not be
 * built; -EPROTO if the kernel's answer makes no sense; or the kernel's error.
 */
int submit_ioctl(struct ibv_context *ctx, struct cmd *cmd);

/** submit_ioctl_only() - submit_ioctl() for what has no other form: -EOPNOTSUPP
 * then */
int submit_ioctl_only(struct ibv_context *ctx, struct cmd *cmd);

/**
 * submit_ioctl_raw() - send an ioctl that somebody else built
 * @hdr: complete but for driver_id, which is filled; the kernel changes it
 *
 * Nothing is decided or learned.
 *
 * Return: 0 or the kernel's error.
 */
int submit_ioctl_raw(const struct ibv_context *ctx,
		     struct ib_uverbs_ioctl_hdr *hdr);

/**
 * submit_write() - send a write command, in an ioctl or by write(2)
 *
 * Attributes of the driver's own are left out, which it must allow.
 *
 * Return: 0; -EOPNOTSUPP if this context takes neither, or the driver wants a
 * native ioctl; -EMSGSIZE if request or response are too long; -EPROTO if not
 * all of it was taken; or the kernel's error.
 */
int submit_write(struct ibv_context *ctx, const struct write_cmd *req);

/** submit_wrapped() - the first half of submit_write(); may be not offered */
int submit_invoke_write(struct ibv_context *ctx, const struct write_cmd *req);

/**
 * submit_raw() - one write(2) of a complete request, header included
 *
 * For the data path: nothing is decided, copied or learned, and errno is not
 * kept.
 *
 * Return: 0, -EPROTO after a short write, or the kernel's error.
 */
int submit_write_raw(const struct ibv_context *ctx, const void *request,
		     size_t len);

#endif
