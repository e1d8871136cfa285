/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that rules contain: see fault_rules.h. */
#include <errno.h>
#include <string.h>

#include "layers/fault/fault_rules.h"

struct fault_name {
	const char *name;
	int value;
};

#define NR(names) (sizeof(names) / sizeof((names)[0]))

static bool names_find(const struct fault_name *names, size_t nr,
		       struct fault_text text, int *ret_value)
{
	for (size_t i = 0; i < nr; i++) {
		if (strlen(names[i].name) != text.len ||
		    strncmp(names[i].name, text.start, text.len) != 0)
			continue;
		*ret_value = names[i].value;
		return true;
	}
	return false;
}

static const char *const call_names[FAULT_NR_CALLS] = {
	[FAULT_NO_CALL] = "at its time",
	[FAULT_QUERY_DEVICE] = "query_device",
	[FAULT_QUERY_PORT] = "query_port",
	[FAULT_QUERY_GID] = "query_gid",
	[FAULT_QUERY_PKEY] = "query_pkey",
	[FAULT_CREATE_COMP_CHANNEL] = "create_comp_channel",
	[FAULT_ALLOC_PD] = "alloc_pd",
	[FAULT_DEALLOC_PD] = "dealloc_pd",
	[FAULT_OPEN_XRCD] = "open_xrcd",
	[FAULT_CLOSE_XRCD] = "close_xrcd",
	[FAULT_REG_MR] = "reg_mr",
	[FAULT_REG_DMABUF_MR] = "reg_dmabuf_mr",
	[FAULT_REREG_MR] = "rereg_mr",
	[FAULT_DEREG_MR] = "dereg_mr",
	[FAULT_ALLOC_MW] = "alloc_mw",
	[FAULT_DEALLOC_MW] = "dealloc_mw",
	[FAULT_CREATE_AH] = "create_ah",
	[FAULT_DESTROY_AH] = "destroy_ah",
	[FAULT_ATTACH_MCAST] = "attach_mcast",
	[FAULT_DETACH_MCAST] = "detach_mcast",
	[FAULT_CREATE_CQ] = "create_cq",
	[FAULT_RESIZE_CQ] = "resize_cq",
	[FAULT_MODIFY_CQ] = "modify_cq",
	[FAULT_DESTROY_CQ] = "destroy_cq",
	[FAULT_CREATE_SRQ] = "create_srq",
	[FAULT_MODIFY_SRQ] = "modify_srq",
	[FAULT_QUERY_SRQ] = "query_srq",
	[FAULT_DESTROY_SRQ] = "destroy_srq",
	[FAULT_CREATE_QP] = "create_qp",
	[FAULT_MODIFY_QP] = "modify_qp",
	[FAULT_QUERY_QP] = "query_qp",
	[FAULT_DESTROY_QP] = "destroy_qp",
	[FAULT_POST_SEND] = "post_send",
	[FAULT_POST_RECV] = "post_recv",
	[FAULT_POST_SRQ_RECV] = "post_srq_recv",
	[FAULT_POLL_CQ] = "poll_cq",
	[FAULT_REQ_NOTIFY_CQ] = "req_notify_cq",
};

const char *fault_call_name(enum fault_call call)
{
	return call_names[call];
}

bool fault_find_call(struct fault_text name, enum fault_call *ret_call)
{
	if (name.len > 4 && strncmp(name.start, "ibv_", 4) == 0) {
		name.start += 4;
		name.len -= 4;
	}
	for (int i = FAULT_NO_CALL + 1; i < FAULT_NR_CALLS; i++) {
		if (strlen(call_names[i]) != name.len ||
		    strncmp(call_names[i], name.start, name.len) != 0)
			continue;
		*ret_call = (enum fault_call)i;
		return true;
	}
	return false;
}

#define ERRNO(name)         \
	{                   \
#name, name \
	}

bool fault_find_errno(struct fault_text name, int *ret_error)
{
	static const struct fault_name names[] = {
		ERRNO(EPERM),	     ERRNO(ENOENT),
		ERRNO(EINTR),	     ERRNO(EIO),
		ERRNO(ENXIO),	     ERRNO(EBADF),
		ERRNO(EAGAIN),	     ERRNO(ENOMEM),
		ERRNO(EACCES),	     ERRNO(EFAULT),
		ERRNO(EBUSY),	     ERRNO(EEXIST),
		ERRNO(ENODEV),	     ERRNO(EINVAL),
		ERRNO(ENFILE),	     ERRNO(EMFILE),
		ERRNO(ENOSPC),	     ERRNO(ERANGE),
		ERRNO(ENOSYS),	     ERRNO(ENODATA),
		ERRNO(EPROTO),	     ERRNO(EOVERFLOW),
		ERRNO(EMSGSIZE),     ERRNO(EOPNOTSUPP),
		ERRNO(EADDRINUSE),   ERRNO(EADDRNOTAVAIL),
		ERRNO(ENETDOWN),     ERRNO(ENETUNREACH),
		ERRNO(ECONNRESET),   ERRNO(ETIMEDOUT),
		ERRNO(ECONNREFUSED), ERRNO(EHOSTUNREACH),
		ERRNO(ECANCELED),    ERRNO(EPROTONOSUPPORT),
	};

	return names_find(names, NR(names), name, ret_error);
}

