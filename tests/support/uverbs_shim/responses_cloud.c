/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Responses of efa, erdma, ionic, mana and vmw_pvrdma. */
#include <rdma/efa-abi.h>
#include <rdma/erdma-abi.h>
#include <rdma/vmw_pvrdma-abi.h>

#include "responses.h"

enum { KEY_CQ = 1, KEY_SRQ, KEY_SQ, KEY_RQ, KEY_DB, KEY_DB2, KEY_LLQ };

#define PAGE	    4096
#define QUEUE_BYTES 0x10000

/* ------------------------------------------------------------------------ */
/* efa                                                                       */
/* ------------------------------------------------------------------------ */

RESPONSE(efa_context, struct efa_ibv_alloc_ucontext_resp,
	 {
		 .cmds_supp_udata_mask = EFA_USER_CMDS_SUPP_UDATA_QUERY_DEVICE |
					 EFA_USER_CMDS_SUPP_UDATA_CREATE_AH,
		 .sub_cqs_per_cq = 1,
		 .inline_buf_size = 32,
		 .max_llq_size = 16384,
		 .max_tx_batch = 16,
		 .min_sq_wr = 16,
	 })
RESPONSE(efa_device, struct efa_ibv_ex_query_device_resp,
	 {
		 .max_sq_wr = 4096,
		 .max_rq_wr = 4096,
		 .max_sq_sge = 2,
		 .max_rq_sge = 4,
		 .max_rdma_size = 1u << 30,
		 .device_caps = EFA_QUERY_DEVICE_CAPS_RDMA_READ |
				EFA_QUERY_DEVICE_CAPS_RNR_RETRY |
				EFA_QUERY_DEVICE_CAPS_CQ_NOTIFICATIONS,
	 })
RESPONSE(efa_pd, struct efa_ibv_alloc_pd_resp,
	 { .pdn = (uint16_t)call->object->number })
RESPONSE(efa_cq, struct efa_ibv_create_cq_resp,
	 {
		 .comp_mask = EFA_CREATE_CQ_RESP_DB_OFF,
		 .q_mmap_key = RESPONSE_KEY(KEY_CQ, call->object),
		 .q_mmap_size = QUEUE_BYTES,
		 .cq_idx = (uint16_t)call->object->number,
		 .db_off = 0x40,
		 .db_mmap_key = RESPONSE_KEY(KEY_DB, call->object),
	 })
RESPONSE(efa_qp, struct efa_ibv_create_qp_resp,
	 {
		 .rq_db_offset = 0x40,
		 .sq_db_offset = 0x80,
		 .rq_mmap_key = RESPONSE_KEY(KEY_RQ, call->object),
		 .rq_mmap_size = QUEUE_BYTES,
		 .rq_db_mmap_key = RESPONSE_KEY(KEY_DB2, call->object),
		 .sq_db_mmap_key = RESPONSE_KEY(KEY_DB, call->object),
		 .llq_desc_mmap_key = RESPONSE_KEY(KEY_LLQ, call->object),
	 })
RESPONSE(efa_ah, struct efa_ibv_create_ah_resp,
	 { .efa_address_handle = (uint16_t)call->object->number })

static const struct shim_response efa_responses[] = {
	{ "GET_CONTEXT", efa_context },
	{ "QUERY_DEVICE_EX", efa_device },
	{ "ALLOC_PD", efa_pd },
	{ "CREATE_CQ", efa_cq },
	{ "CREATE_QP", efa_qp },
	{ "CREATE_AH", efa_ah },
	{},
};

const struct shim_driver responses_efa = {
	.name = "efa",
	.responses = efa_responses,
};

/* ------------------------------------------------------------------------ */
/* erdma                                                                     */
/* ------------------------------------------------------------------------ */

RESPONSE(erdma_context, struct erdma_uresp_alloc_ctx,
	 {
		 .dev_id = 1,
		 .sdb_offset = 0,
		 .sdb = (uint64_t)KEY_DB << 32,
		 .rdb = (uint64_t)KEY_DB2 << 32,
		 .cdb = (uint64_t)KEY_CQ << 32,
	 })
RESPONSE(erdma_cq, struct erdma_uresp_create_cq,
	 { .cq_id = call->object->number, .num_cqe = call->object->depth })
/* A send work request takes up to 4 blocks of 32 bytes. */
static int erdma_qp(const struct shim_call *call, void *buf, size_t room)
{
	const struct ib_uverbs_qp_cap *cap = &call->object->cap;
	uint32_t num_sqe = response_power_of_two(4 * cap->max_send_wr);
	const struct erdma_uresp_create_qp resp = {
		.qp_id = call->object->number,
		.num_sqe = num_sqe,
		.num_rqe = response_power_of_two(cap->max_recv_wr),
		.rq_offset = (num_sqe * 32 + PAGE - 1) / PAGE * PAGE,
	};

	return response_copy(buf, room, &resp, sizeof(resp));
}

