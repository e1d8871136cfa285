/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Forwarding of calls where the only librdmacm in the list of paths is this
 * library itself: it must not call itself, and every function reports ENOSYS.
 */
#include <rdma/rdma_cma.h>
#include <rdma/rsocket.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void forward_without_library_fails_with_enosys(void **state)
{
	char byte = 0;

	errno = 0;
	assert_null(rdma_create_event_channel());
	assert_int_equal(errno, ENOSYS);
	errno = 0;
	assert_int_equal(rdma_listen(NULL, 1), -1);
	assert_int_equal(errno, ENOSYS);
	errno = 0;
	assert_int_equal(rfcntl(0, 0, 0L), -1);
	assert_int_equal(errno, ENOSYS);
	errno = 0;
	assert_true(riowrite(0, &byte, 1, 0, 0) == (size_t)-1);
	assert_int_equal(errno, ENOSYS);
	assert_string_equal(rdma_event_str(RDMA_CM_EVENT_USER),
			    "UNKNOWN EVENT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forward_without_library_fails_with_enosys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
