/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queries of ids of the kernel's connection manager. Return values are those of
 * ucm_cmd.h, unless a function returns a number.
 */
#ifndef KERNEL_UCM_QUERY_H
#define KERNEL_UCM_QUERY_H

#include <rdma/rdma_cma.h>
#include <stdint.h>

/* The most records that a query returns */
#define UCM_MAX_PATHS	 5
#define UCM_MAX_SERVICES 16

struct ucm_addr {
	/* Of the device; 0: the id has none, the next three have no meaning. */
	__be64 node_guid;
	uint8_t port_num;
	__be16 pkey;
	int64_t ibdev_index; /* -1: unknown (before 5.8) */
	/* Without an address, the family is 0. */
	struct sockaddr_storage src, dst;
};

/* Addresses of the family that the id was bound or resolved with */
int ucm_cmd_query_addr(int fd, uint32_t id, struct ucm_addr *ret_addr);

/* The GIDs of the addresses, in addresses of the family AF_IB */
int ucm_cmd_query_gid(int fd, uint32_t id, struct ucm_addr *ret_addr);

/**
 * ucm_cmd_query_path() - get the paths of an id
 * @ret_paths: room for UCM_MAX_PATHS records
 *
 * Return: the number of records, or -errno.
 */
int ucm_cmd_query_path(int fd, uint32_t id, struct ibv_sa_path_rec *ret_paths);

/**
 * ucm_cmd_query_service() - get the services that were resolved
 * @ret_services: room for UCM_MAX_SERVICES records
 *
 * Return: the number of records, or -errno; -ENOSYS on kernels up to 6.12.
 */
int ucm_cmd_query_service(int fd, uint32_t id,
			  struct ibv_sa_service_rec *ret_services);

#endif
