/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks of work requests before they are posted: keys and ranges of their
 * SGEs, and operands. The provider accepts such a request, and its completion
 * has an error, or the message is lost. Queue pairs in the state ERR are not
 * checked, since their requests are only flushed.
 */
#include <inttypes.h>

#include "layers/validate/validate.h"
#include "layers/validate/validate_objects.h"
#include "layers/validate/validate_report.h"

/* Atomics have 8 bytes at an address that is a multiple of 8 (IBTA 9.4.5). */
#define ATOMIC_BYTES 8U

/* The GRH, or a substitute, is in front of a received datagram. */
#define GRH_BYTES 40U

/* ------------------------------------------------------------------------ */
/* The sentence                                                              */
/* ------------------------------------------------------------------------ */

/* A request that is checked: of a QP or of an SRQ. */
struct posts_request {
	const struct ibv_context *ctx;
	const struct ibv_qp *qp;	/* NULL: an SRQ */
	const struct ibv_send_wr *send; /* NULL: a receive request */
	uint64_t wr_id;
	const struct ibv_pd *pd; /* NULL: unknown */
	bool is_built;		 /* by ibv_wr_start() */
	bool writes;		 /* to the memory of its SGEs */
};

static void posts_add_call(struct explain_text *text,
			   const struct posts_request *request)
{
	explain_add(text, "%s(",
		    request->is_built ? "ibv_wr_start"
		    : request->send   ? "ibv_post_send"
		    : request->qp     ? "ibv_post_recv"
				      : "ibv_post_srq_recv");
	if (request->qp)
		explain_add_qp(text, request->ctx, request->qp->qp_num,
			       request->qp->qp_type);
	else
		explain_add(text, "SRQ of %s", request->ctx->device->name);
	explain_add(text, ", wr_id 0x%" PRIx64, request->wr_id);
	if (request->send)
		explain_add(text, ", %s",
			    explain_opcode_name(request->send->opcode));
	explain_add(text, "): ");
}

static void posts_report(enum layers_rule rule,
			 const struct posts_request *request,
			 const struct explain_text *clause)
{
	struct explain_text text = {};

	if (request->qp)
		validate_note_mistake(request->qp);
	posts_add_call(&text, request);
	explain_add(&text, "%s", clause->buf);
	validate_report(rule, request->ctx, &text);
}

/* ------------------------------------------------------------------------ */
/* Scatter/gather entries                                                    */
/* ------------------------------------------------------------------------ */

/* The region of an SGE, as it is now. */
struct posts_region {
	const struct ibv_pd *pd; /* NULL: unknown */
	uint64_t begin, length;	 /* UINT64_MAX: unknown */
	unsigned int access;
};

/* Return: whether the region exists. */
static bool posts_find_region(const struct ibv_context *ctx, uint32_t lkey,
			      struct posts_region *ret)
{
	const struct layers_record *record =
		layers_record_find_number(ctx, LAYERS_MR, lkey);

	if (!record)
		return false;
	*ret = (struct posts_region){
		.pd = VALIDATE_LOAD(record->mr.pd),
		.begin = VALIDATE_LOAD(record->mr.begin),
		.length = VALIDATE_LOAD(record->mr.length),
		.access = VALIDATE_LOAD(record->mr.access),
	};
	return true;
}

static bool posts_range_is_inside(const struct ibv_sge *sge,
				  const struct posts_region *region)
{
	uint64_t offset = sge->addr - region->begin;

	return region->length == UINT64_MAX ||
	       (offset <= region->length &&
		sge->length <= region->length - offset);
}

static void posts_add_sge(struct explain_text *text, int index,
			  const struct ibv_sge *sge)
{
	explain_add(text,
		    "sg_list[%d] (address 0x%" PRIx64 ", %u bytes, lkey 0x%x) ",
		    index, sge->addr, sge->length, sge->lkey);
}

