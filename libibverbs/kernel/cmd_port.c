/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of a port. Called by kernel-backed providers through
 * <provider/kernel.h> and by cmd_gid.c, calls submit.c.
 */
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/submit.h"
#include "kernel/uapi_newer.h"

static int cmd_port_query_ioctl(struct ibv_context *ctx, uint8_t port_num,
				struct ib_uverbs_query_port_resp_ex *ret_resp)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_QUERY_PORT);
	cmd_in_u64(&cmd, UVERBS_ATTR_QUERY_PORT_PORT_NUM, port_num);
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_PORT_RESP, ret_resp,
		    sizeof(*ret_resp));
	return submit_ioctl(ctx, &cmd);
}

/* Older kernels: members that this command does not have stay 0. */
static SUBMIT_SLOW_PATH int
cmd_port_query_write(struct ibv_context *ctx, uint8_t port_num,
		     struct ib_uverbs_query_port_resp *ret_resp)
{
	const struct ib_uverbs_query_port in = { .port_num = port_num };
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_QUERY_PORT,
		WRITE_IN(in),
		WRITE_OUT(*ret_resp),
	};

	return submit_write(ctx, &req);
}

int verbs_cmd_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr)
{
	struct ib_uverbs_query_port_resp_ex resp = {};
	const struct ib_uverbs_query_port_resp *base = &resp.legacy_resp;
	int ret = cmd_port_query_ioctl(ctx, port_num, &resp);

	if (ret == SUBMIT_NOT_OFFERED)
		ret = cmd_port_query_write(ctx, port_num, &resp.legacy_resp);
	if (ret)
		return ret;

	attr->state = base->state;
	attr->max_mtu = base->max_mtu;
	attr->active_mtu = base->active_mtu;
	attr->gid_tbl_len = (int)base->gid_tbl_len;
	attr->port_cap_flags = base->port_cap_flags;
	attr->max_msg_sz = base->max_msg_sz;
	attr->bad_pkey_cntr = base->bad_pkey_cntr;
	attr->qkey_viol_cntr = base->qkey_viol_cntr;
	attr->pkey_tbl_len = base->pkey_tbl_len;
	attr->lid = base->lid;
	attr->sm_lid = base->sm_lid;
	attr->lmc = base->lmc;
	attr->max_vl_num = base->max_vl_num;
	attr->sm_sl = base->sm_sl;
	attr->subnet_timeout = base->subnet_timeout;
	attr->init_type_reply = base->init_type_reply;
	attr->active_width = base->active_width;
	attr->active_speed = base->active_speed;
	attr->phys_state = base->phys_state;
	attr->link_layer = base->link_layer;
	attr->flags = base->flags;
	attr->port_cap_flags2 = resp.port_cap_flags2;
	attr->active_speed_ex = resp.active_speed_ex;
	return 0;
}

int verbs_cmd_query_port_speed(struct ibv_context *ctx, uint32_t port_num,
			       uint64_t *ret_speed)
{
	uint64_t speed = 0;
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, KERNEL_CAP_QUERY_PORT_SPEED);
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM,
		   port_num);
	cmd_out_ptr(&cmd, VERBS_UAPI_UVERBS_ATTR_QUERY_PORT_SPEED_RESP, &speed,
		    sizeof(speed));
	ret = submit_ioctl_only(ctx, &cmd);
	if (!ret)
		*ret_speed = speed;
	return ret;
}
