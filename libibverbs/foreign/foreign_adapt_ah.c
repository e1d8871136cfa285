/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Foreign ops of address handles and multicast groups. */
#include "foreign/foreign_adapt_group.h"

static int create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
		     struct ibv_ah **ret_ah)
{
	int saved = foreign_call_begin();
	struct ibv_ah *ah = foreign_ops(pd->context)->create_ah(pd, attr);
	int ret = foreign_call_object(saved, ah);

	if (ret)
		return ret;
	/* not all fill them: an address handle may be the provider's alone */
	ah->context = pd->context;
	ah->pd = pd;
	*ret_ah = ah;
	return 0;
}

static int destroy_ah(struct ibv_ah *ah)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(ah->context)->destroy_ah(ah));
}

static int attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			uint16_t lid)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(qp->context)->attach_mcast(qp, gid, lid));
}

static int detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			uint16_t lid)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(qp->context)->detach_mcast(qp, gid, lid));
}

void foreign_adapt_ah(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours)
{
	ours->create_ah = theirs->create_ah ? create_ah : NULL;
	ours->destroy_ah = theirs->destroy_ah ? destroy_ah : NULL;
	ours->attach_mcast = theirs->attach_mcast ? attach_mcast : NULL;
	ours->detach_mcast = theirs->detach_mcast ? detach_mcast : NULL;
}
