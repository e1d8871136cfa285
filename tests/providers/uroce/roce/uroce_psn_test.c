/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PSN arithmetic, including wrap-around and limits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"

static void psn_add_stays_in_24_bits(void **state)
{
	assert_int_equal(uroce_psn_add(0xffffff, 1), 0);
	assert_int_equal(uroce_psn_add(0, -1), 0xffffff);
	assert_int_equal(uroce_psn_add(0xfffffe, 0x1000003), 1);
	assert_int_equal(uroce_psn_add(5, 0), 5);
}

static void psn_diff_is_signed_and_wraps(void **state)
{
	static const uint32_t starts[] = { 0, 1, 0x7fffff, 0x800000, 0xffffff };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		uint32_t psn = starts[i];

		for (int32_t n = -0x800000; n < 0x800000; n += 4095)
			assert_int_equal(
				uroce_psn_diff(uroce_psn_add(psn, n), psn), n);
		assert_int_equal(
			uroce_psn_diff(uroce_psn_add(psn, 0x7fffff), psn),
			0x7fffff);
	}
}

static void psn_before_compares_half_range(void **state)
{
	assert_true(uroce_psn_before(0xffffff, 0));
	assert_false(uroce_psn_before(0, 0xffffff));
	assert_false(uroce_psn_before(7, 7));
	assert_true(uroce_psn_before(0, 0x7fffff));
	assert_false(uroce_psn_before(0, 0x800001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(psn_add_stays_in_24_bits),
		cmocka_unit_test(psn_diff_is_signed_and_wraps),
		cmocka_unit_test(psn_before_compares_half_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
