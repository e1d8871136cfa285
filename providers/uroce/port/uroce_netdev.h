/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Network interfaces, as far as an RDMA device on top of one is concerned: its
 * state, its MTU, and its addresses, which are the GIDs.
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
	uint32_t speed_mbits; /* 0: not known */
	bool up;	      /* administratively, and with a carrier */
	bool loopback;
	uint8_t node_guid[8]; /* EUI-64, in network order */

	/*
	 * Place 0 is for the link-local IPv6 address (on the loopback interface
	 * ::1) and all zero if there is none, so that the first IPv4 address is
	 * 1. Then IPv4 as ::ffff:a.b.c.d, then other IPv6 addresses.
	 */
	uint32_t nr_gids;
	uint8_t gids[UROCE_MAX_GIDS][UROCE_GID_LEN];
};

/** uroce_netdev_has_gid() - whether an address is one of the interface */
static inline bool uroce_netdev_has_gid(const struct uroce_netdev *dev,
					const uint8_t *gid)
{
	for (uint32_t i = 0; i < dev->nr_gids; i++)
		if (memcmp(dev->gids[i], gid, UROCE_GID_LEN) == 0)
			return true;
	return false;
}

/**
 * uroce_netdev_list() - all interfaces that are up and have an address
 * @ret_devs: receives an array, to be freed with free()
 *
 * Return: number of them, or -errno.
 */
int uroce_netdev_list(struct uroce_netdev **ret_devs);

/**
 * uroce_netdev_read() - one interface, whatever its state
 * @name: its name
 * @ret_dev: receives what is known
 *
 * Return: 0, -ENODEV, or another -errno.
 */
int uroce_netdev_read(const char *name, struct uroce_netdev *ret_dev);

/**
 * uroce_netdev_refresh() - read an interface again
 * @dev: as it was; becomes what it is. Addresses that are still there keep
 *	their places, those that are gone leave places that are all zero, and
 *	new ones take such places.
 *
 * Return: 0, -ENODEV if it is gone, or another -errno.
 */
int uroce_netdev_refresh(struct uroce_netdev *dev);

/**
 * uroce_netdev_is_here() - whether an address is one of this network namespace
 * @gid: IPv4 as ::ffff:a.b.c.d, or IPv6
 * @ifindex: of a link-local address
 *
 * Addresses of multicast groups are nobody's.
 */
bool uroce_netdev_is_here(const uint8_t *gid, unsigned int ifindex);

/**
 * uroce_netdev_payload() - the largest payload of a packet that fits
 * @mtu: of the interface
 *
 * Return: 256, 512, 1024, 2048 or 4096; 0 if not even the smallest fits.
 */
uint32_t uroce_netdev_payload(uint32_t mtu);

#endif
