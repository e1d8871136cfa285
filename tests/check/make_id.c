/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Resolves an address without a network and makes and destroys an id, which
 * needs no RDMA device. install_tree links it in every possible way. In a
 * static program, the call of ibv_get_device_list() selects the providers.
 */
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <rdma/rsocket.h>
#include <stdio.h>

int main(void)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_NUMERICHOST |
						   RAI_PASSIVE,
				       .ai_port_space = RDMA_PS_TCP };
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_addrinfo *info = NULL;
	struct rdma_cm_id *id = NULL;
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (list)
		ibv_free_device_list(list);
	if (!channel || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP)) {
		perror("rdma_create_id");
		return 1;
	}
	if (rdma_getaddrinfo("127.0.0.1", "7471", &hints, &info)) {
		perror("rdma_getaddrinfo");
		return 1;
	}
	rdma_freeaddrinfo(info);
	if (rdma_destroy_id(id)) {
		perror("rdma_destroy_id");
		return 1;
	}
	rdma_destroy_event_channel(channel);
	return rclose(-1) ? 0 : 1; /* no such socket */
}
