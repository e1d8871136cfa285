/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of providers as configuration and environment write them: "rxe",
 * "rxe-rdmav34" for one certain module of that name, "/opt/librxe" for one in a
 * certain folder, or both.
 */
#ifndef CORE_PROVIDER_NAME_H
#define CORE_PROVIDER_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Longest name proper that is taken seriously. */
#define VERBS_PROVIDER_NAME_LEN 64

/* A kind of module; best first. */
struct verbs_module_kind {
	const char *suffix; /* "-rdmav34", between name and ".so" */
	bool foreign;	    /* registers itself, see libibverbs/foreign/ */
};

#define VERBS_NR_MODULE_KINDS 6
extern const struct verbs_module_kind verbs_module_kinds[VERBS_NR_MODULE_KINDS];

/* The parts of a name. */
struct verbs_provider_name {
	const char *text;  /* as it was written */
	size_t stem_len;   /* of it, without the suffix: "/opt/librxe" */
	const char *start; /* of the name proper in @text: "rxe" */
	size_t len;	   /* of the name proper */
	/* The only one that is wanted; NULL: whichever there is. */
	const struct verbs_module_kind *kind;
};

/** verbs_provider_name_split() - find the parts; they point into @text */
struct verbs_provider_name verbs_provider_name_split(const char *text);

/** verbs_provider_name_is() - whether the name proper is @name */
bool verbs_provider_name_is(const struct verbs_provider_name *parts,
			    const char *name);

#endif
