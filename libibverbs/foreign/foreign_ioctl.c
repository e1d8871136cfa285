/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Methods that only one driver has. Foreign providers build such a command in a
 * command buffer; execute_ioctl() completes and sends it. Calls
 * kernel/submit.c.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <string.h>

#include "foreign/foreign_abi.h"
#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"
#include "kernel/submit.h"

/* Attributes that fit into the 16-bit length of the header. */
#define MAX_ATTRS                                            \
	((UINT16_MAX - sizeof(struct ib_uverbs_ioctl_hdr)) / \
	 sizeof(struct ib_uverbs_attr))

/*
 * Providers allocate an array of this length, so the result is never too small.
 * Invalid chains are rejected by foreign_execute_ioctl().
 */
unsigned int foreign_final_num_attrs(unsigned int num_attrs,
				     struct foreign_command_buffer *link)
{
	for (int i = 0; link && i < FOREIGN_MAX_LINKS; i++, link = link->next) {
		long count = foreign_buffer_count(link);

		if (count > 0)
			num_attrs += (unsigned int)count;
	}
	return num_attrs;
}
FOREIGN_EXPORT_ALL(foreign_final_num_attrs, __ioctl_final_num_attrs)

/* Copy the attributes of the linked buffers behind those of @cmd. */
static int foreign_ioctl_gather_attrs(struct foreign_command_buffer *cmd)
{
	const struct foreign_command_buffer *link = cmd->next;
	struct ib_uverbs_attr *end = cmd->next_attr;
	long count = foreign_buffer_count(cmd);

	if (cmd->buffer_error || count < 0)
		return -EINVAL;
	for (int i = 0; link; i++, link = link->next) {
		long more = foreign_buffer_count(link);

		if (i == FOREIGN_MAX_LINKS || link->buffer_error || more < 0 ||
		    link->hdr.object_id != cmd->hdr.object_id ||
		    link->hdr.method_id != cmd->hdr.method_id ||
		    more > cmd->last_attr - end)
			return -EINVAL;
		memcpy(end, link->hdr.attrs,
		       (size_t)more * sizeof(struct ib_uverbs_attr));
		end += more;
		count += more;
	}
	if ((size_t)count > MAX_ATTRS)
		return -EINVAL;

	cmd->hdr.num_attrs = (uint16_t)count;
	cmd->hdr.length =
		(uint16_t)(sizeof(cmd->hdr) +
			   (size_t)count * sizeof(struct ib_uverbs_attr));
	cmd->hdr.reserved1 = 0;
	cmd->hdr.reserved2 = 0;
	return 0;
}

/*
 * Copy the attributes, which the kernel has changed, back to the linked
 * buffers.
 */
static void
foreign_ioctl_scatter_attrs(const struct foreign_command_buffer *cmd)
{
	const struct ib_uverbs_attr *pos = cmd->next_attr;

	for (struct foreign_command_buffer *link = cmd->next; link;
	     link = link->next) {
		long count = foreign_buffer_count(link);

		memcpy(link->hdr.attrs, pos,
		       (size_t)count * sizeof(struct ib_uverbs_attr));
		pos += count;
	}
}

/*
 * Driver input of up to 8 bytes, which the provider passes as an address
 * although the kernel expects the value in the attribute; NULL if there is
 * none.
 */
static struct ib_uverbs_attr *
foreign_ioctl_short_input(struct foreign_command_buffer *cmd)
{
	struct ib_uverbs_attr *attr;

	if (cmd->uhw_in_idx >= foreign_buffer_count(cmd))
		return NULL;
	attr = &cmd->hdr.attrs[cmd->uhw_in_idx];
	return attr->len && attr->len <= sizeof(attr->data) ? attr : NULL;
}

int foreign_execute_ioctl(struct ibv_context *ctx,
			  struct foreign_command_buffer *cmd)
{
	struct ib_uverbs_attr *input;
	uint64_t address = 0, value = 0;
	int ret = foreign_ioctl_gather_attrs(cmd);

	if (ret)
		return foreign_errno(ret);

	input = foreign_ioctl_short_input(cmd);
	if (input) {
		address = input->data;
		memcpy(&value, (const void *)(uintptr_t)address, input->len);
		input->data = value;
	}
	ret = submit_ioctl_raw(ctx, &cmd->hdr);
	/* Restore the address: the provider may send the buffer again. */
	if (input)
		input->data = address;
	if (!ret)
		foreign_ioctl_scatter_attrs(cmd);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_execute_ioctl, execute_ioctl)
