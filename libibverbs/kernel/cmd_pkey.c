/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The P_Key table. The kernel has no command for it, so it is read from sysfs.
 * Called by core/ as the default for kernel devices, calls port_file.c.
 */
#include <endian.h>
#include <errno.h>
#include <provider/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/port_file.h"

/* "0xffff" */
#define PKEY_TEXT_LEN 16

/* Format: "0x" and one to four hexadecimal digits. */
static int cmd_pkey_parse(const char *text, uint16_t *ret_pkey)
{
	size_t digits;

	if (text[0] != '0' || text[1] != 'x')
		return -EPROTO;
	text += 2;
	digits = strspn(text, "0123456789abcdefABCDEF");
	if (digits < 1 || digits > 4 || text[digits])
		return -EPROTO;
	/* No libc sets errno here, because the text has digits only. */
	*ret_pkey = (uint16_t)strtoul(text, NULL, 16);
	return 0;
}

int verbs_cmd_query_pkey(struct ibv_context *ctx, uint8_t port_num, int index,
			 __be16 *ret_pkey)
{
	char text[PKEY_TEXT_LEN];
	uint16_t pkey;
	int ret;

	if (index < 0)
		return -EINVAL;
	ret = port_file_read(ctx, port_num, "pkeys", (uint32_t)index, text,
			     sizeof(text));
	if (ret)
		return ret;
	ret = cmd_pkey_parse(text, &pkey);
	if (ret)
		return ret;
	*ret_pkey = htobe16(pkey);
	return 0;
}
