/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Entry points of the provider: list the network interfaces that are devices,
 * open and close a context, and the op table of a context.
 *
 * The device for interface eth0 is called uroce_eth0 unless the user has chosen
 * a name. Several devices may have one interface: they share its addresses, the
 * UDP port and the QPNs of the process, as several contexts of one device do.
 * The op table leaves out the ops that the device does not support: among them
 * those of work queues and flows.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "uroce/progress/uroce_report.h"
#include "uroce/progress/uroce_worker.h"
#include "uroce/roce/uroce_describe.h"
#include "uroce/udp/uroce_netdev.h"
#include "uroce/uroce_config.h"
#include "uroce/uroce_gsi_ops.h"
#include "uroce/verbs/uroce_completion_counter.h"
#include "uroce/verbs/uroce_import.h"
#include "uroce/verbs/uroce_verbs.h"

#define SYSFS_DEVICES "/sys/class/infiniband/"

static const struct verbs_context_ops uroce_context_ops = {
	.query_device = uroce_query_device,
	.query_rt_values = uroce_query_rt_values,
	.get_gsi_ops = uroce_get_gsi_ops,
	.query_port = uroce_query_port,
	.query_port_speed = uroce_query_port_speed,
	.query_gid_entry = uroce_query_gid_entry,
	.query_gid_table = uroce_query_gid_table,
	.query_pkey = uroce_query_pkey,

	.alloc_async_fd = uroce_alloc_async_fd,
	.create_comp_channel = uroce_create_comp_channel,

	.alloc_pd = uroce_alloc_pd,
	.dealloc_pd = uroce_dealloc_pd,
	.import_pd = uroce_import_pd,
	.unimport_pd = uroce_unimport_pd,
	.open_xrcd = uroce_open_xrcd,
	.close_xrcd = uroce_close_xrcd,
	.open_qp = uroce_open_qp,
	.alloc_td = uroce_alloc_td,
	.dealloc_td = uroce_dealloc_td,
	.alloc_parent_domain = uroce_alloc_parent_domain,

	.reg_mr = uroce_reg_mr,
	.reg_dmabuf_mr = uroce_reg_dmabuf_mr,
	.rereg_mr = uroce_rereg_mr,
	.dereg_mr = uroce_dereg_mr,
	.import_mr = uroce_import_mr,
	.unimport_mr = uroce_unimport_mr,
	.advise_mr = uroce_advise_mr,
	.alloc_null_mr = uroce_alloc_null_mr,
	.alloc_dm = uroce_alloc_dm,
	.free_dm = uroce_free_dm,
	.import_dm = uroce_import_dm,
	.unimport_dm = uroce_unimport_dm,
	.reg_dm_mr = uroce_reg_dm_mr,
	.alloc_mw = uroce_alloc_mw,
	.dealloc_mw = uroce_dealloc_mw,

	.create_ah = uroce_create_ah,
	.destroy_ah = uroce_destroy_ah,
	.attach_mcast = uroce_attach_mcast,
	.detach_mcast = uroce_detach_mcast,

	.create_cq = uroce_create_cq,
	.resize_cq = uroce_resize_cq,
	.modify_cq = uroce_modify_cq,
	.destroy_cq = uroce_destroy_cq,

	.create_srq = uroce_create_srq,
	.modify_srq = uroce_modify_srq,
	.query_srq = uroce_query_srq,
	.destroy_srq = uroce_destroy_srq,

	.create_qp = uroce_create_qp,
	.modify_qp = uroce_modify_qp,
	.modify_qp_rate_limit = uroce_modify_qp_rate_limit,
	.query_qp = uroce_query_qp,
	.destroy_qp = uroce_destroy_qp,

	.query_comp_cntr_caps = uroce_query_comp_cntr_caps,
	.create_comp_cntr = uroce_create_comp_cntr,
	.destroy_comp_cntr = uroce_destroy_comp_cntr,
	.qp_attach_comp_cntr = uroce_qp_attach_comp_cntr,
	.read_comp_cntr = uroce_read_comp_cntr,
	.set_comp_cntr = uroce_set_comp_cntr,
	.inc_comp_cntr = uroce_inc_comp_cntr,
	.read_err_comp_cntr = uroce_read_err_comp_cntr,
	.set_err_comp_cntr = uroce_set_err_comp_cntr,
	.inc_err_comp_cntr = uroce_inc_err_comp_cntr,

	.poll_cq = uroce_poll_cq,
	.describe_error = uroce_describe_error,
	.req_notify_cq = uroce_req_notify_cq,
	.post_send = uroce_post_send,
	.post_recv = uroce_post_recv,
	.post_srq_recv = uroce_post_srq_recv,
	.bind_mw = uroce_bind_mw,
};

