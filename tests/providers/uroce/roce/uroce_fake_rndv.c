/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce_fake_rndv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"
#include "uroce/wire/uroce_wire.h"

#define GUARD	 0xc3
#define SCRIBBLE 0x5a

/* The object that channels and engines belong to; a test has one at a time. */
static struct fake *the_fake;

static unsigned int side_of(const struct uroce_channel *channel)
{
	struct pair *pair = the_fake->pair;

	if (channel == &pair->side[0].channel)
		return 0;
	assert_ptr_equal(channel, &pair->side[1].channel);
	return 1;
}

static struct fake_side *own_side(const struct uroce_channel *channel)
{
	return &the_fake->side[side_of(channel)];
}

static struct fake_side *peer_side(const struct uroce_channel *channel)
{
	return &the_fake->side[!side_of(channel)];
}

static void log_action(unsigned int i, char what)
{
	struct fake_side *side = &the_fake->side[i];
	struct pair_side *real = &the_fake->pair->side[i];
	uint32_t nr_cqes = uroce_ring_used(&real->send_cq.ring) +
			   uroce_ring_used(&real->recv_cq.ring);
	size_t at = strlen(side->log);

	assert_true(at + nr_cqes + 2 < sizeof(side->log));
	for (; side->nr_cqes < nr_cqes; side->nr_cqes++)
		side->log[at++] = '|';
	side->nr_cqes = nr_cqes;
	side->log[at] = what;
}

const char *fake_log(struct fake *fake, unsigned int side)
{
	log_action(side, '\0');
	return fake->side[side].log;
}

void fake_forget_log(struct fake *fake, unsigned int side)
{
	log_action(side, '\0');
	memset(fake->side[side].log, 0, sizeof(fake->side[side].log));
}

static void on_qp(void *arg, const struct uroce_qp *qp)
{
	struct fake_side *side = arg;
	bool was_open = side->open;

	side->open = uroce_qp_is_open(qp);
	side->nr_notified++;
	if (side->open != was_open)
		log_action(side == &the_fake->side[1], side->open ? 't' : 'e');
}

static bool copy_fails(struct fake_trouble *trouble)
{
	unsigned int nr = trouble->nr++;

	return nr >= trouble->after && nr - trouble->after < trouble->times;
}

/* A failing copy has transferred a part of the data. */
static int fake_transfer(struct fake_trouble *trouble, void *to,
			 const void *from, size_t bytes)
{
	if (copy_fails(trouble)) {
		memset(to, SCRIBBLE, bytes / 2);
		return -EFAULT;
	}
	memcpy(to, from, bytes);
	return 0;
}

static bool fake_choose(struct uroce_channel *channel,
			enum uroce_sink_kind kind, uint32_t qpn, uint32_t psn)
{
	own_side(channel)->nr_chosen++;
	if (!own_side(channel)->unwilling)
		return true;
	own_side(channel)->unwilling--;
	return false;
}

static void fake_learn(struct uroce_channel *channel, enum uroce_sink_kind kind,
		       uint32_t qpn, uint32_t psn, uint32_t bytes)
{
	own_side(channel)->nr_learned++;
	own_side(channel)->learned = bytes;
}

static void check_qpns(const struct uroce_channel *channel,
		       const struct uroce_qpn_pair *qpns)
{
	unsigned int i = side_of(channel);

	assert_int_equal(qpns->qpn, the_fake->pair->side[i].qp->qpn);
	assert_int_equal(qpns->dest_qpn, the_fake->pair->side[!i].qp->qpn);
}

static bool is_open(struct uroce_channel *channel,
		    const struct uroce_qpn_pair *qpns)
{
	check_qpns(channel, qpns);
	return !peer_side(channel)->closed && peer_side(channel)->open;
}

static bool fake_find(struct uroce_channel *channel,
		      const struct uroce_qpn_pair *qpns,
		      enum uroce_sink_kind kind, struct uroce_sink *ret_sink)
{
	const struct fake_side *side = peer_side(channel);

