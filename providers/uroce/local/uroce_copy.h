/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * WRITEs and READs that are done by who wants them, in the memory of a peer
 * that is about something else.
 */
#ifndef UROCE_COPY_H
#define UROCE_COPY_H

#include "uroce/engine/uroce_channel.h"

/*
 * So much at once takes some 70 us, for which all that needs the engine lock
 * waits. Smaller parts cost more: of 256 KB, 6 % and a few system calls.
 */
#define UROCE_COPY_PART (1u << 20)

/**
 * uroce_copy_direct() - member @copy of a channel: see there
 * @channel: of a peer with a view and a reach
 * @copy: what is wanted
 *
 * Context: with the engine lock.
 * Return: 0; -EACCES if the tables do not say that we may: the other side will
 * tell why; or -errno if its memory could not be reached.
 */
int uroce_copy_direct(struct uroce_channel *channel,
		      const struct uroce_copy *copy);

/** uroce_copy_enter() - member @enter of a channel: see there */
uint8_t *uroce_copy_enter(struct uroce_channel *channel,
			  const struct uroce_copy *copy);

/** uroce_copy_leave() - member @leave of a channel: see there */
void uroce_copy_leave(struct uroce_channel *channel);

/** uroce_copy_is_attended() - member @is_attended of a channel: see there */
bool uroce_copy_is_attended(struct uroce_channel *channel, uint32_t bytes);

#endif
