/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's headers before those of the library: the kernel's copy of the
 * shared names takes effect, and the library's headers must compile with it,
 * whatever its age.
 */
#include <rdma/ib_user_ioctl_verbs.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include <infiniband/sa.h>
#include <infiniband/verbs.h>

int uapi_first(struct ib_uverbs_query_port_resp_ex *resp);

int uapi_first(struct ib_uverbs_query_port_resp_ex *resp)
{
	return resp->port_cap_flags2 & IBV_PORT_LINK_SPEED_XDR_SUP;
}
