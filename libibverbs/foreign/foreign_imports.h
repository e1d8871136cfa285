/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Imported symbols of a loaded module. */
#ifndef FOREIGN_FOREIGN_IMPORTS_H
#define FOREIGN_FOREIGN_IMPORTS_H

#include <link.h>

/**
 * foreign_imports_visit() - call a function for each import of a module
 * @map: the module
 * @visit: called for each relocation of an imported symbol, so a name may be
 *	passed several times
 */
void foreign_imports_visit(const struct link_map *map,
			   void (*visit)(void *arg, const char *name),
			   void *arg);

#endif
