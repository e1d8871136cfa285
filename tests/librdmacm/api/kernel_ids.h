/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids of tests in the kernel of ucm_kernel.h. */
#ifndef LIBRDMACM_KERNEL_IDS_H
#define LIBRDMACM_KERNEL_IDS_H

#include "librdmacm/api/api_net.h"
#include "librdmacm/api/ucm_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Must follow the four headers above. */
#include <cmocka.h>

#define KERNEL_TEST(name)                                       \
	cmocka_unit_test_setup_teardown(name, ucm_kernel_setup, \
					ucm_kernel_teardown)

#define TEST_PORT 7174

/* An id of the port space TCP, or of another one */
struct rdma_cm_id *test_id_new(struct rdma_event_channel *channel);
struct rdma_cm_id *test_id_new_in(struct rdma_event_channel *channel,
				  enum rdma_port_space ps);
/* An id with a route and a QP */
struct rdma_cm_id *test_route_new(struct rdma_event_channel *channel,
				  enum rdma_port_space ps);
/* An id that listens at the address of the device */
struct rdma_cm_id *test_listener_new(struct rdma_event_channel *channel);

/* The request of a peer with some parameters */
struct ucma_abi_event_resp test_request_event(void);
/* A request to the listener that was made last, and its event acknowledged */
struct rdma_cm_id *test_request_fetch(struct rdma_event_channel *channel,
				      uint32_t *ret_number);
/* Queues an event without parameters of the id that was made last. */
void test_post(enum rdma_cm_event_type type, int status);

#endif
