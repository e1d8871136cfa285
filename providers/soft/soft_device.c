/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts and device attributes. The kernel supplies all of the attributes;
 * only the firmware version is formatted here.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <provider/provider.h>

#include "soft/soft.h"

int soft_open_context(struct verbs_device *dev, struct verbs_cmd_file cmd_file,
		      size_t size, const struct verbs_udata *udata,
		      const struct verbs_context_ops *ops,
		      struct verbs_context **ret_vctx)
{
	struct verbs_context *vctx;
	int err;

	vctx = verbs_context_new(dev, cmd_file, size);
	if (!vctx)
		return -ENOMEM;

	err = verbs_cmd_get_context(&vctx->context, udata);
	if (err) {
		verbs_context_free(vctx);
		return err;
	}
	verbs_context_set_ops(vctx, ops);
	*ret_vctx = vctx;
	return 0;
}

static char *soft_fw_ver_put_number(char *to, unsigned int number)
{
	if (number >= 10)
		to = soft_fw_ver_put_number(to, number / 10);
	*to = (char)('0' + number % 10);
	return to + 1;
}

/*
 * The version consists of three fields of 16 bits. rxe has reported 0 so far,
 * siw reports its vendor number. snprintf() would take longer than the rest of
 * the query.
 * @buf: at most 18 bytes are written
 */
static void soft_fw_ver_format(char *buf, uint64_t fw_ver)
{
	for (int shift = 32; shift >= 0; shift -= 16) {
		buf = soft_fw_ver_put_number(
			buf, (unsigned int)(fw_ver >> shift) & 0xffff);
		*buf++ = shift ? '.' : '\0';
	}
}

int soft_query_device(struct ibv_context *ctx,
		      const struct ibv_query_device_ex_input *input,
		      struct ibv_device_attr_ex *attr, size_t attr_size)
{
	uint64_t fw_ver = 0;
	int err;

	err = verbs_cmd_query_device(ctx, input, attr, attr_size, &fw_ver,
				     NULL);
	if (err)
		return err;
	soft_fw_ver_format(attr->orig_attr.fw_ver, fw_ver);
	return 0;
}
