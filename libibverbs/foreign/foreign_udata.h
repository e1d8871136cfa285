/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converts the buffers of a foreign provider to struct verbs_udata. A provider
 * passes a request and a response in the format of the write commands: the core
 * struct, followed by the data of its driver. Some commands take a chain of
 * command buffers with attributes of the driver, too.
 *
 * The core struct of a request is neither read nor written: the commands of
 * kernel/ build their own.
 */
#ifndef FOREIGN_FOREIGN_UDATA_H
#define FOREIGN_FOREIGN_UDATA_H

#include <provider/kernel.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stddef.h>

#include "foreign/foreign_abi.h"
#include "kernel/cmd.h"

/* Bytes of a request in front of the driver data: header and core struct. */
#define FOREIGN_CMD_LEN(core) \
	(sizeof(struct ib_uverbs_cmd_hdr) + sizeof(struct core))
/* The same for an extended command. */
#define FOREIGN_EX_CMD_LEN(core) \
	(FOREIGN_CMD_LEN(core) + sizeof(struct ib_uverbs_ex_cmd_hdr))

/*
 * Maximum number of buffers in a chain; a longer chain is taken for a cycle.
 * Providers link one buffer, inline functions of rdma-core headers at most two.
 */
#define FOREIGN_MAX_LINKS 16

/**
 * foreign_udata_init() - find the driver data in a request and a response
 * @cmd: request, or NULL for none
 * @cmd_size: bytes at @cmd
 * @cmd_core: bytes of the header and the core struct: FOREIGN_CMD_LEN()
 * @resp: response, or NULL for none
 * @resp_size: bytes at @resp
 * @resp_core: bytes of the core struct of the response
 * @ret_udata: points into the buffers
 *
 * Return: 0; -EINVAL if a buffer is smaller than its core part.
 */
int foreign_udata_init(const void *cmd, size_t cmd_size, size_t cmd_core,
		       void *resp, size_t resp_size, size_t resp_core,
		       struct verbs_udata *ret_udata);

/*
 * Whether a method has driver input and output in the attributes
 * UVERBS_ATTR_UHW_IN and UVERBS_ATTR_UHW_OUT. In a method that does not, the
 * same attribute numbers belong to the first attributes of the driver.
 */
enum foreign_method {
	FOREIGN_METHOD_WITH_UHW,    /* UVERBS_ATTR_UHW_IN, _OUT */
	FOREIGN_METHOD_WITHOUT_UHW, /* e.g. allocation of device memory */
};

/* The attributes of a chain in one array. */
struct foreign_link {
	struct foreign_command_buffer *first;
	enum foreign_method method;
	struct ib_uverbs_attr attrs[CMD_MAX_ATTRS];
};

/**
 * foreign_link_collect() - add the attributes of a chain to a command
 * @first: first buffer; NULL for no chain
 * @method: kind of the method
 * @link: memory for the attributes; must live as long as @udata
 * @udata: its attributes are set. With UHW, driver data in the chain becomes
 *	its input and output.
 *
 * Return: 0; -EINVAL if a buffer is invalid, is marked with an error, or has
 * driver data that @udata has already; -E2BIG for too many attributes.
 */
int foreign_link_collect(struct foreign_command_buffer *first,
			 enum foreign_method method, struct foreign_link *link,
			 struct verbs_udata *udata);

/**
 * foreign_link_write_back() - write changed attributes back to the chain
 * @link: from foreign_link_collect(); the command must have succeeded
 */
void foreign_link_write_back(const struct foreign_link *link);

/**
 * foreign_buffer_count() - count the attributes of one command buffer
 *
 * Return: the number of attributes filled so far; -EINVAL if the pointers of
 * the buffer are invalid.
 */
long foreign_buffer_count(const struct foreign_command_buffer *buf);

#endif
