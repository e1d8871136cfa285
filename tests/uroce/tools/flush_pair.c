/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flush_pair DEVICE GID_INDEX PORT [ADDRESS] - FLUSH between two processes: of
 * a range, of a whole region, and where the responder must refuse it. This is
 * not part of the kernel lane's interop_rc, which runs on devices with a wrong
 * FLUSH.
 */
#include "interop_end.h"

#define CAP_FLUSH_GLOBAL (1ULL << 38) /* of device_cap_flags_ex */
#define LENGTH		 3000

static bool flush(struct end *end, enum ibv_selectivity_level level,
		  uint32_t len)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(end->qp);

	ibv_wr_start(qpx);
	qpx->wr_id = 1;
	qpx->wr_flags = 0;
	ibv_wr_rdma_write(qpx, end->other.rkey, end->other.addr);
	ibv_wr_set_sge(qpx, end->mr->lkey, (uintptr_t)(memory + SOURCE),
		       LENGTH);
	qpx->wr_id = 2;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_flush(qpx, end->other.rkey, end->other.addr, len,
		     IBV_FLUSH_GLOBAL, level);
	NEED(ibv_wr_complete(qpx) == 0);
	return true;
}

static bool flush_written(struct end *end, enum ibv_selectivity_level level,
			  uint32_t len)
{
	if (!end->is_requester)
		return wait_for_other() && wait_for_other() &&
		       has_pattern(0, 3, LENGTH) && wait_for_other();
	fill_pattern(SOURCE, 3, LENGTH);
	return wait_for_other() && flush(end, level, len) &&
	       expect_sent(end, IBV_WC_FLUSH) && wait_for_other() &&
	       wait_for_other();
}

static bool flush_range(struct end *end)
{
	return flush_written(end, IBV_FLUSH_RANGE, LENGTH);
}

static bool flush_region(struct end *end)
{
	return flush_written(end, IBV_FLUSH_MR, 0);
}

static bool flush_is_refused(struct end *end, uint32_t len,
			     enum ibv_wc_status status)
{
	struct ibv_wc wc;

	if (!end->is_requester)
		return wait_for_other() && wait_for_other();
	if (!wait_for_other() || !flush(end, IBV_FLUSH_RANGE, len) ||
	    !poll_completion(end, &wc))
		return false;
	if (wc.wr_id != 2 || wc.status != status)
		FAIL("%s", ibv_wc_status_str(wc.status));
	return wait_for_other();
}

static bool flush_after_region(struct end *end)
{
	return flush_is_refused(end, MEMORY + 1, IBV_WC_REM_ACCESS_ERR);
}

/* Both the region and the QP lack the right, and the QP is checked first. */
static bool flush_without_right(struct end *end)
{
	return flush_is_refused(end, LENGTH, IBV_WC_REM_INV_REQ_ERR);
}

#define FLUSH                                         \
	.type = IBV_QPT_RC, .caps = CAP_FLUSH_GLOBAL, \
	.send_ops = IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_RDMA_WRITE

static const struct check checks[] = {
	{ "RC flush of a range",
	  flush_range,
	  { FLUSH, .access = IBV_ACCESS_FLUSH_GLOBAL } },
	{ "RC flush of a region",
	  flush_region,
	  { FLUSH, .access = IBV_ACCESS_FLUSH_GLOBAL } },
	{ "RC flush after the end of the region",
	  flush_after_region,
	  { FLUSH, .access = IBV_ACCESS_FLUSH_GLOBAL } },
	{ "RC flush without the right", flush_without_right, { FLUSH } },
	{},
};

int main(int argc, char **argv)
{
	return run_checks(argc, argv, checks);
}
