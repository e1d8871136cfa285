/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mistakes that only both ends of a connection show. If the peer is a queue
 * pair of this process, its attributes and regions are known: after a request
 * has failed, they are compared with those of the queue pair. A connection that
 * works is never reported, since a program may set the ends in any order.
 */
#include <inttypes.h>
#include <string.h>

#include "layers/explain.h"
#include "layers/validate/validate.h"
#include "layers/validate/validate_objects.h"
#include "layers/validate/validate_report.h"

/* A QP that is connected. */
struct peer_end {
	const struct ibv_context *ctx;
	const struct ibv_pd *pd; /* of its regions; NULL: unknown */
	uint32_t number;
	int attr_mask; /* known members of attr */
	struct ibv_qp_attr attr;
};

#define ADDRESS_MASK (IBV_QP_AV | IBV_QP_DEST_QPN)

static bool gid_equals(const union ibv_gid *a, const union ibv_gid *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static void peer_copy_locked(const struct layers_record *record,
			     struct peer_end *ret) REQUIRES(layers_mutex)
{
	*ret = (struct peer_end){
		.ctx = VALIDATE_LOAD(record->ctx),
		.pd = record->qp.validate.pd,
		.number = VALIDATE_LOAD(record->number),
		.attr_mask = record->qp.attr_mask,
		.attr = record->qp.attr,
	};
}

/* Whether a QP is the one at the address of @own. */
static bool peer_has_address_locked(const struct layers_record *record,
				    const struct peer_end *own)
	REQUIRES(layers_mutex)
{
	return VALIDATE_LOAD(record->number) == own->attr.dest_qp_num &&
	       record->qp.type == IBV_QPT_RC &&
	       (record->qp.attr_mask & ADDRESS_MASK) == ADDRESS_MASK &&
	       gid_equals(&record->qp.own_gid, &own->attr.ah_attr.grh.dgid);
}

/* Return: whether exactly one QP of the process is the peer. */
static bool peer_find(const struct layers_record *record, struct peer_end *own,
		      struct peer_end *peer)
{
	const struct layers_record *other = NULL;
	unsigned int nr = 0;

	*peer = (struct peer_end){};
	layers_lock();
	peer_copy_locked(record, own);
	if ((own->attr_mask & ADDRESS_MASK) == ADDRESS_MASK &&
	    own->attr.ah_attr.is_global) {
		while ((other = layers_record_next_locked(LAYERS_QP, other)) !=
		       NULL) {
			if (!peer_has_address_locked(other, own))
				continue;
			peer_copy_locked(other, peer);
			nr++;
		}
	}
	layers_unlock();
	return nr == 1;
}

/* ------------------------------------------------------------------------ */
/* The request                                                               */
/* ------------------------------------------------------------------------ */

struct peer_search {
	uint64_t wr_id;
	unsigned int nr;
	struct layers_request request;
};

static void peer_note_request(const struct layers_request *request, void *arg)
{
	struct peer_search *search = arg;

	if (request->wr_id != search->wr_id)
		return;
	search->nr++;
	search->request = *request;
}

/* Return: whether only one request that is remembered has the wr_id. */
static bool peer_find_request(struct layers_qp *record, uint64_t wr_id,
			      struct layers_request *ret)
{
	struct peer_search search = { .wr_id = wr_id };

	layers_track_each_old(&record->send, peer_note_request, &search);
	*ret = search.request;
	return search.nr == 1;
}

static unsigned int peer_needed_right(unsigned int opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_READ:
		return IBV_ACCESS_REMOTE_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_ACCESS_REMOTE_ATOMIC;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_ATOMIC_WRITE:
		return IBV_ACCESS_REMOTE_WRITE;
	default:
		return 0;
	}
}

static const char *peer_right_name(unsigned int right)
{
	return right == IBV_ACCESS_REMOTE_READ	  ? "IBV_ACCESS_REMOTE_READ"
	       : right == IBV_ACCESS_REMOTE_WRITE ? "IBV_ACCESS_REMOTE_WRITE"
						  : "IBV_ACCESS_REMOTE_ATOMIC";
}

/* ------------------------------------------------------------------------ */
/* Attributes                                                                */
/* ------------------------------------------------------------------------ */

static bool peer_knows(const struct peer_end *end, int mask)
{
	return (end->attr_mask & mask) == mask;
}

