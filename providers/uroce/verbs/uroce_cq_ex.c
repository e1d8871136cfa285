/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended polling: start_poll, next_poll, end_poll and the read functions of
 * an ibv_cq_ex. Applications call them through the pointers that
 * uroce_cq_ex_init() sets. The read functions return fields of cq->current, a
 * copy of the CQE. start_poll and next_poll remove the CQE from the ring when
 * they copy it, so the ring has room for CQEs that are added during a poll.
 */
#include <errno.h>
#include <time.h>

#include "uroce/verbs/uroce_take.h"
#include "util/clock.h"

/* Takes the next completion; with poll_lock. */
static int advance_locked(struct uroce_verbs_cq *cq)
{
	if (!uroce_take_cqe(cq, &cq->current))
		return ENOENT;
	cq->vcq.cq_ex.wr_id = cq->current.wr_id;
	cq->vcq.cq_ex.status = (enum ibv_wc_status)cq->current.status;
	return 0;
}

/* On success poll_lock is held; end_poll() releases it. */
static int try_start(struct uroce_verbs_cq *cq)
{
	int err;

	/* checked without poll_lock */
	if (!uroce_ring_used(&cq->cq.ring))
		return ENOENT;
	/* false: signal handler that interrupts a poll; report an empty CQ */
	if (!uroce_spin_lock_unless_own(&cq->poll_lock))
		return ENOENT;
	err = advance_locked(cq);
	if (err)
		uroce_spin_unlock(&cq->poll_lock);
	return err;
}

static int start_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr)
{
	struct uroce_verbs_cq *cq = to_uroce_cq_ex(ibcq);
	enum uroce_pass pass = UROCE_PASS_FOUND;
	int err;

	if (attr->comp_mask)
		return EINVAL;
	err = try_start(cq);
	if (err) {
		uroce_poll_yield(&cq->in_vain);
		pass = uroce_cq_progress(cq);
		err = try_start(cq);
	}
	if (err)
		uroce_cq_poll_other(cq);
	uroce_polled(&cq->in_vain, err ? pass : UROCE_PASS_FOUND);
	return err;
}

static int next_poll(struct ibv_cq_ex *ibcq)
{
	return advance_locked(to_uroce_cq_ex(ibcq));
}

static void end_poll(struct ibv_cq_ex *ibcq)
{
	uroce_spin_unlock(&to_uroce_cq_ex(ibcq)->poll_lock);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ibcq)
{
	return (enum ibv_wc_opcode)to_uroce_cq_ex(ibcq)->current.opcode;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ibcq)
{
	return to_uroce_cq_ex(ibcq)->current.byte_len;
}

/* Also the invalidated rkey: a union; the rkey is in host order. */
static __be32 read_imm_data(struct ibv_cq_ex *ibcq)
{
	return to_uroce_cq_ex(ibcq)->current.imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ibcq)
{
	return to_uroce_cq_ex(ibcq)->current.qpn;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ibcq)
{
	return to_uroce_cq_ex(ibcq)->current.src_qpn;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ibcq)
{
	return to_uroce_cq_ex(ibcq)->current.wc_flags;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *ibcq)
{
	return to_uroce_cq_ex(ibcq)->current.stamp_ns;
}

/*
 * The wall clock is the clock of completions, uroce_worker_now(), plus an
 * offset. uroce_worker_now() is called after the wall clock was read, so each
 * difference is a lower bound of the offset, and the largest difference is the
 * closest. The stored offset never decreases, so the result never decreases
 * within a CQ.
 */
static uint64_t read_wallclock(struct ibv_cq_ex *ibcq)
{
	struct uroce_verbs_cq *cq = to_uroce_cq_ex(ibcq);
	int64_t offset_ns = (int64_t)verbs_clock_ns(CLOCK_REALTIME);

	offset_ns -= (int64_t)uroce_worker_now();
	if (offset_ns > cq->wall_offset_ns)
		cq->wall_offset_ns = offset_ns;
	return cq->current.stamp_ns + (uint64_t)cq->wall_offset_ns;
}

static uint8_t read_sl(struct ibv_cq_ex *ibcq)
{
	return to_uroce_cq_ex(ibcq)->current.sl;
}

/* Fields that Ethernet does not have: 0, as from ibv_poll_cq(). */

static uint32_t read_zero_32(struct ibv_cq_ex *ibcq)
{
	return 0;
}

static uint8_t read_zero_8(struct ibv_cq_ex *ibcq)
{
	return 0;
}

void uroce_cq_ex_init(struct ibv_cq_ex *cq)
{
	to_uroce_cq_ex(cq)->wall_offset_ns = INT64_MIN;
	cq->start_poll = start_poll;
	cq->next_poll = next_poll;
	cq->end_poll = end_poll;
	cq->read_opcode = read_opcode;
	cq->read_vendor_err = read_zero_32;
	/* all of UROCE_WC_FLAGS, also those that were not requested */
	cq->read_byte_len = read_byte_len;
	cq->read_imm_data = read_imm_data;
	cq->read_qp_num = read_qp_num;
	cq->read_src_qp = read_src_qp;
	cq->read_wc_flags = read_wc_flags;
	cq->read_slid = read_zero_32;
	cq->read_sl = read_sl;
	cq->read_dlid_path_bits = read_zero_8;
	cq->read_completion_ts = read_completion_ts;
	cq->read_completion_wallclock_ns = read_wallclock;
}
