/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce_hostile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static enum pair_action record_response(struct pair *pair, unsigned int from,
					const struct uroce_packet *packet)
{
	struct seen *seen = pair->filter_data;

	if (from == 1) {
		seen->nr++;
		seen->last = *packet;
	}
	return PAIR_PASS;
}

struct pair *hostile_pair_new(struct pair_options o, struct seen *seen)
{
	struct pair *pair = pair_new(&o);

	*seen = (struct seen){};
	pair->filter = record_response;
	pair->filter_data = seen;
	return pair;
}

struct uroce_packet next_packet(const struct pair *pair, uint8_t opcode)
{
	return (struct uroce_packet){
		.path = &pair->side[0].path,
		.opcode = opcode,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = pair->side[1].qp->qpn,
		.psn = pair->side[1].qp->roce->resp.epsn,
		.ack_req = true,
		.va = PAIR_IOVA + TARGET,
		.rkey = pair->side[1].key,
		.qkey = 0x1ee7,
		.src_qpn = pair->side[0].qp->qpn,
	};
}

void inject_packet(struct pair *pair, struct uroce_packet packet,
		   uint32_t payload_len)
{
	static const uint8_t payload[UROCE_MAX_MTU] = { 0xbd, 0xbd, 0xbd };

	packet.payload_len = payload_len;
	pair_inject(pair, 0, &packet, payload);
	(void)pair_step(pair);
}

void hostile_post_recv(struct pair *pair)
{
	struct ibv_sge sge = pair_sge(pair, 1, 0, 10000);

	pair_post_recv(pair, 1, 1, &sge, 1);
}

void check_memory_unchanged(const struct pair *pair)
{
	for (uint32_t i = 0; i < PAIR_MEMORY; i++)
		if (pair->side[1].memory[i])
			fail_msg("memory at %u was written to", i);
}

enum pair_action drop_responses(struct pair *pair, unsigned int from,
				const struct uroce_packet *packet)
{
	return from == 0 ? PAIR_DROP : PAIR_PASS;
}
