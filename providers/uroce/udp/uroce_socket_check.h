/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks descriptors that another process of this user has passed as sockets of
 * port 4791, and their number. A wrong descriptor would shift the indexes of
 * the group, or would become the socket of this process later.
 */
#ifndef UROCE_SOCKET_CHECK_H
#define UROCE_SOCKET_CHECK_H

#include <stdint.h>

/**
 * uroce_socket_check_receivers() - check descriptors passed by another process
 * @own: any socket that this process created in its network namespace
 * @fds: descriptors of another process
 * @nr: > 0
 * @known: descriptors that passed this check, or that this process created
 * @nr_known: may be 0; with @nr UROCE_NR_SLOTS at most
 *
 * Each must be a UDP socket of the network namespace of @own, bound to port
 * 4791 of all addresses, not connected, shared by SO_REUSEPORT, and no
 * duplicate of another one.
 *
 * Return: 0, or -EPROTO. The caller keeps the descriptors.
 */
int uroce_socket_check_receivers(int own, const int *fds, uint32_t nr,
				 const int *known, uint32_t nr_known);

/**
 * uroce_socket_count() - count the sockets with port 4791 of all addresses
 *
 * In the network namespace of the calling thread. Sockets are counted twice or
 * not at all if others are opened or closed meanwhile.
 *
 * Return: the number, or -errno if the kernel shows no list (proc(5)).
 */
int uroce_socket_count(void);

#endif
