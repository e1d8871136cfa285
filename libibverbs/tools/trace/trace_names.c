/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the constants in traces. */
#include <arpa/inet.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "tools/trace/trace_tool.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_in(const char *const *names, size_t nr, size_t index)
{
	return index < nr && names[index] ? names[index] : "unknown";
}

const char *trace_op_name(unsigned int op)
{
	static const char *const names[TRACE_NR_OPS] = {
		[TRACE_POST_SEND] = "ibv_post_send",
		[TRACE_WR_COMPLETE] = "ibv_wr_complete",
		[TRACE_POST_RECV] = "ibv_post_recv",
		[TRACE_POST_SRQ_RECV] = "ibv_post_srq_recv",
		[TRACE_POLL_CQ] = "ibv_poll_cq",
		[TRACE_START_POLL] = "ibv_start_poll",
		[TRACE_NEXT_POLL] = "ibv_next_poll",
		[TRACE_REQ_NOTIFY_CQ] = "ibv_req_notify_cq",
		[TRACE_QUERY_DEVICE] = "ibv_query_device",
		[TRACE_QUERY_PORT] = "ibv_query_port",
		[TRACE_ALLOC_PD] = "ibv_alloc_pd",
		[TRACE_DEALLOC_PD] = "ibv_dealloc_pd",
		[TRACE_REG_MR] = "ibv_reg_mr",
		[TRACE_DEREG_MR] = "ibv_dereg_mr",
		[TRACE_ALLOC_MW] = "ibv_alloc_mw",
		[TRACE_DEALLOC_MW] = "ibv_dealloc_mw",
		[TRACE_CREATE_AH] = "ibv_create_ah",
		[TRACE_DESTROY_AH] = "ibv_destroy_ah",
		[TRACE_CREATE_CQ] = "ibv_create_cq",
		[TRACE_DESTROY_CQ] = "ibv_destroy_cq",
		[TRACE_CREATE_SRQ] = "ibv_create_srq",
		[TRACE_MODIFY_SRQ] = "ibv_modify_srq",
		[TRACE_DESTROY_SRQ] = "ibv_destroy_srq",
		[TRACE_CREATE_QP] = "ibv_create_qp",
		[TRACE_MODIFY_QP] = "ibv_modify_qp",
		[TRACE_QUERY_QP] = "ibv_query_qp",
		[TRACE_DESTROY_QP] = "ibv_destroy_qp",
	};

	return name_in(names, NR(names), op);
}

const char *trace_opcode_name(unsigned int opcode)
{
	static const char *const names[] = {
		[IBV_WR_RDMA_WRITE] = "RDMA_WRITE",
		[IBV_WR_RDMA_WRITE_WITH_IMM] = "RDMA_WRITE_WITH_IMM",
		[IBV_WR_SEND] = "SEND",
		[IBV_WR_SEND_WITH_IMM] = "SEND_WITH_IMM",
		[IBV_WR_RDMA_READ] = "RDMA_READ",
		[IBV_WR_ATOMIC_CMP_AND_SWP] = "ATOMIC_CMP_AND_SWP",
		[IBV_WR_ATOMIC_FETCH_AND_ADD] = "ATOMIC_FETCH_AND_ADD",
		[IBV_WR_LOCAL_INV] = "LOCAL_INV",
		[IBV_WR_BIND_MW] = "BIND_MW",
		[IBV_WR_SEND_WITH_INV] = "SEND_WITH_INV",
		[IBV_WR_TSO] = "TSO",
		[IBV_WR_DRIVER1] = "DRIVER1",
		[IBV_WR_FLUSH] = "FLUSH",
		[IBV_WR_ATOMIC_WRITE] = "ATOMIC_WRITE",
	};

	return name_in(names, NR(names), opcode);
}

const char *trace_record_opcode(const struct trace_record *record)
{
	if (record->kind == TRACE_RECV)
		return "RECV";
	if (record->kind != TRACE_COMPLETION || !(record->opcode & IBV_WC_RECV))
		return trace_opcode_name(record->opcode);
	return record->opcode == IBV_WC_RECV_RDMA_WITH_IMM
		       ? "RECV_RDMA_WITH_IMM"
		       : "RECV";
}

const char *trace_status_name(unsigned int status)
{
	static const char *const names[] = {
		"SUCCESS",
		"LOC_LEN_ERR",
		"LOC_QP_OP_ERR",
		"LOC_EEC_OP_ERR",
		"LOC_PROT_ERR",
		"WR_FLUSH_ERR",
		"MW_BIND_ERR",
		"BAD_RESP_ERR",
		"LOC_ACCESS_ERR",
		"REM_INV_REQ_ERR",
		"REM_ACCESS_ERR",
		"REM_OP_ERR",
		"RETRY_EXC_ERR",
		"RNR_RETRY_EXC_ERR",
		"LOC_RDD_VIOL_ERR",
		"REM_INV_RD_REQ_ERR",
		"REM_ABORT_ERR",
		"INV_EECN_ERR",
		"INV_EEC_STATE_ERR",
		"FATAL_ERR",
		"RESP_TIMEOUT_ERR",
		"GENERAL_ERR",
		"TM_ERR",
		"TM_RNDV_INCOMPLETE",
	};

	return name_in(names, NR(names), status);
}

const char *trace_qp_type(unsigned int type)
{
	static const char *const names[] = {
		[IBV_QPT_RC] = "RC",
		[IBV_QPT_UC] = "UC",
		[IBV_QPT_UD] = "UD",
		[IBV_QPT_RAW_PACKET] = "RAW_PACKET",
		[IBV_QPT_XRC_SEND] = "XRC_SEND",
		[IBV_QPT_XRC_RECV] = "XRC_RECV",
	};

	return type == IBV_QPT_DRIVER ? "DRIVER"
				      : name_in(names, NR(names), type);
}

const char *trace_qp_state(unsigned int state)
{
	static const char *const names[] = {
		[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT",
		[IBV_QPS_RTR] = "RTR",	   [IBV_QPS_RTS] = "RTS",
		[IBV_QPS_SQD] = "SQD",	   [IBV_QPS_SQE] = "SQE",
		[IBV_QPS_ERR] = "ERR",
	};

	return name_in(names, NR(names), state);
}

const char *trace_time_text(uint64_t ns, char *buf, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	unsigned int unit = 0;

	while (value >= 999.5 && unit < 3) {
		value /= 1000;
		unit++;
	}
	(void)snprintf(buf, size, value < 999.5 ? "%.3g %s" : "%.0f %s", value,
		       units[unit]);
	return buf;
}

const char *trace_gid_text(const uint8_t *gid, char *buf, size_t size)
{
	static const uint8_t zero[16];

	if (memcmp(gid, zero, sizeof(zero)) == 0 ||
	    !inet_ntop(AF_INET6, gid, buf, (socklen_t)size))
		return "";
	return buf;
}

uint32_t trace_record_qpn(const struct trace_data *data,
			  const struct trace_record *record)
{
	return record->qp < data->nr_qps ? data->qps[record->qp].number : 0;
}
