/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads interfaces with getifaddrs(3) and ioctl(2). Called when devices are
 * listed or opened, and when the kernel reports a change.
 */
#include "uroce/udp/uroce_netdev.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uroce/udp/uroce_socket.h"
#include "util/array.h"
#include "util/nocancel.h"

/* Index 0 of the GID table is reserved (struct uroce_netdev). */
#define FIRST_OTHER_GID 1

/* Bytes for headers and ICRC, as in rdma_rxe (RXE_MAX_HDR_LENGTH). */
#define HEADERS 80

uint32_t uroce_netdev_payload(uint32_t mtu)
{
	uint32_t payload = UROCE_MAX_MTU;

	while (payload >= 256 && payload + HEADERS > mtu)
		payload /= 2;
	return payload >= 256 ? payload : 0;
}

/* Makes an EUI-64 from a MAC (RFC 4291, appendix A), or else from ifindex. */
static void make_guid(struct uroce_netdev *dev, const uint8_t *mac, size_t len)
{
	static const uint8_t none[6];
	uint8_t *guid = dev->node_guid;

	if (len == sizeof(none) && memcmp(mac, none, sizeof(none)) != 0) {
		memcpy(guid, mac, 3);
		memcpy(guid + 5, mac + 3, 3);
		guid[0] ^= 2;
	} else {
		guid[0] = 2; /* locally administered */
		guid[6] = (uint8_t)(dev->ifindex >> 8);
		guid[7] = (uint8_t)dev->ifindex;
	}
	guid[3] = 0xff;
	guid[4] = 0xfe;
}

static void read_speed(int fd, struct uroce_netdev *dev)
{
	struct ethtool_cmd cmd = { .cmd = ETHTOOL_GSET };
	struct ifreq request = { .ifr_data = (char *)&cmd };
	uint32_t speed;

	memcpy(request.ifr_name, dev->name, sizeof(request.ifr_name));
	if (ioctl(fd, SIOCETHTOOL, &request))
		return; /* many virtual interfaces report no speed */
	/* ethtool_cmd_speed() overflows for an unknown speed */
	speed = (uint32_t)cmd.speed_hi << 16 | cmd.speed;
	if (speed != (uint32_t)SPEED_UNKNOWN)
		dev->speed_mbits = speed;
}

/* Reads all properties except the addresses. */
static int read_link(int fd, struct uroce_netdev *dev)
{
	struct ifreq request = {};
	int flags;

	memcpy(request.ifr_name, dev->name, sizeof(request.ifr_name));
	if (ioctl(fd, SIOCGIFINDEX, &request))
		return -errno;
	dev->ifindex = (unsigned int)request.ifr_ifindex;
	if (ioctl(fd, SIOCGIFFLAGS, &request))
		return -errno;
	flags = request.ifr_flags;
	dev->loopback = flags & IFF_LOOPBACK;
	dev->up = flags & IFF_UP && flags & IFF_RUNNING;
	if (ioctl(fd, SIOCGIFMTU, &request))
		return -errno;
	dev->mtu = (uint32_t)request.ifr_mtu;
	make_guid(dev, NULL, 0);
	read_speed(fd, dev);
	return 0;
}

static void add_gid(struct uroce_netdev *dev, const uint8_t *gid)
{
	if (dev->nr_gids < FIRST_OTHER_GID)
		dev->nr_gids = FIRST_OTHER_GID;
	if (dev->nr_gids < UROCE_MAX_GIDS)
		memcpy(dev->gids[dev->nr_gids++], gid, UROCE_GID_LEN);
}

/* Offsets, since a cast to these types may require more alignment. */
#define IPV4_AT offsetof(struct sockaddr_in, sin_addr)
#define IPV6_AT offsetof(struct sockaddr_in6, sin6_addr)

union any_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static void add_ipv4(struct uroce_netdev *dev, const struct sockaddr *addr)
{
	uint8_t gid[UROCE_GID_LEN] = { [10] = 0xff, [11] = 0xff };