static enum layers_rule
posts_check_unknown_key(struct explain_text *text,
			const struct posts_request *request,
			const struct ibv_sge *sge)
{
	if (validate_region_was_freed(request->ctx, sge->lkey)) {
		explain_add(text, "has the lkey of a region that was "
				  "deregistered");
		return AV_KY_002;
	}
	if (!layers_records_are_complete())
		return LAYERS_RULE_NONE;
	if (validate_region_is_of_other(request->ctx, sge->lkey)) {
		explain_add(text, "has the lkey of a region of another "
				  "context; register the memory in the "
				  "context of the queue pair, too");
		return AV_KY_003;
	}
	explain_add(text, "has an lkey that no region has; use the member "
			  "lkey of the region");
	return AV_KY_001;
}

static enum layers_rule posts_check_region(struct explain_text *text,
					   const struct posts_request *request,
					   const struct ibv_sge *sge,
					   const struct posts_region *region)
{
	if (request->pd && region->pd && request->pd != region->pd) {
		explain_add(text, "has a region of another protection domain "
				  "than the queue");
		return AV_KY_004;
	}
	if (!posts_range_is_inside(sge, region)) {
		explain_add(text,
			    "is not inside of its region, which has %" PRIu64
			    " bytes from 0x%" PRIx64 " on",
			    region->length, region->begin);
		return region->access != VALIDATE_ANY_ACCESS &&
				       (region->access & IBV_ACCESS_ZERO_BASED)
			       ? AV_KY_011
			       : AV_KY_005;
	}
	if (request->writes && !(region->access & IBV_ACCESS_LOCAL_WRITE)) {
		explain_add(text, "receives data, but its region was "
				  "registered without "
				  "IBV_ACCESS_LOCAL_WRITE");
		return AV_KY_006;
	}
	return LAYERS_RULE_NONE;
}

/* @region: NULL: there is none. */
static __attribute__((noinline, cold)) void
posts_report_sge(const struct posts_request *request, int index,
		 const struct ibv_sge *sge, const struct posts_region *region)
{
	struct explain_text text = {};
	enum layers_rule rule;

	if (!region && !validate_knows_keys(request->ctx))
		return;
	posts_add_sge(&text, index, sge);
	rule = region ? posts_check_region(&text, request, sge, region)
		      : posts_check_unknown_key(&text, request, sge);
	if (rule)
		posts_report(rule, request, &text);
}

static bool posts_region_permits(const struct posts_request *request,
				 const struct ibv_sge *sge,
				 const struct posts_region *region)
{
	return posts_range_is_inside(sge, region) &&
	       (!request->pd || !region->pd || request->pd == region->pd) &&
	       (!request->writes || (region->access & IBV_ACCESS_LOCAL_WRITE));
}

/* Without memory, an SGE has no use for its key (IBTA 10.6.3.2). */
static void posts_check_sge(const struct posts_request *request, int index,
			    const struct ibv_sge *sge)
{
	struct posts_region region;

	if (sge->length == 0)
		return;
	if (__builtin_expect(
		    !posts_find_region(request->ctx, sge->lkey, &region), 0))
		posts_report_sge(request, index, sge, NULL);
	else if (__builtin_expect(!posts_region_permits(request, sge, &region),
				  0))
		posts_report_sge(request, index, sge, &region);
}

/* A provider reads the SGEs only if there are as many as the queue permits. */
static bool posts_sges_are_read(int nr, uint32_t max)
{
	return nr >= 0 && (uint32_t)nr <= max;
}

static __attribute__((noinline, cold)) void
posts_report_null(const struct posts_request *request, int nr)
{
	struct explain_text text = {};

	explain_add(&text, "sg_list is NULL, but num_sge is %d", nr);
	posts_report(AV_PO_007, request, &text);
}

/* ------------------------------------------------------------------------ */
/* Send requests                                                             */
/* ------------------------------------------------------------------------ */

