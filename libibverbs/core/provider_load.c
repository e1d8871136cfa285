/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds and loads provider modules. A module lib<name>-anyverbs<ABI>.so exports
 * one object, verbs_provider_<name>; it is looked for beside the library, then
 * in the folder that was chosen when the library was built, then where the
 * dynamic linker looks. Each name is tried once in a process.
 *
 * Called by core/device_list.c when a device has no provider yet.
 */
#include "core/provider_load.h"

#include <dlfcn.h>
#include <limits.h>
#include <provider/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/device_match.h"
#include "core/log.h"
#include "core/provider_config.h"
#include "core/provider_registry.h"
#include "util/env.h"
#include "util/lock.h"

#define NAME_LEN      64
#define MODULE_SUFFIX "-anyverbs" VERBS_PROVIDER_ABI_STRING ".so"

/* A name that was tried, whatever came of it. */
struct tried_name {
	struct tried_name *next;
	char name[];
};

/* Serialises loading; a leaf apart from registry_mutex. */
static struct verbs_mutex load_mutex = VERBS_MUTEX_INIT;
static struct tried_name *tried GUARDED_BY(load_mutex);
static bool env_done GUARDED_BY(load_mutex);
static bool all_done GUARDED_BY(load_mutex);

/* Whether @name is new; remembers it. Without memory it counts as new. */
static bool try_first_time_locked(const char *name) REQUIRES(load_mutex)
{
	struct tried_name *entry;
	size_t size = strlen(name) + 1;

	for (entry = tried; entry; entry = entry->next) {
		if (strcmp(entry->name, name) == 0)
			return false;
	}
	entry = malloc(sizeof(*entry) + size);
	if (entry) {
		memcpy(entry->name, name, size);
		entry->next = tried;
		tried = entry;
	}
	return true;
}

/* Folder of this very library with "/libibverbs" behind it. */
static bool folder_beside_library(char *buf, size_t size)
{
	const char *slash;
	Dl_info info;
	int len;

	if (!dladdr((const void *)&all_done, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	len = snprintf(buf, size, "%.*s/libibverbs",
		       (int)(slash - info.dli_fname), info.dli_fname);
	return len > 0 && (size_t)len < size;
}

static void *open_in_folder(const char *folder, const char *name)
{
	char path[PATH_MAX];
	int len;

	len = snprintf(path, sizeof(path), "%s/lib%s" MODULE_SUFFIX, folder,
		       name);
	if (len < 0 || (size_t)len >= sizeof(path) || access(path, F_OK) != 0)
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_by_search(const char *name)
{
	char file[NAME_LEN + sizeof("lib" MODULE_SUFFIX)];
	int len;

	len = snprintf(file, sizeof(file), "lib%s" MODULE_SUFFIX, name);
	if (len < 0 || (size_t)len >= sizeof(file))
		return NULL;
	return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

static void *open_absolute(const char *path_without_suffix)
{
	char path[PATH_MAX];
	int len;

	len = snprintf(path, sizeof(path), "%s" MODULE_SUFFIX,
		       path_without_suffix);
	if (len < 0 || (size_t)len >= sizeof(path))
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_module(const char *name)
{
	char folder[PATH_MAX];
	void *module;

	(void)dlerror(); /* forget older failures */
	if (*name == '/')
		return open_absolute(name);
	if (folder_beside_library(folder, sizeof(folder))) {
		module = open_in_folder(folder, name);
		if (module || strcmp(folder, VERBS_PROVIDER_DIR) == 0)
			return module ? module : open_by_search(name);
	}
	module = open_in_folder(VERBS_PROVIDER_DIR, name);
	return module ? module : open_by_search(name);
}

/* The last part of a path, "rxe" for "/opt/librxe" or "rxe". */
static const char *short_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (!slash)
		return name;
	return strncmp(slash + 1, "lib", 3) == 0 ? slash + 4 : slash + 1;
}

static bool register_module(void *module, const char *name)
{
	const struct verbs_device_ops *ops;
	char symbol[NAME_LEN + sizeof("verbs_provider_")];
	int len;

	len = snprintf(symbol, sizeof(symbol), "verbs_provider_%s",
		       short_name(name));
	if (len < 0 || (size_t)len >= sizeof(symbol))
		return false;

	ops = dlsym(module, symbol);
	if (!ops) {
		verbs_warn("provider %s: %s", name, dlerror());
		return false;
	}
	if (verbs_provider_register(ops) != 0) {
		verbs_warn("provider %s: cannot be registered", name);
		return false;
	}
	return true;
}

/* Modules stay loaded for ever: contexts and devices point into them. */
static bool load_module(const char *name)
{
	const char *reason;
	void *module;

	if (strlen(short_name(name)) > NAME_LEN)
		return false;

	module = open_module(name);
	if (!module) {
		reason = dlerror();
		verbs_warn("provider %s: %s", name,
			   reason ? reason : "no module");
		return false;
	}
	if (register_module(module, name))
		return true;
	(void)dlclose(module); /* nothing points into it */
	return false;
}

static bool load_locked(const char *name) REQUIRES(load_mutex)
{
	return try_first_time_locked(name) && load_module(name);
}

static bool load_from_env_locked(void) REQUIRES(load_mutex)
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
		if (load_locked(name))
			found = true;
	}
	return found;
}

bool verbs_provider_load_for(uint32_t driver_id)
{
	const char *name = verbs_driver_name(driver_id);
	bool found;

	verbs_mutex_lock(&load_mutex);
	found = load_from_env_locked();
	if (name && !all_done && try_first_time_locked(name) &&
	    verbs_provider_config_lists(IBV_CONFIG_DIR, name) &&
	    load_module(name))
		found = true;
	verbs_mutex_unlock(&load_mutex);
	return found;
}

static bool load_visited(void *arg, const char *name) REQUIRES(load_mutex)
{
	bool *found = arg;

	if (load_locked(name))
		*found = true;
	return true;
}

bool verbs_provider_load_all(void)
{
	bool found;

	verbs_mutex_lock(&load_mutex);
	found = load_from_env_locked();
	if (!all_done) {
		all_done = true;
		(void)verbs_provider_config_each(IBV_CONFIG_DIR, load_visited,
						 &found);
	}
	verbs_mutex_unlock(&load_mutex);
	return found;
}
