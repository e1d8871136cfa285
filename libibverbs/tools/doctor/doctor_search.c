/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which libibverbs.so.1 programs get: this program is linked as they are, so it
 * is the one that was loaded here, unless theirs names a folder of its own.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/doctor/doctor.h"

#define FILE_NAME "libibverbs.so.1"

/* Folders where a second one usually is, beside those of the linker. */
static const char *const usual[] = { "/usr/local/lib", "/usr/lib", "/usr/lib64",
				     "/lib", DOCTOR_LIBDIR };

/* One that is not the loaded one; "" until it is found. */
struct other {
	const struct doctor *doctor;
	struct stat loaded;
	char path[PATH_MAX];
};

static void look_into(struct other *other, const char *folder)
{
	char path[PATH_MAX];
	struct stat st;

	if (*other->path || *folder != '/' ||
	    !doctor_world_path(&other->doctor->world, path, "%s/%s", folder,
			       FILE_NAME) ||
	    stat(path, &st) != 0)
		return;
	if (st.st_dev != other->loaded.st_dev ||
	    st.st_ino != other->loaded.st_ino)
		(void)snprintf(other->path, sizeof(other->path), "%s/%s",
			       folder, FILE_NAME);
}

static void look_where_the_linker_does(struct other *other)
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
			look_into(other, folders->dls_serpath[i].dls_name);
	free(folders);
	(void)dlclose(program); /* the program itself stays */
}

static void find_other(struct other *other)
{
	char path[PATH_MAX];

	if (!doctor_world_path(&other->doctor->world, path, "%s",
			       other->doctor->library.path) ||
	    stat(path, &other->loaded) != 0)
		return;
	look_where_the_linker_does(other);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		look_into(other, usual[i]);
}

/* The folder of LD_LIBRARY_PATH that @path is in, or LD_PRELOAD itself. */
static const char *variable_behind(const char *path)
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

static void add_other(struct doctor *doctor, const char *ours)
{
	const char *variable = variable_behind(doctor->library.path);
	struct doctor_finding *finding;

	finding = doctor_add(&doctor->findings, DOCTOR_LIBRARY_OTHER, NULL, 0,
			     "Programs run with %s, which is not AnyVerbs%s%s.",
			     doctor->library.path,
			     variable ? ", because of " : "",
			     variable ? variable : "");
	if (variable) {
		doctor_cure(finding, "unset %s", variable);
	} else {
		doctor_cure(finding,
			    "echo %s > /etc/ld.so.conf.d/00-anyverbs.conf",
			    DOCTOR_LIBDIR);
		doctor_cure(finding, "ldconfig");
	}
	if (*ours)
		doctor_cure(finding, "ldd PROGRAM | grep ibverbs   # check");
}

static void check_crash(struct doctor *doctor)
{
	struct doctor_finding *finding;

	if (!doctor->library.signal)
		return;
	finding = doctor_add(
		&doctor->findings, DOCTOR_LIBRARY_CRASHED, NULL, 0,
		"Asking %s for devices ends with a crash (%s), and "
		"so will programs. It may be one of its providers.",
		doctor->library.path, strsignal(doctor->library.signal));
	doctor_cure(finding, "gdb -batch -ex run -ex bt ibv_devices");
}

void doctor_check_library(struct doctor *doctor)
{
	struct other other = { .doctor = doctor };
	struct doctor_finding *finding;

	check_crash(doctor);
	find_other(&other);
	if (!doctor->library.ours) {
		add_other(doctor, other.path);
		return;
	}
	if (!*other.path)
		return;
	finding =
		doctor_add(&doctor->findings, DOCTOR_LIBRARY_SEVERAL, NULL, 0,
			   "Programs run with %s; there is another one at %s. "
			   "A program that names that folder itself (an "
			   "RPATH) runs with the other.",
			   doctor->library.path, other.path);
	doctor_cure(finding, "ldd PROGRAM | grep ibverbs");
}