static bool posts_opcode_is_atomic(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* Opcodes of vendors are unknown. */
static bool posts_opcode_has_sges(enum ibv_wr_opcode opcode)
{
	return opcode != IBV_WR_LOCAL_INV && opcode != IBV_WR_BIND_MW &&
	       opcode != IBV_WR_DRIVER1 && opcode != IBV_WR_FLUSH &&
	       (unsigned int)opcode <= IBV_WR_ATOMIC_WRITE;
}

/* ------------------------------------------------------------------------ */
/* Windows                                                                   */
/* ------------------------------------------------------------------------ */

static enum layers_rule posts_check_window(struct explain_text *text,
					   const struct ibv_mw_bind_info *info,
					   const struct posts_region *region)
{
	const struct ibv_sge range = {
		.addr = info->addr,
		.length = info->length > UINT32_MAX ? UINT32_MAX
						    : (uint32_t)info->length,
	};

	if (!(region->access & IBV_ACCESS_MW_BIND)) {
		explain_add(text, "the region of the window was registered "
				  "without IBV_ACCESS_MW_BIND");
		return AV_MW_001;
	}
	if ((info->mw_access_flags &
	     (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) &&
	    !(region->access & IBV_ACCESS_LOCAL_WRITE)) {
		explain_add(text, "the peer may write to the window, but its "
				  "region was registered without "
				  "IBV_ACCESS_LOCAL_WRITE");
		return AV_MW_002;
	}
	if (posts_range_is_inside(&range, region))
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "the window, %" PRIu64 " bytes from 0x%" PRIx64
		    " on, is not inside of its region, which has %" PRIu64
		    " bytes from 0x%" PRIx64 " on",
		    info->length, info->addr, region->length, region->begin);
	return AV_MW_003;
}

/* A window of length 0 has no region. */
void validate_bind(const struct ibv_qp *qp, uint64_t wr_id,
		   const struct ibv_mw_bind_info *info)
{
	struct explain_text text = {}, clause = {};
	struct posts_region region;
	enum layers_rule rule;

	if (!info->length || !info->mr ||
	    !posts_find_region(qp->context, info->mr->lkey, &region))
		return;
	rule = posts_check_window(&clause, info, &region);
	if (!rule)
		return;
	validate_note_mistake(qp);
	explain_add(&text, "bind of a memory window (");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text, ", wr_id 0x%" PRIx64 "): %s", wr_id, clause.buf);
	validate_report(rule, qp->context, &text);
}

/* ------------------------------------------------------------------------ */
/* Operands of send requests                                                 */
/* ------------------------------------------------------------------------ */

static __attribute__((noinline, cold)) void
posts_report_atomic(const struct posts_request *request, uint64_t bytes)
{
	struct explain_text text = {};

	if (bytes != ATOMIC_BYTES) {
		explain_add(&text,
			    "the SGEs have %" PRIu64 " bytes instead of 8",
			    bytes);
		posts_report(AV_AT_002, request, &text);
	} else {
		explain_add(&text,
			    "remote_addr 0x%" PRIx64
			    " is not a multiple of 8, so the peer refuses it",
			    request->send->wr.atomic.remote_addr);
		posts_report(AV_AT_001, request, &text);
	}
}

static void posts_check_atomic(const struct posts_request *request,
			       uint64_t bytes)
{
	if (bytes != ATOMIC_BYTES ||
	    request->send->wr.atomic.remote_addr % ATOMIC_BYTES)
		posts_report_atomic(request, bytes);
}

/* READs and atomics: max_rd_atomic of them are outstanding at most. */
static __attribute__((noinline, cold)) void
posts_report_rd_atomic(const struct posts_request *request)
{
	struct explain_text text = {};

	explain_add(&text, "max_rd_atomic of the QP is 0, so it cannot send "
			   "the request; set it at the transition to RTS");
	posts_report(AV_RC_005, request, &text);
}

