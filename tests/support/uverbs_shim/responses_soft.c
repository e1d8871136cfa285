/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Responses of drivers whose queues are memory shared with the kernel: rxe,
 * siw, and rvt, on which hfi1 and qib (ipathverbs) are built.
 */
#include <rdma/rdma_user_rxe.h>
#include <rdma/siw-abi.h>
#include <string.h>

#include "responses.h"

enum { KEY_CQ = 1, KEY_SRQ, KEY_SQ, KEY_RQ };

/* ------------------------------------------------------------------------ */
/* rxe: a queue header contains its length and the size of its elements      */
/* ------------------------------------------------------------------------ */

#define RXE_QUEUE_BYTES	 0x10000
#define RXE_ELEMENT_LOG	 9 /* 512 bytes: one send work request with 16 SGEs */
#define RXE_ELEMENTS_LOG 6

static struct mminfo rxe_queue(int what, const struct shim_object *object)
{
	return (struct mminfo){ .offset = RESPONSE_KEY(what, object),
				.size = RXE_QUEUE_BYTES };
}

RESPONSE(rxe_cq, struct rxe_create_cq_resp,
	 { .mi = rxe_queue(KEY_CQ, call->object) })
RESPONSE(rxe_resize_cq, struct rxe_resize_cq_resp,
	 { .mi = rxe_queue(KEY_CQ, call->object) })
RESPONSE(rxe_qp, struct rxe_create_qp_resp,
	 {
		 .rq_mi = call->request.srq ? (struct mminfo){}
					    : rxe_queue(KEY_RQ, call->object),
		 .sq_mi = rxe_queue(KEY_SQ, call->object),
	 })
RESPONSE(rxe_srq, struct rxe_create_srq_resp,
	 { .mi = rxe_queue(KEY_SRQ, call->object),
	   .srq_num = call->object->number })
RESPONSE(rxe_ah, struct rxe_create_ah_resp, { .ah_num = call->object->number })

static void rxe_fill_map(void *memory, size_t len, uint64_t offset)
{
	const struct rxe_queue_buf head = {
		.log2_elem_size = RXE_ELEMENT_LOG,
		.index_mask = (1u << RXE_ELEMENTS_LOG) - 1,
	};

	(void)offset;
	if (len >= sizeof(head))
		memcpy(memory, &head, sizeof(head));
}

static const struct shim_response rxe_responses[] = {
	{ "CREATE_CQ", rxe_cq },
	{ "RESIZE_CQ", rxe_resize_cq },
	{ "CREATE_QP", rxe_qp },
	{ "CREATE_SRQ", rxe_srq },
	{ "CREATE_XSRQ", rxe_srq },
	{ "CREATE_AH", rxe_ah },
	{},
};

const struct shim_driver responses_rxe = {
	.name = "rxe",
	.responses = rxe_responses,
	.fill_map = rxe_fill_map,
};

/* ------------------------------------------------------------------------ */
/* siw                                                                       */
/* ------------------------------------------------------------------------ */

RESPONSE(siw_context, struct siw_uresp_alloc_ctx, { .dev_id = 1 })
RESPONSE(siw_mr, struct siw_uresp_reg_mr, { .stag = call->object->number << 8 })
RESPONSE(siw_cq, struct siw_uresp_create_cq,
	 {
		 .cq_id = call->object->number,
		 .num_cqe = response_power_of_two(call->object->depth),
		 .cq_key = RESPONSE_KEY(KEY_CQ, call->object),
	 })
RESPONSE(
	siw_qp, struct siw_uresp_create_qp,
	{
		.qp_id = call->object->number,
		.num_sqe = response_power_of_two(call->object->cap.max_send_wr),
		.num_rqe = response_power_of_two(call->object->cap.max_recv_wr),
		.sq_key = RESPONSE_KEY(KEY_SQ, call->object),
		.rq_key = RESPONSE_KEY(KEY_RQ, call->object),
	})
RESPONSE(siw_srq, struct siw_uresp_create_srq,
	 { .num_rqe = response_power_of_two(call->object->depth),
	   .srq_key = RESPONSE_KEY(KEY_SRQ, call->object) })

static const struct shim_response siw_responses[] = {
	{ "GET_CONTEXT", siw_context }, { "REG_MR", siw_mr },
	{ "CREATE_CQ", siw_cq },	{ "CREATE_QP", siw_qp },
	{ "CREATE_SRQ", siw_srq },	{},
};

const struct shim_driver responses_siw = {
	.name = "siw",
	.responses = siw_responses,
};

/* ------------------------------------------------------------------------ */
/* rvt: the response is only the mmap offset; two indices start a queue       */
/* ------------------------------------------------------------------------ */

RESPONSE(rvt_cq, uint64_t, RESPONSE_KEY(KEY_CQ, call->object))
RESPONSE(rvt_qp, uint64_t,
	 call->request.srq ? 0 : RESPONSE_KEY(KEY_RQ, call->object))
RESPONSE(rvt_srq, uint64_t, RESPONSE_KEY(KEY_SRQ, call->object))

static const struct shim_response rvt_responses[] = {
	{ "CREATE_CQ", rvt_cq },
	{ "RESIZE_CQ", rvt_cq },
	{ "CREATE_QP", rvt_qp },
	{ "CREATE_SRQ", rvt_srq },
	{},
};

const struct shim_driver responses_rvt = {
	.name = "rvt",
	.responses = rvt_responses,
};
