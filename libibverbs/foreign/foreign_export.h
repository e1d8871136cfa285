/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Gives a function (or an object) the names under which modules of existing
 * releases import it: name@IBVERBS_PRIVATE_<node>. The C name begins with
 * foreign_, so that nothing in the tree calls it by accident. Stands behind
 * the definition, in the same file:
 *
 *	FOREIGN_EXPORT_ALL(foreign_cmd_alloc_pd, ibv_cmd_alloc_pd)
 *
 * Without FOREIGN_WITH_VERSIONS, as in unit tests, nothing is exported. All
 * versions are old ones (one @): nothing is ever linked against them anew.
 */
#ifndef FOREIGN_FOREIGN_EXPORT_H
#define FOREIGN_FOREIGN_EXPORT_H

#ifdef FOREIGN_WITH_VERSIONS
/* A directive, and not gcc's attribute, because clang has only this. */
#define FOREIGN_EXPORT(function, name, node) \
	__asm__(".symver " #function "," #name "@IBVERBS_PRIVATE_" #node);
#else
#define FOREIGN_EXPORT(function, name, node)
#endif

/* In each node from the one in the macro's name on. */
#define FOREIGN_EXPORT_FROM_65(function, name) \
	FOREIGN_EXPORT(function, name, 65)
#define FOREIGN_EXPORT_FROM_64(function, name) \
	FOREIGN_EXPORT(function, name, 64)     \
	FOREIGN_EXPORT_FROM_65(function, name)
#define FOREIGN_EXPORT_FROM_59(function, name) \
	FOREIGN_EXPORT(function, name, 59)     \
	FOREIGN_EXPORT_FROM_64(function, name)
#define FOREIGN_EXPORT_FROM_57(function, name) \
	FOREIGN_EXPORT(function, name, 57)     \
	FOREIGN_EXPORT_FROM_59(function, name)
#define FOREIGN_EXPORT_ALL(function, name) \
	FOREIGN_EXPORT(function, name, 34) \
	FOREIGN_EXPORT_FROM_57(function, name)

#endif
