/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules about requests in flight (layers/layers_track.h): completions remove
 * them, and what they use must exist until then. A rule is not checked for a
 * queue of which anything went unseen.
 */
#include <inttypes.h>
#include <time.h>

#include "layers/validate/validate.h"
#include "layers/validate/validate_objects.h"
#include "layers/validate/validate_report.h"

/* AV-QP-011 is reported at the post with this number. */
#define NR_FAILED_POSTS 100U

/* ------------------------------------------------------------------------ */
/* Completions                                                               */
/* ------------------------------------------------------------------------ */

/* Return: the receive requests of a QP, or NULL. */
static struct layers_track *request_recv_track(struct layers_record *qp)
{
	const void *srq = qp->used[LAYERS_USED_SRQ];
	struct layers_record *record;

	if (!srq)
		return &qp->qp.recv;
	record = layers_record_find(srq);
	return record ? &record->srq.recv : NULL;
}

static void request_complete(struct layers_track *track, uint64_t wr_id,
			     bool any)
{
	if (track &&
	    !layers_track_match(track, wr_id, any, LAYERS_MATCH_REMOVE))
		layers_track_miss(track);
}

/* Whether only a send request has a completion with the status. */
static bool status_is_of_send(enum ibv_wc_status status)
{
	return status == IBV_WC_REM_INV_REQ_ERR ||
	       status == IBV_WC_REM_ACCESS_ERR || status == IBV_WC_REM_OP_ERR ||
	       status == IBV_WC_RETRY_EXC_ERR ||
	       status == IBV_WC_RNR_RETRY_EXC_ERR ||
	       status == IBV_WC_MW_BIND_ERR || status == IBV_WC_BAD_RESP_ERR;
}

/*
 * The opcode of a completion with an error is undefined. If the wr_id is in
 * both queues, neither is fully seen from now on.
 */
static void request_complete_unknown(struct layers_record *qp,
				     const struct ibv_cq *cq,
				     const struct validate_completion *of)
{
	struct layers_track *recv = request_recv_track(qp);
	bool is_send = qp->used[LAYERS_USED_SEND_CQ] == cq &&
		       layers_track_match(&qp->qp.send, of->wr_id, true,
					  LAYERS_MATCH_ONLY);
	bool is_recv =
		recv && qp->used[LAYERS_USED_RECV_CQ] == cq &&
		!status_is_of_send(of->status) &&
		layers_track_match(recv, of->wr_id, true, LAYERS_MATCH_ONLY);

	if (is_send && !is_recv) {
		request_complete(&qp->qp.send, of->wr_id, true);
	} else if (is_recv && !is_send) {
		request_complete(recv, of->wr_id, true);
	} else {
		layers_track_miss(&qp->qp.send);
		if (recv)
			layers_track_miss(recv);
	}
}

static __attribute__((noinline, cold)) void
request_note_failure(const struct ibv_context *ctx, struct layers_qp *qp,
		     const struct validate_completion *of)
{
	struct validate_qp *state = &qp->validate;
	bool is_flush = of->status == IBV_WC_WR_FLUSH_ERR;

	VALIDATE_STORE(state->is_stopped, true);
	if (VALIDATE_LOAD(state->failed_status) && !is_flush)
		return;
	validate_status(ctx, qp, of);
	if (is_flush)
		return;
	VALIDATE_STORE(state->failed_wr_id, of->wr_id);
	VALIDATE_STORE(state->failed_status, of->status);
}

void validate_completed(struct ibv_cq *cq, const struct validate_completion *of)
{
	struct layers_record *qp =
		layers_record_find_number(cq->context, LAYERS_QP, of->qp_num);

	/* It possibly uses an SRQ. */
	if (!qp || qp->is_adopted) {
		atomic_store_explicit(
			&layers_context(cq->context)->is_partly_seen, true,
			memory_order_relaxed);
		return;
	}
	if (__builtin_expect(of->status != IBV_WC_SUCCESS || of->opcode < 0,
			     0)) {
		request_complete_unknown(qp, cq, of);
		if (of->status != IBV_WC_SUCCESS)
			request_note_failure(cq->context, &qp->qp, of);
	} else {
		request_complete(of->opcode & IBV_WC_RECV
					 ? request_recv_track(qp)
					 : &qp->qp.send,
				 of->wr_id, false);
		if (VALIDATE_LOAD(qp->qp.validate.nr_failed_posts))
			VALIDATE_STORE(qp->qp.validate.nr_failed_posts, 0);
	}
}

void validate_completed_ex(struct ibv_cq_ex *cq)
{
	bool has_opcode = cq->status == IBV_WC_SUCCESS && cq->read_opcode;
	struct validate_completion completion = {
		.wr_id = cq->wr_id,
		.status = cq->status,
		.opcode = has_opcode ? (int)cq->read_opcode(cq) : -1,
	};

	if (cq->status != IBV_WC_SUCCESS && cq->read_vendor_err)
		completion.vendor_err = cq->read_vendor_err(cq);
	/* Without a number, the QP has no record. */
	if (cq->read_qp_num)
		completion.qp_num = cq->read_qp_num(cq);
	validate_completed(ibv_cq_ex_to_cq(cq), &completion);
}

