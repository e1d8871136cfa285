/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The peer of rendezvous messages, as the engine sees it (struct
 * uroce_rndv_ops): it publishes sinks, permits or denies access, and
 * changes both. The engine must copy only within published memory and within
 * its own memory. Sinks of the engine must not stay published when their
 * memory is reused.
 *
 * A change in the input is a byte of flags (below), the distance of a sink
 * from its correct place, and its length in KB.
 */
#include <errno.h>

#include "fuzz/hostile.h"
#include "fuzz/uroce_flow.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_rndv.h"

#define OPEN   0x01 /* the peer's QP pulls */
#define RNDV   0x02 /* new messages use the rendezvous protocol */
#define PUSHES 0x04 /* pushing is possible */
#define PULLS  0x08 /* pulling is possible; else the packet is lost */
#define COPIES 0x10 /* copies by key are possible */
#define DENIED 0x20 /* impossible copies stay impossible */
#define READS  0x40 /* the sink of a READ, looked up next */
#define ENDS   0x80 /* the last sink: no place */

/* Special distances. */
#define NO_POLL INT8_MIN /* the peer does not poll */
#define GONE	INT8_MAX /* one of this process's regions is deregistered */

static struct uroce_channel channel;
static struct flow *flow;
static uint8_t theirs[FLOW_LONG_MEMORY];

static uint8_t how;
static struct uroce_sink sinks[UROCE_NR_SINKS]; /* the peer's */
static int8_t distance; /* of the sink of a new message */
static uint32_t bytes;
static struct uroce_sink published[UROCE_NR_SINKS]; /* this process's */

static bool may(uint8_t what)
{
	if (how & what)
		return true;
	if (how & DENIED)
		channel.direct_copy = NULL;
	return false;
}

static uint8_t touch(const struct iovec *iov, uint32_t nr, bool write)
{
	uint8_t sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint8_t *at = iov[i].iov_base;

		fuzz_assert(at >= flow->memory && iov[i].iov_len);
		fuzz_assert(iov[i].iov_len <=
			    (size_t)(flow->memory + flow->bytes - at));
		/* all bytes exist if the first and the last one do */
		sum ^= at[0] ^ at[iov[i].iov_len - 1];
		if (write)
			at[0] = at[iov[i].iov_len - 1] = sum;
	}
	return sum;
}

static int copy(struct uroce_channel *at,
		const struct uroce_direct_access *wanted)
{
	size_t sum = 0;

	fuzz_assert(at == &channel);
	fuzz_assert(wanted->chunk && wanted->chunk <= wanted->bytes);
	fuzz_assert(wanted->offset <= wanted->bytes - wanted->chunk);
	fuzz_assert(wanted->nr_iov && wanted->nr_iov <= UROCE_MAX_SGE);
	for (uint32_t i = 0; i < wanted->nr_iov; i++)
		sum += wanted->iov[i].iov_len;
	fuzz_assert(sum == wanted->chunk);
	if (!may(COPIES))
		return -EACCES;
	(void)touch(wanted->iov, wanted->nr_iov, wanted->read);
	return 0;
}

/* Otherwise WRITEs and READs are copies, not messages. */
static bool is_recently_polling(struct uroce_channel *at, uint32_t nr_bytes)
{
	return distance != NO_POLL;
}

static bool choose(struct uroce_channel *at, enum uroce_sink_kind kind,
		   uint32_t qpn, uint32_t psn)
{
	fuzz_assert(qpn == flow->qp->qpn);
	if (kind == UROCE_SINK_RECEIVE)
		sinks[kind] = (struct uroce_sink){
			.psn = uroce_psn_add(psn, distance),
			.bytes = bytes,
			.address = 1,
		};
	return at->direct_copy && how & RNDV;
}

static void learn(struct uroce_channel *at, enum uroce_sink_kind kind,
		  uint32_t qpn, uint32_t psn, uint32_t length)
{
	fuzz_assert(qpn == flow->qp->qpn && length <= flow->bytes);
}

static bool is_open(struct uroce_channel *at, const struct uroce_qpn_pair *qpns)
{
	return at->direct_copy && how & OPEN;
}

static bool find(struct uroce_channel *at, const struct uroce_qpn_pair *qpns,
		 enum uroce_sink_kind kind, struct uroce_sink *ret_sink)
{
	*ret_sink = sinks[kind];
	return sinks[kind].bytes;
}