uint32_t validate_max_bytes(enum ibv_qp_type type,
			    const struct ibv_port_attr *attr)
{
	if (type == IBV_QPT_UD)
		return 128U << attr->active_mtu;
	return type == IBV_QPT_RAW_PACKET ? 0 : attr->max_msg_sz;
}

/* The port may have changed since the attributes were set. */
static __attribute__((noinline, cold)) void
posts_check_message_length(const struct posts_request *request,
			   unsigned int port, uint64_t bytes)
{
	struct ibv_context *ctx = request->qp->context;
	struct ibv_port_attr attr = {};
	struct explain_text text = {};
	uint32_t max;

	if (LAYERS_CALL_BELOW(ctx, query_port, ctx, (uint8_t)port, &attr) != 0)
		return;
	max = validate_max_bytes(request->qp->qp_type, &attr);
	if (!max || bytes <= max)
		return;
	explain_add(&text, "the message has %" PRIu64 " bytes, but ", bytes);
	if (request->qp->qp_type == IBV_QPT_UD) {
		explain_add(&text,
			    "a datagram is one packet, and the active MTU of "
			    "port %u is %u bytes",
			    port, max);
		posts_report(AV_UD_002, request, &text);
	} else {
		explain_add(&text, "max_msg_sz of port %u is %u", port, max);
		posts_report(AV_PO_008, request, &text);
	}
}

static bool posts_pd_differs(const struct posts_request *request,
			     const struct layers_record *ah)
{
	const struct ibv_pd *root = validate_root_pd(ah->used[LAYERS_USED_PD]);

	return request->pd && root && root != request->pd;
}

static bool posts_ah_was_destroyed(const struct posts_request *request)
{
	const struct ibv_ah *ah = request->send->wr.ud.ah;
	struct validate_gone gone;

	return ah && !layers_record_find(ah) &&
	       validate_find_gone(LAYERS_AH, ah, &gone);
}

/* Return: whether the provider may read the address handle. */
static __attribute__((noinline, cold)) bool
posts_report_datagram(const struct posts_request *request,
		      const struct layers_record *ah)
{
	const struct ibv_send_wr *wr = request->send;
	struct explain_text text = {};

	if (posts_ah_was_destroyed(request)) {
		explain_add(&text, "the address handle was destroyed");
		posts_report(AV_LT_003, request, &text);
		return false;
	}
	if (ah && VALIDATE_LOAD(ah->ctx) != request->ctx) {
		explain_add(&text, "the address handle is of another context "
				   "than the queue pair");
		posts_report(AV_LT_008, request, &text);
	} else if (ah && posts_pd_differs(request, ah)) {
		explain_add(&text, "the address handle is of another "
				   "protection domain than the queue pair");
		posts_report(AV_UD_003, request, &text);
	} else if (wr->wr.ud.remote_qpn > 0xffffff) {
		explain_add(&text,
			    "remote_qpn 0x%x has more than 24 bits; exchange "
			    "numbers in the same byte order",
			    wr->wr.ud.remote_qpn);
		posts_report(AV_UD_003, request, &text);
	} else if (wr->wr.ud.remote_qkey >> 31) {
		explain_add(&text,
			    "the highest bit of remote_qkey 0x%x is set, so "
			    "the Q_Key of the queue pair is sent in its place",
			    wr->wr.ud.remote_qkey);
		posts_report(AV_UD_005, request, &text);
	}
	return true;
}

/* A target is checked when it follows another one with the address handle. */
static __attribute__((noinline, cold)) void
posts_check_qkey(const struct posts_request *request, struct layers_ah *ah)
{
	uint32_t qkey = request->send->wr.ud.remote_qkey, own;
	struct explain_text text = {};

	if (!validate_qkey_differs(request->qp->context, ah,
				   request->send->wr.ud.remote_qpn, qkey, &own))
		return;
	explain_add(&text,
		    "remote_qkey is 0x%x, but the Q_Key of the receiver, QP "
		    "0x%x of this process, is 0x%x, so it drops the message",
		    qkey, request->send->wr.ud.remote_qpn, own);
	posts_report(AV_UD_004, request, &text);
}

