/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ops of the data path. No lock is held while the provider runs. */
#include "layers/validate/validate.h"

/*
 * Counts the requests after the last one with a completion. Threads that post
 * to one QP may disturb the count, but requests that are all unsignaled cannot.
 */
static void data_count_unsignaled(struct validate_qp *state,
				  const struct ibv_send_wr *wr,
				  const struct ibv_send_wr *bad)
{
	unsigned int nr = VALIDATE_LOAD(state->nr_unsignaled);

	for (; wr && wr != bad; wr = wr->next)
		nr = state->signals_all || (wr->send_flags & IBV_SEND_SIGNALED)
			     ? 0
			     : nr + 1;
	VALIDATE_STORE(state->nr_unsignaled, nr);
}

static int validate_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			      struct ibv_send_wr **bad_wr)
{
	struct layers_record *record = layers_record_find(qp);
	struct ibv_send_wr *bad = NULL;
	int ret;

	if (record && !validate_sends(qp, &record->qp, wr)) {
		if (bad_wr)
			*bad_wr = wr;
		return EINVAL;
	}
	if (record)
		validate_note_post(record);
	ret = validate_below(qp->context)->post_send(qp, wr, &bad);
	if (__builtin_expect(ret != 0, 0)) {
		if (bad_wr)
			*bad_wr = bad;
		validate_send_failed(qp, bad, ret);
	}
	if (!record)
		return ret;
	if (ret == 0 || bad)
		data_count_unsignaled(&record->qp.validate, wr, bad);
	if (__builtin_expect(VALIDATE_LOAD(record->qp.validate.failed_status),
			     0))
		validate_failed_post(qp, &record->qp);
	return ret;
}

static int validate_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **bad_wr)
{
	const struct layers_record *record = layers_record_find(qp);
	struct ibv_recv_wr *bad = NULL;
	int ret;

	if (record && !validate_recvs(qp, &record->qp, wr)) {
		if (bad_wr)
			*bad_wr = wr;
		return EINVAL;
	}
	ret = validate_below(qp->context)->post_recv(qp, wr, &bad);
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
	const struct layers_record *record = layers_record_find(srq);
	struct ibv_recv_wr *bad = NULL;
	int ret;

	if (record && !validate_srq_recvs(srq, &record->srq, wr)) {
		if (bad_wr)
			*bad_wr = wr;
		return EINVAL;
	}
	ret = validate_below(srq->context)->post_srq_recv(srq, wr, &bad);
	if (__builtin_expect(ret != 0, 0)) {
		if (bad_wr)
			*bad_wr = bad;
		validate_srq_recv_failed(srq, bad, ret);
	}
	return ret;
}

/* The request is not counted, so nothing is known of it. */
static int validate_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
			    struct ibv_mw_bind *bind)
{
	const struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
	};
	struct layers_record *record = layers_record_find(qp);
	struct layers_posting posting;
	int ret;

	if (!validate_bind_objects("ibv_bind_mw", qp, mw, bind->bind_info.mr))
		return EINVAL;
	validate_bind(qp, bind->wr_id, &bind->bind_info);
	if (record)
		posting = layers_track_sends(&record->qp.send, &wr);
	ret = validate_below(qp->context)->bind_mw(qp, mw, bind);
	if (record) {
		layers_track_sent(&record->qp.send, &posting, &wr, &wr, ret);
		VALIDATE_STORE(record->qp.validate.nr_unsignaled, 0);
	}
	return ret;
}

/* Its requests may have the completions of the receive requests. */
static int validate_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *wr,
				 struct ibv_ops_wr **bad_wr)
{
	struct layers_record *record = layers_record_find(srq);

	if (record)
		layers_track_miss(&record->srq.recv);
	return validate_below(srq->context)->post_srq_ops(srq, wr, bad_wr);
}

static int validate_poll_cq(struct ibv_cq *cq, int num_entries,
			    struct ibv_wc *wc)
{
	int nr = validate_below(cq->context)->poll_cq(cq, num_entries, wc);

	validate_polled(cq, wc, nr);
	for (int i = 0; i < nr; i++)
		validate_completed(cq, &(const struct validate_completion){
					       .wr_id = wc[i].wr_id,
					       .status = wc[i].status,
					       .opcode = (int)wc[i].opcode,
					       .qp_num = wc[i].qp_num,
				       });
	return nr;
}

void validate_replace_data_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, validate, post_send);
	LAYERS_REPLACE(table, validate, post_recv);
	LAYERS_REPLACE(table, validate, post_srq_recv);
	LAYERS_REPLACE(table, validate, post_srq_ops);
	LAYERS_REPLACE(table, validate, poll_cq);
	LAYERS_REPLACE(table, validate, bind_mw);
}
