/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* XRC: the table of SRQs, and the SRQ of a request. See uroce_xrc.h. */
#include "uroce/qp/uroce_xrc.h"

#include <errno.h>
#include <stdlib.h>

/* number = generation << 16 | index; index 0 is not used */
#define INDEX_BITS 16
#define INDEX_MASK ((1u << INDEX_BITS) - 1)
#define MAX_SRQS   (1u << INDEX_BITS)
#define GROW_BY	   64

/* Of a target without a message: no receive WQE, and no completion. */
static struct uroce_rq no_rq = { .shared = true };
static struct uroce_cq no_cq;

void uroce_xrc_init(struct uroce_xrc *xrc)
{
	xrc->rqs = NULL;
	xrc->nr_rqs = 0;
	list_init(&xrc->targets);
	list_init(&xrc->domains);
}

void uroce_xrc_fini(struct uroce_xrc *xrc)
{
	free(xrc->rqs);
	xrc->rqs = NULL;
	xrc->nr_rqs = 0;
}

static int xrc_grow(struct uroce_xrc *xrc)
{
	uint32_t nr = xrc->nr_rqs + GROW_BY;
	struct uroce_xrc_entry *grown;

	if (nr > MAX_SRQS)
		return -ENOSPC;
	grown = reallocarray(xrc->rqs, nr, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (uint32_t i = xrc->nr_rqs; i < nr; i++)
		grown[i] = (struct uroce_xrc_entry){};
	xrc->rqs = grown;
	xrc->nr_rqs = nr;
	return 0;
}

/* Return: a free index, or 0. */
static uint32_t xrc_find_free(const struct uroce_xrc *xrc)
{
	for (uint32_t i = 1; i < xrc->nr_rqs; i++)
		if (!xrc->rqs[i].rq)
			return i;
	return 0;
}

int uroce_xrc_add_srq(struct uroce_xrc *xrc, struct uroce_rq *rq)
{
	uint32_t index = xrc_find_free(xrc);
	struct uroce_xrc_entry *entry;

	if (!index) {
		int ret = xrc_grow(xrc);

		if (ret)
			return ret;
		index = xrc_find_free(xrc);
	}
	entry = &xrc->rqs[index];
	entry->rq = rq;
	/* late requests to a previous SRQ do not find the new one */
	rq->xrc_number = (uint32_t)entry->generation++ << INDEX_BITS | index;
	return 0;
}

void uroce_xrc_remove_srq(struct uroce_xrc *xrc, const struct uroce_rq *rq)
{
	struct list_node *pos;

	xrc->rqs[rq->xrc_number & INDEX_MASK].rq = NULL;
	list_for_each (pos, &xrc->targets) {
		struct uroce_qp *qp =
			list_entry(pos, struct uroce_qp, xrc_entry);

		if (qp->rq != rq)
			continue;
		qp->receive.in_use = false;
		qp->rq = &no_rq;
		qp->recv_cq = &no_cq;
	}
}

static struct uroce_rq *xrc_find_srq(const struct uroce_xrc *xrc,
				     uint32_t number)
{
	uint32_t index = number & INDEX_MASK;
	struct uroce_rq *rq = index < xrc->nr_rqs ? xrc->rqs[index].rq : NULL;

	return rq && rq->xrc_number == number ? rq : NULL;
}

void uroce_xrc_add_target(struct uroce_xrc *xrc, struct uroce_qp *qp,
			  const void *domain)
{
	qp->xrc = UROCE_XRC_TARGET;
	qp->xrc_domain = domain;
	qp->rq = &no_rq;
	qp->recv_cq = &no_cq;
	qp->send_cq = &no_cq;
	list_add_tail(&xrc->targets, &qp->xrc_entry);
}

void uroce_xrc_remove_target(struct uroce_qp *qp)
{
	list_del(&qp->xrc_entry);
}

struct uroce_qp *uroce_xrc_find_target(const struct uroce_xrc *xrc,
				       const void *domain, uint32_t qpn)
{
	struct list_node *pos;

	list_for_each (pos, &xrc->targets) {
		struct uroce_qp *qp =
			list_entry(pos, struct uroce_qp, xrc_entry);

		if (qp->qpn == qpn && qp->xrc_domain == domain)
			return qp;
	}
	return NULL;
}

bool uroce_xrc_select(struct uroce_qp *qp, uint32_t number, bool begins)
{
	struct uroce_rq *rq = xrc_find_srq(&qp->core->xrc, number);

	if (!rq || rq->xrc_domain != qp->xrc_domain)
		return false;
	if (!begins || qp->receive.in_use)
		return qp->rq == rq;
	qp->rq = rq;
	qp->recv_cq = rq->xrc_cq;
	qp->pd = rq->pd;
	return true;
}
