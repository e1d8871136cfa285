/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/layer_module.c, which is compiled with
 * VERBS_PROVIDER_DIR = LAYERS_DIR, a folder of the build tree. The tests put
 * files into it. Each test runs in its own process, because a module stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/layer_load.h"
#include "libibverbs/core/own_process.h"

#define MODULE LAYERS_DIR "/layers-anyverbs" VERBS_PROVIDER_ABI_STRING ".so"

static const struct verbs_layer_hooks *load(const char **ret_reason)
{
	*ret_reason = NULL;
	return verbs_layer_module_load(ret_reason);
}

static int module_remove(void **state)
{
	(void)mkdir(LAYERS_DIR, 0777);
	return unlink(MODULE) == 0 || errno == ENOENT ? 0 : -1;
}

static void layer_module_missing_has_reason(void **state)
{
	const char *reason;

	assert_null(load(&reason));
	assert_non_null(strstr(reason, "is missing"));
}

static void layer_module_no_elf_has_reason(void **state)
{
	int fd = open(MODULE, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	const char *reason;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	(void)close(fd);
	assert_null(load(&reason));
	assert_non_null(strstr(reason, "is not a usable module"));
}

/* A module of this build that has another symbol. */
static void layer_module_without_hooks_has_reason(void **state)
{
	const char *reason;

	assert_int_equal(symlink(OTHER_MODULE, MODULE), 0);
	assert_null(load(&reason));
	assert_non_null(strstr(reason, "verbs_layer_hooks"));
}

static void layer_module_good_is_loaded(void **state)
{
	const struct verbs_layer_hooks *hooks;
	const char *reason;

	assert_int_equal(symlink(GOOD_MODULE, MODULE), 0);
	hooks = load(&reason);
	assert_non_null(hooks);
	assert_int_equal(hooks->layer_abi, VERBS_LAYER_ABI);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(layer_module_missing_has_reason,
				       module_remove),
		cmocka_unit_test_setup(layer_module_no_elf_has_reason,
				       module_remove),
		cmocka_unit_test_setup(layer_module_without_hooks_has_reason,
				       module_remove),
		cmocka_unit_test_setup(layer_module_good_is_loaded,
				       module_remove),
	};

	return own_process_run_group_tests(tests);
}
