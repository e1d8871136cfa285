/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues. uroce_completion.c and the fast path add CQEs; polling
 * needs only uroce_ring_front() and uroce_ring_take().
 */
#include "uroce/qp/uroce_cq_ring.h"

#include <infiniband/verbs.h>

int uroce_cq_init(struct uroce_cq *cq, uint32_t size, bool has_channel)
{
	struct uroce_ring ring;
	int ret;

	if (!size)
		return -EINVAL;
	ret = uroce_ring_init(&ring, size, sizeof(struct uroce_cqe));
	if (ret)
		return ret;
	memset(cq, 0, sizeof(*cq));
	cq->ring = ring;
	cq->has_channel = has_channel;
	list_init(&cq->moderate.entry);
	return 0;
}

void uroce_cq_fini(struct uroce_cq *cq)
{
	uroce_ring_fini(&cq->ring);
}

int uroce_cq_resize(struct uroce_cq *cq, uint32_t size)
{
	struct uroce_ring grown;
	const struct uroce_cqe *cqe;
	int ret;

	if (!size || size < uroce_ring_used(&cq->ring))
		return -EINVAL;
	ret = uroce_ring_init(&grown, size, sizeof(struct uroce_cqe));
	if (ret)
		return ret;
	while ((cqe = uroce_ring_front(&cq->ring))) {
		memcpy(uroce_ring_vacant(&grown), cqe, sizeof(*cqe));
		uroce_ring_put(&grown);
		uroce_ring_take(&cq->ring);
	}
	uroce_ring_fini(&cq->ring);
	/* pollers load tail and head without a lock (uroce_ring_used()) */
	cq->ring.slots = grown.slots;
	cq->ring.mask = grown.mask;
	cq->ring.stride = grown.stride;
	cq->ring.size = grown.size;
	__atomic_store_n(&cq->ring.tail, grown.tail, __ATOMIC_RELAXED);
	__atomic_store_n(&cq->ring.head, grown.head, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Walks from the youngest CQE to the oldest; CQEs that stay move up to the
 * head.
 */
void uroce_cq_purge(struct uroce_cq *cq, uint32_t qpn)
{
	struct uroce_ring *ring = &cq->ring;
	uint32_t to = ring->head;

	for (uint32_t from = ring->head; from != ring->tail; from--) {
		const struct uroce_cqe *cqe = uroce_ring_at(ring, from - 1);

		if (cqe->qpn == qpn)
			continue;
		to--;
		if (to != from - 1)
			memcpy(uroce_ring_at(ring, to), cqe, sizeof(*cqe));
	}
	while (ring->tail != to)
		uroce_ring_take(ring);
}

/*
 * Disarms the CQ if this completion matches.
 *
 * Both sides modify @armed, if only to the value that it had, so the two
 * accesses are ordered: either the engine sees here that the CQ is armed, or
 * the application, which polls after uroce_cq_arm(), sees the completion.
 */
bool uroce_cq_grant(struct uroce_cq *cq, bool solicited)
{
	uint32_t armed = __atomic_fetch_or(&cq->armed, 0, __ATOMIC_SEQ_CST);

	if (armed == UROCE_CQ_IDLE ||
	    (armed == UROCE_CQ_SOLICITED && !solicited))
		return false;
	return __atomic_exchange_n(&cq->armed, UROCE_CQ_IDLE,
				   __ATOMIC_SEQ_CST) != UROCE_CQ_IDLE;
}

int uroce_cq_push(struct uroce_cq *cq, const struct uroce_cqe *cqe,
		  bool solicited, bool *ret_wake)
{
	struct uroce_cqe *slot = uroce_ring_vacant(&cq->ring);

	if (!slot || cq->overrun) {
		cq->overrun = true;
		return -ENOBUFS;
	}
	*slot = *cqe;
	slot->stamp_ns = uroce_cq_time(cq);
	uroce_ring_put(&cq->ring);
	*ret_wake =
		cq->has_channel &&
		uroce_cq_grant(cq, solicited || cqe->status != IBV_WC_SUCCESS);
	return 0;
}

void uroce_cq_arm(struct uroce_cq *cq, bool solicited_only)
{
	uint32_t idle = UROCE_CQ_IDLE;

	if (solicited_only)
		(void)__atomic_compare_exchange_n(
			&cq->armed, &idle, UROCE_CQ_SOLICITED, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); /* keep if armed */
	else
		(void)__atomic_exchange_n(&cq->armed, UROCE_CQ_NEXT,
					  __ATOMIC_SEQ_CST);
}
