/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of the own connection manager. */
#ifndef API_OWN_TABLE_H
#define API_OWN_TABLE_H

#include "forward/forward_table.h"

/* A member is NULL if the function is not implemented. */
extern const struct forward_table own_table;

#endif
