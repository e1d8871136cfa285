/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registered memory of a connection. */
#ifndef RSOCKET_STREAM_MEMORY_H
#define RSOCKET_STREAM_MEMORY_H

#include "rsocket/socket_object.h"

/**
 * stream_memory_open() - allocate and register the buffers of a connection
 * @sizes: of the connection
 * @nr_iomaps: entries for the peer's mappings
 *
 * On iWARP, also the memory of received words.
 *
 * Return: 0 or -errno; stream_memory_close() must follow in any case.
 */
int stream_memory_open(struct stream_qp *qp, struct ibv_pd *pd,
		       const struct stream_sizes *sizes, uint32_t nr_iomaps);

void stream_memory_close(struct stream_qp *qp);

/** stream_memory_setup() - the setup data that describes the memory */
void stream_memory_setup(const struct stream_qp *qp,
			 const struct stream_sizes *sizes, uint32_t nr_iomaps,
			 struct stream_setup *ret_setup);

#endif
