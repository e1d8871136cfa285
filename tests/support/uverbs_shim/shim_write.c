/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The write protocol, by write(2) or inside an INVOKE_WRITE: finds the command,
 * splits request and response into the core's part and the driver's part, and
 * runs the command.
 */
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <string.h>

#include "shim.h"

#define MAX_REQUEST (4 * 0xffff)

static const struct shim_command *find_in(const struct shim_command *table,
					  uint32_t number)
{
	for (; table->name; table++)
		if (table->number == number)
			return table;
	return NULL;
}

static const struct shim_command *find_command(uint32_t number)
{
	const struct shim_command *found =
		find_in(shim_device_commands, number);

	if (!found)
		found = find_in(shim_memory_commands, number);
	if (!found)
		found = find_in(shim_queue_commands, number);
	return found;
}

static void *pointer_of(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static int run_command(struct shim_call *call,
		       const struct shim_command *command)
{
	call->name = command->name;
	if (call->in_len < command->in_len || call->out_len < command->out_len)
		return shim_call_end(call, -ENOSPC);
	if (call->out_len)
		memset(call->out, 0, call->out_len);
	return shim_call_end(call, command->run(call));
}

static int unknown_command(struct shim_call *call, uint32_t number)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "WRITE_%#x", number); /* fits */
	call->name = name;
	return shim_call_end(call, -EOPNOTSUPP);
}

/* Lengths in units of 4 bytes; the request starts with the response address. */
static int write_plain(struct shim_call *call,
		       const struct ib_uverbs_cmd_hdr *hdr, const char *body,
		       size_t len)
{
	const struct shim_command *command = find_command(hdr->command);
	size_t out_len = (size_t)hdr->out_words * 4;
	uint64_t response = 0;

	if ((size_t)hdr->in_words * 4 != len + sizeof(*hdr))
		return -EINVAL;
	if (!command)
		return unknown_command(call, hdr->command);
	if (len < command->in_len)
		return shim_call_end(call, -ENOSPC);
	if (command->out_len)
		memcpy(&response, body, sizeof(response));

	call->in = body;
	call->in_len = command->in_len;
	call->uhw_in = body + command->in_len;
	call->uhw_in_len = len - command->in_len;
	/* The core owns a list of work requests or of handles. */
	if (hdr->command == IB_USER_VERBS_CMD_POST_SEND ||
	    hdr->command == IB_USER_VERBS_CMD_POST_RECV ||
	    hdr->command == IB_USER_VERBS_CMD_POST_SRQ_RECV) {
		call->in_len = len;
		call->uhw_in_len = 0;
	}
	call->out = pointer_of(response);
	call->out_len = out_len < command->out_len ? out_len : command->out_len;
	if (hdr->command == IB_USER_VERBS_CMD_POLL_CQ)
		call->out_len = out_len;
	call->uhw_out = (char *)call->out + call->out_len;
	call->uhw_out_len = out_len - call->out_len;
	return run_command(call, command);
}

/* Lengths in units of 8 bytes; the driver's lengths are separate. */
static int write_extended(struct shim_call *call,
			  const struct ib_uverbs_cmd_hdr *hdr, const char *body,
			  size_t len)
{
	const struct shim_command *command = find_command(hdr->command);
	struct ib_uverbs_ex_cmd_hdr ex;

	if (len < sizeof(ex))
		return -EINVAL;
	memcpy(&ex, body, sizeof(ex));
	body += sizeof(ex);
	len -= sizeof(ex);
	if (((size_t)hdr->in_words + ex.provider_in_words) * 8 != len ||
	    ex.cmd_hdr_reserved)
		return -EINVAL;
	if (!command)
		return unknown_command(call, hdr->command);

	call->in = body;
	call->in_len = (size_t)hdr->in_words * 8;
	call->uhw_in = body + call->in_len;
	call->uhw_in_len = (size_t)ex.provider_in_words * 8;
	call->out = pointer_of(ex.response);
	call->out_len = (size_t)hdr->out_words * 8;
	call->uhw_out = (char *)call->out + call->out_len;
	call->uhw_out_len = (size_t)ex.provider_out_words * 8;
	return run_command(call, command);
}

int shim_write(struct shim_file *file, const void *buf, size_t len)
{
	struct shim_call call = { .file = file, .transport = "write" };
	struct ib_uverbs_cmd_hdr hdr;
	const char *body = (const char *)buf + sizeof(hdr);

	if (len < sizeof(hdr) || len > MAX_REQUEST)
		return -EINVAL;
	memcpy(&hdr, buf, sizeof(hdr));
	if (hdr.command & SHIM_EXTENDED)
		return write_extended(&call, &hdr, body, len - sizeof(hdr));
	return write_plain(&call, &hdr, body, len - sizeof(hdr));
}

int shim_invoke_write(struct shim_call *call, uint32_t number)
{
	const struct shim_command *command = find_command(number);

	if (!command)
		return unknown_command(call, number);
	return run_command(call, command);
}
