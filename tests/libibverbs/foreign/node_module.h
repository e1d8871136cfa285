/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Interface of the modules that are built from node_module.c. */
#ifndef FOREIGN_TEST_NODE_MODULE_H
#define FOREIGN_TEST_NODE_MODULE_H

#include <stdbool.h>

struct ibv_device;

/*
 * Offset of ibv_context, whose predecessors are pointers and one uint64_t.
 * @bytes: the offset on 64-bit machines.
 */
#define NODE_FRONT(bytes) (((bytes)-8) / 8 * sizeof(void *) + 8)

struct node_module_calls {
	unsigned int nr_alloc_pd, nr_dealloc_pd;
	unsigned int nr_free_context, nr_uninit_device;
	bool damaged; /* the library wrote outside the context */
	bool allows_disassociate;
};

/* Returns a list of one device, which ibv_free_device_list() frees. */
struct ibv_device **node_module_devices(void);

const struct node_module_calls *node_module_calls(void);

#endif
