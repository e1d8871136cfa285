/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a loaded module imports. */
#ifndef FOREIGN_FOREIGN_IMPORTS_H
#define FOREIGN_FOREIGN_IMPORTS_H

#include <link.h>

/**
 * foreign_imports_visit() - go through the names that a module imports
 * @map: the module
 * @visit: called for each place that is filled with an address, so a name may
 *	come several times
 */
void foreign_imports_visit(const struct link_map *map,
			   void (*visit)(void *arg, const char *name),
			   void *arg);

#endif