static const struct shim_response erdma_responses[] = {
	{ "GET_CONTEXT", erdma_context },
	{ "CREATE_CQ", erdma_cq },
	{ "CREATE_QP", erdma_qp },
	{},
};

const struct shim_driver responses_erdma = {
	.name = "erdma",
	.responses = erdma_responses,
};

/* ------------------------------------------------------------------------ */
/* ionic: newer than the headers of Debian 12                                */
/* ------------------------------------------------------------------------ */

struct ionic_context_response {
	uint32_t reserved;
	uint32_t page_shift;
	uint64_t doorbell_offset;
	uint16_t version;
	uint8_t qp_opcodes, admin_opcodes;
	uint8_t sq_type, rq_type, cq_type, admin_type;
	uint8_t max_stride, max_spec, udma_count, expdb_mask, expdb_types;
	uint8_t reserved2[3];
};

struct ionic_cq_response {
	uint32_t cqid[2];
	uint8_t udma_mask;
	uint8_t reserved[7];
};

struct ionic_qp_response {
	uint32_t qpid;
	uint8_t sq_cmb, rq_cmb, udma_index, reserved;
	uint64_t sq_cmb_offset, rq_cmb_offset;
};

RESPONSE(ionic_context, struct ionic_context_response,
	 {
		 .page_shift = 12,
		 .doorbell_offset = (uint64_t)KEY_DB << 32,
		 .version = 1,
		 .qp_opcodes = 32,
		 .admin_opcodes = 16,
		 .sq_type = 1,
		 .rq_type = 2,
		 .cq_type = 3,
		 .admin_type = 4,
		 .max_stride = 12,
		 .max_spec = 16,
		 .udma_count = 1,
	 })
RESPONSE(ionic_cq, struct ionic_cq_response,
	 { .cqid = { call->object->number }, .udma_mask = 1 })
RESPONSE(ionic_qp, struct ionic_qp_response, { .qpid = call->object->number })
RESPONSE(ionic_ah, uint64_t, call->object->number)

static const struct shim_response ionic_responses[] = {
	{ "GET_CONTEXT", ionic_context },
	{ "CREATE_CQ", ionic_cq },
	{ "CREATE_QP", ionic_qp },
	{ "CREATE_AH", ionic_ah },
	{},
};

const struct shim_driver responses_ionic = {
	.name = "ionic",
	.responses = ionic_responses,
	.noise = { "CREATE_QP", 37, 3 },
};

/* ------------------------------------------------------------------------ */
/* mana: newer too; all QP types use the same queue members of the response  */
/* ------------------------------------------------------------------------ */

struct mana_cq_response {
	uint32_t cqid, reserved;
};

struct mana_qp_response {
	uint32_t numbers[4];
};

RESPONSE(mana_cq, struct mana_cq_response, { .cqid = call->object->number })
RESPONSE(mana_qp, struct mana_qp_response,
	 { .numbers = { call->object->number, call->object->number + 1,
			call->object->number + 2, call->object->number + 3 } })

static const struct shim_response mana_responses[] = {
	{ "CREATE_CQ", mana_cq },
	{ "CREATE_QP", mana_qp },
	{},
};

const struct shim_driver responses_mana = {
	.name = "mana",
	.responses = mana_responses,
};

/* ------------------------------------------------------------------------ */
/* vmw_pvrdma                                                                */
/* ------------------------------------------------------------------------ */

RESPONSE(pvrdma_context, struct pvrdma_alloc_ucontext_resp,
	 { .qp_tab_size = 1u << 12 })
RESPONSE(pvrdma_pd, struct pvrdma_alloc_pd_resp,
	 { .pdn = call->object->number })
RESPONSE(pvrdma_cq, struct pvrdma_create_cq_resp,
	 { .cqn = call->object->number })
RESPONSE(pvrdma_qp, struct pvrdma_create_qp_resp,
	 { .qpn = call->object->number, .qp_handle = call->object->number })
RESPONSE(pvrdma_srq, struct pvrdma_create_srq_resp,
	 { .srqn = call->object->number })

static const struct shim_response pvrdma_responses[] = {
	{ "GET_CONTEXT", pvrdma_context }, { "ALLOC_PD", pvrdma_pd },
	{ "CREATE_CQ", pvrdma_cq },	   { "CREATE_QP", pvrdma_qp },
	{ "CREATE_SRQ", pvrdma_srq },	   {},
};

const struct shim_driver responses_vmw_pvrdma = {
	.name = "vmw_pvrdma",
	.responses = pvrdma_responses,
	.noise = { "CREATE_CQ", 12, 4 },
};
