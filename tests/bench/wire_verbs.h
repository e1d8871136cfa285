/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A verbs device at each end of a benchmark, and queue pairs between them. */
#ifndef WIRE_VERBS_H
#define WIRE_VERBS_H

#include <infiniband/verbs.h>

#include "wire_rig.h"

#define WIRE_DEPTH 16 /* work requests of a queue */

struct wire_device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	char *memory;
	union ibv_gid gid;
	uint8_t gid_index;
};

/* A queue pair, and the one at the other end. */
struct wire_link {
	struct ibv_qp *qp;
	struct wire_address peer;
};

/**
 * wire_device_open() - open the device of this end's interface
 * @nr_qps: queue pairs that will use its CQ
 * @bytes: length of its memory
 */
void wire_device_open(const struct wire_end *end, struct wire_device *device,
		      unsigned int nr_qps, uint32_t bytes);

/**
 * wire_device_close() - close the device; all links must be closed
 */
void wire_device_close(const struct wire_end *end, struct wire_device *device);

/**
 * wire_link_open() - make a queue pair and publish its address as @number
 */
void wire_link_open(const struct wire_end *end,
		    const struct wire_device *device, struct wire_link *link,
		    unsigned int number);

/**
 * wire_link_connect() - connect to the queue pair @number of the other side
 */
void wire_link_connect(const struct wire_end *end,
		       const struct wire_device *device, struct wire_link *link,
		       unsigned int number, enum ibv_mtu mtu);

void wire_link_close(const struct wire_end *end, struct wire_link *link);

/**
 * wire_verbs_latency() - measure a ping-pong of SENDs, over @nr_links in turn
 * @bytes: length of a message
 *
 * Return: half a round trip in us, the median of @nr.
 */
double wire_verbs_latency(struct wire_end *end,
			  const struct wire_device *device,
			  const struct wire_link *links, unsigned int nr_links,
			  uint32_t bytes, unsigned int nr);

/**
 * wire_verbs_rate() - measure a stream of @nr messages of @bytes
 * @server_sleeps: the server sleeps and does not poll meanwhile; not with SEND
 *
 * The stream goes from client to server, with READ from server to client.
 *
 * Return: GB/s.
 */
double wire_verbs_rate(struct wire_end *end, const struct wire_device *device,
		       const struct wire_link *link, enum ibv_wr_opcode opcode,
		       uint32_t bytes, bool server_sleeps, unsigned int nr);

#endif
