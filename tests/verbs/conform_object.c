// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: objects of both ends, as the tests see them. Each
 * is entered in a list, from whose end objects_destroy() destroys what a test
 * left.
 */
#include "conform_call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TRACKED 8192

struct tracked {
	enum end end;
	int id; /* -1: destroyed by the test */
	const char *what;
	uint8_t group; /* not 0: membership of QP @id in this multicast group */
};

struct allocation {
	struct allocation *next;
	_Alignas(max_align_t) uint8_t bytes[];
};

static struct tracked object_list[MAX_TRACKED];
static int object_nr;
static struct allocation *object_memory;

void *object_alloc(size_t size)
{
	struct allocation *allocation = calloc(1, sizeof(*allocation) + size);

	if (!allocation)
		conform_fail("out of memory");
	allocation->next = object_memory;
	object_memory = allocation;
	return allocation->bytes;
}

void object_track(enum end end, int id, const char *what)
{
	if (object_nr == MAX_TRACKED)
		conform_fail("too many objects");
	object_list[object_nr++] =
		(struct tracked){ .end = end, .id = id, .what = what };
}

void object_call(enum end end, struct call *call, struct reply *reply,
		 const char *what)
{
	end_call(end, call, reply);
	if (reply->error)
		conform_fail("%s of the %s: %s", what,
			     end == CLIENT ? "client" : "server",
			     strerror(reply->error));
}

static int object_end(const struct tracked *object)
{
	struct call call = {
		.kind = object->group ? CALL_QP_MCAST : CALL_DESTROY,
		.object = object->id,
		.nr = object->group,
	};
	struct reply reply;

	end_call(object->end, &call, &reply);
	return reply.error;
}

/* Takes an object or membership off the list. */
static void object_forget_tracked(const struct tracked *object)
{
	for (int i = object_nr - 1; i >= 0; i--) {
		if (object_list[i].end == object->end &&
		    object_list[i].id == object->id &&
		    object_list[i].group == object->group) {
			object_list[i].id = -1;
			break;
		}
	}
}

void object_forget(enum end end, int id)
{
	struct tracked object = { .end = end, .id = id };

	object_forget_tracked(&object);
}

/* Ends an object or membership, and takes it off the list. */
static int object_end_tracked(const struct tracked *object)
{
	int err = object_end(object);

	if (!err)
		object_forget_tracked(object);
	return err;
}

int object_destroy(enum end end, int id)
{
	struct tracked object = { .end = end, .id = id };

	return object_end_tracked(&object);
}

/*
 * Calls that fail inside end this function early (conform_fail()); it is then
 * called again for the rest.
 */
const char *objects_destroy(void)
{
	static char text[160];
	struct call end_test = { .kind = CALL_END_TEST };
	const char *result = NULL;
	struct reply reply;

	while (object_nr > 0) {
		struct tracked object = object_list[--object_nr];
		int err;

		if (object.id < 0 || !end_is_alive(object.end))
			continue;
		err = object_end(&object);
		if (!err || result)
			continue;
		snprintf(text, sizeof(text), "destroy %s %d of the %s: %s",
			 object.what, object.id,
			 object.end == CLIENT ? "client" : "server",
			 strerror(err));
		result = text;
	}
	while (object_memory) {
		struct allocation *next = object_memory->next;

		free(object_memory);
		object_memory = next;
	}
	end_call(CLIENT, &end_test, &reply);
	if (end_is_alive(SERVER))
		end_call(SERVER, &end_test, &reply);
	return result;
}

bool objects_left(void)
{
	return object_nr > 0 || object_memory;
}

/* -- channels, CQs, SRQs -- */

struct channel *channel_new(enum end end)
{
	struct channel *channel = object_alloc(sizeof(*channel));
	struct call call = { .kind = CALL_CHANNEL_NEW };
	struct reply reply;

	object_call(end, &call, &reply, "ibv_create_comp_channel()");
	*channel = (struct channel){ .end = end, .id = reply.object };
	object_track(end, reply.object, "channel");
	return channel;
}

static struct cq *cq_new_call(enum end end, struct call *call,
			      const struct channel *channel, const char *what)
{
	struct cq *cq = object_alloc(sizeof(*cq));
	struct reply reply;

	call->channel = channel ? channel->id : -1;
	end_call(end, call, &reply);
	if (reply.error == EOPNOTSUPP && call->kind == CALL_CQ_NEW_EX)
		conform_skip("no extended CQs with these fields");
	if (reply.error)
		conform_fail("%s: %s", what, strerror(reply.error));
	*cq = (struct cq){ .end = end, .id = reply.object, .cqe = reply.nr };
	object_track(end, reply.object, "CQ");
	return cq;
}

