/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls where the only librdmacm in the list of paths is this library itself,
 * which must not call itself: the own connection manager and its rsockets get
 * them, and functions that these lack report ENOSYS.
 */
#include <rdma/rdma_cma.h>
#include <rdma/rsocket.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void forward_without_library_uses_own_connection_manager(void **state)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_id *id = NULL;

	assert_non_null(channel);
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	assert_ptr_equal(id->channel, channel);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
	assert_string_equal(rdma_event_str(RDMA_CM_EVENT_USER),
			    "UNKNOWN EVENT");
}

static void forward_without_library_fails_with_enosys(void **state)
{
	char byte = 0;

	errno = 0;
	assert_int_equal(rlisten(40, 2), 42);
	assert_int_equal(rfcntl(0, 0, 0L), -1);
	assert_int_equal(errno, ENOSYS);
	errno = 0;
	assert_true(riowrite(0, &byte, 1, 0, 0) == (size_t)-1);
	assert_int_equal(errno, ENOSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			forward_without_library_uses_own_connection_manager),
		cmocka_unit_test(forward_without_library_fails_with_enosys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
