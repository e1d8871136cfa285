/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that connect to this one. The first handshake is correct, so that
 * there is a connection; then the first process and others send and write the
 * bytes of the input, which this process handles as the progress loop does. A
 * step of the input is a byte with the action and the peer, and the parameters
 * of the action.
 *
 * The memory of the peers is that of this process: they publish one region of
 * it, and bytes around that must not change.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/hostile.h"
#include "fuzz/uroce_flow.h"
#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/roce/uroce_fast.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/shm/uroce_memfd.h"
#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_directory.h"
#include "uroce/shm/uroce_shm_ring_layout.h"
#include "uroce/shm/uroce_shm_state.h"

#define NR_PEERS   4
#define MAX_STEPS  60
#define STEP_NS	   200000
#define TIMEOUT_MS 1000 /* ms; the target never waits */
/* slot numbers that real processes do not reach */
#define FIRST_HOST  128
#define LAST_HOST   191
#define FIRST_PEER  192
#define LAST_PEER   255
#define SEND_BYTES  64
#define SHARE_BYTES 8192

/* Besides FLOW_RIGHT_*: the data is not a valid entry. */
#define WRITE_RAW 0x80
#define WRITE_OWN 0x40

enum what {
	CONNECT,
	HELLO,	     /* difference from a correct hello, and descriptors */
	RAW_MESSAGE, /* send bytes */
	BYTE, /* send one message: a confirmation, a bell, or something else */
	LISTEN,
	WRITE, /* write to either ring: place, kind, bytes */
	SHARE, /* memory shares: message, share, descriptor */
	USE,   /* map a share of the first peer, and write to it */
	SHOW,  /* the directory and sink of the first peer */
	DISCONNECT,
	NR_WHATS,
};

/* Flags of SHOW. */
#define READY	 0x01
#define PULLS	 0x02
#define RECEIVE	 0x04
#define READ	 0x08
#define REGION	 0x10
#define OTHER_QP 0x40 /* the QP of another process */

struct peer {
	int fd; /* -1: none */
	struct uroce_shm_ring_sender out;
};

/* Descriptors that a peer may pass; the first two are valid. */
static int passable[7] = { -1, -1, -1, -1, -1, -1, -1 };
static struct uroce_shm_directory directory;
static struct uroce_shm_ring_receiver
	own; /* the valid ring, as the peer reads it */
static struct {
	uint8_t before[64];
	uint8_t memory[FLOW_LONG_MEMORY];
	uint8_t after[64];
} guarded;
static uint8_t right_hello[SEND_BYTES * 2];
static size_t hello_len;

static struct peer peers[NR_PEERS];
static struct uroce_shm *shm;
static struct uroce_shares shares;
static struct flow *flow;
static uint32_t host;
static uint32_t peer_slot;     /* that the recorded hello claims */
static int peer_listener = -1; /* proves the claim */
static uint64_t now;

/* Makes a memfd that can still shrink. */
static int unsealed_memfd(void)
{
	return uroce_memfd_create(sizeof(struct uroce_shm_ring_memory));
}

/* Makes a memfd that is valid as a share. */
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
	uroce_shm_directory_init(&directory);
	fuzz_assert(!uroce_shm_directory_open(&directory, 1));
	passable[0] = uroce_shm_ring_create();
	fuzz_assert(!uroce_shm_ring_open_receiver(passable[0], &own));
	passable[1] = directory.fd;
	passable[2] = unsealed_memfd();
	passable[3] = open("/dev/null", O_RDWR | O_CLOEXEC);
	passable[4] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	passable[5] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	passable[6] = shared_memory();
}

/* The target's connections end at once, in a process with other descriptors. */
static void run_peer_listener(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		(void)close(accept4(peer_listener, NULL, NULL, SOCK_CLOEXEC));
	_exit(0);
}

/* Several of these programs may run at a time. */
static void open_peer_listener(void)
{
	pid_t parent = getpid(), child;

	for (uint32_t i = 0; peer_listener < 0; i++) {
		fuzz_assert(i <= LAST_PEER - FIRST_PEER);
		peer_slot = FIRST_PEER + ((uint32_t)getpid() + i) %
						 (LAST_PEER - FIRST_PEER + 1);
		peer_listener = uroce_pairing_bind(peer_slot);
	}
	fuzz_assert(!fcntl(peer_listener, F_SETFL, 0));
	child = fork();
	fuzz_assert(child >= 0);
	if (!child)
		run_peer_listener(parent);
}

