/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Socket addresses in commands and responses. */
#ifndef KERNEL_UCM_SOCKADDR_H
#define KERNEL_UCM_SOCKADDR_H

#include <stdint.h>
#include <sys/socket.h>

/**
 * ucm_sockaddr_put() - copy an address into a command
 * @addr: AF_INET, AF_INET6 or AF_IB
 *
 * Return: 0; -EINVAL if the family has no other address.
 */
int ucm_sockaddr_put(const struct sockaddr *addr,
		     struct sockaddr_storage *ret_storage, uint16_t *ret_len);

/**
 * ucm_sockaddr_get() - copy an address out of a response
 * @from: the address, with @len bytes according to the kernel; 0: none
 * @ret_addr: the address; without one, all bytes are 0
 *
 * Return: 0; -EPROTO if family and length do not match.
 */
int ucm_sockaddr_get(const struct sockaddr_storage *from, uint16_t len,
		     struct sockaddr_storage *ret_addr);

#endif
