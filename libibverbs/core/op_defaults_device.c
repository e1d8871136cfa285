/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops of devices, ports, events and domains: they return "not
 * supported" in the convention of each op. core/op_table.c merges them.
 */
#include "core/op_defaults.h"

#include <errno.h>

static int
op_default_query_device(struct ibv_context *ctx,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size)
{
	return -EOPNOTSUPP;
}

static int op_default_query_port(struct ibv_context *ctx, uint8_t port_num,
				 struct ibv_port_attr *attr)
{
	return -EOPNOTSUPP;
}

static int op_default_query_gid_entry(struct ibv_context *ctx,
				      uint32_t port_num, uint32_t gid_index,
				      struct ibv_gid_entry *ret_entry)
{
	return -EOPNOTSUPP;
}

static ssize_t op_default_query_gid_table(struct ibv_context *ctx,
					  struct ibv_gid_entry *entries,
					  size_t max_entries)
{
	return -EOPNOTSUPP;
}

static int op_default_query_pkey(struct ibv_context *ctx, uint8_t port_num,
				 int index, __be16 *ret_pkey)
{
	return -EOPNOTSUPP;
}

static int op_default_query_port_speed(struct ibv_context *ctx,
				       uint32_t port_num, uint64_t *ret_speed)
{
	return -EOPNOTSUPP;
}

static int op_default_query_rt_values(struct ibv_context *ctx,
				      struct ibv_values_ex *values)
{
	return -EOPNOTSUPP;
}

static int op_default_alloc_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	return -EOPNOTSUPP;
}

static int op_default_create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	return -EOPNOTSUPP;
}

static void op_default_cq_event(struct ibv_cq *cq)
{
}

static void op_default_async_event(struct ibv_context *ctx,
				   struct ibv_async_event *event)
{
}

static int op_default_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	return -EOPNOTSUPP;
}

static int op_default_dealloc_pd(struct ibv_pd *pd)
{
	return -EOPNOTSUPP;
}

static int op_default_import_pd(struct ibv_context *ctx, uint32_t handle,
				struct ibv_pd **ret_pd)
{
	return -EOPNOTSUPP;
}

/* There is no kernel command: the importer only drops its object. */
static void op_default_unimport_pd(struct ibv_pd *pd)
{
}

static int op_default_alloc_td(struct ibv_context *ctx,
			       struct ibv_td_init_attr *attr,
			       struct ibv_td **ret_td)
{
	return -EOPNOTSUPP;
}

static int op_default_dealloc_td(struct ibv_td *td)
{
	return -EOPNOTSUPP;
}

static int
op_default_alloc_parent_domain(struct ibv_context *ctx,
			       struct ibv_parent_domain_init_attr *attr,
			       struct ibv_pd **ret_pd)
{
	return -EOPNOTSUPP;
}

static int op_default_open_xrcd(struct ibv_context *ctx,
				const struct ibv_xrcd_init_attr *attr,
				struct ibv_xrcd **ret_xrcd)
{
	return -EOPNOTSUPP;
}

static int op_default_close_xrcd(struct ibv_xrcd *xrcd)
{
	return -EOPNOTSUPP;
}

const struct verbs_context_ops verbs_device_defaults = {
	.query_device = op_default_query_device,
	.query_port = op_default_query_port,
	.query_gid_entry = op_default_query_gid_entry,
	.query_gid_table = op_default_query_gid_table,
	.query_pkey = op_default_query_pkey,
	.query_port_speed = op_default_query_port_speed,
	.query_rt_values = op_default_query_rt_values,
	.alloc_async_fd = op_default_alloc_async_fd,
	.create_comp_channel = op_default_create_comp_channel,
	.cq_event = op_default_cq_event,
	.async_event = op_default_async_event,
	.alloc_pd = op_default_alloc_pd,
	.dealloc_pd = op_default_dealloc_pd,
	.import_pd = op_default_import_pd,
	.unimport_pd = op_default_unimport_pd,
	.alloc_td = op_default_alloc_td,
	.dealloc_td = op_default_dealloc_td,
	.alloc_parent_domain = op_default_alloc_parent_domain,
	.open_xrcd = op_default_open_xrcd,
	.close_xrcd = op_default_close_xrcd,
};
