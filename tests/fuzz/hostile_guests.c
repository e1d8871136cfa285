/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that want to pair up. The first one does all as it should, so that
 * there is a connection; then it, and others, say and write what the input
 * wants, which is served and received as the loop does it. A step of the input
 * is a byte that says what is done by which guest, and what that needs.
 *
 * The memory of guests is that of this process: they show one piece of it, and
 * nothing around that may change.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/hostile.h"
#include "fuzz/uroce_flow.h"
#include "uroce/engine/uroce_fast.h"
#include "uroce/engine/uroce_psn.h"
#include "uroce/local/uroce_inbox_layout.h"
#include "uroce/local/uroce_local_state.h"
#include "uroce/local/uroce_memfd.h"
#include "uroce/local/uroce_pairing.h"
#include "uroce/local/uroce_tables.h"
#include "uroce/port/uroce_rendezvous.h"

#define NR_GUESTS   4
#define SLOT	    3 /* of the first guest */
#define MAX_STEPS   60
#define STEP_NS	    200000
#define PATIENCE    1000 /* ms; nothing is waited for */
#define FIRST_HOST  128	 /* slots that real processes do not have so soon */
#define LAST_HOST   255
#define SEND_BYTES  64
#define SHARE_BYTES 8192

/* Besides FLOW_RIGHT_*: what is written is no slot of ours. */
#define WRITE_RAW 0x80
#define WRITE_OWN 0x40

enum what {
	CONNECT,
	HELLO, /* how it differs from a right one; and descriptors */
	SAY,   /* bytes */
	BYTE,  /* of one message: a confirmation, a bell, or something else */
	LISTEN,
	WRITE, /* into our inbox, or its own: place, kind, bytes */
	SHARE, /* of memory: which message, of which share, which descriptor */
	USE,   /* we want a share of the first guest, and write to it */
	SHOW,  /* of the first guest: what of its tables, and where it lands */
	HANG_UP,
	NR_WHATS,
};

/* Of SHOW. */
#define READY	0x01
#define PULLS	0x02
#define RECEIVE 0x04
#define READ	0x08
#define REGION	0x10
#define STRANGE 0x40 /* it is another one's QP */

struct guest {
	int fd; /* -1: none */
	struct uroce_inbox_sender out;
};

/* What a guest may pass; the first two are good ones. */
static int passable[7] = { -1, -1, -1, -1, -1, -1, -1 };
static struct uroce_tables tables;
static struct uroce_inbox_receiver own; /* the good inbox, seen by the guest */
static struct {
	uint8_t before[64];
	uint8_t memory[FLOW_LONG_MEMORY];
	uint8_t after[64];
} guarded;
static uint8_t right_hello[SEND_BYTES * 2];
static size_t hello_len;

static struct guest guests[NR_GUESTS];
static struct uroce_local *local;
static struct flow *flow;
static uint32_t host;
static uint64_t now;

/* A memfd that can still shrink. */
static int unsealed(void)
{
	return uroce_memfd_create(sizeof(struct uroce_inbox_memory));
}

