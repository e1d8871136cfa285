/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The GID table, by ioctl or from sysfs. Called by core/ as the default for
 * kernel devices, and by kernel-backed providers; calls submit.c, port_file.c,
 * cmd_port.c and cmd_device.c.
 *
 * Both sources return the same entries: an empty entry is -ENODATA, the GID
 * type is always set, and the network device is 0 if there is none.
 */
#include <errno.h>
#include <net/if.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdbool.h>
#include <string.h>

#include "kernel/kernel_state.h"
#include "kernel/port_file.h"
#include "kernel/submit.h"

/* The application's array is passed to the kernel unchanged. */
_Static_assert(sizeof(struct ibv_gid_entry) ==
		       sizeof(struct ib_uverbs_gid_entry),
	       "GID entry");

/* Limit of an ioctl attribute; a larger table is read from sysfs. */
#define IOCTL_MAX_ENTRIES (UINT16_MAX / sizeof(struct ibv_gid_entry))

/* Eight groups of four hexadecimal digits. */
#define GID_GROUPS   8
#define GID_TEXT_LEN 64 /* 39 characters are valid */

static int cmd_gid_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int cmd_gid_parse(const char *text, union ibv_gid *ret_gid)
{
	union ibv_gid gid;

	for (int i = 0; i < (int)sizeof(gid.raw); i++) {
		int high, low;

		if (i > 0 && i % 2 == 0 && *text++ != ':')
			return -EPROTO;
		/* A NUL is not a digit, so this does not read past the end. */
		high = cmd_gid_hex_value(text[0]);
		if (high < 0)
			return -EPROTO;
		low = cmd_gid_hex_value(text[1]);
		if (low < 0)
			return -EPROTO;
		gid.raw[i] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	if (*text)
		return -EPROTO;
	*ret_gid = gid;
	return 0;
}

static bool cmd_gid_is_zero(const union ibv_gid *gid)
{
	static const union ibv_gid zero;

	return !memcmp(gid, &zero, sizeof(zero));
}

/* sysfs has one name for IB and RoCE v1; the link layer distinguishes them. */
static int cmd_gid_read_type(struct ibv_context *ctx, uint32_t port_num,
			     uint32_t index, uint32_t *ret_type)
{
	struct ibv_port_attr port = {};
	char text[32];
	int ret;

	ret = port_file_read(ctx, port_num, "gid_attrs/types", index, text,
			     sizeof(text));
	if (!ret && !strcmp(text, "RoCE v2")) {
		*ret_type = IBV_GID_TYPE_ROCE_V2;
		return 0;
	}
	if (!ret && strcmp(text, "IB/RoCE v1") != 0)
		return -EOPNOTSUPP;
	/* Kernels without this file, and entries without a type: IB or v1. */
	if (ret && ret != -EINVAL && ret != -ENOENT)
		return ret;

	ret = verbs_cmd_query_port(ctx, (uint8_t)port_num, &port);
	if (ret)
		return ret;
	*ret_type = port.link_layer == IBV_LINK_LAYER_ETHERNET
			    ? IBV_GID_TYPE_ROCE_V1
			    : IBV_GID_TYPE_IB;
	return 0;
}

/* Returns 0 if there is none, or it is in another network namespace. */
static uint32_t cmd_gid_read_ndev(struct ibv_context *ctx, uint32_t port_num,
				  uint32_t index)
{
	int saved_errno = errno;
	char name[IF_NAMESIZE];
	uint32_t ifindex;

	if (port_file_read(ctx, port_num, "gid_attrs/ndevs", index, name,
			   sizeof(name)))
		return 0;
	if (!name[0] || strchr(name, '/'))
		return 0;
	ifindex = if_nametoindex(name);
	errno = saved_errno;
	return ifindex;
}

static SUBMIT_SLOW_PATH int
cmd_gid_query_entry_sysfs(struct ibv_context *ctx, uint32_t port_num,
			  uint32_t index, struct ibv_gid_entry *ret_entry)
{
	struct ibv_gid_entry entry = {
		.gid_index = index,
		.port_num = port_num,
	};
	char text[GID_TEXT_LEN];
	int ret;

	ret = port_file_read(ctx, port_num, "gids", index, text, sizeof(text));
	if (ret)
		return ret;
	ret = cmd_gid_parse(text, &entry.gid);
	if (ret)
		return ret;
	if (cmd_gid_is_zero(&entry.gid))
		return -ENODATA;
	ret = cmd_gid_read_type(ctx, port_num, index, &entry.gid_type);
	if (ret)
		return ret;
	entry.ndev_ifindex = cmd_gid_read_ndev(ctx, port_num, index);
	*ret_entry = entry;
	return 0;
}

static int cmd_gid_query_entry_ioctl(struct ibv_context *ctx, uint32_t port_num,
				     uint32_t index,
				     struct ibv_gid_entry *ret_entry)
{
	struct ibv_gid_entry entry = {};
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, KERNEL_CAP_QUERY_GID_ENTRY);
	cmd_in_u64(&cmd, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, port_num);
	cmd_in_u64(&cmd, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, index);
	cmd_in_u32(&cmd, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0);
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
		    sizeof(entry));
	ret = submit_ioctl(ctx, &cmd);
	if (!ret)
		*ret_entry = entry;
	return ret;
}

