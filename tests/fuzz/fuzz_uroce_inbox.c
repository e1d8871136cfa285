/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: all data that another process of this host may write or send.
 * The first byte is an enum part; the rest is the input of that part.
 *
 * RECEIVER: this process receives from the inbox. The rest are slots without
 * their sequence numbers, one after the other. Each is a packet that lies
 * within the inbox and has the headers of its opcode, or the receiver refuses
 * it and stops.
 *
 * SENDER: this process sends into the inbox. The rest are steps of three bytes:
 * the number of packets to write, each of 32 times that many bytes (the first
 * byte), and the position that the receiver then claims to have read, as a
 * distance from its previous claim (the other two).
 *
 * The other parts are in hostile_flow.c with hostile_split.c, hostile_view.c
 * and hostile_peers.c. In the "scribbled" parts the memory changes while it is
 * read.
 */
#include <errno.h>
#include <unistd.h>

#include "fuzz/hostile.h"
#include "uroce/engine/uroce_channel.h"
#include "uroce/shm/uroce_inbox.h"
#include "uroce/shm/uroce_inbox_layout.h"
#include "uroce/wire/uroce_wire.h"

enum part {
	RECEIVER,
	SENDER,
	FLOW,
	FLOW_SCRIBBLED,
	VIEW,
	VIEW_SCRIBBLED,
	PEERS,
	SPLIT,
	SPLIT_SCRIBBLED,
	SPLIT_PEERS,
	NR_PARTS,
};

static struct uroce_inbox_memory *inbox;

static void make_inbox(void)
{
	struct uroce_inbox_receiver end;
	int fd;

	if (inbox)
		return;
	fd = uroce_inbox_create();
	fuzz_assert(fd >= 0);
	fuzz_assert(uroce_inbox_open_receiver(fd, &end) == 0);
	(void)close(fd);
	inbox = end.memory;
}

static void check(const struct uroce_packet *packet)
{
	const uint8_t *begin = (const uint8_t *)inbox->slots;
	const uint8_t *end = inbox->area + UROCE_INBOX_AREA;
	uint8_t headers[UROCE_MAX_HEADER];
	uint8_t sum = 0;

	fuzz_assert(packet->traits == uroce_wire_traits(packet->opcode));
	fuzz_assert(packet->traits && !packet->seal && !packet->path);
	fuzz_assert(!packet->payload_len || packet->traits & UROCE_T_PAYLOAD);
	fuzz_assert(packet->payload >= begin && packet->payload <= end);
	if (packet->nr_absent) {
		fuzz_assert(packet->opcode < UROCE_UC && packet->payload_len);
		fuzz_assert(packet->payload_len <= UROCE_CHANNEL_PART);
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
	struct uroce_inbox_receiver end = { .memory = inbox };
	struct uroce_packet packet;
	uint32_t number = 0;
	const uint8_t *text;
	size_t len;
	int ret;

	memset(inbox->slots, 0, sizeof(inbox->slots));
	inbox->status.consumed = 0;
	while (reader->len) {
		struct uroce_inbox_slot *slot =
			&inbox->slots[number % UROCE_INBOX_SLOTS];

		fuzz_assert(uroce_inbox_take(&end, &packet) == 0);
		text = fuzz_take(reader, sizeof(*slot) - 4, &len);
		memset(slot, 0, sizeof(*slot));
		memcpy((uint8_t *)slot + 4, text, len);
		slot->sequence = ++number;
		ret = uroce_inbox_take(&end, &packet);
		fuzz_assert(ret == 1 || ret == -EBADMSG);
		if (ret < 0)
			return;
		check(&packet);
		uroce_inbox_done(&end);
		fuzz_assert(number - inbox->status.consumed <
			    UROCE_INBOX_SLOTS);
	}
}

static void put_some(struct uroce_inbox_sender *end, uint8_t nr)
{
	static const uint8_t data[UROCE_CHANNEL_MTU];
	struct uroce_packet packet = {
		.opcode = UROCE_SEND_ONLY,
		.payload_len = (uint32_t)nr * 32,
	};
	struct iovec iov = { (void *)data, packet.payload_len };

	while (nr-- && uroce_inbox_has_room(end))
		uroce_inbox_put(end, &packet, &iov, 1);
}

/* Outstanding packets fit, and no space was freed twice. */
static void check_sender(const struct uroce_inbox_sender *end)
{
	fuzz_assert(end->consumed <= end->head);
	fuzz_assert(end->head - end->consumed <= UROCE_INBOX_SLOTS);
	fuzz_assert(end->area_tail <= end->area_head);
	fuzz_assert(end->area_head - end->area_tail <= UROCE_INBOX_AREA);
}

static void run_sender(struct fuzz_reader *reader)
{
	static struct uroce_inbox_sender end;

	end = (struct uroce_inbox_sender){ .memory = inbox };
	inbox->status.consumed = 0;
	while (reader->len) {
		put_some(&end, fuzz_take_u8(reader));
		check_sender(&end);
		inbox->status.consumed += fuzz_take_u16(reader);
		(void)uroce_inbox_has_room(&end);
		check_sender(&end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_reader reader = { data, len };

	make_inbox();
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
		hostile_view(&reader, false);
		break;
	case VIEW_SCRIBBLED:
		hostile_view(&reader, true);
		break;
	case SPLIT:
		hostile_flow(&reader, false, true);
		break;
	case SPLIT_SCRIBBLED:
		hostile_flow(&reader, true, true);
		break;
	case SPLIT_PEERS:
		hostile_peers(&reader, true);
		break;
	default:
		hostile_peers(&reader, false);
	}
	return 0;
}
