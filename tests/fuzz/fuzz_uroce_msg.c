/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: everything that another process writes into a message ring, for
 * a connected QP with receives and requests (shm/uroce_msg.h).
 *
 * The first byte selects RC (0) or UC. The rest are steps: a byte with the kind
 * of the step, and what the kind needs.
 *
 * ENTRY: which fields are corrected, so that the entry passes the first checks;
 * a distance that is added to the number of the message; type, flags; payload
 * bytes and distance of the acknowledgement, two bytes each; and the number of
 * bytes of the body, and these.
 * POST: the opcode; the length, in units of 64 bytes.
 * TIME: a full pass, so many 50 us later.
 * CLAIM: two bytes are added to the number of entries that the peer has
 * consumed.
 */
#include <unistd.h>

#include "fuzz/fuzz_target.h"
#include "fuzz/uroce_connected.h"
#include "uroce/shm/uroce_msg_state.h"

#define MAX_STEPS 200
#define STEP_NS	  UINT64_C(50000)
#define DEPTH	  16
#define GUARD	  64 /* bytes around the region that nothing writes to */

enum step { ENTRY, POST, POLL, TIME, CLAIM, REMOVE, NR_STEPS };

enum correction {
	RIGHT_QPN = 1 << 0,
	RIGHT_MSN = 1 << 1, /* of the next request */
	RIGHT_UNA = 1 << 2, /* of the oldest request of the QP */
	RIGHT_RANGE = 1 << 3,
	RIGHT_PLACE = 1 << 4,
};

static struct {
	bool open;
	struct uroce_memory memory;
	struct uroce_engine engine;
	uint8_t bytes[FUZZ_MEMORY + 2 * GUARD];
	struct uroce_cq cq;
	struct uroce_rq rq;
	struct uroce_qp *qp;
	struct uroce_transport_base *transport;
	struct uroce_msg_pair pair;
	uint32_t key;
	uint32_t head; /* entries of the peer */
	uint64_t now;
} world;

static struct uroce_qp *fuzz_find_qp(void *arg, uint32_t qpn)
{
	return uroce_engine_find_qp(&world.engine, qpn);
}

static void fuzz_ring_bell(struct uroce_msg_pair *pair)
{
	fuzz_assert(pair == &world.pair);
}

static void open_rings(void)
{
	int fd = uroce_msg_ring_create();

	fuzz_assert(fd >= 0);
	fuzz_assert(!uroce_msg_ring_open_receiver(fd, &world.pair.in));
	(void)close(fd);
	fd = uroce_msg_ring_create();
	fuzz_assert(fd >= 0);
	fuzz_assert(!uroce_msg_ring_open_sender(fd, &world.pair.out));
	(void)close(fd);
}

static void open_world(void)
{
	const struct uroce_engine_config engine = {
		.memory = &world.memory,
		.slot = 1,
	};
	const struct uroce_msg_config config = {
		.core = &world.engine.core,
		.find_qp = fuzz_find_qp,
	};

	world.open = true;
	uroce_memory_init(&world.memory, 1);
	fuzz_assert(!uroce_engine_init(&world.engine, &engine));
	fuzz_assert(!uroce_cq_init(&world.cq, 8 * MAX_STEPS, false));
	fuzz_assert(!uroce_msg_open(&config, &world.transport));
}

static void begin_world(enum ibv_qp_type type)
{
	const struct uroce_region region = {
		.kind = UROCE_REGION_MEMORY,
		.base = world.bytes + GUARD,
		.iova = FUZZ_IOVA,
		.bytes = FUZZ_MEMORY,
		.pd = 1,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
			  IBV_ACCESS_FLUSH_GLOBAL,
	};
	const struct uroce_qp_config qp = {
		.type = type,
		.pd = 1,
		.sig_all = true,
		.max_send_wr = DEPTH,
		.max_send_sge = 1,
		.rq = &world.rq,
		.send_cq = &world.cq,
		.recv_cq = &world.cq,
	};
	const struct uroce_path path = {};

	world.now = 1000;
	world.head = 0;
	memset(world.bytes, 0x5a, sizeof(world.bytes));
	fuzz_assert(!uroce_memory_add(&world.memory, &region, &world.key));
	fuzz_assert(!uroce_rq_init(&world.rq, DEPTH, 2, 1, false));
	fuzz_assert(!uroce_engine_new_qp(&world.engine, &qp, 0, &world.qp));
	uroce_msg_pair_init(&world.pair);
	world.pair.ring_bell = fuzz_ring_bell;
	uroce_msg_pair_add(world.transport, &world.pair);
	open_rings();
	fuzz_assert(!uroce_msg_attach(world.transport, &world.pair, world.qp));
	fuzz_connect(world.qp, NULL, &path, world.now);
	fuzz_post_receives(&world.rq, world.key);
}

static void end_world(void)
{
	for (size_t i = 0; i < GUARD; i++) {
		fuzz_assert(world.bytes[i] == 0x5a);
		fuzz_assert(world.bytes[GUARD + FUZZ_MEMORY + i] == 0x5a);
	}
	uroce_engine_free_qp(&world.engine, world.qp, 0, 0);
	uroce_msg_pair_close(&world.pair);
	uroce_rq_fini(&world.rq);
	(void)uroce_memory_remove(&world.memory, world.key);
	while (uroce_ring_front(&world.cq.ring))
		uroce_ring_take(&world.cq.ring);
}

