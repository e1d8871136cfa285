/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address handles. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c.
 */
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

static struct ib_uverbs_ah_attr
cmd_ah_attr_to_kernel(const struct ibv_ah_attr *attr)
{
	struct ib_uverbs_ah_attr ret = {
		.grh.flow_label = attr->grh.flow_label,
		.grh.sgid_index = attr->grh.sgid_index,
		.grh.hop_limit = attr->grh.hop_limit,
		.grh.traffic_class = attr->grh.traffic_class,
		.dlid = attr->dlid,
		.sl = attr->sl,
		.src_path_bits = attr->src_path_bits,
		.static_rate = attr->static_rate,
		.is_global = attr->is_global,
		.port_num = attr->port_num,
	};

	memcpy(ret.grh.dgid, &attr->grh.dgid, sizeof(ret.grh.dgid));
	return ret;
}

int verbs_cmd_create_ah(struct ibv_pd *pd, const struct ibv_ah_attr *attr,
			struct ibv_ah *ah, const struct verbs_udata *udata)
{
	const struct ib_uverbs_create_ah in = {
		.user_handle = cmd_addr(ah),
		.pd_handle = pd->handle,
		.attr = cmd_ah_attr_to_kernel(attr),
	};
	struct ib_uverbs_create_ah_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_CREATE_AH,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret = submit_write(pd->context, &req);

	if (ret)
		return ret;
	ah->context = pd->context;
	ah->pd = pd;
	ah->handle = out.ah_handle;
	return 0;
}

int verbs_cmd_destroy_ah(struct ibv_ah *ah)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_AH,
		.handle_attr = UVERBS_ATTR_DESTROY_AH_HANDLE,
		.write_command = IB_USER_VERBS_CMD_DESTROY_AH,
	};

	return cmd_destroy_by_handle(ah->context, &destroy, ah->handle);
}
