/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The only port of a device, a network interface: state, MTU, speed, and its
 * addresses as GIDs. Each query reads the current values from the worker,
 * because interfaces change.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "uroce/verbs/uroce_verbs.h"

/* PortInfo:PortPhysicalState (IBTA 14.2.5.6) */
#define PHYS_DISABLED 3
#define PHYS_LINK_UP  5

/* Speed of an interface that reports none, in Mb/s. */
#define DEFAULT_SPEED 10000

/* PortInfo:LinkWidthActive, LinkSpeedActive */
struct speed {
	uint32_t mbits; /* of all lanes together */
	uint8_t width;	/* 1: 1x, 2: 4x */
	uint8_t speed;
};

static const struct speed speeds[] = {
	{ 2500, 1, 1 },	   { 5000, 1, 2 },    { 10000, 1, 4 },
	{ 25000, 1, 32 },  { 40000, 2, 4 },   { 50000, 1, 64 },
	{ 100000, 2, 32 }, { 200000, 2, 64 }, { 400000, 2, 128 },
};

static uint32_t speed_of(const struct uroce_netdev *dev)
{
	return dev->speed_mbits ? dev->speed_mbits : DEFAULT_SPEED;
}

uint32_t uroce_port_static_kbps(const struct uroce_netdev *dev, uint8_t code)
{
	int mbits = ibv_rate_to_mbps((enum ibv_rate)code);

	return mbits > 0 && (uint32_t)mbits < speed_of(dev)
		       ? (uint32_t)mbits * 1000
		       : 0;
}

/* The lowest speed that is not below the interface's; else the highest. */
static const struct speed *code_speed(const struct uroce_netdev *dev)
{
	const size_t nr = sizeof(speeds) / sizeof(speeds[0]);
	size_t i = 0;

	while (i < nr - 1 && speeds[i].mbits < speed_of(dev))
		i++;
	return &speeds[i];
}

enum ibv_mtu uroce_port_mtu(const struct uroce_netdev *dev)
{
	uint32_t payload = uroce_netdev_payload(dev->mtu);
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && (128u << (mtu + 1)) <= payload)
		mtu++;
	return mtu;
}

int uroce_query_port(struct ibv_context *ibctx, uint8_t port_num,
		     struct ibv_port_attr *attr)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	const struct speed *speed;
	struct uroce_netdev dev;
	bool up;

	if (port_num != UROCE_PORT)
		return -EINVAL;
	uroce_instance_netdev(ctx->instance, &dev);
	up = dev.up && uroce_netdev_payload(dev.mtu) &&
	     !uroce_instance_port_error(ctx->instance);
	speed = code_speed(&dev);

	attr->state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
	attr->phys_state = up ? PHYS_LINK_UP : PHYS_DISABLED;
	attr->max_mtu = IBV_MTU_4096;
	attr->active_mtu = uroce_port_mtu(&dev);
	attr->gid_tbl_len = UROCE_MAX_GIDS;
	attr->port_cap_flags = IBV_PORT_IP_BASED_GIDS;
	attr->max_msg_sz = UROCE_MAX_MESSAGE;
	attr->pkey_tbl_len = UROCE_NR_PKEYS;
	attr->max_vl_num = 1;
	attr->active_width = speed->width;
	attr->active_speed = speed->speed;
	attr->link_layer = IBV_LINK_LAYER_ETHERNET;
	attr->flags = IBV_QPF_GRH_REQUIRED;

	attr->bad_pkey_cntr =
		(uint32_t)uroce_instance_count(ctx->instance, UROCE_C_BAD_PKEY);
	attr->qkey_viol_cntr =
		(uint32_t)uroce_instance_count(ctx->instance, UROCE_C_BAD_QKEY);
	return 0;
}

int uroce_query_port_speed(struct ibv_context *ctx, uint32_t port_num,
			   uint64_t *ret_speed)
{
	struct uroce_netdev dev;

	if (port_num != UROCE_PORT)
		return -EINVAL;
	uroce_instance_netdev(to_uroce_context(ctx)->instance, &dev);
	*ret_speed = speed_of(&dev) / 100;
	return 0;
}

static void fill_entry(const struct uroce_netdev *dev, uint32_t index,
		       struct ibv_gid_entry *entry)
{
	*entry = (struct ibv_gid_entry){
		.gid_index = index,
		.port_num = UROCE_PORT,
		.gid_type = IBV_GID_TYPE_ROCE_V2,
		.ndev_ifindex = dev->ifindex,
	};
	memcpy(entry->gid.raw, dev->gids[index], UROCE_GID_LEN);
}

int uroce_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
			  uint32_t gid_index, struct ibv_gid_entry *ret_entry)
{
	struct uroce_netdev dev;

	if (port_num != UROCE_PORT || gid_index >= UROCE_MAX_GIDS)
		return -EINVAL;
	uroce_instance_netdev(to_uroce_context(ctx)->instance, &dev);
	if (gid_index >= dev.nr_gids || uroce_gid_is_zero(dev.gids[gid_index]))
		return -ENODATA;
	fill_entry(&dev, gid_index, ret_entry);
	return 0;
}

ssize_t uroce_query_gid_table(struct ibv_context *ctx,
			      struct ibv_gid_entry *entries, size_t max_entries)
{
	struct uroce_netdev dev;
	size_t nr = 0;

	uroce_instance_netdev(to_uroce_context(ctx)->instance, &dev);
	for (uint32_t i = 0; i < dev.nr_gids; i++) {
		if (uroce_gid_is_zero(dev.gids[i]))
			continue;
		if (nr == max_entries)
			return -EINVAL;
		fill_entry(&dev, i, &entries[nr++]);
	}
	return (ssize_t)nr;
}

int uroce_query_pkey(struct ibv_context *ctx, uint8_t port_num, int index,
		     __be16 *ret_pkey)
{
	if (port_num != UROCE_PORT || index < 0 || index >= UROCE_NR_PKEYS)
		return -EINVAL;
	*ret_pkey = htobe16(UROCE_PKEY_DEFAULT);
	return 0;
}
