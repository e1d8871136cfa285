/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See validate_requested.h. */
#include "libibverbs/layers/validate_requested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layers/layers.h"
#include "libibverbs/core/fake_layer.h"

static char settings[64];
static long taken; /* bytes of the file */

char *__wrap_secure_getenv(const char *name);

char *__wrap_secure_getenv(const char *name)
{
	static char layer[] = "validate";

	if (strcmp(name, "VERBS_LAYERS") == 0)
		return layer;
	return strcmp(name, "VERBS_VALIDATE") == 0 ? settings : NULL;
}

static const char *requested_path(void)
{
	static char path[64];

	(void)snprintf(path, sizeof(path), "validate_requested.%ld",
		       (long)getpid());
	return path;
}

const char *validate_requested_take(void)
{
	static char text[1 << 16];
	FILE *file = fopen(requested_path(), "re");
	size_t len;

	if (!file || fseek(file, taken, SEEK_SET) != 0)
		abort();
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	taken += (long)len;
	(void)fclose(file);
	return text;
}

/* The layer is enabled already. */
static bool requested_is_started(const struct verbs_layer_settings *unused)
{
	return true;
}

/* The file stays open, so it is opened before the test looks for leaks. */
__attribute__((constructor)) static void requested_start(void)
{
	static struct verbs_layer_hooks hooks;

	(void)snprintf(settings, sizeof(settings), "limit=100000,log=%s",
		       requested_path());
	hooks = verbs_layer_hooks;
	if (!hooks.start(&(const struct verbs_layer_settings){
		    .names = "validate", .validate = settings }))
		abort();
	hooks.start = requested_is_started;
	fake_layer_hooks = &hooks;
}

__attribute__((destructor)) static void requested_end(void)
{
	(void)unlink(requested_path());
}
