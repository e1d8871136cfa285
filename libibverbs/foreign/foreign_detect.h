/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which release of rdma-core a module was built for. */
#ifndef FOREIGN_FOREIGN_DETECT_H
#define FOREIGN_FOREIGN_DETECT_H

#include <stddef.h>

/* Releases that a module may be of. */
struct foreign_range {
	unsigned int oldest;
	unsigned int newest;
};

/**
 * foreign_detect() - narrow down the release of a module
 * @address: in the module
 * @name: of its provider, "mlx5"
 * @node: private ABI that it registered for
 * @range: releases of that node; what is found to be impossible is taken away
 *
 * Looks at what the module imports, and at version numbers in file names: its
 * own, and those of modules in the same folder, which come from one build.
 * What contradicts the imports is ignored.
 *
 * Context: reads the folder of the module.
 */
void foreign_detect(const void *address, const char *name, unsigned int node,
		    struct foreign_range *range);

/**
 * foreign_release_of_file() - the release in the name of a vendor library
 * @file: "libmlx5.so.1.24.44.0", also with folders in front
 *
 * Return: 44; 0 if there is none.
 */
unsigned int foreign_release_of_file(const char *file);

#endif
