/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A network namespace for a test, which has port 4791 and the addresses to
 * itself. Root can create one; other users can, where the kernel permits user
 * namespaces.
 */
#ifndef UROCE_NETNS_H
#define UROCE_NETNS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Called first in main(). Return: false if there is no namespace, which is
 * printed; then the test shares port 4791 with other processes of the user.
 */
bool uroce_netns_enter(void);

/* Return: whether uroce_netns_enter() was successful. */
bool uroce_netns_entered(void);

/* Sets the address of an interface or of a label such as "lo:1". */
void uroce_netns_set_address(const char *label, const char *address);
void uroce_netns_set_mtu(const char *name, int mtu);
void uroce_netns_set_up(const char *label, bool up);

/*
 * Adds a veth pair: @name here and up, @peer in the namespace of process
 * @peer_pid, or here and up if that is 0.
 */
void uroce_netns_add_veth(const char *name, const char *peer, int peer_pid);
/* Adds an address of a /64 that can be used at once. */
void uroce_netns_add_ipv6(const char *name, const char *address);

/* Converts an address in text form to a GID. */
void uroce_netns_gid(const char *address, uint8_t *ret_gid);

#endif