	check_qpns(channel, qpns);
	own_side(channel)->nr_looks++;
	if (own_side(channel)->blind) {
		own_side(channel)->blind--;
		return false;
	}
	*ret_sink = side->sink[kind];
	if (side->stale && !ret_sink->bytes)
		*ret_sink = side->last[kind];
	return ret_sink->bytes;
}

static int fake_push(struct uroce_channel *channel,
		     const struct uroce_qpn_pair *qpns,
		     enum uroce_sink_kind kind, const struct uroce_sink *sink,
		     uint32_t from, const struct iovec *iov)
{
	const struct uroce_sink *now = &peer_side(channel)->sink[kind];
	int ret;

	check_qpns(channel, qpns);
	assert_true((uint64_t)from + iov->iov_len <= sink->bytes);
	if (!now->bytes || now->psn != sink->psn) {
		own_side(channel)->nr_refused++;
		return -EACCES;
	}
	ret = fake_transfer(&own_side(channel)->push,
			    (uint8_t *)(uintptr_t)now->address + from,
			    iov->iov_base, iov->iov_len);
	if (!ret)
		own_side(channel)->pushed += (uint32_t)iov->iov_len;
	return ret;
}

static int fake_pull(struct uroce_channel *channel,
		     const struct uroce_qpn_pair *qpns, uint64_t address,
		     const struct iovec *iov)
{
	const struct pair_side *real = &the_fake->pair->side[!side_of(channel)];
	uint64_t offset = address - (uintptr_t)real->memory;
	int ret;

	check_qpns(channel, qpns);
	/* a copy to an unconnected peer must be refused */
	if (!is_open(channel, qpns) || offset > FAKE_MEMORY ||
	    iov->iov_len > FAKE_MEMORY - offset)
		return -EFAULT;
	ret = fake_transfer(&own_side(channel)->pull, iov->iov_base,
			    real->memory + offset, iov->iov_len);
	if (!ret)
		own_side(channel)->pulled += (uint32_t)iov->iov_len;
	return ret;
}

static void fake_publish(struct uroce_channel *channel, uint32_t qpn,
			 enum uroce_sink_kind kind,
			 const struct uroce_sink *sink)
{
	unsigned int i = side_of(channel);
	struct fake_side *side = &the_fake->side[i];

	assert_int_equal(qpn, the_fake->pair->side[i].qp->qpn);
	if (side->sink[kind].bytes)
		side->last[kind] = side->sink[kind];
	side->sink[kind] = *sink;
	if (kind == UROCE_SINK_READ)
		log_action(i, sink->bytes ? 'L' : 'X');
	else
		log_action(i, sink->bytes ? 'l' : 'x');
}

static uint32_t fake_accesses(struct uroce_channel *channel)
{
	log_action(side_of(channel), 's');
	return own_side(channel)->accesses;
}

static bool fake_is_quiet(struct uroce_channel *channel, uint32_t accesses)
{
	return own_side(channel)->accesses != accesses;
}

static void fake_give_up(struct uroce_channel *channel, uint32_t accesses)
{
	own_side(channel)->given_up = accesses;
}

static const struct uroce_rndv_ops ops = {
	.choose = fake_choose,
	.learn = fake_learn,
	.is_open = is_open,
	.find = fake_find,
	.push = fake_push,
	.pull = fake_pull,
	.publish = fake_publish,
	.accesses = fake_accesses,
	.is_quiet = fake_is_quiet,
	.give_up = fake_give_up,
};

static int copy_iov(struct fake_side *side,
		    const struct uroce_direct_access *copy,
		    const struct iovec *iov, uint8_t *there)
{
	int ret;

	if (copy->read) {
		ret = fake_transfer(&side->pull, iov->iov_base, there,
				    iov->iov_len);
		side->pulled += ret ? 0 : (uint32_t)iov->iov_len;
	} else {
		ret = fake_transfer(&side->push, there, iov->iov_base,
				    iov->iov_len);
		side->pushed += ret ? 0 : (uint32_t)iov->iov_len;
	}
	return ret;
}

