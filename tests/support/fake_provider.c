/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations whose results a test sets: see support/fake_provider.h. An
 * operation first records its name and arguments, then fails if the test
 * requests it.
 */
#include "support/fake_provider_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/fake_discover.h"

struct fake_provider fake_provider = {
	.async_write_fd = -1,
	.comp_write_fd = -1,
	.last_cmd_fd = -1,
	.cmd_file = -1,
	.buf_dmabuf_fd = -1,
};

static void close_end(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

void fake_provider_reset(void)
{
	close_end(fake_provider.async_write_fd);
	close_end(fake_provider.comp_write_fd);
	fake_provider = (struct fake_provider){
		.async_write_fd = -1,
		.comp_write_fd = -1,
		.last_cmd_fd = -1,
		.cmd_file = -1,
		.buf_dmabuf_fd = -1,
	};
}

int fake_record_op(const char *op, const struct fake_args *args)
{
	fake_provider.last_op = op;
	fake_provider.args = *args;
	return fake_provider.ret;
}

int fake_record_object_op(const char *op, const void *object)
{
	return RECORD_OP(op, .attr = object);
}

void *fake_object_new(size_t size)
{
	void *object = calloc(1, size);

	if (object)
		fake_provider.nr_objects++;
	return object;
}

void fake_object_free(void *object)
{
	fake_provider.nr_objects--;
	free(object);
}

/* The struct of an object starts at the beginning of its allocation. */
int fake_object_end(const char *op, void *object)
{
	int ret = fake_record_object_op(op, object);

	if (ret == 0)
		fake_object_free(object);
	return ret;
}

/* Makes a pipe. The test writes events to the writing end. */
static int event_pipe(int *write_fd, int *ret_fd)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	close_end(*write_fd);
	*write_fd = ends[1];
	*ret_fd = ends[0];
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Device, port, addresses, events                                           */
/* ------------------------------------------------------------------------ */

static int fake_query_device(struct ibv_context *ctx,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size)
{
	int ret = RECORD_OP("query_device", .ctx = ctx, .input = input,
			    .size = attr_size);

	if (ret == 0)
		*attr = fake_provider.device_attr;
	return ret;
}

static int fake_query_port(struct ibv_context *ctx, uint8_t port_num,
			   struct ibv_port_attr *attr)
{
	int ret = RECORD_OP("query_port", .ctx = ctx, .port_num = port_num);

	if (ret == 0)
		*attr = fake_provider.port_attr;
	return ret;
}

static bool is_empty(const union ibv_gid *gid)
{
	return !gid->global.subnet_prefix && !gid->global.interface_id;
}

static int fake_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
				uint32_t gid_index,
				struct ibv_gid_entry *ret_entry)
{
	int ret =
		RECORD_OP("query_gid_entry", .ctx = ctx, .port_num = port_num);

	if (ret)
		return ret;
	if (gid_index >= fake_provider.nr_gids)
		return -EINVAL;
	if (is_empty(&fake_provider.gids[gid_index].gid))
		return -ENODATA;
	*ret_entry = fake_provider.gids[gid_index];
	return 0;
}

static ssize_t fake_query_gid_table(struct ibv_context *ctx,
				    struct ibv_gid_entry *entries,
				    size_t max_entries)
{
	size_t count = 0;
	int ret = fake_record_op(
		"query_gid_table",
		&(struct fake_args){ .ctx = ctx, .max_entries = max_entries });

	if (ret)
		return ret;
	for (size_t i = 0; i < fake_provider.nr_gids; i++) {
		if (is_empty(&fake_provider.gids[i].gid))
			continue;
		if (count == max_entries)
			return -EINVAL;
		entries[count++] = fake_provider.gids[i];
	}
	return (ssize_t)count;
}

static int fake_query_pkey(struct ibv_context *ctx, uint8_t port_num, int index,
			   __be16 *ret_pkey)
{
	int ret = RECORD_OP("query_pkey", .ctx = ctx, .port_num = port_num);

	if (ret)
		return ret;
	if (index < 0 || (size_t)index >= fake_provider.nr_pkeys)
		return -EINVAL;
	*ret_pkey = fake_provider.pkeys[index];
	return 0;
}

