/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A kernel with a connection manager, in place of /dev/infiniband/rdma_cm: it
 * has ids, with their addresses and events, on each descriptor. A test makes
 * the events of the peer. Link with WRAP write.
 *
 * The kernel has one device, the third one of api_net.h, with the address
 * 10.0.0.3.
 */
#ifndef LIBRDMACM_UCM_KERNEL_H
#define LIBRDMACM_UCM_KERNEL_H

#include <rdma/rdma_cma.h>
#include <rdma/rdma_cma_abi.h>
#include <stdbool.h>
#include <stdint.h>

#define UCM_KERNEL_MAX_COMMANDS 32 /* more than any UCMA_CMD_* */

struct ucm_kernel {
	/* errno of the next command of this number; 0: it succeeds */
	int errors[UCM_KERNEL_MAX_COMMANDS];
	/* Commands of each number, and the last of them */
	unsigned int nr_commands[UCM_KERNEL_MAX_COMMANDS];
	uint8_t last[UCM_KERNEL_MAX_COMMANDS][512];
	unsigned int nr_ids, nr_files;
	uint16_t port_in_use; /* BIND fails with EADDRINUSE */
	uint32_t num_paths;   /* that QUERY reports; it writes one */
	uint16_t src_size;    /* that QUERY reports instead of the size */
	uint64_t node_guid;   /* that QUERY reports instead of the device's */
	bool skips_response;  /* of the next command */
};

extern struct ucm_kernel ucm_kernel;

/* Setup and teardown: three devices; all ids must be destroyed at the end. */
int ucm_kernel_setup(void **state);
int ucm_kernel_teardown(void **state);

/* The last command of a number, which must have been sent */
#define UCM_KERNEL_LAST(number, type) \
	((const struct type *)ucm_kernel_last(number))
const void *ucm_kernel_last(uint32_t number);

/* An event of an id: with its type and status, and all else 0 */
struct ucma_abi_event_resp ucm_kernel_event(enum rdma_cm_event_type type,
					    int status);
/* Queues an event of the id that the last command CREATE_ID has made. */
void ucm_kernel_post(const struct ucma_abi_event_resp *event);
/* Queues a request to that id; returns the number of the new id. */
uint32_t ucm_kernel_post_request(const struct ucma_abi_event_resp *event);
/* Queues an event of the id with this number, which a request has made. */
void ucm_kernel_post_to(uint32_t number,
			const struct ucma_abi_event_resp *event);
/* Queues the event of the last JOIN_MCAST. */
void ucm_kernel_post_join(enum rdma_cm_event_type type, int status);

/* 10.0.0.x */
struct sockaddr *ucm_kernel_address(uint8_t host, uint16_t port);

#endif