/* Records the library's own hello; no process responds. */
static void record_hello(void)
{
	const struct uroce_passed none = { .ring = passable[0],
					   .directory = -1 };
	const uint8_t dgid[UROCE_GID_LEN] = { 0 };
	struct uroce_passed theirs;
	enum uroce_pairing_result result;
	uint64_t token;
	ssize_t len;
	int fds[2];

	if (hello_len)
		return;
	open_peer_listener();
	fuzz_assert(
		!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds));
	fuzz_assert(uroce_pairing_request(fds[0], peer_slot, 1, dgid, &none, 0,
					  &result, &token,
					  &theirs) == -ETIMEDOUT);
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
static void open_shm(bool rndv)
{
	struct uroce_shm_config config = {
		.patience_ms = TIMEOUT_MS,
		.cma_kinds = ~0u,
		.rndv = rndv ? UROCE_SHM_RNDV_ALWAYS : UROCE_SHM_RNDV_TRY,
		.shares = &shares,
		.is_ours = is_ours,
	};
	int ret = -EADDRINUSE;

	uroce_shares_init(&shares);
	for (uint32_t i = 0; ret && i <= LAST_HOST - FIRST_HOST; i++) {
		host = FIRST_HOST +
		       ((uint32_t)getpid() + i) % (LAST_HOST - FIRST_HOST + 1);
		config.slot = host;
		ret = uroce_shm_open(&config, &shm);
	}
	fuzz_assert(!ret);
}

static void disconnect(struct peer *peer)
{
	if (peer->fd >= 0)
		(void)close(peer->fd);
	peer->fd = -1;
	uroce_shm_ring_close_sender(&peer->out);
}

static void connect_peer(struct peer *peer)
{
	if (peer->fd < 0)
		peer->fd = uroce_pairing_connect(host, uroce_pairing_now_ms() +
							       TIMEOUT_MS);
}

static void send_text(const struct peer *peer, const void *text, size_t len,
		      const int *fds, unsigned int nr)
{
	/* blocking, but the unread data is small */
	if (peer->fd >= 0)
		(void)uroce_message_send(peer->fd, text, len, fds, nr);
}

static void send_hello(struct fuzz_reader *reader, const struct peer *peer)
{
	uint8_t text[sizeof(right_hello)];
	uint8_t nr = fuzz_take_u8(reader) % 4, at;
	int fds[4];

	memcpy(text, right_hello, hello_len);
	for (uint8_t i = 0; i < nr; i++)
		fds[i] = passable[fuzz_take_u8(reader) % 7];
	while ((at = fuzz_take_u8(reader)))
		text[at % hello_len] ^= fuzz_take_u8(reader);
	send_text(peer, text, hello_len, fds, nr);
}

/* The ring in the response is one that the peer may write to. */
static void receive_hello(struct peer *peer)
{
	struct uroce_pairing_result_message message;
	int fds[UROCE_MAX_PASSED];
	struct uroce_shm_ring_sender out;
	int nr;

	if (peer->fd < 0 || recv(peer->fd, &message, sizeof(message),
				 MSG_PEEK | MSG_DONTWAIT) < 0)
		return;
	nr = uroce_message_receive(peer->fd, &message, sizeof(message), fds);
	if (nr > 0 && !peer->out.memory &&
	    !uroce_shm_ring_open_sender(fds[0], &out))
		peer->out = out;
	while (nr > 0)
		(void)close(fds[--nr]);
}

/* The source is valid memory; unit tests check invalid sources. */
static void correct_source(struct uroce_shm_ring_entry *entry)
{
	struct uroce_shm_ring_source source;
	uint8_t *at = entry->bytes + entry->header_len;

	if (!entry->absent ||
	    entry->header_len + sizeof(source) > sizeof(entry->bytes))
		return;
	memcpy(&source, at, sizeof(source));
	if (source.address)
		source.address = (uintptr_t)guarded.memory;
	memcpy(at, &source, sizeof(source));
}

/* The bytes start with an entry, whose number may be corrected. */
static void write_bytes(struct fuzz_reader *reader, struct peer *peer)
{
	uint16_t place = fuzz_take_u16(reader);
	uint8_t kind = fuzz_take_u8(reader);
	struct uroce_shm_ring_memory *ring = peer->out.memory;
	struct uroce_shm_ring_entry *entry;
	struct uroce_eager_entry eager = {};
	const uint8_t *bytes;
	size_t len;

	bytes = fuzz_take(reader, sizeof(*entry), &len);
	if (kind & WRITE_OWN)
		ring = own.memory;
	if (!ring)
		return;
	if (kind & (WRITE_RAW | WRITE_OWN)) {
		memcpy((uint8_t *)ring + place % (sizeof(*ring) - len), bytes,
		       len);
		return;
	}
	entry = &ring->entries[peer->out.head++ % UROCE_SHM_RING_ENTRIES];
	memcpy(entry, bytes, len);
	memcpy(eager.header, entry->bytes, sizeof(eager.header));
	eager.payload_len = entry->payload_len %=
		flow->is_long ? UROCE_CHANNEL_MTU + 1 : 1200;
	flow_correct_headers(flow, kind | FLOW_RIGHT_HEADER | FLOW_WITH_ACK, 0,
			     &eager);
	memcpy(entry->bytes, eager.header, sizeof(eager.header));
	entry->header_len = (uint8_t)eager.header_len;
	entry->ack = eager.ack;
	correct_source(entry);
	__atomic_store_n(&entry->sequence, (uint32_t)peer->out.head,
			 __ATOMIC_RELEASE);
}

