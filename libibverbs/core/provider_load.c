/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides which providers are loaded, and in which order: first those of the
 * environment, then those of the configuration. Each name is tried once in a
 * process, and at most one module of a name is loaded; core/provider_module.c
 * finds it.
 *
 * core/device_list.c calls this file for devices without a kernel driver
 * before it takes its mutex, and for unclaimed devices after it has dropped
 * it.
 */
#include "core/provider_load.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/device_match.h"
#include "core/provider_config.h"
#include "core/provider_module.h"
#include "core/provider_name.h"
#include "core/provider_registry.h"
#include "util/env.h"
#include "util/lock.h"

/* A name that was tried, successfully or not. */
struct tried_name {
	struct tried_name *next;
	bool loaded; /* a module of the name is loaded */
	char text[];
};

/* A provider that is loaded only if the user enables it. */
struct opt_in {
	const char *name;
	const char *variable; /* environment variable; any value enables it */
	const char *file;     /* configuration file; its existence enables it */
};

/* Declared with OPT_IN when the library is configured; ends with {}. */
static const struct opt_in opt_ins[] = { VERBS_OPT_IN_PROVIDERS{} };

/* Serializes loading. Only registry_mutex is taken under it. */
static struct verbs_mutex load_mutex = VERBS_MUTEX_INIT;
static struct tried_name *tried GUARDED_BY(load_mutex);
static bool env_done GUARDED_BY(load_mutex);
static bool all_done GUARDED_BY(load_mutex);
static bool files_done
	GUARDED_BY(load_mutex); /* the files of opt_ins were checked */

static struct tried_name *tried_name_new(const char *text)
{
	size_t size = strlen(text) + 1;
	struct tried_name *entry = malloc(sizeof(*entry) + size);

	if (entry) {
		entry->loaded = false;
		memcpy(entry->text, text, size);
	}
	return entry;
}

static bool tried_name_is(const char *text,
			  const struct verbs_provider_name *name)
{
	struct verbs_provider_name other = verbs_provider_name_split(text);

	return other.len == name->len &&
	       memcmp(other.start, name->start, name->len) == 0;
}

/*
 * Whether a module of the name is loaded, or this very text was tried. A
 * provider may have registered with a library that the program is linked to.
 */
static bool provider_was_tried_locked(const struct verbs_provider_name *name)
	REQUIRES(load_mutex)
{
	char base_name[VERBS_PROVIDER_NAME_LEN + 1];
	const struct tried_name *entry;

	for (entry = tried; entry; entry = entry->next) {
		if (strcmp(entry->text, name->text) == 0 ||
		    (entry->loaded && tried_name_is(entry->text, name)))
			return true;
	}
	if (name->len >= sizeof(base_name))
		return false;
	memcpy(base_name, name->start, name->len);
	base_name[name->len] = '\0';
	return verbs_provider_known(base_name);
}

/*
 * @load_module: verbs_provider_module_load() or
 *	verbs_provider_module_load_beside()
 *
 * Return: whether this call loaded a module.
 */
static bool provider_load_with_locked(
	const char *text,
	bool (*load_module)(const struct verbs_provider_name *name))
	REQUIRES(load_mutex)
{
	struct verbs_provider_name name = verbs_provider_name_split(text);
	struct tried_name *entry;
	bool loaded;

	if (provider_was_tried_locked(&name))
		return false;
	loaded = load_module(&name);
	entry = tried_name_new(text);
	if (entry) {
		entry->loaded = loaded;
		entry->next = tried;
		tried = entry;
	}
	return loaded;
}

static bool provider_load_name_locked(const char *text) REQUIRES(load_mutex)
{
	return provider_load_with_locked(text, verbs_provider_module_load);
}

