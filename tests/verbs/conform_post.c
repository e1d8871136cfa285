// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: work requests, completions and events, as the
 * tests see them.
 */
#include "conform_call.h"

#include <stdio.h>
#include <string.h>

#define WAIT_LONG_MS  20000
#define WAIT_SHORT_MS 1000

int conform_wait_ms = WAIT_LONG_MS;

void conform_expect_failure(bool fails)
{
	conform_wait_ms = fails ? WAIT_SHORT_MS : WAIT_LONG_MS;
}

/* -- work requests -- */

struct work work_send(const struct mem *mem, size_t offset, uint32_t length)
{
	return (struct work){
		.opcode = IBV_WR_SEND,
		.nr_sge = 1,
		.sge = { sge(mem, offset, length) },
	};
}

struct work work_rdma(enum ibv_wr_opcode opcode, const struct mem *local,
		      size_t local_offset, uint32_t length,
		      const struct mem *remote, size_t remote_offset)
{
	return (struct work){
		.opcode = opcode,
		.remote_addr = remote->addr + remote_offset,
		.rkey = remote->rkey,
		.nr_sge = 1,
		.sge = { sge(local, local_offset, length) },
	};
}

struct work work_atomic(enum ibv_wr_opcode opcode, const struct mem *local,
			size_t local_offset, const struct mem *remote,
			size_t remote_offset, uint64_t compare_add,
			uint64_t swap)
{
	struct work work = work_rdma(opcode, local, local_offset, 8, remote,
				     remote_offset);

	work.compare_add = compare_add;
	work.swap = swap;
	return work;
}

struct work work_atomic_write(const struct mem *remote, size_t remote_offset,
			      uint64_t value)
{
	return (struct work){
		.opcode = IBV_WR_ATOMIC_WRITE,
		.remote_addr = remote->addr + remote_offset,
		.rkey = remote->rkey,
		.compare_add = value,
	};
}

struct work work_flush(const struct mem *remote, size_t remote_offset,
		       size_t length, uint8_t type, uint8_t level)
{
	return (struct work){
		.opcode = IBV_WR_FLUSH,
		.remote_addr = remote->addr + remote_offset,
		.rkey = remote->rkey,
		.flush_length = length,
		.flush_type = type,
		.flush_level = level,
	};
}

int post_try(struct qp *qp, const struct work *work, int nr, int *bad)
{
	static struct call_work list[CONFORM_MAX_WORK];
	struct call call = {
		.kind = CALL_POST_SEND,
		.object = qp->id,
		.nr = nr,
		.work = list,
	};
	struct reply reply;

	if (nr < 1 || nr > CONFORM_MAX_WORK)
		conform_fail("%d work requests in one call", nr);
	for (int i = 0; i < nr; i++) {
		const struct mem *mem = work[i].bind_mem;

		list[i] = (struct call_work){
			.work = work[i],
			.ah = work[i].ah ? work[i].ah->id : -1,
			.mw = work[i].mw ? work[i].mw->id : -1,
			.mr = mem ? mem->id : -1,
		};
		if (work[i].opcode == IBV_WR_BIND_MW)
			list[i].work.remote_addr =
				mem ? mem->addr + work[i].bind_offset : 0;
	}
	end_call(qp->end, &call, &reply);
	if (bad)
		*bad = reply.nr;
	return reply.error;
}

void post_list(struct qp *qp, const struct work *work, int nr)
{
	int bad, err = post_try(qp, work, nr, &bad);

	if (err)
		conform_fail("post work request %d: %s", bad, strerror(err));
}

void post(struct qp *qp, const struct work *work)
{
	post_list(qp, work, 1);
}

static int post_recv_on(enum end end, int id, uint64_t wr_id,
			const struct ibv_sge *list, int nr_sge)
{
	struct call call = {
		.kind = CALL_POST_RECV,
		.object = id,
		.wr_id = wr_id,
		.nr = nr_sge,
		.sge = list,
	};
	struct reply reply;

	if (nr_sge < 0 || nr_sge > CONFORM_MAX_WORK)
		conform_fail("%d SGEs", nr_sge);
	end_call(end, &call, &reply);
	return reply.error;
}

int post_srq_recv_try(struct srq *srq, uint64_t wr_id,
		      const struct ibv_sge *list, int nr_sge)
{
	return post_recv_on(srq->end, srq->id, wr_id, list, nr_sge);
}

int post_recv_try(struct qp *qp, uint64_t wr_id, const struct ibv_sge *list,
		  int nr_sge)
{
	if (qp->srq)
		return post_srq_recv_try(qp->srq, wr_id, list, nr_sge);
	return post_recv_on(qp->end, qp->id, wr_id, list, nr_sge);
}

