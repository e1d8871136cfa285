/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Splits the buffers of a provider: see foreign/foreign_udata.h. Called by
 * foreign_cmd_*.c and foreign_ioctl.c; makes no system call.
 */
#include "foreign/foreign_udata.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

int foreign_udata_init(const void *cmd, size_t cmd_size, size_t cmd_core,
		       void *resp, size_t resp_size, size_t resp_core,
		       struct verbs_udata *ret_udata)
{
	if ((cmd && cmd_size < cmd_core) || (resp && resp_size < resp_core))
		return -EINVAL;

	*ret_udata = (struct verbs_udata){};
	if (cmd && cmd_size > cmd_core) {
		ret_udata->in = (const char *)cmd + cmd_core;
		ret_udata->in_len = cmd_size - cmd_core;
	}
	if (resp && resp_size > resp_core) {
		ret_udata->out = (char *)resp + resp_core;
		ret_udata->out_len = resp_size - resp_core;
	}
	return 0;
}

long foreign_buffer_count(const struct foreign_command_buffer *buf)
{
	const struct ib_uverbs_attr *attrs = buf->hdr.attrs;
	uintptr_t used = (uintptr_t)buf->next_attr - (uintptr_t)attrs;

	if (buf->next_attr < attrs || buf->next_attr > buf->last_attr ||
	    used % sizeof(*attrs) || used / sizeof(*attrs) > UINT16_MAX)
		return -EINVAL;
	return (long)(used / sizeof(*attrs));
}

/*
 * The data of a driver data attribute is an address. Short input is in the
 * attribute itself, unless the buffer has recorded that it is still an address
 * (uhw_in_idx).
 */
static int
foreign_link_collect_driver_data(const struct foreign_command_buffer *buf,
				 long index, struct verbs_udata *udata)
{
	const struct ib_uverbs_attr *attr = &buf->hdr.attrs[index];
	void *ptr = (void *)(uintptr_t)attr->data;

	if (!attr->len)
		return 0;
	if (attr->attr_id == UVERBS_ATTR_UHW_OUT) {
		if (udata->out_len)
			return -EINVAL;
		udata->out = ptr;
		udata->out_len = attr->len;
		return 0;
	}
	if (udata->in_len)
		return -EINVAL;
	udata->in = ptr;
	udata->in_len = attr->len;
	if (attr->len <= sizeof(attr->data) && index != buf->uhw_in_idx)
		udata->in = &attr->data;
	return 0;
}

static bool foreign_link_is_driver_data(const struct foreign_link *link,
					const struct ib_uverbs_attr *attr)
{
	return link->method == FOREIGN_METHOD_WITH_UHW &&
	       (attr->attr_id == UVERBS_ATTR_UHW_IN ||
		attr->attr_id == UVERBS_ATTR_UHW_OUT);
}

static int foreign_link_collect_buffer(const struct foreign_command_buffer *buf,
				       struct foreign_link *link,
				       struct verbs_udata *udata)
{
	long count = foreign_buffer_count(buf);

	if (buf->buffer_error || count < 0)
		return -EINVAL;
	for (long i = 0; i < count; i++) {
		const struct ib_uverbs_attr *attr = &buf->hdr.attrs[i];

		if (foreign_link_is_driver_data(link, attr)) {
			int ret =
				foreign_link_collect_driver_data(buf, i, udata);

			if (ret)
				return ret;
			continue;
		}
		if (udata->nr_attrs == CMD_MAX_ATTRS)
			return -E2BIG;
		link->attrs[udata->nr_attrs++] = *attr;
	}
	udata->ioctl_only |= buf->fallback_ioctl_only;
	return 0;
}

int foreign_link_collect(struct foreign_command_buffer *first,
			 enum foreign_method method, struct foreign_link *link,
			 struct verbs_udata *udata)
{
	int nr_links = 0;

	link->first = first;
	link->method = method;
	udata->attrs = link->attrs;
	for (; first; first = first->next) {
		int ret;

		if (nr_links++ == FOREIGN_MAX_LINKS)
			return -EINVAL;
		ret = foreign_link_collect_buffer(first, link, udata);
		if (ret)
			return ret;
	}
	return 0;
}

void foreign_link_write_back(const struct foreign_link *link)
{
	const struct ib_uverbs_attr *taken = link->attrs;

	for (struct foreign_command_buffer *buf = link->first; buf;
	     buf = buf->next) {
		long count = foreign_buffer_count(buf);

		for (long i = 0; i < count; i++)
			if (!foreign_link_is_driver_data(link,
							 &buf->hdr.attrs[i]))
				buf->hdr.attrs[i] = *taken++;
	}
}