/* What may be given as a share. */
static int shared_memory(void)
{
	int fd = uroce_memfd_create(SHARE_BYTES);

	fuzz_assert(fd >= 0);
	fuzz_assert(!fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
	return fd;
}

static void make_passable(void)
{
	if (passable[0] >= 0)
		return;
	uroce_tables_init(&tables);
	fuzz_assert(!uroce_tables_open(&tables, 1));
	passable[0] = uroce_inbox_create();
	fuzz_assert(!uroce_inbox_open_receiver(passable[0], &own));
	passable[1] = tables.fd;
	passable[2] = unsealed();
	passable[3] = open("/dev/null", O_RDWR | O_CLOEXEC);
	passable[4] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	passable[5] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	passable[6] = shared_memory();
}

/* As the library says it: nobody answers. */
static void learn_hello(void)
{
	const struct uroce_passed none = { .inbox = passable[0], .tables = -1 };
	const uint8_t dgid[UROCE_GID_LEN] = { 0 };
	struct uroce_passed theirs;
	enum uroce_verdict verdict;
	uint64_t token;
	ssize_t len;
	int fds[2];

	if (hello_len)
		return;
	fuzz_assert(
		!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds));
	fuzz_assert(uroce_pairing_ask(fds[0], SLOT, 1, dgid, &none, 0, &verdict,
				      &token, &theirs) == -ETIMEDOUT);
	len = recv(fds[1], right_hello, sizeof(right_hello), 0);
	fuzz_assert(len > 0 && (size_t)len < sizeof(right_hello));
	hello_len = (size_t)len;
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static bool is_ours(void *arg, const uint8_t *gid)
{
	return gid[0] == 0;
}

/* Several of these programs may run at a time. */
static void open_local(bool splits)
{
	struct uroce_local_config config = {
		.patience_ms = PATIENCE,
		.reach_ways = ~0u,
		.split = splits ? UROCE_LOCAL_SPLIT_ALWAYS
				: UROCE_LOCAL_SPLIT_TRY,
		.is_ours = is_ours,
	};
	int ret = -EADDRINUSE;

	for (uint32_t i = 0; ret && i <= LAST_HOST - FIRST_HOST; i++) {
		host = FIRST_HOST +
		       ((uint32_t)getpid() + i) % (LAST_HOST - FIRST_HOST + 1);
		config.slot = host;
		ret = uroce_local_open(&config, &local);
	}
	fuzz_assert(!ret);
}

static void hang_up(struct guest *guest)
{
	if (guest->fd >= 0)
		(void)close(guest->fd);
	guest->fd = -1;
	uroce_inbox_close_sender(&guest->out);
}

static void call(struct guest *guest)
{
	if (guest->fd < 0)
		guest->fd = uroce_pairing_call(host, uroce_pairing_now_ms() +
							     PATIENCE);
}

static void say(const struct guest *guest, const void *text, size_t len,
		const int *fds, unsigned int nr)
{
	/* blocking, but what nobody reads is not much */
	if (guest->fd >= 0)
		(void)uroce_rendezvous_send(guest->fd, text, len, fds, nr);
}

static void say_hello(struct fuzz_reader *reader, const struct guest *guest)
{
	uint8_t text[sizeof(right_hello)];
	uint8_t nr = fuzz_take_u8(reader) % 4, at;
	int fds[4];

	memcpy(text, right_hello, hello_len);
	for (uint8_t i = 0; i < nr; i++)
		fds[i] = passable[fuzz_take_u8(reader) % 7];
	while ((at = fuzz_take_u8(reader)))
		text[at % hello_len] ^= fuzz_take_u8(reader);
	say(guest, text, hello_len, fds, nr);
}

/* The inbox that comes with the answer is one that it may write to. */
static void listen_to(struct guest *guest)
{
	struct uroce_verdict_message message;
	int fds[UROCE_MAX_PASSED];
	struct uroce_inbox_sender out;
	int nr;

	if (guest->fd < 0 || recv(guest->fd, &message, sizeof(message),
				  MSG_PEEK | MSG_DONTWAIT) < 0)
		return;
	nr = uroce_rendezvous_receive(guest->fd, &message, sizeof(message),
				      fds);
	if (nr > 0 && !guest->out.memory &&
	    !uroce_inbox_open_sender(fds[0], &out))
		guest->out = out;
	while (nr > 0)
		(void)close(fds[--nr]);
}

/* What is read is where something is; where it may be, the unit tests tell. */
static void put_source_right(struct uroce_inbox_slot *slot)
{
	struct uroce_inbox_source source;
	uint8_t *at = slot->bytes + slot->header_len;

	if (!slot->absent ||
	    slot->header_len + sizeof(source) > sizeof(slot->bytes))
		return;
	memcpy(&source, at, sizeof(source));
	if (source.address)
		source.address = (uintptr_t)guarded.memory;
	memcpy(at, &source, sizeof(source));
}

/* Where it begins is a slot, whose number may be put right. */
static void write_anything(struct fuzz_reader *reader, struct guest *guest)
{
	uint16_t place = fuzz_take_u16(reader);
	uint8_t kind = fuzz_take_u8(reader);
	struct uroce_inbox_memory *inbox = guest->out.memory;
	struct uroce_inbox_slot *slot;
	struct uroce_brief brief = {};
	const uint8_t *bytes;
	size_t len;

	bytes = fuzz_take(reader, sizeof(*slot), &len);
	if (kind & WRITE_OWN)
		inbox = own.memory;
	if (!inbox)
		return;
	if (kind & (WRITE_RAW | WRITE_OWN)) {
		memcpy((uint8_t *)inbox + place % (sizeof(*inbox) - len), bytes,
		       len);
		return;
	}
	slot = &inbox->slots[guest->out.head++ % UROCE_INBOX_SLOTS];
	memcpy(slot, bytes, len);
	memcpy(brief.header, slot->bytes, sizeof(brief.header));
	brief.payload_len = slot->payload_len %=
		flow->is_long ? UROCE_CHANNEL_MTU + 1 : 1200;
	flow_put_right(flow, kind | FLOW_RIGHT_HEADER | FLOW_WITH_ACK, 0,
		       &brief);
	memcpy(slot->bytes, brief.header, sizeof(brief.header));
	slot->header_len = (uint8_t)brief.header_len;
	slot->ack = brief.ack;
	put_source_right(slot);
	__atomic_store_n(&slot->sequence, (uint32_t)guest->out.head,
			 __ATOMIC_RELEASE);
}

/* Ids that are near each other, and near that of ours. */
static uint64_t take_share(struct fuzz_reader *reader)
{
	uint8_t byte = fuzz_take_u8(reader);

	return (byte / 4 + 1) * (uint64_t)UROCE_SHARES + byte % 4;
}

static void say_share(struct fuzz_reader *reader, const struct guest *guest)
{
	uint8_t byte = fuzz_take_u8(reader);
	struct uroce_share_message message = {
		.what = (uint8_t)(UROCE_PAIRING_ASK + byte % 4),
		.share = take_share(reader),
	};
	uint8_t place = byte / 4 % 8;

	say(guest, &message, sizeof(message), &passable[place % 7], place < 7);
}

/* As uroce_copy.c does. */
static void use_share(struct fuzz_reader *reader)
{
	struct uroce_peer *peer =
		list_entry(flow->channel, struct uroce_peer, channel);
	uint64_t share = take_share(reader), offset = fuzz_take_u16(reader);
	uint8_t *memory;

	if (flow->channel->lost || !peer->mappings.table)
		return;
	(void)uroce_mappings_want(&peer->mappings, share);
	memory = uroce_mappings_find(&peer->mappings, share, offset, 8);
	if (memory)
		memset(memory, 1, 8);
}

/* All of it at once; without input nothing. */
static void show_theirs(struct fuzz_reader *reader)
{
	uint8_t how = fuzz_take_u8(reader);
	int8_t distance = (int8_t)fuzz_take_u8(reader);
	uint32_t bytes = fuzz_take_u8(reader) * 16u * 1024;
	const uint32_t dest_qpn = flow->qp->dest_qpn;
	const struct uroce_shown_qp qp = {
		.qpn = dest_qpn,
		.ready = how & READY,
		.dest_qpn = flow->qp->qpn,
		.pd = 1,
		.access = 7,
		.pulls = how & PULLS,
		.token = local->token + !!(how & STRANGE),
	};
	struct uroce_landing landing = { .address = (uintptr_t)guarded.memory };
	struct uroce_shown_region region = {
		.key = flow->key,
		.pd = 1,
		.access = how & REGION ? 7 : 0,
		.base = (uintptr_t)guarded.memory,
		.iova = FUZZ_IOVA,
	};

	bytes %= sizeof(guarded.memory) + 1;
	region.bytes = bytes;
	uroce_tables_show_region(&tables, &region);
	uroce_tables_show_qp(&tables, &qp);
	landing.bytes = how & RECEIVE ? bytes : 0;
	landing.psn = uroce_psn_add(flow->qp->req.new_psn, distance);
	uroce_tables_show_landing(&tables, dest_qpn, UROCE_LANDING_RECEIVE,
				  &landing);
	landing.bytes = how & READ ? bytes : 0;
	landing.psn = uroce_psn_add(flow->qp->resp.epsn, distance);
	uroce_tables_show_landing(&tables, dest_qpn, UROCE_LANDING_READ,
				  &landing);
}

static void check_theirs(void)
{
	static const uint8_t zeros[sizeof(guarded.before)];

	fuzz_assert(!memcmp(guarded.before, zeros, sizeof(zeros)));
	fuzz_assert(!memcmp(guarded.after, zeros, sizeof(zeros)));
}

/* One of ours, to be asked for. */
static void add_share(void)
{
	const struct uroce_span span = { .inode = 1 };

	fuzz_assert(uroce_shares_add(&local->shares, &span, shared_memory(),
				     SHARE_BYTES) == UROCE_SHARES);
}

static void act(struct fuzz_reader *reader)
{
	uint8_t byte = fuzz_take_u8(reader);
	struct guest *guest = &guests[byte / NR_WHATS % NR_GUESTS];
	const uint8_t *text;
	size_t len;

	switch ((enum what)(byte % NR_WHATS)) {
	case CONNECT:
		call(guest);
		break;
	case HELLO:
		say_hello(reader, guest);
		break;
	case SAY:
		text = fuzz_take(reader, fuzz_take_u8(reader) % SEND_BYTES,
				 &len);
		say(guest, text, len, passable, fuzz_take_u8(reader) % 3);
		break;
	case BYTE:
		byte = fuzz_take_u8(reader) % 4;
		say(guest, &byte, 1, NULL, 0);
		break;
	case LISTEN:
		listen_to(guest);
		break;
	case WRITE:
		write_anything(reader, guest);
		break;
	case SHARE:
		say_share(reader, guest);
		break;
	case USE:
		use_share(reader);
		break;
	case SHOW:
		show_theirs(reader);
		break;
	default:
		hang_up(guest);
	}
}

static void send_all(void)
{
	struct uroce_channel *channel = flow->channel;
	struct uroce_brief brief;
	struct uroce_out out;

	while (!channel->lost && uroce_local_has_room(channel) &&
	       uroce_fast_next(flow->qp, now, &brief))
		uroce_local_put_brief(channel, &brief);
	while (!channel->lost && uroce_local_has_room(channel) &&
	       uroce_engine_next(&flow->engine, now, &out))
		uroce_local_put(channel, &out.packet, out.pieces.iov,
				out.pieces.nr);
	if (channel->lost)
		flow_send_all(flow, now);
	else
		flow_settle(flow, now);
	uroce_local_flush(local);
}

/* Returns whether it is a packet. */
static bool receive(struct uroce_channel *channel,
		    const struct uroce_brief *brief)
{
	struct uroce_packet packet;

	if (uroce_fast_receive(&flow->engine, channel, brief, now))
		return true;
	if (uroce_inbox_decode(brief, &packet))
		return false;
	packet.channel = channel;
	uroce_engine_receive(&flow->engine, &packet, now);
	return true;
}

static void receive_all(void)
{
	struct uroce_channel *channel;
	struct uroce_brief brief;

	uroce_local_begin(local);
	while ((channel = uroce_local_take(local, &brief)))
		uroce_local_done(channel, &brief, receive(channel, &brief));
}

/* What the loop does; and the application posts, and polls. */
static void live(void)
{
	struct uroce_channel *channel;

	uroce_local_serve(local);
	flow->engine.may_be_late = now % (2 * STEP_NS);
	receive_all();
	if (flow->engine.late)
		uroce_fast_catch_up(&flow->engine, now);
	while ((channel = uroce_local_take_lost(local)))
		uroce_channel_lose(&flow->engine, channel, now);
	(void)uroce_engine_expire(&flow->engine, now);
	flow_post_receives(flow);
	flow_post_sends(flow);
	send_all();
	while (uroce_ring_front(&flow->cq.ring))
		uroce_ring_take(&flow->cq.ring);
	(void)uroce_local_watch(local, now % (3 * STEP_NS) == 0);
	now += STEP_NS;
}

/* Returns the channel to it. */
static struct uroce_channel *pair_up(struct guest *guest)
{
	const uint8_t dgid[UROCE_GID_LEN] = { 0 }, confirm = 1;
	struct uroce_channel *channel;

	memset(own.memory, 0, sizeof(struct uroce_inbox_status));
	call(guest);
	say(guest, right_hello, hello_len, passable, 2);
	uroce_local_serve(local);
	listen_to(guest);
	fuzz_assert(guest->out.memory);
	say(guest, &confirm, 1, NULL, 0);
	uroce_local_serve(local);
	fuzz_assert(!uroce_local_connect(local, SLOT, dgid, &channel));
	return channel;
}

/* Lowest descriptor that is not in use: more than before are a leak. */
static int lowest_fd(void)
{
	int fd = dup(passable[3]);

	(void)close(fd);
	return fd;
}

void hostile_guests(struct fuzz_reader *reader, bool splits)
{
	struct fuzz_reader nothing = {};
	struct uroce_channel *channel;
	int before;

	make_passable();
	learn_hello();
	before = lowest_fd();
	for (int i = 0; i < NR_GUESTS; i++)
		guests[i] = (struct guest){ .fd = -1 };
	now = 0;
	open_local(splits);
	add_share();
	channel = pair_up(&guests[0]);
	flow = splits ? flow_new_long(channel, fuzz_take_u8(reader), now)
		      : flow_new(channel, now);
	show_theirs(&nothing);
	for (int i = 0; i < MAX_STEPS && reader->len; i++) {
		act(reader);
		live();
		check_theirs();
	}
	show_theirs(&nothing);
	flow_free(flow, now);
	uroce_local_put_channel(local, channel);
	for (int i = 0; i < NR_GUESTS; i++)
		hang_up(&guests[i]);
	uroce_local_serve(local);
	uroce_local_close(local);
	fuzz_assert(lowest_fd() == before);
}
