/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rsocket functions of the own connection manager. */
#ifndef RSOCKET_RSOCKET_TABLE_H
#define RSOCKET_RSOCKET_TABLE_H

#include "forward/forward_table.h"

/* Members of functions that are not implemented, and of rdma_*, are NULL. */
extern const struct forward_table rsocket_table;

#endif