/* ------------------------------------------------------------------------ */
/* Posts without polls                                                       */
/* ------------------------------------------------------------------------ */

static uint32_t request_now_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now); /* cannot fail */
	return (uint32_t)now.tv_sec;
}

/* Return: how often the CQ of the send requests was polled. */
static unsigned int request_nr_polls(const struct layers_record *qp)
{
	const struct layers_record *cq =
		layers_record_find(qp->used[LAYERS_USED_SEND_CQ]);

	return cq ? VALIDATE_LOAD(cq->cq.nr_polls) : 0;
}

void validate_note_post(struct layers_record *qp)
{
	struct validate_qp *state = &qp->qp.validate;
	unsigned int nr_polls = request_nr_polls(qp);

	if (nr_polls == VALIDATE_LOAD(state->noted_polls) &&
	    VALIDATE_LOAD(state->noted_s))
		return;
	VALIDATE_STORE(state->noted_polls, nr_polls);
	VALIDATE_STORE(state->noted_s, request_now_s());
}

uint32_t validate_unpolled_s(const struct layers_record *qp)
{
	const struct validate_qp *state = &qp->qp.validate;
	uint32_t noted_s = VALIDATE_LOAD(state->noted_s);

	if (!noted_s || !validate_knows_keys(VALIDATE_LOAD(qp->ctx)) ||
	    request_nr_polls(qp) != VALIDATE_LOAD(state->noted_polls))
		return 0;
	return request_now_s() - noted_s;
}

/* ------------------------------------------------------------------------ */
/* Posts to a QP that has failed                                             */
/* ------------------------------------------------------------------------ */

void validate_failed_post(const struct ibv_qp *qp, struct layers_qp *record)
{
	struct validate_qp *state = &record->validate;
	struct explain_text text = {};

	if (atomic_fetch_add(&state->nr_failed_posts, 1) + 1 != NR_FAILED_POSTS)
		return;
	explain_add(&text, "ibv_post_send(");
	explain_add_qp(&text, qp->context, qp->qp_num, qp->qp_type);
	explain_add(&text,
		    "): the QP failed with %s of wr_id 0x%" PRIx64
		    ", and %u posts have followed, which are only flushed; "
		    "reset the QP and connect it again",
		    explain_status_name((enum ibv_wc_status)VALIDATE_LOAD(
			    state->failed_status)),
		    (uint64_t)VALIDATE_LOAD(state->failed_wr_id),
		    NR_FAILED_POSTS);
	validate_report(AV_QP_011, qp->context, &text);
}

/* ------------------------------------------------------------------------ */
/* What requests in flight use                                               */
/* ------------------------------------------------------------------------ */

/* A program may poll a CQ of a vendor's library without a call. */
static bool cq_is_polled(const struct ibv_context *ctx, const void *cq)
{
	const struct layers_record *record = layers_record_find(cq);

	return validate_knows_keys(ctx) ||
	       (record && VALIDATE_LOAD(record->cq.nr_polls));
}

static bool sends_are_seen(struct layers_record *qp)
{
	const struct ibv_context *ctx = VALIDATE_LOAD(qp->ctx);

	return !VALIDATE_LOAD(qp->qp.validate.is_stopped) &&
	       layers_track_is_seen(&qp->qp.send) &&
	       cq_is_polled(ctx, qp->used[LAYERS_USED_SEND_CQ]);
}

static bool recvs_are_seen(struct layers_record *qp)
{
	const struct ibv_context *ctx = VALIDATE_LOAD(qp->ctx);

	return !VALIDATE_LOAD(qp->qp.validate.is_stopped) &&
	       layers_track_is_seen(&qp->qp.recv) &&
	       cq_is_polled(ctx, qp->used[LAYERS_USED_RECV_CQ]);
}

/* Any queue pair may have taken the requests of an SRQ. */
static bool srq_is_seen(struct layers_record *srq)
{
	return layers_track_is_seen(&srq->srq.recv) &&
	       validate_knows_keys(VALIDATE_LOAD(srq->ctx));
}

/* What is looked for, and the queue that has it. */
struct request_search {
	bool (*matches)(const struct layers_request *request, const void *arg);
	uint32_t lkey;
	const void *ah;
	enum layers_request_state state;

	enum layers_kind kind;
	uint32_t number;
	bool is_send;
	struct layers_request request;
};

static bool request_has_key(const struct layers_request *request,
			    const void *arg)
{
	const struct request_search *search = arg;

	if (request->state != search->state ||
	    request->nr_keys == LAYERS_MANY_KEYS)
		return false;
	for (int i = 0; i < request->nr_keys; i++)
		if (request->lkeys[i] == search->lkey)
			return true;
	return false;
}

static bool request_has_ah(const struct layers_request *request,
			   const void *arg)
{
	const struct request_search *search = arg;

	return request->state == search->state && request->ah == search->ah;
}

