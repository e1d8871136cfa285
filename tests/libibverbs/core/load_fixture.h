/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests that load provider modules: a configuration folder, a count of
 * warnings, and checks of the registered providers.
 *
 * Linked with WRAP secure_getenv verbs_warn.
 */
#ifndef CORE_TEST_LOAD_FIXTURE_H
#define CORE_TEST_LOAD_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

extern bool load_privileged; /* set by the test to simulate a set-uid program */
extern unsigned int load_nr_warnings;
extern char load_warning[512]; /* the last warning */

/* Empties the configuration folder. Call it first. */
void load_start(void);

/* The same, and removes the configuration folder. */
void load_start_without_config(void);

/* Writes <file>.driver with the line "driver <name>". */
void load_configure(const char *file, const char *name);

void load_set_env(const char *name, const char *value);
void load_write_file(const char *path, const void *text, size_t len);

/* Whether the dynamic linker has loaded the file. */
bool load_is_loaded(const char *path);

/* Returns the file of the only registered provider. */
const char *load_origin(void);

bool load_has_registered(const char *name);
void load_assert_nothing_registered(void);
void load_assert_registered(const char *const *names, size_t count);

/* Checks the names of the registered providers and their order. */
#define ASSERT_REGISTERED(...)                                                \
	load_assert_registered((const char *const[]){ __VA_ARGS__ },          \
			       sizeof((const char *const[]){ __VA_ARGS__ }) / \
				       sizeof(const char *))

#endif
