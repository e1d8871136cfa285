/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Allocation of send and receive queues. */
#include "uroce/qp/uroce_wqe.h"

int uroce_sq_init(struct uroce_ring *sq, uint32_t size, uint32_t max_sge,
		  uint32_t max_inline)
{
	uint32_t data = max_sge * (uint32_t)sizeof(struct ibv_sge);

	if (max_sge > UROCE_MAX_SGE || max_inline > UROCE_MAX_INLINE)
		return -EINVAL;
	if (data < max_inline)
		data = max_inline;
	return uroce_ring_init(sq, size,
			       (uint32_t)sizeof(struct uroce_send_wqe) + data);
}

int uroce_rq_init(struct uroce_rq *rq, uint32_t size, uint32_t max_sge,
		  uint32_t pd, bool shared)
{
	uint32_t data = max_sge * (uint32_t)sizeof(struct ibv_sge);
	struct uroce_ring ring;
	int ret;

	if (max_sge > UROCE_MAX_SGE)
		return -EINVAL;
	ret = uroce_ring_init(&ring, size,
			      (uint32_t)sizeof(struct uroce_recv_wqe) + data);
	if (ret)
		return ret;
	memset(rq, 0, sizeof(*rq));
	rq->ring = ring;
	rq->max_sge = max_sge;
	rq->pd = pd;
	rq->shared = shared;
	return 0;
}

void uroce_rq_fini(struct uroce_rq *rq)
{
	uroce_ring_fini(&rq->ring);
}