#define OPCODE(name)                 \
	{                            \
#name, IBV_WR_##name \
	}

bool fault_find_opcode(struct fault_text name, enum ibv_wr_opcode *ret_op)
{
	static const struct fault_name names[] = {
		OPCODE(RDMA_WRITE),
		OPCODE(RDMA_WRITE_WITH_IMM),
		OPCODE(SEND),
		OPCODE(SEND_WITH_IMM),
		OPCODE(RDMA_READ),
		OPCODE(ATOMIC_CMP_AND_SWP),
		OPCODE(ATOMIC_FETCH_AND_ADD),
		OPCODE(LOCAL_INV),
		OPCODE(BIND_MW),
		OPCODE(SEND_WITH_INV),
		OPCODE(TSO),
		OPCODE(FLUSH),
		OPCODE(ATOMIC_WRITE),
	};
	int value;

	if (!names_find(names, NR(names), name, &value))
		return false;
	*ret_op = (enum ibv_wr_opcode)value;
	return true;
}

#define STATUS(name)                 \
	{                            \
#name, IBV_WC_##name \
	}

bool fault_find_status(struct fault_text name, enum ibv_wc_status *ret_status)
{
	static const struct fault_name names[] = {
		STATUS(SUCCESS),	   STATUS(LOC_LEN_ERR),
		STATUS(LOC_QP_OP_ERR),	   STATUS(LOC_EEC_OP_ERR),
		STATUS(LOC_PROT_ERR),	   STATUS(WR_FLUSH_ERR),
		STATUS(MW_BIND_ERR),	   STATUS(BAD_RESP_ERR),
		STATUS(LOC_ACCESS_ERR),	   STATUS(REM_INV_REQ_ERR),
		STATUS(REM_ACCESS_ERR),	   STATUS(REM_OP_ERR),
		STATUS(RETRY_EXC_ERR),	   STATUS(RNR_RETRY_EXC_ERR),
		STATUS(LOC_RDD_VIOL_ERR),  STATUS(REM_INV_RD_REQ_ERR),
		STATUS(REM_ABORT_ERR),	   STATUS(INV_EECN_ERR),
		STATUS(INV_EEC_STATE_ERR), STATUS(FATAL_ERR),
		STATUS(RESP_TIMEOUT_ERR),  STATUS(GENERAL_ERR),
	};
	int value;

	if (!names_find(names, NR(names), name, &value))
		return false;
	*ret_status = (enum ibv_wc_status)value;
	return true;
}

#define EVENT(name)                     \
	{                               \
#name, IBV_EVENT_##name \
	}

/* WQ_FATAL is not among them, since WQs have no numbers. */
bool fault_find_event_type(struct fault_text name,
			   enum ibv_event_type *ret_type)
{
	static const struct fault_name names[] = {
		EVENT(CQ_ERR),
		EVENT(QP_FATAL),
		EVENT(QP_REQ_ERR),
		EVENT(QP_ACCESS_ERR),
		EVENT(COMM_EST),
		EVENT(SQ_DRAINED),
		EVENT(PATH_MIG),
		EVENT(PATH_MIG_ERR),
		EVENT(DEVICE_FATAL),
		EVENT(PORT_ACTIVE),
		EVENT(PORT_ERR),
		EVENT(LID_CHANGE),
		EVENT(PKEY_CHANGE),
		EVENT(SM_CHANGE),
		EVENT(SRQ_ERR),
		EVENT(SRQ_LIMIT_REACHED),
		EVENT(QP_LAST_WQE_REACHED),
		EVENT(CLIENT_REREGISTER),
		EVENT(GID_CHANGE),
	};
	int value;

	if (!names_find(names, NR(names), name, &value))
		return false;
	*ret_type = (enum ibv_event_type)value;
	return true;
}

const char *fault_kind_name(enum fault_kind kind)
{
	static const char *const names[FAULT_NR_KINDS] = {
		[FAULT_CONTEXT] = "context",
		[FAULT_QP] = "QP",
		[FAULT_CQ] = "CQ",
		[FAULT_SRQ] = "SRQ",
	};

	return names[kind];
}

struct fault_text fault_logged_text(const struct fault_rule *rule)
{
	struct fault_text text = rule->text;

	if (text.len > 400)
		text.len = 400;
	return fault_text_trim(text);
}
