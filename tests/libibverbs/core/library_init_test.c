/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the library does once: libibverbs/core/library_init.c. Each test has a
 * process of its own. Linked with WRAP geteuid verbs_warn verbs_log_init
 * verbs_fork_init verbs_op_table_prepare.
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

/* Lets the process lock that much, or skips the test. */
static void limit_memlock(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	if (limit.rlim_max < bytes)
		skip();
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

static void start(const char *name, const char *value)
{
	(void)unsetenv("RDMAV_ALLOW_DISASSOC_DESTROY");
	(void)unsetenv("MLX4_DEVICE_FATAL_CLEANUP");
	(void)unsetenv("RDMAV_FORK_SAFE");
	(void)unsetenv("IBV_FORK_SAFE");
	if (name)
		assert_int_equal(setenv(name, value, 1), 0);
	verbs_library_init();
}

static void op_tables_are_prepared_once(void **state)
{
	start(NULL, NULL);
	verbs_library_init();
	assert_int_equal(nr_prepared, 1);
}

static void disassoc_destroy_is_off_by_default(void **state)
{
	start(NULL, NULL);
	assert_false(verbs_allow_disassociate_destroy);
}

static void disassoc_destroy_is_switched_on(void **state)
{
	start("RDMAV_ALLOW_DISASSOC_DESTROY", "1");
	assert_true(verbs_allow_disassociate_destroy);
}

static void any_value_but_0_switches_it_on(void **state)
{
	start("RDMAV_ALLOW_DISASSOC_DESTROY", "");
	assert_true(verbs_allow_disassociate_destroy);
}

static void value_0_leaves_it_off(void **state)
{
	start("RDMAV_ALLOW_DISASSOC_DESTROY", "0");
	assert_false(verbs_allow_disassociate_destroy);
}

static void mlx4_s_variable_switches_it_on_too(void **state)
{
	start("MLX4_DEVICE_FATAL_CLEANUP", "1");
	assert_true(verbs_allow_disassociate_destroy);
}

static void memory_is_not_kept_from_children_by_default(void **state)
{
	start(NULL, NULL);
	assert_int_equal(nr_fork_inits, 0);
}

static void a_variable_keeps_memory_from_children(void **state)
{
	start("RDMAV_FORK_SAFE", "");
	assert_int_equal(nr_fork_inits, 1);
	assert_int_equal(nr_warnings, 0);
}

static void the_other_variable_does_too(void **state)
{
	start("IBV_FORK_SAFE", "1");
	assert_int_equal(nr_fork_inits, 1);
}

static void value_0_does_not(void **state)
{
	start("RDMAV_FORK_SAFE", "0");
	assert_int_equal(nr_fork_inits, 0);
}

static void memory_that_cannot_be_kept_is_warned_about(void **state)
{
	fork_init_ret = -EINVAL;
	start("RDMAV_FORK_SAFE", "1");
	assert_int_equal(nr_warnings, 1);
}

static void log_is_set_up(void **state)
{
	start(NULL, NULL);
	assert_int_equal(atomic_load(&nr_log_inits), 1);
}

static void only_the_first_call_works(void **state)
{
	start(NULL, NULL);
	start("RDMAV_ALLOW_DISASSOC_DESTROY", "1");
	assert_false(verbs_allow_disassociate_destroy);
	assert_int_equal(atomic_load(&nr_log_inits), 1);
}

static void *init(void *arg)
{
	verbs_library_init();
	return NULL;
}

static void threads_may_call_it_at_the_same_time(void **state)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, init, NULL),
				 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&nr_log_inits), 1);
}

static void little_lockable_memory_is_warned_about(void **state)
{
	euid = 1000;
	limit_memlock(32768);
	start(NULL, NULL);
	assert_int_equal(nr_warnings, 1);
}

static void enough_lockable_memory_is_not(void **state)
{
	euid = 1000;
	limit_memlock(32769);
	start(NULL, NULL);
	assert_int_equal(nr_warnings, 0);
}

static void limit_does_not_concern_root(void **state)
{
	limit_memlock(0);
	start(NULL, NULL);
	assert_int_equal(nr_warnings, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(op_tables_are_prepared_once),
		cmocka_unit_test(disassoc_destroy_is_off_by_default),
		cmocka_unit_test(disassoc_destroy_is_switched_on),
		cmocka_unit_test(any_value_but_0_switches_it_on),
		cmocka_unit_test(value_0_leaves_it_off),
		cmocka_unit_test(mlx4_s_variable_switches_it_on_too),
		cmocka_unit_test(memory_is_not_kept_from_children_by_default),
		cmocka_unit_test(a_variable_keeps_memory_from_children),
		cmocka_unit_test(the_other_variable_does_too),
		cmocka_unit_test(value_0_does_not),
		cmocka_unit_test(memory_that_cannot_be_kept_is_warned_about),
		cmocka_unit_test(log_is_set_up),
		cmocka_unit_test(only_the_first_call_works),
		cmocka_unit_test(threads_may_call_it_at_the_same_time),
		cmocka_unit_test(little_lockable_memory_is_warned_about),
		cmocka_unit_test(enough_lockable_memory_is_not),
		cmocka_unit_test(limit_does_not_concern_root),
	};

	return own_process_run_group_tests(tests);
}