void post_srq_recv(struct srq *srq, const struct mem *mem, size_t offset,
		   uint32_t length, uint64_t wr_id)
{
	struct ibv_sge list = sge(mem, offset, length);
	int err = post_srq_recv_try(srq, wr_id, &list, 1);

	if (err)
		conform_fail("ibv_post_srq_recv(): %s", strerror(err));
}

void post_recv(struct qp *qp, const struct mem *mem, size_t offset,
	       uint32_t length, uint64_t wr_id)
{
	struct ibv_sge list = sge(mem, offset, length);
	int err = post_recv_try(qp, wr_id, &list, 1);

	if (err)
		conform_fail("post a receive: %s", strerror(err));
}

/* -- completions -- */

int poll_some(struct cq *cq, struct ibv_wc *wc, int nr, int ms)
{
	struct call call = {
		.kind = CALL_CQ_POLL,
		.object = cq->id,
		.nr = nr > CALL_MAX_WC ? CALL_MAX_WC : nr,
		.ms = ms,
	};
	struct reply reply;

	object_call(cq->end, &call, &reply, "ibv_poll_cq()");
	memcpy(wc, reply.wc, (size_t)reply.nr * sizeof(*wc));
	return reply.nr;
}

int poll_ex(struct cq *cq, struct wc_ex *wc, int nr, int ms)
{
	struct call call = {
		.kind = CALL_CQ_POLL_EX,
		.object = cq->id,
		.nr = nr > CALL_MAX_WC ? CALL_MAX_WC : nr,
		.ms = ms,
	};
	struct reply reply;

	object_call(cq->end, &call, &reply, "ibv_start_poll()");
	memcpy(wc, reply.wc_ex, (size_t)reply.nr * sizeof(*wc));
	return reply.nr;
}

struct ibv_wc poll_one(struct cq *cq)
{
	struct ibv_wc wc;

	if (poll_some(cq, &wc, 1, CONFORM_WAIT_MS) != 1)
		conform_fail("no completion of the %s",
			     cq->end == CLIENT ? "client" : "server");
	return wc;
}

struct ibv_wc poll_status(struct cq *cq, enum ibv_wc_status status)
{
	struct ibv_wc wc = poll_one(cq);

	if (wc.status != status)
		conform_fail("completion of the %s, wr_id %llu: \"%s\" instead "
			     "of \"%s\"",
			     cq->end == CLIENT ? "client" : "server",
			     (unsigned long long)wc.wr_id,
			     ibv_wc_status_str(wc.status),
			     ibv_wc_status_str(status));
	return wc;
}

struct ibv_wc poll_success(struct cq *cq, uint64_t wr_id)
{
	struct ibv_wc wc = poll_status(cq, IBV_WC_SUCCESS);

	if (wc.wr_id != wr_id)
		conform_fail("completion of the %s: wr_id %llu instead of %llu",
			     cq->end == CLIENT ? "client" : "server",
			     (unsigned long long)wc.wr_id,
			     (unsigned long long)wr_id);
	return wc;
}

void poll_nothing(struct cq *cq, int ms)
{
	struct ibv_wc wc;

	if (poll_some(cq, &wc, 1, ms))
		conform_fail("unexpected completion of the %s: \"%s\", wr_id "
			     "%llu, opcode %d",
			     cq->end == CLIENT ? "client" : "server",
			     ibv_wc_status_str(wc.status),
			     (unsigned long long)wc.wr_id, (int)wc.opcode);
}

/* -- events -- */

bool event_wait(enum end end, struct conform_event *event, int ms)
{
	struct call call = { .kind = CALL_ASYNC_EVENT, .ms = ms };
	struct reply reply;

	object_call(end, &call, &reply, "ibv_get_async_event()");
	if (!reply.nr)
		return false;
	*event = (struct conform_event){
		.type = (enum ibv_event_type)reply.type,
		.id = reply.object,
	};
	return true;
}

void event_require(enum end end, enum ibv_event_type type, int id)
{
	struct conform_event event;

	if (!event_wait(end, &event, CONFORM_WAIT_MS))
		conform_fail("no event \"%s\" of the %s",
			     ibv_event_type_str(type),
			     end == CLIENT ? "client" : "server");
	if (event.type != type || event.id != id)
		conform_fail("event \"%s\" of object %d instead of \"%s\" of "
			     "object %d of the %s",
			     ibv_event_type_str(event.type), event.id,
			     ibv_event_type_str(type), id,
			     end == CLIENT ? "client" : "server");
}