/* Share ids that are close to each other, and to the valid id. */
static uint64_t take_share(struct fuzz_reader *reader)
{
	uint8_t byte = fuzz_take_u8(reader);

	return (byte / 4 + 1) * (uint64_t)UROCE_SHARES + byte % 4;
}

static void send_share(struct fuzz_reader *reader, const struct peer *peer)
{
	uint8_t byte = fuzz_take_u8(reader);
	struct uroce_share_message message = {
		.what = (uint8_t)(UROCE_PAIRING_FILE_REQUEST + byte % 4),
		.share = take_share(reader),
	};
	uint8_t place = byte / 4 % 8;

	send_text(peer, &message, sizeof(message), &passable[place % 7],
		  place < 7);
}

/* Uses a share as uroce_shm_direct.c does. */
static void use_share(struct fuzz_reader *reader)
{
	struct uroce_peer *peer =
		list_entry(flow->channel, struct uroce_peer, channel);
	uint64_t share = take_share(reader), offset = fuzz_take_u16(reader);
	uint8_t *memory;

	if (flow->channel->failed || !peer->mappings.table)
		return;
	(void)uroce_mappings_want(&peer->mappings, share);
	memory = uroce_mappings_find(&peer->mappings, share, offset, 8);
	if (memory)
		memset(memory, 1, 8);
}

/* Publishes the whole directory at once; without input nothing. */
static void publish_theirs(struct fuzz_reader *reader)
{
	uint8_t how = fuzz_take_u8(reader);
	int8_t distance = (int8_t)fuzz_take_u8(reader);
	uint32_t bytes = fuzz_take_u8(reader) * 16u * 1024;
	const uint32_t dest_qpn = flow->qp->dest_qpn;
	const struct uroce_published_qp qp = {
		.qpn = dest_qpn,
		.ready = how & READY,
		.dest_qpn = flow->qp->qpn,
		.pd = 1,
		.access = 7,
		.pulls = how & PULLS,
		.token = shm->token + !!(how & OTHER_QP),
	};
	struct uroce_sink sink = { .address = (uintptr_t)guarded.memory };
	struct uroce_published_region region = {
		.key = flow->key,
		.pd = 1,
		.access = how & REGION ? 7 : 0,
		.base = (uintptr_t)guarded.memory,
		.iova = FUZZ_IOVA,
	};

	bytes %= sizeof(guarded.memory) + 1;
	region.bytes = bytes;
	uroce_shm_directory_publish_region(&directory, &region);
	uroce_shm_directory_publish_qp(&directory, &qp);
	sink.bytes = how & RECEIVE ? bytes : 0;
	sink.psn = uroce_psn_add(flow->qp->roce->req.new_psn, distance);
	uroce_shm_directory_publish_sink(&directory, dest_qpn,
					 UROCE_SINK_RECEIVE, &sink);
	sink.bytes = how & READ ? bytes : 0;
	sink.psn = uroce_psn_add(flow->qp->roce->resp.epsn, distance);
	uroce_shm_directory_publish_sink(&directory, dest_qpn, UROCE_SINK_READ,
					 &sink);
}

static void check_theirs(void)
{
	static const uint8_t zeros[sizeof(guarded.before)];

	fuzz_assert(!memcmp(guarded.before, zeros, sizeof(zeros)));
	fuzz_assert(!memcmp(guarded.after, zeros, sizeof(zeros)));
}

/* Publishes a share of this process for requests. */
static void add_share(void)
{
	const struct uroce_span span = { .inode = 1 };

	fuzz_assert(uroce_shares_add(&shares, &span, shared_memory(),
				     SHARE_BYTES) == UROCE_SHARES);
}

static void run_action(struct fuzz_reader *reader)
{
	uint8_t byte = fuzz_take_u8(reader);
	struct peer *peer = &peers[byte / NR_WHATS % NR_PEERS];
	const uint8_t *text;
	size_t len;

	switch ((enum what)(byte % NR_WHATS)) {
	case CONNECT:
		connect_peer(peer);
		break;
	case HELLO:
		send_hello(reader, peer);
		break;
	case RAW_MESSAGE:
		text = fuzz_take(reader, fuzz_take_u8(reader) % SEND_BYTES,
				 &len);
		send_text(peer, text, len, passable, fuzz_take_u8(reader) % 3);
		break;
	case BYTE:
		byte = fuzz_take_u8(reader) % 4;
		send_text(peer, &byte, 1, NULL, 0);
		break;
	case LISTEN:
		receive_hello(peer);
		break;
	case WRITE:
		write_bytes(reader, peer);
		break;
	case SHARE:
		send_share(reader, peer);
		break;
	case USE:
		use_share(reader);
		break;
	case SHOW:
		publish_theirs(reader);
		break;
	default:
		disconnect(peer);
	}
}

