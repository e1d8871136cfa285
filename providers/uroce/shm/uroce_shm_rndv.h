/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Long messages that both sides copy, through CMA and mapped memory files. */
#ifndef UROCE_SHM_RNDV_H
#define UROCE_SHM_RNDV_H

#include "uroce/roce/uroce_channel.h"

/* Member @rndv of the channel of a peer whose memory CMA reaches. */
extern const struct uroce_rndv_ops uroce_shm_rndv_ops;

#endif