/* The requests of a queue that has one are in doubt afterwards. */
static bool search_track(struct request_search *search,
			 struct layers_record *record,
			 struct layers_track *track, bool is_send)
{
	if (!layers_track_find(track, search->matches, search,
			       &search->request))
		return false;
	layers_track_miss(track);
	if (record->kind == LAYERS_QP)
		VALIDATE_STORE(record->qp.validate.has_mistake, true);
	search->kind = record->kind;
	search->number = VALIDATE_LOAD(record->number);
	search->is_send = is_send;
	return true;
}

static bool search_qp(struct request_search *search, struct layers_record *qp)
{
	if (search->ah && qp->qp.type != IBV_QPT_UD)
		return false;
	if (sends_are_seen(qp) && search_track(search, qp, &qp->qp.send, true))
		return true;
	return !search->ah && recvs_are_seen(qp) &&
	       search_track(search, qp, &qp->qp.recv, false);
}

static bool search_srq(struct request_search *search, struct layers_record *srq)
{
	return !search->ah && srq_is_seen(srq) &&
	       search_track(search, srq, &srq->srq.recv, false);
}

/* Not all records, since a program may have very many regions. */
static bool search_kind(struct request_search *search,
			const struct ibv_context *ctx, enum layers_kind kind,
			bool (*search_one)(struct request_search *search,
					   struct layers_record *record))
{
	struct layers_record *record = NULL;
	bool found = false;

	layers_lock();
	while (!found &&
	       (record = layers_record_next_locked(kind, record)) != NULL)
		found = VALIDATE_LOAD(record->ctx) == ctx &&
			search_one(search, record);
	layers_unlock();
	return found;
}

static bool search_run(struct request_search *search,
		       const struct ibv_context *ctx)
{
	return !VALIDATE_LOAD(layers_context(ctx)->is_partly_seen) &&
	       (search_kind(search, ctx, LAYERS_QP, search_qp) ||
		search_kind(search, ctx, LAYERS_SRQ, search_srq));
}

static void search_add_request(struct explain_text *text,
			       const struct request_search *search)
{
	explain_add(
		text, "%s with wr_id 0x%" PRIx64 " of ",
		search->is_send
			? explain_opcode_name(
				  (enum ibv_wr_opcode)search->request.opcode)
			: "the receive request",
		search->request.wr_id);
	validate_add_object(text, search->kind, search->number);
}

void validate_mr_goes(const char *function, const struct ibv_mr *mr)
{
	struct request_search search = {
		.matches = request_has_key,
		.lkey = mr->lkey,
		.state = LAYERS_REQUEST_SIGNALED,
	};
	struct explain_text text = {};

	explain_add(&text, "%s(%s, lkey 0x%x): the region is used by ",
		    function, mr->context->device->name, mr->lkey);
	if (search_run(&search, mr->context)) {
		search_add_request(&text, &search);
		explain_add(&text, ", whose completion was not polled; poll it "
				   "before");
		validate_report(AV_LT_004, mr->context, &text);
		return;
	}
	search.state = LAYERS_REQUEST_UNSIGNALED;
	if (!search_run(&search, mr->context))
		return;
	search_add_request(&text, &search);
	explain_add(&text, ", which is not signaled; poll the completion of a "
			   "later request before");
	validate_report(AV_LT_005, mr->context, &text);
}

void validate_ah_goes(const struct ibv_ah *ah)
{
	struct request_search search = {
		.matches = request_has_ah,
		.ah = ah,
		.state = LAYERS_REQUEST_SIGNALED,
	};
	struct explain_text text = {};

	if (!search_run(&search, ah->context))
		return;
	explain_add(&text, "ibv_destroy_ah(%s): the address handle is used by ",
		    ah->context->device->name);
	search_add_request(&text, &search);
	explain_add(&text, ", whose completion was not polled; poll it before");
	validate_report(AV_LT_006, ah->context, &text);
}

/* ------------------------------------------------------------------------ */
/* Queue pairs that are destroyed or reset                                   */
/* ------------------------------------------------------------------------ */

uint32_t validate_count_left(const struct ibv_qp *qp, bool all)
{
	struct layers_record *record = layers_record_find(qp);
	uint32_t nr = 0;

	if (!record ||
	    VALIDATE_LOAD(layers_context(qp->context)->is_partly_seen))
		return 0;
	if (layers_track_is_seen(&record->qp.send))
		nr = layers_track_count(&record->qp.send, !all);
	if (all && layers_track_is_seen(&record->qp.recv))
		nr += layers_track_count(&record->qp.recv, false);
	return nr;
}

/* The requests that the QP has taken of an SRQ are possibly lost. */
void validate_forget_srq(const struct ibv_qp *qp)
{
	const struct layers_record *record = layers_record_find(qp);
	struct layers_record *srq =
		record ? layers_record_find(record->used[LAYERS_USED_SRQ])
		       : NULL;

	if (srq)
		layers_track_miss(&srq->srq.recv);
}