static void send_all(void)
{
	struct uroce_channel *channel = flow->channel;
	struct uroce_eager_entry eager;
	struct uroce_out out;

	while (!channel->failed && uroce_shm_has_room(channel) &&
	       uroce_fast_next(flow->qp, now, &eager))
		uroce_shm_put_eager(channel, &eager);
	while (!channel->failed && uroce_shm_has_room(channel) &&
	       uroce_engine_next(&flow->engine, now, &out))
		uroce_shm_put(channel, &out.packet, out.iovecs.iov,
			      out.iovecs.nr);
	if (channel->failed)
		flow_send_all(flow, now);
	else
		flow_quiesce(flow, now);
	uroce_shm_flush(shm);
}

/* Return: whether the entry is a packet. */
static bool receive(struct uroce_channel *channel,
		    const struct uroce_eager_entry *eager)
{
	struct uroce_packet packet;

	if (uroce_fast_receive(&flow->engine, channel, eager, now))
		return true;
	if (uroce_shm_ring_decode(eager, &packet))
		return false;
	packet.channel = channel;
	uroce_engine_receive(&flow->engine, &packet, now);
	return true;
}

static void receive_all(void)
{
	struct uroce_channel *channel;
	struct uroce_eager_entry eager;

	uroce_shm_begin(shm);
	while ((channel = uroce_shm_take(shm, &eager)))
		uroce_shm_done(channel, &eager, receive(channel, &eager));
}

/* One iteration of the progress loop, with posting and polling. */
static void run_loop_once(void)
{
	struct uroce_channel *channel;

	uroce_shm_serve(shm);
	flow->engine.may_postpone_ack = now % (2 * STEP_NS);
	receive_all();
	uroce_fast_catch_up(&flow->engine, now);
	while ((channel = uroce_shm_take_failed(shm)))
		uroce_channel_fail(&flow->engine, channel);
	(void)uroce_engine_expire(&flow->engine, now);
	flow_post_receives(flow);
	flow_post_sends(flow);
	send_all();
	while (uroce_ring_front(&flow->cq.ring))
		uroce_ring_take(&flow->cq.ring);
	(void)uroce_shm_watch(shm, now % (3 * STEP_NS) == 0);
	now += STEP_NS;
}

/* Return: the channel to the peer. */
static struct uroce_channel *pair_up(struct peer *peer)
{
	const uint8_t dgid[UROCE_GID_LEN] = { 0 }, confirm = 1;
	struct uroce_channel *channel;

	memset(own.memory, 0, sizeof(struct uroce_shm_ring_status));
	connect_peer(peer);
	send_text(peer, right_hello, hello_len, passable, 2);
	uroce_shm_serve(shm);
	receive_hello(peer);
	fuzz_assert(peer->out.memory);
	send_text(peer, &confirm, 1, NULL, 0);
	uroce_shm_serve(shm);
	fuzz_assert(!uroce_shm_connect(shm, peer_slot, dgid, &channel));
	return channel;
}

/* Return: the lowest unused descriptor; a higher one than before is a leak. */
static int lowest_fd(void)
{
	int fd = dup(passable[3]);

	(void)close(fd);
	return fd;
}

void hostile_peers(struct fuzz_reader *reader, bool rndv)
{
	struct fuzz_reader nothing = {};
	struct uroce_channel *channel;
	int before;

	make_passable();
	record_hello();
	before = lowest_fd();
	for (int i = 0; i < NR_PEERS; i++)
		peers[i] = (struct peer){ .fd = -1 };
	now = 0;
	open_shm(rndv);
	add_share();
	channel = pair_up(&peers[0]);
	flow = rndv ? flow_new_long(channel, fuzz_take_u8(reader), now)
		    : flow_new(channel, now);
	publish_theirs(&nothing);
	for (int i = 0; i < MAX_STEPS && reader->len; i++) {
		run_action(reader);
		run_loop_once();
		check_theirs();
	}
	publish_theirs(&nothing);
	flow_free(flow, now);
	uroce_shm_put_channel(shm, channel);
	for (int i = 0; i < NR_PEERS; i++)
		disconnect(&peers[i]);
	uroce_shm_serve(shm);
	uroce_shm_close(shm);
	uroce_shares_fini(&shares);
	fuzz_assert(lowest_fd() == before);
}
