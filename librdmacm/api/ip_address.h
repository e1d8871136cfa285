/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Socket addresses of ids: IPv4 and IPv6. */
#ifndef API_IP_ADDRESS_H
#define API_IP_ADDRESS_H

#include <infiniband/verbs.h>

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* The size of an address of IPv4 or IPv6; 0: another family. */
socklen_t ip_address_size(const struct sockaddr *address);

/* The same, also of AF_IB; 0: NULL or another family. */
socklen_t id_address_size(const struct sockaddr *address);

/* Copies an address of a known family; the rest is zero. */
void ip_address_copy(struct sockaddr_storage *ret_to,
		     const struct sockaddr *from);

/* Ports in host order; 0 without an address. */
uint16_t ip_address_port(const struct sockaddr *address);
void ip_address_set_port(struct sockaddr *address, uint16_t port);

bool ip_address_is_any(const struct sockaddr *address);
bool ip_address_is_loopback(const struct sockaddr *address);
bool ip_address_is_link_local(const struct sockaddr *address);

/* Compares families, addresses and ports. */
bool ip_address_equal_port(const struct sockaddr *left,
			   const struct sockaddr *right);
/* Compares families and addresses without ports. */
bool ip_address_equal(const struct sockaddr *left,
		      const struct sockaddr *right);

/* The wildcard address of a family, with port 0. */
void ip_address_set_any(struct sockaddr_storage *ret_address,
			sa_family_t family);

/* The GID of an address; IPv4 is IPv4-mapped. */
void ip_address_to_gid(const struct sockaddr *address, union ibv_gid *ret_gid);

#endif