struct chosen_device {
	const char *name;
	struct uroce_netdev netdev; /* receives the interface */
};

/* Reads the interface with a name or address. */
static int read_interface(const char *interface, struct uroce_netdev *ret_dev)
{
	struct uroce_netdev *devs;
	int nr, ret = -ENODEV;

	if (uroce_netdev_read(interface, ret_dev) == 0)
		return 0;
	nr = uroce_netdev_list(&devs);
	for (int i = 0; i < nr && ret; i++) {
		if (uroce_config_is_on(&devs[i], interface)) {
			*ret_dev = devs[i];
			ret = 0;
		}
	}
	if (nr >= 0)
		free(devs);
	return ret;
}

/* Return: whether @name is that of the device; 0: continue the search. */
static int read_chosen(void *arg, const char *name, const char *interface)
{
	struct chosen_device *device = arg;
	int ret;

	if (strcmp(name, device->name) != 0)
		return 0;
	ret = read_interface(interface, &device->netdev);
	return ret ? ret : 1;
}

/*
 * Reads the network interface of a device: its name contains that of the
 * interface, or the user's list has both.
 */
static int read_netdev(const struct ibv_device *device,
		       struct uroce_netdev *ret_dev)
{
	const size_t prefix = strlen(UROCE_NAME_PREFIX);
	struct chosen_device chosen = {};
	char wish[UROCE_WISH_LEN];
	int ret;

	if (!device)
		return -ENODEV;
	if (strncmp(device->name, UROCE_NAME_PREFIX, prefix) == 0)
		return uroce_netdev_read(device->name + prefix, ret_dev);
	chosen.name = device->name;
	uroce_config_read(UROCE_CONFIG_FILE, wish);
	ret = uroce_config_for_each_name(wish, false, read_chosen, &chosen);
	if (ret <= 0)
		return ret ? ret : -ENODEV;
	*ret_dev = chosen.netdev;
	return 0;
}

/*
 * Applications duplicate the cmd_fd of a context or set its flags, and treat a
 * failure of that as an error. So a process that may create no memory file gets
 * a descriptor that cannot be imported.
 */
