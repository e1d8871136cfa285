/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains completions with an error: the status, its causes for the opcode of
 * the request, and the attributes of the QP that matter. Flushed requests are
 * explained once for each QP, with the error that came first; they are not
 * explained if the program moved the QP to ERR.
 *
 * A completion with an error has no valid opcode, so the opcode comes from the
 * send requests that the record of the QP contains. No verb is called: the
 * caller may be in the middle of a poll.
 */
#include <inttypes.h>
#include <stdint.h>

#include "layers/explain.h"
#include "layers/layers.h"

/* IBTA 9.7.6.1.3: the unit of the timeout, 4.096 us */
#define TIMEOUT_UNIT_NS UINT64_C(4096)

/* IBTA 9.7.5.2.8: this value of rnr_retry has no limit. */
#define RNR_RETRY_FOREVER 7

#define NO_OPCODE (-1)

/* The send request of a completion, as far as it is known. */
struct completion_request {
	int opcode; /* enum ibv_wr_opcode, or NO_OPCODE */
	bool has_remote, has_local;
	uint64_t remote_addr, local_addr;
	uint32_t rkey, lkey, length;
};

/* The data of the QP that a message needs. */
struct completion_qp {
	uint32_t number;
	enum ibv_qp_type type;
	int attr_mask; /* valid members of attr; 0: an unknown QP */
	struct ibv_qp_attr attr;
	struct ibv_qp_cap cap;
};

struct completion_status {
	const char *name;
	const char *meaning;
};

static const struct completion_status statuses[] = {
	[IBV_WC_SUCCESS] = { "SUCCESS", "" },
	[IBV_WC_LOC_LEN_ERR] = { "LOC_LEN_ERR",
				 "a length does not fit: a message is longer "
				 "than the buffer of the receive request, or a "
				 "send request is longer than the device or, "
				 "for UD, the path MTU permits. A receive "
				 "buffer of UD needs 40 more bytes for the "
				 "GRH" },
	[IBV_WC_LOC_QP_OP_ERR] = { "LOC_QP_OP_ERR",
				   "the work request does not fit the QP: its "
				   "opcode, flags or SGEs are invalid for the "
				   "type and the attributes of the QP" },
	[IBV_WC_LOC_EEC_OP_ERR] = { "LOC_EEC_OP_ERR",
				    "the EE context has failed" },
	[IBV_WC_LOC_PROT_ERR] = { "LOC_PROT_ERR",
				  "an SGE of the work request is not in a "
				  "valid memory region: its lkey is wrong or "
				  "deregistered, of another PD or device, its "
				  "range ends outside the region, or the "
				  "region lacks IBV_ACCESS_LOCAL_WRITE, which "
				  "receives, reads and atomics need; or a page "
				  "of an on-demand region is not mapped, or "
				  "does not permit the access" },
	[IBV_WC_WR_FLUSH_ERR] = { "WR_FLUSH_ERR",
				  "the request was not executed, because the "
				  "QP is in the state ERR" },
	[IBV_WC_MW_BIND_ERR] = { "MW_BIND_ERR",
				 "the memory window cannot be bound: its "
				 "region lacks IBV_ACCESS_MW_BIND, or range, "
				 "PD or access flags do not fit" },
	[IBV_WC_BAD_RESP_ERR] = { "BAD_RESP_ERR",
				  "the peer sent a response with an "
				  "unexpected opcode or length" },
	[IBV_WC_LOC_ACCESS_ERR] = { "LOC_ACCESS_ERR",
				    "a message of the peer needed a local "
				    "access that the region does not permit" },
	[IBV_WC_REM_INV_REQ_ERR] = { "REM_INV_REQ_ERR",
				     "the peer refused the request as "
				     "invalid" },
	[IBV_WC_REM_ACCESS_ERR] = { "REM_ACCESS_ERR",
				    "the peer refused the access to its "
				    "memory: the rkey is not valid there "
				    "(deregistered, of another device or PD), "
				    "or the range is outside its region; or a "
				    "page of an on-demand region is invalid" },
	[IBV_WC_REM_OP_ERR] = { "REM_OP_ERR",
				"the peer could not execute the request "
				"because of an error of its own; its "
				"receive request usually has an SGE that is "
				"not in a valid region (LOC_PROT_ERR there)" },
	[IBV_WC_RETRY_EXC_ERR] = { "RETRY_EXC_ERR",
				   "the peer did not acknowledge the "
				   "request" },
	[IBV_WC_RNR_RETRY_EXC_ERR] = { "RNR_RETRY_EXC_ERR",
				       "the peer had no receive request for "
				       "the message" },
	[IBV_WC_LOC_RDD_VIOL_ERR] = { "LOC_RDD_VIOL_ERR",
				      "the RDD of the QP and of the EE context "
				      "differ" },
	[IBV_WC_REM_INV_RD_REQ_ERR] = { "REM_INV_RD_REQ_ERR",
					"the peer refused an invalid RD "
					"message" },
	[IBV_WC_REM_ABORT_ERR] = { "REM_ABORT_ERR",
				   "the peer aborted the operation" },
	[IBV_WC_INV_EECN_ERR] = { "INV_EECN_ERR",
				  "the number of the EE context is invalid" },
	[IBV_WC_INV_EEC_STATE_ERR] = { "INV_EEC_STATE_ERR",
				       "the state of the EE context is "
				       "invalid" },
	[IBV_WC_FATAL_ERR] = { "FATAL_ERR",
			       "the device has failed; read its asynchronous "
			       "events and the kernel log" },
	[IBV_WC_RESP_TIMEOUT_ERR] = { "RESP_TIMEOUT_ERR",
				      "the peer did not respond in time" },
	[IBV_WC_GENERAL_ERR] = { "GENERAL_ERR",
				 "the device reports an error of its own" },
	[IBV_WC_TM_ERR] = { "TM_ERR", "tag matching has failed" },
	[IBV_WC_TM_RNDV_INCOMPLETE] = { "TM_RNDV_INCOMPLETE",
					"software must read the rest of the "
					"message" },
};

