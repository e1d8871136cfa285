/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From the buffers of a foreign provider to struct verbs_udata. A provider
 * hands in a request and a response as the older protocol has them, each the
 * core's struct with its own bytes behind it; and, for some commands, a chain
 * of command buffers with attributes of its own.
 *
 * The core's part of a request is never read and never written: the commands
 * of kernel/ build their own.
 */
#ifndef FOREIGN_FOREIGN_UDATA_H
#define FOREIGN_FOREIGN_UDATA_H

#include <provider/kernel.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stddef.h>

#include "foreign/foreign_abi.h"
#include "kernel/cmd.h"

/* Bytes of a request in front of the driver's: header and core. */
#define FOREIGN_CMD_LEN(core) \
	(sizeof(struct ib_uverbs_cmd_hdr) + sizeof(struct core))
/* The same of an extended command. */
#define FOREIGN_EX_CMD_LEN(core) \
	(FOREIGN_CMD_LEN(core) + sizeof(struct ib_uverbs_ex_cmd_hdr))

/*
 * Members of a chain; a longer one is a ring. Providers link one buffer, their
 * compilers' inline functions at most two.
 */
#define FOREIGN_MAX_LINKS 16

/**
 * foreign_udata_init() - what is behind the core's part of two buffers
 * @cmd: request, or NULL for none
 * @cmd_size: bytes at @cmd
 * @cmd_core: of these, header and core: FOREIGN_CMD_LEN()
 * @resp, @resp_size: the same for the response
 * @resp_core: size of the core's response
 * @ret_udata: points into the buffers
 *
 * Return: 0; -EINVAL if a buffer is smaller than the core's part.
 */
int foreign_udata_init(const void *cmd, size_t cmd_size, size_t cmd_core,
		       void *resp, size_t resp_size, size_t resp_core,
		       struct verbs_udata *ret_udata);

/*
 * Whether a method has input and output for the driver that are not among its
 * attributes. The numbers of these two are, in a method that does not, those of
 * the first attributes of a driver's own.
 */
enum foreign_method {
	FOREIGN_METHOD_WITH_UHW,    /* UVERBS_ATTR_UHW_IN, _OUT */
	FOREIGN_METHOD_WITHOUT_UHW, /* such as allocating device memory */
};

/* The attributes of a chain, in one piece. */
struct foreign_link {
	struct foreign_command_buffer *first;
	enum foreign_method method;
	struct ib_uverbs_attr attrs[CMD_MAX_ATTRS];
};

/**
 * foreign_link_collect() - add a chain of command buffers to a command
 * @first: NULL: no chain
 * @method: of the command
 * @link: memory for the attributes; they are valid as long as it is
 * @udata: gets them as its attributes. With UHW, driver bytes among them become
 *	its input and output.
 *
 * Return: 0; -EINVAL for buffers that make no sense, that could not be filled
 * by their owner, or that bring driver bytes which @udata has already; -E2BIG
 * for too many attributes.
 */
int foreign_link_collect(struct foreign_command_buffer *first,
			 enum foreign_method method, struct foreign_link *link,
			 struct verbs_udata *udata);

/**
 * foreign_link_write_back() - let the owners of a chain see what changed
 * @link: of foreign_link_collect(); the command has succeeded
 */
void foreign_link_write_back(const struct foreign_link *link);

/**
 * foreign_buffer_count() - attributes of one command buffer, as filled so far
 *
 * Return: -EINVAL if its pointers make no sense.
 */
long foreign_buffer_count(const struct foreign_command_buffer *buf);

#endif