/* After each pass; faults are applied as a worker does. */
static void after_pass(void)
{
	uroce_core_apply_faults(&world.engine.core, world.now);
	while (uroce_core_take_qp(&world.engine.core))
		world.qp->events = 0;
	while (uroce_ring_front(&world.cq.ring))
		uroce_ring_take(&world.cq.ring);
	fuzz_post_receives(&world.rq, world.key);
}

static void correct(struct uroce_msg_entry *entry, uint8_t which,
		    uint8_t distance)
{
	const struct uroce_msg_range range = {
		.va = FUZZ_IOVA + distance,
		.rkey = world.key,
		.bytes = entry->bytes,
	};
	const uint32_t place = distance;

	if (which & RIGHT_QPN)
		entry->qpn = world.qp->qpn;
	if (which & RIGHT_MSN)
		entry->msn = world.qp->msg->resp.rx_msn;
	if (which & RIGHT_UNA)
		entry->msn = world.qp->msg->req.una_msn;
	entry->msn = (entry->msn + (uint32_t)(int8_t)distance) & 0xffffff;
	entry->ack_msn = (world.qp->msg->req.una_msn + entry->ack_msn) &
			 0xffffff;
	if (which & RIGHT_RANGE)
		memcpy(entry->body, &range, sizeof(range));
	if (which & RIGHT_PLACE)
		memcpy(entry->body + uroce_msg_payload_at(entry->type), &place,
		       sizeof(place));
}

static void write_entry(struct fuzz_reader *reader)
{
	struct uroce_msg_ring_memory *ring = world.pair.in.memory;
	struct uroce_msg_entry *slot =
		&ring->entries[world.head % UROCE_MSG_ENTRIES];
	struct uroce_msg_entry entry = {};
	uint8_t which = fuzz_take_u8(reader);
	uint8_t distance = fuzz_take_u8(reader);
	const uint8_t *body;
	size_t len;

	entry.type = fuzz_take_u8(reader);
	entry.flags = fuzz_take_u8(reader);
	entry.bytes = fuzz_take_u16(reader);
	entry.ack_msn = fuzz_take_u16(reader);
	body = fuzz_take(reader, fuzz_take_u8(reader) % (UROCE_MSG_BODY + 1),
			 &len);
	if (len)
		memcpy(entry.body, body, len);
	correct(&entry, which, distance);
	/* the ring is full: a peer that overwrites entries loses them */
	if (world.head - world.pair.in.tail >= UROCE_MSG_ENTRIES)
		return;
	memcpy(slot, &entry, sizeof(entry));
	__atomic_store_n(&slot->sequence, ++world.head, __ATOMIC_RELEASE);
}

static void post_request(struct fuzz_reader *reader)
{
	struct uroce_send_wqe *wqe = uroce_ring_vacant(&world.qp->sq);
	uint8_t opcode = fuzz_take_u8(reader);
	uint32_t bytes = fuzz_take_u8(reader) * UINT32_C(64);

	if (!wqe)
		return;
	wqe->opcode = opcode % (IBV_WR_ATOMIC_WRITE + 1);
	if (wqe->opcode == IBV_WR_BIND_MW)
		wqe->opcode = IBV_WR_LOCAL_INV;
	wqe->flags = 0;
	wqe->begun = false;
	wqe->status = IBV_WC_SUCCESS;
	wqe->imm = 0;
	wqe->length = opcode & 0x80 ? 8 : bytes;
	wqe->nr_sge = 1;
	wqe->remote.va = FUZZ_IOVA;
	wqe->remote.rkey = world.key;
	wqe->sge[0] = (struct ibv_sge){ FUZZ_IOVA, wqe->length, world.key };
	uroce_ring_put(&world.qp->sq);
	world.transport->ops->post(world.qp);
	after_pass();
}

static void run_step(struct fuzz_reader *reader)
{
	const struct uroce_transport_ops *ops = world.transport->ops;

	switch (fuzz_take_u8(reader) % NR_STEPS) {
	case ENTRY:
		write_entry(reader);
		return;
	case POST:
		post_request(reader);
		return;
	case POLL:
		(void)ops->poll(world.transport);
		break;
	case TIME:
		world.now += STEP_NS * fuzz_take_u8(reader);
		(void)ops->progress(world.transport, world.now, true);
		break;
	case CLAIM:
		world.pair.out.memory->status.consumed += fuzz_take_u16(reader);
		break;
	default: /* REMOVE: the region, in the middle of messages */
		(void)uroce_memory_remove(&world.memory, world.key);
	}
	after_pass();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_reader reader = { data, len };

	if (!world.open)
		open_world();
	begin_world(fuzz_take_u8(&reader) ? IBV_QPT_UC : IBV_QPT_RC);
	for (int i = 0; i < MAX_STEPS && reader.len; i++)
		run_step(&reader);
	(void)world.transport->ops->progress(world.transport, world.now, true);
	after_pass();
	(void)world.transport->ops->deadline(world.transport);
	end_world();
	return 0;
}
