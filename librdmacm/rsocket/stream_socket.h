/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The operations of stream sockets. */
#ifndef RSOCKET_STREAM_SOCKET_H
#define RSOCKET_STREAM_SOCKET_H

#include "rsocket/socket_object.h"

extern const struct socket_ops stream_ops;

#endif
