/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds and loads the module of one provider. Several modules may have the
 * same name: this library's own, lib<name>-anyverbs<ABI>.so, which exports one
 * object called verbs_provider_<name>; and those built for existing releases,
 * lib<name>-rdmav<ABI>.so, whose constructor registers the provider
 * (libibverbs/foreign/). The own module is preferred, then the newest. Each
 * kind is searched beside the library, in the folder that was configured at
 * build time, in the folders of distributions, and then where the dynamic
 * linker searches.
 *
 * core/provider_load.c calls this file and makes sure that each name is tried
 * once.
 */
#include "core/provider_module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <provider/provider.h>
#include <stdio.h>
#include <string.h>

#include "core/foreign_hooks.h"
#include "core/log.h"
#include "core/module_file.h"
#include "core/provider_registry.h"

/* Result of a search. */
enum module_result {
	MODULE_NOT_FOUND,
	MODULE_UNUSABLE, /* the user was warned */
	MODULE_LOADED,
};

/* ------------------------------------------------------------------------ */
/* One file                                                                 */
/* ------------------------------------------------------------------------ */

/* Registers the object that a module of this library exports. */
static bool module_register_native(void *module,
				   const struct verbs_provider_name *name)
{
	const struct verbs_device_ops *ops;
	char symbol[NAME_MAX];
	int len;

	len = snprintf(symbol, sizeof(symbol), "verbs_provider_%.*s",
		       (int)name->len, name->start);
	if (len < 0 || (size_t)len >= sizeof(symbol))
		return false;

	ops = dlsym(module, symbol);
	if (!ops) {
		verbs_warn("provider %s: %s", name->text, dlerror());
		return false;
	}
	if (verbs_provider_register(ops) != 0) {
		verbs_warn("provider %s: cannot be registered", name->text);
		return false;
	}
	return true;
}

/* Whether a registered provider lives in @module. */
static bool module_has_registered(void *module)
{
	const struct verbs_device_ops *providers[VERBS_MAX_PROVIDERS];
	size_t count = verbs_provider_snapshot(providers);
	struct link_map *map, *other;
	Dl_info info;

	if (dlinfo(module, RTLD_DI_LINKMAP, &map) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct verbs_foreign_hooks *foreign =
			providers[i]->foreign;

		if (foreign &&
		    dladdr1(foreign->origin(providers[i]), &info,
			    (void **)&other, RTLD_DL_LINKMAP) != 0 &&
		    other == map)
			return true;
	}
	return false;
}

/* Modules that have registered are never unloaded: devices point into them. */
static enum module_result
module_register(void *module, const struct verbs_provider_name *name,
		const struct verbs_module_kind *kind, unsigned int nr_warnings)
{
	if (kind->foreign) {
		/* The constructor has run by now. */
		if (module_has_registered(module))
			return MODULE_LOADED;
		if (verbs_nr_warnings() == nr_warnings)
			verbs_warn("provider %s: lib%.*s%s.so does not "
				   "register a provider",
				   name->text, (int)name->len, name->start,
				   kind->suffix);
	} else if (module_register_native(module, name)) {
		return MODULE_LOADED;
	}
	(void)dlclose(module); /* nothing points into it */
	return MODULE_UNUSABLE;
}

/* Whether the dynamic linker reports only that there is no such file. */
static bool dlerror_is_not_found(const char *reason, const char *file)
{
	return strncmp(reason, file, strlen(file)) == 0 &&
	       strstr(reason, strerror(ENOENT));
}

static enum module_result
module_open_file(const char *file, const struct verbs_provider_name *name,
		 const struct verbs_module_kind *kind)
{
	unsigned int nr_warnings = verbs_nr_warnings();
	bool is_path = strchr(file, '/');
	const char *reason;
	void *module;

	if (is_path) {
		int ret = verbs_module_file_check(file, &reason);

		if (ret == -ENOENT)
			return MODULE_NOT_FOUND;
		if (ret) {
			verbs_warn("provider %s: %s %s", name->text, file,
				   reason);
			return MODULE_UNUSABLE;
		}
	}
	module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (module)
		return module_register(module, name, kind, nr_warnings);

	reason = dlerror();
	if (!is_path && dlerror_is_not_found(reason, file))
		return MODULE_NOT_FOUND;
	verbs_warn("provider %s: %s", name->text, reason);
	return MODULE_UNUSABLE;
}

/* ------------------------------------------------------------------------ */
/* Search order                                                             */
/* ------------------------------------------------------------------------ */