static const struct completion_status *
completion_find_status(enum ibv_wc_status status)
{
	static const struct completion_status unknown = {
		"unknown status", "the provider returned an unknown status"
	};
	const size_t nr = sizeof(statuses) / sizeof(statuses[0]);

	return (size_t)status < nr ? &statuses[status] : &unknown;
}

const char *explain_status_name(enum ibv_wc_status status)
{
	return completion_find_status(status)->name;
}

/* ------------------------------------------------------------------------ */
/* The request                                                               */
/* ------------------------------------------------------------------------ */

/* Requests with a wr_id, joined. */
struct completion_search {
	uint64_t wr_id;
	bool is_found;
	struct completion_request request;
};

/* Adds one entry: members in which the entries differ become unknown. */
static void completion_join_request(const struct layers_request *entry,
				    void *arg)
{
	struct completion_search *search = arg;
	struct completion_request *request = &search->request;
	const struct completion_request other = {
		.opcode = entry->opcode,
		.has_remote = true,
		.has_local = true,
		.remote_addr = entry->remote_addr,
		.local_addr = entry->local_addr,
		.rkey = entry->rkey,
		.lkey = entry->lkeys[0],
		.length = entry->length,
	};

	if (entry->wr_id != search->wr_id)
		return;
	if (!search->is_found) {
		search->is_found = true;
		*request = other;
		return;
	}
	if (request->opcode != other.opcode)
		request->opcode = NO_OPCODE;
	if (request->remote_addr != other.remote_addr ||
	    request->rkey != other.rkey || request->length != other.length)
		request->has_remote = false;
	if (request->local_addr != other.local_addr ||
	    request->lkey != other.lkey || request->length != other.length)
		request->has_local = false;
}

/* A program may use a wr_id for several requests. */
static struct completion_request completion_find_request(struct layers_qp *qp,
							 uint64_t wr_id)
{
	struct completion_search search = {
		.wr_id = wr_id,
		.request.opcode = NO_OPCODE,
	};

	layers_track_each_old(&qp->send, completion_join_request, &search);
	return search.request;
}

