/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Detection of the rdma-core release that a module was built for. */
#ifndef FOREIGN_FOREIGN_DETECT_H
#define FOREIGN_FOREIGN_DETECT_H

#include <stddef.h>

/* Releases that a module can be of. */
struct foreign_range {
	unsigned int oldest;
	unsigned int newest;
};

/**
 * foreign_detect() - narrow down the release of a module
 * @address: an address in the module
 * @name: name of its provider, e.g. "mlx5"
 * @node: private ABI that the module registered for
 * @range: in: all releases of that node; out: those that remain possible
 *
 * Uses the imports of the module, and version numbers in file names: that of
 * the module, and those of modules in the same folder, which belong to the same
 * build. A version number that contradicts the imports is ignored.
 *
 * Context: reads the folder of the module.
 */
void foreign_detect(const void *address, const char *name, unsigned int node,
		    struct foreign_range *range);

/**
 * foreign_release_of_file() - parse the release in the name of a vendor library
 * @file: e.g. "libmlx5.so.1.24.44.0", with or without a path
 *
 * Return: 44; 0 if the name contains no release.
 */
unsigned int foreign_release_of_file(const char *file);

#endif
