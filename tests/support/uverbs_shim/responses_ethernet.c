/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Responses of bnxt_re, cxgb4, hns, irdma, ocrdma and qedr. */
#include <rdma/bnxt_re-abi.h>
#include <rdma/cxgb4-abi.h>
#include <rdma/hns-abi.h>
#include <rdma/irdma-abi.h>
#include <rdma/ocrdma-abi.h>
#include <rdma/qedr-abi.h>
#include <string.h>

#include "responses.h"

enum { KEY_CQ = 1, KEY_SRQ, KEY_SQ, KEY_RQ, KEY_DB, KEY_DB2, KEY_STATUS };

#define PAGE	    4096
#define QUEUE_BYTES 0x100000

/* ------------------------------------------------------------------------ */
/* bnxt_re                                                                   */
/* ------------------------------------------------------------------------ */

#define BNXT_CHIP_P5 0x1750

RESPONSE(bnxt_context, struct bnxt_re_uctx_resp,
	 {
		 .dev_id = 1,
		 .max_qp = 65536,
		 .pg_size = PAGE,
		 .cqe_sz = 32,
		 .max_cqd = 65536,
		 .comp_mask = BNXT_RE_UCNTX_CMASK_HAVE_CCTX,
		 .chip_id0 = BNXT_CHIP_P5,
	 })
RESPONSE(bnxt_pd, struct bnxt_re_pd_resp,
	 { .pdid = call->object->number,
	   .dpi = 2,
	   .dbr = (uint64_t)KEY_DB << 32 })
RESPONSE(bnxt_cq, struct bnxt_re_cq_resp, { .cqid = call->object->number })
RESPONSE(bnxt_qp, struct bnxt_re_qp_resp, { .qpid = call->object->number })
RESPONSE(bnxt_srq, struct bnxt_re_srq_resp, { .srqid = call->object->number })

static const struct shim_response bnxt_responses[] = {
	{ "GET_CONTEXT", bnxt_context }, { "ALLOC_PD", bnxt_pd },
	{ "CREATE_CQ", bnxt_cq },	 { "CREATE_QP", bnxt_qp },
	{ "CREATE_SRQ", bnxt_srq },	 {},
};

const struct shim_driver responses_bnxt_re = {
	.name = "bnxt_re",
	.responses = bnxt_responses,
	.noise = { "CREATE_QP", 24, 16 },
};

/* ------------------------------------------------------------------------ */
/* cxgb4                                                                     */
/* ------------------------------------------------------------------------ */

RESPONSE(cxgb4_context, struct c4iw_alloc_ucontext_resp,
	 { .status_page_key = (uint64_t)KEY_STATUS << 32,
	   .status_page_size = PAGE })
RESPONSE(cxgb4_pd, struct c4iw_alloc_pd_resp, { .pdid = call->object->number })
RESPONSE(cxgb4_cq, struct c4iw_create_cq_resp,
	 {
		 .key = RESPONSE_KEY(KEY_CQ, call->object),
		 .gts_key = RESPONSE_KEY(KEY_DB, call->object),
		 .memsize = QUEUE_BYTES,
		 .cqid = call->object->number,
		 .size = call->object->depth,
		 .qid_mask = 3,
	 })
RESPONSE(cxgb4_qp, struct c4iw_create_qp_resp,
	 {
		 .ma_sync_key = 0,
		 .sq_key = RESPONSE_KEY(KEY_SQ, call->object),
		 .rq_key = RESPONSE_KEY(KEY_RQ, call->object),
		 .sq_db_gts_key = RESPONSE_KEY(KEY_DB, call->object),
		 .rq_db_gts_key = RESPONSE_KEY(KEY_DB2, call->object),
		 .sq_memsize = QUEUE_BYTES,
		 .rq_memsize = QUEUE_BYTES,
		 .sqid = call->object->number,
		 .rqid = call->object->number + 1,
		 .sq_size = call->object->cap.max_send_wr + 1,
		 .rq_size = call->object->cap.max_recv_wr + 1,
		 .qid_mask = 3,
	 })
RESPONSE(cxgb4_srq, struct c4iw_create_srq_resp,
	 {
		 .srq_key = RESPONSE_KEY(KEY_SRQ, call->object),
		 .srq_db_gts_key = RESPONSE_KEY(KEY_DB, call->object),
		 .srq_memsize = QUEUE_BYTES,
		 .srqid = call->object->number,
		 .srq_size = call->object->depth + 1,
		 .qid_mask = 3,
	 })

/* The status page contains the ranges of QP and CQ numbers. */
static void cxgb4_fill_map(void *memory, size_t len, uint64_t offset)
{
	const uint64_t ranges[] = { 0, 4096, 0, 4096 };
	const size_t at = 8; /* after flags, which are all 0 */

	if (offset == (uint64_t)KEY_STATUS << 32 && len >= at + sizeof(ranges))
		memcpy((char *)memory + at, ranges, sizeof(ranges));
}