struct cq *cq_new(enum end end, int cqe, struct channel *channel)
{
	struct call call = { .kind = CALL_CQ_NEW, .nr = cqe };

	return cq_new_call(end, &call, channel, "ibv_create_cq()");
}

struct cq *cq_new_ex(enum end end, int cqe, struct channel *channel,
		     uint64_t wc_flags)
{
	struct call call = {
		.kind = CALL_CQ_NEW_EX,
		.nr = cqe,
		.length = wc_flags,
	};

	return cq_new_call(end, &call, channel, "ibv_create_cq_ex()");
}

int cq_resize(struct cq *cq, int cqe)
{
	struct call call = {
		.kind = CALL_CQ_RESIZE,
		.object = cq->id,
		.nr = cqe,
	};
	struct reply reply;

	end_call(cq->end, &call, &reply);
	if (!reply.error)
		cq->cqe = reply.nr;
	return reply.error;
}

int cq_destroy(struct cq *cq)
{
	return object_destroy(cq->end, cq->id);
}

int cq_req_notify(struct cq *cq, bool solicited_only)
{
	struct call call = {
		.kind = CALL_CQ_NOTIFY,
		.object = cq->id,
		.flag = solicited_only,
	};
	struct reply reply;

	end_call(cq->end, &call, &reply);
	return reply.error;
}

static bool cq_event_call(const struct channel *channel, const struct cq *cq,
			  int ms, bool acks)
{
	struct call call = {
		.kind = CALL_CQ_EVENT,
		.channel = channel->id,
		.ms = ms,
		.flag = !acks,
	};
	struct reply reply;

	object_call(channel->end, &call, &reply, "ibv_get_cq_event()");
	if (reply.nr && cq && reply.object != cq->id)
		conform_fail("completion event of another CQ");
	return reply.nr;
}

bool cq_event_wait(struct channel *channel, struct cq *cq, int ms)
{
	return cq_event_call(channel, cq, ms, true);
}

bool cq_event_get(struct channel *channel, struct cq *cq, int ms)
{
	return cq_event_call(channel, cq, ms, false);
}

void cq_event_ack(struct cq *cq, unsigned int nr)
{
	struct call call = {
		.kind = CALL_CQ_ACK,
		.object = cq->id,
		.nr = (int)nr,
	};
	struct reply reply;

	object_call(cq->end, &call, &reply, "ibv_ack_cq_events()");
}

bool cq_destroy_acking(struct cq *cq, unsigned int nr, int ms)
{
	struct call call = {
		.kind = CALL_CQ_DESTROY_ACKING,
		.object = cq->id,
		.nr = (int)nr,
		.ms = ms,
	};
	struct reply reply;

	object_call(cq->end, &call, &reply, "ibv_destroy_cq()");
	object_forget(cq->end, cq->id);
	return reply.nr;
}

struct srq *srq_new(enum end end, uint32_t max_wr, uint32_t max_sge)
{
	struct srq *srq = object_alloc(sizeof(*srq));
	struct call call = {
		.kind = CALL_SRQ_NEW,
		.srq_attr = { .max_wr = max_wr, .max_sge = max_sge },
	};
	struct reply reply;

	object_call(end, &call, &reply, "ibv_create_srq()");
	*srq = (struct srq){ .end = end, .id = reply.object };
	object_track(end, reply.object, "SRQ");
	return srq;
}

struct xrcd *xrcd_new(enum end end)
{
	struct xrcd *xrcd = object_alloc(sizeof(*xrcd));
	struct call call = { .kind = CALL_XRCD_NEW };
	struct reply reply;

	object_call(end, &call, &reply, "ibv_open_xrcd()");
	*xrcd = (struct xrcd){ .end = end, .id = reply.object };
	object_track(end, reply.object, "XRC domain");
	return xrcd;
}

int xrcd_close(struct xrcd *xrcd)
{
	return object_destroy(xrcd->end, xrcd->id);
}

