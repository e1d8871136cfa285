/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flow steering, through the table of a context: ibv_create_flow(3). */
#include <infiniband/verbs.h>
#include <string.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

/* The first members of every specification, without trailing padding. */
struct flow_spec_head {
	uint32_t type;
	uint16_t size; /* bytes of the whole specification */
};

#define SPEC_HEAD_LEN (offsetof(struct flow_spec_head, size) + sizeof(uint16_t))

/*
 * Whether a flow may use an object. One without a context cannot be compared:
 * some modules leave the member NULL.
 */
#define FLOW_ACCEPTS(ctx, object)                   \
	(API_EXISTS_IN(create_flow_name, object) && \
	 (!(object)->context || API_ACCEPTS(create_flow_name, ctx, object)))

/* The program's function, for layers. */
static const char create_flow_name[] = "ibv_create_flow";

/* Specifications follow one another without alignment. */
static bool flow_spec_objects_match(const struct ibv_context *ctx,
				    const struct flow_spec_head *head,
				    const char *spec)
{
	struct ibv_flow_spec_counter_action count;
	struct ibv_flow_spec_action_handle handle;

	if (head->type == IBV_FLOW_SPEC_ACTION_HANDLE &&
	    head->size >= sizeof(handle)) {
		memcpy(&handle, spec, sizeof(handle));
		return FLOW_ACCEPTS(ctx, handle.action);
	}
	if (head->type == IBV_FLOW_SPEC_ACTION_COUNT &&
	    head->size >= sizeof(count)) {
		memcpy(&count, spec, sizeof(count));
		return FLOW_ACCEPTS(ctx, count.counters);
	}
	return true;
}

/* Checks the objects in the specifications; the provider checks the rest. */
static bool flow_attr_objects_match(const struct ibv_context *ctx,
				    const struct ibv_flow_attr *attr)
{
	const char *spec = (const char *)(attr + 1);

	for (int i = 0; i < attr->num_of_specs; i++) {
		struct flow_spec_head head = {};

		memcpy(&head, spec, SPEC_HEAD_LEN);
		if (head.size < SPEC_HEAD_LEN) /* no specification can follow */
			return true;
		if (!flow_spec_objects_match(ctx, &head, spec))
			return false;
		spec += head.size;
	}
	return true;
}

struct ibv_flow *verbs_api_create_flow(struct ibv_qp *qp,
				       struct ibv_flow_attr *attr)
{
	struct ibv_flow *flow;
	int ret;

	if (!attr || !API_EXISTS(qp) ||
	    !flow_attr_objects_match(qp->context, attr))
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(qp->context, create_flow, qp, attr, &flow);
	return ret ? api_ret_null(ret) : flow;
}

int verbs_api_destroy_flow(struct ibv_flow *flow)
{
	if (!API_EXISTS(flow))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(flow->context, destroy_flow, flow));
}
