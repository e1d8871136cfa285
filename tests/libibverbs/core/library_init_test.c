/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/library_init.c. Each test runs in its own process.
 * Linked with WRAP geteuid verbs_warn verbs_log_init verbs_fork_init
 * verbs_op_table_prepare.
 */
#include "core/library_init.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel/kernel_state.h"
#include "libibverbs/core/own_process.h"

static uid_t euid;
static unsigned int nr_warnings;
static atomic_uint nr_log_inits;
static unsigned int nr_fork_inits;
static unsigned int nr_prepared;
static int fork_init_ret;

uid_t __wrap_geteuid(void);
void __wrap_verbs_warn(const char *fmt, ...);
void __wrap_verbs_log_init(void);
int __wrap_verbs_fork_init(void);
void __wrap_verbs_op_table_prepare(void);

uid_t __wrap_geteuid(void)
{
	return euid;
}

void __wrap_verbs_warn(const char *fmt, ...)
{
	nr_warnings++;
}

void __wrap_verbs_log_init(void)
{
	(void)atomic_fetch_add(&nr_log_inits, 1);
}

int __wrap_verbs_fork_init(void)
{
	nr_fork_inits++;
	return fork_init_ret;
}

void __wrap_verbs_op_table_prepare(void)
{
	nr_prepared++;
}

/* Sets the limit of lockable memory, or skips the test. */
static void limit_memlock(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	if (limit.rlim_max < bytes)
		skip();
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

static void library_init_setup(const char *name, const char *value)
{
	(void)unsetenv("RDMAV_ALLOW_DISASSOC_DESTROY");
	(void)unsetenv("MLX4_DEVICE_FATAL_CLEANUP");
	(void)unsetenv("RDMAV_FORK_SAFE");
	(void)unsetenv("IBV_FORK_SAFE");
	if (name)
		assert_int_equal(setenv(name, value, 1), 0);
	verbs_library_init();
}

static void library_init_prepares_op_tables_once(void **state)
{
	library_init_setup(NULL, NULL);
	verbs_library_init();
	assert_int_equal(nr_prepared, 1);
}

static void disassoc_destroy_is_off_by_default(void **state)
{
	library_init_setup(NULL, NULL);
	assert_false(verbs_allow_disassociate_destroy);
}

static void disassoc_destroy_variable_enables(void **state)
{
	library_init_setup("RDMAV_ALLOW_DISASSOC_DESTROY", "1");
	assert_true(verbs_allow_disassociate_destroy);
}

static void disassoc_destroy_nonzero_value_enables(void **state)
{
	library_init_setup("RDMAV_ALLOW_DISASSOC_DESTROY", "");
	assert_true(verbs_allow_disassociate_destroy);
}

static void disassoc_destroy_value_0_disables(void **state)
{
	library_init_setup("RDMAV_ALLOW_DISASSOC_DESTROY", "0");
	assert_false(verbs_allow_disassociate_destroy);
}

static void disassoc_destroy_mlx4_variable_enables(void **state)
{
	library_init_setup("MLX4_DEVICE_FATAL_CLEANUP", "1");
	assert_true(verbs_allow_disassociate_destroy);
}

static void fork_guard_is_off_by_default(void **state)
{
	library_init_setup(NULL, NULL);
	assert_int_equal(nr_fork_inits, 0);
}

static void fork_guard_rdmav_fork_safe_enables(void **state)
{
	library_init_setup("RDMAV_FORK_SAFE", "");
	assert_int_equal(nr_fork_inits, 1);
	assert_int_equal(nr_warnings, 0);
}

static void fork_guard_ibv_fork_safe_enables(void **state)
{
	library_init_setup("IBV_FORK_SAFE", "1");
	assert_int_equal(nr_fork_inits, 1);
}

static void fork_guard_value_0_disables(void **state)
{
	library_init_setup("RDMAV_FORK_SAFE", "0");
	assert_int_equal(nr_fork_inits, 0);
}

static void fork_guard_init_failure_is_warned_about(void **state)
{
	fork_init_ret = -EINVAL;
	library_init_setup("RDMAV_FORK_SAFE", "1");
	assert_int_equal(nr_warnings, 1);
}

static void library_init_initializes_log(void **state)
{
	library_init_setup(NULL, NULL);
	assert_int_equal(atomic_load(&nr_log_inits), 1);
}

static void library_init_second_call_does_nothing(void **state)
{
	library_init_setup(NULL, NULL);
	library_init_setup("RDMAV_ALLOW_DISASSOC_DESTROY", "1");
	assert_false(verbs_allow_disassociate_destroy);
	assert_int_equal(atomic_load(&nr_log_inits), 1);
}

static void *library_init_call(void *arg)
{
	verbs_library_init();
	return NULL;
}

static void library_init_concurrent_calls_run_once(void **state)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						library_init_call, NULL),
				 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&nr_log_inits), 1);
}

static void memlock_low_limit_is_warned_about(void **state)
{
	euid = 1000;
	limit_memlock(32768);
	library_init_setup(NULL, NULL);
	assert_int_equal(nr_warnings, 1);
}

static void memlock_sufficient_limit_is_silent(void **state)
{
	euid = 1000;
	limit_memlock(32769);
	library_init_setup(NULL, NULL);
	assert_int_equal(nr_warnings, 0);
}

static void memlock_limit_is_ignored_for_root(void **state)
{
	limit_memlock(0);
	library_init_setup(NULL, NULL);
	assert_int_equal(nr_warnings, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library_init_prepares_op_tables_once),
		cmocka_unit_test(disassoc_destroy_is_off_by_default),
		cmocka_unit_test(disassoc_destroy_variable_enables),
		cmocka_unit_test(disassoc_destroy_nonzero_value_enables),
		cmocka_unit_test(disassoc_destroy_value_0_disables),
		cmocka_unit_test(disassoc_destroy_mlx4_variable_enables),
		cmocka_unit_test(fork_guard_is_off_by_default),
		cmocka_unit_test(fork_guard_rdmav_fork_safe_enables),
		cmocka_unit_test(fork_guard_ibv_fork_safe_enables),
		cmocka_unit_test(fork_guard_value_0_disables),
		cmocka_unit_test(fork_guard_init_failure_is_warned_about),
		cmocka_unit_test(library_init_initializes_log),
		cmocka_unit_test(library_init_second_call_does_nothing),
		cmocka_unit_test(library_init_concurrent_calls_run_once),
		cmocka_unit_test(memlock_low_limit_is_warned_about),
		cmocka_unit_test(memlock_sufficient_limit_is_silent),
		cmocka_unit_test(memlock_limit_is_ignored_for_root),
	};

	return own_process_run_group_tests(tests);
}
