/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains a failed ibv_modify_qp(3). If no rule is broken
 * (layers/check_modify.c), the errno decides.
 */
#include "layers/checks.h"

static void modify_add_errno_meaning(struct explain_text *text,
				     const struct check_modify *call, int error)
{
	if (explain_unreachable(text, error))
		return;
	switch (error) {
	case EINVAL:
		explain_add(text,
			    "transition and attributes follow the rules, but "
			    "the driver refused a value; compare the address, "
			    "qp_access_flags and the limits of the device "
			    "(ibv_devinfo -v)");
		break;
	case EIO:
	case ENODEV:
		explain_add(text, "the device has failed or was removed");
		break;
	case ENOMEM:
		explain_add(text, "the device or the kernel has no memory for "
				  "the connection");
		break;
	case EPERM:
		explain_add(text,
			    "an attribute needs a privilege: a controlled "
			    "Q_Key (highest bit set) needs CAP_NET_RAW");
		break;
	default:
		explain_add(text,
			    "the provider refused the transition from "
			    "%s to %s",
			    explain_state_name(call->from),
			    explain_state_name(call->to));
	}
}

void explain_modify_qp(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
		       int attr_mask, int error)
{
	const struct check_modify call =
		check_modify_describe(qp, attr, attr_mask);
	struct explain_text text = {};

	explain_add(&text, "ibv_modify_qp(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text, ", %s -> %s): ", explain_state_name(call.from),
		    explain_state_name(call.to));
	explain_add_errno(&text, error);
	explain_add(&text, ": ");
	if (!check_modify_qp(&text, &call))
		modify_add_errno_meaning(&text, &call, error);
	explain_add(&text, ".");
	explain_print(EXPLAIN_MODIFY_QP, &text);
}
