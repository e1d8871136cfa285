/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Foreign ops of completion counters. */
#include "foreign/foreign_adapt_group.h"

static int query_comp_cntr_caps(struct ibv_context *ctx,
				struct ibv_comp_cntr_caps *caps)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(ctx)->query_comp_cntr_caps(
					       ctx, caps, sizeof(*caps)));
}

static int create_comp_cntr(struct ibv_context *ctx,
			    struct ibv_comp_cntr_init_attr *attr,
			    struct ibv_comp_cntr **ret_cntr)
{
	int saved = foreign_call_begin();
	struct ibv_comp_cntr *cntr =
		foreign_ops(ctx)->create_comp_cntr(ctx, attr);
	int ret = foreign_call_object(saved, cntr);

	if (ret == 0)
		*ret_cntr = cntr;
	return ret;
}

static int destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(cntr->context)->destroy_comp_cntr(cntr));
}

static int qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
			       struct ibv_qp_attach_comp_cntr_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(qp->context)->qp_attach_comp_cntr(qp, cntr, attr));
}

static int read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(cntr->context)->read_comp_cntr(cntr, ret_value));
}

static int set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(cntr->context)->set_comp_cntr(cntr, value));
}

static int inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(cntr->context)->inc_comp_cntr(cntr, amount));
}

static int read_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(cntr->context)
					->read_err_comp_cntr(cntr, ret_value));
}

static int set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(cntr->context)->set_err_comp_cntr(cntr, value));
}

static int inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(cntr->context)->inc_err_comp_cntr(cntr, amount));
}

void foreign_adapt_comp_cntr(const struct foreign_ops *theirs,
			     struct verbs_context_ops *ours)
{
	ours->query_comp_cntr_caps =
		theirs->query_comp_cntr_caps ? query_comp_cntr_caps : NULL;
	ours->create_comp_cntr = theirs->create_comp_cntr ? create_comp_cntr
							  : NULL;
	ours->destroy_comp_cntr = theirs->destroy_comp_cntr ? destroy_comp_cntr
							    : NULL;
	ours->qp_attach_comp_cntr =
		theirs->qp_attach_comp_cntr ? qp_attach_comp_cntr : NULL;
	ours->read_comp_cntr = theirs->read_comp_cntr ? read_comp_cntr : NULL;
	ours->set_comp_cntr = theirs->set_comp_cntr ? set_comp_cntr : NULL;
	ours->inc_comp_cntr = theirs->inc_comp_cntr ? inc_comp_cntr : NULL;
	ours->read_err_comp_cntr =
		theirs->read_err_comp_cntr ? read_err_comp_cntr : NULL;
	ours->set_err_comp_cntr = theirs->set_err_comp_cntr ? set_err_comp_cntr
							    : NULL;
	ours->inc_err_comp_cntr = theirs->inc_err_comp_cntr ? inc_err_comp_cntr
							    : NULL;
}
