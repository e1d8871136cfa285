/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/layer_load.c, through open and close of a context of
 * the fake provider. Each test runs in its own process, because the variable is
 * read once. Linked with WRAP secure_getenv.
 */
#include "core/layer_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core_context.h"
#include "libibverbs/core/fake_layer.h"
#include "libibverbs/core/list_fixture.h"
#include "libibverbs/core/own_process.h"
#include "libibverbs/layers/explain_fixture.h"
#include "support/fake_provider.h"

static char *variable; /* VERBS_EXPLAIN */
static char *layers;   /* VERBS_LAYERS */
static char *trace_settings, *validate_settings, *fault_settings;
static char one[] = "1", zero[] = "0", empty[] = "";
static bool privileged;
static unsigned int nr_attached, nr_detached, nr_failed;
static struct verbs_device *dev;

char *__wrap_secure_getenv(const char *name);

char *__wrap_secure_getenv(const char *name)
{
	if (privileged)
		return NULL;
	if (strcmp(name, "VERBS_EXPLAIN") == 0)
		return variable;
	if (strcmp(name, "VERBS_LAYERS") == 0)
		return layers;
	if (strcmp(name, "VERBS_TRACE") == 0)
		return trace_settings;
	if (strcmp(name, "VERBS_FAULT") == 0)
		return fault_settings;
	return strcmp(name, "VERBS_VALIDATE") == 0 ? validate_settings : NULL;
}

static char started[64]; /* names and settings of start() */
static bool layer_is_known = true;

static bool fake_start(const struct verbs_layer_settings *from)
{
	(void)snprintf(started, sizeof(started), "%s;%s;%s;%s", from->names,
		       from->trace ? from->trace : "",
		       from->validate ? from->validate : "",
		       from->fault ? from->fault : "");
	return layer_is_known;
}

static void fake_attach(struct ibv_context *ctx)
{
	nr_attached++;
	verbs_priv(ctx)->layer = &nr_attached;
}

static void fake_detach(struct ibv_context *ctx)
{
	nr_detached++;
	verbs_priv(ctx)->layer = NULL;
}

static void fake_open_failed(const char *device, const char *node, int error)
{
	nr_failed++;
	assert_string_equal(device, "soft0");
	assert_null(node);
	assert_int_equal(error, -EIO);
}

static struct verbs_layer_hooks hooks = {
	.layer_abi = VERBS_LAYER_ABI,
	.private_size = sizeof(struct verbs_ex_private),
	.start = fake_start,
	.attach = fake_attach,
	.detach = fake_detach,
	.open_failed = fake_open_failed,
};

static int layer_setup(void **state)
{
	struct list list;

	list_start();
	fake_provider.offers[0] = "soft0";
	list = list_get();
	dev = verbs_device_of(list.array[0]);
	fake_layer_hooks = &hooks;
	explain_capture_start();
	return 0;
}

static struct ibv_context *layer_open(void)
{
	struct ibv_context *ctx = NULL;

	assert_int_equal(verbs_core_open(dev, &ctx), 0);
	return ctx;
}

static void layer_open_close(void)
{
	verbs_core_close(layer_open());
}

static void assert_ignored(unsigned int nr_loads)
{
	layer_open_close();
	layer_open_close();
	assert_int_equal(fake_layer_nr_loads, nr_loads);
	assert_int_equal(nr_attached, 0);
	assert_int_equal(nr_detached, 0);
}

static void layer_variable_unset_loads_nothing(void **state)
{
	assert_ignored(0);
	assert_string_equal(explain_capture_take(), "");
}

static void layer_variable_zero_or_empty_loads_nothing(void **state)
{
	variable = zero;
	assert_ignored(0);
	variable = empty;
	assert_ignored(0);
}

static void layer_variable_set_attaches_each_context(void **state)
{
	struct ibv_context *left, *right;

	variable = one;
	left = layer_open();
	right = layer_open();
	assert_int_equal(fake_layer_nr_loads, 1);
	assert_int_equal(nr_attached, 2);
	assert_int_equal(nr_detached, 0);
	verbs_core_close(left);
	verbs_core_close(right);
	assert_int_equal(nr_detached, 2);
	assert_string_equal(explain_capture_take(), "");
	assert_string_equal(started, "explain;;;");
}

static void layer_names_and_settings_reach_module(void **state)
{
	static char trace[] = "trace", file[] = "file=a", limit[] = "limit=1",
		    seed[] = "seed=1";

	variable = one;
	layers = trace;
	trace_settings = file;
	validate_settings = limit;
	fault_settings = seed;
	layer_open_close();
	assert_string_equal(started, "explain,trace;file=a;limit=1;seed=1");
	assert_int_equal(nr_attached, 1);
}

static void layer_names_unknown_attach_nothing(void **state)
{
	layers = one;
	layer_is_known = false;
	assert_ignored(1);
	assert_string_equal(started, "1;;;");
}

static void layer_program_privileged_loads_nothing(void **state)
{
	variable = one;
	layers = one;
	privileged = true;
	assert_ignored(0);
	assert_string_equal(explain_capture_take(), "");
}

static void layer_module_missing_warns_once(void **state)
{
	variable = one;
	fake_layer_hooks = NULL;
	assert_ignored(1);
	assert_string_equal(explain_capture_take(),
			    "libibverbs: VERBS_EXPLAIN has no effect: the test "
			    "has no module\n");
}

static void layer_module_version_differs_warns_once(void **state)
{
	variable = one;
	hooks.private_size++;
	assert_ignored(1);
	assert_non_null(strstr(explain_capture_take(), "another version"));
}

static void layer_open_fails_reports_device(void **state)
{
	struct ibv_context *ctx;

	variable = one;
	fake_provider.open_ret = -EIO;
	assert_int_equal(verbs_core_open(dev, &ctx), -EIO);
	assert_int_equal(nr_failed, 1);
	assert_int_equal(nr_attached, 0);
}

#define layer_test(function) cmocka_unit_test_setup(function, layer_setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		layer_test(layer_variable_unset_loads_nothing),
		layer_test(layer_variable_zero_or_empty_loads_nothing),
		layer_test(layer_variable_set_attaches_each_context),
		layer_test(layer_names_and_settings_reach_module),
		layer_test(layer_names_unknown_attach_nothing),
		layer_test(layer_program_privileged_loads_nothing),
		layer_test(layer_module_missing_warns_once),
		layer_test(layer_module_version_differs_warns_once),
		layer_test(layer_open_fails_reports_device),
	};

	return own_process_run_group_tests(tests);
}
