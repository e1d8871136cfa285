/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_fork_init(3), ibv_is_fork_initialized(3), and the range functions that
 * provider modules of existing releases call: libibverbs/api/fork.c. The fork
 * guard is the real one. Each test runs in a separate process.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libibverbs/core/own_process.h"
#include "support/fake_copy_on_fork.h"

#define SOME_ERRNO EXDEV

/* Exported, but not declared in an installed header. */
int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

static char *map_page(void)
{
	char *memory = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	errno = SOME_ERRNO;
	return memory;
}

static void fork_init_enables_fork_support(void **state)
{
	char *memory = map_page();

	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_DISABLED);
	assert_int_equal(ibv_fork_init(), 0);
	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_ENABLED);
	assert_int_equal(ibv_dontfork_range(memory, 1), 0);
	assert_int_equal(ibv_dofork_range(memory, 1), 0);
	assert_int_equal(errno, SOME_ERRNO);
}

static void fork_init_with_copy_on_fork_is_unneeded(void **state)
{
	fake_copy_on_fork.result = true;
	errno = SOME_ERRNO;
	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_UNNEEDED);
	assert_int_equal(ibv_fork_init(), 0);
	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_UNNEEDED);
	assert_int_equal(errno, SOME_ERRNO);
}

static void fork_init_after_registration_is_einval(void **state)
{
	assert_int_equal(ibv_dontfork_range(map_page(), 1), 0);
	assert_int_equal(ibv_fork_init(), EINVAL);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_DISABLED);
}

static void fork_range_failure_sets_errno(void **state)
{
	char *memory = map_page();

	assert_int_equal(ibv_fork_init(), 0);
	assert_int_equal(munmap(memory, (size_t)sysconf(_SC_PAGESIZE)), 0);
	assert_int_equal(ibv_dontfork_range(memory, 1), -1);
	assert_int_equal(errno, ENOMEM);
	errno = 0;
	assert_int_equal(ibv_dofork_range(memory, SIZE_MAX), -1);
	assert_int_equal(errno, EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_init_enables_fork_support),
		cmocka_unit_test(fork_init_with_copy_on_fork_is_unneeded),
		cmocka_unit_test(fork_init_after_registration_is_einval),
		cmocka_unit_test(fork_range_failure_sets_errno),
	};

	return own_process_run_group_tests(tests);
}
