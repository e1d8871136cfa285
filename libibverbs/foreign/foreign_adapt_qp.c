/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of queue pair ops. A provider has two ops to create a QP: create_qp
 * takes struct ibv_qp_init_attr, which is the start of struct
 * ibv_qp_init_attr_ex; create_qp_ex takes the latter. The ibv_cmd_*() functions
 * that these ops call initialise all members of the QP.
 */
#include <errno.h>
#include <string.h>

#include "foreign/foreign_adapt_group.h"

#define CHECK_SAME(member)                                                   \
	_Static_assert(offsetof(struct ibv_qp_init_attr, member) ==          \
			       offsetof(struct ibv_qp_init_attr_ex, member), \
		       "ibv_qp_init_attr begins ibv_qp_init_attr_ex")

CHECK_SAME(qp_context);
CHECK_SAME(cap);
CHECK_SAME(sq_sig_all);

_Static_assert(offsetof(struct verbs_qp, comp_mask) == sizeof(struct ibv_qp_ex),
	       "comp_mask follows ibv_qp_ex");

/*
 * The context whose create_qp op runs in this thread, or NULL.
 *
 * Some providers implement create_qp by a call of create_qp_ex in the public
 * table of the context. That call must reach the provider's create_qp_ex, even
 * with the comp_mask of ibv_create_qp(), which selects create_qp otherwise.
 *
 * This cannot be an argument: neither create_qp(pd, attr) nor create_qp_ex(ctx,
 * attr_ex) has room for a mark, and the provider passes attributes of its own
 * to the latter. It cannot be a member of the context: several threads may
 * create QPs on one context at a time, and only the thread connects the two
 * calls.
 */
static _Thread_local const struct ibv_context *creating;

static struct ibv_qp *
foreign_adapt_call_create_qp(struct ibv_context *ctx,
			     struct ibv_qp_init_attr_ex *attr)
{
	const struct ibv_context *outer = creating;
	struct ibv_qp *qp;

	creating = ctx;
	qp = foreign_ops(ctx)->create_qp(attr->pd,
					 (struct ibv_qp_init_attr *)attr);
	creating = outer;
	return qp;
}

static int foreign_adapt_create_qp(struct ibv_context *ctx,
				   struct ibv_qp_init_attr_ex *attr,
				   struct verbs_qp **ret_vqp)
{
	const struct foreign_ops *ops = foreign_ops(ctx);
	bool basic = attr->comp_mask == IBV_QP_INIT_ATTR_PD && creating != ctx;
	struct ibv_qp *qp;
	int saved, ret;

	if (basic ? !ops->create_qp : !ops->create_qp_ex)
		return -EOPNOTSUPP;

	saved = foreign_call_begin();
	qp = basic ? foreign_adapt_call_create_qp(ctx, attr)
		   : ops->create_qp_ex(ctx, attr);
	ret = foreign_call_object(saved, qp);
	if (ret == 0)
		*ret_vqp = verbs_container_of(qp, struct verbs_qp, qp);
	return ret;
}

static int foreign_adapt_open_qp(struct ibv_context *ctx,
				 struct ibv_qp_open_attr *attr,
				 struct verbs_qp **ret_vqp)
{
	int saved = foreign_call_begin();
	struct ibv_qp *qp = foreign_ops(ctx)->open_qp(ctx, attr);
	int ret = foreign_call_object(saved, qp);

	if (ret == 0)
		*ret_vqp = verbs_container_of(qp, struct verbs_qp, qp);
	return ret;
}

static int foreign_adapt_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
				   int attr_mask)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(qp->context)->modify_qp(qp, attr, attr_mask));
}

static int foreign_adapt_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
				  int attr_mask,
				  struct ibv_qp_init_attr *init_attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(qp->context)
			       ->query_qp(qp, attr, attr_mask, init_attr));
}

static int foreign_adapt_destroy_qp(struct ibv_qp *qp)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(qp->context)->destroy_qp(qp));
}

static int
foreign_adapt_modify_qp_rate_limit(struct ibv_qp *qp,
				   struct ibv_qp_rate_limit_attr *attr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved,
		foreign_ops(qp->context)->modify_qp_rate_limit(qp, attr));
}

static int foreign_adapt_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(qp->context)->set_ece(qp, ece));
}

static int foreign_adapt_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(qp->context)->query_ece(qp, ece));
}