static uint64_t posts_target(const struct ibv_send_wr *wr)
{
	return (uint64_t)wr->wr.ud.remote_qpn << 32 | wr->wr.ud.remote_qkey;
}

/* Return: whether the provider may read the address handle. */
static bool posts_check_datagram(const struct posts_request *request,
				 const struct validate_qp *state)
{
	const struct ibv_send_wr *wr = request->send;
	struct layers_record *ah = layers_record_find(wr->wr.ud.ah);
	const void *pd;

	if (ah && ah->kind != LAYERS_AH)
		ah = NULL; /* a wrong pointer */
	pd = ah ? ah->used[LAYERS_USED_PD] : NULL;
	if (__builtin_expect(!ah ||
				     (state->pd && pd != state->pd &&
				      pd != state->own_pd) ||
				     wr->wr.ud.remote_qpn > 0xffffff ||
				     wr->wr.ud.remote_qkey >> 31,
			     0))
		return posts_report_datagram(request, ah);
	if (__builtin_expect(VALIDATE_LOAD(ah->ah.target) != posts_target(wr),
			     0)) {
		VALIDATE_STORE(ah->ah.target, posts_target(wr));
		posts_check_qkey(request, &ah->ah);
	}
	return true;
}

static void posts_check_send(const struct posts_request *request,
			     const struct validate_qp *state)
{
	const struct ibv_send_wr *wr = request->send;
	bool is_inline = wr->send_flags & IBV_SEND_INLINE;
	uint64_t bytes = 0;
	uint32_t max;

	if (posts_opcode_has_sges(wr->opcode)) {
		for (int i = 0; i < wr->num_sge; i++) {
			bytes += wr->sg_list[i].length;
			if (!is_inline)
				posts_check_sge(request, i, &wr->sg_list[i]);
		}
	}
	/* plus 1 */
	if (request->writes && VALIDATE_LOAD(state->max_rd_atomic) == 1)
		posts_report_rd_atomic(request);
	if (posts_opcode_is_atomic(wr->opcode))
		posts_check_atomic(request, bytes);
	max = VALIDATE_LOAD(state->max_bytes);
	if (__builtin_expect(max && bytes > max, 0))
		posts_check_message_length(request, VALIDATE_LOAD(state->port),
					   bytes);
}

static struct posts_request posts_send_request(const struct ibv_qp *qp,
					       const struct layers_qp *record,
					       const struct ibv_send_wr *wr,
					       bool is_built)
{
	return (struct posts_request){
		.ctx = qp->context,
		.qp = qp,
		.send = wr,
		.wr_id = wr->wr_id,
		.pd = record->validate.pd,
		.is_built = is_built,
		.writes = wr->opcode == IBV_WR_RDMA_READ ||
			  posts_opcode_is_atomic(wr->opcode),
	};
}

bool validate_sends(const struct ibv_qp *qp, const struct layers_qp *record,
		    const struct ibv_send_wr *wr)
{
	if (!record->validate.is_known || qp->state == IBV_QPS_ERR)
		return true;
	for (uint32_t nr = 0; wr && nr < record->cap.max_send_wr; nr++) {
		const struct posts_request request =
			posts_send_request(qp, record, wr, false);

		if (!posts_sges_are_read(wr->num_sge, record->cap.max_send_sge))
			return true;
		if (wr->num_sge && !wr->sg_list &&
		    posts_opcode_has_sges(wr->opcode)) {
			posts_report_null(&request, wr->num_sge);
			return false;
		}
		posts_check_send(&request, &record->validate);
		if (qp->qp_type == IBV_QPT_UD) {
			if (!posts_check_datagram(&request, &record->validate))
				return false;
		} else if (wr->opcode == IBV_WR_BIND_MW) {
			if (!validate_bind_objects("ibv_post_send", qp,
						   wr->bind_mw.mw,
						   wr->bind_mw.bind_info.mr))
				return false;
			validate_bind(qp, wr->wr_id, &wr->bind_mw.bind_info);
		}
		wr = wr->next;
	}
	return true;
}

