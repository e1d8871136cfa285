/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of ops of protection domains, thread domains and XRC domains. */
#include "foreign/foreign_adapt_group.h"

static int foreign_adapt_alloc_pd(struct ibv_context *ctx,
				  struct ibv_pd **ret_pd)
{
	int saved = foreign_call_begin();
	struct ibv_pd *pd = foreign_ops(ctx)->alloc_pd(ctx);
	int ret = foreign_call_object(saved, pd);

	if (ret)
		return ret;
	/*
	 * Providers that allocate PDs without a kernel command leave it NULL.
	 */
	pd->context = ctx;
	*ret_pd = pd;
	return 0;
}

static int foreign_adapt_dealloc_pd(struct ibv_pd *pd)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(pd->context)->dealloc_pd(pd));
}

static int foreign_adapt_import_pd(struct ibv_context *ctx, uint32_t handle,
				   struct ibv_pd **ret_pd)
{
	int saved = foreign_call_begin();
	struct ibv_pd *pd = foreign_ops(ctx)->import_pd(ctx, handle);
	int ret = foreign_call_object(saved, pd);

	if (ret == 0)
		*ret_pd = pd;
	return ret;
}

static int foreign_adapt_alloc_td(struct ibv_context *ctx,
				  struct ibv_td_init_attr *attr,
				  struct ibv_td **ret_td)
{
	int saved = foreign_call_begin();
	struct ibv_td *td = foreign_ops(ctx)->alloc_td(ctx, attr);
	int ret = foreign_call_object(saved, td);

	if (ret == 0)
		*ret_td = td;
	return ret;
}

static int foreign_adapt_dealloc_td(struct ibv_td *td)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(td->context)->dealloc_td(td));
}

static int
foreign_adapt_alloc_parent_domain(struct ibv_context *ctx,
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

static int foreign_adapt_open_xrcd(struct ibv_context *ctx,
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

static int foreign_adapt_close_xrcd(struct ibv_xrcd *xrcd)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(xrcd->context)->close_xrcd(xrcd));
}

void foreign_adapt_pd(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops)
{
	ops->alloc_pd = foreign->alloc_pd ? foreign_adapt_alloc_pd : NULL;
	ops->dealloc_pd = foreign->dealloc_pd ? foreign_adapt_dealloc_pd : NULL;
	ops->import_pd = foreign->import_pd ? foreign_adapt_import_pd : NULL;
	ops->unimport_pd = foreign->unimport_pd;
	ops->alloc_td = foreign->alloc_td ? foreign_adapt_alloc_td : NULL;
	ops->dealloc_td = foreign->dealloc_td ? foreign_adapt_dealloc_td : NULL;
	ops->alloc_parent_domain = foreign->alloc_parent_domain
					   ? foreign_adapt_alloc_parent_domain
					   : NULL;
	ops->open_xrcd = foreign->open_xrcd ? foreign_adapt_open_xrcd : NULL;
	ops->close_xrcd = foreign->close_xrcd ? foreign_adapt_close_xrcd : NULL;
}
