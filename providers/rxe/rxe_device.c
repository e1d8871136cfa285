/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of the device, and the capability bits that decide what the data
 * path may post. Everything comes from the kernel.
 */
#include <infiniband/verbs.h>
#include <provider/kernel.h>

#include "rxe/rxe.h"

/* Marks that rxe_context.caps was filled; no capability has this bit. */
#define CAPS_KNOWN (UINT64_C(1) << 63)

static char *put_number(char *to, unsigned int number)
{
	if (number >= 10)
		to = put_number(to, number / 10);
	*to = (char)('0' + number % 10);
	return to + 1;
}

/*
 * The number is three fields of 16 bits; it is 0 in kernels so far. By hand:
 * snprintf() takes longer than all the rest of the query.
 * @buf: at most 18 bytes are written
 */
static void format_fw_ver(char *buf, uint64_t fw_ver)
{
	for (int shift = 32; shift >= 0; shift -= 16) {
		buf = put_number(buf, (unsigned int)(fw_ver >> shift) & 0xffff);
		*buf++ = shift ? '.' : '\0';
	}
}

int rxe_query_device(struct ibv_context *ctx,
		     const struct ibv_query_device_ex_input *input,
		     struct ibv_device_attr_ex *attr, size_t attr_size)
{
	uint64_t fw_ver = 0;
	int err;

	err = verbs_cmd_query_device(ctx, input, attr, attr_size, &fw_ver,
				     NULL);
	if (err)
		return err;
	format_fw_ver(attr->orig_attr.fw_ver, fw_ver);
	return 0;
}

bool rxe_device_has(struct ibv_context *ctx, uint64_t caps)
{
	struct rxe_context *rctx = to_rxe_context(ctx);
	struct ibv_device_attr_ex attr = {};
	uint64_t known, fw_ver;

	/* Relaxed: one word that says all; asking twice does no harm. */
	known = __atomic_load_n(&rctx->caps, __ATOMIC_RELAXED);
	if (!known) {
		if (verbs_cmd_query_device(ctx, NULL, &attr, sizeof(attr),
					   &fw_ver, NULL) != 0)
			return false;
		known = attr.device_cap_flags_ex | CAPS_KNOWN;
		__atomic_store_n(&rctx->caps, known, __ATOMIC_RELAXED);
	}
	return (known & caps) != 0;
}