	memcpy(gid + 12, (const uint8_t *)addr + IPV4_AT, 4);
	add_gid(dev, gid);
}

static void add_ipv6(struct uroce_netdev *dev, const struct sockaddr *addr)
{
	struct in6_addr ip;

	memcpy(&ip, (const uint8_t *)addr + IPV6_AT, sizeof(ip));
	if ((IN6_IS_ADDR_LINKLOCAL(&ip) || IN6_IS_ADDR_LOOPBACK(&ip)) &&
	    uroce_gid_is_zero(dev->gids[0])) {
		memcpy(dev->gids[0], &ip, UROCE_GID_LEN);
		if (dev->nr_gids < FIRST_OTHER_GID)
			dev->nr_gids = FIRST_OTHER_GID;
		return;
	}
	add_gid(dev, ip.s6_addr);
}

/* Whether @at is an address of @dev, with a label such as eth0:1 or without. */
static bool netdev_is_of(const struct ifaddrs *at,
			 const struct uroce_netdev *dev)
{
	size_t len = strcspn(at->ifa_name, ":");

	return at->ifa_addr && strlen(dev->name) == len &&
	       memcmp(at->ifa_name, dev->name, len) == 0;
}

/* Adds IPv4 before IPv6 addresses, whatever the order of the kernel. */
static void read_addresses(const struct ifaddrs *list, struct uroce_netdev *dev)
{
	const struct ifaddrs *at;

	for (at = list; at; at = at->ifa_next) {
		if (!netdev_is_of(at, dev))
			continue;
		if (at->ifa_addr->sa_family == AF_PACKET) {
			struct sockaddr_ll link;

			memcpy(&link, at->ifa_addr, sizeof(link));
			make_guid(dev, link.sll_addr, link.sll_halen);
		} else if (at->ifa_addr->sa_family == AF_INET) {
			add_ipv4(dev, at->ifa_addr);
		}
	}
	for (at = list; at; at = at->ifa_next)
		if (netdev_is_of(at, dev) &&
		    at->ifa_addr->sa_family == AF_INET6)
			add_ipv6(dev, at->ifa_addr);
}

static int read_one(int fd, const struct ifaddrs *list, const char *name,
		    struct uroce_netdev *ret_dev)
{
	struct uroce_netdev dev = {};
	size_t len = strlen(name);
	int ret;

	if (len >= sizeof(dev.name))
		return -ENODEV;
	memcpy(dev.name, name, len);
	ret = read_link(fd, &dev);
	if (ret)
		return ret;
	read_addresses(list, &dev);
	*ret_dev = dev;
	return 0;
}

static int open_all(int *ret_fd, struct ifaddrs **ret_list)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int state, ret;

	if (fd < 0)
		return -errno;
	state = cancel_disable();
	ret = getifaddrs(ret_list) ? -errno : 0;
	cancel_restore(state);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	*ret_fd = fd;
	return 0;
}

static bool is_listed(const struct uroce_netdev *devs, int nr, const char *name)
{
	for (int i = 0; i < nr; i++)
		if (strcmp(devs[i].name, name) == 0)
			return true;
	return false;
}

static int list_names(int fd, const struct ifaddrs *list,
		      struct uroce_netdev **ret_devs)
{
	struct uroce_netdev *devs = NULL, *grown;
	int nr = 0;

	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		if (strchr(at->ifa_name, ':') ||
		    is_listed(devs, nr, at->ifa_name))
			continue;
		grown = array_grow(devs, (size_t)nr, sizeof(*devs));
		if (!grown) {
			free(devs);
			return -ENOMEM;
		}
		devs = grown;
		/* omits an interface that is gone by now */
		if (read_one(fd, list, at->ifa_name, &devs[nr]) == 0 &&
		    devs[nr].up && devs[nr].nr_gids)
			nr++;
	}
	*ret_devs = devs;
	return nr;
}