static int open_cmd_fd(const struct ibv_device *device,
		       const struct uroce_origin *origin)
{
	int fd = uroce_cmd_file_new(device, origin);

	if (fd < 0)
		fd = eventfd(0, EFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int attach(struct uroce_context *ctx)
{
	struct ibv_context *ibctx = &ctx->vctx.context;
	struct uroce_origin origin;
	struct uroce_netdev netdev;
	int ret;

	ret = read_netdev(ibctx->device, &netdev);
	if (ret)
		return ret;
	ret = uroce_instance_attach(&netdev, &uroce_worker_callbacks, ctx,
				    &ctx->instance);
	if (ret)
		return ret;
	if (ibctx->cmd_fd < 0) {
		origin = uroce_instance_new_origin(ctx->instance);
		ret = open_cmd_fd(ibctx->device, &origin);
		if (ret < 0) {
			uroce_instance_detach(ctx->instance);
			return ret;
		}
		ibctx->cmd_fd = ret;
	}
	uroce_context_set_cmd_file(ctx);
	return 0;
}

static int uroce_open_context(struct verbs_device *dev,
			      struct verbs_cmd_file cmd_file,
			      struct verbs_context **ret_vctx)
{
	struct uroce_context *ctx;
	struct verbs_context *vctx;
	int ret;

	vctx = verbs_context_new(dev, cmd_file, sizeof(*ctx));
	if (!vctx)
		return -ENOMEM;
	ctx = to_uroce_context(&vctx->context);
	uroce_context_init(ctx);
	ret = attach(ctx);
	if (ret) {
		verbs_context_free(vctx);
		return ret;
	}
	if (cmd_file.imported)
		ret = uroce_context_import(ctx);
	if (ret) {
		uroce_instance_detach(ctx->instance);
		verbs_context_free(vctx);
		return ret;
	}
	ctx->memory = uroce_instance_memory(ctx->instance);
	uroce_report_port(&vctx->context, ctx->instance);
	vctx->context.num_comp_vectors = 1;
	verbs_context_set_ops(vctx, &uroce_context_ops);
	*ret_vctx = vctx;
	return 0;
}

static void uroce_close_context(struct verbs_context *vctx)
{
	struct uroce_context *ctx = to_uroce_context(&vctx->context);

	uroce_context_abandon(ctx);
	uroce_report_counters(&vctx->context, ctx->instance);
	uroce_instance_detach(ctx->instance);
	uroce_comp_channels_free(ctx);
	verbs_context_free(vctx);
}

static bool is_only_loopback(const struct uroce_netdev *devs, int nr)
{
	for (int i = 0; i < nr; i++)
		if (!devs[i].loopback)
			return false;
	return true;
}

/* The arguments of uroce_list_devices(), and the interfaces. */
struct device_scan {
	int (*add)(void *arg, const char *name, int node_type,
		   __be64 node_guid);
	void *arg;
	struct uroce_netdev *devs;
	int nr;
};

static int offer(const struct device_scan *scan, const char *name,
		 const struct uroce_netdev *dev)
{
	return scan->add(scan->arg, name, IBV_NODE_CA,
			 uroce_device_guid(name, dev));
}

/* Programs select a device by its name. */
static bool is_kernel_device(const char *name)
{
	char path[sizeof(SYSFS_DEVICES) + IBV_SYSFS_NAME_MAX];

	(void)snprintf(path, sizeof(path), SYSFS_DEVICES "%s", name);
	return access(path, F_OK) == 0;
}

static int offer_chosen(void *arg, const char *name, const char *interface)
{
	const struct device_scan *scan = arg;

	if (is_kernel_device(name)) {
		verbs_log(NULL, VERBS_LOG_WARN,
			  UROCE_DEVICES_VARIABLE
			  ": ignoring \"%s=%s\": the kernel has a device of "
			  "this name",
			  name, interface);
		return 0;
	}
	for (int i = 0; i < scan->nr; i++)
		if (uroce_config_is_on(&scan->devs[i], interface))
			return offer(scan, name, &scan->devs[i]);
	return 0;
}

static int offer_all(struct device_scan *scan, const char *wish)
{
	bool only_loopback = is_only_loopback(scan->devs, scan->nr);

	for (int i = 0; i < scan->nr; i++) {
		const struct uroce_netdev *dev = &scan->devs[i];
		char name[sizeof(UROCE_NAME_PREFIX) + IF_NAMESIZE];
		int ret;

		if (!uroce_config_wants(wish, dev, only_loopback))
			continue;
		(void)snprintf(name, sizeof(name), UROCE_NAME_PREFIX "%s",
			       dev->name);
		ret = offer(scan, name, dev);
		if (ret)
			return ret;
	}
	return uroce_config_for_each_name(wish, true, offer_chosen, scan);
}

static int uroce_list_devices(int (*add)(void *arg, const char *name,
					 int node_type, __be64 node_guid),
			      void *arg)
{
	struct device_scan scan = { .add = add, .arg = arg };
	char wish[UROCE_WISH_LEN];
	int ret;

	uroce_config_read(UROCE_CONFIG_FILE, wish);
	if (!*wish)
		return 0;
	scan.nr = uroce_netdev_list(&scan.devs);
	if (scan.nr < 0)
		return scan.nr;
	ret = offer_all(&scan, wish);
	free(scan.devs);
	return ret;
}

/* The only exported symbol of the module. */
extern const struct verbs_device_ops verbs_provider_uroce
	__attribute__((visibility("default")));

const struct verbs_device_ops verbs_provider_uroce = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "uroce",
	.list_devices = uroce_list_devices,
	.open_context = uroce_open_context,
	.is_cmd_file = uroce_is_cmd_file,
	.close_context = uroce_close_context,
};