static enum module_result
module_open_in_folder(const char *folder, size_t folder_len,
		      const struct verbs_provider_name *name,
		      const struct verbs_module_kind *kind)
{
	char path[PATH_MAX];
	int len;

	len = snprintf(path, sizeof(path), "%.*s/lib%.*s%s.so", (int)folder_len,
		       folder, (int)name->len, name->start, kind->suffix);
	if (len < 0 || (size_t)len >= sizeof(path))
		return MODULE_NOT_FOUND;
	return module_open_file(path, name, kind);
}

/*
 * @folders: separated by colons
 * @known: folder that was searched already
 */
static enum module_result
module_open_in_folders(const char *folders, const char *known,
		       const struct verbs_provider_name *name,
		       const struct verbs_module_kind *kind)
{
	enum module_result result = MODULE_NOT_FOUND;
	size_t len;

	for (; *folders && result == MODULE_NOT_FOUND;
	     folders += len + (folders[len] != '\0')) {
		len = strcspn(folders, ":");
		if (len == 0 ||
		    (len == strlen(known) && memcmp(folders, known, len) == 0))
			continue;
		result = module_open_in_folder(folders, len, name, kind);
	}
	return result;
}

static enum module_result
module_open_absolute(const struct verbs_provider_name *name,
		     const struct verbs_module_kind *kind)
{
	char path[PATH_MAX];
	int len;

	len = snprintf(path, sizeof(path), "%.*s%s.so", (int)name->stem_len,
		       name->text, kind->suffix);
	if (len < 0 || (size_t)len >= sizeof(path))
		return MODULE_NOT_FOUND;
	return module_open_file(path, name, kind);
}

/* The linker opens the file; the file that it will find is checked first. */
static enum module_result
module_open_by_search(const struct verbs_provider_name *name,
		      const struct verbs_module_kind *kind)
{
	char file[PATH_MAX], found[PATH_MAX];
	const char *reason;
	int len;

	len = snprintf(file, sizeof(file), "lib%.*s%s.so", (int)name->len,
		       name->start, kind->suffix);
	if (len < 0 || (size_t)len >= sizeof(file))
		return MODULE_NOT_FOUND;
	if (verbs_module_search(file, found, sizeof(found)) &&
	    verbs_module_file_check(found, &reason) != 0) {
		verbs_warn("provider %s: %s %s", name->text, found, reason);
		return MODULE_UNUSABLE;
	}
	return module_open_file(file, name, kind);
}

/* An unusable file ends the search for its kind. */
static enum module_result
module_open_kind(const struct verbs_provider_name *name,
		 const struct verbs_module_kind *kind)
{
	enum module_result result = MODULE_NOT_FOUND;
	char beside[PATH_MAX] = "";

	if (*name->text == '/')
		return module_open_absolute(name, kind);
	if (verbs_module_folder_beside(beside, sizeof(beside)))
		result = module_open_in_folder(beside, strlen(beside), name,
					       kind);
	if (result == MODULE_NOT_FOUND)
		result = module_open_in_folders(VERBS_PROVIDER_DIR, beside,
						name, kind);
	if (result == MODULE_NOT_FOUND)
		result = module_open_in_folders(VERBS_FOREIGN_PROVIDER_DIR,
						beside, name, kind);
	return result == MODULE_NOT_FOUND ? module_open_by_search(name, kind)
					  : result;
}

bool verbs_provider_module_load(const struct verbs_provider_name *name)
{
	bool has_warned = false;

	if (name->len == 0 || name->len > VERBS_PROVIDER_NAME_LEN)
		return false;

	for (size_t i = 0; i < VERBS_NR_MODULE_KINDS; i++) {
		const struct verbs_module_kind *kind = &verbs_module_kinds[i];

		if (name->kind && name->kind != kind)
			continue;
		switch (module_open_kind(name, kind)) {
		case MODULE_LOADED:
			return true;
		case MODULE_UNUSABLE:
			has_warned = true;
			break;
		case MODULE_NOT_FOUND:
			break;
		}
	}
	if (!has_warned)
		verbs_warn("provider %s: no module", name->text);
	return false;
}

bool verbs_provider_module_load_beside(const struct verbs_provider_name *name)
{
	/* The first kind is this library's own; all others are foreign. */
	const struct verbs_module_kind *kind = &verbs_module_kinds[0];
	char beside[PATH_MAX];

	return verbs_module_folder_beside(beside, sizeof(beside)) &&
	       module_open_in_folder(beside, strlen(beside), name, kind) ==
		       MODULE_LOADED;
}