struct srq *srq_new_xrc(struct xrcd *xrcd, struct cq *cq, int pd,
			uint32_t max_wr)
{
	struct srq *srq = object_alloc(sizeof(*srq));
	struct call call = {
		.kind = CALL_SRQ_NEW,
		.srq_attr = { .max_wr = max_wr, .max_sge = 1 },
		.pd = pd,
		.xrcd = xrcd->id,
		.recv_cq = cq->id,
	};
	struct reply reply;

	object_call(xrcd->end, &call, &reply, "create an XRC SRQ");
	*srq = (struct srq){
		.end = xrcd->end,
		.id = reply.object,
		.num = reply.num,
	};
	object_track(xrcd->end, reply.object, "XRC SRQ");
	return srq;
}

int srq_modify(struct srq *srq, uint32_t limit)
{
	struct call call = {
		.kind = CALL_SRQ_MODIFY,
		.object = srq->id,
		.srq_attr = { .srq_limit = limit },
		.mask = IBV_SRQ_LIMIT,
	};
	struct reply reply;

	end_call(srq->end, &call, &reply);
	return reply.error;
}

struct ibv_srq_attr srq_query(struct srq *srq)
{
	struct call call = { .kind = CALL_SRQ_QUERY, .object = srq->id };
	struct reply reply;

	object_call(srq->end, &call, &reply, "ibv_query_srq()");
	return reply.srq_attr;
}

int srq_destroy(struct srq *srq)
{
	return object_destroy(srq->end, srq->id);
}

int srq_resize(struct srq *srq, uint32_t max_wr)
{
	struct call call = {
		.kind = CALL_SRQ_MODIFY,
		.object = srq->id,
		.srq_attr = { .max_wr = max_wr },
		.mask = IBV_SRQ_MAX_WR,
	};
	struct reply reply;

	end_call(srq->end, &call, &reply);
	return reply.error;
}

/* -- multicast groups, address handles, windows -- */

int mcast_attach(struct qp *qp, uint8_t nr)
{
	struct call call = {
		.kind = CALL_QP_MCAST,
		.object = qp->id,
		.nr = nr,
		.flag = true,
	};
	struct reply reply;

	end_call(qp->end, &call, &reply);
	if (!reply.error) {
		object_track(qp->end, qp->id, "multicast membership of QP");
		object_list[object_nr - 1].group = nr;
	}
	return reply.error;
}

int mcast_detach(struct qp *qp, uint8_t nr)
{
	struct tracked object = {
		.end = qp->end,
		.id = qp->id,
		.group = nr,
	};

	return object_end_tracked(&object);
}

static struct ah *ah_new_group(enum end end, int nr)
{
	struct ah *ah = object_alloc(sizeof(*ah));
	struct call call = { .kind = CALL_AH_NEW, .nr = nr };
	struct reply reply;

	object_call(end, &call, &reply, "ibv_create_ah()");
	*ah = (struct ah){ .end = end, .id = reply.object };
	object_track(end, reply.object, "AH");
	return ah;
}

struct ah *ah_new(enum end end)
{
	return ah_new_group(end, 0);
}

struct ah *ah_new_mcast(enum end end, uint8_t nr)
{
	return ah_new_group(end, nr);
}

struct mw *mw_new(enum end end, enum ibv_mw_type type)
{
	struct mw *mw = object_alloc(sizeof(*mw));
	struct call call = { .kind = CALL_MW_NEW, .type = (int)type };
	struct reply reply;

	object_call(end, &call, &reply, "ibv_alloc_mw()");
	*mw = (struct mw){ .end = end, .id = reply.object, .rkey = reply.rkey };
	object_track(end, reply.object, "MW");
	return mw;
}

int mw_dealloc(struct mw *mw)
{
	return object_destroy(mw->end, mw->id);
}

uint32_t mw_inc_rkey(struct mw *mw)
{
	mw->rkey = ibv_inc_rkey(mw->rkey);
	return mw->rkey;
}

int mw_bind_1(struct qp *qp, struct mw *mw, const struct mem *mem,
	      size_t offset, size_t length, unsigned int access, uint64_t wr_id)
{
	struct call call = {
		.kind = CALL_MW_BIND,
		.object = qp->id,
		.mw = mw->id,
		.mr = mem ? mem->id : -1,
		.addr = mem ? mem->addr + offset : 0,
		.length = length,
		.access = access,
		.wr_id = wr_id,
	};
	struct reply reply;

	end_call(qp->end, &call, &reply);
	if (!reply.error)
		mw->rkey = reply.rkey;
	return reply.error;
}