int uroce_netdev_list(struct uroce_netdev **ret_devs)
{
	struct ifaddrs *list = NULL;
	int ret, fd = -1;

	ret = open_all(&fd, &list);
	if (ret)
		return ret;
	ret = list_names(fd, list, ret_devs);
	freeifaddrs(list);
	(void)close(fd);
	return ret;
}

int uroce_netdev_read(const char *name, struct uroce_netdev *ret_dev)
{
	struct ifaddrs *list = NULL;
	int ret, fd = -1;

	ret = open_all(&fd, &list);
	if (ret)
		return ret;
	ret = read_one(fd, list, name, ret_dev);
	freeifaddrs(list);
	(void)close(fd);
	return ret;
}

/* Never returns index 0, which is reserved. NULL: the table is full. */
static uint8_t *free_place(struct uroce_netdev *dev)
{
	for (uint32_t i = FIRST_OTHER_GID; i < dev->nr_gids; i++)
		if (uroce_gid_is_zero(dev->gids[i]))
			return dev->gids[i];
	if (dev->nr_gids < FIRST_OTHER_GID)
		dev->nr_gids = FIRST_OTHER_GID;
	return dev->nr_gids < UROCE_MAX_GIDS ? dev->gids[dev->nr_gids++] : NULL;
}

/* Copies the addresses of @fresh to @dev; known ones keep their index. */
static void keep_places(struct uroce_netdev *dev, struct uroce_netdev *fresh)
{
	for (uint32_t i = 0; i < dev->nr_gids; i++)
		if (!uroce_netdev_has_gid(fresh, dev->gids[i]))
			memset(dev->gids[i], 0, UROCE_GID_LEN);
	for (uint32_t i = 0; i < fresh->nr_gids; i++) {
		uint8_t *place;

		if (uroce_gid_is_zero(fresh->gids[i]) ||
		    uroce_netdev_has_gid(dev, fresh->gids[i]))
			continue;
		place = i || !uroce_gid_is_zero(dev->gids[0]) ? free_place(dev)
							      : dev->gids[0];
		if (place)
			memcpy(place, fresh->gids[i], UROCE_GID_LEN);
	}
	if (!dev->nr_gids)
		dev->nr_gids = fresh->nr_gids;
}

int uroce_netdev_refresh(struct uroce_netdev *dev)
{
	struct uroce_netdev fresh;
	int ret = uroce_netdev_read(dev->name, &fresh);

	if (ret)
		return ret;
	keep_places(dev, &fresh);
	fresh.nr_gids = dev->nr_gids;
	memcpy(fresh.gids, dev->gids, sizeof(fresh.gids));
	*dev = fresh;
	return 0;
}

static socklen_t name_of(const uint8_t *gid, unsigned int ifindex,
			 union any_address *ret_name)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };

	if (memcmp(gid, v4, sizeof(v4)) == 0) {
		ret_name->v4 = (struct sockaddr_in){ .sin_family = AF_INET };
		memcpy(&ret_name->v4.sin_addr, gid + 12, 4);
		return sizeof(ret_name->v4);
	}
	ret_name->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6 };
	memcpy(&ret_name->v6.sin6_addr, gid, UROCE_GID_LEN);
	if (IN6_IS_ADDR_LINKLOCAL(&ret_name->v6.sin6_addr))
		ret_name->v6.sin6_scope_id = ifindex;
	return sizeof(ret_name->v6);
}

/* bind() accepts only addresses of this host and of multicast groups. */
bool uroce_netdev_is_here(const uint8_t *gid, unsigned int ifindex)
{
	union any_address name;
	socklen_t len = name_of(gid, ifindex, &name);
	int fd = uroce_socket_is_multicast(gid)
			 ? -1
			 : socket(name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC,
				  0);
	bool here;

	if (fd < 0)
		return false;
	here = bind(fd, &name.any, len) == 0;
	(void)close(fd);
	return here;
}
