/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce_losses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"

enum pair_action losses_pass(struct losses *losses,
			     const struct uroce_packet *packet)
{
	uint32_t number =
		(uint32_t)uroce_psn_diff(packet->psn, losses->first_psn);

	assert_true(number < sizeof(losses->sent));
	losses->sent[number]++;
	for (unsigned int i = 0; i < losses->nr_lost; i++) {
		if (losses->lost[i] != number || !losses->times[i])
			continue;
		losses->times[i]--;
		return PAIR_DROP;
	}
	return PAIR_PASS;
}

void losses_expect_sent(const struct losses *losses, uint32_t nr,
			uint32_t again)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < nr; i++) {
		assert_true(losses->sent[i]);
		total += losses->sent[i];
	}
	assert_int_equal(total, nr + again);
}
