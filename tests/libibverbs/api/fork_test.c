/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_fork_init(3), ibv_is_fork_initialized(3), and what providers of existing
 * releases call: libibverbs/api/fork.c, on the real fork guard. Each test has a
 * process of its own.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libibverbs/core/own_process.h"
#include "support/fake_copy_on_fork.h"

#define SOME_ERRNO EXDEV

/* Exported, but in no header that applications see. */
int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

static char *one_page(void)
{
	char *memory = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	errno = SOME_ERRNO;
	return memory;
}

static void it_is_switched_on(void **state)
{
	char *memory = one_page();

	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_DISABLED);
	assert_int_equal(ibv_fork_init(), 0);
	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_ENABLED);
	assert_int_equal(ibv_dontfork_range(memory, 1), 0);
	assert_int_equal(ibv_dofork_range(memory, 1), 0);
	assert_int_equal(errno, SOME_ERRNO);
}

static void it_is_not_needed(void **state)
{
	fake_copy_on_fork.answer = true;
	errno = SOME_ERRNO;
	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_UNNEEDED);
	assert_int_equal(ibv_fork_init(), 0);
	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_UNNEEDED);
	assert_int_equal(errno, SOME_ERRNO);
}

static void it_can_be_too_late(void **state)
{
	assert_int_equal(ibv_dontfork_range(one_page(), 1), 0);
	assert_int_equal(ibv_fork_init(), EINVAL);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_is_fork_initialized(), IBV_FORK_DISABLED);
}

static void failures_have_an_errno(void **state)
{
	char *memory = one_page();

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
		cmocka_unit_test(it_is_switched_on),
		cmocka_unit_test(it_is_not_needed),
		cmocka_unit_test(it_can_be_too_late),
		cmocka_unit_test(failures_have_an_errno),
	};

	return own_process_run_group_tests(tests);
}
