/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct access: the requester executes a WRITE or READ itself in the memory of
 * a peer, without work of the responder.
 */
#ifndef UROCE_SHM_DIRECT_H
#define UROCE_SHM_DIRECT_H

#include "uroce/roce/uroce_channel.h"

/*
 * Bytes of a copy under the engine lock. 1 MB takes some 70 us, for which each
 * thread that needs the lock waits. Smaller parts cost more: parts of 256 KB
 * take 6 % more time and some more system calls.
 */
#define UROCE_SHM_DIRECT_CHUNK (1u << 20)

/**
 * uroce_shm_direct_copy() - copy by CMA; member @direct_copy of struct
 * uroce_channel
 * @channel: of a peer with an MR directory and CMA (cma)
 * @copy: the part of the WRITE or READ to execute
 *
 * Context: with the engine lock.
 * Return: 0; -EACCES if the directory of the peer does not allow the access:
 * the peer's responder reports the reason; -ENOTCONN if the peer has failed or
 * this process has no directory; or -errno of the system call.
 */
int uroce_shm_direct_copy(struct uroce_channel *channel,
			  const struct uroce_direct_access *copy);

/** uroce_shm_direct_begin() - member @direct_begin of struct uroce_channel */
uint8_t *uroce_shm_direct_begin(struct uroce_channel *channel,
				const struct uroce_direct_access *copy);

/** uroce_shm_direct_end() - member @direct_end of struct uroce_channel */
void uroce_shm_direct_end(struct uroce_channel *channel);

/**
 * uroce_shm_is_recently_polling() - member @is_recently_polling of
 * struct uroce_channel
 */
bool uroce_shm_is_recently_polling(struct uroce_channel *channel,
				   uint32_t bytes);

#endif
