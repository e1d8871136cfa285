/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CNPs are for the device that does not read the BECN bit of other packets. */
#include "uroce/roce/uroce_ecn.h"

#include "uroce/roce/uroce_roce.h"

/* Between two CNPs of a QP, as of the notification point of DCQCN (SIGCOMM
 * 2015) */
#define CNP_NS 50000u

void uroce_ecn_reset(struct uroce_qp *qp)
{
	qp->roce->ecn = (struct uroce_ecn){};
}

void uroce_ecn_allow(struct uroce_qp *qp)
{
	if (qp->roce->channel)
		return;
	if (!(qp->path.tclass & UROCE_ECN_MASK))
		qp->path.tclass |= UROCE_ECN_ECT0;
	qp->roce->engine->wants_marks = true;
}

void uroce_ecn_marked(struct uroce_qp *qp, const struct uroce_packet *packet,
		      uint64_t now)
{
	struct uroce_ecn *ecn = &qp->roce->ecn;

	uroce_core_count(qp->core, UROCE_C_ECN_MARKED, 1);
	if (packet->selective) {
		if (!(packet->traits & UROCE_T_RESPONSE))
			ecn->marked = true;
		return;
	}
	if (now < ecn->cnp_ns)
		return;
	ecn->cnp_ns = now + CNP_NS;
	ecn->cnp_due = true;
	uroce_engine_activate(qp->roce->engine, qp);
}

bool uroce_ecn_take_mark(struct uroce_qp *qp)
{
	bool marked = qp->roce->ecn.marked;

	qp->roce->ecn.marked = false;
	return marked;
}

bool uroce_ecn_next_cnp(struct uroce_qp *qp, struct uroce_out *ret_out)
{
	if (!qp->roce->ecn.cnp_due)
		return false;
	qp->roce->ecn.cnp_due = false;
	ret_out->packet = (struct uroce_packet){
		.path = &qp->path,
		.opcode = UROCE_CNP,
		.pkey = qp->pkey,
		.dest_qpn = qp->dest_qpn,
		.mig_req = qp->mig_state == IBV_MIG_MIGRATED,
		.becn = true,
	};
	ret_out->iovecs.nr = 0;
	uroce_core_count(qp->core, UROCE_C_CNPS_SENT, 1);
	return true;
}
