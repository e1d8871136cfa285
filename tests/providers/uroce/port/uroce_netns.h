/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A network namespace for a test, so that port 4791 is its own and addresses
 * can be changed. Root can make one, and so can others where the kernel lets
 * them have a user namespace.
 */
#ifndef UROCE_NETNS_H
#define UROCE_NETNS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Called first thing in main(). False: there is none, and a line says so; then
 * the test shares port 4791 with the user's other processes.
 */
bool uroce_netns_enter(void);

/* Whether uroce_netns_enter() was successful. */
bool uroce_netns_entered(void);

/* An interface, or a label of one such as "lo:1". */
void uroce_netns_set_address(const char *label, const char *address);
void uroce_netns_set_mtu(const char *name, int mtu);
void uroce_netns_set_up(const char *label, bool up);

/*
 * A veth pair: @name here and up, @peer in the namespace of process
 * @peer_pid, or here and up if that is 0.
 */
void uroce_netns_add_veth(const char *name, const char *peer, int peer_pid);
/* An address of a /64 that can be used at once. */
void uroce_netns_add_ipv6(const char *name, const char *address);

/* GID of an address in text form. */
void uroce_netns_gid(const char *address, uint8_t *ret_gid);

#endif
