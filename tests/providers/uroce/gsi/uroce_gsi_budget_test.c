/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of uroce_gsi_budget.c: bursts and floods of MADs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uroce/gsi/uroce_gsi_budget.h"

#define START_NS UINT64_C(1000000000000)
#define PAUSE_NS UINT64_C(5000000)
#define TURN	 32 /* MADs of a call */

static struct uroce_gsi_budget budget;

/* Spends MADs at one time. Return: those before the burst was used up. */
static uint32_t spend_until_used_up(uint64_t now_ns)
{
	uint32_t nr = 0;

	while (!uroce_gsi_budget_is_spent(&budget, now_ns)) {
		uroce_gsi_budget_spend(&budget, 1, now_ns);
		nr++;
	}
	return nr;
}

static void budget_burst_is_permitted_at_once(void **state)
{
	assert_int_equal(spend_until_used_up(START_NS), UROCE_GSI_BURST);
}

static void budget_used_up_permits_turn_after_pause(void **state)
{
	(void)spend_until_used_up(START_NS);
	assert_int_equal(spend_until_used_up(START_NS + PAUSE_NS), TURN);
}

static void budget_idle_time_restores_burst(void **state)
{
	uint64_t idle_ns = UROCE_GSI_BURST * UROCE_GSI_NS_PER_MAD;

	(void)spend_until_used_up(START_NS);
	assert_int_equal(spend_until_used_up(START_NS + idle_ns / 2),
			 UROCE_GSI_BURST / 2);
	assert_int_equal(spend_until_used_up(START_NS + 10 * idle_ns),
			 UROCE_GSI_BURST);
}

/* The excess of a turn is repaid by pauses, in which no MAD is handled. */
static void budget_excess_needs_more_pauses(void **state)
{
	uint64_t now_ns = START_NS;
	int nr_pauses = 0;

	(void)spend_until_used_up(now_ns);
	uroce_gsi_budget_spend(&budget, 4 * TURN - 1, now_ns);
	do {
		now_ns += PAUSE_NS;
		nr_pauses++;
	} while (uroce_gsi_budget_is_spent(&budget, now_ns));
	assert_int_equal(nr_pauses, 4);
}

/* However long more than the rate was spent, the excess is limited. */
static void budget_after_long_flood_has_limited_excess(void **state)
{
	uint64_t now_ns = START_NS;

	(void)spend_until_used_up(now_ns);
	for (int i = 0; i < 100000; i++) {
		now_ns += PAUSE_NS;
		uroce_gsi_budget_spend(&budget, 2 * TURN, now_ns);
		assert_true(uroce_gsi_budget_is_spent(&budget, now_ns));
	}
	now_ns += (UROCE_GSI_MAX_EXCESS + 1) * UROCE_GSI_NS_PER_MAD;
	assert_false(uroce_gsi_budget_is_spent(&budget, now_ns));
}

static int setup(void **state)
{
	budget = (struct uroce_gsi_budget){};
	return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(budget_burst_is_permitted_at_once),
		TEST(budget_used_up_permits_turn_after_pause),
		TEST(budget_idle_time_restores_burst),
		TEST(budget_excess_needs_more_pauses),
		TEST(budget_after_long_flood_has_limited_excess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
