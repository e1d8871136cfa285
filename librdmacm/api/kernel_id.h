/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of an id in the kernel. The kernel checks the state of the id and
 * the values of arguments. No lock is held during a command.
 */
#ifndef API_KERNEL_ID_H
#define API_KERNEL_ID_H

#include "api/own_id.h"
#include "kernel/ucm_query.h"

struct kernel_id {
	uint32_t number; /* in the kernel */
	bool is_ended;	 /* DISCONNECTED was fetched */
	struct ibv_sa_path_rec paths[UCM_MAX_PATHS];
};

/**
 * kernel_id_new() - give an id a part in the kernel, with its options
 *
 * Does nothing if it has one.
 *
 * Return: 0, or the -errno of kernel_channel_open() or of a command.
 */
int kernel_id_new(struct own_id *own);

/* Is this error of kernel_id_new() that of a host without the kernel's
 * connection manager? */
bool kernel_id_is_missing(int error);

/**
 * kernel_id_destroy() - destroy the part in the kernel
 * @ret_nr_events: for channel_source_wait()
 *
 * Does nothing if there is none.
 *
 * Return: 0, or -errno; the part exists then.
 */
int kernel_id_destroy(struct own_id *own, uint32_t *ret_nr_events);

/*
 * Destroys the part of an id without events for the application. If that fails,
 * the part ends with the channel.
 */
void kernel_id_drop(struct own_id *own);

/* Moves the part to another channel; the rest as kernel_id_destroy(). */
int kernel_id_migrate(struct own_id *own, struct channel *to,
		      uint32_t *ret_nr_events);

/* As rdma_set_option(3) */
int kernel_id_set_option(struct own_id *own, int level, int name,
			 const void *value, size_t len);

/**
 * kernel_id_query_addr() - fill in addresses, GIDs, and the device
 *
 * Return: 0, -ENODEV if libibverbs does not know the device, or -errno.
 */
int kernel_id_query_addr(struct own_id *own);

/* Fills in the paths, which iWARP does not have. */
int kernel_id_query_path(struct own_id *own);

/* The descriptor that commands of an id with a part in the kernel use */
int kernel_id_fd(const struct own_id *own);

#endif
