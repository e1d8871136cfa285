/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of providers in the configuration and the environment: "rxe",
 * "rxe-rdmav34" for a certain module of that name, "/opt/librxe" for a module
 * in a certain folder, or both.
 */
#ifndef CORE_PROVIDER_NAME_H
#define CORE_PROVIDER_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Longest name without folder and suffix. */
#define VERBS_PROVIDER_NAME_LEN 64

/* A kind of module; the preferred one is first. */
struct verbs_module_kind {
	const char *suffix; /* "-rdmav34", between the name and ".so" */
	bool foreign; /* its constructor registers it, see libibverbs/foreign/
		       */
};

#define VERBS_NR_MODULE_KINDS 6
extern const struct verbs_module_kind verbs_module_kinds[VERBS_NR_MODULE_KINDS];

/* The parts of a name. */
struct verbs_provider_name {
	const char *text; /* as configured */
	size_t stem_len;  /* bytes of @text without the suffix: "/opt/librxe" */
	const char
		*start; /* the name in @text, without folder and "lib": "rxe" */
	size_t len;	/* bytes of the name */
	/* The requested kind; NULL: any. */
	const struct verbs_module_kind *kind;
};

/** verbs_provider_name_split() - find the parts; they point into @text */
struct verbs_provider_name verbs_provider_name_split(const char *text);

/** verbs_provider_name_is() - compare the name without folder and suffix */
bool verbs_provider_name_is(const struct verbs_provider_name *parts,
			    const char *name);

#endif
