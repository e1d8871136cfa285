/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The responder's rules for requests with an rkey (IBTA 9.7.4.1): rights, key
 * and range. The responder of roce/ executes requests from the network and from
 * shared memory through these functions. They do not depend on packets, and a
 * request that is refused has no effect.
 */
#ifndef UROCE_RX_H
#define UROCE_RX_H

#include "uroce/qp/uroce_qp.h"

/* The error that the requester gets (IBTA 9.9.3, table 61). */
enum uroce_rx_error {
	UROCE_RX_OK,
	UROCE_RX_INVALID_REQUEST,
	UROCE_RX_REMOTE_ACCESS,
	UROCE_RX_REMOTE_OP, /* the receive WQE is unusable */
};

struct uroce_rx_result {
	enum uroce_rx_error error;
	enum uroce_counter counter; /* the check that failed */
	bool on_demand; /* UROCE_RX_OK: the memory is that of uroce_odp.h */
};

/* The memory that a request names. */
struct uroce_rx_range {
	uint64_t va;
	uint32_t bytes;
	uint32_t rkey;
};

/** uroce_rx_refused() - make a result; UROCE_RX_OK needs no counter */
static inline struct uroce_rx_result
uroce_rx_refused(enum uroce_rx_error error, enum uroce_counter counter)
{
	return (struct uroce_rx_result){ .error = error, .counter = counter };
}

/**
 * uroce_rx_fail() - do what the responder does after it refused a request
 * @qp: an RC QP; it fails, and its application gets the event of @error
 * @error: not UROCE_RX_OK
 *
 * The caller sends the NAK.
 */
void uroce_rx_fail(struct uroce_qp *qp, enum uroce_rx_error error);

/** uroce_rx_begin_write() - check a WRITE, before any byte of it is stored */
struct uroce_rx_result uroce_rx_begin_write(const struct uroce_qp *qp,
					    const struct uroce_rx_range *all);

/**
 * uroce_rx_find_write() - find the memory for a part of a WRITE
 * @qp: the QP
 * @part: a part of a range that uroce_rx_begin_write() accepted; checked again,
 *	since the region may have been deregistered
 * @ret_ptr: receives the address; NULL: discard the data
 */
struct uroce_rx_result uroce_rx_find_write(const struct uroce_qp *qp,
					   const struct uroce_rx_range *part,
					   uint8_t **ret_ptr);

/** uroce_rx_read() - check a READ, before any byte of the response is sent */
struct uroce_rx_result uroce_rx_read(const struct uroce_qp *qp,
				     const struct uroce_rx_range *range);

/* An atomic operation; @add: FetchAdd of @operand, else CmpSwap. */
struct uroce_rx_atomic {
	bool add;
	uint64_t va;
	uint32_t rkey;
	uint64_t compare;
	uint64_t operand;
};

/** uroce_rx_atomic() - execute an atomic; @ret_orig: the original value */
struct uroce_rx_result uroce_rx_atomic(const struct uroce_qp *qp,
				       const struct uroce_rx_atomic *atomic,
				       uint64_t *ret_orig);

/**
 * uroce_rx_atomic_write() - execute an ATOMIC WRITE (A19.4.4)
 * @range: its memory; other lengths than 8 bytes are refused
 * @data: the bytes to store
 * @bytes: their number
 */
struct uroce_rx_result uroce_rx_atomic_write(const struct uroce_qp *qp,
					     const struct uroce_rx_range *range,
					     const uint8_t *data,
					     uint32_t bytes);

/**
 * uroce_rx_flush() - execute a FLUSH (A19.4.3)
 * @placement: mask of enum ibv_placement_type
 * @level: enum ibv_selectivity_level
 * @range: ignored but for the rkey if @level is the region
 */
struct uroce_rx_result uroce_rx_flush(const struct uroce_qp *qp,
				      uint8_t placement, uint8_t level,
				      const struct uroce_rx_range *range);

#endif
