/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Exports a function or an object under the names by which modules of rdma-core
 * releases import it: name@IBVERBS_PRIVATE_<node>. The C name begins with
 * foreign_, so that no code of this library calls it by accident. The macro
 * follows the definition in the same file:
 *
 *	FOREIGN_EXPORT_ALL(foreign_cmd_alloc_pd, ibv_cmd_alloc_pd)
 *
 * Without FOREIGN_WITH_VERSIONS, as in unit tests, it exports nothing. All
 * versions are hidden ones (one @): no new module can be linked against them.
 */
#ifndef FOREIGN_FOREIGN_EXPORT_H
#define FOREIGN_FOREIGN_EXPORT_H

#ifdef FOREIGN_WITH_VERSIONS
/* An assembler directive, because clang does not have the attribute of gcc. */
#define FOREIGN_EXPORT(function, name, node) \
	__asm__(".symver " #function "," #name "@IBVERBS_PRIVATE_" #node);
#else
#define FOREIGN_EXPORT(function, name, node)
#endif

/* Exports in the node in the name of the macro and in all later ones. */
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
