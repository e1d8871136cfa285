/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A wire that loses chosen packets of one side, for filters of a pair. */
#ifndef UROCE_LOSSES_H
#define UROCE_LOSSES_H

#include "uroce_pair.h"

/* Counts how often each PSN was sent. */
struct losses {
	uint32_t first_psn;
	uint32_t lost[8];      /* numbers of the packets */
	unsigned int times[8]; /* that the packet is lost */
	unsigned int nr_lost;
	uint8_t sent[512];
};

/* Counts a packet; decides whether it is lost. */
enum pair_action losses_pass(struct losses *losses,
			     const struct uroce_packet *packet);

/* Of @nr packets, each was sent, and @again were sent again. */
void losses_expect_sent(const struct losses *losses, uint32_t nr,
			uint32_t again);

#endif
