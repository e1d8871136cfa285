/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow steering rules. Called by kernel-backed providers through
 * <provider/kernel.h>, calls flow_spec.c and submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/cmd_destroy.h"
#include "kernel/flow_spec.h"
#include "kernel/submit.h"

#define EXTENDED   IB_USER_VERBS_CMD_FLAG_EXTENDED
#define HEADER_LEN sizeof(struct ib_uverbs_create_flow)

/* The header, followed by the specifications. */
struct flow_request {
	uint64_t words[(HEADER_LEN + FLOW_SPEC_MAX * FLOW_SPEC_MAX_LEN) / 8];
	size_t len; /* bytes in use */
};

/*
 * attr->comp_mask and attr->size are ignored: each specification contains its
 * own type and size.
 */
static int cmd_flow_put_specs(struct flow_request *request,
			      const struct ibv_flow_attr *attr)
{
	const char *spec = (const char *)(attr + 1);

	if (attr->num_of_specs > FLOW_SPEC_MAX)
		return -EINVAL;
	request->len = HEADER_LEN;
	for (int i = 0; i < attr->num_of_specs; i++) {
		char *to = (char *)request->words + request->len;
		size_t from_len = 0, to_len = 0;
		int ret;

		memset(to, 0, FLOW_SPEC_MAX_LEN);
		ret = flow_spec_to_kernel(spec, to, &from_len, &to_len);
		if (ret)
			return ret;
		spec += from_len;
		request->len += to_len;
	}
	return 0;
}

static void cmd_flow_put_header(struct flow_request *request,
				const struct ibv_qp *qp,
				const struct ibv_flow_attr *attr)
{
	const struct ib_uverbs_create_flow header = {
		.qp_handle = qp->handle,
		.flow_attr = {
			.type = attr->type,
			.size = (uint16_t)(request->len - HEADER_LEN),
			.priority = attr->priority,
			.num_of_specs = attr->num_of_specs,
			.port = attr->port,
			.flags = attr->flags,
		},
	};

	memcpy(request->words, &header, sizeof(header));
}

int verbs_cmd_create_flow(struct ibv_qp *qp, struct ibv_flow *flow,
			  const struct ibv_flow_attr *attr,
			  const struct verbs_udata *udata)
{
	struct ib_uverbs_create_flow_resp out = {};
	struct flow_request in;
	struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_FLOW | EXTENDED,
		.in = in.words,
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret = cmd_flow_put_specs(&in, attr);

	if (ret)
		return ret;
	cmd_flow_put_header(&in, qp, attr);
	req.in_len = in.len;
	ret = submit_write_ex(qp->context, &req);
	if (ret)
		return ret;
	flow->context = qp->context;
	flow->handle = out.flow_handle;
	return 0;
}

int verbs_cmd_destroy_flow(struct ibv_flow *flow)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_FLOW,
		.handle_attr = UVERBS_ATTR_DESTROY_FLOW_HANDLE,
		.write_command = IB_USER_VERBS_EX_CMD_DESTROY_FLOW | EXTENDED,
	};

	return cmd_destroy_by_handle(flow->context, &destroy, flow->handle);
}