static enum layers_rule peer_check_numbers(struct explain_text *text,
					   const struct peer_end *own,
					   const struct peer_end *peer)
{
	if (peer->attr.dest_qp_num != own->number) {
		explain_add(text,
			    "the peer, QP 0x%x of this process, is connected "
			    "to QP 0x%x; exchange the numbers again",
			    peer->number, peer->attr.dest_qp_num);
		return AV_RC_010;
	}
	if (peer_knows(own, IBV_QP_SQ_PSN) && peer_knows(peer, IBV_QP_RQ_PSN) &&
	    own->attr.sq_psn != peer->attr.rq_psn) {
		explain_add(text,
			    "sq_psn is 0x%x, but rq_psn of the peer, QP 0x%x "
			    "of this process, is 0x%x; make them equal",
			    own->attr.sq_psn, peer->number, peer->attr.rq_psn);
		return AV_RC_009;
	}
	return LAYERS_RULE_NONE;
}

static enum layers_rule peer_check_limits(struct explain_text *text,
					  const struct peer_end *own,
					  const struct peer_end *peer,
					  const struct layers_request *request)
{
	unsigned int right = peer_needed_right(request->opcode);

	if (peer_knows(own, IBV_QP_PATH_MTU) &&
	    peer_knows(peer, IBV_QP_PATH_MTU) &&
	    own->attr.path_mtu != peer->attr.path_mtu) {
		explain_add(text,
			    "path_mtu is %u bytes, but that of the peer, QP "
			    "0x%x of this process, is %u; make them equal",
			    128U << own->attr.path_mtu, peer->number,
			    128U << peer->attr.path_mtu);
		return AV_RC_008;
	}
	if ((right == IBV_ACCESS_REMOTE_READ ||
	     right == IBV_ACCESS_REMOTE_ATOMIC) &&
	    peer_knows(own, IBV_QP_MAX_QP_RD_ATOMIC) &&
	    peer_knows(peer, IBV_QP_MAX_DEST_RD_ATOMIC) &&
	    own->attr.max_rd_atomic > peer->attr.max_dest_rd_atomic) {
		explain_add(text,
			    "max_rd_atomic is %u, but the peer, QP 0x%x of "
			    "this process, accepts %u (max_dest_rd_atomic); "
			    "lower max_rd_atomic",
			    own->attr.max_rd_atomic, peer->number,
			    peer->attr.max_dest_rd_atomic);
		return AV_RC_007;
	}
	return LAYERS_RULE_NONE;
}

/* ------------------------------------------------------------------------ */
/* Regions                                                                   */
/* ------------------------------------------------------------------------ */

struct peer_region {
	const struct ibv_pd *pd;
	uint64_t begin, length; /* UINT64_MAX: unknown */
	unsigned int access;
};

static bool peer_find_region(const struct ibv_context *ctx, uint32_t rkey,
			     struct peer_region *ret)
{
	const struct layers_record *record = NULL;

	layers_lock();
	do
		record = layers_record_next_locked(LAYERS_MR, record);
	while (record && (VALIDATE_LOAD(record->ctx) != ctx ||
			  VALIDATE_LOAD(record->mr.rkey) != rkey));
	if (record)
		*ret = (struct peer_region){
			.pd = VALIDATE_LOAD(record->mr.pd),
			.begin = VALIDATE_LOAD(record->mr.begin),
			.length = VALIDATE_LOAD(record->mr.length),
			.access = VALIDATE_LOAD(record->mr.access),
		};
	layers_unlock();
	return record != NULL;
}

static bool peer_range_is_outside(const struct peer_region *region,
				  const struct layers_request *request)
{
	uint64_t offset = request->remote_addr - region->begin;

	return region->length != UINT64_MAX &&
	       (offset > region->length ||
		request->length > region->length - offset);
}

