/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of completion counter ops. */
#include "foreign/foreign_adapt_group.h"

static int foreign_adapt_query_comp_cntr_caps(struct ibv_context *ctx,
					      struct ibv_comp_cntr_caps *caps)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(ctx)->query_comp_cntr_caps(
					       ctx, caps, sizeof(*caps)));
}

static int foreign_adapt_create_comp_cntr(struct ibv_context *ctx,
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

static int foreign_adapt_destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(cntr->context)->destroy_comp_cntr(cntr));
}

static int
foreign_adapt_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
				  struct ibv_qp_attach_comp_cntr_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(qp->context)->qp_attach_comp_cntr(qp, cntr, attr));
}

static int foreign_adapt_read_comp_cntr(struct ibv_comp_cntr *cntr,
					uint64_t *ret_value)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(cntr->context)->read_comp_cntr(cntr, ret_value));
}

static int foreign_adapt_set_comp_cntr(struct ibv_comp_cntr *cntr,
				       uint64_t value)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(cntr->context)->set_comp_cntr(cntr, value));
}

static int foreign_adapt_inc_comp_cntr(struct ibv_comp_cntr *cntr,
				       uint64_t amount)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(cntr->context)->inc_comp_cntr(cntr, amount));
}

static int foreign_adapt_read_err_comp_cntr(struct ibv_comp_cntr *cntr,
					    uint64_t *ret_value)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(cntr->context)
					->read_err_comp_cntr(cntr, ret_value));
}

static int foreign_adapt_set_err_comp_cntr(struct ibv_comp_cntr *cntr,
					   uint64_t value)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(cntr->context)->set_err_comp_cntr(cntr, value));
}

static int foreign_adapt_inc_err_comp_cntr(struct ibv_comp_cntr *cntr,
					   uint64_t amount)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(cntr->context)->inc_err_comp_cntr(cntr, amount));
}

void foreign_adapt_comp_cntr(const struct foreign_ops *foreign,
			     struct verbs_context_ops *ops)
{
	ops->query_comp_cntr_caps = foreign->query_comp_cntr_caps
					    ? foreign_adapt_query_comp_cntr_caps
					    : NULL;
	ops->create_comp_cntr = foreign->create_comp_cntr
					? foreign_adapt_create_comp_cntr
					: NULL;
	ops->destroy_comp_cntr = foreign->destroy_comp_cntr
					 ? foreign_adapt_destroy_comp_cntr
					 : NULL;
	ops->qp_attach_comp_cntr = foreign->qp_attach_comp_cntr
					   ? foreign_adapt_qp_attach_comp_cntr
					   : NULL;
	ops->read_comp_cntr =
		foreign->read_comp_cntr ? foreign_adapt_read_comp_cntr : NULL;
	ops->set_comp_cntr =
		foreign->set_comp_cntr ? foreign_adapt_set_comp_cntr : NULL;
	ops->inc_comp_cntr =
		foreign->inc_comp_cntr ? foreign_adapt_inc_comp_cntr : NULL;
	ops->read_err_comp_cntr = foreign->read_err_comp_cntr
					  ? foreign_adapt_read_err_comp_cntr
					  : NULL;
	ops->set_err_comp_cntr = foreign->set_err_comp_cntr
					 ? foreign_adapt_set_err_comp_cntr
					 : NULL;
	ops->inc_err_comp_cntr = foreign->inc_err_comp_cntr
					 ? foreign_adapt_inc_err_comp_cntr
					 : NULL;
}
