/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of address handle and multicast ops. */
#include "foreign/foreign_adapt_group.h"

static int foreign_adapt_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
				   struct ibv_ah **ret_ah)
{
	int saved = foreign_call_begin();
	struct ibv_ah *ah = foreign_ops(pd->context)->create_ah(pd, attr);
	int ret = foreign_call_object(saved, ah);

	if (ret)
		return ret;
	/*
	 * Providers that create address handles without a kernel command leave
	 * these members NULL.
	 */
	ah->context = pd->context;
	ah->pd = pd;
	*ret_ah = ah;
	return 0;
}

static int foreign_adapt_destroy_ah(struct ibv_ah *ah)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(ah->context)->destroy_ah(ah));
}

static int foreign_adapt_attach_mcast(struct ibv_qp *qp,
				      const union ibv_gid *gid, uint16_t lid)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(qp->context)->attach_mcast(qp, gid, lid));
}

static int foreign_adapt_detach_mcast(struct ibv_qp *qp,
				      const union ibv_gid *gid, uint16_t lid)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(qp->context)->detach_mcast(qp, gid, lid));
}

void foreign_adapt_ah(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops)
{
	ops->create_ah = foreign->create_ah ? foreign_adapt_create_ah : NULL;
	ops->destroy_ah = foreign->destroy_ah ? foreign_adapt_destroy_ah : NULL;
	ops->attach_mcast = foreign->attach_mcast ? foreign_adapt_attach_mcast
						  : NULL;
	ops->detach_mcast = foreign->detach_mcast ? foreign_adapt_detach_mcast
						  : NULL;
}
