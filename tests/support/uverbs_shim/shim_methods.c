/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ioctl protocol: parses the attributes of an ioctl, runs the method, and
 * writes the response attributes. As the kernel does, it refuses an unknown
 * object, method or mandatory attribute with EPROTONOSUPPORT, so it behaves
 * like about Linux 6.1.
 */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdio.h>
#include <string.h>

#include "shim.h"

#define SQ_SIG_ALL IB_UVERBS_QP_CREATE_SQ_SIG_ALL

struct method {
	uint16_t object, method;
	uint16_t nr_attrs; /* known attributes of the core */
	const char *name;
	int (*run)(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr);
};

/* ------------------------------------------------------------------------ */
/* Attributes                                                                */
/* ------------------------------------------------------------------------ */

static struct ib_uverbs_attr *find_attr(struct ib_uverbs_ioctl_hdr *hdr,
					uint16_t id)
{
	for (uint16_t i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

static bool has_attr(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id)
{
	return find_attr(hdr, id) != NULL;
}

/*
 * Return: the value of an attribute: a handle, a descriptor, or a number
 * stored inline or behind a pointer.
 */
static uint64_t attr_number(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id)
{
	const struct ib_uverbs_attr *attr = find_attr(hdr, id);
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
	} value;

	if (!attr)
		return 0;
	memcpy(&value, &attr->data, sizeof(value));
	switch (attr->len) {
	case sizeof(value.u8):
		return value.u8;
	case sizeof(value.u16):
		return value.u16;
	case sizeof(value.u32):
		return value.u32;
	default:
		return attr->data;
	}
}

static uint32_t attr_number32(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id)
{
	return (uint32_t)attr_number(hdr, id);
}

static void read_struct(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id, void *to,
			size_t len)
{
	const struct ib_uverbs_attr *attr = find_attr(hdr, id);
	const void *from;

	if (!attr)
		return;
	from = attr->len > sizeof(attr->data)
		       ? (const void *)(uintptr_t)attr->data
		       : &attr->data;
	memcpy(to, from, attr->len < len ? attr->len : len);
}

/*
 * Copies as much as the attribute has room for; does nothing if the caller
 * passed no such attribute.
 */
static void put_response(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id,
			 const void *from, size_t len)
{
	struct ib_uverbs_attr *attr = find_attr(hdr, id);

	if (!attr)
		return;
	memcpy((void *)(uintptr_t)attr->data, from,
	       attr->len < len ? attr->len : len);
	attr->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
}

static void put_response_u32(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id,
			     uint32_t value)
{
	put_response(hdr, id, &value, sizeof(value));
}

static void put_response_u64(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id,
			     uint64_t value)
{
	put_response(hdr, id, &value, sizeof(value));
}

/* The handle of a new object is returned in the attribute itself. */
static void put_handle(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id,
		       const struct shim_call *call)
{
	struct ib_uverbs_attr *attr = find_attr(hdr, id);

	if (attr)
		attr->data = call->object->handle;
}

/* ------------------------------------------------------------------------ */
/* Device                                                                    */
/* ------------------------------------------------------------------------ */

static int invoke_write(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *in = find_attr(hdr, UVERBS_ATTR_CORE_IN);
	const struct ib_uverbs_attr *out = find_attr(hdr, UVERBS_ATTR_CORE_OUT);

	call->transport = "invoke";
	if (in) {
		call->in_len = in->len;
		call->in = in->len > sizeof(in->data)
				   ? (const void *)(uintptr_t)in->data
				   : &in->data;
	}
	if (out) {
		call->out = (void *)(uintptr_t)out->data;
		call->out_len = out->len;
	}
	return shim_invoke_write(call,
				 attr_number32(hdr, UVERBS_ATTR_WRITE_CMD));
}

static int get_context(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	put_response_u32(hdr, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
			 SHIM_NR_VECTORS);
	put_response_u64(hdr, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 1);
	return shim_fill_response(call);
}

static int query_port(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	uint32_t port = attr_number32(hdr, UVERBS_ATTR_QUERY_PORT_PORT_NUM);
	struct ib_uverbs_query_port_resp_ex resp = {};

	shim_note(call, " port=%u", port & 0xff);
	if ((port & 0xff) != 1)
		return -EINVAL;
	shim_fill_port(shim_file_device(call->file), &resp.legacy_resp);
	put_response(hdr, UVERBS_ATTR_QUERY_PORT_RESP, &resp, sizeof(resp));
	return 0;
}

static int query_gid_entry(struct shim_call *call,
			   struct ib_uverbs_ioctl_hdr *hdr)
{
	uint32_t index =
		attr_number32(hdr, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	struct ib_uverbs_gid_entry entry;

	shim_note(call, " port=%u index=%u",
		  attr_number32(hdr, UVERBS_ATTR_QUERY_GID_ENTRY_PORT), index);
	if (attr_number32(hdr, UVERBS_ATTR_QUERY_GID_ENTRY_PORT) != 1 ||
	    index >= SHIM_GID_TABLE_LEN)
		return -EINVAL;
	if (!shim_fill_gid(shim_file_device(call->file), index, &entry))
		return -ENODATA;
	put_response(hdr, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
		     sizeof(entry));
	return 0;
}

static int query_gid_table(struct shim_call *call,
			   struct ib_uverbs_ioctl_hdr *hdr)
{
	uint64_t entry_len =
		attr_number(hdr, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE);
	struct ib_uverbs_gid_entry entries[SHIM_NR_GIDS];

	shim_note(call, " entry_size=%u", (unsigned int)entry_len);
	if (entry_len != sizeof(entries[0]))
		return -EINVAL;
	for (uint32_t i = 0; i < SHIM_NR_GIDS; i++)
		(void)shim_fill_gid(
			shim_file_device(call->file), i,
			&entries[i]); /* cannot fail: all entries exist */
	put_response(hdr, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, entries,
		     sizeof(entries));
	put_response_u64(hdr, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
			 SHIM_NR_GIDS);
	return 0;
}

static int alloc_async_event(struct shim_call *call,
			     struct ib_uverbs_ioctl_hdr *hdr)
{
	struct ib_uverbs_attr *attr =
		find_attr(hdr, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE);
	int fd = shim_quiet_fd();

	(void)call;
	if (fd < 0 || !attr)
		return -EINVAL;
	attr->data_s64 = fd;
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Queues                                                                    */
/* ------------------------------------------------------------------------ */

static int create_cq(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	int ret;

	call->request = (struct shim_request){
		.has_user_handle =
			attr_number(hdr, UVERBS_ATTR_CREATE_CQ_USER_HANDLE) !=
			0,
		.has_channel =
			has_attr(hdr, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL),
		.depth = attr_number32(hdr, UVERBS_ATTR_CREATE_CQ_CQE),
		.vector = attr_number32(hdr, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR),
		.flags = attr_number32(hdr, UVERBS_ATTR_CREATE_CQ_FLAGS),
	};
	ret = shim_make(call, SHIM_CQ);
	if (ret)
		return ret;
	put_handle(hdr, UVERBS_ATTR_CREATE_CQ_HANDLE, call);
	put_response_u32(hdr, UVERBS_ATTR_CREATE_CQ_RESP_CQE,
			 call->object->depth);
	return 0;
}

static int create_srq(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	int ret;

	call->request = (struct shim_request){
		.has_user_handle =
			attr_number(hdr, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE) !=
			0,
		.pd = attr_number32(hdr, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE),
		.xrcd = attr_number32(hdr, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE),
		.cq = attr_number32(hdr, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE),
		.depth = attr_number32(hdr, UVERBS_ATTR_CREATE_SRQ_MAX_WR),
		.sge = attr_number32(hdr, UVERBS_ATTR_CREATE_SRQ_MAX_SGE),
		.limit = attr_number32(hdr, UVERBS_ATTR_CREATE_SRQ_LIMIT),
		.tags = attr_number32(hdr, UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS),
		.type = attr_number32(hdr, UVERBS_ATTR_CREATE_SRQ_TYPE),
	};
	ret = shim_make(call, SHIM_SRQ);
	if (ret)
		return ret;
	put_handle(hdr, UVERBS_ATTR_CREATE_SRQ_HANDLE, call);
	put_response_u32(hdr, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR,
			 call->object->depth);
	put_response_u32(hdr, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE,
			 call->object->sge);
	put_response_u32(hdr, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM,
			 call->object->number);
	return 0;
}

static int create_qp(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	uint32_t flags = attr_number32(hdr, UVERBS_ATTR_CREATE_QP_FLAGS);
	int ret;

	call->request = (struct shim_request){
		.has_user_handle =
			attr_number(hdr, UVERBS_ATTR_CREATE_QP_USER_HANDLE) !=
			0,
		.pd = attr_number32(hdr, UVERBS_ATTR_CREATE_QP_PD_HANDLE),
		.xrcd = attr_number32(hdr, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE),
		.cq = attr_number32(hdr, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE),
		.recv_cq = attr_number32(hdr,
					 UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE),
		.srq = attr_number32(hdr, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE),
		.ind_table = attr_number32(
			hdr, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE),
		.type = attr_number32(hdr, UVERBS_ATTR_CREATE_QP_TYPE),
		.flags = flags & ~(uint32_t)SQ_SIG_ALL,
		.sig_all = flags & SQ_SIG_ALL,
		.source_qpn =
			attr_number32(hdr, UVERBS_ATTR_CREATE_QP_SOURCE_QPN),
	};
	read_struct(hdr, UVERBS_ATTR_CREATE_QP_CAP, &call->request.cap,
		    sizeof(call->request.cap));
	ret = shim_make(call, SHIM_QP);
	if (ret)
		return ret;
	put_handle(hdr, UVERBS_ATTR_CREATE_QP_HANDLE, call);
	put_response(hdr, UVERBS_ATTR_CREATE_QP_RESP_CAP, &call->object->cap,
		     sizeof(call->object->cap));
	put_response_u32(hdr, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM,
			 call->object->number);
	return 0;
}

static int create_wq(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	int ret;

	call->request = (struct shim_request){
		.has_user_handle =
			attr_number(hdr, UVERBS_ATTR_CREATE_WQ_USER_HANDLE) !=
			0,
		.pd = attr_number32(hdr, UVERBS_ATTR_CREATE_WQ_PD_HANDLE),
		.cq = attr_number32(hdr, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE),
		.type = attr_number32(hdr, UVERBS_ATTR_CREATE_WQ_TYPE),
		.depth = attr_number32(hdr, UVERBS_ATTR_CREATE_WQ_MAX_WR),
		.sge = attr_number32(hdr, UVERBS_ATTR_CREATE_WQ_MAX_SGE),
		.flags = attr_number32(hdr, UVERBS_ATTR_CREATE_WQ_FLAGS),
	};
	ret = shim_make(call, SHIM_WQ);
	if (ret)
		return ret;
	put_handle(hdr, UVERBS_ATTR_CREATE_WQ_HANDLE, call);
	put_response_u32(hdr, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR,
			 call->object->depth);
	put_response_u32(hdr, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE,
			 call->object->sge);
	put_response_u32(hdr, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM,
			 call->object->number);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Memory, counters                                                          */
/* ------------------------------------------------------------------------ */

static int alloc_dm(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	int ret;

	call->request.length = attr_number(hdr, UVERBS_ATTR_ALLOC_DM_LENGTH);
	ret = shim_make(call, SHIM_DM);
	if (!ret)
		put_handle(hdr, UVERBS_ATTR_ALLOC_DM_HANDLE, call);
	return ret;
}

static int reg_dm_mr(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	int ret;

	call->request = (struct shim_request){
		.pd = attr_number32(hdr, UVERBS_ATTR_REG_DM_MR_PD_HANDLE),
		.dm = attr_number32(hdr, UVERBS_ATTR_REG_DM_MR_DM_HANDLE),
		.length = attr_number(hdr, UVERBS_ATTR_REG_DM_MR_LENGTH),
		.access =
			attr_number32(hdr, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS),
	};
	ret = shim_make(call, SHIM_MR);
	if (ret)
		return ret;
	put_handle(hdr, UVERBS_ATTR_REG_DM_MR_HANDLE, call);
	put_response_u32(hdr, UVERBS_ATTR_REG_DM_MR_RESP_LKEY,
			 call->object->number);
	put_response_u32(hdr, UVERBS_ATTR_REG_DM_MR_RESP_RKEY,
			 call->object->number);
	return 0;
}

static int create_counters(struct shim_call *call,
			   struct ib_uverbs_ioctl_hdr *hdr)
{
	int ret = shim_make(call, SHIM_COUNTERS);

	if (!ret)
		put_handle(hdr, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, call);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Destruction: the first attribute is the object, the second a response whose
 */
/* zeroes mean that no events were reported                                  */
/* ------------------------------------------------------------------------ */

static int destroy(struct shim_call *call, struct ib_uverbs_ioctl_hdr *hdr,
		   enum shim_type type)
{
	const uint32_t events[4] = {};
	int ret = shim_destroy(call, type, attr_number32(hdr, 0));

	if (!ret)
		put_response(hdr, 1, events, sizeof(events));
	return ret;
}

#define DESTROY(function, type)                              \
	static int function(struct shim_call *call,          \
			    struct ib_uverbs_ioctl_hdr *hdr) \
	{                                                    \
		return destroy(call, hdr, type);             \
	}
DESTROY(destroy_pd, SHIM_PD)
DESTROY(destroy_cq, SHIM_CQ)
DESTROY(destroy_qp, SHIM_QP)
DESTROY(destroy_srq, SHIM_SRQ)
DESTROY(destroy_ah, SHIM_AH)
DESTROY(destroy_mr, SHIM_MR)
DESTROY(destroy_mw, SHIM_MW)
DESTROY(destroy_flow, SHIM_FLOW)
DESTROY(destroy_xrcd, SHIM_XRCD)
DESTROY(destroy_ind_table, SHIM_IND_TABLE)
DESTROY(destroy_wq, SHIM_WQ)
DESTROY(destroy_dm, SHIM_DM)
DESTROY(destroy_counters, SHIM_COUNTERS)

/* ------------------------------------------------------------------------ */
/* Dispatch                                                                  */
/* ------------------------------------------------------------------------ */

#define METHOD(o, m, nr, n, function)                                       \
	{                                                                   \
		UVERBS_OBJECT_##o, UVERBS_METHOD_##m, (nr), (n), (function) \
	}

static const struct method methods[] = {
	METHOD(DEVICE, INVOKE_WRITE, 3, "INVOKE_WRITE", invoke_write),
	METHOD(DEVICE, QUERY_PORT, 2, "QUERY_PORT", query_port),
	METHOD(DEVICE, GET_CONTEXT, 2, "GET_CONTEXT", get_context),
	METHOD(DEVICE, QUERY_CONTEXT, 2, "QUERY_CONTEXT", get_context),
	METHOD(DEVICE, QUERY_GID_TABLE, 4, "QUERY_GID_TABLE", query_gid_table),
	METHOD(DEVICE, QUERY_GID_ENTRY, 4, "QUERY_GID_ENTRY", query_gid_entry),
	METHOD(ASYNC_EVENT, ASYNC_EVENT_ALLOC, 1, "ASYNC_EVENT_ALLOC",
	       alloc_async_event),
	METHOD(PD, PD_DESTROY, 1, "DEALLOC_PD", destroy_pd),
	METHOD(CQ, CQ_CREATE, 8, "CREATE_CQ", create_cq),
	METHOD(CQ, CQ_DESTROY, 2, "DESTROY_CQ", destroy_cq),
	METHOD(QP, QP_CREATE, 15, "CREATE_QP", create_qp),
	METHOD(QP, QP_DESTROY, 2, "DESTROY_QP", destroy_qp),
	METHOD(SRQ, SRQ_CREATE, 14, "CREATE_SRQ", create_srq),
	METHOD(SRQ, SRQ_DESTROY, 2, "DESTROY_SRQ", destroy_srq),
	METHOD(AH, AH_DESTROY, 1, "DESTROY_AH", destroy_ah),
	METHOD(MR, DM_MR_REG, 8, "REG_DM_MR", reg_dm_mr),
	METHOD(MR, MR_DESTROY, 1, "DEREG_MR", destroy_mr),
	METHOD(MW, MW_DESTROY, 1, "DEALLOC_MW", destroy_mw),
	METHOD(FLOW, FLOW_DESTROY, 1, "DESTROY_FLOW", destroy_flow),
	METHOD(XRCD, XRCD_DESTROY, 1, "CLOSE_XRCD", destroy_xrcd),
	METHOD(RWQ_IND_TBL, RWQ_IND_TBL_DESTROY, 1, "DESTROY_RWQ_IND_TBL",
	       destroy_ind_table),
	METHOD(WQ, WQ_CREATE, 12, "CREATE_WQ", create_wq),
	METHOD(WQ, WQ_DESTROY, 2, "DESTROY_WQ", destroy_wq),
	METHOD(DM, DM_ALLOC, 3, "ALLOC_DM", alloc_dm),
	METHOD(DM, DM_FREE, 1, "FREE_DM", destroy_dm),
	METHOD(COUNTERS, COUNTERS_CREATE, 1, "CREATE_COUNTERS",
	       create_counters),
	METHOD(COUNTERS, COUNTERS_DESTROY, 1, "DESTROY_COUNTERS",
	       destroy_counters),
};

static const struct method *find_method(const struct ib_uverbs_ioctl_hdr *hdr)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (methods[i].object == hdr->object_id &&
		    methods[i].method == hdr->method_id)
			return &methods[i];
	return NULL;
}

static void find_driver_data(struct shim_call *call,
			     struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *in = find_attr(hdr, UVERBS_ATTR_UHW_IN);
	const struct ib_uverbs_attr *out = find_attr(hdr, UVERBS_ATTR_UHW_OUT);

	if (in) {
		call->uhw_in_len = in->len;
		call->uhw_in = in->len > sizeof(in->data)
				       ? (const char *)(uintptr_t)in->data
				       : (const char *)&in->data;
	}
	if (out) {
		call->uhw_out = (char *)(uintptr_t)out->data;
		call->uhw_out_len = out->len;
	}
}

static int check_attributes(struct shim_call *call,
			    const struct ib_uverbs_ioctl_hdr *hdr,
			    const struct method *method)
{
	for (uint16_t i = 0; i < hdr->num_attrs; i++) {
		const struct ib_uverbs_attr *attr = &hdr->attrs[i];

		if (attr->attr_id < method->nr_attrs ||
		    attr->attr_id == UVERBS_ATTR_UHW_IN ||
		    attr->attr_id == UVERBS_ATTR_UHW_OUT ||
		    !(attr->flags & UVERBS_ATTR_F_MANDATORY))
			continue;
		shim_note(call, " unknown_attr=%#x", attr->attr_id);
		return -EPROTONOSUPPORT;
	}
	return 0;
}

static int unknown_method(struct shim_call *call,
			  const struct ib_uverbs_ioctl_hdr *hdr)
{
	char name[48];

	(void)snprintf(name, sizeof(name), "METHOD_%#x/%#x", hdr->object_id,
		       hdr->method_id); /* fits */
	call->name = name;
	return shim_call_end(call, -EPROTONOSUPPORT);
}

int shim_ioctl(struct shim_file *file, void *arg)
{
	struct shim_call call = { .file = file, .transport = "ioctl" };
	struct ib_uverbs_ioctl_hdr *hdr = arg;
	const struct method *method = find_method(hdr);
	bool only_invoke = shim_config()->mode == SHIM_MODE_INVOKE;
	int ret;

	if (hdr->length !=
		    sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]) ||
	    hdr->reserved1 || hdr->reserved2 ||
	    hdr->driver_id != shim_file_device(file)->driver_id) {
		shim_log("ioctl BAD_HEADER object=%u method=%u driver_id=%u",
			 hdr->object_id, hdr->method_id, hdr->driver_id);
		return -EINVAL;
	}
	if (!method || (only_invoke && method->run != invoke_write))
		return unknown_method(&call, hdr);
	call.name = method->name;
	find_driver_data(&call, hdr);
	ret = check_attributes(&call, hdr, method);
	if (ret)
		return shim_call_end(&call, ret);
	ret = method->run(&call, hdr);
	/* INVOKE_WRITE has logged the command that it carried */
	return method->run == invoke_write ? ret : shim_call_end(&call, ret);
}
