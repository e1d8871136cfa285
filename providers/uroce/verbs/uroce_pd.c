/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protection domains: a number that regions, windows and queues share. A
 * parent domain has the number of its PD; queues that are created with a parent
 * domain that has a thread domain take no locks. The allocators of a parent
 * domain are not called: they are for queues in memory that hardware accesses.
 */
#include <errno.h>
#include <stdlib.h>

#include "uroce/verbs/uroce_verbs.h"

int uroce_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	struct uroce_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return -ENOMEM;
	pd->number = uroce_instance_new_pd(to_uroce_context(ctx)->instance);
	pd->pd.context = ctx;
	pd->pd.handle = pd->number;
	pd->identity = (struct uroce_identity){ ctx, pd->number };
	uroce_instance_lock(to_uroce_context(ctx)->instance);
	list_add_tail(&to_uroce_context(ctx)->pds, &pd->entry);
	uroce_pd_publish_locked(pd, true);
	uroce_instance_unlock(to_uroce_context(ctx)->instance);
	*ret_pd = &pd->pd;
	return 0;
}

/*
 * Removes a PD that can be imported from the list of its context. An import
 * counts as a user with the same lock.
 */
static int pd_leave(struct uroce_pd *pd)
{
	struct uroce_instance *instance =
		to_uroce_context(pd->pd.context)->instance;
	bool in_use;

	uroce_instance_lock(instance);
	in_use = uroce_in_use(&pd->users);
	if (!in_use) {
		list_del(&pd->entry);
		uroce_pd_publish_locked(pd, false);
	}
	uroce_instance_unlock(instance);
	return in_use ? -EBUSY : 0;
}

int uroce_dealloc_pd(struct ibv_pd *ibpd)
{
	struct uroce_pd *pd = to_uroce_pd(ibpd);
	int ret = uroce_check_pd(ibpd);

	if (ret)
		return ret;
	if (pd->imported)
		return -EINVAL;
	if (uroce_in_use(&pd->users))
		return -EBUSY;
	if (!pd->parent)
		ret = pd_leave(pd);
	if (ret)
		return ret;
	if (pd->parent)
		uroce_pd_put(pd->parent);
	if (pd->td)
		(void)uroce_unuse(&pd->td->users);
	free(pd);
	return 0;
}

int uroce_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr,
		   struct ibv_td **ret_td)
{
	struct uroce_td *td = calloc(1, sizeof(*td));

	if (!td)
		return -ENOMEM;
	td->td.context = ctx;
	td->identity.context = ctx;
	*ret_td = &td->td;
	return 0;
}

int uroce_dealloc_td(struct ibv_td *ibtd)
{
	struct uroce_td *td = to_uroce_td(ibtd);
	int ret = uroce_check_td(ibtd);

	if (ret)
		return ret;
	if (uroce_in_use(&td->users))
		return -EBUSY;
	free(td);
	return 0;
}

int uroce_alloc_parent_domain(struct ibv_context *ctx,
			      struct ibv_parent_domain_init_attr *attr,
			      struct ibv_pd **ret_pd)
{
	struct uroce_pd *parent = to_uroce_pd(attr->pd);
	struct uroce_pd *pd;
	int ret;

	ret = uroce_check_pd(attr->pd);
	if (ret == 0)
		ret = uroce_check_td(attr->td);
	if (ret)
		return ret;
	if (parent->parent)
		return -EINVAL;
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return -ENOMEM;
	pd->number = parent->number;
	pd->parent = parent;
	uroce_use(&parent->users);
	if (attr->td) {
		pd->td = to_uroce_td(attr->td);
		uroce_use(&pd->td->users);
	}
	pd->pd.context = ctx;
	pd->pd.handle = pd->number;
	pd->identity = (struct uroce_identity){ ctx, pd->number };
	*ret_pd = &pd->pd;
	return 0;
}
