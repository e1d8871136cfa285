/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads of the library. */
#ifndef RSOCKET_SOCKET_THREAD_H
#define RSOCKET_SOCKET_THREAD_H

/**
 * socket_thread_start() - start a thread that runs until the process ends
 *
 * Signals are for the threads of the application.
 *
 * Return: 0 or -errno.
 */
int socket_thread_start(void *(*run)(void *), void *arg);

#endif
