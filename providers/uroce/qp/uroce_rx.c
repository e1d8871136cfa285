/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks and execution of requests with an rkey. */
#include "uroce/qp/uroce_rx.h"

#include <errno.h>
#include <string.h>

#include "uroce/qp/uroce_atomic.h"
#include "uroce/qp/uroce_odp.h"

#define MAX_DMA_LEN (1u << 31) /* IBTA 9.7.4.1.4 */

static const struct uroce_rx_result ok = { .error = UROCE_RX_OK };

static struct uroce_rx_result invalid(enum uroce_counter counter)
{
	return uroce_rx_refused(UROCE_RX_INVALID_REQUEST, counter);
}

/* @ret: of uroce_memory_remote() */
static struct uroce_rx_result access_result(int ret)
{
	if (ret < 0)
		return uroce_rx_refused(UROCE_RX_REMOTE_ACCESS,
					uroce_counters_access(ret));
	return (struct uroce_rx_result){
		.error = UROCE_RX_OK,
		.on_demand = ret == UROCE_MEMORY_ON_DEMAND,
	};
}

void uroce_rx_fail(struct uroce_qp *qp, enum uroce_rx_error error)
{
	/* the affiliated events are those of IBTA 11.6.3.2 */
	if (error == UROCE_RX_REMOTE_ACCESS)
		uroce_qp_event(qp, IBV_EVENT_QP_ACCESS_ERR);
	else if (error == UROCE_RX_INVALID_REQUEST)
		uroce_qp_event(qp, IBV_EVENT_QP_REQ_ERR);
	uroce_qp_fault(qp, UROCE_FAULT_QP, IBV_WC_SUCCESS);
}

/* Address of @bytes at @va, if the peer of @qp has the right @access. */
static int rx_find(const struct uroce_qp *qp, uint64_t va, uint64_t bytes,
		   uint32_t rkey, unsigned int access, uint8_t **ret_ptr)
{
	struct uroce_remote_access wanted = {
		.va = va,
		.bytes = bytes,
		.rkey = rkey,
		.pd = qp->pd,
		.qpn = qp->qpn,
		.access = access,
	};

	return uroce_memory_remote(qp->core->memory, &wanted, ret_ptr);
}

struct uroce_rx_result uroce_rx_find_write(const struct uroce_qp *qp,
					   const struct uroce_rx_range *part,
					   uint8_t **ret_ptr)
{
	return access_result(rx_find(qp, part->va, part->bytes, part->rkey,
				     IBV_ACCESS_REMOTE_WRITE, ret_ptr));
}

struct uroce_rx_result uroce_rx_begin_write(const struct uroce_qp *qp,
					    const struct uroce_rx_range *all)
{
	uint8_t *ptr;

	if (!(qp->access & IBV_ACCESS_REMOTE_WRITE))
		return invalid(UROCE_C_NOT_ENABLED);
	if (all->bytes > MAX_DMA_LEN)
		return invalid(UROCE_C_BAD_LENGTH);
	return uroce_rx_find_write(qp, all, &ptr);
}

struct uroce_rx_result uroce_rx_read(const struct uroce_qp *qp,
				     const struct uroce_rx_range *range)
{
	uint8_t *ptr;

	if (range->bytes > MAX_DMA_LEN)
		return invalid(UROCE_C_BAD_LENGTH);
	return access_result(rx_find(qp, range->va, range->bytes, range->rkey,
				     IBV_ACCESS_REMOTE_READ, &ptr));
}

/* 9.4.5: 8 bytes, aligned to 8 both in the request and in local memory. */
static struct uroce_rx_result rx_find_aligned(const struct uroce_qp *qp,
					      uint64_t va, uint32_t rkey,
					      unsigned int access,
					      uint64_t **ret_ptr)
{
	uint8_t *ptr;
	int ret;

	if (va % UROCE_ATOMIC_BYTES)
		return invalid(UROCE_C_MISALIGNED);
	ret = rx_find(qp, va, UROCE_ATOMIC_BYTES, rkey, access, &ptr);
	if (!ret && !ptr)
		ret = -EACCES;
	if (ret < 0)
		return access_result(ret);
	if ((uintptr_t)ptr % UROCE_ATOMIC_BYTES)
		return invalid(UROCE_C_MISALIGNED);
	*ret_ptr = (uint64_t *)(void *)ptr;
	return access_result(ret);
}

struct uroce_rx_result uroce_rx_atomic(const struct uroce_qp *qp,
				       const struct uroce_rx_atomic *atomic,
				       uint64_t *ret_orig)
{
	uint64_t *ptr;
	struct uroce_rx_result result = rx_find_aligned(
		qp, atomic->va, atomic->rkey, IBV_ACCESS_REMOTE_ATOMIC, &ptr);

	if (result.error)
		return result;
	if (result.on_demand)
		return access_result(uroce_odp_atomic(
			(uint8_t *)ptr, atomic->add, atomic->compare,
			atomic->operand, ret_orig));
	if (atomic->add)
		*ret_orig = uroce_atomic_add((uint8_t *)ptr, atomic->operand);
	else
		*ret_orig = uroce_atomic_swap((uint8_t *)ptr, atomic->compare,
					      atomic->operand);
	return ok;
}

struct uroce_rx_result uroce_rx_atomic_write(const struct uroce_qp *qp,
					     const struct uroce_rx_range *range,
					     const uint8_t *data,
					     uint32_t bytes)
{
	struct uroce_rx_result result;
	uint64_t number, *ptr;

	if (bytes != UROCE_ATOMIC_BYTES || range->bytes != UROCE_ATOMIC_BYTES)
		return invalid(UROCE_C_BAD_LENGTH);
	result = rx_find_aligned(qp, range->va, range->rkey,
				 IBV_ACCESS_REMOTE_WRITE, &ptr);
	if (result.error)
		return result;
	/* the kernel does not promise that it stores 8 bytes at once */
	if (result.on_demand)
		return access_result(-EACCES);
	/* all 8 bytes become visible at once */
	memcpy(&number, data, sizeof(number));
	__atomic_store_n(ptr, number, __ATOMIC_SEQ_CST);
	return ok;
}

/*
 * Earlier writes are in memory already, and every CPU sees them before the
 * response, since sending it is a system call or a store-release. No region of
 * this device has the right IBV_ACCESS_FLUSH_PERSISTENT.
 */
struct uroce_rx_result uroce_rx_flush(const struct uroce_qp *qp,
				      uint8_t placement, uint8_t level,
				      const struct uroce_rx_range *range)
{
	uint64_t va = range->va, bytes = range->bytes;
	unsigned int access = 0;
	uint8_t *ptr;

	if (placement & IBV_FLUSH_GLOBAL)
		access |= IBV_ACCESS_FLUSH_GLOBAL;
	if (placement & IBV_FLUSH_PERSISTENT)
		access |= IBV_ACCESS_FLUSH_PERSISTENT;
	if (!access || (qp->access & access) != access || level > IBV_FLUSH_MR)
		return invalid(UROCE_C_NOT_ENABLED);
	if (level == IBV_FLUSH_MR) {
		/* the whole region: only the rkey counts, not the address */
		const struct uroce_region *region =
			uroce_memory_find(qp->core->memory, range->rkey);

		va = region ? region->iova : 0;
		bytes = 1;
	}
	return access_result(rx_find(qp, va, bytes, range->rkey, access, &ptr));
}
