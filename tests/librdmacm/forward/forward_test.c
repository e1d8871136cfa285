/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Forwarding of calls to another librdmacm: the list of paths has one that does
 * not exist, this library itself, and one with some of the functions. And the
 * shared library: a program that loads it finds every name.
 */
#include "librdmacm/forward/rdmacm_fake.h"

#include <rdma/rdma_cma.h>
#include <rdma/rsocket.h>

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void forward_to_present_function_returns_result(void **state)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	char byte = 0;

	assert_non_null(channel);
	assert_int_equal(channel->fd, 42);
	rdma_destroy_event_channel(channel);
	assert_int_equal(channel->fd, -1);
	assert_int_equal(rdma_listen(NULL, 41), 42);
	assert_string_equal(rdma_event_str(RDMA_CM_EVENT_USER),
			    FAKE_EVENT_TEXT);
	assert_int_equal(rdma_get_src_port(NULL), FAKE_PORT);
	assert_int_equal(rfcntl(1, 30, 12L), 42);
	assert_int_equal(riowrite(1, &byte, 40, 2, 0), 42);
}

static void forward_to_present_function_keeps_errno(void **state)
{
	errno = EXDEV;
	(void)rdma_listen(NULL, 1);
	assert_int_equal(errno, EXDEV);
}

static void forward_to_absent_function_fails_with_enosys(void **state)
{
	struct rdma_cm_id *id = NULL;

	errno = 0;
	assert_int_equal(rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP), -1);
	assert_int_equal(errno, ENOSYS);
	errno = 0;
	assert_null(rdma_get_devices(NULL));
	assert_int_equal(errno, ENOSYS);
	errno = 0;
	assert_int_equal(rsocket(AF_INET, SOCK_STREAM, 0), -1);
	assert_int_equal(errno, ENOSYS);
	rdma_free_devices(NULL); /* without a result */
	assert_int_equal(rdma_get_dst_port(NULL), 0);
}

static void library_loaded_has_every_name_of_table(void **state)
{
	void *library = dlopen(RDMACM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	FILE *table = fopen(RDMACM_SYMBOLS, "re");
	unsigned int nr = 0;
	char line[512];

	assert_non_null(library);
	assert_non_null(table);
	while (fgets(line, sizeof(line), table)) {
		char name[64], node[64];

		if (line[0] == '#' ||
		    sscanf(line, "%63s %63s", name, node) != 2 ||
		    strncmp(node, "RDMACM_", 7) != 0)
			continue;
		nr++;
		if (!dlvsym(library, name, node) ||
		    dlsym(library, name) != dlvsym(library, name, node))
			fail_msg("%s@@%s", name, node);
	}
	assert_int_equal(nr, 74);
	(void)fclose(table);
	(void)dlclose(library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forward_to_present_function_returns_result),
		cmocka_unit_test(forward_to_present_function_keeps_errno),
		cmocka_unit_test(forward_to_absent_function_fails_with_enosys),
		cmocka_unit_test(library_loaded_has_every_name_of_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
