/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The library's headers before the kernel's: all names exist, including those
 * of newer kernels.
 */
#include <infiniband/verbs.h>

#include <infiniband/sa.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

int uapi_last(struct ib_uverbs_query_port_resp_ex *resp);

int uapi_last(struct ib_uverbs_query_port_resp_ex *resp)
{
	struct ib_uverbs_buffer_desc desc;

	desc.type = IB_UVERBS_BUFFER_TYPE_VA;
	return (int)(resp->active_speed_ex + desc.type);
}
