/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Configuration, warnings and checks for tests that load modules. */
#include "libibverbs/core/load_fixture.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/foreign_hooks.h"
#include "core/provider_registry.h"
#include "libibverbs/core/own_process.h"

bool load_privileged;
unsigned int load_nr_warnings;
char load_warning[512];

char *__real_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name);
void __wrap_verbs_warn(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

char *__wrap_secure_getenv(const char *name)
{
	return load_privileged ? NULL : __real_secure_getenv(name);
}

void __wrap_verbs_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(load_warning, sizeof(load_warning), fmt, args);
	va_end(args);
	load_nr_warnings++;
}

void load_write_file(const char *path, const void *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(close(fd), 0);
}

void load_configure(const char *file, const char *name)
{
	char path[512], text[512];

	(void)snprintf(path, sizeof(path), IBV_CONFIG_DIR "/%s.driver", file);
	(void)snprintf(text, sizeof(text), "driver %s\n", name);
	load_write_file(path, text, strlen(text));
}

void load_start(void)
{
	const struct dirent *entry;
	DIR *folder;

	(void)mkdir(IBV_CONFIG_DIR, 0755);
	folder = opendir(IBV_CONFIG_DIR);
	assert_non_null(folder);
	while ((entry = readdir(folder)) != NULL)
		(void)unlinkat(dirfd(folder), entry->d_name, 0);
	(void)closedir(folder);
	(void)unsetenv("RDMAV_DRIVERS");
	(void)unsetenv("IBV_DRIVERS");
}

void load_start_without_config(void)
{
	load_start();
	assert_int_equal(rmdir(IBV_CONFIG_DIR), 0);
}

void load_set_env(const char *name, const char *value)
{
	assert_int_equal(setenv(name, value, 1), 0);
}

bool load_is_loaded(const char *path)
{
	void *module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

	if (module)
		(void)dlclose(module);
	return module;
}

const char *load_origin(void)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];
	static Dl_info info;

	assert_int_equal(verbs_provider_snapshot(ops), 1);
	assert_int_not_equal(dladdr(ops[0], &info), 0);
	return info.dli_fname;
}

void load_assert_registered(const char *const *names, size_t count)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	assert_int_equal(verbs_provider_snapshot(ops), count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(ops[i]->name, names[i]);
}

void load_assert_nothing_registered(void)
{
	load_assert_registered(NULL, 0);
}

bool load_has_registered(const char *name)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];
	size_t count = verbs_provider_snapshot(ops);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(ops[i]->name, name) == 0)
			return true;
	}
	return false;
}
