/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The smallest provider: a device that the kernel does not know, with one port
 * and with protection domains as its only objects. Copy it to begin a new
 * provider; see providers/README.md. The contract tests build and run it; it is
 * not installed.
 *
 * The device exists when TEMPLATE_DEVICE contains its name. A provider of
 * kernel devices has a match table instead of template_list_devices(), includes
 * provider/kernel.h, and calls verbs_cmd_get_context() when it opens a context;
 * rxe/ is an example.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <provider/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEMPLATE_GUID 0x0200000000000001ULL /* locally administered */

struct template_context {
	struct verbs_context base;
	int async_write_fd; /* the device writes its events here */
};

static struct template_context *to_template_context(struct ibv_context *ctx)
{
	return verbs_container_of(ctx, struct template_context, base.context);
}

static int template_query_device(struct ibv_context *ctx,
				 const struct ibv_query_device_ex_input *input,
				 struct ibv_device_attr_ex *attr,
				 size_t attr_size)
{
	/* @attr is zeroed; @attr_size may end behind orig_attr. */
	(void)snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		       "0.0.0"); /* fits */
	attr->orig_attr.node_guid = htobe64(TEMPLATE_GUID);
	attr->orig_attr.sys_image_guid = htobe64(TEMPLATE_GUID);
	attr->orig_attr.max_pd = INT32_MAX;
	attr->orig_attr.phys_port_cnt = 1;
	return 0;
}

static int template_query_port(struct ibv_context *ctx, uint8_t port_num,
			       struct ibv_port_attr *attr)
{
	if (port_num != 1)
		return -EINVAL;
	attr->state = IBV_PORT_DOWN;
	attr->max_mtu = IBV_MTU_4096;
	attr->active_mtu = IBV_MTU_1024;
	attr->link_layer = IBV_LINK_LAYER_ETHERNET;
	return 0;
}

/* Applications poll() the read end, which the context owns from now on. */
static int template_alloc_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	to_template_context(ctx)->async_write_fd = fds[1];
	*ret_fd = fds[0];
	return 0;
}

static int template_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	struct ibv_pd *pd;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return -ENOMEM;
	pd->context = ctx;
	*ret_pd = pd;
	return 0;
}

static int template_dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	return 0;
}

static const struct verbs_context_ops template_context_ops = {
	.query_device = template_query_device,
	.query_port = template_query_port,
	.alloc_async_fd = template_alloc_async_fd,
	.alloc_pd = template_alloc_pd,
	.dealloc_pd = template_dealloc_pd,
};

static int template_open_context(struct verbs_device *dev,
				 struct verbs_cmd_file cmd_file,
				 struct verbs_context **ret_vctx)
{
	struct verbs_context *vctx;

	vctx = verbs_context_new(dev, cmd_file,
				 sizeof(struct template_context));
	if (!vctx)
		return -ENOMEM;
	to_template_context(&vctx->context)->async_write_fd = -1;
	verbs_context_set_ops(vctx, &template_context_ops);
	*ret_vctx = vctx;
	return 0;
}

static void template_close_context(struct verbs_context *vctx)
{
	struct template_context *ctx = to_template_context(&vctx->context);

	if (ctx->async_write_fd >= 0)
		(void)close(ctx->async_write_fd); /* an error loses no data */
	verbs_context_free(vctx);
}

static int template_list_devices(int (*add)(void *arg, const char *name,
					    int node_type, __be64 node_guid),
				 void *arg)
{
	const char *name = secure_getenv("TEMPLATE_DEVICE");

	if (!name || !*name)
		return 0;
	return add(arg, name, IBV_NODE_CA, htobe64(TEMPLATE_GUID));
}

/* The only symbol that the module exports. */
extern const struct verbs_device_ops verbs_provider_template
	__attribute__((visibility("default")));

const struct verbs_device_ops verbs_provider_template = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "template",
	.list_devices = template_list_devices,
	.open_context = template_open_context,
	.close_context = template_close_context,
};