static int fake_query_port_speed(struct ibv_context *ctx, uint32_t port_num,
				 uint64_t *ret_speed)
{
	int ret =
		RECORD_OP("query_port_speed", .ctx = ctx, .port_num = port_num);

	if (ret == 0)
		*ret_speed = fake_provider.value;
	return ret;
}

static int fake_query_rt_values(struct ibv_context *ctx,
				struct ibv_values_ex *values)
{
	int ret = RECORD_OP("query_rt_values", .ctx = ctx, .attr = values);

	if (ret == 0)
		values->raw_clock.tv_nsec = (long)fake_provider.value;
	return ret;
}

static const struct verbs_gsi_ops *fake_get_gsi_ops(struct ibv_context *ctx,
						    uint32_t version)
{
	(void)RECORD_OP("get_gsi_ops", .ctx = ctx);
	return NULL;
}

static int fake_alloc_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	if (fake_provider.alloc_async_fd_ret)
		return fake_provider.alloc_async_fd_ret;
	return event_pipe(&fake_provider.async_write_fd, ret_fd);
}

static int fake_describe_error(struct ibv_context *ctx, uint32_t qp_num,
			       char *buf, size_t size)
{
	return -ENOENT;
}

static int fake_create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	int ret = fake_record_object_op("create_comp_channel", ctx);

	return ret ? ret : event_pipe(&fake_provider.comp_write_fd, ret_fd);
}

static void fake_cq_event(struct ibv_cq *cq)
{
	fake_provider.event_cq = cq;
}

static void fake_async_event(struct ibv_context *ctx,
			     struct ibv_async_event *event)
{
	fake_provider.event = *event;
}

/* ------------------------------------------------------------------------ */
/* Domains                                                                   */
/* ------------------------------------------------------------------------ */

static int fake_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	struct ibv_pd *pd;
	int ret = RECORD_OP("alloc_pd", .ctx = ctx);

	if (ret)
		return ret;
	pd = fake_object_new(sizeof(*pd));
	if (!pd)
		return -ENOMEM;
	pd->context = ctx;
	*ret_pd = pd;
	return 0;
}

static int fake_dealloc_pd(struct ibv_pd *pd)
{
	return fake_object_end("dealloc_pd", pd);
}

static int fake_open_xrcd(struct ibv_context *ctx,
			  const struct ibv_xrcd_init_attr *attr,
			  struct ibv_xrcd **ret_xrcd)
{
	struct verbs_xrcd *vxrcd;
	int ret = RECORD_OP("open_xrcd", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	vxrcd = fake_object_new(sizeof(*vxrcd));
	if (!vxrcd)
		return -ENOMEM;
	vxrcd->xrcd.context = ctx;
	*ret_xrcd = &vxrcd->xrcd;
	return 0;
}

static int fake_close_xrcd(struct ibv_xrcd *xrcd)
{
	return fake_object_end("close_xrcd", xrcd);
}

static int fake_import_pd(struct ibv_context *ctx, uint32_t handle,
			  struct ibv_pd **ret_pd)
{
	int ret = RECORD_OP("import_pd", .ctx = ctx, .handle = handle);

