/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See uroce_cause.h. */
#include "uroce/qp/uroce_cause.h"

#include <stdatomic.h>

#include "uroce/qp/uroce_qp.h"

#define NR_NOTES 64U

/* Numbers of QPs and packets have 24 bits. */
#define NOTE_NUMBER 0xffffffU
#define NOTE_SHIFT  24

struct cause_note {
	_Atomic uint32_t qpn_kind; /* written last; 0: not valid */
	_Atomic uint32_t psn_detail;
	_Atomic uint32_t reason;
};

static struct cause_note notes[NR_NOTES];
static _Atomic uint32_t nr_notes;

static void cause_add_note(const struct uroce_qp *qp,
			   const struct uroce_cause *cause)
{
	struct cause_note *note;

	if (uroce_qp_is_stopped(qp) || qp->state == IBV_QPS_ERR)
		return;
	note = &notes[atomic_fetch_add(&nr_notes, 1) % NR_NOTES];
	atomic_store(&note->qpn_kind, 0);
	atomic_store(&note->psn_detail,
		     (cause->psn & NOTE_NUMBER) | (uint32_t)cause->detail
							  << NOTE_SHIFT);
	atomic_store(&note->reason, (uint32_t)cause->reason);
	atomic_store(&note->qpn_kind,
		     qp->qpn | (uint32_t)cause->kind << NOTE_SHIFT);
}

void uroce_cause_note(const struct uroce_qp *qp, enum uroce_cause_kind kind,
		      uint32_t psn, uint8_t detail)
{
	const struct uroce_cause cause = {
		.kind = kind,
		.psn = psn,
		.detail = detail,
	};

	cause_add_note(qp, &cause);
}

void uroce_cause_note_refused(const struct uroce_qp *qp, uint32_t psn,
			      uint8_t nak, enum uroce_counter reason)
{
	const struct uroce_cause cause = {
		.kind = UROCE_CAUSE_REFUSED,
		.psn = psn,
		.detail = nak,
		.reason = reason,
	};

	cause_add_note(qp, &cause);
}

/* The newest note is the first that is read. */
bool uroce_cause_find(uint32_t qpn, struct uroce_cause *ret)
{
	uint32_t next = atomic_load(&nr_notes);

	for (uint32_t i = 1; i <= NR_NOTES; i++) {
		const struct cause_note *note = &notes[(next - i) % NR_NOTES];
		uint32_t qpn_kind = atomic_load(&note->qpn_kind);
		uint32_t psn_detail = atomic_load(&note->psn_detail);
		uint32_t reason = atomic_load(&note->reason);

		if (qpn_kind == 0 || (qpn_kind & NOTE_NUMBER) != qpn ||
		    atomic_load(&note->qpn_kind) != qpn_kind)
			continue;
		ret->kind = (enum uroce_cause_kind)(qpn_kind >> NOTE_SHIFT);
		ret->psn = psn_detail & NOTE_NUMBER;
		ret->detail = (uint8_t)(psn_detail >> NOTE_SHIFT);
		ret->reason = (enum uroce_counter)reason;
		return true;
	}
	return false;
}
