/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Searches for a module as the dynamic linker does: see core/module_file.h.
 * core/provider_module.c calls it.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/module_file.h"

/* The linker's list of folders, which the caller frees, or NULL. */
static Dl_serinfo *linker_search_folders(void)
{
	void *program = dlopen(NULL, RTLD_LAZY);
	Dl_serinfo *folders = NULL;
	Dl_serinfo size;

	if (!program)
		return NULL;
	if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0)
		folders = malloc(size.dls_size);
	if (folders && (dlinfo(program, RTLD_DI_SERINFOSIZE, folders) != 0 ||
			dlinfo(program, RTLD_DI_SERINFO, folders) != 0)) {
		free(folders);
		folders = NULL;
	}
	(void)dlclose(program); /* the program itself stays */
	return folders;
}

bool verbs_module_search(const char *file, char *buf, size_t size)
{
	Dl_serinfo *folders = linker_search_folders();
	bool found = false;

	if (!folders)
		return false;
	for (unsigned int i = 0; i < folders->dls_cnt && !found; i++) {
		int len = snprintf(buf, size, "%s/%s",
				   folders->dls_serpath[i].dls_name, file);

		found = len > 0 && (size_t)len < size && access(buf, F_OK) == 0;
	}
	free(folders);
	return found;
}
