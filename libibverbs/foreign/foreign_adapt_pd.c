/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Foreign ops of protection domains, thread domains and XRC domains. */
#include "foreign/foreign_adapt_group.h"

static int alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	int saved = foreign_call_begin();
	struct ibv_pd *pd = foreign_ops(ctx)->alloc_pd(ctx);
	int ret = foreign_call_object(saved, pd);

	if (ret)
		return ret;
	/* not all fill it: those without a kernel command do not */
	pd->context = ctx;
	*ret_pd = pd;
	return 0;
}

static int dealloc_pd(struct ibv_pd *pd)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(pd->context)->dealloc_pd(pd));
}

static int import_pd(struct ibv_context *ctx, uint32_t handle,
		     struct ibv_pd **ret_pd)
{
	int saved = foreign_call_begin();
	struct ibv_pd *pd = foreign_ops(ctx)->import_pd(ctx, handle);
	int ret = foreign_call_object(saved, pd);

	if (ret == 0)
		*ret_pd = pd;
	return ret;
}

static int alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr,
		    struct ibv_td **ret_td)
{
	int saved = foreign_call_begin();
	struct ibv_td *td = foreign_ops(ctx)->alloc_td(ctx, attr);
	int ret = foreign_call_object(saved, td);

	if (ret == 0)
		*ret_td = td;
	return ret;
}

static int dealloc_td(struct ibv_td *td)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(td->context)->dealloc_td(td));
}

static int alloc_parent_domain(struct ibv_context *ctx,
			       struct ibv_parent_domain_init_attr *attr,
			       struct ibv_pd **ret_pd)
{
	int saved = foreign_call_begin();
	struct ibv_pd *pd = foreign_ops(ctx)->alloc_parent_domain(ctx, attr);
	int ret = foreign_call_object(saved, pd);

	if (ret == 0)
		*ret_pd = pd;
	return ret;
}

static int open_xrcd(struct ibv_context *ctx,
		     const struct ibv_xrcd_init_attr *attr,
		     struct ibv_xrcd **ret_xrcd)
{
	int saved = foreign_call_begin();
	struct ibv_xrcd *xrcd = foreign_ops(ctx)->open_xrcd(
		ctx, (struct ibv_xrcd_init_attr *)attr);
	int ret = foreign_call_object(saved, xrcd);

	if (ret == 0)
		*ret_xrcd = xrcd;
	return ret;
}

static int close_xrcd(struct ibv_xrcd *xrcd)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(xrcd->context)->close_xrcd(xrcd));
}

void foreign_adapt_pd(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours)
{
	ours->alloc_pd = theirs->alloc_pd ? alloc_pd : NULL;
	ours->dealloc_pd = theirs->dealloc_pd ? dealloc_pd : NULL;
	ours->import_pd = theirs->import_pd ? import_pd : NULL;
	ours->unimport_pd = theirs->unimport_pd;
	ours->alloc_td = theirs->alloc_td ? alloc_td : NULL;
	ours->dealloc_td = theirs->dealloc_td ? dealloc_td : NULL;
	ours->alloc_parent_domain =
		theirs->alloc_parent_domain ? alloc_parent_domain : NULL;
	ours->open_xrcd = theirs->open_xrcd ? open_xrcd : NULL;
	ours->close_xrcd = theirs->close_xrcd ? close_xrcd : NULL;
}