/* The op cannot report an error: 0 means that no order is guaranteed. */
static int foreign_adapt_query_qp_data_in_order(struct ibv_qp *qp,
						enum ibv_wr_opcode op,
						uint32_t flags)
{
	const int known = IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG |
			  IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES;
	int caps =
		foreign_ops(qp->context)->query_qp_data_in_order(qp, op, flags);

	return caps > 0 ? caps & known : 0;
}

/*
 * Offsets of verbs_qp.comp_mask in providers of private ABI 34. It follows the
 * function pointers of ibv_qp_ex, two of which were added under that number.
 * Indexed by foreign_qp_layout().
 */
static const size_t mask_places[] = {
	offsetof(struct ibv_qp_ex, wr_atomic_write), /* up to v43 */
	offsetof(struct ibv_qp_ex, wr_flush),	     /* v44 */
	sizeof(struct ibv_qp_ex),		     /* from v45 on */
};

#define NR_MASK_PLACES (sizeof(mask_places) / sizeof(mask_places[0]))

static uint32_t foreign_adapt_qp_mask_at(const struct ibv_qp *qp, size_t place)
{
	uint32_t mask;

	memcpy(&mask, (const char *)qp + place, sizeof(mask));
	return mask;
}

/*
 * Search for comp_mask in a QP of an unknown release. comp_mask of an extended
 * QP cannot be mistaken for a pointer, so the first word with one of its values
 * is the mask.
 *
 * A QP without functions is not extended and is not searched. In all others the
 * search ends at comp_mask at the latest (at the first offset up to v43, at the
 * second in v44), so it never takes provider memory behind verbs_qp for a mask.
 */
static bool foreign_adapt_qp_find_ex_mask(const struct ibv_qp *qp)
{
	const struct ibv_qp_ex *qp_ex =
		verbs_container_of(qp, struct ibv_qp_ex, qp_base);

	if (!qp_ex->wr_start)
		return false;
	for (size_t i = 0; i < NR_MASK_PLACES; i++) {
		uint32_t mask = foreign_adapt_qp_mask_at(qp, mask_places[i]);

		if (mask == VERBS_QP_MASK_EX ||
		    mask == (VERBS_QP_MASK_EX | VERBS_QP_MASK_XRCD))
			return true;
	}
	return false;
}

static bool foreign_adapt_qp_is_extended(const struct ibv_qp *qp)
{
	unsigned int release = foreign_release(qp->context);
	size_t place = sizeof(struct ibv_qp_ex);

	if (foreign_variant(qp->context)->qp_mask_moved) {
		if (!release)
			return foreign_adapt_qp_find_ex_mask(qp);
		place = mask_places[foreign_qp_layout(release)];
	}
	return foreign_adapt_qp_mask_at(qp, place) & VERBS_QP_MASK_EX;
}

static struct ibv_qp_ex *foreign_adapt_qp_to_ex(struct ibv_qp *qp)
{
	return foreign_adapt_qp_is_extended(qp)
		       ? verbs_container_of(qp, struct ibv_qp_ex, qp_base)
		       : NULL;
}

/* Without create_qp_ex, a provider may allocate no more than struct ibv_qp. */
static struct ibv_qp_ex *foreign_adapt_no_qp_to_ex(struct ibv_qp *qp)
{
	return NULL;
}

void foreign_adapt_qp(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops)
{
	bool creates = foreign->create_qp || foreign->create_qp_ex;

	ops->create_qp = creates ? foreign_adapt_create_qp : NULL;
	ops->open_qp = foreign->open_qp ? foreign_adapt_open_qp : NULL;
	ops->modify_qp = foreign->modify_qp ? foreign_adapt_modify_qp : NULL;
	ops->query_qp = foreign->query_qp ? foreign_adapt_query_qp : NULL;
	ops->destroy_qp = foreign->destroy_qp ? foreign_adapt_destroy_qp : NULL;
	ops->modify_qp_rate_limit = foreign->modify_qp_rate_limit
					    ? foreign_adapt_modify_qp_rate_limit
					    : NULL;
	ops->set_ece = foreign->set_ece ? foreign_adapt_set_ece : NULL;
	ops->query_ece = foreign->query_ece ? foreign_adapt_query_ece : NULL;
	ops->query_qp_data_in_order =
		foreign->query_qp_data_in_order
			? foreign_adapt_query_qp_data_in_order
			: NULL;
	ops->qp_to_ex = foreign->create_qp_ex ? foreign_adapt_qp_to_ex
					      : foreign_adapt_no_qp_to_ex;
	ops->post_send = foreign->post_send;
	ops->post_recv = foreign->post_recv;
}