static int push(struct uroce_channel *at, const struct uroce_qpn_pair *qpns,
		enum uroce_sink_kind kind, const struct uroce_sink *sink,
		uint32_t from, const struct iovec *iov)
{
	fuzz_assert(sink->psn == sinks[kind].psn);
	fuzz_assert(from <= sinks[kind].bytes);
	fuzz_assert(iov->iov_len <= sinks[kind].bytes - from);
	if (!may(PUSHES))
		return -EACCES;
	theirs[from] ^= touch(iov, 1, false);
	return 0;
}

static int pull(struct uroce_channel *at, const struct uroce_qpn_pair *qpns,
		uint64_t address, const struct iovec *iov)
{
	if (!may(PULLS))
		return -EACCES;
	(void)touch(iov, 1, true);
	return 0;
}

static void hostile_publish(struct uroce_channel *at, uint32_t qpn,
			    enum uroce_sink_kind kind,
			    const struct uroce_sink *sink)
{
	const struct iovec iov = { (void *)(uintptr_t)sink->address,
				   sink->bytes };

	fuzz_assert(qpn == flow->qp->qpn);
	if (sink->bytes)
		(void)touch(&iov, 1, false);
	published[kind] = *sink;
}

/* A failed QP has withdrawn its sinks. */
static uint32_t hostile_accesses(struct uroce_channel *at)
{
	fuzz_assert(!published[UROCE_SINK_RECEIVE].bytes);
	return 1;
}

static bool hostile_is_quiet(struct uroce_channel *at, uint32_t accesses)
{
	fuzz_assert(accesses == 1);
	return true;
}

static void hostile_give_up(struct uroce_channel *at, uint32_t accesses)
{
	fuzz_assert(false);
}

static const struct uroce_rndv_ops ops = {
	.choose = choose,
	.learn = learn,
	.is_open = is_open,
	.find = find,
	.push = push,
	.pull = pull,
	.publish = hostile_publish,
	.accesses = hostile_accesses,
	.is_quiet = hostile_is_quiet,
	.give_up = hostile_give_up,
};

struct uroce_channel *hostile_rndv_channel(uint8_t sink_parts)
{
	uroce_channel_init(&channel);
	channel.direct_copy = copy;
	channel.chunk = 1u << 20;
	channel.is_recently_polling = is_recently_polling;
	channel.rndv = &ops;
	memset(sinks, 0, sizeof(sinks));
	memset(published, 0, sizeof(published));
	how = OPEN | RNDV | PUSHES | PULLS | COPIES;
	distance = 0;
	bytes = sink_parts ? sink_parts * 30000u : FLOW_LONG_MEMORY;
	flow = NULL;
	return &channel;
}

/* Called at each change of state, and when a pull has failed. */
static void on_qp(void *arg, const struct uroce_qp *qp)
{
	fuzz_assert(arg == &channel && qp == flow->qp);
}

void hostile_rndv_begin(struct flow *new_flow)
{
	flow = new_flow;
	flow->engine.core.on_qp = on_qp;
	flow->engine.core.arg = &channel;
}

void hostile_rndv_change(struct fuzz_reader *reader)
{
	how = fuzz_take_u8(reader);
	distance = (int8_t)fuzz_take_u8(reader);
	if (distance == GONE) {
		uroce_rndv_withdraw_all(&flow->engine);
		hostile_rndv_end();
	}
	bytes = fuzz_take_u16(reader) % (FLOW_LONG_MEMORY / 1024 + 1) * 1024;
	if (how & READS)
		sinks[UROCE_SINK_READ] = (struct uroce_sink){
			.psn = uroce_psn_add(flow->qp->roce->resp.epsn,
					     distance),
			.bytes = how & ENDS ? 0 : bytes,
			.address = 1,
		};
	else if (how & ENDS)
		sinks[UROCE_SINK_RECEIVE].bytes = 0;
}

/* A published sink belongs to an active operation. */
void hostile_rndv_check(void)
{
	const struct uroce_qp *qp = flow->qp;
	bool shows = published[UROCE_SINK_RECEIVE].bytes ||
		     published[UROCE_SINK_READ].bytes;

	fuzz_assert(shows == !list_empty(&flow->engine.publishing));
	if (published[UROCE_SINK_RECEIVE].bytes)
		fuzz_assert(qp->receive.in_use);
	/* not to a completed READ */
	if (published[UROCE_SINK_READ].bytes)
		fuzz_assert(uroce_psn_diff(qp->roce->req.una_psn,
					   published[UROCE_SINK_READ].psn) *
				    (int64_t)qp->mtu <
			    published[UROCE_SINK_READ].bytes);
	if (shows)
		fuzz_assert(qp->state == IBV_QPS_RTS);
}

void hostile_rndv_end(void)
{
	fuzz_assert(!published[UROCE_SINK_RECEIVE].bytes &&
		    !published[UROCE_SINK_READ].bytes);
}
