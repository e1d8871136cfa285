/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: all data that another process of this host may write or send.
 * The first byte is an enum part; the rest is the input of that part.
 *
 * RECEIVER: this process receives from the ring. The rest are entries without
 * their sequence numbers, one after the other. Each is a packet that lies
 * within the ring and has the headers of its opcode, or the receiver refuses
 * it and stops.
 *
 * SENDER: this process sends into the ring. The rest are steps of three bytes:
 * the number of packets to write, each of 32 times that many bytes (the first
 * byte), and the position that the receiver then claims to have read, as a
 * distance from its previous claim (the other two).
 *
 * The other parts are in hostile_flow.c with hostile_rndv.c,
 * hostile_directory.c and hostile_peers.c. In the "scribbled" parts the memory
 * changes while it is read.
 */
#include <errno.h>
#include <unistd.h>

#include "fuzz/hostile.h"
#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_shm_ring.h"
#include "uroce/shm/uroce_shm_ring_layout.h"
#include "uroce/wire/uroce_wire.h"

enum part {
	RECEIVER,
	SENDER,
	FLOW,
	FLOW_SCRIBBLED,
	VIEW,
	VIEW_SCRIBBLED,
	PEERS,
	RNDV,
	RNDV_SCRIBBLED,
	RNDV_PEERS,
	NR_PARTS,
};

static struct uroce_shm_ring_memory *ring;

static void make_ring(void)
{
	struct uroce_shm_ring_receiver end;
	int fd;

	if (ring)
		return;
	fd = uroce_shm_ring_create();
	fuzz_assert(fd >= 0);
	fuzz_assert(uroce_shm_ring_open_receiver(fd, &end) == 0);
	(void)close(fd);
	ring = end.memory;
}

static void check(const struct uroce_packet *packet)
{
	const uint8_t *begin = (const uint8_t *)ring->entries;
	const uint8_t *end = ring->area + UROCE_SHM_RING_AREA;
	uint8_t headers[UROCE_MAX_HEADER];
	uint8_t sum = 0;

	fuzz_assert(packet->traits == uroce_wire_traits(packet->opcode));
	fuzz_assert(packet->traits && !packet->icrc_check && !packet->path);
	fuzz_assert(!packet->payload_len || packet->traits & UROCE_T_PAYLOAD);
	fuzz_assert(packet->payload >= begin && packet->payload <= end);
	if (packet->nr_absent) {
		fuzz_assert(packet->opcode < UROCE_UC && packet->payload_len);
		fuzz_assert(packet->payload_len <= UROCE_CHANNEL_CHUNK);
		return;
	}
	fuzz_assert(packet->payload_len <= UROCE_CHANNEL_MTU);
	fuzz_assert(packet->payload_len <= (size_t)(end - packet->payload));
	for (uint32_t i = 0; i < packet->payload_len; i++)
		sum ^= packet->payload[i];
	fuzz_assert(uroce_wire_encode(packet, headers) > 0 || sum);
}

static void run_receiver(struct fuzz_reader *reader)
{
	struct uroce_shm_ring_receiver end = { .memory = ring };
	struct uroce_packet packet;
	uint32_t number = 0;
	const uint8_t *text;
	size_t len;
	int ret;

	memset(ring->entries, 0, sizeof(ring->entries));
	ring->status.consumed = 0;
	while (reader->len) {
		struct uroce_shm_ring_entry *entry =
			&ring->entries[number % UROCE_SHM_RING_ENTRIES];

		fuzz_assert(uroce_shm_ring_take(&end, &packet) == 0);
		text = fuzz_take(reader, sizeof(*entry) - 4, &len);
		memset(entry, 0, sizeof(*entry));
		memcpy((uint8_t *)entry + 4, text, len);
		entry->sequence = ++number;
		ret = uroce_shm_ring_take(&end, &packet);
		fuzz_assert(ret == 1 || ret == -EBADMSG);
		if (ret < 0)
			return;
		check(&packet);
		uroce_shm_ring_done(&end);
		fuzz_assert(number - ring->status.consumed <
			    UROCE_SHM_RING_ENTRIES);
	}
}

static void put_some(struct uroce_shm_ring_sender *end, uint8_t nr)
{
	static const uint8_t data[UROCE_CHANNEL_MTU];
	struct uroce_packet packet = {
		.opcode = UROCE_SEND_ONLY,
		.payload_len = (uint32_t)nr * 32,
	};
	struct iovec iov = { (void *)data, packet.payload_len };

	while (nr-- && uroce_shm_ring_has_room(end))
		uroce_shm_ring_put(end, &packet, &iov, 1);
}

/* Outstanding packets fit, and no space was freed twice. */
static void check_sender(const struct uroce_shm_ring_sender *end)
{
	fuzz_assert(end->consumed <= end->head);
	fuzz_assert(end->head - end->consumed <= UROCE_SHM_RING_ENTRIES);
	fuzz_assert(end->area_tail <= end->area_head);
	fuzz_assert(end->area_head - end->area_tail <= UROCE_SHM_RING_AREA);
}

static void run_sender(struct fuzz_reader *reader)
{
	static struct uroce_shm_ring_sender end;

	end = (struct uroce_shm_ring_sender){ .memory = ring };
	ring->status.consumed = 0;
	while (reader->len) {
		put_some(&end, fuzz_take_u8(reader));
		check_sender(&end);
		ring->status.consumed += fuzz_take_u16(reader);
		(void)uroce_shm_ring_has_room(&end);
		check_sender(&end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_reader reader = { data, len };

	make_ring();
	switch ((enum part)(fuzz_take_u8(&reader) % NR_PARTS)) {
	case RECEIVER:
		run_receiver(&reader);
		break;
	case SENDER:
		run_sender(&reader);
		break;
	case FLOW:
		hostile_flow(&reader, false, false);
		break;
	case FLOW_SCRIBBLED:
		hostile_flow(&reader, true, false);
		break;
	case VIEW:
		hostile_directory(&reader, false);
		break;
	case VIEW_SCRIBBLED:
		hostile_directory(&reader, true);
		break;
	case RNDV:
		hostile_flow(&reader, false, true);
		break;
	case RNDV_SCRIBBLED:
		hostile_flow(&reader, true, true);
		break;
	case RNDV_PEERS:
		hostile_peers(&reader, true);
		break;
	default:
		hostile_peers(&reader, false);
	}
	return 0;
}