static bool provider_load_env_locked(void) REQUIRES(load_mutex)
{
	const char *list = env_path("RDMAV_DRIVERS");
	char name[PATH_MAX];
	bool found = false;
	size_t len;

	if (env_done)
		return false;
	env_done = true;

	if (!list)
		list = env_path("IBV_DRIVERS");
	for (; list && *list; list += len + (list[len] != '\0')) {
		len = strcspn(list, ":;");
		if (len == 0 || len >= sizeof(name))
			continue;
		memcpy(name, list, len);
		name[len] = '\0';
		if (provider_load_name_locked(name))
			found = true;
	}
	return found;
}

/* The environment may change, but each file is checked once. */
static bool opt_in_is_enabled_locked(const struct opt_in *opt_in)
	REQUIRES(load_mutex)
{
	const char *value = env_path(opt_in->variable);

	if (value && *value)
		return true;
	return !files_done && access(opt_in->file, R_OK) == 0;
}

bool verbs_provider_load_opt_in(void)
{
	bool found;

	verbs_mutex_lock(&load_mutex);
	found = provider_load_env_locked();
	for (const struct opt_in *opt_in = opt_ins; opt_in->name; opt_in++) {
		if (opt_in_is_enabled_locked(opt_in) &&
		    provider_load_name_locked(opt_in->name))
			found = true;
	}
	files_done = true;
	verbs_mutex_unlock(&load_mutex);
	return found;
}

/*
 * Without the configuration folder, as in an install tree that was moved, the
 * modules of that tree are used for the kernel drivers of their names.
 */
static bool provider_load_driver_locked(const char *name) REQUIRES(load_mutex)
{
	char configured[PATH_MAX];
	int ret = verbs_provider_config_find(IBV_CONFIG_DIR, name, configured,
					     sizeof(configured));

	if (ret == -ENOENT)
		return provider_load_with_locked(
			name, verbs_provider_module_load_beside);
	return ret > 0 && provider_load_name_locked(configured);
}

bool verbs_provider_load_for(uint32_t driver_id)
{
	const char *name = verbs_driver_name(driver_id);
	bool found;

	verbs_mutex_lock(&load_mutex);
	found = provider_load_env_locked();
	if (name && !all_done && provider_load_driver_locked(name))
		found = true;
	verbs_mutex_unlock(&load_mutex);
	return found;
}

/* Names with the suffix of a module precede those without. */
struct visit {
	bool found;
	struct tried_name *later;
};

static bool provider_load_config_line(void *arg, const char *text)
	REQUIRES(load_mutex)
{
	struct visit *visit = arg;
	struct tried_name *entry;

	if (!verbs_provider_name_split(text).kind) {
		entry = tried_name_new(text);
		if (entry) {
			entry->next = visit->later;
			visit->later = entry;
			return true;
		}
	}
	if (provider_load_name_locked(text))
		visit->found = true;
	return true;
}

/* Called for each kernel driver if there is no configuration folder. */
static void provider_load_beside_library(void *arg, const char *name)
	REQUIRES(load_mutex)
{
	struct visit *visit = arg;

	if (provider_load_with_locked(name, verbs_provider_module_load_beside))
		visit->found = true;
}

static bool provider_load_configured_locked(void) REQUIRES(load_mutex)
{
	struct visit visit = {};

	if (verbs_provider_config_each(IBV_CONFIG_DIR,
				       provider_load_config_line,
				       &visit) == -ENOENT)
		verbs_driver_name_each(provider_load_beside_library, &visit);
	while (visit.later) {
		struct tried_name *entry = visit.later;

		visit.later = entry->next;
		if (provider_load_name_locked(entry->text))
			visit.found = true;
		free(entry);
	}
	return visit.found;
}

bool verbs_provider_load_all(void)
{
	bool found;

	verbs_mutex_lock(&load_mutex);
	found = provider_load_env_locked();
	if (!all_done) {
		all_done = true;
		found |= provider_load_configured_locked();
	}
	verbs_mutex_unlock(&load_mutex);
	return found;
}
