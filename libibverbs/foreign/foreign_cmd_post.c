/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data path of foreign providers whose queues are not mapped into the
 * process: posting and polling are system calls. Calls kernel/cmd_post.c.
 */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"

int foreign_cmd_poll_cq(struct ibv_cq *cq, int ne, struct ibv_wc *wc)
{
	int ret = verbs_cmd_poll_cq(cq, ne, wc);

	return foreign_errno(ret) ? -1 : ret;
}
FOREIGN_EXPORT_ALL(foreign_cmd_poll_cq, ibv_cmd_poll_cq)

int foreign_cmd_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			  struct ibv_send_wr **bad_wr)
{
	return foreign_errno(verbs_cmd_post_send(qp, wr, bad_wr));
}
FOREIGN_EXPORT_ALL(foreign_cmd_post_send, ibv_cmd_post_send)

int foreign_cmd_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			  struct ibv_recv_wr **bad_wr)
{
	return foreign_errno(verbs_cmd_post_recv(qp, wr, bad_wr));
}
FOREIGN_EXPORT_ALL(foreign_cmd_post_recv, ibv_cmd_post_recv)

int foreign_cmd_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **bad_wr)
{
	return foreign_errno(verbs_cmd_post_srq_recv(srq, wr, bad_wr));
}
FOREIGN_EXPORT_ALL(foreign_cmd_post_srq_recv, ibv_cmd_post_srq_recv)
