/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct access: the requester executes a WRITE or READ itself in the memory of
 * a peer, without work of the responder.
 */
#ifndef UROCE_COPY_H
#define UROCE_COPY_H

#include "uroce/engine/uroce_channel.h"

/*
 * Bytes of a copy under the engine lock. 1 MB takes some 70 us, for which each
 * thread that needs the lock waits. Smaller parts cost more: parts of 256 KB
 * take 6 % more time and some more system calls.
 */
#define UROCE_COPY_PART (1u << 20)

/**
 * uroce_copy_direct() - copy by CMA; member @copy of struct uroce_channel
 * @channel: of a peer with an MR directory and CMA (reach)
 * @copy: the part of the WRITE or READ to execute
 *
 * Context: with the engine lock.
 * Return: 0; -EACCES if the directory of the peer does not allow the access:
 * the peer's responder reports the reason; -ENOTCONN if the peer has failed or
 * this process has no directory; or -errno of the system call.
 */
int uroce_copy_direct(struct uroce_channel *channel,
		      const struct uroce_copy *copy);

/** uroce_copy_enter() - member @enter of struct uroce_channel */
uint8_t *uroce_copy_enter(struct uroce_channel *channel,
			  const struct uroce_copy *copy);

/** uroce_copy_leave() - member @leave of struct uroce_channel */
void uroce_copy_leave(struct uroce_channel *channel);

/** uroce_copy_is_recently_polling() - member @is_recently_polling of struct
 * uroce_channel */
bool uroce_copy_is_recently_polling(struct uroce_channel *channel,
				    uint32_t bytes);

#endif
