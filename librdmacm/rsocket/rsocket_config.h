/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Defaults of new sockets, which the administrator may change. */
#ifndef RSOCKET_RSOCKET_CONFIG_H
#define RSOCKET_RSOCKET_CONFIG_H

#include <stdint.h>

struct rsocket_config {
	uint32_t recv_len, send_len; /* buffers in bytes */
	uint32_t nr_sends, nr_recvs; /* entries of the queues */
	uint32_t max_inline;	     /* bytes */
	uint32_t nr_iomaps;
	uint32_t polling_time_us; /* before a thread sleeps */
};

/* Bounds of the sizes of queues and buffers */
#define RSOCKET_MIN_QUEUE  16
#define RSOCKET_MAX_QUEUE  65534
#define RSOCKET_MIN_BUFFER 4096
#define RSOCKET_MAX_BUFFER (1u << 30)

/**
 * rsocket_config_get() - the numbers in the files of /etc/rdma/rsocket
 *
 * The first call reads the files. A file that is absent or invalid leaves the
 * default of the library.
 *
 * Context: any thread.
 */
const struct rsocket_config *rsocket_config_get(void);

/** rsocket_size_clamp() - @value, but at least @min and at most @max */
uint32_t rsocket_size_clamp(uint32_t value, uint32_t min, uint32_t max);

#endif
