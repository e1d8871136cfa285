/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events: see ucm_event.h. Calls ucm_submit.c and libibverbs. */
#include "kernel/ucm_event.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "api/marshall.h"
#include "kernel/ucm_submit.h"

static_assert(sizeof(((struct ucma_abi_conn_param *)NULL)->private_data) >
			      UINT8_MAX &&
		      sizeof(((struct ucma_abi_ud_param *)NULL)->private_data) >
			      UINT8_MAX,
	      "private data of any length is inside of the event");

/* A kernel before 5.8 does not write the ECE at the end of the response. */
int ucm_cmd_get_event(int fd, struct ucm_event *ret_event)
{
	struct ucma_abi_event_resp response = { .event = UCM_NOT_WRITTEN };
	struct ucma_abi_get_event command = {
		.response = ucm_address(&response),
	};
	int ret;

	ret = ucm_submit(fd, UCMA_CMD_GET_EVENT, &command, sizeof(command),
			 sizeof(response));
	if (ret)
		return ret;
	if (response.event == UCM_NOT_WRITTEN)
		return -EPROTO;
	*ret_event = (struct ucm_event){
		.uid = response.uid,
		.id = response.id,
		.event = response.event,
		.status = (int)response.status,
		.ece.vendor_id = response.ece.vendor_id,
		.ece.options = response.ece.attr_mod,
		.response = response,
	};
	return 0;
}

struct rdma_conn_param ucm_event_conn(const struct ucm_event *event)
{
	const struct ucma_abi_conn_param *from = &event->response.param.conn;

	return (struct rdma_conn_param){
		.private_data = from->private_data_len ? from->private_data
						       : NULL,
		.private_data_len = from->private_data_len,
		.responder_resources = from->responder_resources,
		.initiator_depth = from->initiator_depth,
		.flow_control = from->flow_control,
		.retry_count = from->retry_count,
		.rnr_retry_count = from->rnr_retry_count,
		.srq = from->srq,
		.qp_num = from->qp_num,
	};
}

struct rdma_ud_param ucm_event_ud(const struct ucm_event *event)
{
	const struct ucma_abi_ud_param *from = &event->response.param.ud;
	struct ib_uverbs_ah_attr ah_attr = from->ah_attr;
	struct rdma_ud_param ret = {
		.private_data = from->private_data_len ? from->private_data
						       : NULL,
		.private_data_len = from->private_data_len,
		.qp_num = from->qp_num,
		.qkey = from->qkey,
	};

	ibv_copy_ah_attr_from_kern(&ret.ah_attr, &ah_attr);
	return ret;
}

uint64_t ucm_event_arg(const struct ucm_event *event)
{
	uint64_t arg;

	memcpy(&arg, event->response.param.arg32, sizeof(arg));
	return arg;
}

/*
 * Not struct ucma_abi_write_cm_event, the size of which is not the same on all
 * machines.
 */
struct event_write_command {
	struct ucma_abi_cmd_hdr header;
	uint32_t id;
	uint32_t reserved;
	uint32_t event;
	uint32_t status;
	uint64_t arg;
	uint8_t unused[296]; /* up to the size of the parameters of UD */
};
static_assert(sizeof(struct event_write_command) == 328,
	      "the kernel expects 320 bytes after the header");

int ucm_cmd_write_event(int fd, uint32_t id, enum rdma_cm_event_type event,
			int status, uint64_t arg)
{
	struct event_write_command command = {
		.id = id,
		.event = (uint32_t)event,
		.status = (uint32_t)status,
		.arg = arg,
	};

	return ucm_submit(fd, UCMA_CMD_WRITE_CM_EVENT, &command,
			  sizeof(command), 0);
}
