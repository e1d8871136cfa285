/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ops of the data path. No lock is held while the provider runs. */
#include "layers/validate/validate.h"

static int validate_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			      struct ibv_send_wr **bad_wr)
{
	struct ibv_send_wr *bad = NULL;
	int ret = validate_below(qp->context)->post_send(qp, wr, &bad);

	if (__builtin_expect(ret != 0, 0)) {
		if (bad_wr)
			*bad_wr = bad;
		validate_send_failed(qp, bad, ret);
	}
	return ret;
}

static int validate_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **bad_wr)
{
	struct ibv_recv_wr *bad = NULL;
	int ret = validate_below(qp->context)->post_recv(qp, wr, &bad);

	if (__builtin_expect(ret != 0, 0)) {
		if (bad_wr)
			*bad_wr = bad;
		validate_recv_failed(qp, bad, ret);
	}
	return ret;
}

static int validate_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
				  struct ibv_recv_wr **bad_wr)
{
	struct ibv_recv_wr *bad = NULL;
	int ret = validate_below(srq->context)->post_srq_recv(srq, wr, &bad);

	if (__builtin_expect(ret != 0, 0)) {
		if (bad_wr)
			*bad_wr = bad;
		validate_srq_recv_failed(srq, bad, ret);
	}
	return ret;
}

void validate_replace_data_ops(struct verbs_context_ops *table)
{
	VALIDATE_REPLACE(table, post_send);
	VALIDATE_REPLACE(table, post_recv);
	VALIDATE_REPLACE(table, post_srq_recv);
}