static bool completion_opcode_is_read(int opcode)
{
	return opcode == IBV_WR_RDMA_READ;
}

static bool completion_opcode_is_write(int opcode)
{
	return opcode == IBV_WR_RDMA_WRITE ||
	       opcode == IBV_WR_RDMA_WRITE_WITH_IMM ||
	       opcode == IBV_WR_ATOMIC_WRITE;
}

static bool completion_opcode_is_atomic(int opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool completion_opcode_is_send(int opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
	       opcode == IBV_WR_SEND_WITH_INV;
}

/* The right of the peer's region and QP that the opcode needs, or NULL. */
static const char *completion_remote_right(int opcode)
{
	if (completion_opcode_is_read(opcode))
		return "IBV_ACCESS_REMOTE_READ";
	if (completion_opcode_is_write(opcode))
		return "IBV_ACCESS_REMOTE_WRITE";
	if (completion_opcode_is_atomic(opcode))
		return "IBV_ACCESS_REMOTE_ATOMIC";
	return NULL;
}

static void completion_add_request(struct explain_text *text,
				   const struct completion_request *request)
{
	if (request->opcode == NO_OPCODE)
		return;
	explain_add(text, " Send request with this wr_id: %s",
		    explain_opcode_name((enum ibv_wr_opcode)request->opcode));
	if (request->has_local)
		explain_add(
			text,
			", %u bytes, first SGE at 0x%" PRIx64 " with lkey 0x%x",
			request->length, request->local_addr, request->lkey);
	if (request->has_remote && completion_remote_right(request->opcode))
		explain_add(text, ", remote address 0x%" PRIx64 ", rkey 0x%x",
			    request->remote_addr, request->rkey);
	explain_add(text, ".");
}

/* ------------------------------------------------------------------------ */
/* Causes of single statuses                                                 */
/* ------------------------------------------------------------------------ */

static void completion_add_timeout(struct explain_text *text,
				   const struct ibv_qp_attr *attr)
{
	uint64_t timeout_us = (TIMEOUT_UNIT_NS << (attr->timeout & 31U)) / 1000;

	explain_add(text, " timeout is %u", attr->timeout);
	if (attr->timeout)
		explain_add(text, " (%" PRIu64 ".%03" PRIu64 " ms)",
			    timeout_us / 1000, timeout_us % 1000);
	explain_add(text, ", retry_cnt %u.", attr->retry_cnt);
}

static void completion_add_retry(struct explain_text *text,
				 const struct completion_qp *qp)
{
	const int needed = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT;

	explain_add(text, " If no request has ever worked: wrong GID, GID "
			  "index, QP number or PSN, a peer that is not in "
			  "RTR, another MTU on the path, or a firewall (RoCEv2 "
			  "is UDP port 4791). Otherwise the peer or the path "
			  "has failed.");
	if ((qp->attr_mask & needed) == needed)
		completion_add_timeout(text, &qp->attr);
}

static void completion_add_rnr(struct explain_text *text,
			       const struct completion_qp *qp)
{
	explain_add(text, " The peer must post receives ahead");
	if (qp->attr_mask & IBV_QP_RNR_RETRY)
		explain_add(text,
			    ", or rnr_retry of this QP, which is %u, must be "
			    "larger (%d: no limit)",
			    qp->attr.rnr_retry, RNR_RETRY_FOREVER);
	explain_add(text, "; the peer's min_rnr_timer is the time between "
			  "two attempts.");
}

static void completion_add_invalid_request(struct explain_text *text,
					   int opcode)
{
	if (completion_opcode_is_send(opcode))
		explain_add(text, " For a SEND: the message is longer than "
				  "the receive request of the peer.");
	else if (completion_opcode_is_read(opcode) ||
		 completion_opcode_is_atomic(opcode))
		explain_add(text,
			    " For this opcode: qp_access_flags of the peer's "
			    "QP lack %s, its max_dest_rd_atomic is smaller "
			    "than max_rd_atomic here, or the address is not "
			    "aligned.",
			    completion_remote_right(opcode));
	else if (completion_opcode_is_write(opcode))
		explain_add(text, " For this opcode: qp_access_flags of the "
				  "peer's QP lack IBV_ACCESS_REMOTE_WRITE.");
	else
		explain_add(text, " Causes: a message longer than the receive "
				  "request of the peer, or qp_access_flags of "
				  "its QP.");
}

static void completion_add_remote_access(struct explain_text *text, int opcode)
{
	const char *right = completion_remote_right(opcode);

	explain_add(text, " Region and qp_access_flags of the peer must "
			  "permit the operation");
	if (right)
		explain_add(text, " (%s)", right);
	explain_add(text, "; an lkey that is used as rkey, or an old rkey, "
			  "has the same effect.");
}

static void completion_add_causes(struct explain_text *text,
				  enum ibv_wc_status status, int opcode,
				  const struct completion_qp *qp)
{
	switch (status) {
	case IBV_WC_RETRY_EXC_ERR:
		completion_add_retry(text, qp);
		break;
	case IBV_WC_RNR_RETRY_EXC_ERR:
		completion_add_rnr(text, qp);
		break;
	case IBV_WC_REM_INV_REQ_ERR:
		completion_add_invalid_request(text, opcode);
		break;
	case IBV_WC_REM_ACCESS_ERR:
		completion_add_remote_access(text, opcode);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------------ */
/* The sentence                                                              */
/* ------------------------------------------------------------------------ */

static void completion_add_peer(struct explain_text *text,
				const struct completion_qp *qp)
{
	const struct ibv_ah_attr *ah_attr = &qp->attr.ah_attr;

	if (!(qp->attr_mask & IBV_QP_DEST_QPN))
		return;
	explain_add(text, " Peer: QP 0x%x", qp->attr.dest_qp_num);
	if (qp->attr_mask & IBV_QP_AV) {
		if (ah_attr->is_global) {
			explain_add(text, ", GID ");
			explain_add_gid(text, &ah_attr->grh.dgid);
			explain_add(text, ", from GID index %u",
				    ah_attr->grh.sgid_index);
		} else {
			explain_add(text, ", LID %u", ah_attr->dlid);
		}
	}
	explain_add(text, ".");
}

static void completion_begin(struct explain_text *text,
			     const struct ibv_context *ctx, uint64_t wr_id,
			     enum ibv_wc_status status,
			     const struct completion_qp *qp)
{
	const struct completion_status *entry = completion_find_status(status);

	explain_add(text, "completion of ");
	if (qp)
		explain_add_qp(text, ctx, qp->number, qp->type);
	else
		explain_add(text, "an unknown QP of %s", ctx->device->name);
	explain_add(text, ", wr_id 0x%" PRIx64 ": %s (%d): %s", wr_id,
		    entry->name, (int)status, entry->meaning);
}

/* What the provider knows about the packet that caused the error. */
static void completion_add_packet(struct explain_text *text,
				  const struct ibv_context *ctx,
				  const uint32_t *qp_num)
{
	struct ibv_context *device = (struct ibv_context *)ctx;
	char packet[256];

	if (qp_num && LAYERS_CALL_BELOW(ctx, describe_error, device, *qp_num,
					packet, sizeof(packet)) == 0)
		explain_add(text, " Cause: %s.", packet);
}

static void completion_add_error(struct explain_text *text,
				 const struct ibv_context *ctx, uint64_t wr_id,
				 enum ibv_wc_status status, uint32_t vendor_err,
				 const struct completion_qp *qp,
				 const struct completion_request *request,
				 const uint32_t *qp_num)
{
	completion_begin(text, ctx, wr_id, status, qp);
	explain_add(text, ".");
	completion_add_packet(text, ctx, qp_num);
	if (qp) {
		completion_add_causes(text, status, request->opcode, qp);
		completion_add_request(text, request);
		completion_add_peer(text, qp);
	}
	if (vendor_err)
		explain_add(text, " vendor_err is 0x%x.", vendor_err);
}

static void completion_explain_flush(const struct ibv_context *ctx,
				     uint64_t wr_id,
				     const struct completion_qp *qp,
				     const struct layers_qp *first,
				     const uint32_t *qp_num)
{
	struct explain_text text = {};

	completion_begin(&text, ctx, wr_id, IBV_WC_WR_FLUSH_ERR, qp);
	if (first && first->has_failed)
		explain_add(&text,
			    "; the first error was %s of wr_id 0x%" PRIx64,
			    completion_find_status(first->first_status)->name,
			    first->first_wr_id);
	else
		explain_add(&text, "; no completion with another error was "
				   "polled: the first error is in another CQ "
				   "or in an asynchronous event");
	explain_add(&text, ".");
	if (!first || !first->has_failed)
		completion_add_packet(&text, ctx, qp_num);
	explain_add(&text, " Further flushed requests of this QP are not "
			   "reported.");
	explain_print(EXPLAIN_FLUSH, &text);
}

/* ------------------------------------------------------------------------ */
/* Records                                                                   */
/* ------------------------------------------------------------------------ */

static void completion_copy_qp(uint32_t number, const struct layers_qp *qp,
			       struct completion_qp *ret_qp)
{
	*ret_qp = (struct completion_qp){
		.number = number,
		.type = qp->type,
		.attr_mask = qp->attr_mask,
		.attr = qp->attr,
		.cap = qp->cap,
	};
}

/* Return: whether a flushed request of the QP is to be explained. */
static bool completion_note_flush_locked(struct layers_qp *qp)
	REQUIRES(layers_mutex)
{
	if (qp->flush_is_explained)
		return false;
	qp->flush_is_explained = true;
	return qp->has_failed || !qp->program_set_error;
}

static void completion_note_error_locked(struct layers_qp *qp, uint64_t wr_id,
					 enum ibv_wc_status status)
	REQUIRES(layers_mutex)
{
	if (qp->has_failed)
		return;
	qp->has_failed = true;
	qp->first_status = status;
	qp->first_wr_id = wr_id;
}

void explain_completion(const struct ibv_context *ctx, uint64_t wr_id,
			enum ibv_wc_status status, uint32_t vendor_err,
			const uint32_t *qp_num)
{
	bool is_flush = status == IBV_WC_WR_FLUSH_ERR;
	struct completion_request request = { .opcode = NO_OPCODE };
	struct layers_record *record;
	struct completion_qp qp = {};
	struct explain_text text = {};
	struct layers_qp first = {};
	bool is_wanted = true;

	layers_lock();
	record = qp_num ? layers_record_find_number(ctx, LAYERS_QP, *qp_num)
			: NULL;
	if (record) {
		completion_copy_qp(*qp_num, &record->qp, &qp);
		request = completion_find_request(&record->qp, wr_id);
		if (is_flush)
			is_wanted = completion_note_flush_locked(&record->qp);
		else
			completion_note_error_locked(&record->qp, wr_id,
						     status);
		first.has_failed = record->qp.has_failed;
		first.first_status = record->qp.first_status;
		first.first_wr_id = record->qp.first_wr_id;
	}
	layers_unlock();

	if (!is_wanted)
		return;
	if (is_flush) {
		completion_explain_flush(ctx, wr_id, record ? &qp : NULL,
					 &first, qp_num);
		return;
	}
	completion_add_error(&text, ctx, wr_id, status, vendor_err,
			     record ? &qp : NULL, &request, qp_num);
	explain_print(EXPLAIN_COMPLETION, &text);
}

void explain_add_completion(struct explain_text *text,
			    const struct ibv_context *ctx, uint64_t wr_id,
			    enum ibv_wc_status status, uint32_t vendor_err,
			    uint32_t qp_num)
{
	struct completion_request request = { .opcode = NO_OPCODE };
	struct completion_qp qp = {};
	struct layers_record *record;

	layers_lock();
	record = layers_record_find_number(ctx, LAYERS_QP, qp_num);
	if (record) {
		completion_copy_qp(qp_num, &record->qp, &qp);
		request = completion_find_request(&record->qp, wr_id);
	}
	layers_unlock();
	completion_add_error(text, ctx, wr_id, status, vendor_err,
			     record ? &qp : NULL, &request, &qp_num);
}
