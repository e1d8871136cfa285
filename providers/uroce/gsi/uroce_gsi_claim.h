/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Claims: the sockets by which a process owns MADs. A claim is an abstract unix
 * socket whose name contains the user, and either a service id with an address
 * or the prefix of communication ids. The kernel frees the name when the
 * process ends. Other processes of the user pass MADs to the owner through
 * connections to the name, which they keep. Both sides check the user of the
 * other one (ipc/uroce_identity.h).
 */
#ifndef UROCE_GSI_CLAIM_H
#define UROCE_GSI_CLAIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "uroce/gsi/uroce_mad.h"
#include "uroce/wire/uroce_address.h"

/* A MAD with its addresses; all bytes are sent from process to process. */
struct uroce_gsi_mad {
	uint8_t local_gid[UROCE_GID_LEN];
	uint8_t remote_gid[UROCE_GID_LEN];
	uint32_t flow_label;
	uint8_t traffic_class;
	uint8_t hop_limit; /* 0: unknown, or the default */
	uint8_t zero[2];
	uint8_t bytes[UROCE_MAD_BYTES];
};

/* Changes with struct uroce_gsi_mad. */
#define UROCE_GSI_MAGIC 30306

/* The owner's only message, before it ends a connection above its limit. */
#define UROCE_GSI_NOTICE UINT32_C(30307)

/* A message from process to process. */
struct uroce_gsi_message {
	uint32_t magic; /* UROCE_GSI_MAGIC */
	struct uroce_gsi_mad mad;
};

enum uroce_gsi_name_kind {
	UROCE_GSI_NAME_SERVICE,	    /* a service id at an address */
	UROCE_GSI_NAME_ANY_SERVICE, /* at all addresses of an interface */
	UROCE_GSI_NAME_PREFIX,	    /* communication ids with a prefix */
};

/* The name of a claim, without padding. */
struct uroce_gsi_name {
	uint8_t gid[UROCE_GID_LEN];
	uint64_t service_id;
	uint32_t number; /* of the interface; or the prefix, shifted */
	uint32_t kind;	 /* enum uroce_gsi_name_kind */
};

/* Owners to which a process keeps a connection. */
#define UROCE_GSI_NR_LINKS 128

struct uroce_gsi_links {
	pthread_mutex_t mutex; /* a leaf; protects the members below */
	int epoll;	       /* of the caller; -1 after it was closed */
	unsigned int next;     /* to replace */
	struct uroce_gsi_link {
		int fd; /* -1: none */
		struct uroce_gsi_name name;
	} links[UROCE_GSI_NR_LINKS];
};

/**
 * uroce_gsi_listen_service() - claim a service id
 * @gid: address; NULL: all addresses of an interface
 * @ifindex: that interface, if @gid is NULL
 *
 * Return: the socket; or what uroce_rendezvous_listen_gsi() returns.
 */
int uroce_gsi_listen_service(const uint8_t *gid, unsigned int ifindex,
			     uint64_t service_id);

/** uroce_gsi_listen_prefix() - claim the communication ids with a prefix */
int uroce_gsi_listen_prefix(uint32_t prefix);

/**
 * uroce_gsi_links_init() - initialise connections to owners of MADs
 * @epoll: reports the connections that owners have ended
 */
void uroce_gsi_links_init(struct uroce_gsi_links *links, int epoll);

/**
 * uroce_gsi_links_close() - close all connections; with the mutex
 *
 * The epoll descriptor is not used after it.
 */
void uroce_gsi_links_close(struct uroce_gsi_links *links);

void uroce_gsi_links_fini(struct uroce_gsi_links *links);

/**
 * uroce_gsi_forward_service() - pass a MAD to the owner of a service id
 * @gid, @ifindex, @service_id: as for uroce_gsi_listen_service()
 *
 * Context: any thread; never waits.
 * Return: 0; -ENOENT if no process of this user owns it; or -errno: the MAD is
 * lost.
 */
int uroce_gsi_forward_service(struct uroce_gsi_links *links, const uint8_t *gid,
			      unsigned int ifindex, uint64_t service_id,
			      const struct uroce_gsi_mad *mad);

/** uroce_gsi_forward_id() - the same for the owner of a communication id */
int uroce_gsi_forward_id(struct uroce_gsi_links *links, uint32_t id,
			 const struct uroce_gsi_mad *mad);

/**
 * uroce_gsi_watch_id() - keep a connection to the owner of a communication id
 *
 * Context: any thread; never waits.
 * Return: 0; -ECONNREFUSED if no process of this user owns it; or -errno.
 */
int uroce_gsi_watch_id(struct uroce_gsi_links *links, uint32_t id);

/** uroce_gsi_links_have() - whether a descriptor is one of the connections */
bool uroce_gsi_links_have(struct uroce_gsi_links *links, int fd);

/**
 * uroce_gsi_links_end() - close a connection that its owner has ended
 * @fd: reported by the epoll descriptor
 * @ret_prefix: receives the prefix of the owner
 *
 * An owner also ends connections above its limit, after a notice
 * (UROCE_GSI_NOTICE).
 *
 * Return: whether the process does not own a prefix any more.
 */
bool uroce_gsi_links_end(struct uroce_gsi_links *links, int fd,
			 uint32_t *ret_prefix);

#endif
