/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Splits the names of providers. core/provider_config.c uses it to compare
 * names, core/provider_module.c to build file names.
 */
#include "core/provider_name.h"

#include <provider/provider.h>
#include <string.h>

const struct verbs_module_kind verbs_module_kinds[VERBS_NR_MODULE_KINDS] = {
	{ .suffix = "-anyverbs" VERBS_PROVIDER_ABI_STRING },
	{ .suffix = "-rdmav65", .foreign = true },
	{ .suffix = "-rdmav64", .foreign = true },
	{ .suffix = "-rdmav59", .foreign = true },
	{ .suffix = "-rdmav57", .foreign = true },
	{ .suffix = "-rdmav34", .foreign = true },
};

/* The kind whose suffix ends @text, or NULL. */
static const struct verbs_module_kind *module_kind_of_name(const char *text,
							   size_t len)
{
	for (size_t i = 0; i < VERBS_NR_MODULE_KINDS; i++) {
		const struct verbs_module_kind *kind = &verbs_module_kinds[i];
		size_t suffix_len = strlen(kind->suffix);

		if (len > suffix_len && memcmp(text + len - suffix_len,
					       kind->suffix, suffix_len) == 0)
			return kind;
	}
	return NULL;
}

struct verbs_provider_name verbs_provider_name_split(const char *text)
{
	const char *slash = strrchr(text, '/');
	struct verbs_provider_name parts = {
		.text = text,
		.stem_len = strlen(text),
		.start = text,
	};

	parts.kind = module_kind_of_name(text, parts.stem_len);
	if (parts.kind)
		parts.stem_len -= strlen(parts.kind->suffix);
	if (slash) {
		parts.start = slash + 1;
		if (strncmp(parts.start, "lib", 3) == 0)
			parts.start += 3;
	}
	parts.len = 0;
	if (parts.start < text + parts.stem_len)
		parts.len = (size_t)(text + parts.stem_len - parts.start);
	return parts;
}

bool verbs_provider_name_is(const struct verbs_provider_name *parts,
			    const char *name)
{
	return parts->len == strlen(name) &&
	       memcmp(parts->start, name, parts->len) == 0;
}