static const struct shim_response cxgb4_responses[] = {
	{ "GET_CONTEXT", cxgb4_context }, { "ALLOC_PD", cxgb4_pd },
	{ "CREATE_CQ", cxgb4_cq },	  { "CREATE_QP", cxgb4_qp },
	{ "CREATE_SRQ", cxgb4_srq },	  {},
};

const struct shim_driver responses_cxgb4 = {
	.name = "cxgb4",
	.responses = cxgb4_responses,
	.fill_map = cxgb4_fill_map,
};

/* ------------------------------------------------------------------------ */
/* hns                                                                       */
/* ------------------------------------------------------------------------ */

RESPONSE(hns_context, struct hns_roce_ib_alloc_ucontext_resp,
	 {
		 .qp_tab_size = 1u << 16,
		 .cqe_size = 64,
		 .srq_tab_size = 1u << 16,
	 })
RESPONSE(hns_pd, struct hns_roce_ib_alloc_pd_resp,
	 { .pdn = call->object->number })
RESPONSE(hns_cq, struct hns_roce_ib_create_cq_resp,
	 { .cqn = call->object->number,
	   .cap_flags = HNS_ROCE_CQ_FLAG_RECORD_DB })
RESPONSE(hns_qp, struct hns_roce_ib_create_qp_resp,
	 { .cap_flags = HNS_ROCE_QP_CAP_RQ_RECORD_DB |
			HNS_ROCE_QP_CAP_SQ_RECORD_DB })
RESPONSE(hns_srq, struct hns_roce_ib_create_srq_resp,
	 { .srqn = call->object->number })

static const struct shim_response hns_responses[] = {
	{ "GET_CONTEXT", hns_context },
	{ "ALLOC_PD", hns_pd },
	{ "CREATE_CQ", hns_cq },
	{ "CREATE_QP", hns_qp },
	{ "CREATE_SRQ", hns_srq },
	{ "CREATE_XSRQ", hns_srq },
	{},
};

const struct shim_driver responses_hns = {
	.name = "hns",
	.responses = hns_responses,
};

/* ------------------------------------------------------------------------ */
/* irdma                                                                     */
/* ------------------------------------------------------------------------ */

#define IRDMA_GEN_2 2

RESPONSE(irdma_context, struct irdma_alloc_ucontext_resp,
	 {
		 .max_pds = 4096,
		 .max_qps = 4096,
		 .wq_size = 4096,
		 .kernel_ver = IRDMA_ABI_VER,
		 .db_mmap_key = (uint64_t)KEY_DB << 32,
		 .max_hw_wq_frags = 13,
		 .max_hw_read_sges = 13,
		 .max_hw_inline = 101,
		 .max_hw_rq_quanta = 32768,
		 .max_hw_wq_quanta = 32768,
		 .min_hw_cq_size = 4,
		 .max_hw_cq_size = 1048574,
		 .max_hw_sq_chunk = 16384,
		 .hw_rev = IRDMA_GEN_2,
	 })
RESPONSE(irdma_pd, struct irdma_alloc_pd_resp,
	 { .pd_id = call->object->number })
RESPONSE(irdma_cq, struct irdma_create_cq_resp,
	 { .cq_id = call->object->number, .cq_size = call->object->depth })
RESPONSE(irdma_qp, struct irdma_create_qp_resp,
	 {
		 .qp_id = call->object->number,
		 .actual_sq_size = call->object->cap.max_send_wr,
		 .actual_rq_size = call->object->cap.max_recv_wr,
	 })
RESPONSE(irdma_ah, struct irdma_create_ah_resp,
	 { .ah_id = call->object->number })

static const struct shim_response irdma_responses[] = {
	{ "GET_CONTEXT", irdma_context }, { "ALLOC_PD", irdma_pd },
	{ "CREATE_CQ", irdma_cq },	  { "CREATE_QP", irdma_qp },
	{ "CREATE_AH", irdma_ah },	  {},
};

const struct shim_driver responses_irdma = {
	.name = "irdma",
	.responses = irdma_responses,
	.noise = { "REG_MR", 2, 6 },
};

/* ------------------------------------------------------------------------ */
/* ocrdma                                                                    */
/* ------------------------------------------------------------------------ */

RESPONSE(ocrdma_context, struct ocrdma_alloc_ucontext_resp,
	 {
		 .dev_id = 1,
		 .wqe_size = 128,
		 .max_inline_data = 64,
		 .dpp_wqe_size = 256,
		 .ah_tbl_page = (uint64_t)KEY_STATUS << 32,
		 .ah_tbl_len = PAGE,
		 .rqe_size = 64,
		 .fw_ver = "1.2.3",
	 })
