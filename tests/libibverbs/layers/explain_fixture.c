/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See explain_fixture.h. */
#include "libibverbs/layers/explain_fixture.h"

#include "providers/uroce/program/verbs_fixture.h"

/* A correct setup has no message. */
int explain_setup(void **state)
{
	explain_capture_start();
	if (fixture_setup(state) != 0)
		return -1;
	assert_silent();
	return 0;
}

int explain_teardown(void **state)
{
	return fixture_teardown(state);
}