/* ------------------------------------------------------------------------ */
/* Send requests of the extended API                                         */
/* ------------------------------------------------------------------------ */

void validate_built_inline(const struct ibv_qp *qp,
			   const struct layers_qp *record,
			   const struct ibv_send_wr *wr)
{
	const struct posts_request request =
		posts_send_request(qp, record, wr, true);
	struct explain_text text = {};

	explain_add(&text, "wr_flags has IBV_SEND_INLINE, which has no effect "
			   "on SGEs; call ibv_wr_set_inline_data()");
	posts_report(AV_EX_007, &request, &text);
}

void validate_built_data(const struct ibv_qp *qp,
			 const struct layers_qp *record,
			 const struct ibv_send_wr *wr)
{
	const struct posts_request request =
		posts_send_request(qp, record, wr, true);

	if (qp->state != IBV_QPS_ERR &&
	    posts_sges_are_read(wr->num_sge, record->cap.max_send_sge) &&
	    (!wr->num_sge || wr->sg_list))
		posts_check_send(&request, &record->validate);
}

void validate_built_address(const struct ibv_qp *qp,
			    const struct layers_qp *record,
			    const struct ibv_send_wr *wr)
{
	const struct posts_request request =
		posts_send_request(qp, record, wr, true);

	(void)posts_check_datagram(&request, &record->validate); /* no result */
}

/* ------------------------------------------------------------------------ */
/* Receive requests                                                          */
/* ------------------------------------------------------------------------ */

static __attribute__((noinline, cold)) void
posts_report_short(const struct posts_request *request, uint64_t bytes)
{
	struct explain_text text = {};

	explain_add(&text,
		    "the request has %" PRIu64 " bytes, which is less than "
		    "the 40 bytes in front of each received datagram",
		    bytes);
	posts_report(AV_UD_001, request, &text);
}

static bool posts_check_recvs(struct posts_request *request, uint32_t max_wr,
			      uint32_t max_sge, const struct ibv_recv_wr *wr)
{
	bool is_ud = request->qp && request->qp->qp_type == IBV_QPT_UD;

	for (uint32_t nr = 0; wr && nr < max_wr; nr++) {
		uint64_t bytes = 0;

		if (!posts_sges_are_read(wr->num_sge, max_sge))
			return true;
		request->wr_id = wr->wr_id;
		if (wr->num_sge && !wr->sg_list) {
			posts_report_null(request, wr->num_sge);
			return false;
		}
		for (int i = 0; i < wr->num_sge; i++) {
			bytes += wr->sg_list[i].length;
			posts_check_sge(request, i, &wr->sg_list[i]);
		}
		if (is_ud && bytes < GRH_BYTES)
			posts_report_short(request, bytes);
		wr = wr->next;
	}
	return true;
}

bool validate_recvs(const struct ibv_qp *qp, const struct layers_qp *record,
		    const struct ibv_recv_wr *wr)
{
	struct posts_request request = {
		.ctx = qp->context,
		.qp = qp,
		.pd = record->validate.pd,
		.writes = true,
	};

	if (!record->validate.is_known || qp->state == IBV_QPS_ERR)
		return true;
	return posts_check_recvs(&request, record->cap.max_recv_wr,
				 record->cap.max_recv_sge, wr);
}

bool validate_srq_recvs(const struct ibv_srq *srq,
			const struct layers_srq *record,
			const struct ibv_recv_wr *wr)
{
	struct posts_request request = {
		.ctx = srq->context,
		.pd = record->pd,
		.writes = true,
	};

	return posts_check_recvs(&request, record->max_wr, record->max_sge, wr);
}
