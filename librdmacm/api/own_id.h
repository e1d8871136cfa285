/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids and devices as the library sees them; the application sees the first
 * member of an id. All members below "host_mutex" are protected by that lock;
 * the others belong to the thread that uses the id.
 */
#ifndef API_OWN_ID_H
#define API_OWN_ID_H

#include "channel/event_channel.h"
#include "cm/cm_engine.h"

#include <provider/gsi.h>
#include <rdma/rdma_cma.h>

#include "util/list.h"

/* Devices with a GSI have one port. */
#define OWN_PORT_NUM 1

enum own_id_state {
	OWN_ID_IDLE,
	OWN_ID_ADDR_BOUND,
	OWN_ID_ADDR_RESOLVED,
	OWN_ID_ROUTE_RESOLVED,
	OWN_ID_CONNECT, /* from the REQ on, also while established */
	OWN_ID_DISCONNECT,
	OWN_ID_LISTEN,
};

struct id_backend;
struct kernel_id;

struct own_device {
	unsigned int index; /* in the list of devices */
	struct ibv_context *context;
	struct ibv_device_attr attr;
	struct ibv_pd *pd; /* the default of ids; NULL without users */
	unsigned int nr_pd_users;
	struct ibv_xrcd *xrcd; /* of ids; NULL before its first use */
	/* NULL: a kernel device, which has no engine */
	const struct verbs_gsi_ops *gsi_ops;
	struct verbs_gsi *gsi;
	/* host_mutex: */
	struct cm_engine cm;
	struct list_node *buckets;
	struct list_node services; /* struct listen_service */
	struct list_node conns;	   /* of ids that have one */
	struct own_id *spare;	   /* for the next REQ */
	struct own_id *spare_sidr; /* for the next SIDR_REQ */
};

/* A port of a port space; see port_table.h */
struct port_binding {
	struct list_node node; /* empty: not bound */
	uint16_t port_space;
	uint16_t port; /* host order */
	struct sockaddr_storage address;
	struct own_device *device; /* NULL: wildcard, all devices */
	bool has_claims;
	bool is_reusable;
	bool is_family_only;
};

/* Values that the two sides of a connection have exchanged */
struct own_conn_values {
	bool has_request; /* a REQ was sent or received */
	bool has_peer;	  /* all values are known */
	uint32_t local_psn, remote_psn;
	uint32_t local_qpn, remote_qpn;
	uint8_t responder_resources, initiator_depth;
	uint8_t retry_count, rnr_retry_count;
	uint8_t ack_timeout; /* 4.096 us * 2^n */
	uint8_t path_mtu;    /* enum ibv_mtu */
	struct ibv_ece remote_ece;
};

struct own_id {
	struct rdma_cm_id id;
	struct channel_source source;
	bool is_sync;			  /* the channel belongs to the id */
	bool is_passive;		  /* of a request */
	const struct id_backend *backend; /* NULL: none is selected */
	struct kernel_id *kernel;	  /* NULL: not in the kernel */
	/* Of an id that a request to the kernel has made */
	struct list_node kernel_requests; /* in kernel_event.c */
	uint32_t kernel_number;
	struct own_device *device;
	bool has_pd;	/* counted in own_device.nr_pd_users */
	int sgid_index; /* -1: the local address has no GID */
	struct port_binding binding;
	uint8_t tos;
	uint8_t ack_timeout;
	bool has_tos, has_ack_timeout;
	bool is_reusable;
	bool is_family_only, has_family_only;
	struct ibv_sa_path_rec path;
	struct ibv_qp_init_attr *endpoint_attr; /* for QPs of requests */
	struct list_node groups;		/* struct multicast_group */
	struct ibv_ece local_ece;		/* of the QP */
	struct rdma_addrinfo *addrinfo;		/* of rdma_resolve_addrinfo() */
	/* A QP transition failed: the end of the connection is known. */
	bool has_connect_error;
	/* host_mutex: */
	enum own_id_state state;
	struct own_conn_values values;
	bool is_accepted; /* a REP was sent */
	bool has_conn;	  /* conn is in the engine of the device */
	struct cm_conn conn;
	bool is_peer_watched; /* its process is of this host */
	bool has_sidr;	      /* the same of datagrams; at most one of both */
	struct cm_sidr sidr;
	struct list_node conn_entry;	     /* has_conn or has_sidr */
	struct list_node listen_node;	     /* empty: does not listen */
	unsigned int backlog;		     /* bound of nr_requests */
	unsigned int nr_requests;	     /* queued, not yet fetched */
	struct channel_event *request_event; /* of a spare */
};

/* An id without anything; free() frees it. NULL: no memory. */
struct own_id *own_id_new(void);

/* Gives a new id its channel. */
void own_id_set_channel(struct own_id *own, struct channel *channel);

/**
 * own_id_set_kernel() - give an id the part that the kernel has created
 * @number: of the id in the kernel
 *
 * Return: 0, or -ENOMEM.
 */
int own_id_set_kernel(struct own_id *own, uint32_t number);

/**
 * own_id_post() - post an event that this side causes
 *
 * Return: 0, or -ENOMEM.
 */
int own_id_post(struct own_id *own, enum rdma_cm_event_type type, int status,
		uint64_t arg);

/* Has the id the local address of a device? */
static inline bool own_id_has_device(const struct own_id *own)
{
	return own->backend && own->device;
}

/* Is the QP type connected: RC, or the initiator of XRC? */
static inline bool own_id_is_connected_type(const struct own_id *own)
{
	return own->id.qp_type == IBV_QPT_RC ||
	       own->id.qp_type == IBV_QPT_XRC_SEND;
}

static inline struct own_id *own_id_of(struct rdma_cm_id *id)
{
	return (struct own_id *)(void *)id;
}

#endif
