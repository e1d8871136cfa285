/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocation of the rings of outstanding READs and atomics, called by
 * uroce_qp_modify(). A ring has the size that the application requests, not the
 * maximum of the device, because most QPs need few entries.
 */
#include "uroce/roce/uroce_rd_atomic.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(UROCE_MAX_RD_ATOMIC <= UINT8_MAX / 2 + 1,
	       "the difference of rd_last and rd_first has 8 bits");

static int requester_reserve(struct uroce_requester *req, uint8_t nr_reads)
{
	uint32_t size = 1;
	uint32_t *ring;

	if (!nr_reads || (req->rd_end && nr_reads <= req->rd_mask + 1))
		return 0;
	while (size < nr_reads)
		size *= 2;
	ring = calloc(size, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	for (uint8_t i = req->rd_first; req->rd_end && i != req->rd_last; i++)
		ring[i & (size - 1)] = req->rd_end[i & req->rd_mask];
	free(req->rd_end);
	req->rd_end = ring;
	req->rd_mask = (uint8_t)(size - 1);
	return 0;
}

static int responder_reserve(struct uroce_responder *resp, uint8_t nr_resources)
{
	struct uroce_resource *ring = NULL;

	if (nr_resources) {
		ring = calloc(nr_resources, sizeof(*ring));
		if (!ring)
			return -ENOMEM;
	}
	free(resp->resource);
	resp->resource = ring;
	resp->max_resources = nr_resources;
	return 0;
}

int uroce_rd_atomic_reserve(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
			    int mask)
{
	int ret = 0;

	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		ret = requester_reserve(&qp->roce->req, attr->max_rd_atomic);
	if (ret == 0 && (mask & IBV_QP_MAX_DEST_RD_ATOMIC) &&
	    qp->state == IBV_QPS_INIT)
		ret = responder_reserve(&qp->roce->resp,
					attr->max_dest_rd_atomic);
	return ret;
}

void uroce_rd_atomic_free(struct uroce_qp *qp)
{
	free(qp->roce->req.rd_end);
	qp->roce->req.rd_end = NULL;
	qp->roce->req.rd_mask = 0;
	free(qp->roce->resp.resource);
	qp->roce->resp.resource = NULL;
	qp->roce->resp.max_resources = 0;
}
