/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks which libibverbs.so.1 programs load. A program that names no folder
 * itself (RPATH) loads the same file as this program.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/doctor/doctor.h"

#define DOCTOR_LIBRARY_NAME "libibverbs.so.1"

/*
 * Folders that may contain another libibverbs.so.1, in addition to those of the
 * dynamic linker.
 */
static const char *const usual_folders[] = { "/usr/local/lib", "/usr/lib",
					     "/usr/lib64", "/lib",
					     DOCTOR_LIBDIR };

/* A library file other than the loaded one; path is "" until one is found. */
struct other_library {
	const struct doctor *doctor;
	struct stat loaded;
	char path[PATH_MAX];
};

static void doctor_search_folder(struct other_library *other,
				 const char *folder)
{
	char path[PATH_MAX];
	struct stat st;

	if (*other->path || *folder != '/' ||
	    !doctor_system_path(&other->doctor->system, path, "%s/%s", folder,
				DOCTOR_LIBRARY_NAME) ||
	    stat(path, &st) != 0)
		return;
	if (st.st_dev != other->loaded.st_dev ||
	    st.st_ino != other->loaded.st_ino)
		(void)snprintf(other->path, sizeof(other->path), "%s/%s",
			       folder, DOCTOR_LIBRARY_NAME);
}

static void doctor_search_linker_folders(struct other_library *other)
{
	void *program = dlopen(NULL, RTLD_LAZY);
	Dl_serinfo size, *folders = NULL;

	if (!program)
		return;
	if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0)
		folders = malloc(size.dls_size);
	if (folders && dlinfo(program, RTLD_DI_SERINFOSIZE, folders) == 0 &&
	    dlinfo(program, RTLD_DI_SERINFO, folders) == 0)
		for (unsigned int i = 0; i < folders->dls_cnt; i++)
			doctor_search_folder(other,
					     folders->dls_serpath[i].dls_name);
	free(folders);
	(void)dlclose(program); /* the program itself stays loaded */
}

static void doctor_search_find_other(struct other_library *other)
{
	char path[PATH_MAX];

	if (!doctor_system_path(&other->doctor->system, path, "%s",
				other->doctor->library.path) ||
	    stat(path, &other->loaded) != 0)
		return;
	doctor_search_linker_folders(other);
	for (size_t i = 0; i < sizeof(usual_folders) / sizeof(usual_folders[0]);
	     i++)
		doctor_search_folder(other, usual_folders[i]);
}

/* Returns the variable because of which @path was loaded, or NULL. */
static const char *doctor_search_variable(const char *path)
{
	const char *folders = getenv("LD_LIBRARY_PATH");
	const char *preload = getenv("LD_PRELOAD");
	size_t len;

	if (preload && strstr(preload, "libibverbs"))
		return "LD_PRELOAD";
	for (; folders && *folders; folders += len + (folders[len] != '\0')) {
		len = strcspn(folders, ":;");
		if (len > 0 && strncmp(path, folders, len) == 0 &&
		    (path[len] == '/' || path[len - 1] == '/'))
			return "LD_LIBRARY_PATH";
	}
	return NULL;
}

static void doctor_search_add_other(struct doctor *doctor,
				    const char *is_anyverbs)
{
	const char *variable = doctor_search_variable(doctor->library.path);
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_LIBRARY_OTHER, NULL, 0,
		"Programs load %s, which is not AnyVerbs%s%s.",
		doctor->library.path, variable ? ", because of " : "",
		variable ? variable : "");
	if (variable) {
		doctor_finding_add_fix(finding, "unset %s", variable);
	} else {
		doctor_finding_add_fix(
			finding, "echo %s > /etc/ld.so.conf.d/00-anyverbs.conf",
			DOCTOR_LIBDIR);
		doctor_finding_add_fix(finding, "ldconfig");
	}
	if (*is_anyverbs)
		doctor_finding_add_fix(finding,
				       "ldd PROGRAM | grep ibverbs   # check");
}

static void doctor_search_check_crash(struct doctor *doctor)
{
	struct doctor_finding *finding;

	if (!doctor->library.crash_signal)
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_LIBRARY_CRASHED, NULL, 0,
		"Listing or testing devices with %s crashes (%s), and programs "
		"will crash as well. One of its providers may be the cause.",
		doctor->library.path, strsignal(doctor->library.crash_signal));
	doctor_finding_add_fix(finding,
			       "gdb -batch -ex run -ex bt ibv_devices");
}

void doctor_check_library(struct doctor *doctor)
{
	struct other_library other = { .doctor = doctor };
	struct doctor_finding *finding;

	doctor_search_check_crash(doctor);
	doctor_search_find_other(&other);
	if (!doctor->library.is_anyverbs) {
		doctor_search_add_other(doctor, other.path);
		return;
	}
	if (!*other.path)
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_LIBRARY_SEVERAL, NULL, 0,
		"Programs load %s; there is another libibverbs at %s. A "
		"program with an RPATH to that folder loads the other one.",
		doctor->library.path, other.path);
	doctor_finding_add_fix(finding, "ldd PROGRAM | grep ibverbs");
}
