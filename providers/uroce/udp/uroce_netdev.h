/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Network interfaces, with the properties that an RDMA device on top of one
 * needs: state, MTU, and addresses, which are the GIDs.
 */
#ifndef UROCE_NETDEV_H
#define UROCE_NETDEV_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "uroce/wire/uroce_packet.h"

#define UROCE_MAX_GIDS 64

struct uroce_netdev {
	char name[IF_NAMESIZE];
	unsigned int ifindex;
	uint32_t mtu;	      /* bytes, IP header included */
	uint32_t speed_mbits; /* 0: unknown */
	bool up;	      /* administratively up, and with a carrier */
	bool loopback;
	uint8_t node_guid[8]; /* EUI-64, in network order */

	/*
	 * Index 0 is for the link-local IPv6 address (::1 on the loopback
	 * interface), or zero if there is none, so that the first IPv4 address
	 * has index 1. IPv4 addresses follow as ::ffff:a.b.c.d, then other IPv6
	 * addresses.
	 */
	uint32_t nr_gids;
	uint8_t gids[UROCE_MAX_GIDS][UROCE_GID_LEN];
};

/** uroce_netdev_has_gid() - whether @gid is an address of the interface */
static inline bool uroce_netdev_has_gid(const struct uroce_netdev *dev,
					const uint8_t *gid)
{
	for (uint32_t i = 0; i < dev->nr_gids; i++)
		if (memcmp(dev->gids[i], gid, UROCE_GID_LEN) == 0)
			return true;
	return false;
}

/**
 * uroce_netdev_list() - list the interfaces that are up and have an address
 * @ret_devs: receives an array, which the caller frees with free()
 *
 * Return: number of interfaces, or -errno.
 */
int uroce_netdev_list(struct uroce_netdev **ret_devs);

/**
 * uroce_netdev_read() - read one interface, whatever its state
 * @name: its name
 * @ret_dev: receives its properties
 *
 * Return: 0, -ENODEV, or another -errno.
 */
int uroce_netdev_read(const char *name, struct uroce_netdev *ret_dev);

/**
 * uroce_netdev_refresh() - read an interface again
 * @dev: previous properties; receives the current ones. Addresses that still
 *	exist keep their index, removed addresses leave a GID of zeros, and new
 *	addresses take the index of such a GID.
 *
 * Return: 0, -ENODEV if the interface is gone, or another -errno.
 */
int uroce_netdev_refresh(struct uroce_netdev *dev);

/**
 * uroce_netdev_is_here() - whether an address is one of this network namespace
 * @gid: IPv4 as ::ffff:a.b.c.d, or IPv6
 * @ifindex: interface of a link-local address
 *
 * Return: false for the address of a multicast group.
 */
bool uroce_netdev_is_here(const uint8_t *gid, unsigned int ifindex);

/**
 * uroce_netdev_payload() - return the largest payload that fits in a packet
 * @mtu: MTU of the interface in bytes
 *
 * Return: 256, 512, 1024, 2048 or 4096; 0 if not even the smallest fits.
 */
uint32_t uroce_netdev_payload(uint32_t mtu);

#endif
