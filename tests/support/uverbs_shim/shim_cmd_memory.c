/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write commands on protection domains, memory regions, memory windows, XRC
 * domains, address handles and multicast groups.
 */
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "shim.h"

static int alloc_pd(struct shim_call *call)
{
	struct ib_uverbs_alloc_pd_resp *resp = call->out;
	int ret = shim_make(call, SHIM_PD);

	if (!ret)
		resp->pd_handle = call->object->handle;
	return ret;
}

static int reg_mr(struct shim_call *call)
{
	struct ib_uverbs_reg_mr_resp *resp = call->out;
	struct ib_uverbs_reg_mr request;
	int ret;

	memcpy(&request, call->in, sizeof(request));
	call->request = (struct shim_request){
		.pd = request.pd_handle,
		.length = request.length,
		.access = request.access_flags,
	};
	shim_note(call, " same_iova=%d", request.start == request.hca_va);
	ret = shim_make(call, SHIM_MR);
	if (ret)
		return ret;
	resp->mr_handle = call->object->handle;
	resp->lkey = call->object->number;
	resp->rkey = call->object->number;
	return 0;
}

static int rereg_mr(struct shim_call *call)
{
	struct ib_uverbs_rereg_mr_resp *resp = call->out;
	struct ib_uverbs_rereg_mr request;

	memcpy(&request, call->in, sizeof(request));
	call->object = shim_find(call->file, SHIM_MR, request.mr_handle);
	shim_note_object(call, "handle", request.mr_handle);
	shim_note(call, " flags=%#x length=%llu access=%#x", request.flags,
		  (unsigned long long)request.length, request.access_flags);
	if (!call->object)
		return -EINVAL;
	resp->lkey = call->object->number;
	resp->rkey = call->object->number;
	return 0;
}

static int alloc_mw(struct shim_call *call)
{
	struct ib_uverbs_alloc_mw_resp *resp = call->out;
	struct ib_uverbs_alloc_mw request;
	int ret;

	memcpy(&request, call->in, sizeof(request));
	call->request.pd = request.pd_handle;
	call->request.type = request.mw_type;
	ret = shim_make(call, SHIM_MW);
	if (ret)
		return ret;
	resp->mw_handle = call->object->handle;
	resp->rkey = call->object->number;
	return 0;
}

static int open_xrcd(struct shim_call *call)
{
	struct ib_uverbs_open_xrcd_resp *resp = call->out;
	struct ib_uverbs_open_xrcd request;
	int ret;

	memcpy(&request, call->in, sizeof(request));
	call->request.flags = request.oflags;
	shim_note(call, " has_fd=%d", (int32_t)request.fd >= 0);
	ret = shim_make(call, SHIM_XRCD);
	if (!ret)
		resp->xrcd_handle = call->object->handle;
	return ret;
}

static int create_ah(struct shim_call *call)
{
	struct ib_uverbs_create_ah_resp *resp = call->out;
	struct ib_uverbs_create_ah request;
	int ret;

	memcpy(&request, call->in, sizeof(request));
	call->request.pd = request.pd_handle;
	call->request.has_user_handle = request.user_handle != 0;
	shim_note_bytes(call, "attr", &request.attr, sizeof(request.attr));
	ret = shim_make(call, SHIM_AH);
	if (!ret)
		resp->ah_handle = call->object->handle;
	return ret;
}

static int mcast(struct shim_call *call)
{
	struct ib_uverbs_attach_mcast
		request; /* detach_mcast has the same layout */

	memcpy(&request, call->in, sizeof(request));
	shim_note_object(call, "qp", request.qp_handle);
	shim_note_bytes(call, "gid", request.gid, sizeof(request.gid));
	shim_note(call, " mlid=%u", request.mlid);
	return shim_find(call->file, SHIM_QP, request.qp_handle) ? 0 : -EINVAL;
}

/* Return: the handle of a request that consists only of a handle. */
static uint32_t only_handle(const struct shim_call *call)
{
	uint32_t handle;

	memcpy(&handle, call->in, sizeof(handle));
	return handle;
}

static int dealloc_pd(struct shim_call *call)
{
	return shim_destroy(call, SHIM_PD, only_handle(call));
}

static int dereg_mr(struct shim_call *call)
{
	return shim_destroy(call, SHIM_MR, only_handle(call));
}

static int dealloc_mw(struct shim_call *call)
{
	return shim_destroy(call, SHIM_MW, only_handle(call));
}

static int close_xrcd(struct shim_call *call)
{
	return shim_destroy(call, SHIM_XRCD, only_handle(call));
}

static int destroy_ah(struct shim_call *call)
{
	return shim_destroy(call, SHIM_AH, only_handle(call));
}

#define COMMAND(n, request, resp, function)                               \
	{                                                                 \
		.number = IB_USER_VERBS_CMD_##n, .name = #n,              \
		.in_len = (request), .out_len = (resp), .run = (function) \
	}

const struct shim_command shim_memory_commands[] = {
	COMMAND(ALLOC_PD, sizeof(struct ib_uverbs_alloc_pd),
		sizeof(struct ib_uverbs_alloc_pd_resp), alloc_pd),
	COMMAND(DEALLOC_PD, sizeof(struct ib_uverbs_dealloc_pd), 0, dealloc_pd),
	COMMAND(REG_MR, sizeof(struct ib_uverbs_reg_mr),
		sizeof(struct ib_uverbs_reg_mr_resp), reg_mr),
	COMMAND(REREG_MR, sizeof(struct ib_uverbs_rereg_mr),
		sizeof(struct ib_uverbs_rereg_mr_resp), rereg_mr),
	COMMAND(DEREG_MR, sizeof(struct ib_uverbs_dereg_mr), 0, dereg_mr),
	COMMAND(ALLOC_MW, sizeof(struct ib_uverbs_alloc_mw),
		sizeof(struct ib_uverbs_alloc_mw_resp), alloc_mw),
	COMMAND(DEALLOC_MW, sizeof(struct ib_uverbs_dealloc_mw), 0, dealloc_mw),
	COMMAND(OPEN_XRCD, sizeof(struct ib_uverbs_open_xrcd),
		sizeof(struct ib_uverbs_open_xrcd_resp), open_xrcd),
	COMMAND(CLOSE_XRCD, sizeof(struct ib_uverbs_close_xrcd), 0, close_xrcd),
	COMMAND(CREATE_AH, sizeof(struct ib_uverbs_create_ah),
		sizeof(struct ib_uverbs_create_ah_resp), create_ah),
	COMMAND(DESTROY_AH, sizeof(struct ib_uverbs_destroy_ah), 0, destroy_ah),
	COMMAND(ATTACH_MCAST, sizeof(struct ib_uverbs_attach_mcast), 0, mcast),
	COMMAND(DETACH_MCAST, sizeof(struct ib_uverbs_detach_mcast), 0, mcast),
	{},
};
