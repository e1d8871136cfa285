/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads the module of the layers for core/layer_load.c: the one beside the
 * library or, if there is none, the one in the folder of the provider modules.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "core/layer_load.h"
#include "core/module_file.h"

#define LAYERS_FILE "layers-anyverbs" VERBS_PROVIDER_ABI_STRING ".so"

/* Return: as verbs_module_file_check(). */
static int layer_module_check(char *path, size_t size, const char *folder,
			      const char **ret_problem)
{
	int len = snprintf(path, size, "%s/" LAYERS_FILE, folder);

	if (len < 0 || (size_t)len >= size)
		return -ENOENT;
	return verbs_module_file_check(path, ret_problem);
}

const struct verbs_layer_hooks *verbs_layer_module_load(const char **ret_reason)
{
	char beside[PATH_MAX], path[PATH_MAX];
	const struct verbs_layer_hooks *hooks;
	int ret = -ENOENT;
	void *module;

	if (verbs_module_folder_beside(beside, sizeof(beside)))
		ret = layer_module_check(path, sizeof(path), beside,
					 ret_reason);
	if (ret == -ENOENT)
		ret = layer_module_check(path, sizeof(path), VERBS_PROVIDER_DIR,
					 ret_reason);
	if (ret) {
		*ret_reason = ret == -ENOENT ? "the module " LAYERS_FILE
					       " is missing"
					     : "the file " LAYERS_FILE
					       " is not a usable module";
		return NULL;
	}
	module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	hooks = module ? dlsym(module, "verbs_layer_hooks") : NULL;
	if (!hooks)
		*ret_reason = dlerror();
	return hooks;
}
