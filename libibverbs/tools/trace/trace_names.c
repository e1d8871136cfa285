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
#define TRACE_NAME(name, function)	       [TRACE_##name] = function,
#define TRACE_OP_NAME(op, name, function, ...) [TRACE_##name] = function,
		TRACE_DATA_OPS(TRACE_NAME) TRACE_CONTROL_OPS(
			TRACE_OP_NAME, TRACE_OP_NAME, TRACE_OP_NAME, TRACE_NAME)
#undef TRACE_OP_NAME
#undef TRACE_NAME
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

const char *trace_event_name(unsigned int type)
{
	static const char *const names[] = {
		[IBV_EVENT_CQ_ERR] = "CQ_ERR",
		[IBV_EVENT_QP_FATAL] = "QP_FATAL",
		[IBV_EVENT_QP_REQ_ERR] = "QP_REQ_ERR",
		[IBV_EVENT_QP_ACCESS_ERR] = "QP_ACCESS_ERR",
		[IBV_EVENT_COMM_EST] = "COMM_EST",
		[IBV_EVENT_SQ_DRAINED] = "SQ_DRAINED",
		[IBV_EVENT_PATH_MIG] = "PATH_MIG",
		[IBV_EVENT_PATH_MIG_ERR] = "PATH_MIG_ERR",
		[IBV_EVENT_DEVICE_FATAL] = "DEVICE_FATAL",
		[IBV_EVENT_PORT_ACTIVE] = "PORT_ACTIVE",
		[IBV_EVENT_PORT_ERR] = "PORT_ERR",
		[IBV_EVENT_LID_CHANGE] = "LID_CHANGE",
		[IBV_EVENT_PKEY_CHANGE] = "PKEY_CHANGE",
		[IBV_EVENT_SM_CHANGE] = "SM_CHANGE",
		[IBV_EVENT_SRQ_ERR] = "SRQ_ERR",
		[IBV_EVENT_SRQ_LIMIT_REACHED] = "SRQ_LIMIT_REACHED",
		[IBV_EVENT_QP_LAST_WQE_REACHED] = "QP_LAST_WQE_REACHED",
		[IBV_EVENT_CLIENT_REREGISTER] = "CLIENT_REREGISTER",
		[IBV_EVENT_GID_CHANGE] = "GID_CHANGE",
		[IBV_EVENT_WQ_FATAL] = "WQ_FATAL",
	};

	return name_in(names, NR(names), type);
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

bool trace_record_is_ud(const struct trace_data *data,
			const struct trace_record *record)
{
	return record->qp < data->nr_qps &&
	       data->qps[record->qp].type == IBV_QPT_UD;
}
