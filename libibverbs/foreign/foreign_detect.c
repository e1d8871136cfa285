/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Detects which rdma-core release a module was built for; several releases
 * share one private ABI number. Called at registration (foreign_register.c),
 * with the lock of the dynamic linker held if the module is being loaded:
 * nothing here may wait for another thread.
 *
 * A module does not contain its release. Two sources remain. The module imports
 * functions that older releases do not have; and the vendor libraries in the
 * same folder have the release in their file names:
 *
 *	libmlx5-rdmav34.so -> ../libmlx5.so.1.24.44.0	(release 44.0)
 */
#include "foreign/foreign_detect.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_helpers.h"
#include "foreign/foreign_imports.h"

/* ------------------------------------------------------------------------ */
/* Imports                                                                   */
/* ------------------------------------------------------------------------ */

/* The first release that exports a function. */
static const struct {
	const char *name;
	unsigned int since;
} function_releases[] = {
#define ROW(name, release) { name, release },
	FOREIGN_HELPERS_SINCE(ROW) FOREIGN_COMMANDS_SINCE(ROW)
#undef ROW
};

struct imports {
	unsigned int needs; /* first release with all imported functions */
	bool create_cq_ex;
	bool create_cq_ex2;
	bool export_dmabuf_fd;
};

static void foreign_detect_visit_import(void *arg, const char *name)
{
	struct imports *imports = arg;

	for (size_t i = 0;
	     i < sizeof(function_releases) / sizeof(function_releases[0]);
	     i++) {
		if (function_releases[i].since > imports->needs &&
		    strcmp(function_releases[i].name, name) == 0)
			imports->needs = function_releases[i].since;
	}
	if (strcmp(name, "ibv_cmd_create_cq_ex") == 0)
		imports->create_cq_ex = true;
	else if (strcmp(name, "ibv_cmd_create_cq_ex2") == 0)
		imports->create_cq_ex2 = true;
	else if (strcmp(name, "ibv_cmd_export_dmabuf_fd") == 0)
		imports->export_dmabuf_fd = true;
}

static void foreign_range_raise_oldest(struct foreign_range *range,
				       unsigned int release)
{
	if (release > range->oldest && release <= range->newest)
		range->oldest = release;
}

static void foreign_range_lower_newest(struct foreign_range *range,
				       unsigned int release)
{
	if (release < range->newest && release >= range->oldest)
		range->newest = release;
}

static void foreign_detect_by_imports(const struct link_map *map,
				      const char *name,
				      struct foreign_range *range)
{
	struct imports imports = {};

	foreign_imports_visit(map, foreign_detect_visit_import, &imports);
	foreign_range_raise_oldest(range, imports.needs);

	/* mlx5 imports these functions in every release that exports them. */
	if (strcmp(name, "mlx5") != 0)
		return;
	if (imports.create_cq_ex && !imports.create_cq_ex2)
		foreign_range_lower_newest(range, 52);
	if (!imports.export_dmabuf_fd)
		foreign_range_lower_newest(range, 61);
}

/* ------------------------------------------------------------------------ */
/* File names                                                                */
/* ------------------------------------------------------------------------ */

unsigned int foreign_release_of_file(const char *file)
{
	const char *base = strrchr(file, '/');
	unsigned int major, minor, release, point;
	const char *version;
	int end = 0;

	base = base ? base + 1 : file;
	version = strstr(base, ".so.");
	if (!version ||
	    sscanf(version, ".so.%3u.%5u.%5u.%5u%n", &major, &minor, &release,
		   &point, &end) != 4 ||
	    version[end] != '\0')
		return 0;
	return release;
}

static bool foreign_detect_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/*
 * The release in the link targets of the modules in @folder; 0 if they differ.
 */
static unsigned int foreign_detect_release_in_folder(const char *folder,
						     const char *suffix)
{
	const struct dirent *entry;
	unsigned int found = 0;
	bool differ = false;
	DIR *dir = opendir(folder);

	if (!dir)
		return 0;
	while ((entry = readdir(dir)) != NULL) {
		char target[PATH_MAX];
		unsigned int release;
		ssize_t len;

		if (!foreign_detect_ends_with(entry->d_name, suffix))
			continue;
		len = readlinkat(dirfd(dir), entry->d_name, target,
				 sizeof(target) - 1);
		if (len <= 0)
			continue;
		target[len] = '\0';
		release = foreign_release_of_file(target);
		if (release && found && release != found)
			differ = true;
		if (release)
			found = release;
	}
	(void)closedir(dir); /* opened for reading only */
	return differ ? 0 : found;
}

/* Use the file name of the module itself first, then those in its folder. */
static unsigned int foreign_detect_release_by_names(const char *path,
						    unsigned int node)
{
	char folder[PATH_MAX], real[PATH_MAX], suffix[32];
	unsigned int release;
	char *slash;
	int len;

	if (realpath(path, real)) {
		release = foreign_release_of_file(real);
		if (release)
			return release;
	}
	len = snprintf(folder, sizeof(folder), "%s", path);
	if (len < 0 || (size_t)len >= sizeof(folder))
		return 0;
	slash = strrchr(folder, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	(void)snprintf(suffix, sizeof(suffix), "-rdmav%u.so", node);
	return foreign_detect_release_in_folder(folder, suffix);
}

/* ------------------------------------------------------------------------ */

void foreign_detect(const void *address, const char *name, unsigned int node,
		    struct foreign_range *range)
{
	struct link_map *map;
	unsigned int release;
	Dl_info info;

	if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
		return;
	foreign_detect_by_imports(map, name, range);
	if (range->oldest == range->newest)
		return;
	release = foreign_detect_release_by_names(map->l_name, node);
	if (release >= range->oldest && release <= range->newest)
		range->oldest = range->newest = release;
}
