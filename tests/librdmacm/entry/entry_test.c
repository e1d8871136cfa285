/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The choice of the connection manager on a host whose kernel has none: there
 * is a library of the distribution, but the own connection manager is used.
 */
#include <rdma/rdma_cma.h>
#include <rdma/rsocket.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void entry_without_device_node_uses_own_connection_manager(void **state)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_id *id = NULL;

	assert_non_null(channel);
	assert_int_not_equal(channel->fd, 42); /* that of the other library */
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_listen(id, 1), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void entry_without_devices_reports_enodev(void **state)
{
	int nr = -1;

	errno = 0;
	assert_null(rdma_get_devices(&nr));
	assert_int_equal(errno, ENODEV);
	assert_int_equal(nr, -1);
}

static void entry_without_device_node_uses_own_rsockets(void **state)
{
	assert_int_equal(rlisten(40, 2), 42);
	/* The other library has this function. */
	errno = 0;
	assert_int_equal(rfcntl(1, 30, 12L), -1);
	assert_int_equal(errno, ENOSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			entry_without_device_node_uses_own_connection_manager),
		cmocka_unit_test(entry_without_devices_reports_enodev),
		cmocka_unit_test(entry_without_device_node_uses_own_rsockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