RESPONSE(ocrdma_pd, struct ocrdma_alloc_pd_uresp,
	 { .id = call->object->number })
RESPONSE(ocrdma_cq, struct ocrdma_create_cq_uresp,
	 {
		 .cq_id = call->object->number,
		 .page_size = QUEUE_BYTES,
		 .num_pages = 1,
		 .max_hw_cqe = call->object->depth,
		 .page_addr = { RESPONSE_KEY(KEY_CQ, call->object) },
		 .db_page_addr = (uint64_t)KEY_DB << 32,
		 .db_page_size = PAGE,
		 .phase_change = 1,
	 })
RESPONSE(ocrdma_qp, struct ocrdma_create_qp_uresp,
	 {
		 .qp_id = (uint16_t)call->object->number,
		 .sq_dbid = (uint16_t)call->object->number,
		 .rq_dbid = (uint16_t)(call->object->number + 1),
		 .sq_page_size = QUEUE_BYTES,
		 .rq_page_size = QUEUE_BYTES,
		 .num_sq_pages = 1,
		 .num_rq_pages = 1,
		 .sq_page_addr = { RESPONSE_KEY(KEY_SQ, call->object) },
		 .rq_page_addr = { RESPONSE_KEY(KEY_RQ, call->object) },
		 .db_page_addr = (uint64_t)KEY_DB << 32,
		 .db_page_size = PAGE,
		 .num_wqe_allocated = call->object->cap.max_send_wr,
		 .num_rqe_allocated = call->object->cap.max_recv_wr,
		 .db_sq_offset = 0x40,
		 .db_rq_offset = 0x80,
		 .db_shift = 16,
	 })
RESPONSE(ocrdma_srq, struct ocrdma_create_srq_uresp,
	 {
		 .rq_dbid = (uint16_t)call->object->number,
		 .rq_page_size = QUEUE_BYTES,
		 .num_rq_pages = 1,
		 .rq_page_addr = { RESPONSE_KEY(KEY_SRQ, call->object) },
		 .db_page_addr = (uint64_t)KEY_DB << 32,
		 .db_page_size = PAGE,
		 .num_rqe_allocated = call->object->depth,
		 .db_rq_offset = 0x80,
		 .db_shift = 16,
	 })

static const struct shim_response ocrdma_responses[] = {
	{ "GET_CONTEXT", ocrdma_context }, { "ALLOC_PD", ocrdma_pd },
	{ "CREATE_CQ", ocrdma_cq },	   { "CREATE_QP", ocrdma_qp },
	{ "CREATE_SRQ", ocrdma_srq },	   {},
};

const struct shim_driver responses_ocrdma = {
	.name = "ocrdma",
	.responses = ocrdma_responses,
	.noise = { "CREATE_CQ", 4, 4 },
};

/* ------------------------------------------------------------------------ */
/* qedr                                                                      */
/* ------------------------------------------------------------------------ */

RESPONSE(qedr_context, struct qedr_alloc_ucontext_resp,
	 {
		 .db_pa = (uint64_t)KEY_DB << 32,
		 .db_size = PAGE,
		 .max_send_wr = 4096,
		 .max_recv_wr = 4096,
		 .max_srq_wr = 4096,
		 .sges_per_send_wr = 4,
		 .sges_per_recv_wr = 4,
		 .sges_per_srq_wr = 4,
		 .max_cqes = 65536,
	 })
RESPONSE(qedr_pd, struct qedr_alloc_pd_uresp, { .pd_id = call->object->number })
RESPONSE(qedr_cq, struct qedr_create_cq_uresp,
	 { .db_offset = 0x40, .icid = (uint16_t)call->object->number })
RESPONSE(qedr_qp, struct qedr_create_qp_uresp,
	 {
		 .qp_id = call->object->number,
		 .sq_db_offset = 0x80,
		 .sq_icid = (uint16_t)call->object->number,
		 .rq_db_offset = 0xc0,
		 .rq_icid = (uint16_t)(call->object->number + 1),
	 })
RESPONSE(qedr_srq, struct qedr_create_srq_uresp,
	 { .srq_id = (uint16_t)call->object->number })

static const struct shim_response qedr_responses[] = {
	{ "GET_CONTEXT", qedr_context },
	{ "ALLOC_PD", qedr_pd },
	{ "CREATE_CQ", qedr_cq },
	{ "CREATE_QP", qedr_qp },
	{ "CREATE_SRQ", qedr_srq },
	{ "CREATE_XSRQ", qedr_srq },
	{},
};

const struct shim_driver responses_qedr = {
	.name = "qedr",
	.responses = qedr_responses,
	.noise = { "CREATE_QP", 0, 8 }, /* an address in two halves */
};
