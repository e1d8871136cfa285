/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands of connections: see ucm_cmd.h. Calls ucm_submit.c and libibverbs.
 *
 * The kernel ignores the length of most commands and reads the largest struct
 * that it knows, so each command has its full size.
 */
#include "kernel/ucm_cmd.h"

#include <assert.h>
#include <errno.h>
#include <rdma/rdma_cma_abi.h>
#include <string.h>

#include "api/marshall.h"
#include "kernel/ucm_submit.h"

static_assert(RDMA_MAX_PRIVATE_DATA > UINT8_MAX,
	      "private data of any length fits into a command");

int ucm_cmd_listen(int fd, uint32_t id, int backlog)
{
	struct ucma_abi_listen command = {
		.id = id,
		.backlog = (uint32_t)backlog,
	};

	return ucm_submit(fd, UCMA_CMD_LISTEN, &command, sizeof(command), 0);
}

static struct ucma_abi_ece conn_ece(const struct ibv_ece *ece)
{
	return (struct ucma_abi_ece){
		.vendor_id = ece ? ece->vendor_id : 0,
		.attr_mod = ece ? ece->options : 0,
	};
}

static int conn_put_private_data(uint8_t *to, const void *from, uint8_t len)
{
	if (!len)
		return 0;
	if (!from)
		return -EINVAL;
	memcpy(to, from, len);
	return 0;
}

static int conn_put_param(struct ucma_abi_conn_param *to,
			  const struct rdma_conn_param *from)
{
	to->qp_num = from->qp_num;
	to->private_data_len = from->private_data_len;
	to->srq = from->srq;
	to->responder_resources = from->responder_resources;
	to->initiator_depth = from->initiator_depth;
	to->flow_control = from->flow_control;
	to->retry_count = from->retry_count;
	to->rnr_retry_count = from->rnr_retry_count;
	to->valid = 1;
	return conn_put_private_data(to->private_data, from->private_data,
				     from->private_data_len);
}

int ucm_cmd_connect(int fd, uint32_t id, const struct rdma_conn_param *param,
		    const struct ibv_ece *ece)
{
	struct ucma_abi_connect command = { .id = id, .ece = conn_ece(ece) };
	int ret = conn_put_param(&command.conn_param, param);

	if (ret)
		return ret;
	return ucm_submit(fd, UCMA_CMD_CONNECT, &command, sizeof(command), 0);
}

int ucm_cmd_accept(int fd, uint32_t id, uint64_t uid,
		   const struct rdma_conn_param *param,
		   const struct ibv_ece *ece)
{
	struct ucma_abi_accept command = {
		.uid = uid,
		.id = id,
		.ece = conn_ece(ece),
	};
	int ret = conn_put_param(&command.conn_param, param);

	if (ret)
		return ret;
	return ucm_submit(fd, UCMA_CMD_ACCEPT, &command, sizeof(command), 0);
}

/* An ACCEPT without parameters. */
int ucm_cmd_confirm(int fd, uint32_t id)
{
	struct ucma_abi_accept command = { .id = id };

	return ucm_submit(fd, UCMA_CMD_ACCEPT, &command, sizeof(command), 0);
}

int ucm_cmd_reject(int fd, uint32_t id, const void *private_data,
		   uint8_t private_data_len, uint8_t reason)
{
	struct ucma_abi_reject command = {
		.id = id,
		.private_data_len = private_data_len,
		.reason = reason,
	};
	int ret = conn_put_private_data(command.private_data, private_data,
					private_data_len);

	if (ret)
		return ret;
	return ucm_submit(fd, UCMA_CMD_REJECT, &command, sizeof(command), 0);
}

int ucm_cmd_disconnect(int fd, uint32_t id)
{
	struct ucma_abi_disconnect command = { .id = id };

	return ucm_submit(fd, UCMA_CMD_DISCONNECT, &command, sizeof(command),
			  0);
}

int ucm_cmd_init_qp_attr(int fd, uint32_t id, enum ibv_qp_state state,
			 struct ibv_qp_attr *ret_attr, int *ret_mask)
{
	struct ib_uverbs_qp_attr response = { .qp_attr_mask = UCM_NOT_WRITTEN };
	struct ucma_abi_init_qp_attr command = {
		.response = ucm_address(&response),
		.id = id,
		.qp_state = (uint32_t)state,
	};
	int ret;

	ret = ucm_submit(fd, UCMA_CMD_INIT_QP_ATTR, &command, sizeof(command),
			 sizeof(response));
	if (ret)
		return ret;
	if (response.qp_attr_mask == UCM_NOT_WRITTEN)
		return -EPROTO;
	*ret_attr = (struct ibv_qp_attr){ .qp_state = state };
	ibv_copy_qp_attr_from_kern(ret_attr, &response);
	*ret_mask = (int)response.qp_attr_mask;
	return 0;
}
