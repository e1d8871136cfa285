/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Destinations. When a peer has sent the number of its queue pair, an id of the
 * CM resolves its address and the route, and the route becomes an AH. Another
 * QPN of the same peer needs no other AH.
 */
#include "rsocket/datagram_dest.h"

#include "api/ip_address.h"
#include "rsocket/datagram_port.h"
#include "rsocket/socket_name.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEST_RESOLVE_MS 2000

/* Peers can cause as many. Datagrams of others go by UDP. */
#define DEST_MAX 4096

static struct list_node *dest_bucket(struct datagram *datagram,
				     const struct sockaddr *address)
{
	uint32_t hash = ip_address_port(address);
	union ibv_gid gid;

	ip_address_to_gid(address, &gid);
	for (unsigned int i = 0; i < sizeof(gid.raw); i++)
		hash = hash * 31 + gid.raw[i];
	return &datagram->dests[(hash ^ hash >> 8) % DATAGRAM_NR_BUCKETS];
}

static struct datagram_dest *dest_find(const struct list_node *bucket,
				       const struct sockaddr *address)
{
	struct list_node *node;

	list_for_each (node, bucket) {
		struct datagram_dest *dest =
			list_entry(node, struct datagram_dest, node);

		if (ip_address_equal_port(
			    (const struct sockaddr *)&dest->address, address))
			return dest;
	}
	return NULL;
}

int datagram_dest_get_locked(struct rsocket *socket,
			     const struct sockaddr *address,
			     struct datagram_dest **ret_dest)
{
	struct datagram *datagram = socket->datagram;
	struct list_node *bucket = dest_bucket(datagram, address);
	struct datagram_dest *dest = dest_find(bucket, address);
	struct datagram_port *port;
	int ret;

	if (dest) {
		*ret_dest = dest;
		return 0;
	}
	if (datagram->nr_dests >= DEST_MAX)
		return -ENOBUFS;
	ret = datagram_port_get_locked(socket, address, &port);
	if (ret)
		return ret;
	dest = calloc(1, sizeof(*dest));
	if (!dest)
		return -ENOMEM;
	dest->socket = socket;
	dest->port = port;
	ip_address_copy(&dest->address, address);
	list_add_tail(bucket, &dest->node);
	datagram->nr_dests++;
	*ret_dest = dest;
	return 0;
}

bool datagram_dest_is_ready(const struct datagram_dest *dest)
{
	return dest->ah && dest->qpn;
}

static int dest_resolve_address_locked(struct datagram_dest *dest)
{
	struct sockaddr_storage local, peer;

	ip_address_copy(&local, (struct sockaddr *)&dest->port->address);
	ip_address_copy(&peer, (struct sockaddr *)&dest->address);
	socket_name_unmap(&peer);
	ip_address_set_port((struct sockaddr *)&local, 0);
	return rdma_resolve_addr(dest->id, (struct sockaddr *)&local,
				 (struct sockaddr *)&peer, DEST_RESOLVE_MS);
}

void datagram_dest_set_qpn_locked(struct datagram_dest *dest, uint32_t qpn)
{
	int ret;

	dest->qpn = qpn;
	if (dest->ah || dest->is_resolving)
		return;
	if (!dest->id && rdma_create_id(dest->socket->datagram->cm_channel,
					&dest->id, dest, RDMA_PS_UDP) != 0)
		return;
	/* After a failure, it continues where it failed. */
	ret = dest->has_address ? rdma_resolve_route(dest->id, DEST_RESOLVE_MS)
				: dest_resolve_address_locked(dest);
	/* Without it, datagrams continue to use UDP. */
	dest->is_resolving = ret == 0;
}

void datagram_dest_free(struct datagram_dest *dest)
{
	/* Waits for the thread of CM events. */
	if (dest->id)
		(void)rdma_destroy_id(dest->id);
	if (dest->ah)
		(void)ibv_destroy_ah(dest->ah);
	free(dest);
}

/* -- events -- */

/* RoCE v2 if the port has the GID of both versions */
static int gid_find_index(const struct rdma_cm_id *id, const union ibv_gid *gid)
{
	struct ibv_port_attr attr;
	struct ibv_gid_entry entry;
	int found = -EADDRNOTAVAIL;

	if (ibv_query_port(id->verbs, id->port_num, &attr) != 0)
		return -EIO;
	for (int i = 0; i < attr.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(id->verbs, id->port_num, (uint32_t)i,
				     &entry, 0) != 0 ||
		    memcmp(&entry.gid, gid, sizeof(*gid)) != 0)
			continue;
		if (entry.gid_type == IBV_GID_TYPE_ROCE_V2)
			return i;
		if (found < 0)
			found = i;
	}
	return found;
}

static int path_to_ah_attr(const struct rdma_cm_id *id,
			   struct ibv_ah_attr *ret_attr)
{
	const struct ibv_sa_path_rec *path = id->route.path_rec;
	const union ibv_gid *sgid = &id->route.addr.addr.ibaddr.sgid;
	const union ibv_gid *dgid = &id->route.addr.addr.ibaddr.dgid;
	struct ibv_port_attr port;
	int index;

	if (!path || ibv_query_port(id->verbs, id->port_num, &port) != 0)
		return -EIO;
	*ret_attr = (struct ibv_ah_attr){
		.dlid = be16toh(path->dlid),
		.sl = path->sl,
		.src_path_bits =
			(uint8_t)(be16toh(path->slid) & ((1u << port.lmc) - 1)),
		.static_rate = path->rate,
		.port_num = id->port_num,
		.is_global = port.link_layer == IBV_LINK_LAYER_ETHERNET ||
			     path->hop_limit > 1,
	};
	if (!ret_attr->is_global)
		return 0;
	index = gid_find_index(id, sgid);
	if (index < 0)
		return index;
	ret_attr->grh = (struct ibv_global_route){
		.dgid = *dgid,
		.flow_label = be32toh(path->flow_label),
		.sgid_index = (uint8_t)index,
		.hop_limit = path->hop_limit ? path->hop_limit : UINT8_MAX,
		.traffic_class = path->traffic_class,
	};
	return 0;
}

static void dest_create_ah_locked(struct datagram_dest *dest)
{
	const struct rdma_cm_id *id = dest->port->id;
	struct ibv_ah_attr attr;

	dest->is_resolving = false;
	if (dest->id->verbs != id->verbs || dest->id->port_num != id->port_num)
		return;
	if (path_to_ah_attr(dest->id, &attr) == 0)
		dest->ah = ibv_create_ah(id->qp->pd, &attr);
}

void datagram_dest_event(const struct rdma_cm_event *event)
{
	struct datagram_dest *dest = event->id->context;
	struct rsocket *socket;

	/* The id of a queue pair has no context. */
	if (!dest)
		return;
	socket = dest->socket;
	verbs_mutex_lock(&socket->lock);
	if (socket->state == RSOCKET_CLOSED || !dest->is_resolving) {
		verbs_mutex_unlock(&socket->lock);
		return;
	}
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		dest->has_address = true;
		dest->is_resolving =
			rdma_resolve_route(event->id, DEST_RESOLVE_MS) == 0;
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		dest_create_ah_locked(dest);
		break;
	default:
		/* The next message of the peer is another attempt. */
		dest->is_resolving = false;
		break;
	}
	verbs_mutex_unlock(&socket->lock);
}
