/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains why an object was not created: compares the requested sizes with the
 * limits of the device, and explains the errno if none is exceeded.
 */
#include <inttypes.h>
#include <stdint.h>

#include "layers/checks.h"
#include "layers/layers.h"

static void create_begin(struct explain_text *text, const char *function,
			 const struct ibv_context *ctx, int error)
{
	explain_add(text, "%s(%s): ", function, ctx->device->name);
	explain_add_errno(text, error);
	explain_add(text, ": ");
}

static void create_end(struct explain_text *text)
{
	explain_add(text, ".");
	explain_print(EXPLAIN_CREATE, text);
}

/* @limit, @max: how many objects of the kind the device has; NULL: unknown */
static void create_add_errno_meaning(struct explain_text *text, int error,
				     const char *limit, int max)
{
	switch (error) {
	case ENOMEM:
	case ENOSPC:
		explain_add(text, "no memory, or the device has no more "
				  "objects of this kind");
		if (limit)
			explain_add(text, " (%s is %d for all processes)",
				    limit, max);
		explain_add(text, "; smaller queues or a higher RLIMIT_MEMLOCK "
				  "(ulimit -l) may help");
		break;
	case EPERM:
	case EACCES:
		explain_add(text, "the object needs a privilege, usually "
				  "CAP_NET_RAW");
		break;
	case EOPNOTSUPP:
		explain_add(text, "the provider does not support the type or "
				  "a flag of the request");
		break;
	case EIO:
	case ENODEV:
		explain_add(text, "the device has failed or was removed");
		break;
	default:
		explain_add(text, "the provider refused the request; compare "
				  "it with the limits of the device "
				  "(ibv_devinfo -v)");
	}
}

void explain_alloc_pd(struct ibv_context *ctx, int error)
{
	struct explain_text text = {};
	struct ibv_device_attr attr = {};

	create_begin(&text, "ibv_alloc_pd", ctx, error);
	create_add_errno_meaning(
		&text, error, check_query_device(ctx, &attr) ? "max_pd" : NULL,
		attr.max_pd);
	create_end(&text);
}

void explain_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type, int error)
{
	struct explain_text text = {};
	struct ibv_device_attr attr = {};
	bool known = check_query_device(pd->context, &attr);

	create_begin(&text, "ibv_alloc_mw", pd->context, error);
	if (known && attr.max_mw == 0)
		explain_add(&text, "the device has no memory windows (max_mw "
				   "is 0)");
	else if (error == EOPNOTSUPP || error == EINVAL)
		explain_add(&text,
			    "the device does not support windows of type %d; "
			    "device_cap_flags has the types",
			    (int)type);
	else
		create_add_errno_meaning(&text, error, known ? "max_mw" : NULL,
					 attr.max_mw);
	create_end(&text);
}

void explain_create_ah(struct ibv_pd *pd, const struct ibv_ah_attr *attr,
		       int error)
{
	struct explain_text text = {};
	struct ibv_device_attr device = {};

	create_begin(&text, "ibv_create_ah", pd->context, error);
	if (!check_create_ah(&text, pd->context, attr) &&
	    !explain_unreachable(&text, error))
		create_add_errno_meaning(
			&text, error,
			check_query_device(pd->context, &device) ? "max_ah"
								 : NULL,
			device.max_ah);
	create_end(&text);
}

void explain_create_cq(struct ibv_context *ctx,
		       const struct ibv_cq_init_attr_ex *attr, int error)
{
	struct ibv_device_attr device = {};
	bool known = check_query_device(ctx, &device);
	struct explain_text text = {};

	create_begin(&text, "ibv_create_cq", ctx, error);
	if (!check_create_cq(&text, ctx, attr))
		create_add_errno_meaning(&text, error, known ? "max_cq" : NULL,
					 device.max_cq);
	create_end(&text);
}

void explain_create_srq(struct ibv_context *ctx,
			const struct ibv_srq_init_attr_ex *attr, int error)
{
	struct ibv_device_attr device = {};
	bool known = check_query_device(ctx, &device);
	struct explain_text text = {};

	create_begin(&text, "ibv_create_srq", ctx, error);
	if (known && device.max_srq == 0)
		explain_add(&text, "the device has no SRQs (max_srq is 0)");
	else if (!check_create_srq(&text, ctx, attr))
		create_add_errno_meaning(&text, error, known ? "max_srq" : NULL,
					 device.max_srq);
	create_end(&text);
}

static bool create_check_qp_support(struct explain_text *text,
				    const struct ibv_qp_init_attr_ex *attr,
				    int error)
{
	bool has_send_ops =
		(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
		attr->send_ops_flags;

	if (attr->qp_type == IBV_QPT_RAW_PACKET && error == EPERM) {
		explain_add(text, "a QP of type RAW_PACKET needs CAP_NET_RAW");
		return true;
	}
	if (error != EOPNOTSUPP)
		return false;
	explain_add(text, "the provider does not support QPs of type %s",
		    explain_qp_type_name(attr->qp_type));
	if (has_send_ops)
		explain_add(text, " with send_ops_flags 0x%" PRIx64,
			    attr->send_ops_flags);
	if (attr->comp_mask & ~(uint32_t)IBV_QP_INIT_ATTR_PD)
		explain_add(text, " and comp_mask 0x%x", attr->comp_mask);
	return true;
}

void explain_create_qp(struct ibv_context *ctx,
		       const struct ibv_qp_init_attr_ex *attr, int error)
{
	struct ibv_device_attr device = {};
	bool known = check_query_device(ctx, &device);
	struct explain_text text = {};

	create_begin(&text, "ibv_create_qp", ctx, error);
	if (!check_create_qp(&text, ctx, attr) &&
	    !create_check_qp_support(&text, attr, error)) {
		if (error == EINVAL && attr->cap.max_inline_data)
			explain_add(&text,
				    "cap.max_inline_data is %u, which is "
				    "possibly above the limit of the device, "
				    "or its sum with the SGEs is; request less",
				    attr->cap.max_inline_data);
		else
			create_add_errno_meaning(&text, error,
						 known ? "max_qp" : NULL,
						 device.max_qp);
	}
	create_end(&text);
}