int verbs_cmd_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
			      uint32_t gid_index,
			      struct ibv_gid_entry *ret_entry)
{
	int ret =
		cmd_gid_query_entry_ioctl(ctx, port_num, gid_index, ret_entry);

	return ret == SUBMIT_NOT_OFFERED
		       ? cmd_gid_query_entry_sysfs(ctx, port_num, gid_index,
						   ret_entry)
		       : ret;
}

static ssize_t cmd_gid_query_table_ioctl(struct ibv_context *ctx,
					 struct ibv_gid_entry *entries,
					 size_t max_entries)
{
	uint64_t count = 0;
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, KERNEL_CAP_QUERY_GID_TABLE);
	cmd_in_u64(&cmd, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE,
		   sizeof(*entries));
	cmd_in_u32(&cmd, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0);
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, entries,
		    max_entries * sizeof(*entries));
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, &count,
		    sizeof(count));
	ret = submit_ioctl(ctx, &cmd);
	if (ret)
		return ret;
	return count > max_entries ? -EPROTO : (ssize_t)count;
}

/* Appends the non-empty entries of one port behind the first @used entries. */
static ssize_t cmd_gid_append_port_sysfs(struct ibv_context *ctx,
					 uint32_t port_num,
					 struct ibv_gid_entry *entries,
					 size_t used, size_t max_entries)
{
	struct ibv_port_attr port = {};
	int ret = verbs_cmd_query_port(ctx, (uint8_t)port_num, &port);

	if (ret)
		return ret;
	/* gid_tbl_len may be too large: stop at the first missing file. */
	for (int i = 0; i < port.gid_tbl_len; i++) {
		struct ibv_gid_entry entry;

		ret = cmd_gid_query_entry_sysfs(ctx, port_num, (uint32_t)i,
						&entry);
		if (ret == -ENODATA)
			continue;
		if (ret == -ENOENT)
			break;
		if (ret)
			return ret;
		if (used == max_entries)
			return -EINVAL;
		entries[used++] = entry;
	}
	return (ssize_t)used;
}

static int cmd_gid_count_ports(struct ibv_context *ctx, uint32_t *ret_ports)
{
	struct ibv_device_attr_ex attr = {};
	uint64_t fw_ver;
	int ret;

	*ret_ports = verbs_kernel_state(ctx)->nr_ports;
	if (*ret_ports)
		return 0;
	ret = verbs_cmd_query_device(ctx, NULL, &attr, sizeof(attr.orig_attr),
				     &fw_ver, NULL);
	*ret_ports = attr.orig_attr.phys_port_cnt;
	return ret;
}

static SUBMIT_SLOW_PATH ssize_t
cmd_gid_query_table_sysfs(struct ibv_context *ctx,
			  struct ibv_gid_entry *entries, size_t max_entries)
{
	uint32_t nr_ports;
	ssize_t used = 0;
	int ret = cmd_gid_count_ports(ctx, &nr_ports);

	if (ret)
		return ret;
	if (nr_ports > UINT8_MAX)
		nr_ports = UINT8_MAX; /* query_port takes 8 bits */
	for (uint32_t port = 1; port <= nr_ports && used >= 0; port++)
		used = cmd_gid_append_port_sysfs(ctx, port, entries,
						 (size_t)used, max_entries);
	return used;
}

ssize_t verbs_cmd_query_gid_table(struct ibv_context *ctx,
				  struct ibv_gid_entry *entries,
				  size_t max_entries)
{
	bool truncated = max_entries > IOCTL_MAX_ENTRIES;
	ssize_t ret;

	ret = cmd_gid_query_table_ioctl(
		ctx, entries, truncated ? IOCTL_MAX_ENTRIES : max_entries);
	if (ret == SUBMIT_NOT_OFFERED || (truncated && ret == -EINVAL))
		ret = cmd_gid_query_table_sysfs(ctx, entries, max_entries);
	return ret;
}
