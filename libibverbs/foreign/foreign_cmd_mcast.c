/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups of a QP, for foreign providers. Calls kernel/cmd_mcast.c. */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"

int foreign_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			     uint16_t lid)
{
	return foreign_errno(verbs_cmd_attach_mcast(qp, gid, lid));
}
FOREIGN_EXPORT_ALL(foreign_cmd_attach_mcast, ibv_cmd_attach_mcast)

int foreign_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			     uint16_t lid)
{
	return foreign_errno(verbs_cmd_detach_mcast(qp, gid, lid));
}
FOREIGN_EXPORT_ALL(foreign_cmd_detach_mcast, ibv_cmd_detach_mcast)