static enum layers_rule peer_check_region(struct explain_text *text,
					  const struct peer_end *peer,
					  const struct layers_request *request)
{
	unsigned int right = peer_needed_right(request->opcode);
	struct peer_region region;

	if (!right || !validate_knows_keys(peer->ctx) ||
	    !peer_find_region(peer->ctx, request->rkey, &region))
		return LAYERS_RULE_NONE;
	explain_add(text, "the region with rkey 0x%x, which this process has, ",
		    request->rkey);
	if (!(region.access & right)) {
		explain_add(text, "was registered without %s",
			    peer_right_name(right));
	} else if (peer_range_is_outside(&region, request)) {
		explain_add(text,
			    "has %" PRIu64 " bytes from 0x%" PRIx64
			    " on, but the request needs %u bytes from "
			    "0x%" PRIx64 " on",
			    region.length, region.begin, request->length,
			    request->remote_addr);
	} else if (peer->pd && region.pd && peer->pd != region.pd) {
		explain_add(text,
			    "is of another protection domain than the peer, "
			    "QP 0x%x",
			    peer->number);
	} else {
		return LAYERS_RULE_NONE;
	}
	return AV_KY_012;
}

/* ------------------------------------------------------------------------ */
/* Completions with an error                                                 */
/* ------------------------------------------------------------------------ */

static enum layers_rule peer_check(struct explain_text *text,
				   enum ibv_wc_status status,
				   const struct peer_end *own,
				   const struct peer_end *peer,
				   const struct layers_request *request)
{
	switch (status) {
	case IBV_WC_RETRY_EXC_ERR:
		return peer_check_numbers(text, own, peer);
	case IBV_WC_REM_INV_REQ_ERR:
		return peer_check_limits(text, own, peer, request);
	case IBV_WC_REM_ACCESS_ERR:
		return peer_check_region(text, peer, request);
	default:
		return LAYERS_RULE_NONE;
	}
}

bool validate_peer_explains(const struct ibv_context *ctx,
			    struct layers_qp *record,
			    const struct validate_completion *of)
{
	const struct layers_record *qp =
		layers_record_find_number(ctx, LAYERS_QP, of->qp_num);
	struct explain_text text = {}, clause = {};
	struct layers_request request;
	struct peer_end own, peer;
	enum layers_rule rule;

	if (!qp || record->type != IBV_QPT_RC || !peer_find(qp, &own, &peer) ||
	    !peer_find_request(record, of->wr_id, &request))
		return false;
	rule = peer_check(&clause, of->status, &own, &peer, &request);
	if (!rule)
		return false;
	explain_add(&text, "completion of ");
	explain_add_qp(&text, ctx, of->qp_num, record->type);
	explain_add(&text, ", wr_id 0x%" PRIx64 ": %s: %s", of->wr_id,
		    explain_status_name(of->status), clause.buf);
	validate_report(rule, ctx, &text);
	return true;
}

/* ------------------------------------------------------------------------ */
/* Datagrams                                                                 */
/* ------------------------------------------------------------------------ */

struct peer_receiver {
	uint8_t port;
	uint32_t qkey;
};

static bool peer_find_receiver(const struct ibv_context *ctx, uint32_t qp_num,
			       struct peer_receiver *ret)
{
	const int needed = IBV_QP_PORT | IBV_QP_QKEY;
	const struct layers_record *record =
		layers_record_find_number(ctx, LAYERS_QP, qp_num);
	bool found;

	if (!record)
		return false;
	layers_lock();
	found = record->qp.type == IBV_QPT_UD &&
		(record->qp.attr_mask & needed) == needed;
	*ret = (struct peer_receiver){ record->qp.attr.port_num,
				       record->qp.attr.qkey };
	layers_unlock();
	return found;
}

static bool peer_port_has_gid(struct ibv_context *ctx, uint8_t port,
			      const union ibv_gid *gid)
{
	struct ibv_port_attr attr = {};
	struct ibv_gid_entry entry;

	if (LAYERS_CALL_BELOW(ctx, query_port, ctx, port, &attr) != 0)
		return false;
	for (int i = 0; i < attr.gid_tbl_len; i++)
		if (LAYERS_CALL_BELOW(ctx, query_gid_entry, ctx, port,
				      (uint32_t)i, &entry) == 0 &&
		    gid_equals(&entry.gid, gid))
			return true;
	return false;
}

bool validate_qkey_differs(struct ibv_context *ctx, const struct layers_ah *ah,
			   uint32_t qp_num, uint32_t qkey, uint32_t *ret_own)
{
	struct peer_receiver receiver;

	if (!peer_find_receiver(ctx, qp_num, &receiver) ||
	    receiver.qkey == qkey ||
	    !peer_port_has_gid(ctx, receiver.port, &ah->dgid))
		return false;
	*ret_own = receiver.qkey;
	return true;
}