/* Called after the checks of the peer's responder. */
static int fake_copy(struct uroce_channel *channel,
		     const struct uroce_direct_access *wanted)
{
	unsigned int i = side_of(channel);
	const struct uroce_qpn_pair qpns = { wanted->qpn, wanted->dest_qpn };
	const struct uroce_remote_access access = {
		.va = wanted->va,
		.bytes = wanted->bytes,
		.rkey = wanted->rkey,
		.pd = PAIR_PD,
		.qpn = wanted->dest_qpn,
		.access = wanted->access,
	};
	uint8_t *there;
	int ret = 0;

	assert_true((uint64_t)wanted->offset + wanted->chunk <= wanted->bytes);
	if (!is_open(channel, &qpns) ||
	    uroce_memory_remote(the_fake->pair->side[!i].engine.core.memory,
				&access, &there))
		return -EACCES;
	there += wanted->offset;
	for (uint32_t n = 0; !ret && n < wanted->nr_iov; n++) {
		ret = copy_iov(&the_fake->side[i], wanted, &wanted->iov[n],
			       there);
		there += wanted->iov[n].iov_len;
	}
	return ret;
}

static bool is_recently_polling(struct uroce_channel *channel, uint32_t bytes)
{
	return !peer_side(channel)->idle;
}

static void check_packet(struct fake_side *side,
			 const struct uroce_packet *packet)
{
	uint32_t traits = uroce_wire_traits(packet->opcode);
	bool is_response = traits & UROCE_T_RESPONSE;
	uint32_t last = packet->psn;

	if (is_response && !(traits & UROCE_T_READ_RESP))
		return; /* ACKs have the PSN of the request */
	if (packet->nr_absent) {
		side->nr_absent++;
		assert_true(!side->any[is_response] ||
			    uroce_psn_before(side->youngest[is_response],
					     packet->psn));
		assert_false(traits & UROCE_T_LAST);
		assert_false(packet->opcode == UROCE_READ_RESP_LAST ||
			     packet->opcode == UROCE_READ_RESP_ONLY);
		assert_true(packet->payload_len <= UROCE_CHANNEL_CHUNK);
		assert_int_equal(packet->payload_len,
				 packet->nr_absent * UROCE_CHANNEL_MTU);
		last = uroce_psn_add(last, packet->nr_absent - 1);
	}
	if (!side->any[is_response] ||
	    uroce_psn_before(side->youngest[is_response], last))
		side->youngest[is_response] = last;
	side->any[is_response] = true;
}

static enum pair_action fake_filter(struct pair *pair, unsigned int from,
				    const struct uroce_packet *packet)
{
	struct fake *fake = pair->filter_data;
	struct fake_side *side = &fake->side[from];

	check_packet(side, packet);
	side->nr_packets++;
	if (!--side->left)
		pair->side[from].channel.full = true;
	if (!fake->loses || !fake->loses(fake, from, packet))
		return PAIR_PASS;
	fake->nr_lost++;
	return PAIR_DROP;
}

static void init_side(struct fake *fake, unsigned int i)
{
	struct pair_side *real = &fake->pair->side[i];
	struct fake_side *side = &fake->side[i];

	real->channel.direct_copy = fake_copy;
	real->channel.chunk = FAKE_MEMORY;
	real->channel.is_recently_polling = is_recently_polling;
	real->channel.rndv = &ops;
	real->engine.core.on_qp = on_qp;
	real->engine.core.arg = side;
	side->room = 4;
	side->open = true;
	memset(real->memory + FAKE_TO, GUARD, FAKE_MEMORY - FAKE_TO);
}

struct pair_options fake_defaults(void)
{
	struct pair_options o = pair_defaults();

	o.bound = true;
	o.memory_bytes = FAKE_MEMORY;
	return o;
}

struct fake *fake_new_with(const struct pair_options *options)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	assert_non_null(fake);
	the_fake = fake;
	fake->pair = pair_new(options);
	fake->pair->filter = fake_filter;
	fake->pair->filter_data = fake;
	init_side(fake, 0);
	init_side(fake, 1);
	return fake;
}

struct fake *fake_new(void)
{
	struct pair_options o = fake_defaults();

