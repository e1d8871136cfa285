/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of functions that create objects: compares the requested sizes with the
 * limits of the device.
 */
#include <inttypes.h>

#include "layers/checks.h"
#include "layers/layers.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A requested number and the attribute of the device that limits it. */
struct check_limit {
	const char *member;
	uint64_t value;
	const char *limit;
	int64_t max;
};

bool check_query_device(struct ibv_context *ctx,
			struct ibv_device_attr *ret_attr)
{
	struct ibv_device_attr_ex attr = {};

	if (LAYERS_CALL_BELOW(ctx, query_device, ctx, NULL, &attr,
			      sizeof(attr)) != 0)
		return false;
	*ret_attr = attr.orig_attr;
	return true;
}

/* Return: whether a limit is exceeded. */
static bool create_check_limits(struct explain_text *text,
				const struct check_limit *limits, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (limits[i].max < 0 ||
		    limits[i].value <= (uint64_t)limits[i].max)
			continue;
		explain_add(text,
			    "%s is %" PRIu64 ", above %s of the device, which "
			    "is %" PRId64,
			    limits[i].member, limits[i].value, limits[i].limit,
			    limits[i].max);
		return true;
	}
	return false;
}

enum layers_rule check_create_cq(struct explain_text *text,
				 struct ibv_context *ctx,
				 const struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_device_attr device = {};
	bool is_known = check_query_device(ctx, &device);
	const struct check_limit limit = { "cqe", attr->cqe, "max_cqe",
					   device.max_cqe };

	if (is_known && create_check_limits(text, &limit, 1))
		return AV_CQ_010;
	if (attr->comp_vector < (uint32_t)ctx->num_comp_vectors)
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "comp_vector is %u, but the device has %d completion "
		    "vectors, which are numbered from 0",
		    attr->comp_vector, ctx->num_comp_vectors);
	return AV_CQ_010;
}

enum layers_rule check_create_srq(struct explain_text *text,
				  struct ibv_context *ctx,
				  const struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_device_attr device = {};
	bool is_known = check_query_device(ctx, &device);
	const struct check_limit limits[] = {
		{ "max_wr", attr->attr.max_wr, "max_srq_wr",
		  device.max_srq_wr },
		{ "max_sge", attr->attr.max_sge, "max_srq_sge",
		  device.max_srq_sge },
	};

	if (attr->attr.max_wr == 0) {
		explain_add(text, "max_wr is 0; an SRQ has at least one entry");
		return AV_SR_005;
	}
	return is_known && create_check_limits(text, limits, NR(limits))
		       ? AV_SR_005
		       : LAYERS_RULE_NONE;
}

enum layers_rule check_create_qp(struct explain_text *text,
				 struct ibv_context *ctx,
				 const struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_device_attr device = {};
	bool is_known = check_query_device(ctx, &device);
	const struct ibv_qp_cap *cap = &attr->cap;
	const struct check_limit limits[] = {
		{ "cap.max_send_wr", cap->max_send_wr, "max_qp_wr",
		  device.max_qp_wr },
		{ "cap.max_send_sge", cap->max_send_sge, "max_sge",
		  device.max_sge },
		{ "cap.max_recv_wr", attr->srq ? 0 : cap->max_recv_wr,
		  "max_qp_wr", device.max_qp_wr },
		{ "cap.max_recv_sge", attr->srq ? 0 : cap->max_recv_sge,
		  "max_sge", device.max_sge },
	};

	return is_known && create_check_limits(text, limits, NR(limits))
		       ? AV_QP_012
		       : LAYERS_RULE_NONE;
}
