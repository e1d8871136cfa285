/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of the device; everything comes from the kernel. */
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdio.h>

#include "siw/siw.h"

/* The driver tells its vendor's number there, as three fields of 16 bits. */
static void format_fw_ver(char *buf, size_t size, uint64_t fw_ver)
{
	(void)snprintf(buf, size, "%u.%u.%u",
		       (unsigned int)(fw_ver >> 32) & 0xffff,
		       (unsigned int)(fw_ver >> 16) & 0xffff,
		       (unsigned int)fw_ver & 0xffff); /* at most 17 of 64 */
}

int siw_query_device(struct ibv_context *ctx,
		     const struct ibv_query_device_ex_input *input,
		     struct ibv_device_attr_ex *attr, size_t attr_size)
{
	uint64_t fw_ver = 0;
	int err;

	err = verbs_cmd_query_device(ctx, input, attr, attr_size, &fw_ver,
				     NULL);
	if (err)
		return err;
	format_fw_ver(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		      fw_ver);
	return 0;
}