	return fake_new_with(&o);
}

void fake_free(struct fake *fake)
{
	struct pair *pair = fake->pair;

	/* no sink is published without a request for it */
	for (unsigned int i = 0; i < 2; i++) {
		const struct uroce_qp *qp = pair->side[i].qps[0];

		for (unsigned int kind = 0; kind < UROCE_NR_SINKS; kind++)
			assert_int_equal(!!fake->side[i].sink[kind].bytes,
					 qp && qp->roce->rndv.published[kind]);
	}
	pair_free(pair);
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int kind = 0; kind < UROCE_NR_SINKS; kind++)
			assert_int_equal(fake->side[i].sink[kind].bytes, 0);
	free(fake);
}

bool fake_step(struct fake *fake)
{
	struct pair *pair = fake->pair;

	for (unsigned int i = 0; i < 2; i++) {
		fake->side[i].left = fake->side[i].room;
		uroce_channel_resume(&pair->side[i].engine,
				     &pair->side[i].channel);
	}
	return pair_step(pair) || pair->side[0].channel.full ||
	       pair->side[1].channel.full;
}

void fake_run(struct fake *fake)
{
	while (fake_step(fake))
		;
}

void fake_run_until_pushed(struct fake *fake, unsigned int side, uint32_t bytes)
{
	while (fake->side[side].pushed < bytes)
		assert_true(fake_step(fake));
}

static uint8_t byte_of(uint32_t at, uint32_t seed)
{
	return (uint8_t)((at * 2 + seed * 7919 + 1) * 2654435761u >> 24);
}

uint8_t *fake_at(struct fake *fake, unsigned int side,
		 const struct ibv_sge *sge)
{
	uint64_t offset = sge->addr - PAIR_IOVA;

	assert_true(offset + sge->length <= FAKE_MEMORY);
	return fake->pair->side[side].memory + offset;
}

void fake_clear(struct fake *fake, unsigned int side, const struct ibv_sge *sge)
{
	memset(fake_at(fake, side, sge), GUARD, sge->length);
}

void fake_fill(struct fake *fake, unsigned int side, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t seed)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < nr_sge; i++) {
		uint8_t *bytes = fake_at(fake, side, &sge[i]);

		for (uint32_t n = 0; n < sge[i].length; n++)
			bytes[n] = byte_of(at++, seed);
	}
}

void fake_take(struct fake *fake, unsigned int side, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t seed)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < nr_sge; i++) {
		uint8_t *bytes = fake_at(fake, side, &sge[i]);

		for (uint32_t n = 0; n < sge[i].length; n++, at++)
			if (bytes[n] != byte_of(at, seed))
				fail_msg("byte %u is wrong", at);
		fake_clear(fake, side, &sge[i]);
	}
}

void fake_check_rest(struct fake *fake, unsigned int side)
{
	const uint8_t *memory = fake->pair->side[side].memory;
	const uint8_t *rest = memory + FAKE_TO;

	/* all bytes equal the first one */
	if (rest[0] == GUARD &&
	    memcmp(rest, rest + 1, FAKE_MEMORY - FAKE_TO - 1) == 0)
		return;
	for (uint32_t i = FAKE_TO; i < FAKE_MEMORY; i++)
		if (memory[i] != GUARD)
			fail_msg("memory at %u was written to", i);
}

void fake_post(struct fake *fake, unsigned int side, uint64_t wr_id,
	       enum ibv_wr_opcode opcode, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t there)
{
	const struct uroce_send_wqe wqe = {
		.wr_id = wr_id,
		.opcode = (uint8_t)opcode,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = nr_sge,
		.imm = FAKE_IMM,
		.remote = { .va = PAIR_IOVA + there,
			    .rkey = fake->pair->side[!side].key },
	};

	pair_post(fake->pair, side, &wqe, sge);
}

void fake_modify(struct fake *fake, unsigned int side, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	assert_int_equal(uroce_qp_modify(fake->pair->side[side].qp, &attr,
					 IBV_QP_STATE, IBV_MTU_4096, NULL,
					 fake->pair->now),
			 0);
}
