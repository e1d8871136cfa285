/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of the communication manager: lists in the caller's memory, chosen
 * by a hash with a secret seed, because peers choose most of the keys.
 */
#include "cm/cm_parts.h"

#include <errno.h>
#include <string.h>

/* A finalizer with good avalanche (MurmurHash3). */
static uint64_t table_mix(uint64_t value)
{
	value ^= value >> 33;
	value *= 0xff51afd7ed558ccdULL;
	value ^= value >> 33;
	value *= 0xc4ceb9fe1a85ec53ULL;
	return value ^ value >> 33;
}

static struct list_node *table_list(const struct cm_engine *cm,
				    enum cm_table table, uint64_t key_high,
				    uint64_t key_low)
{
	uint64_t hash = table_mix(cm->config.hash_seed ^ key_high);

	hash = table_mix(hash ^ cm->config.hash_seed ^ key_low);
	return &cm->buckets[(size_t)table * cm->nr_buckets +
			    (hash & (cm->nr_buckets - 1))];
}

void cm_table_add(struct cm_engine *cm, enum cm_table table, uint64_t key_high,
		  uint64_t key_low, struct list_node *node)
{
	list_add_tail(table_list(cm, table, key_high, key_low), node);
}

struct cm_listener *cm_table_find_listener(struct cm_engine *cm,
					   uint64_t service_id, bool is_sidr)
{
	struct list_node *list =
		table_list(cm, CM_TABLE_LISTENER, is_sidr, service_id);
	struct list_node *pos;

	list_for_each (pos, list) {
		struct cm_listener *listener =
			list_entry(pos, struct cm_listener, node);

		if (listener->service_id == service_id &&
		    listener->is_sidr == is_sidr)
			return listener;
	}
	return NULL;
}

struct cm_conn *cm_table_find_id(struct cm_engine *cm, uint32_t comm_id)
{
	struct list_node *list = table_list(cm, CM_TABLE_ID, 0, comm_id);
	struct list_node *pos;

	list_for_each (pos, list) {
		struct cm_conn *conn = list_entry(pos, struct cm_conn, id_node);

		if (conn->local_comm_id == comm_id)
			return conn;
	}
	return NULL;
}

struct cm_conn *cm_table_find_remote_id(struct cm_engine *cm, uint64_t ca_guid,
					uint32_t comm_id)
{
	struct list_node *list =
		table_list(cm, CM_TABLE_REMOTE_ID, ca_guid, comm_id);
	struct list_node *pos;

	list_for_each (pos, list) {
		struct cm_conn *conn =
			list_entry(pos, struct cm_conn, remote_id_node);

		if (conn->remote_ca_guid == ca_guid &&
		    conn->remote_comm_id == comm_id)
			return conn;
	}
	return NULL;
}

struct cm_conn *cm_table_find_remote_qpn(struct cm_engine *cm, uint64_t ca_guid,
					 uint32_t qpn)
{
	struct list_node *list =
		table_list(cm, CM_TABLE_REMOTE_QPN, ca_guid, qpn);
	struct list_node *pos;

	list_for_each (pos, list) {
		struct cm_conn *conn =
			list_entry(pos, struct cm_conn, remote_qpn_node);

		if (conn->remote_ca_guid == ca_guid && conn->remote_qpn == qpn)
			return conn;
	}
	return NULL;
}

struct cm_sidr *cm_table_find_sidr_active(struct cm_engine *cm,
					  uint32_t request_id)
{
	struct list_node *list =
		table_list(cm, CM_TABLE_SIDR_ACTIVE, 0, request_id);
	struct list_node *pos;

	list_for_each (pos, list) {
		struct cm_sidr *sidr = list_entry(pos, struct cm_sidr, node);

		if (sidr->request_id == request_id)
			return sidr;
	}
	return NULL;
}

struct cm_sidr *cm_table_find_sidr_passive(struct cm_engine *cm,
					   uint32_t request_id,
					   const uint8_t *dgid)
{
	struct list_node *list =
		table_list(cm, CM_TABLE_SIDR_PASSIVE, 0, request_id);
	struct list_node *pos;

	list_for_each (pos, list) {
		struct cm_sidr *sidr = list_entry(pos, struct cm_sidr, node);

		if (sidr->request_id == request_id &&
		    memcmp(sidr->path.dgid, dgid, CM_GID_LEN) == 0)
			return sidr;
	}
	return NULL;
}

int cm_listener_hold(struct cm_listener *listener, struct list_node *node)
{
	if (listener->nr_pending >= listener->backlog)
		return -EAGAIN;
	listener->nr_pending++;
	list_add_tail(&listener->pending, node);
	return 0;
}

void cm_listener_release(struct cm_listener **listener, struct list_node *node)
{
	if (!*listener)
		return;
	(*listener)->nr_pending--;
	list_del(node);
	*listener = NULL;
}

int cm_listener_add(struct cm_engine *cm, struct cm_listener *listener)
{
	if (cm_table_find_listener(cm, listener->service_id, listener->is_sidr))
		return -EADDRINUSE;
	listener->nr_pending = 0;
	list_init(&listener->pending);
	list_init(&listener->node);
	cm_table_add(cm, CM_TABLE_LISTENER, listener->is_sidr,
		     listener->service_id, &listener->node);
	return 0;
}

void cm_listener_remove(struct cm_engine *cm, struct cm_listener *listener)
{
	while (!list_empty(&listener->pending)) {
		struct list_node *node = listener->pending.next;

		if (listener->is_sidr)
			list_entry(node, struct cm_sidr, pending_node)
				->listener = NULL;
		else
			list_entry(node, struct cm_conn, pending_node)
				->listener = NULL;
		list_del(node);
	}
	listener->nr_pending = 0;
	list_del(&listener->node);
}