	if (ret)
		return ret;
	*ret_pd = fake_object_new(sizeof(**ret_pd));
	return *ret_pd ? 0 : -ENOMEM;
}

static void fake_unimport_pd(struct ibv_pd *pd)
{
	(void)fake_record_object_op("unimport_pd", pd);
	fake_object_free(pd);
}

static int fake_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr,
			 struct ibv_td **ret_td)
{
	struct ibv_td *td;
	int ret = RECORD_OP("alloc_td", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	td = fake_object_new(sizeof(*td));
	if (!td)
		return -ENOMEM;
	td->context = ctx;
	*ret_td = td;
	return 0;
}

static int fake_dealloc_td(struct ibv_td *td)
{
	return fake_object_end("dealloc_td", td);
}

static int fake_alloc_parent_domain(struct ibv_context *ctx,
				    struct ibv_parent_domain_init_attr *attr,
				    struct ibv_pd **ret_pd)
{
	struct ibv_pd *pd;
	int ret = RECORD_OP("alloc_parent_domain", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	pd = fake_object_new(sizeof(*pd));
	if (!pd)
		return -ENOMEM;
	pd->context = ctx;
	*ret_pd = pd;
	return 0;
}

const struct verbs_context_ops fake_provider_ops = {
	.query_device = fake_query_device,
	.query_port = fake_query_port,
	.query_gid_entry = fake_query_gid_entry,
	.query_gid_table = fake_query_gid_table,
	.query_pkey = fake_query_pkey,
	.query_port_speed = fake_query_port_speed,
	.query_rt_values = fake_query_rt_values,
	.get_gsi_ops = fake_get_gsi_ops,
	.alloc_async_fd = fake_alloc_async_fd,
	.describe_error = fake_describe_error,
	.create_comp_channel = fake_create_comp_channel,
	.cq_event = fake_cq_event,
	.async_event = fake_async_event,
	.alloc_pd = fake_alloc_pd,
	.dealloc_pd = fake_dealloc_pd,
	.open_xrcd = fake_open_xrcd,
	.close_xrcd = fake_close_xrcd,
	.import_pd = fake_import_pd,
	.unimport_pd = fake_unimport_pd,
	.alloc_td = fake_alloc_td,
	.dealloc_td = fake_dealloc_td,
	.alloc_parent_domain = fake_alloc_parent_domain,
};

/* ------------------------------------------------------------------------ */
/* The provider                                                              */
/* ------------------------------------------------------------------------ */

static int fake_list_devices(int (*add)(void *arg, const char *name,
					int node_type, __be64 node_guid),
			     void *arg)
{
	for (size_t i = 0; i < FAKE_PROVIDER_MAX_OFFERS; i++) {
		int ret;

		if (!fake_provider.offers[i])
			break;
		ret = add(arg, fake_provider.offers[i], IBV_NODE_UNSPECIFIED,
			  fake_provider.offer_guid);
		if (ret)
			return ret;
	}
	return fake_provider.list_devices_ret;
}

static int fake_open_context(struct verbs_device *dev,
			     struct verbs_cmd_file cmd_file,
			     struct verbs_context **ret_vctx)
{
	struct verbs_context *vctx;

	fake_provider.last_cmd_fd = cmd_file.fd;
	if (fake_provider.open_ret) {
		close_end(cmd_file.fd); /* a failed open consumes it */
		return fake_provider.open_ret;
	}
	vctx = verbs_context_new(dev, cmd_file, sizeof(*vctx));
	if (!vctx)
		return -ENOMEM;
	if (fake_provider.open_ret_late) {
		verbs_context_free(vctx);
		return fake_provider.open_ret_late;
	}
	verbs_context_set_ops(vctx, &fake_provider_ops);
	verbs_context_set_ops(vctx, &fake_provider_memory_ops);
	verbs_context_set_ops(vctx, &fake_provider_queue_ops);
	verbs_context_set_ops(vctx, &fake_provider_flow_ops);
	fake_provider.nr_opens++;
	*ret_vctx = vctx;
	return 0;
}

static bool fake_is_cmd_file(const struct ibv_device *device, int fd)
{
	return fd == fake_provider.cmd_file;
}

static void fake_close_context(struct verbs_context *vctx)
{
	fake_provider.nr_closes++;
	verbs_context_free(vctx);
}

static const struct verbs_match fake_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = FAKE_DRIVER_ID },
	{ .kind = VERBS_MATCH_END },
};

const struct verbs_device_ops verbs_provider_fake = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "fake",
	.min_abi_version = FAKE_ABI_VERSION,
	.max_abi_version = FAKE_ABI_VERSION,
	.match = fake_match,
	.list_devices = fake_list_devices,
	.open_context = fake_open_context,
	.is_cmd_file = fake_is_cmd_file,
	.close_context = fake_close_context,
};
