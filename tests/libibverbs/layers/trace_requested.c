/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linked to a test with the fake provider, so that the layer trace observes its
 * contexts. Linked with WRAP secure_getenv. The test fails if it has no trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layers/trace/trace.h"
#include "libibverbs/core/fake_layer.h"

static char settings[64];
static pid_t process;

char *__wrap_secure_getenv(const char *name);

char *__wrap_secure_getenv(const char *name)
{
	static char layer[] = "trace";

	if (strcmp(name, "VERBS_LAYERS") == 0)
		return layer;
	return strcmp(name, "VERBS_TRACE") == 0 ? settings : NULL;
}

/* The file stays open, so it is opened before the test looks for leaks. */
__attribute__((constructor)) static void trace_requested_start(void)
{
	process = getpid();
	(void)snprintf(settings, sizeof(settings), "file=trace_requested.%ld",
		       (long)process);
	fake_layer_hooks = &verbs_layer_hooks;
	trace_request(settings);
	trace_open();
}

__attribute__((destructor)) static void trace_requested_end(void)
{
	if (getpid() == process && unlink(strchr(settings, '=') + 1) != 0)
		_exit(EXIT_FAILURE);
}
